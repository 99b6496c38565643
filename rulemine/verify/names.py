"""The tables of names: three namings of every entity, and the relations.

Checks that ``entities.tsv`` has unique columns, and that private ids have a fixed
width; that ``relations.tsv`` has each relation once; and that every name in graphs and rules is in these
tables; and that ``types.tsv``, which most kinds have, has known entities.
"""

import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rulemine.verify.folder import Folder
from rulemine.verify.report import Findings, shown

__all__ = ["Entity", "Names", "check_names", "check_types"]

ENTITIES = "entities.tsv"
RELATIONS = "relations.tsv"
TYPES = "types.tsv"
_COLUMNS = ["private", "entity", "text"]
_RELATION_COLUMNS = [
    "relation", "statement", "ask_subject", "ask_object", "ask_subjects", "ask_objects",
    "describe_subject", "describe_object", "source", "triples", "removed", "fact", "reversed",
    "symmetric", "place", "single", "ask",
]  # fmt: skip
_MAY_BE_EMPTY = 5
_PRIVATE = re.compile(r"e(\d+)")


@dataclass(frozen=True, slots=True)
class Entity:
    """A row of ``entities.tsv``.

    Attributes:
        line: Its line.
        spelled: Its names in every naming (private, entity, text, numeric).
    """

    line: int
    spelled: tuple[str, str, str, str]

    @property
    def source(self) -> str:
        """Its label in the source."""
        return self.spelled[1]


@dataclass(frozen=True, slots=True)
class Entities(Mapping[str, Entity]):
    """Entity in the naming of the release → its row; rows are made when they are asked for.

    Attributes:
        rows: Entity → the position of its row.
        lines: The line of each row.
        columns: Its columns.
    """

    rows: dict[str, int]
    lines: Sequence[int]
    columns: tuple[list[str], list[str], list[str]]

    def __getitem__(self, name: str) -> Entity:
        row = self.rows[name]
        private, entity, text = (column[row] for column in self.columns)
        return Entity(self.lines[row], (private, entity, text, _numeric(private)))

    def __contains__(self, name: object) -> bool:
        return name in self.rows

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


def _numeric(private: str) -> str:
    form = _PRIVATE.fullmatch(private)
    return str(int(form[1])) if form else private


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a release.

    Attributes:
        entities: Entity in the naming of the release → its row.
        relations: Relation → its row: column name → text.
        relation_lines: Relation → its line.
    """

    entities: Entities
    relations: dict[str, dict[str, str]]
    relation_lines: dict[str, int]

    def unknown(self, entities: Iterable[str], relations: Iterable[str]) -> list[str]:
        """The given names that are in no table, sorted."""
        lost = {e for e in entities if e not in self.entities}
        return sorted(lost | {r for r in relations if r not in self.relations})


def check_names(folder: Folder, findings: Findings) -> Names | None:
    """Checks both tables.

    Returns:
        The names; None if a table is missing.
    """
    if not (folder.has(ENTITIES) and folder.has(RELATIONS)):
        findings.skip("names (needs entities.tsv and relations.tsv)")
        return None
    return Names(_check_entities(folder, findings), *_check_relations(folder, findings))


def _check_entities(folder: Folder, findings: Findings) -> Entities:
    columns: tuple[list[str], list[str], list[str]] = ([], [], [])
    lines = array("q")
    for numbers, fields in folder.threes(ENTITIES):
        header = len(numbers) > 0 and numbers[0] == 1
        lines.extend(numbers[header:])
        for column, names in enumerate(columns):
            names += fields[column + 3 * header :: 3]
    for names, what in zip(columns, _COLUMNS, strict=True):
        if len({*names}) == len(names):
            continue
        seen: dict[str, int] = {}
        for number, name in zip(lines, names, strict=True):
            if name in seen:
                found = f"{what} {shown(name)} of line {seen[name]}"
                findings.add(ENTITIES, number, "namings unique", found, "each name once")
            seen[name] = number
    private = columns[0]
    width = len(private[0]) if private else 0
    joined = "".join(private)
    digits = joined.replace("e", "")
    alike = {*map(len, private)} == {width} and len(digits) == len(private) * (width - 1)
    alike = alike and joined[::width] == "e" * len(private) and digits.isdecimal()
    for number, name in () if alike else zip(lines, private, strict=True):
        if len(name) != width or name[0] != "e" or not name[1:].isdecimal():
            expected = f"e and {width - 1} digits, as in the first row"
            findings.add(ENTITIES, number, "private id", shown(name), expected)
    naming = folder.manifest["naming"]
    own = columns[_COLUMNS.index(naming)] if naming in _COLUMNS else private
    if naming == "numeric":
        own = [*map(_numeric, private)]
    found_rows = dict(zip(own, range(len(own)), strict=True))
    findings.count("entities", len(found_rows))
    return Entities(found_rows, lines, columns)


def _check_relations(
    folder: Folder, findings: Findings
) -> tuple[dict[str, dict[str, str]], dict[str, int]]:
    relations: dict[str, dict[str, str]] = {}
    lines: dict[str, int] = {}
    columns = _RELATION_COLUMNS
    for number, row in folder.fields(RELATIONS, len(columns), labels=False, empty=_MAY_BE_EMPTY):
        if number == 1:  # the header
            continue
        name = row[0]
        if name in relations:
            found = f"{shown(name)} of line {lines[name]}"
            findings.add(RELATIONS, number, "relations unique", found, "each relation once")
        relations[name] = dict(zip(columns, row, strict=True))
        lines[name] = number
    findings.count("relations", len(relations))
    return relations, lines


def check_types(
    folder: Folder, names: Names | None, findings: Findings
) -> dict[str, frozenset[str]]:
    """Reads the types of entities; none if there is no such file."""
    types: dict[str, set[str]] = {}
    for number, row in folder.fields(TYPES, 2) if folder.has(TYPES) else ():
        entity, kind = row
        if number == 1:  # the header
            continue
        if names is not None and entity not in names.entities:
            findings.add(TYPES, number, "names", shown(entity), "an entity of entities.tsv")
        types.setdefault(entity, set()).add(kind)
    if types:
        findings.count("types of entities", sum(map(len, types.values())))
    return {entity: frozenset(kinds) for entity, kinds in types.items()}
