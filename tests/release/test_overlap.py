from collections import Counter
from dataclasses import replace
from itertools import combinations
from math import comb

import pytest

from rulemine.release.leakage import RemovedFacts
from rulemine.release.overlap import compare_splits, distance, distance_at_random
from rulemine.release.records import Unseen
from tests.questions import question, random_questions
from tests.structures import world


def test_what_test_shares_with_train():
    train = [
        question(0, ("a", "r", "b"), rule="R1", split="train", further_hard=["c"]),
        question(1, ("d", "s", "e"), "subject", rule="R2", split="train"),
    ]
    test = [
        # Its answer is listed in train; its pair is there, turned round and under another relation.
        question(2, ("c", "t", "a"), "subject", rule="R1", split="test"),
        # Its topic is a topic of train; its relation is asked in the other direction.
        question(3, ("e", "s", "x"), rule="R3", split="test", core=True),
        # Its topic is only an answer in train, its answer only a topic.
        question(4, ("b", "u", "a"), rule="R4", split="test"),
        question(5, ("y", "u", "z"), rule="R4", split="test"),
    ]
    unseen = Unseen(rule=True, relation=True, answer=False)
    first, second = compare_splits([*train, *test[:-1], replace(test[-1], unseen=unseen)])
    assert (first.split, first.questions, first.overlap) == ("train", 2, None)
    assert (second.split, second.questions, second.core) == ("test", 4, 1)
    assert (second.unseen_rule, second.unseen_relation, second.unseen_answer) == (1, 1, 0)
    assert second.overlap is not None
    # Topics a (of the question about c) and e; answers c and none; pairs a–c and a–b.
    assert second.overlap.topic == 2 / 4
    assert second.overlap.answer == 1 / 4
    assert second.overlap.pair == 2 / 4
    assert second.overlap.relation == 1 / 4
    assert second.overlap.rule == 1 / 4
    # Relations r, s | t, s, u, u of r, s, t, s, u, u.
    assert second.distances["relation"] == pytest.approx((1 / 6 + 1 / 12 + 1 / 12 + 1 / 6) / 2)


def test_what_an_earlier_split_gives_away_and_how_far_a_split_is_from_train():
    train = [
        replace(question(0, ("a", "r", "b"), split="train"), answers=("b", "c"), further=("c",))
    ]
    test = [
        question(1, ("c", "s", "a"), split="test"),  # a further answer of train joins its ends
        question(2, ("x", "r", "y"), split="test"),
    ]
    facts = RemovedFacts(q.removed[0] for q in (*train, *test))
    assert [facts.leaked([*train, *test], split) for split in ("validation", "test")] == [0, 1]
    first, second = compare_splits([*train, *test], facts)
    assert (first.given_away, second.given_away) == (0, 1)
    assert (first.from_train, second.from_train["relation"]) == ({}, 0.5)
    assert (second.relations, second.rules) == (2, 1)


def test_a_split_gives_away_what_its_questions_remove_to_later_splits_alone():
    validation = replace(question(0, ("a", "r", "b"), split="validation"), full_evidence=())
    test = question(1, ("b", "s", "a"), split="test")
    facts = RemovedFacts(test.removed)
    # Its own ends would give it away too.
    validation = replace(validation, anchors=("c",))
    assert [facts.leaked([validation, test], split) for split in ("validation", "test")] == [0, 1]


def test_without_training_questions_there_is_no_overlap():
    (row,) = compare_splits([question(0, ("a", "r", "b"), split="test")])
    assert row.overlap is None
    assert {*row.distances.values(), *row.at_random.values()} == {0}


@pytest.mark.parametrize("seed", range(5))
def test_the_order_does_not_matter(seed):
    questions = [
        replace(q, split=("train", "test")[i % 4 == 0])
        for i, q in enumerate(random_questions(60, seed))
    ]
    assert compare_splits(questions) == compare_splits(questions[::-1])


def apart(part: str, whole: Counter[str]) -> float:
    """The distance where every question has one value."""
    return distance(Counter(part), whole, len(part), whole.total())


def test_distance_is_half_the_sum_of_differences():
    whole = Counter({"a": 2, "b": 1, "c": 1})
    assert apart("a", whole) == 0.5
    assert apart("aabc", whole) == 0
    assert apart("cc", whole) == 0.75


def test_questions_with_several_values_count_for_each():
    # Three questions: a and b, a, b and c; of the first two, a: 2/2 and 2/3, b: 1/2 and 2/3, c: 0 and 1/3.
    whole = Counter("abbca")
    assert distance(Counter("aba"), whole, 2, 3) == pytest.approx(
        (1 / 3 + 1 / 6 + 1 / 3) / (3 / 2 + 5 / 3)
    )
    assert distance(whole, whole, 3, 3) == distance(Counter(), Counter(), 1, 2) == 0


@pytest.mark.parametrize("whole", ["aabc", "aaaaaabb", "abcdefg", "aaaa", "aabbbbbbbb"])
def test_the_distance_at_random_is_the_mean_over_all_draws(whole):
    counts, total = Counter(whole), len(whole)
    for n in range(1, total + 1):
        mean = sum(apart("".join(draw), counts) for draw in combinations(whole, n)) / comb(total, n)
        assert distance_at_random(counts, n, total) == pytest.approx(mean, abs=1e-12)


def test_structures_are_compared_by_structure_missing_links_relations_and_core():
    questions = world().questions
    rows = {row.split: row for row in compare_splits(questions)}
    assert list(rows["test"].distances) == ["structure", "missing", "relation", "core"]
    # Of 12, 3 are 1p; of the 4 of train, 2 are; 2 of the 3 left of train are 3p.
    far = 2 / 4 - 3 / 12 + 2 / 4 - 2 / 12
    assert rows["train"].distances["structure"] == pytest.approx(far)
    named = Counter(relation for q in questions for relation in q.relations)
    own = Counter(relation for q in questions if q.split == "train" for relation in q.relations)
    apart = sum(abs(own[r] / 4 - n / 12) for r, n in named.items())
    both = own.total() / 4 + named.total() / 12
    assert rows["train"].distances["relation"] == pytest.approx(apart / both)
    overlap = rows["test"].overlap
    assert overlap is not None
    assert overlap.topic == 0  # splits have no topic entity in common
    assert overlap.relation == 1
