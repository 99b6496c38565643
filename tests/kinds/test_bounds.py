from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.bounds import NEAR_DUPLICATE, Bounds, near, of_proofs
from rulemine.kinds.split import within_bounds
from rulemine.release.proof_triples import RemovedFacts
from rulemine.release.question_set import QuestionSet
from rulemine.rules.rule import Atom, Rule
from tests import some_seeds
from tests.questions import question

RULES = [Rule(Atom(0, "r", 1), (Atom(0, f"b{i}", 2), Atom(2, f"c{i % 3}", 1))) for i in range(100)]


def left(questions, relations=50, note=str):
    removed = {triple for q in questions for row in q.hard for triple in row.witness}
    more = {(f"m{i}", f"m{i}", "m") for i in range(relations - 1)}
    kg = KnowledgeGraph.from_triples(removed | more)
    asked = QuestionSet(tuple(questions), (), (), 0)
    facts = RemovedFacts(removed)
    return within_bounds(
        asked, lambda core: Bounds(of_proofs(kg, RULES, facts, core)), 0, lambda kept: kept, note
    )


def ask(number, ends, rule=0, **more):
    return question(number, (ends[0], "r", ends[1]), rule=RULES[rule].id, **more)


@pytest.mark.parametrize("seed", some_seeds(20))
def test_no_rule_and_no_relation_carries_the_core_of_test(seed):
    draws = np.random.default_rng(seed)
    questions = [
        ask(
            i, (f"s{i}", f"o{i}"), int(min(99, draws.exponential(30))), core=i % 4 > 0, split="test"
        )
        for i in range(draws.integers(300, 700))
    ]
    for relations in (49, 50):
        made = left(questions, relations)
        core = [q for q in made.questions if q.core]
        times = Counter(q.rules[0] for q in core)
        assert max(times.values()) <= max(5, len(core) // 50)
        bodies = Counter(f"c{[r.id for r in RULES].index(q.rules[0]) % 3}" for q in core)
        assert relations < 50 or max(bodies.values()) <= max(1, 0.3 * len(core))
        assert [q for q in made.questions if not q.core] == [q for q in questions if not q.core]
        assert len(made.questions) + len(made.rejections) == len(questions)
        assert left(questions[::-1], relations).questions[::-1] == made.questions


def test_two_entities_are_asked_for_from_one_end_but_in_training():
    one, other = ("a", "b"), {"direction": "subject", "further_hard": ["z"]}
    for split in ("test", "validation", "train"):
        questions = [
            ask(0, one, split=split), ask(1, one, 1, **other, split=split, core=True),
            ask(2, ("a", "c"), split=split), ask(3, ("y", "a"), split=split, direction="subject"),
        ]  # fmt: skip
        kept = {q.id for q in left(questions).questions}
        assert kept == {f"q0000{i}" for i in ((0, 1, 2, 3) if split == "train" else (1, 2, 3))}
    apart = [ask(0, one, split="test"), ask(1, one, 1, **other, split="validation")]
    assert len(left(apart).questions) == 2
    left([*apart, ask(2, one, split="validation")], note=(said := []).append)
    assert said == [
        "split: 1 question left out: another question asks for the same fact from its other end"
    ]


def test_of_questions_with_the_same_answers_and_two_constants_in_common_one_is_asked():
    bounds = Bounds(lambda q, _split: near(q, q.anchors))
    one = replace(question(1, ("a", "r", "x")), anchors=("a", "b"), answers=("x", "y"))
    bounds.add("test", one)
    for anchors, answers, why in (
        (("b", "a"), ("x", "y"), NEAR_DUPLICATE),
        (("a", "b", "c"), ("y", "x"), NEAR_DUPLICATE),
        (("a", "c"), ("x", "y"), None),
        (("a", "b"), ("x", "z"), None),
    ):
        other = replace(one, anchors=anchors, answers=answers)
        assert bounds.objection("train", other) == why
