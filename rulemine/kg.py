"""A knowledge graph: integer triples and the vocabularies that name them.

Guarantees: a graph is a *set* of triples; entity and relation ids are positions in the sorted
(code point order) label lists, and triples are sorted by (subject, relation, object), so the same
triples give the same arrays whatever the order of the lines they were read from. Entities and
relations are named apart: the same text may name one of each.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rulemine.errors import InputError, list_problems
from rulemine.files import read_lines, write_text

__all__ = ["KnowledgeGraph", "Triple", "read_triples"]

Triple = tuple[str, str, str]
"""Subject, relation, object, as labels."""

_EXPECTED = "Expected three non-empty fields a line, separated by tabs: subject, relation, object."


@dataclass(frozen=True, eq=False)
class KnowledgeGraph:
    """An immutable set of triples.

    Attributes:
        entities: Entity labels in code point order; an entity's id is its position.
        relations: Relation labels, likewise.
        triples: int32, shape (n, 3), C-contiguous, read-only: subject, relation, object ids;
            unique rows in lexicographic order.
        duplicates: How many triples of the source were dropped because they were there already.
        source_order: int64, shape (n,): the rows of `triples` in the order in which the source
            first names them (what a program that keeps file order would see).
    """

    entities: tuple[str, ...]
    relations: tuple[str, ...]
    triples: npt.NDArray[np.int32] = field(repr=False)
    duplicates: int = 0
    source_order: npt.NDArray[np.int64] = field(
        repr=False, default_factory=lambda: np.empty(0, np.int64)
    )

    @classmethod
    def from_triples(cls, triples: Iterable[Triple]) -> "KnowledgeGraph":
        """A graph out of labelled triples, in any order, duplicates allowed.

        Raises:
            InputError: A label is empty or holds a tab or a line break.

        Example:
            >>> kg = KnowledgeGraph.from_triples([("b", "knows", "a"), ("a", "knows", "b")])
            >>> kg.entities, kg.triples.tolist()
            (('a', 'b'), [[0, 0, 1], [1, 0, 0]])
        """
        rows = list(triples)
        subjects = [row[0] for row in rows]
        names = [row[1] for row in rows]
        objects = [row[2] for row in rows]
        entities = tuple(sorted(set(subjects).union(objects)))
        relations = tuple(sorted(set(names)))
        for label in (*entities, *relations):
            if not label or "\t" in label or "\n" in label or "\r" in label:
                raise InputError(
                    f"label {label!r} is empty or holds a tab or a line break, "
                    "which a TSV file cannot carry. Replace the character."
                )
        entity_id = {label: i for i, label in enumerate(entities)}
        relation_id = {label: i for i, label in enumerate(relations)}
        ids = np.empty((len(rows), 3), np.int32)
        ids[:, 0] = [entity_id[label] for label in subjects]
        ids[:, 1] = [relation_id[label] for label in names]
        ids[:, 2] = [entity_id[label] for label in objects]
        return cls._of_ids(entities, relations, ids)

    @classmethod
    def _of_ids(
        cls, entities: tuple[str, ...], relations: tuple[str, ...], ids: npt.NDArray[np.int32]
    ) -> "KnowledgeGraph":
        order = np.lexsort((ids[:, 2], ids[:, 1], ids[:, 0]))  # stable: first mention first
        ordered = ids[order]
        new = np.ones(len(ordered), bool)
        new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
        unique = np.ascontiguousarray(ordered[new])
        unique.flags.writeable = False
        return cls(
            entities,
            relations,
            unique,
            duplicates=len(ids) - len(unique),
            source_order=np.argsort(order[new], kind="stable"),
        )

    @classmethod
    def read(cls, path: str | Path) -> "KnowledgeGraph":
        """Reads a TSV file, plain, .gz or .zst; see `read_triples`."""
        return cls.from_triples(read_triples(Path(path)))

    def __len__(self) -> int:
        return len(self.triples)

    @cached_property
    def entity_ids(self) -> dict[str, int]:
        """Entity label → id."""
        return {label: i for i, label in enumerate(self.entities)}

    @cached_property
    def relation_ids(self) -> dict[str, int]:
        """Relation label → id."""
        return {label: i for i, label in enumerate(self.relations)}

    def relation_sizes(self) -> npt.NDArray[np.int64]:
        """The number of triples of each relation, shape (relations,)."""
        return np.bincount(self.triples[:, 1], minlength=len(self.relations))

    def labelled(self, rows: npt.NDArray[np.int64] | None = None) -> list[Triple]:
        """Triples as labels: those of the given rows of `triples`, or all, in that order."""
        ids = self.triples if rows is None else self.triples[rows]
        entities, relations = self.entities, self.relations
        return [(entities[s], relations[r], entities[o]) for s, r, o in ids.tolist()]

    def without(self, rows: npt.NDArray[np.int64]) -> "KnowledgeGraph":
        """The graph without the given rows of `triples`; ids and vocabularies stay the same.

        Entities that lose their last triple stay in the vocabulary, so ids mean the same in both.
        """
        keep = np.ones(len(self.triples), bool)
        keep[rows] = False
        position = np.cumsum(keep) - 1
        kept = np.ascontiguousarray(self.triples[keep])
        kept.flags.writeable = False
        order = self.source_order[keep[self.source_order]]
        return KnowledgeGraph(
            self.entities, self.relations, kept, source_order=position[order].astype(np.int64)
        )

    def rows_of(self, ids: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
        """The rows of `triples` that hold the given triples.

        Args:
            ids: int32, shape (m, 3); subject, relation, object ids.

        Returns:
            int64, shape (m,): the row, or −1 where the graph does not hold the triple.
        """
        keys = self._keys
        wanted = _pack(np.asarray(ids, np.int64), len(self.relations), len(self.entities))
        at = np.searchsorted(keys, wanted)
        at[at == len(keys)] = 0
        return np.where(keys[at] == wanted, at, -1) if len(keys) else np.full(len(ids), -1)

    @cached_property
    def _keys(self) -> npt.NDArray[np.int64]:
        return _pack(self.triples.astype(np.int64), len(self.relations), len(self.entities))

    def to_tsv(self) -> str:
        """The sorted triples as TSV text with LF; equal graphs give equal text."""
        return format_tsv(self.labelled())

    def write(self, path: str | Path) -> None:
        """Writes `to_tsv` to a file, compressed when the name ends in .gz."""
        write_text(Path(path), self.to_tsv())

    @cached_property
    def digest(self) -> str:
        """The identity of the graph: SHA-256 of `to_tsv` in UTF-8, hexadecimal."""
        return hashlib.sha256(self.to_tsv().encode("utf-8")).hexdigest()


def _pack(ids: npt.NDArray[np.int64], relations: int, entities: int) -> npt.NDArray[np.int64]:
    if entities * entities * relations >= 2**63:
        raise InputError(
            f"the graph has {entities} entities and {relations} relations; "
            "entities² · relations must stay below 2⁶³. Split the graph."
        )
    packed: npt.NDArray[np.int64] = (ids[:, 0] * relations + ids[:, 1]) * entities + ids[:, 2]
    return packed


def format_tsv(triples: Sequence[Triple]) -> str:
    """Triples as TSV text, in the order given."""
    return "".join(f"{s}\t{r}\t{o}\n" for s, r, o in triples)


def read_triples(path: Path) -> list[Triple]:
    """The triples of a TSV file in file order, duplicates included.

    Fields are stripped of surrounding white space (as AMIE does); nothing else is interpreted:
    quotes, commas and backslashes are part of labels.

    Args:
        path: TSV, plain, .gz or .zst; UTF-8, with or without byte order mark; LF or CRLF.

    Raises:
        InputError: The file is missing, empty, not text, or has lines that are not three non-empty
            fields; all bad lines are counted, the first ten spelled out.
    """
    lines = read_lines(path)
    rows: list[Triple] = []
    problems: list[str] = []
    quoted = True
    for number, line in enumerate(lines, start=1):
        fields = [part.strip() for part in line.split("\t")]
        if len(fields) != 3:
            problems.append(f"line {number} has {len(fields)} column(s): {_shown(line)}")
        elif not (fields[0] and fields[1] and fields[2]):
            problems.append(f"line {number} has an empty field: {_shown(line)}")
        elif "\r" in line:
            problems.append(f"line {number} holds a carriage return inside a label: {_shown(line)}")
        else:
            quoted = quoted and all(f[0] == f[-1] == '"' and len(f) > 1 for f in fields)
            rows.append((fields[0], fields[1], fields[2]))
    if problems:
        raise InputError(list_problems(str(path), problems, _EXPECTED))
    if quoted:
        raise InputError(
            f"{path}: every field is in double quotes. This format has no quoting; the quotes "
            "would become part of every label. Write the file without them."
        )
    return rows


def _shown(line: str) -> str:
    return repr(line if len(line) <= 80 else line[:77] + "…")
