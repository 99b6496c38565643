"""The tables that only some kinds of releases have: types and the sheet for the human check, and seed texts.

Of all kinds but ``rules``, checks that ``types.tsv`` has known entities, and each pair once; and that a row
of ``sheet.tsv`` is what its question says, with empty verdicts. How types were found, and which questions
are drawn for the sheet, building again proves. Of the kind ``variants``, checks that ``seed_texts.jsonl`` has
each id once, with known entities, the seed text of every question with the same entities, and the split of
its questions.
"""

from collections import Counter

from rulemine.verify.contents import Located
from rulemine.verify.folder import SEED_TEXTS, SHEET, TYPES, Folder
from rulemine.verify.names import Names
from rulemine.verify.report import Findings, shown
from rulemine.verify.shapes import SEED_TEXT

__all__ = ["check_seed_texts", "check_sheet", "check_types"]

_TYPE_COLUMNS = ["entity", "type"]
_SHEET_COLUMNS = [
    "id", "structure", "question", "query", "triples", "answers", "fluency", "consistency", "comment",
]  # fmt: skip
_VERDICTS = 3
_MAY_BE_EMPTY = 5
_MOST_DRAWN = 10


def check_types(
    folder: Folder, names: Names | None, findings: Findings
) -> dict[str, frozenset[str]]:
    """Reads the types of entities; none if there is no such file."""
    types: dict[str, set[str]] = {}
    for number, row in folder.fields(TYPES, 2) if folder.has(TYPES) else ():
        entity, kind = row
        if number == 1:
            if row != _TYPE_COLUMNS:
                findings.add(TYPES, 1, "header", shown(row), shown(_TYPE_COLUMNS))
            continue
        if names is not None and entity not in names.entities:
            findings.add(TYPES, number, "names", shown(entity), "an entity of entities.tsv")
        if kind in types.setdefault(entity, set()):
            findings.add(TYPES, number, "types unique", shown(row), "each pair once")
        types[entity].add(kind)
    if types:
        findings.count("types of entities", sum(map(len, types.values())))
    return {entity: frozenset(kinds) for entity, kinds in types.items()}


def check_sheet(folder: Folder, questions: list[Located], findings: Findings) -> None:
    """Checks the rows of the sheet against their questions."""
    known = {here.row["id"]: here.row for here in questions}
    drawn: Counter[str] = Counter()
    columns = len(_SHEET_COLUMNS)
    rows = folder.fields(SHEET, columns, labels=False, empty=_MAY_BE_EMPTY)
    for number, row in rows if folder.has(SHEET) else ():
        expected = _SHEET_COLUMNS
        if number > 1 and (question := known.get(row[0])) is not None:
            triples = "; ".join(f"({', '.join(t)})" for t in question["full_evidence"])
            answers = " | ".join(question["answers"])
            said = (question[key] for key in _SHEET_COLUMNS[:4])
            expected = [*said, triples, answers, *[""] * _VERDICTS]
            drawn[question["structure"]] += 1
        if row != expected:
            what = "the columns" if number == 1 else "a question, as it stands in its file"
            findings.add(SHEET, number, "sheet", shown(row), f"{what}: {shown(expected)}")
    for structure in {row["structure"] for row in known.values()} if folder.has(SHEET) else ():
        wanted = min(_MOST_DRAWN, sum(row["structure"] == structure for row in known.values()))
        if drawn[structure] != wanted:
            found = f"{drawn[structure]} questions of {structure}"
            findings.add(SHEET, None, "sheet", found, f"{wanted}")


def check_seed_texts(
    folder: Folder, names: Names, questions: list[Located], findings: Findings
) -> None:
    """Checks the seed texts against the questions."""
    if not folder.has(SEED_TEXTS):
        return
    fresh = bool(folder.option("variants", "run"))
    asked: dict[str, list[Located]] = {}
    for here in questions:
        asked.setdefault(here.row["variants"]["seed_text"], []).append(here)
    seen: set[str] = set()
    for number, row in folder.records(SEED_TEXTS, SEED_TEXT):
        key, entities = row["id"], row["entities"]
        if key in seen:
            findings.add(SEED_TEXTS, number, "seed texts", shown(key), "each id once")
        seen.add(key)
        if unknown := [name for name in entities if name not in names.entities]:
            findings.add(SEED_TEXTS, number, "names", shown(unknown), "entities of entities.tsv")
        if entities != sorted(set(entities)):
            findings.add(SEED_TEXTS, number, "seed texts", shown(entities), "sorted, each once")
        of_it = asked.get(key, ())
        for here in of_it:
            if here.row["variants"]["seeds"] != entities:
                found = shown(here.row["variants"]["seeds"])
                findings.add(here.file, here.line, "seed texts", found, shown(entities))
        splits = {"test"} if fresh else {here.row["split"] for here in of_it} or {""}
        if splits != {row["split"]}:
            expected = f"that of its questions: {' and '.join(sorted(splits)) or 'none'}"
            findings.add(SEED_TEXTS, number, "seed texts", shown(row["split"]), expected)
    for key in sorted(asked.keys() - seen):
        here = asked[key][0]
        findings.add(here.file, here.line, "seed texts", shown(key), f"an id of {SEED_TEXTS}")
    findings.count("seed texts", len(seen))
