"""Groups of questions that stay together, what earlier splits give away, and samples."""

from dataclasses import replace
from itertools import combinations

import pytest

from rulemine.errors import ConfigError
from rulemine.release.groups import groups_of, sample
from rulemine.release.proof_triples import RemovedFacts
from tests import each, some_seeds
from tests.questions import question, random_questions
from tests.structures import ASKED, structure_question


def shared(a, b):
    """Whether two questions must stay together, by the definition."""
    asks = lambda q: (q.topic, q.relations[0], q.block.direction)  # noqa: E731
    removed = lambda q: {q.removed[0], *(t for row in q.hard for t in row.witness)}  # noqa: E731
    hard = lambda q: {frozenset((q.topic, answer)) for answer in q.hard_answers}  # noqa: E731
    given = lambda q: {frozenset((q.topic, answer)) for answer in q.answers}  # noqa: E731
    either = hard(a) & given(b) or given(a) & hard(b)
    return asks(a) == asks(b) or removed(a) & removed(b) or either


def brute_force(questions):
    groups = [{i} for i in range(len(questions))]
    for i, j in combinations(range(len(questions)), 2):
        if shared(questions[i], questions[j]):
            joined = [g for g in groups if i in g or j in g]
            groups = [g for g in groups if g not in joined] + [set().union(*joined)]
    return sorted(sorted(g) for g in groups)


@each("seed", some_seeds(30))
def test_they_are_what_the_links_join(seed):
    questions = random_questions(40, seed, entities=40)
    groups = groups_of(questions)
    assert groups == brute_force(questions)
    assert 1 < len(groups) < 40


def test_a_pair_of_entities_stays_together_turned_round_and_under_another_relation():
    asked = [(("a", "r", "b"), "object"), (("a", "s", "b"), "subject"), (("b", "t", "a"), "object"),
             (("a", "r", "c"), "subject")]  # fmt: skip
    assert groups_of([question(n, *one) for n, one in enumerate(asked)]) == [[0, 1, 2], [3]]


def test_a_name_in_two_roles_joins_nothing():
    triples = ("a", "r", "b"), ("b", "r", "c"), ("r", "a", "c")
    assert groups_of([question(n, one) for n, one in enumerate(triples)]) == [[0], [1], [2]]
    assert groups_of([]) == []


def test_structures_stay_together_by_what_the_hard_answer_asked_for_needs():
    first, second, third, easy = (
        structure_question(number, ASKED[place][1]) for number, place in enumerate((0, 9, 6, 2))
    )
    # 0: ann's country needs that she is a citizen; 9: bob, needs his; 6: ann, needs hers
    assert groups_of([first, second, third, easy]) == [[0, 2], [1], [3]]
    assert groups_of([easy, replace(easy, id="q9")]) == [[0], [1]]
    turned = structure_question(4, '(p- "citizen_of" "france")')
    assert turned.hard_answer == "ann"
    assert groups_of([second, turned, first]) == [[0], [1, 2]]


def test_what_joins_the_ends_of_a_removed_triple_gives_it_away():
    train = [
        replace(question(0, ("a", "r", "b"), split="train"), answers=("b", "c"), further=("c",))
    ]
    test = [
        question(1, ("c", "s", "a"), split="test"),  # a further answer of train joins its ends
        question(2, ("x", "r", "y"), split="test"),
    ]
    facts = RemovedFacts(q.removed[0] for q in (*train, *test))
    assert [facts.leaked([*train, *test], split) for split in ("validation", "test")] == [0, 1]


def test_a_split_gives_away_what_its_questions_remove_to_later_splits_alone():
    validation = replace(question(0, ("a", "r", "b"), split="validation"), full_evidence=())
    test = question(1, ("b", "s", "a"), split="test")
    facts = RemovedFacts(test.removed)
    # Its own ends would give it away too.
    validation = replace(validation, anchors=("c",))
    assert [facts.leaked([validation, test], split) for split in ("validation", "test")] == [0, 1]


QUESTIONS = [replace(question(i, (f"s{i}", "r", f"o{i}")), core=i % 3 == 0) for i in range(1, 40)]


def test_a_smaller_sample_is_part_of_a_larger_one_with_the_core_first():
    before: set[str] = set()
    for n in range(1, 40):
        drawn = sample(QUESTIONS[::-1], n)
        ids = [q.id for q in drawn]
        assert len(ids) == n
        assert ids == sorted(ids)
        assert before < set(ids)
        assert sum(q.core for q in drawn) == min(n, 13)
        before = set(ids)


def test_without_a_number_it_is_all_of_them():
    assert sample(QUESTIONS, None) == tuple(QUESTIONS)
    assert len(sample(QUESTIONS, 1000)) == len(QUESTIONS)
    with pytest.raises(ConfigError, match="sample is 0"):
        sample(QUESTIONS, 0)
