"""What each option of the section ``structures`` does, and what is said where a graph gives too little."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest

from rulemine.errors import ConfigError, UserError
from rulemine.kg.entity_types import EntityTypes
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.bounds import NEAR_DUPLICATE
from rulemine.kinds.structures.ask import within_limit
from rulemine.kinds.structures.options import StructureSection
from rulemine.recipe.loading import load_recipe
from rulemine.recipe.recipe import QuestionSection, Recipe
from rulemine.release.proof_triples import RemovedFacts
from tests import each
from tests.kinds.structures.worlds import RandomWorld

EASY = ["1p", "2p", "2i", "2u"]


@pytest.fixture(scope="module")
def world() -> RandomWorld:
    return RandomWorld(1)


def test_names_numbers_and_seeds() -> None:
    asked, again, other = (
        RandomWorld(1).ask(seed, names=["2u", "1p"], per_structure=5, max_share=1.0, ratios=None)
        for seed in (0, 0, 1)
    )
    assert [q.structure for q in asked.questions] == ["1p"] * 5 + ["2u"] * 5
    assert {q.split for q in asked.questions} == {""}
    assert {name: row["wanted"] for name, row in asked.sampling.items()} == {"1p": 5, "2u": 5}
    for row in asked.sampling.values():
        assert row["drawn"] == row["questions"] + sum(row["rejected"].values())
    assert asked == again
    assert {q.query for q in other.questions} != {q.query for q in asked.questions}


def test_numbers_of_missing_links_are_balanced() -> None:
    world, links = RandomWorld(1, share=0.1), {"1p": 1, "2i": 2, "2u": 1}
    asked = world.ask(names=[*links], per_structure=12, max_share=1.0, ratios=None).questions
    for name, most in links.items():
        counts = Counter(q.missing for q in asked if q.structure == name)
        assert sorted(counts) == list(range(most + 1))
        assert max(counts.values()) - min(counts.values()) <= 1


@each(("option", "most"), [("max_answers", 2), ("max_evidence", 3)])
def test_bounds(world, option, most, monkeypatch):
    more = world.ask(names=EASY)
    monkeypatch.setattr(StructureSection, option, most)
    asked = world.ask(names=EASY)
    field = {"max_answers": "answers", "max_evidence": "full_evidence"}[option]
    sizes = {len(getattr(q, field)) for q in asked.questions}
    assert max(sizes) <= most < max(len(getattr(q, field)) for q in more.questions)


def test_no_split_gives_away_what_a_later_one_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    world = RandomWorld(4, entities=60, triples=900)
    options = {"names": EASY, "per_structure": 24, "max_share": 1.0, "ratios": (2, 1, 1)}
    monkeypatch.setattr(QuestionSection, "max_facts", 2)
    asked = world.ask(**options)
    facts = RemovedFacts(world.kg.labeled(world.selection.head))
    assert {q.split for q in asked.questions} == {"train", "validation", "test"}
    assert [facts.leaked(asked.questions, split) for split in ("test", "validation")] == [0, 0]
    needed = [facts.needed_by(q) for q in asked.questions if q.split != "train"]
    assert max(map(len, needed)) <= 2 < max(len(facts.needed_by(q)) for q in asked.questions)
    # Without splits there is nothing to keep apart: dealt at random, the same questions leak.
    unsplit = world.ask(**options | {"ratios": None}).questions
    dealt = [
        replace(q, split=("test", "validation", "train", "train")[i % 4])
        for i, q in enumerate(unsplit)
    ]
    assert facts.leaked(dealt, "test") > 0


def test_test_has_the_core_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    world = RandomWorld(4, entities=60, triples=900)
    options = {"names": ["1p", "2p", "2i"], "per_structure": 40, "max_share": 1.0}
    plain, more = (
        [q.structure for q in asked.questions if q.core and q.split == "test"]
        for asked in (world.ask(**options, ratios=(2, 1, 1), test_core=n) for n in (0, 15))
    )
    assert {*more} == {*options["names"]}
    assert len(plain) < 15 <= len(more)


def test_near_duplicates_are_asked_once() -> None:
    asked = RandomWorld(5, entities=16, triples=300).ask(
        names=["2i", "3i", "pi"], per_structure=30, max_share=1.0, ratios=None
    )
    seen = Counter(
        (q.answers, pair) for q in asked.questions for pair in combinations(q.anchors, 2)
    )
    assert seen
    assert max(seen.values()) == 1
    assert sum(row["rejected"].get(NEAR_DUPLICATE, 0) for row in asked.sampling.values())


def test_a_larger_graph_gives_further_answers() -> None:
    world = RandomWorld(3)
    triples = world.kg.labeled()
    more = [(f"new{i}", r, o) for i, (s, r, o) in enumerate(triples) if i % 3 == 0 and s != o]
    more += [(s, r, "new") for s, r, _ in triples[::5]]
    reference = KnowledgeGraph.from_triples([*triples[::2], *more])
    asked = world.ask(reference=reference, per_structure=8, max_share=1.0, ratios=None)
    wide = RandomWorld(3)
    wide.kg = KnowledgeGraph.from_triples([*triples, *more])
    wide.index()
    assert sum(bool(q.further) for q in asked.questions) > len(asked.questions) / 4
    used = set()
    for q in asked.questions:
        tree = world.tree(q.query)
        answers = wide.answers(tree)
        assert {*q.answers} == answers
        assert {*q.further} == answers - world.answers(tree)
        assert len(answers) <= 20
        for answer in q.further:
            used |= {t for d in wide.derivations(tree, answer) for t, _ in d.steps}
    assert {*asked.reference} == used - {*triples}
    assert {row.entity for row in asked.names} == {
        *world.kg.entities,
        *(end for s, _, o in asked.reference for end in (s, o)),
    }


def test_further_answers_are_no_anchors_and_count_among_the_most(world, monkeypatch):
    monkeypatch.setattr(StructureSection, "max_answers", 3)
    triples = world.kg.labeled()
    loops = [(s, r, s) for s, r, _ in triples if r in ("rb", "rc")]
    many = [(s, r, f"new{i}") for s, r, _ in triples if r in ("ra", "rd") for i in range(2)]
    asked = world.ask(
        names=["1p"], reference=KnowledgeGraph.from_triples([*triples, *loops, *many]),
        per_structure=20, max_share=1.0, ratios=None,
    )  # fmt: skip
    assert asked.questions
    assert any(q.further for q in asked.questions)
    assert not any({*q.anchors} & {*q.further} for q in asked.questions)
    assert max(len(q.answers) for q in asked.questions) == 3


def test_what_shares_too_much_is_dropped_and_no_more() -> None:
    (first, *_) = RandomWorld(1).ask(names=["1p"], ratios=None).questions
    rng = np.random.default_rng(0)
    for size, kinds in ((40, 6), (200, 30), (3, 1)):
        anchors = [(f"a{int(kinds * x * x)}",) for x in rng.random(size)]
        made = [
            replace(first, id=str(i), anchors=(*anchor, f"c{i % 7}"), answers=(f"b{i}",))
            for i, anchor in enumerate(anchors)
        ]  # fmt: skip
        for share in (0.05, 0.2, 0.5, 1.0):
            left = within_limit(made, share)
            most = max(1, int(Fraction(str(share)) * len(left)))
            counts = Counter(one for q in left for one in q.anchors)
            assert max(counts.values()) <= most
            assert all(int(a.id) < int(b.id) for a, b in pairwise(left))
            assert share < 1 or left == made


def test_where_nothing_shares_a_type_there_is_one_answer(world: RandomWorld) -> None:
    n = len(world.kg.entities)
    names = tuple(f"type {i:02d}" for i in range(n))
    types = EntityTypes("stated", names, np.arange(n + 1), np.arange(n))
    asked = world.ask(types=types, ratios=None)
    assert {len(q.answers) for q in asked.questions} == {1}
    assert asked.sampling["2u"]["questions"] == 0


def test_no_question_at_all_is_an_error_that_says_why(world: RandomWorld) -> None:
    n = len(world.kg.entities)
    types = EntityTypes("stated", (), np.zeros(n + 1, np.int64), np.empty(0, np.int64))
    with pytest.raises(UserError, match=r"no question is left.*no further one can be drawn"):
        world.ask(types=types, names=["1p", "2i"])


def test_an_empty_split_is_an_error(world: RandomWorld) -> None:
    with pytest.raises(UserError, match="none of them for test and validation"):
        world.ask(names=["1p"], per_structure=1)


def test_options_of_the_other_kind_are_refused() -> None:
    for key, value in (
        ("questions.max_answers", 3), ("questions.max_answer_share", 0.5), ("selection.mode", "brink"),
        ("questions.max_relation_share", 0.5), ("selection.per_type", 0.5),
    ):  # fmt: skip
        with pytest.raises(ConfigError, match=f"{key}: for the kind rules only"):
            load_recipe("structures-demo", [(tuple(key.split(".")), value)])
    for name in ("demo", "cypher-demo"):
        with pytest.raises(ConfigError, match="'structures'; it is for the kind structures only"):
            load_recipe(name, [(("structures", "max_share"), 0.5)])
    with pytest.raises(ConfigError, match="own: is a StructureSection; the kind rules has"):
        Recipe(name="n", kg="demo", own=StructureSection())
