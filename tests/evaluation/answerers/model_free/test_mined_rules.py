import itertools
import random
from dataclasses import replace

import numpy as np
import pytest

from rulemine.errors import ConfigError, InputError
from rulemine.evaluation import answer
from rulemine.evaluation.answerers.model_free import mined_rules
from rulemine.evaluation.answerers.model_free.likely_links import LikelyLinks, Link
from rulemine.evaluation.answerers.model_free.mined_rules import MinedRules
from rulemine.evaluation.answerers.model_free.tree_scores import TreeScores
from rulemine.evaluation.answerers.protocol import Context, OpenQuestion
from rulemine.evaluation.answerers.registry import find_answerer
from rulemine.kg.graph import KnowledgeGraph
from rulemine.query import parse
from rulemine.query.links import parts_of
from rulemine.query.tree import Anchor, Difference, Intersection, Projection
from rulemine.rules.formats import parse_readable
from rulemine.rules.rule import Measures
from tests import some_seeds
from tests.evaluation.world import ANN, CID, EVE, question, write_release
from tests.small_graphs import small_graph

QUIET = {"progress": lambda done, total: None}


def rule(text, support, pca_body_size):
    return replace(
        parse_readable(text), measures=Measures(support, pca_body_size, pca_body_size, support, 0)
    )


RULES = (
    rule("p(x,y) ⇒ r(x,y)", 1, 2),
    rule("q(x,y) ⇒ r(x,y)", 1, 2),
    rule("s(x,y) ⇒ r(x,y)", 1, 4),
    rule("p(z,x) ∧ q(z,y) ⇒ r(x,y)", 3, 4),
)


def ends(kg, rules, aggregation, link, unseen=0):
    links = LikelyLinks(kg, rules, aggregation, unseen)
    at = Link(link[0], link[1], kg.entity_ids[link[2]])
    links.find([at], **QUIET)
    return {kg.entities[i]: t for i, t in zip(*map(np.ndarray.tolist, links.of(at)), strict=True)}


def test_likelihoods_by_hand():
    kg = KnowledgeGraph.from_triples(
        [("a", "p", "b"), ("a", "q", "b"), ("a", "s", "b"), ("a", "s", "c"), ("a", "q", "d"), ("a", "p", "a"),
         ("a", "r", "e")]
    )  # fmt: skip
    # b: p, q, s, and from a to b by p(a,a) ∧ q(a,b); d: q and likewise; a itself is nobody's r.
    expected = {"b": 1 - 0.5 * 0.5 * 0.75 * 0.25, "c": 0.25, "d": 1 - 0.5 * 0.25, "e": 1}
    assert ends(kg, RULES, "noisy-or", ("r", False, "a")) == pytest.approx(expected, abs=1e-11)
    found = ends(kg, RULES, "max-plus", ("r", False, "a"))
    # 0.75, 0.5, 0.5, 0.25 before 0.75, 0.5.
    assert found == pytest.approx({"b": 0.75, "c": 0.25, "d": 0.75, "e": 1}, abs=1e-8)
    assert found["b"] > found["d"]
    assert ends(kg, RULES, "noisy-or", ("r", True, "c")) == pytest.approx({"a": 0.25})
    assert ends(kg, RULES, "noisy-or", ("r", True, "c"), unseen=4) == pytest.approx({"a": 1 / 8})
    with_loop = KnowledgeGraph.from_triples([*kg.labeled(), ("c", "r", "c")])
    assert ends(with_loop, RULES, "noisy-or", ("r", False, "a"))["a"] == pytest.approx(0.5)


@pytest.mark.parametrize("aggregation", ["noisy-or", "max-plus"])
def test_what_many_certain_rules_derive_is_not_stated(aggregation):
    kg = KnowledgeGraph.from_triples([("a", f"r{i}", "b") for i in range(30)])
    rules = [rule(f"r{i}(x,y) ⇒ r0(y,x)", 5, 5) for i in range(30)]
    found = ends(kg, rules, aggregation, ("r0", False, "b"))
    assert 0.999 < found["a"] < 1


def by_hand(kg, links, query):
    """Every entity → its truth, without a beam."""
    if isinstance(query, Anchor):
        return {query.entity: 1.0} if query.entity in kg.entity_ids else {}
    parts = [by_hand(kg, links, part) for part in parts_of(query)]
    if isinstance(query, Projection):
        found = {}
        for entity, truth in parts[0].items():
            link = Link(query.relation, query.inverse, kg.entity_ids[entity])
            links.find([link], **QUIET)
            for i, more in zip(*links.of(link), strict=True):
                name = kg.entities[i]
                found[name] = max(found.get(name, 0), truth * more)
        return found
    if isinstance(query, Intersection):
        return {
            name: np.prod([p[name] for p in parts]) for name in set.intersection(*map(set, parts))
        }
    if isinstance(query, Difference):
        of, minus = parts
        return {name: truth * (1 - minus.get(name, 0)) for name, truth in of.items()}
    return {name: max(p.get(name, 0) for p in parts) for name in set.union(*map(set, parts))}


QUERIES = (
    '(p "r" "a")',
    '(p- "r" (p "p" "b"))',
    '(and (p "r" "a") (p- "r" (p "r" "c")))',
    '(p "p" (or (p "r" "a") (p "q" "d")))',
    '(minus (p "r" "a") (p- "r" "b"))',
    '(p "r" (and (p "p" "a") (p "r" "b")))',
    '(p "nothing" "a")',
    '(p "r" "nobody")',
)


@pytest.mark.parametrize("seed", some_seeds(12))
def test_trees_of_links_by_hand(seed):
    rng = random.Random(seed)
    kg = small_graph(rng, 12, 24, 4)
    kg = KnowledgeGraph.from_triples([*kg.labeled(), ("a", "s", "b")])
    links = LikelyLinks(kg, RULES, "noisy-or", 0)
    trees = TreeScores(kg, links, np.arange(len(kg.entities)), 100)
    for text, found in zip(QUERIES, trees.answers(QUERIES, **QUIET), strict=True):
        named = {kg.entities[i]: truth for i, truth in zip(*found, strict=True)}
        wanted = {n: t for n, t in by_hand(kg, links, parse(text)).items() if t > 0}
        assert named == pytest.approx(wanted), text
        assert (np.diff(found.ids) > 0).all()


def test_beyond_the_beam_only_what_is_stated_counts():
    triples = [("a", "p", f"b{i}") for i in range(5)] + [(f"b{i}", "q", f"c{i}") for i in range(5)]
    kg = KnowledgeGraph.from_triples(triples)
    links = LikelyLinks(kg, [rule("q(x,y) ⇒ p(y,x)", 1, 2)], "noisy-or", 0)
    trees = TreeScores(kg, links, np.arange(len(kg.entities)), 2)
    (found,) = trees.answers(['(p "q" (p "p" "a"))'], **QUIET)
    assert [kg.entities[i] for i in found.ids] == ["c0", "c1", "c2", "c3", "c4"]
    (found,) = trees.answers(['(p "p" (p "q" (p "p" "a")))'], **QUIET)
    named = {kg.entities[i]: t for i, t in zip(*found, strict=True)}
    assert named == pytest.approx({"b0": 0.5, "b1": 0.5})


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


def test_what_is_mined_finds_what_is_missing(tmp_path, monkeypatch):
    told = []
    given = Context(kg=FAMILIES, folder=tmp_path / "work", note=told.append)
    found = MinedRules()(given, ASKED)
    assert [f.answers[:1] for f in found] == [["m0"], ["cm5"], ["m5"]]
    assert [f.ranking[0][1] < 1 for f in found] == [True] * 3
    assert "No question to choose a threshold on" in told[0]
    (kept,) = (tmp_path / "work").iterdir()
    monkeypatch.setattr("rulemine.mining.miner.mine", lambda *_, **__: pytest.fail("mined again"))
    assert MinedRules()(given, ASKED) == found
    assert MinedRules(aggregation="max-plus")(given, ASKED)[0].answers == ["m0"]
    kept.write_bytes(kept.read_bytes()[:-9])
    with pytest.raises(InputError, match="Delete it and run again"):
        MinedRules()(given, ASKED)


def test_answers_are_the_same_in_every_naming():
    names = {name: f"{i * 7 % 31:02d}" for i, name in enumerate(FAMILIES.entities)}
    order = {name: i for i, name in enumerate(FAMILIES.entities)}
    found = MinedRules()(Context(kg=FAMILIES, order=order), ASKED)

    def renamed(text):
        for name, other in names.items():
            text = text.replace(f'"{name}"', f'"{other}"')
        return text

    asked = [q._replace(query=renamed(q.query)) for q in ASKED]
    others = {names[name]: place for name, place in order.items()}
    again = MinedRules()(Context(kg=FAMILIES.renamed(names), order=others), asked)
    for one, other in zip(found, again, strict=True):
        assert [names[name] for name in one.answers] == other.answers
        assert [(names[name], score) for name, score in one.ranking] == other.ranking


def test_the_threshold_is_chosen_on_validation_questions(tmp_path):
    asked = [
        question(1, ANN, "mother", "object", [CID, EVE], [EVE]),
        question(2, ANN, "wife", "object", ["e00001"], ["e00001"], split="validation"),
    ]
    (found,) = answer(write_release(tmp_path / "r", asked), "rules")
    assert found.answers == (
        CID,
    )  # nothing is to be inferred for the other, so nothing is for this
    assert found.ranking[0] == (CID, 1.0)


def test_training_questions_decide_where_there_is_no_validation_question(monkeypatch):
    monkeypatch.setattr(MinedRules, "_mined", lambda self, given: RULES)
    kg = KnowledgeGraph.from_triples(
        [("a", "p", "b"), ("a", "q", "b"), ("a", "s", "b"), ("a", "s", "c"), ("a", "r", "e")]
    )
    one = question(1, "a", "r", "object", ["b", "c", "e"], ["b", "c"], split="train")
    few = question(2, "a", "r", "object", ["b", "e"], ["b"], split="validation")

    def answers(*train):
        given = Context(kg=kg, train=train)
        (found,) = MinedRules()(given, [OpenQuestion("q3", "", ("a",), '(p "r" "a")')])
        return found.answers

    assert answers(one) == ["e", "b", "c"]
    assert answers(few) == answers(one, replace(one, id="q00009"), few) == ["e", "b"]


def test_a_graph_without_rules():
    kg = KnowledgeGraph.from_triples([("a", "p", "b")])
    (found,) = MinedRules()(Context(kg=kg), [OpenQuestion("q", "", ("a",), '(p "p" "a")')])
    assert found.answers == ["b"]
    assert found.ranking == [("b", 1.0)]


def test_options_are_checked():
    assert find_answerer("rules:max_atoms=2,aggregation=max-plus".replace(",", ":")) == MinedRules(
        max_atoms=2, aggregation="max-plus"
    )
    with pytest.raises(ConfigError, match="aggregation"):
        find_answerer("rules:aggregation=sum")


def test_thresholds_are_different_and_descend():
    assert all(a > b for a, b in itertools.pairwise(mined_rules.THRESHOLDS))
