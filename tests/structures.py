"""A small world with questions of all nine structures, as the parts of a release made by hand.

What the questions say of themselves is found by brute force over all derivations, none of it by the code
that asks them in a build.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

from rulemine.kg.facts import Declarations
from rulemine.kg.graph import Triple
from rulemine.kinds.structures.options import StructureBlock
from rulemine.phrasing.compose import compose
from rulemine.query.parser import parse
from rulemine.query.sparql import to_sparql
from rulemine.query.structures import structure_of
from rulemine.query.tree import Anchor, Intersection, Projection, Query, Union
from rulemine.release.contents import ReleaseParts
from rulemine.release.records import HardAnswer, Question, Unseen
from tests.release.by_hand import parts_of, removal, rule

CITIZEN = rule("born_in(x,z) ∧ in(z,y) ⇒ citizen_of(x,y)", 4, 5)
WROTE = rule("directed(x,y) ⇒ wrote(x,y)", 3, 4)
MADE = rule("shot_in(x,z) ∧ in(z,y) ⇒ made_in(x,y)", 4, 4)
SPOUSE = rule("lives_with(x,y) ⇒ spouse(x,y)", 1, 1)
RULES = [CITIZEN, MADE, SPOUSE, WROTE]

DECLARED = Declarations.of(symmetric=["spouse"])

_TRIPLES = """
ann directed film1
ann directed film2
bob directed film3
cat directed film4
ann wrote film1
bob wrote film3
cat wrote film4
eve wrote film2
ann won oscar
bob won oscar
eve won oscar
bob won palme
cat won palme
dan won palme
eve won palme
ann born_in paris
bob born_in lyon
dan born_in nice
cat born_in rome
eve born_in rome
paris in france
lyon in france
nice in france
rome in italy
ann citizen_of france
bob citizen_of france
dan citizen_of france
cat citizen_of italy
eve citizen_of italy
film1 shot_in paris
film2 shot_in nice
film3 shot_in rome
film4 shot_in rome
film1 made_in france
film2 made_in france
film3 made_in italy
film4 made_in italy
ann lives_with bob
ann spouse bob
"""

WORLD: list[Triple] = [
    (s, r, o) for s, r, o in (line.split() for line in _TRIPLES.strip().splitlines())
]

REMOVALS = [
    removal(triple, by, body, (0.05, 0.05), directions=("object", "subject"), core=core, level=level)
    for triple, by, body, core, level in (
        (
            ("ann", "citizen_of", "france"),
            CITIZEN, (("ann", "born_in", "paris"), ("paris", "in", "france")), True, 50,
        ),
        (
            ("bob", "citizen_of", "france"),
            CITIZEN, (("bob", "born_in", "lyon"), ("lyon", "in", "france")), True, 100,
        ),
        (("ann", "wrote", "film1"), WROTE, (("ann", "directed", "film1"),), False, 100),
        (("bob", "wrote", "film3"), WROTE, (("bob", "directed", "film3"),), False, 100),
        (
            ("film3", "made_in", "italy"),
            MADE, (("film3", "shot_in", "rome"), ("rome", "in", "italy")), True, 100,
        ),
        (("ann", "spouse", "bob"), SPOUSE, (("ann", "lives_with", "bob"),), False, 100),
    )
]  # fmt: skip

TYPES = {
    **dict.fromkeys(("ann", "bob", "cat", "dan", "eve"), ("person",)),
    **dict.fromkeys(("film1", "film2", "film3", "film4"), ("film", "work")),
    **dict.fromkeys(("oscar", "palme"), ("award",)),
    **dict.fromkeys(("paris", "lyon", "nice", "rome"), ("city",)),
    **dict.fromkeys(("france", "italy"), ("country",)),
}

ASKED = [
    ("train", '(p "citizen_of" "ann")'),
    ("train", '(or (p "spouse" "bob") (p- "spouse" "bob"))'),
    ("validation", '(p "born_in" "cat")'),
    ("validation", '(p "citizen_of" (p- "wrote" "film1"))'),
    ("train", '(p "in" (p "born_in" (p- "wrote" "film4")))'),
    ("train", '(p "made_in" (p "wrote" (or (p "spouse" "ann") (p- "spouse" "ann"))))'),
    ("test", '(and (p- "citizen_of" "france") (p- "won" "oscar"))'),
    ("test", '(and (p- "citizen_of" "france") (p- "won" "oscar") (p- "won" "palme"))'),
    ("test", '(p "born_in" (and (p- "citizen_of" "france") (p- "won" "oscar")))'),
    ("test", '(and (p- "citizen_of" (p "in" "paris")) (p- "won" "palme"))'),
    ("test", '(or (p- "citizen_of" "france") (p- "citizen_of" "italy"))'),
    ("test", '(p "born_in" (or (p- "citizen_of" "france") (p- "citizen_of" "italy")))'),
]
"""Splits and queries; of every structure at least one."""

CONFIG: dict[str, Any] = {
    "name": "world",
    "kind": "structures",
    "naming": "entity",
    "seed": 7,
    "reference": "",
    "selection": {"mode": "maximal", "per_rule": 30, "max_prior": 0.5},
    "questions": {"filter": "", "split": "group", "ratios": [7, 1, 2]},
    "structures": {
        "names": ["1p", "2p", "3p", "2i", "3i", "ip", "pi", "2u", "up"], "per_structure": 10,
        "max_share": 0.2, "max_answers": 20, "max_evidence": 100,
    },
}  # fmt: skip
SOURCE = {
    "title": "A world", "source": "by hand", "license": "CC0", "citation": "nobody", "digest": "d",
    "types": "stated",
}  # fmt: skip
MODEL_COUNTS = {
    "model_calls": {}, "model_tokens": {"prompt": 0, "completion": 0},
    "audits": {"passed": 0, "failed": 0, "unreadable": 0},
}  # fmt: skip


def world(**changes: Any) -> ReleaseParts:
    """The parts of the release, with texts from the names of relations."""
    parts = parts_of(
        WORLD, REMOVALS, RULES, [], DECLARED, config=CONFIG, source=SOURCE, types=TYPES,
        sampling_counts={}, model_counts=MODEL_COUNTS,
    )  # fmt: skip
    questions = []
    for number, (split, text) in enumerate(ASKED):
        question = structure_question(number, text, split)
        questions.append(replace(question, question=compose(parse(text), parts.templates)))
    return replace(parts, **({"questions": tuple(questions)} | changes))


def structure_question(number: int, text: str, split: str = "") -> Question:
    """A question about the world, by its query."""
    query, gone = parse(text), {row.triple: row for row in REMOVALS}
    structure = structure_of(query, DECLARED)
    best: dict[str, list[Triple]] = {}
    everything: set[Triple] = set()
    between: set[str] = set()
    for answer, triples in derivations(query):
        everything.update(triples)
        between.update(end for s, _, o in triples for end in (s, o))
        order = (sum(t in gone for t in triples), triples)
        if answer not in best or order < (sum(t in gone for t in best[answer]), best[answer]):
            best[answer] = triples
    hard = []
    for answer, triples in sorted(best.items()):
        missing = [gone[t] for t in triples if t in gone]
        if missing:
            level = min(row.level for row in missing)
            core = all(row.core for row in missing)
            hard.append(HardAnswer(answer, len(missing), level, tuple(triples), core))
    asked = min(hard, key=lambda row: (not row.core, row.missing, row.answer), default=None)
    evidence = asked.witness if asked else tuple(best[min(best)])
    removed = tuple(dict.fromkeys(t for t in evidence if t in gone))
    return Question(
        id=f"q{number:05d}", kind="structures",
        question=f"What is number {number} of {' and '.join(structure.anchors)}?",
        anchors=structure.anchors, query=query.text, sparql=to_sparql(query), structure=structure.name,
        shape=structure.shape, hops=structure.hops, answers=tuple(sorted(best)),
        stated=tuple(sorted(best.keys() - {row.answer for row in hard})),
        hard=tuple(hard), further=(), hard_answer=asked and asked.answer,
        core=asked is not None and asked.core, evidence=evidence, full_evidence=tuple(sorted(everything)),
        spurious=(), value=None, stated_value=None,
        relations=tuple(sorted({r for _, r, _ in WORLD if f'"{r}"' in text})),
        intermediates=tuple(sorted(between - best.keys() - {*structure.anchors})),
        removed=removed,
        rules=tuple(sorted({gone[t].certificate.rule for t in removed})),
        split=split, unseen=Unseen(rule=False, relation=False, answer=False), wording="template",
        paraphrases=(), patterns=(),
        block=StructureBlock(
            tuple(sorted(set.intersection(*({*TYPES[answer]} for answer in best)))),
        ),
    )  # fmt: skip


def derivations(query: Query) -> Iterator[tuple[str, list[Triple]]]:
    """Every answer with the triples of every derivation, in the order of the query's text."""
    if isinstance(query, Anchor):
        yield query.entity, []
    elif isinstance(query, Projection):
        for entity, triples in derivations(query.of):
            for triple in WORLD:
                start, end = (triple[2], triple[0]) if query.inverse else (triple[0], triple[2])
                if (start, triple[1]) == (entity, query.relation):
                    yield end, [*triples, triple]
    elif isinstance(query, Union):
        for part in query.parts:
            yield from derivations(part)
    elif isinstance(query, Intersection):
        for rows in product(*map(derivations, query.parts)):
            if len({answer for answer, _ in rows}) == 1:
                yield rows[0][0], [triple for _, triples in rows for triple in triples]
