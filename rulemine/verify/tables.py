"""The tables that only some kinds of releases have: types of entities, and seed texts.

Of all kinds but ``rules``, checks that ``types.tsv`` has known entities; how types were found, building again
proves. Of the kind ``variants``, checks that ``seed_texts.jsonl`` has each id once, with known entities, the
seed text of every question with the same entities, and the split of its questions.
"""

from rulemine.verify.contents import Located
from rulemine.verify.folder import SEED_TEXTS, TYPES, Folder
from rulemine.verify.names import Names
from rulemine.verify.report import Findings, shown
from rulemine.verify.shapes import SEED_TEXT

__all__ = ["check_seed_texts", "check_types"]


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
