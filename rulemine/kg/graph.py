"""A knowledge graph: integer triples and the vocabularies that name them; made of labels or read from files.

In a file of triples, fields are stripped of surrounding white space (as AMIE does), and nothing else is
interpreted: quotes, commas and backslashes are part of labels. It is read block by block, and every problem
of it is reported at once.

Guarantees: a graph is a *set* of triples; entity and relation ids are positions in the sorted
(code point order) label lists, and triples are sorted by (subject, relation, object), so the same
triples give the same arrays whatever the order of the lines they were read from. Entities and
relations are named apart: the same text may name one of each.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice
from operator import ne
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rulemine.arrays import Places
from rulemine.errors import MOST_PROBLEMS_SHOWN, InputError, counted, list_problems
from rulemine.files import decoded, read_blocks, write_stream
from rulemine.kg.rdf import RdfReader, is_rdf, relation_names
from rulemine.kg.vocabulary import Fields, Vocabulary, check_size, spans

__all__ = ["DIRECTIONS", "KnowledgeGraph", "Triple", "format_tsv", "pack", "row_type"]

_EXPECTED = "Expected three non-empty fields a line, separated by tabs: subject, relation, object."
_HINTS = {
    "1 column: '(<|@prefix|PREFIX|@base|BASE)":
        "A file of N-Triples or Turtle is read as such if its name ends in .nt or .ttl.",
    r"1 column: '[\[{]": "JSON Lines of head, relation and tail are read if the file's name ends in .jsonl.",
    r"1 column: '\d+'": "The number of triples is the first line of OpenKE's files: give their folder.",
    r"[456] columns|1 column: ['\"]([^,]+,){2}|1 column: ['\"]([^;]+;){2}|1 column: ['\"]\S+ \S+ \S+$":
        "Say which columns these are: --columns 1,2,3, or by the names in the first line.",
}  # fmt: skip
"""What the first problem of a file looks like → what the file is, and what to do."""

LONGEST = 1 << 16
"""Characters of a name at most."""

_TAB, _LF, _QUOTE = 9, 10, 34
_SPACES = [text.encode() for text in map(chr, range(0x3001)) if text.isspace()]
_MAY_START_SPACE, _MAY_END_SPACE = np.zeros((2, 256), bool)
_MAY_START_SPACE[[space[0] for space in _SPACES]] = True
_MAY_END_SPACE[[space[-1] for space in _SPACES]] = True


class _Scan:
    """Reads one file of triples: TSV, plain, .gz or .zst; UTF-8, with or without byte order mark; LF or CRLF.

    A block in which every line is well formed is split by a few array operations, others line by line, with
    the same result. Memory is bounded by a block.

    Attributes:
        trimmed: How many fields had white space around them.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.trimmed = 0
        self._lines = 0
        self._any = False
        self._quoted = True
        self._shown: list[str] = []
        self._problems = 0

    def fields(self, block: bytes) -> Fields | None:
        """The fields of the next block, row by row; None when something in the file is wrong.

        Raises:
            InputError: It is not text.
        """
        text = decoded(self._path, block, self._lines)
        if (found := self._regular(text.encode())) is None:
            found = Fields.of(self._irregular(text.removesuffix("\n")))
        return None if self._problems else found

    def _regular(self, block: bytes) -> Fields | None:
        """The fields of a block of which every line is well formed and nothing is trimmed; else None."""
        if b"\r" in block:
            return None
        block = block if block.endswith(b"\n") else block + b"\n"
        content = np.frombuffer(block, np.uint8)
        ends = np.flatnonzero((content == _TAB) | (content == _LF))
        if len(ends) % 3 or not (content[ends].reshape(-1, 3) == (_TAB, _TAB, _LF)).all():
            return None
        fields = Fields(block, np.concatenate(([0], ends[:-1] + 1)), ends)
        lengths = ends - fields.starts
        if not lengths.all() or lengths.max(initial=0) > LONGEST:
            return None
        first, last = content[fields.starts], content[ends - 1]
        doubtful = _MAY_START_SPACE[first] | _MAY_END_SPACE[last]
        some = Fields(block, fields.starts[doubtful], ends[doubtful]).texts()
        if any(text != text.strip() for text in some):
            return None
        self._any = True
        self._lines += len(ends) // 3
        quoted = (first == _QUOTE) & (last == _QUOTE) & (lengths > 1)
        self._quoted = self._quoted and bool(quoted.all())
        return fields

    def _irregular(self, text: str) -> list[str]:
        rows: list[list[str]] = []
        for line in text.split("\n"):
            self._lines += 1
            if not line.strip():
                continue
            self._any = True
            if row := self._row(self._lines, line):
                rows.append(row)
                self._quoted &= all(f[0] == f[-1] == '"' and len(f) > 1 for f in row)
        return list(chain.from_iterable(rows))

    def _row(self, number: int, line: str) -> list[str] | None:
        """The fields of a line, or None when it is a problem."""
        parts = line.split("\t")
        fields = [part.strip() for part in parts]
        if len(fields) != 3:
            what = f"has {counted(len(fields), 'column')}"
        elif not all(fields):
            what = "has an empty field"
        elif max(map(len, fields)) > LONGEST:
            what = f"has a name of more than {LONGEST:,} characters"
        elif "\r" in line:
            what = "holds a carriage return inside a label"
        else:
            self.trimmed += sum(map(ne, fields, parts))
            return fields
        self._problems += 1
        if self._problems <= MOST_PROBLEMS_SHOWN:
            self._shown.append(f"line {number} {what}: {_shown(line)}")
        return None

    def finish(self) -> None:
        """Raises what is wrong with the file.

        Raises:
            InputError: Something is.
        """
        if not self._any:
            raise InputError(f"{self._path}: is empty; at least one line was expected.")
        if self._problems:
            unseen = self._problems - len(self._shown)
            hints = (hint for form, hint in _HINTS.items() if re.search(form, self._shown[0]))
            expected = f"{_EXPECTED} {next(hints, '')}".rstrip()
            raise InputError(list_problems(str(self._path), self._shown, expected, unseen))
        if self._quoted:
            raise InputError(
                f"{self._path}: every field is in double quotes. This format has no quoting; the "
                "quotes would become part of every label. Write the file without them."
            )


def _shown(line: str) -> str:
    return repr(line if len(line) <= 80 else line[:77] + "…")


Triple = tuple[str, str, str]
"""Subject, relation, object, as labels."""

ROWS_AT_ONCE = 1 << 16
"""Triples whose labels are handled in one go."""

DIRECTIONS = ("subject", "object")
"""Which end of the relation a question asks for."""


@dataclass(frozen=True, eq=False)
class KnowledgeGraph:
    """An immutable set of triples.

    Attributes:
        entities: Entity labels in code point order; an entity's id is its position.
        relations: Relation labels, in the same order and with ids of the same kind.
        triples: int32, shape (n, 3), C-contiguous, read-only: subject, relation, object ids;
            unique rows in lexicographic order.
        duplicates: How many triples of the source were dropped because they were there already.
        source_order: int32, int64 from 2³¹ triples on, shape (n,): the rows of `triples` in the order in
            which the source first names them (what a program that keeps file order would see). Shape (0,) in
            a graph made of another one.
        trimmed: How many names of the source had white space around them, which is no part of the labels.
        left_out: What of a source in RDF is not in the graph, in words.
        relation_iris: Relation → its IRI, of a source in RDF.
    """

    entities: tuple[str, ...]
    relations: tuple[str, ...]
    triples: npt.NDArray[np.int32] = field(repr=False)
    duplicates: int = 0
    source_order: npt.NDArray[np.integer[Any]] = field(
        repr=False, default_factory=lambda: np.empty(0, np.int32)
    )
    trimmed: int = 0
    left_out: str = ""
    relation_iris: Mapping[str, str] = field(repr=False, default_factory=dict)

    @classmethod
    def from_triples(cls, triples: Iterable[Triple]) -> "KnowledgeGraph":
        """A graph out of labeled triples, in any order, duplicates allowed.

        Raises:
            InputError: A label is empty or holds a tab or a line break.

        Example:
            >>> kg = KnowledgeGraph.from_triples([("b", "knows", "a"), ("a", "knows", "b")])
            >>> kg.entities, kg.triples.tolist()
            (('a', 'b'), [[0, 0, 1], [1, 0, 0]])
        """
        builder = _Builder()
        rows = iter(triples)
        while some := list(islice(rows, ROWS_AT_ONCE)):
            builder.add(Fields.of([label for triple in some for label in triple]))
        kg = builder.finish()
        for label in (*kg.entities, *kg.relations):
            if not label or "\t" in label or "\n" in label or "\r" in label:
                raise InputError(
                    f"label {label!r} is empty or holds a tab or a line break, "
                    "which a TSV file cannot carry. Replace the character."
                )
        return kg

    @classmethod
    def _of_ids(
        cls,
        entities: tuple[str, ...],
        relations: tuple[str, ...],
        ids: npt.NDArray[np.int32],
        ordered: bool = False,
    ) -> "KnowledgeGraph":
        """The graph of some triples; `ordered`: whether their order is that of a source."""
        keys = pack(ids, len(relations), len(entities))
        order = np.argsort(keys, kind="stable")
        keys, new = keys[order], np.ones(len(ids), bool)
        new[1:] = keys[1:] != keys[:-1]
        first = order[new]  # where each triple is named first
        unique = np.ascontiguousarray(ids[first])
        unique.flags.writeable = False
        made = cls(entities, relations, unique, duplicates=len(ids) - len(unique))
        rows = np.argsort(first).astype(row_type(len(ids)))
        return replace(made, source_order=rows) if ordered else made

    @classmethod
    def read(
        cls, *paths: str | Path, watch: Callable[[bytes], object] | None = None
    ) -> "KnowledgeGraph":
        """Reads files as if they were one: TSV, or RDF (`rulemine.kg.rdf`).

        Args:
            *paths: The files, plain, .gz or .zst; text in UTF-8.
            watch: Called with the bytes of the files as stored, as they are read.

        Raises:
            InputError: A file is missing, empty, not text, or has lines that are not three non-empty fields;
                all are counted, the first ten spelled out. Or as `RdfReader.fields`.
        """
        if any(map(is_rdf, paths)):
            return cls._read_rdf([Path(path) for path in paths], watch)
        builder, trimmed = _Builder(), 0
        for path in map(Path, paths):
            scan = _Scan(path)
            for block in read_blocks(path, watch):
                if fields := scan.fields(block):
                    builder.add(fields)
            scan.finish()
            trimmed += scan.trimmed
        return replace(builder.finish(), trimmed=trimmed)

    @classmethod
    def _read_rdf(
        cls, paths: list[Path], watch: Callable[[bytes], object] | None
    ) -> "KnowledgeGraph":
        if strange := [path for path in paths if not is_rdf(path)]:
            raise InputError(f"{strange[0]}: is no RDF, but {paths[0]} is; give files of one kind.")
        builder, reader = _Builder(), RdfReader()
        for path in paths:
            for fields in reader.fields(path, watch):
                builder.add(Fields.of(fields))
        kg = builder.finish()
        if not len(kg):
            raise InputError(
                f"{paths[0]}: holds no triple between two IRIs, and literals and blank nodes are no "
                "entities. Give those that questions are to be about an IRI."
            )
        names = relation_names(kg.relations, reader.texts)
        iris = {name: iri for iri, name in sorted(names.items())}
        return replace(kg.with_relations(names), left_out=str(reader.left_out), relation_iris=iris)

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

    def labeled(self, rows: npt.NDArray[np.integer[Any]] | slice | None = None) -> list[Triple]:
        """Triples as labels: those of the given rows of `triples`, or all, in that order."""
        ids = self.triples if rows is None else self.triples[rows]
        entities, relations = self.entities, self.relations
        return [(entities[s], relations[r], entities[o]) for s, r, o in ids.tolist()]

    def without(self, rows: npt.NDArray[np.int64]) -> "KnowledgeGraph":
        """The graph without the given rows of `triples`; ids and vocabularies stay the same.

        Entities that lose their last triple stay in the vocabulary, so ids mean the same in both.
        """
        kept = np.delete(self.triples, rows, axis=0)
        kept.flags.writeable = False
        return KnowledgeGraph(self.entities, self.relations, kept)

    def including(self, ids: npt.NDArray[np.int32]) -> "KnowledgeGraph":
        """The graph with more triples between its entities: subject, relation, object ids, shape (m, 3)."""
        return KnowledgeGraph._of_ids(
            self.entities, self.relations, np.concatenate((self.triples, ids))
        )

    def renamed(self, names: Mapping[str, str]) -> "KnowledgeGraph":
        """The graph with other entity labels.

        Args:
            names: Entity → its new label, for all entities; no two the same.
        """
        labels, place = _sorted(names[label] for label in self.entities)
        ids = self.triples.copy()
        ids[:, [0, 2]] = place[ids[:, [0, 2]]]
        return KnowledgeGraph._of_ids(labels, self.relations, ids)

    def with_relations(self, names: Mapping[str, str]) -> "KnowledgeGraph":
        """The graph with other names of its relations, no two the same; what the source was like stays."""
        labels, place = _sorted(names[label] for label in self.relations)
        ordered = len(self.source_order) == len(self)
        ids = self.triples[self.source_order] if ordered else self.triples.copy()
        ids[:, 1] = place[ids[:, 1]]
        kg = KnowledgeGraph._of_ids(self.entities, labels, ids, ordered)
        return replace(kg, duplicates=self.duplicates)

    def rows_of(self, ids: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
        """The rows of `triples` that hold the given triples.

        Args:
            ids: int32, shape (m, 3); subject, relation, object ids.

        Returns:
            The rows, int64 of shape (m,); −1 where the graph does not hold the triple.
        """
        return self._places.of(pack(ids, len(self.relations), len(self.entities)))

    @cached_property
    def beside_others(self) -> npt.NDArray[np.int64]:
        """Rows of self-loops, and of triples whose entities another triple joins too, in either direction."""
        s, o = self.triples[:, 0], self.triples[:, 2]
        pairs = np.minimum(s, o).astype(np.int64)
        pairs *= max(1, len(self.entities))
        pairs += np.maximum(s, o)
        order = np.argsort(pairs)
        pairs = pairs[order]
        same = pairs[1:] == pairs[:-1]
        beside = s == o
        beside[np.append(order[1:][same], order[:-1][same])] = True
        return np.flatnonzero(beside)

    def forget(self) -> None:
        """Frees what was derived from the graph and can be derived again, except the digest."""
        for name in ("entity_ids", "beside_others", "_places"):
            self.__dict__.pop(name, None)

    @cached_property
    def _places(self) -> Places:
        return Places(pack(self.triples, len(self.relations), len(self.entities)))

    def to_tsv(self) -> str:
        """The sorted triples as TSV text with LF; equal graphs give equal text."""
        return b"".join(self._tsv_pieces()).decode()

    def _tsv_pieces(self) -> Iterator[bytes]:
        """`to_tsv` in UTF-8, in pieces: the labels of large graphs are never all there at once."""
        n, m = len(self.entities), len(self.relations)
        columns = ((self.entities, "\t"), (self.relations, "\t"), (self.entities, "\n"))
        fields = Fields.of([label + end for labels, end in columns for label in labels])
        content, lengths = np.frombuffer(fields.content, np.uint8), fields.ends - fields.starts
        for start in range(0, len(self), ROWS_AT_ONCE):
            which = (self.triples[start : start + ROWS_AT_ONCE] + np.array([0, n, n + m])).ravel()
            yield content[spans(fields.starts[which], lengths[which])].tobytes()

    def write(self, path: str | Path) -> None:
        """Writes `to_tsv` to a file, compressed when the name ends in .gz."""
        write_stream(Path(path), self._tsv_pieces())

    @cached_property
    def digest(self) -> str:
        """The identity of the graph: SHA-256 of `to_tsv` in UTF-8, hexadecimal."""
        digest = hashlib.sha256()
        for piece in self._tsv_pieces():
            digest.update(piece)
        return digest.hexdigest()


class _Builder:
    """Makes a graph of labels that come block by block; holds their numbers, and each label once."""

    def __init__(self) -> None:
        self._entities = Vocabulary()
        self._relations = Vocabulary()
        self._blocks: list[npt.NDArray[np.int32]] = []

    def add(self, fields: Fields) -> None:
        """Takes triples: subject, relation, object, subject and so on."""
        block = np.empty((len(fields.ends) // 3, 3), np.int32)
        for column, numbers in enumerate((self._entities, self._relations, self._entities)):
            block[:, column] = numbers.numbers(fields.column(column, 3))
        self._blocks.append(block)

    def finish(self) -> KnowledgeGraph:
        """The graph; can be called once."""
        check_size(len(self._entities), "entities")
        entities, entity_place = self._entities.settle()
        relations, relation_place = self._relations.settle()
        self._entities = self._relations = Vocabulary()
        ids = np.empty((sum(map(len, self._blocks)), 3), np.int32)
        at = 0
        for block in self._blocks:
            part = ids[at : at + len(block)]
            for column, place in enumerate((entity_place, relation_place, entity_place)):
                part[:, column] = place[block[:, column]]
            at += len(block)
        self._blocks.clear()
        return KnowledgeGraph._of_ids(entities, relations, ids, True)


def _sorted(labels: Iterable[str]) -> tuple[tuple[str, ...], npt.NDArray[np.int32]]:
    """Labels in code point order, and the place of each of those given in it."""
    given = list(labels)
    order = sorted(range(len(given)), key=given.__getitem__)
    return tuple(given[at] for at in order), np.argsort(order).astype(np.int32)


def row_type(triples: int) -> type[np.integer[Any]]:
    """The type of numbers of rows: four bytes where they suffice."""
    return np.int32 if triples < 2**31 else np.int64


def pack(ids: npt.NDArray[np.int32], relations: int, entities: int) -> npt.NDArray[Any]:
    """Keys that sort as the triples: int64, or the twelve bytes of a triple where those do not suffice."""
    if entities * entities * relations >= 2**63:
        return ids.astype(">i4", order="C").view("S12").reshape(-1)
    packed = ids[:, 0].astype(np.int64)  # then in place: there may be many
    for column, size in ((1, relations), (2, entities)):
        packed *= size
        packed += ids[:, column]
    return packed


def format_tsv(triples: Sequence[Triple]) -> str:
    """Triples as TSV text, in the order given."""
    return "".join(f"{s}\t{r}\t{o}\n" for s, r, o in triples)
