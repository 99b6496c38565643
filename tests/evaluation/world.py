"""Releases made by hand, for tests: five people, two rules, four questions about links and six structures."""

import itertools
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
from rulemine.query.sparql import to_sparql
from rulemine.query.structures import structure_of
from rulemine.query.tree import Anchor, Intersection, Projection, Query, Union
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
    RuleBlock,
    RuleQuestion,
    StructureBlock,
    StructureQuestion,
    Unseen,
    rule_questions,
)
from rulemine.rules.formats import parse_readable, rule_to_json
from rulemine.rules.rule import Rule
from tests.questions import what_is_asked

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
    further: Sequence[str] = (),
    kind: str = "composition",
    subtype: str = "composition",
    level: int = 100,
    core: bool = False,
    unseen: Sequence[str] = (),
    split: str = "test",
) -> RuleQuestion:
    """A question; its first hard answer is the one asked for, without any every answer is stated."""

    def triple(answer: str) -> Triple:
        return (topic, relation, answer) if direction == "object" else (answer, relation, topic)

    asked_for = hard[0] if hard else None
    removed = triple(asked_for or answers[0])
    return RuleQuestion(
        id=f"q{number:05d}",
        kind="rules",
        question=f"Who? ({topic})",
        **what_is_asked(topic, relation, direction),
        answers=tuple(answers),
        stated=tuple(a for a in answers if a not in {*hard, *further}),
        hard=tuple(HardAnswer(a, 1, level, (triple(a),), core) for a in sorted(hard)),
        further=tuple(further),
        hard_answer=asked_for,
        core=core,
        evidence=(removed,),
        full_evidence=tuple(sorted(triple(a) for a in answers if a not in further)),
        spurious=(),
        value=None,
        stated_value=None,
        split=split,
        unseen=Unseen(*(name in unseen for name in ("rule", "relation", "answer"))),
        wording="template",
        paraphrases=(),
        patterns=(),
        rules=RuleBlock(removed, relation, direction, RULES[0].id, kind, subtype),
    )


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
    questions: Iterable[RuleQuestion], difficulty: Mapping[str, Mapping[str, Any]] = DIFFICULTY
) -> list[Removal]:
    """The removed triples of questions."""
    found: dict[Triple, Removal] = {}
    for q in questions:
        if q.hard_answer is not None:
            changed = replace(USUAL, **difficulty.get(q.id, {}))
            if q.rules.removed not in found or changed != USUAL:
                certificate = Certificate(q.rules.rule, ((ANN, "wife", BOB),))
                found[q.rules.removed] = Removal(
                    q.rules.removed,
                    q.level,
                    (q.rules.direction,),
                    certificate,
                    None,
                    changed,
                    q.core,
                )
    return list(found.values())


PROVED = {
    (BOB, "husband", ANN): (30, ((ANN, "wife", BOB),)),
    (ANN, "mother", EVE): (80, ((ANN, "wife", BOB), (BOB, "father", EVE))),
}
"""The removed triples that the rules prove: level and certificate."""

PROVED_REMOVALS = [
    Removal(triple, level, ("object",), Certificate(rule.id, body), None, USUAL, False)
    for (triple, (level, body)), rule in zip(PROVED.items(), RULES, strict=True)
]

COMPLETE = [*INCOMPLETE, *PROVED]


def derivations(query: Query) -> dict[str, list[tuple[Triple, ...]]]:
    """Every answer on the complete graph with all its derivations, by trying all triples."""
    found: dict[str, list[tuple[Triple, ...]]] = {}
    if isinstance(query, Anchor):
        return {query.entity: [()]}
    if isinstance(query, Projection):
        below = derivations(query.of)
        for s, r, o in COMPLETE:
            here, there = (o, s) if query.inverse else (s, o)
            if r == query.relation:
                some = [(*before, (s, r, o)) for before in below.get(here, [])]
                found.setdefault(there, []).extend(some)
        return {answer: some for answer, some in found.items() if some}
    assert isinstance(query, Intersection | Union)
    parts = [derivations(part) for part in query.parts]
    if isinstance(query, Intersection):
        return {
            answer: [sum(some, ()) for some in itertools.product(*(p[answer] for p in parts))]
            for answer in set.intersection(*map(set, parts))
        }
    return {a: [d for p in parts for d in p.get(a, [])] for a in set().union(*parts)}


def structure_question(
    number: int, line: str, split: str = "test", core: bool = False
) -> StructureQuestion:
    """A question over the complete graph of these triples; the hard answer misses the fewest links."""
    query = parse(line)
    proofs = derivations(query)
    answers = tuple(sorted(proofs))

    def missing(proof: tuple[Triple, ...]) -> int:
        return sum(triple in PROVED for triple in proof)

    gold = {answer: min(some, key=missing) for answer, some in proofs.items()}
    hard = tuple(
        HardAnswer(
            answer,
            missing(gold[answer]),
            max(min(PROVED[t][0] for t in proof if t in PROVED) for proof in proofs[answer]),
            gold[answer],
            core,
        )
        for answer in answers
        if missing(gold[answer])
    )
    asked_for = min(hard, key=lambda row: row.missing).answer if hard else None
    evidence = gold[asked_for or answers[0]]
    removed = tuple(triple for triple in dict.fromkeys(evidence) if triple in PROVED)
    every = {triple for some in proofs.values() for proof in some for triple in proof}
    form = structure_of(query)
    return StructureQuestion(
        id=f"q{number:05d}",
        kind="structures",
        question=f"Who? ({', '.join(form.anchors)})",
        anchors=form.anchors,
        query=query.text,
        sparql=to_sparql(query),
        structure=form.name,
        shape=form.shape,
        hops=form.hops,
        answers=answers,
        stated=tuple(answer for answer in answers if not missing(gold[answer])),
        hard=hard,
        further=(),
        hard_answer=asked_for,
        core=core,
        evidence=evidence,
        full_evidence=tuple(sorted(every)),
        spurious=(),
        value=None,
        stated_value=None,
        split=split,
        unseen=Unseen(False, False, False),
        wording="template",
        paraphrases=(),
        patterns=(),
        structures=StructureBlock(
            tuple(sorted({r for _, r, _ in every})), (), (), removed,
            tuple(sorted(RULES[list(PROVED).index(t)].id for t in removed)),
        ),
    )  # fmt: skip


STRUCTURES = [
    structure_question(1, f'(p "husband" "{BOB}")'),
    structure_question(2, f'(p "mother" (p "husband" "{BOB}"))'),
    structure_question(3, f'(and (p "father" "{BOB}") (p "mother" "{ANN}"))', core=True),
    structure_question(4, f'(or (p "brother" "{CID}") (p "mother" "{ANN}"))'),
    structure_question(5, f'(p "brother" (and (p "father" "{BOB}") (p "mother" "{ANN}")))'),
    structure_question(6, f'(p "aunt" "{DORA}")', split="train"),
]
"""Questions of several structures. The hard answers: Ann (1p), Cid (2p), Eve (2i), none (2u, ip, 1p)."""


def write_structures(folder: Path, questions: Iterable[Question] = STRUCTURES) -> Release:
    """Writes a release of such questions, with three levels."""
    return write_release(
        folder,
        questions,
        removed=list(PROVED),
        removals=PROVED_REMOVALS,
        levels=[25, 60, 100],
    )


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
    texts = {
        "kg/incomplete.tsv.gz": KnowledgeGraph.from_triples(incomplete).to_tsv(),
        "kg/complete.tsv.gz": KnowledgeGraph.from_triples([*incomplete, *removed]).to_tsv(),
        "removed.jsonl": _lines(
            to_json(r)
            for r in (removals_of(rule_questions(asked)) if removals is None else removals)
        ),
        "relations.tsv": "".join("\t".join(row) + "\n" for row in (header, *rows)),
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
        "levels": list(levels),
        "config": {},
        "kg": {},
        "counts": {},
        "files": files,
    }
    write_bytes(folder / "manifest.json", json.dumps(manifest).encode())
    return Release.open(folder)


def _lines(rows: Iterable[object]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
