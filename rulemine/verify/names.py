"""The tables of names: three namings of every entity, and the relations.

Checks that ``entities.tsv`` has unique columns, is sorted by private id, and that private ids have one
fixed width; that ``relations.tsv`` names each relation once; and that everything the graphs and the
rules name stands in these tables.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from rulemine.verify.folder import Folder
from rulemine.verify.report import Findings, shown

__all__ = ["Names", "check_names"]

ENTITIES = "entities.tsv"
RELATIONS = "relations.tsv"
_COLUMNS = ["private", "entity", "text"]
_PRIVATE = re.compile(r"e(\d+)")


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a release.

    Attributes:
        source: Entity in the naming of the release → its label in the source.
        relations: The relations.
    """

    source: dict[str, str]
    relations: frozenset[str]

    def unknown(self, entities: Iterable[str], relations: Iterable[str]) -> list[str]:
        """Those of the given names that stand in no table, sorted."""
        lost = {e for e in entities if e not in self.source}
        return sorted(lost | {r for r in relations if r not in self.relations})


def check_names(folder: Folder, findings: Findings) -> Names | None:
    """Checks both tables.

    Returns:
        The names, or None when a table is missing.
    """
    if not (folder.has(ENTITIES) and folder.has(RELATIONS)):
        findings.skip("names (needs entities.tsv and relations.tsv)")
        return None
    return Names(_check_entities(folder, findings), _check_relations(folder, findings))


def _check_entities(folder: Folder, findings: Findings) -> dict[str, str]:
    naming = folder.manifest["naming"]
    column = _COLUMNS.index(naming) if naming in _COLUMNS else 0
    source: dict[str, str] = {}
    seen: list[dict[str, int]] = [{}, {}, {}]
    width, last = 0, ""
    for number, row in folder.fields(ENTITIES, 3):
        if number == 1:
            if row != _COLUMNS:
                findings.add(ENTITIES, 1, "header", shown(row), shown(_COLUMNS))
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
        if private <= last:
            findings.add(
                ENTITIES, number, "sorted", f"{shown(private)} after {shown(last)}", "order"
            )
        last = private
        name = row[column]
        if naming == "paper" and form:
            name = str(int(form[1]))
        source[name] = row[1]
    findings.count("entities", len(source))
    return source


def _check_relations(folder: Folder, findings: Findings) -> frozenset[str]:
    relations: dict[str, int] = {}
    columns: list[str] = []
    for number, line in folder.lines(RELATIONS):
        row = line.split("\t")
        if number == 1:
            columns = row
            if row[0] != "relation" or len(set(row)) != len(row):
                findings.add(RELATIONS, 1, "header", shown(row), "relation first, each column once")
            continue
        if len(row) != len(columns) or not row[0]:
            expected = f"{len(columns)} fields, the first one not empty"
            findings.add(RELATIONS, number, "record", shown(line), expected)
            continue
        if row[0] in relations:
            found = f"{shown(row[0])} of line {relations[row[0]]}"
            findings.add(RELATIONS, number, "relations unique", found, "each relation once")
        relations[row[0]] = number
    findings.count("relations", len(relations))
    return frozenset(relations)
