"""A release made by hand, for tests: five people, two rules, four questions; others are written likewise."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rulemine.codec import to_json
from rulemine.files import digest_of, write_bytes
from rulemine.kg.entity_names import EntityNames
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.phrasing.templates import load_templates
from rulemine.query.links import expanded
from rulemine.query.parser import parse
from rulemine.release.reader import Release
from rulemine.release.records import (
    FORMAT_VERSION,
    SPLITS,
    Certificate,
    Difficulty,
    HardAnswer,
    PerDirection,
    Question,
    Removal,
    Unseen,
)
from rulemine.rules.formats import parse_readable, rule_to_json
from rulemine.rules.rule import Rule
from tests import questions, structures

NAMES = tuple(
    EntityNames(f"e{at:05d}", str(11 + at), text)
    for at, text in enumerate(("Ann", "Bob", "Cid", "Dora, Countess of X", "Eve"))
)
ANN, BOB, CID, DORA, EVE = (row.private for row in NAMES)

INCOMPLETE = [
    (ANN, "wife", BOB), (ANN, "mother", CID), (BOB, "father", CID), (BOB, "father", EVE),
    (CID, "brother", EVE), (DORA, "aunt", EVE), (DORA, "aunt", DORA),
]  # fmt: skip
REMOVED = [(BOB, "husband", ANN), (BOB, "father", DORA), (ANN, "mother", EVE)]
RULES = [
    parse_readable("wife(y,x) ⇒ husband(x,y)"),
    parse_readable("wife(x,z) ∧ father(z,y) ⇒ mother(x,y)"),
]


def question(
    number: int,
    topic: str = ANN,
    relation: str = "mother",
    direction: str = "object",
    answers: Sequence[str] = (CID, EVE),
    hard: Sequence[str] = (EVE,),
    *,
    further: Sequence[str] = (),
    kind: str = "composition",
    subtype: str = "composition",
    level: int = 100,
    core: bool = False,
    unseen: Sequence[str] = (),
    split: str = "test",
) -> Question:
    """A question; its first hard answer is the one asked for, without any every answer is stated."""

    def triple(answer: str) -> Triple:
        return (topic, relation, answer) if direction == "object" else (answer, relation, topic)

    asked_for = hard[0] if hard else None
    of = {
        "rule": RULES[0].id,
        "rule_type": kind,
        "rule_subtype": subtype,
        "split": split,
        "core": core,
    }
    plain = questions.question(number, triple(asked_for or answers[0]), direction, **of)
    return replace(
        plain, question=f"Who? ({topic})", answers=tuple(answers), further=tuple(further),
        stated=tuple(a for a in answers if a not in {*hard, *further}), hard_answer=asked_for,
        hard=tuple(HardAnswer(a, 1, level, (triple(a),), core) for a in sorted(hard)),
        full_evidence=tuple(sorted(triple(a) for a in answers if a not in further)),
        unseen=Unseen(*(name in unseen for name in ("rule", "relation", "answer"))),
    )  # fmt: skip


QUESTIONS = [
    question(1, core=True),
    question(2, BOB, "husband", "object", [ANN], [ANN], kind="inversion", subtype="inversion"),
    question(3, EVE, "mother", "subject", [ANN], [ANN], kind="other", subtype="common subject",
             unseen=["rule", "answer"]),
    question(4, BOB, "father", "object", [CID, DORA, EVE], [DORA], split="train"),
]  # fmt: skip

DIFFICULTY = {"q00002": {"inverse_edge": ("wife",)}, "q00003": {"proofs": 4}}
"""Question → what is not as usual about its removed triple; the first and the third share theirs."""


USUAL = Difficulty(1, 1, (), (), 1.0, 1.0, 1.0, PerDirection(0.01, 0.01), PerDirection(100, 100))


def removals_of(
    questions: Iterable[Question], difficulty: Mapping[str, Mapping[str, Any]] = DIFFICULTY
) -> list[Removal]:
    """The removed triples of questions."""
    found: dict[Triple, Removal] = {}
    for q in (q for q in questions if q.hard_answer is not None):
        changed, triple = replace(USUAL, **difficulty.get(q.id, {})), q.removed[0]
        if triple not in found or changed != USUAL:
            proof = Certificate(q.rules[0], triple, ((ANN, "wife", BOB),))
            ends = (q.block.direction,)
            found[triple] = Removal(triple, q.level, ends, proof, None, changed, q.core)
    return list(found.values())


def write_release(
    folder: Path,
    questions: Iterable[Question] = QUESTIONS,
    *,
    incomplete: Sequence[Triple] = INCOMPLETE,
    removed: Sequence[Triple] = REMOVED,
    rules: Sequence[Rule] = RULES,
    names: Sequence[EntityNames] = NAMES,
    naming: str = "private",
    removals: Sequence[Removal] | None = None,
    declarations: Declarations | None = None,
    levels: Sequence[int] = (100,),
) -> Release:
    """Writes the files that evaluation reads, and opens them; queries ask for all statements of a fact."""
    declared = declarations or Declarations()
    asked = [replace(q, query=expanded(parse(q.query), declared).text) for q in questions]
    of_questions = {relation for q in asked for relation in q.relations}
    relations = sorted({r for _, r, _ in [*incomplete, *removed]} | of_questions)
    templates = replace(load_templates("", relations), declarations=declared)
    header, *rows = [list(templates.to_plain()[0]), *(r.values() for r in templates.to_plain())]
    rows_removed = (
        removals_of(q for q in asked if q.kind == "rules") if removals is None else removals
    )
    texts = {
        "kg/incomplete.tsv.gz": KnowledgeGraph.from_triples(incomplete).to_tsv(),
        "kg/complete.tsv.gz": KnowledgeGraph.from_triples([*incomplete, *removed]).to_tsv(),
        "removed.jsonl": _lines(to_json(r) for r in rows_removed),
        "relations.tsv": "".join("\t".join(row) + "\n" for row in (header, *rows)),
        "rules.jsonl": _lines(rule_to_json(rule) for rule in rules),
        "entities.tsv": "private\tentity\ttext\n"
        + "".join(f"{n.private}\t{n.entity}\t{n.text}\n" for n in names),
        "aliases.tsv": "entity\talias\n"
        + "".join(f"{n.entity}\t{alias}\n" for n in names for alias in n.aliases),
    }
    for level in levels[:-1]:
        stated = [*incomplete, *(r.triple for r in rows_removed if r.level > level)]
        texts[f"kg/incomplete-{level}.tsv.gz"] = KnowledgeGraph.from_triples(stated).to_tsv()
    for split in SPLITS:
        texts[f"questions/{split}.jsonl"] = _lines(to_json(q) for q in asked if q.split == split)
    kind = asked[0].kind if asked else "rules"
    files = {}
    for name, text in texts.items():
        write_bytes(folder / name, text.encode())
        files[name] = {"bytes": len(text.encode()), "sha256": digest_of(text.encode())}
    manifest = {
        "format": "rulemine release", "format_version": FORMAT_VERSION, "name": "small", "naming": naming,
        "levels": list(levels), "config": {"kind": kind, kind: {}}, "kg": {},
        "counts": {"rules_by_type": None}, "files": files,
    }  # fmt: skip
    write_bytes(folder / "manifest.json", json.dumps(manifest).encode())
    return Release.open(folder)


def write_structures(folder: Path, questions: Iterable[Question] | None = None) -> Release:
    """Writes the world of the nine structures, with its questions or others, at two levels."""
    gone, parts = [row.triple for row in structures.REMOVALS], structures.world()
    stated = [triple for triple in structures.WORLD if triple not in gone]
    return write_release(
        folder, parts.questions if questions is None else questions, incomplete=stated, removed=gone,
        rules=structures.RULES, names=parts.names, naming=parts.naming, removals=structures.REMOVALS,
        declarations=structures.DECLARED, levels=parts.levels,
    )  # fmt: skip


def _lines(rows: Iterable[object]) -> str:
    plain = {"ensure_ascii": False, "separators": (",", ":")}
    return "".join(json.dumps(row, **plain) + "\n" for row in rows)
