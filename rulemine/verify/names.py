"""The tables of names: three namings of every entity, and the relations.

Checks that ``entities.tsv`` has unique columns, and that private ids have a fixed
width; that ``relations.tsv`` has each relation once; and that every name in graphs and rules is in these
tables; and that ``types.tsv``, which most kinds have, has known entities.
"""

import re
from collections.abc import Iterable
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
    "symmetric", "place",
]  # fmt: skip
_MAY_BE_EMPTY = 3
_ASK = "ask"
"""A further column of ``relations.tsv`` where some end is not asked for."""
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
class Names:
    """The names of a release.

    Attributes:
        entities: Entity in the naming of the release → its row.
        relations: Relation → its row: column name → text.
        relation_lines: Relation → its line.
    """

    entities: dict[str, Entity]
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


def _check_entities(folder: Folder, findings: Findings) -> dict[str, Entity]:
    naming = folder.manifest["naming"]
    column = _COLUMNS.index(naming) if naming in _COLUMNS else 0
    entities: dict[str, Entity] = {}
    seen: list[dict[str, int]] = [{}, {}, {}]
    width = 0
    for number, row in folder.fields(ENTITIES, 3):
        if number == 1:  # the header
            continue
        for names, name, what in zip(seen, row, _COLUMNS, strict=True):
            if name in names:
                found = f"{what} {shown(name)} of line {names[name]}"
                findings.add(ENTITIES, number, "namings unique", found, "each name once")
            names[name] = number
        private = row[0]
        form = _PRIVATE.fullmatch(private)
        width = width or len(private)
        if not form or len(private) != width:
            expected = f"e and {width - 1} digits, as in the first row"
            findings.add(ENTITIES, number, "private id", shown(private), expected)
        numeric = str(int(form[1])) if form else private
        name = numeric if naming == "numeric" else row[column]
        entities[name] = Entity(number, (private, row[1], row[2], numeric))
    findings.count("entities", len(entities))
    return entities


def _check_relations(
    folder: Folder, findings: Findings
) -> tuple[dict[str, dict[str, str]], dict[str, int]]:
    relations: dict[str, dict[str, str]] = {}
    lines: dict[str, int] = {}
    header = next((line for _, line in folder.lines(RELATIONS)), "").split("\t")
    columns = [*_RELATION_COLUMNS, *[_ASK] * (_ASK in header)]
    empty = _MAY_BE_EMPTY + (_ASK in header)
    for number, row in folder.fields(RELATIONS, len(columns), labels=False, empty=empty):
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
