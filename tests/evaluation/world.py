"""A release made by hand, for tests: five people, two rules, four questions."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from rulemine.codec import to_json
from rulemine.files import digest_of, write_bytes
from rulemine.kg.entity_names import EntityNames
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.release.reader import Release
from rulemine.release.records import FORMAT_VERSION, SPLITS, Difficulty, Question
from rulemine.rules.formats import parse_readable, rule_to_json
from rulemine.rules.rule import Rule

NAMES = (
    EntityNames("e00000", "11", "Ann"),
    EntityNames("e00001", "12", "Bob"),
    EntityNames("e00002", "13", "Cid"),
    EntityNames("e00003", "14", "Dora, Countess of X"),
    EntityNames("e00004", "15", "Eve"),
)
ANN, BOB, CID, DORA, EVE = (row.private for row in NAMES)

INCOMPLETE = [
    (ANN, "wife", BOB),
    (ANN, "mother", CID),
    (BOB, "father", CID),
    (BOB, "father", EVE),
    (CID, "brother", EVE),
    (DORA, "aunt", EVE),
    (DORA, "aunt", DORA),
]
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
    kind: str = "composition",
    subtype: str = "composition",
    proofs: int = 1,
    reverse: Sequence[str] = (),
    level: int = 100,
    split: str = "test",
) -> Question:
    """A question; its first hard answer is the one it was made from."""
    ends = (topic, hard[0]) if direction == "object" else (hard[0], topic)
    return Question(
        id=f"q{number:05d}",
        question=f"Who? ({topic})",
        topic=topic,
        relation=relation,
        direction=direction,
        answers=tuple(answers),
        hard_answer=hard[0],
        hard_answers=tuple(hard),
        removed=(ends[0], relation, ends[1]),
        level=level,
        rule=RULES[0].id,
        rule_type=kind,
        rule_subtype=subtype,
        certificate=((ANN, "wife", BOB),),
        diagnosis=Difficulty(proofs, 1, tuple(reverse), (), 1, 1.0, 1.0, 1.0),
        split=split,
    )


QUESTIONS = [
    question(1),
    question(2, BOB, "husband", "object", [ANN], [ANN], kind="inversion", subtype="inversion",
             reverse=["wife"]),
    question(3, EVE, "mother", "subject", [ANN], [ANN], kind="other", subtype="common subject",
             proofs=4),
    question(4, BOB, "father", "object", [CID, DORA, EVE], [DORA], split="train"),
]  # fmt: skip


def write_release(
    folder: Path,
    questions: Iterable[Question] = QUESTIONS,
    *,
    incomplete: Sequence[Triple] = INCOMPLETE,
    removed: Sequence[Triple] = REMOVED,
    rules: Sequence[Rule] = RULES,
    names: Sequence[EntityNames] = NAMES,
    naming: str = "private",
) -> Release:
    """Writes the files that evaluation reads, and opens them."""
    asked = list(questions)
    texts = {
        "kg/incomplete.tsv.gz": KnowledgeGraph.from_triples(incomplete).to_tsv(),
        "kg/complete.tsv.gz": KnowledgeGraph.from_triples([*incomplete, *removed]).to_tsv(),
        "rules.jsonl": _lines(rule_to_json(rule) for rule in rules),
        "entities.tsv": "private\tentity\ttext\n"
        + "".join(f"{n.private}\t{n.entity}\t{n.text}\n" for n in names),
    }
    for split in SPLITS:
        texts[f"questions/{split}.jsonl"] = _lines(to_json(q) for q in asked if q.split == split)
    files = {}
    for name, text in texts.items():
        write_bytes(folder / name, text.encode())
        files[name] = {"bytes": len(text.encode()), "sha256": digest_of(text.encode())}
    manifest = {
        "format": "rulemine release",
        "format_version": FORMAT_VERSION,
        "name": "small",
        "naming": naming,
        "config": {},
        "kg": {},
        "counts": {},
        "files": files,
    }
    write_bytes(folder / "manifest.json", json.dumps(manifest).encode())
    return Release.open(folder)


def _lines(rows: Iterable[object]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
