import itertools
import random
from dataclasses import replace

import numpy as np
import pytest

from rulemine.evaluation.answerers.model_free.links import (
    THRESHOLDS,
    LikelyLinks,
    MinedRules,
    best_threshold,
    ends_of,
    f1_scores,
)
from rulemine.evaluation.answerers.protocol import Context, OpenQuestion
from rulemine.kg.graph import KnowledgeGraph
from rulemine.query.batch import Batch
from rulemine.rules.formats import parse_readable
from rulemine.rules.rule import Measures
from tests import each, some_seeds
from tests.evaluation.world import question
from tests.small_graphs import small_graph


def rule(text, support, pca_body_size):
    measures = Measures(support, pca_body_size, pca_body_size, support, 0)
    return replace(parse_readable(text), measures=measures)


RULES = (
    rule("p(x,y) ⇒ r(x,y)", 1, 2), rule("q(x,y) ⇒ r(x,y)", 1, 2), rule("s(x,y) ⇒ r(x,y)", 1, 4),
    rule("p(z,x) ∧ q(z,y) ⇒ r(x,y)", 3, 4),
)  # fmt: skip


def ends(kg, rules, aggregation, query, unseen=0):
    model = LikelyLinks(kg, rules, aggregation, unseen).ends
    ((_, ids, truth),) = ends_of([query], kg, model)
    return {kg.entities[i]: t for i, t in zip(ids.tolist(), truth.tolist(), strict=True)}


def test_likelihoods_by_hand():
    kg = KnowledgeGraph.from_triples(
        [("a", "p", "b"), ("a", "q", "b"), ("a", "s", "b"), ("a", "s", "c"), ("a", "q", "d"), ("a", "p", "a"),
         ("a", "r", "e")]
    )  # fmt: skip
    # b: p, q, s, and from a to b by p(a,a) ∧ q(a,b); d: q and likewise; a itself is nobody's r.
    expected = {"b": 1 - 0.5 * 0.5 * 0.75 * 0.25, "c": 0.25, "d": 1 - 0.5 * 0.25, "e": 1}
    assert ends(kg, RULES, "noisy-or", '(p "r" "a")') == pytest.approx(expected, abs=1e-11)
    found = ends(kg, RULES, "max-plus", '(p "r" "a")')
    # 0.75, 0.5, 0.5, 0.25 before 0.75, 0.5.
    assert found == pytest.approx({"b": 0.75, "c": 0.25, "d": 0.75, "e": 1}, abs=1e-8)
    assert found["b"] > found["d"]
    assert ends(kg, RULES, "noisy-or", '(p- "r" "c")') == pytest.approx({"a": 0.25})
    assert ends(kg, RULES, "noisy-or", '(p- "r" "c")', unseen=4) == pytest.approx({"a": 1 / 8})
    with_loop = KnowledgeGraph.from_triples([*kg.labeled(), ("c", "r", "c")])
    assert ends(with_loop, RULES, "noisy-or", '(p "r" "a")')["a"] == pytest.approx(0.5)


def test_what_many_certain_rules_derive_is_not_stated():
    kg = KnowledgeGraph.from_triples([("a", f"r{i}", "b") for i in range(30)])
    rules = [rule(f"r{i}(x,y) ⇒ r0(y,x)", 5, 5) for i in range(30)]
    for aggregation in ("noisy-or", "max-plus"):
        assert 0.999 < ends(kg, rules, aggregation, '(p "r0" "b")')["a"] < 1


QUERIES = (
    '(p- "r" (p "p" "b"))', '(and (p "r" "a") (p- "r" (p "r" "c")))',
    '(p "p" (or (p "r" "a") (p "q" "d")))', '(minus (p "r" "a") (p- "r" "b"))',
    '(p "r" (and (p "p" "a") (p "r" "b")))', '(p "nothing" (p "r" "a"))', '(p "r" (p "r" "nobody"))',
)  # fmt: skip


@each("seed", some_seeds(12))
def test_several_links_are_answered_on_the_graph_with_all_likely_links(seed, monkeypatch):
    monkeypatch.setattr(MinedRules, "_mined", lambda self, given: RULES)
    kg = small_graph(random.Random(seed), 12, 24, 4)
    kg = KnowledgeGraph.from_triples([*kg.labeled(), ("a", "s", "b")])
    likely = set(kg.labeled())
    for name in kg.entities:
        found = ends(kg, RULES, "noisy-or", f'(p "r" "{name}")', unseen=1)
        likely |= {(name, "r", end) for end, truth in found.items() if truth >= 0.5}
    batch = Batch(QUERIES)
    over = batch.over(KnowledgeGraph.from_triples(likely))
    wanted = [{over.entities[i] for i in some} for some in batch.answers(over)]
    asked = [OpenQuestion(f"q{i}", "", ("a",), query) for i, query in enumerate(QUERIES)]
    found = MinedRules(unseen=1.0)(Context(kg=kg), asked)
    assert [set(one.answers) for one in found] == wanted
    assert {score for one in found for _, score in one.ranking} <= {0.5}


def test_of_a_union_of_links_the_likeliest_counts():
    triples = [("a", "p", "b"), ("a", "s", "c"), ("b", "q", "a"), ("b", "r", "c")]
    union = '(or (p "r" "a") (p "p" "a") (p- "q" "a"))'
    found = ends(KnowledgeGraph.from_triples(triples), RULES, "noisy-or", union)
    assert found == pytest.approx({"b": 1, "c": 0.25})
    kg = KnowledgeGraph.from_triples(triples[:1])
    (found,) = MinedRules()(Context(kg=kg), [OpenQuestion("q", "", ("a",), '(p "p" "a")')])
    assert (found.answers, found.ranking) == (["b"], [("b", 1.0)]), "without a rule"


COUPLES = [(f"m{i}", f"f{i}") for i in range(9)]
FAMILIES = KnowledgeGraph.from_triples(
    [(m, "wife", f) for m, f in COUPLES]
    + [(f, "husband", m) for m, f in COUPLES[1:]]
    + [(m, "child", f"c{m}") for m, _ in COUPLES[:6]]
    + [(f, "child", f"c{m}") for m, f in COUPLES[:4]]
)
ASKED = [
    OpenQuestion("q1", "", ("f0",), '(p "husband" "f0")'),
    OpenQuestion("q2", "", ("f5",), '(p "child" "f5")'),
    OpenQuestion("q3", "", ("cm5",), '(p- "wife" (p- "child" "cm5"))'),
]


def test_what_is_mined_finds_what_is_missing(tmp_path):
    told = []
    given = Context(kg=FAMILIES, folder=tmp_path, note=told.append)
    found = MinedRules()(given, ASKED)
    assert [f.answers[:1] for f in found] == [["m0"], ["cm5"], ["m5"]]
    assert [f.ranking[0][1] < 1 for f in found] == [True] * 3
    assert "No question about a single link to choose a threshold on" in told[0]
    assert MinedRules(aggregation="max-plus")(given, ASKED)[0].answers == ["m0"]


def test_training_questions_decide_where_there_is_no_validation_question(monkeypatch):
    monkeypatch.setattr(MinedRules, "_mined", lambda self, given: RULES)
    ways = (("p", "b"), ("q", "b"), ("s", "b"), ("s", "c"), ("r", "e"))
    kg = KnowledgeGraph.from_triples([("a", relation, end) for relation, end in ways])
    one = question(1, "a", "r", "object", ["b", "c", "e"], ["b", "c"], split="train")
    few = question(2, "a", "r", "object", ["b", "e"], ["b"], split="validation")

    def answers(*train):
        asked = [OpenQuestion("q3", "", ("a",), '(p "r" "a")')]
        return MinedRules()(Context(kg=kg, train=train), asked)[0].answers

    assert answers(one) == ["e", "b", "c"]
    assert answers(few) == answers(one, replace(one, id="q00009"), few) == ["e", "b"]


HALVES = 2.0 ** -np.arange(5)


def test_threshold_by_hand():
    # From the truest: a right one, a wrong one, a right one, and one below every threshold.
    truth = np.array([1, 0.5, 0.25, 0.125, 1e-9])
    first = f1_scores(truth, np.array([1, 1, 0, 1, 0], bool), 3, HALVES)
    assert first.tolist() == [0, 2 / 3, 1 / 2, 4 / 5, 4 / 5]
    assert best_threshold([first], HALVES) == 0.125
    second = f1_scores(truth, np.array([0, 1, 0, 0, 0], bool), 1, HALVES)
    # Together: 2/3 + 1, 1/2 + 2/3, 4/5 + 1/2.
    assert best_threshold([first, second], HALVES) == 0.5
    nothing_to_infer = f1_scores(np.array([1, 0.5]), np.array([1, 0], bool), 1, HALVES)
    assert best_threshold([nothing_to_infer], HALVES) == 1
    assert best_threshold([first, second, nothing_to_infer], HALVES) == 0.5
    assert best_threshold([], HALVES) == 0.5
    assert all(a > b for a, b in itertools.pairwise(THRESHOLDS))
