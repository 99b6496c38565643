from collections import Counter
from itertools import combinations

import pytest

from rulemine.errors import UserError
from rulemine.kinds.split import split
from rulemine.release.groups import groups_of
from rulemine.release.records import SPLITS, Unseen
from tests import some_seeds
from tests.questions import question, random_questions
from tests.structures import structure_question

RATIOS = (8, 1, 1)


def made(questions, mode="group", ratios=RATIOS, seed=0):
    return split(questions, mode, ratios, seed)


def sizes(questions):
    counts = Counter(q.split for q in questions)
    return [counts[name] for name in SPLITS]


def given_away(q):
    """What may be in one split only."""
    yield (q.topic, q.relations[0], q.block.direction)
    yield q.removed[0]
    for row in q.hard:
        yield from row.witness
        yield frozenset((q.topic, row.answer))


@pytest.mark.parametrize("seed", some_seeds(30))
def test_nothing_leaks(seed):
    questions = made(random_questions(150, seed), seed=seed)
    seen = {
        name: {x for q in questions if q.split == name for x in given_away(q)} for name in SPLITS
    }
    assert all(seen[a].isdisjoint(seen[b]) for a, b in combinations(SPLITS, 2))
    assert min(sizes(questions)) >= 1


@pytest.mark.parametrize("seed", range(5))
def test_splits_represent_the_whole(seed):
    # 40 relations, some rare; pairs and topics join about half of the questions to others.
    questions = made(random_questions(2000, seed, entities=3000, relations=40), seed=seed)
    whole = Counter(q.relations[0] for q in questions)
    for name in SPLITS[1:]:
        part = [q for q in questions if q.split == name]
        assert abs(len(part) - 200) <= 10
        assert abs(sum(q.core for q in part) - sum(q.core for q in questions) / 10) <= 3
        found = Counter(q.relations[0] for q in part)
        # Drawn at random, they would be some 2.5 apart on average.
        assert sum(abs(found[r] - n / 10) for r, n in whole.items()) / len(whole) < 1.5


def test_test_has_the_core_that_is_asked_for():
    questions = [question(i, (f"s{i}", "r", f"o{i}"), core=i % 5 == 0) for i in range(1000)]

    def core_by_split(test_core):
        done = split(questions, "group", RATIOS, 0, test_core)
        assert sum(sizes([q for q in done if not q.core])) == 800
        assert sizes([q for q in done if not q.core]) == [640, 80, 80]
        return sizes([q for q in done if q.core])

    assert core_by_split(0) == [160, 20, 20]
    assert core_by_split(45) == [135, 20, 45]
    assert core_by_split(500) == [112, 22, 66]  # a third of the core, and a third of that


def test_questions_that_need_many_facts_are_in_train():
    questions = [question(i, (f"s{i}", "r", "x"), further_hard="yz"[: i % 3]) for i in range(99)]
    for max_facts in (None, 2):
        done = split(questions, "group", RATIOS, 0, max_facts=max_facts)
        assert {q.split for q in done if len(q.hard) == 2} == set(SPLITS)
        many = {q.split for q in done if len(q.hard) > 2}
        assert many == ({"train"} if max_facts else set(SPLITS))


@pytest.mark.parametrize("single", range(4))
def test_an_empty_split_took_a_question_that_needs_many_facts(single):
    numbers = range(4 + single)
    questions = [question(i, (f"t{i}", "r", "x"), further_hard="y" * (i < 4)) for i in numbers]
    if single < 2:
        with pytest.raises(UserError, match="4 in train for more than 1 hard answer"):
            split(questions, "group", RATIOS, 0, max_facts=1)
    else:
        done = split(questions, "group", RATIOS, 0, max_facts=1)
        assert {q.split for q in done if q.hard[1:]} == {"train"}
        assert min(sizes(done)) > 0


def test_sizes_are_exact_where_groups_are_single():
    questions = [question(i, (f"s{i}", "r", f"o{i}")) for i in range(1000)]
    assert sizes(made(questions)) == [800, 100, 100]
    assert sizes(made(questions, ratios=(1, 1, 2))) == [250, 250, 500]


def test_sizes_are_near_where_groups_are_large():
    # Groups of 1 … 30 questions about one topic each: 465 questions, 46.5 wanted.
    questions = [
        question(1000 * n + i, (f"t{n}", "r", f"o{n}.{i}")) for n in range(1, 31) for i in range(n)
    ]
    found = sizes(made(questions, seed=3))
    assert [abs(n - w) <= 2 for n, w in zip(found, (372, 46.5, 46.5), strict=True)] == [True] * 3


def test_rare_relations_get_everywhere():
    # 100 relations of one question each: no split can have a tenth of each, but of all of them.
    questions = [question(i, (f"s{i}", f"r{i}" if i < 100 else "r", f"o{i}")) for i in range(1000)]
    rare = Counter(q.split for q in made(questions) if q.relations[0] != "r")
    assert rare == {"train": 80, "validation": 10, "test": 10}


def test_a_group_larger_than_its_split_is_in_train():
    questions = [question(i, ("t", "r", f"o{i}")) for i in range(20)]
    questions += [question(100 + i, (f"s{i}", "q", f"x{i}")) for i in range(80)]
    for seed in range(10):
        done = made(questions, seed=seed)
        assert {q.split for q in done if q.topic == "t"} == {"train"}
        assert sizes(done) == [80, 10, 10]
    questions = [question(i, ("t", "r", f"o{i}")) for i in range(90)]
    questions += [question(100 + i, (f"s{i}", "q", f"x{i}")) for i in range(10)]
    for ratios in (RATIOS, (1, 1, 8), (1, 8, 1)):  # larger than any split should be
        assert {q.split for q in made(questions, ratios=ratios) if q.topic == "t"} == {"train"}


@pytest.mark.parametrize("seed", range(5))
def test_three_groups_fill_three_splits(seed):
    questions = [question(100 * n + i, (f"t{n}", "r", f"o{i}")) for n in range(3) for i in range(9)]
    assert sizes(made(questions, seed=seed)) == [9, 9, 9]


@pytest.mark.parametrize("mode", ["group", "random"])
def test_too_few_questions_say_what_to_do(mode):
    questions = [question(i, (f"t{i}", "r", f"o{i}")) for i in range(2)]
    with pytest.raises(UserError, match=r"Set questions\.split to none"):
        made(questions, mode)


def test_random_deals_rows_and_none_deals_nothing():
    questions = [question(i, (f"t{i % 10}", "r", f"o{i}")) for i in range(100)]
    done = made(questions, "random")
    assert sizes(done) == [80, 10, 10]
    assert len({(q.topic, q.split) for q in done}) > 10
    assert len(groups_of(questions)) == 10
    done = made(questions, "none")
    assert sizes(done) == [0, 0, 100]
    assert {q.unseen for q in done} == {Unseen(False, False, False)}


@pytest.mark.parametrize("n", range(3, 24))
def test_random_splits_are_as_near_the_ratios_as_they_can_be(n):
    questions = [question(i, (f"t{i}", "r", f"o{i}")) for i in range(n)]
    found = sizes(made(questions, "random"))
    assert sum(found) == n
    assert found[1:] == [max(1, round(n / 10))] * 2 or abs(found[1] - found[2]) == 1
    assert min(found) >= 1


@pytest.mark.parametrize("mode", ["group", "random"])
@pytest.mark.parametrize("seed", range(5))
def test_unseen_is_what_no_training_question_has(mode, seed):
    questions = made(random_questions(120, seed, relations=30), mode, seed=seed)
    train = [q for q in questions if q.split == "train"]
    for q in questions:
        if q.split == "train":
            assert q.unseen == Unseen(False, False, False)
            continue
        assert q.unseen == Unseen(
            rule=all(t.rules[0] != q.rules[0] for t in train),
            relation=all(t.relations[0] != q.relations[0] for t in train),
            answer=not any(q.hard_answer in t.hard_answers for t in train),
        )
    assert any(q.unseen.answer for q in questions)


def test_a_structure_is_unseen_where_any_of_its_rules_or_relations_is():
    questions = [
        structure_question(0, '(p "citizen_of" "ann")', "train"),
        structure_question(
            1, '(p "citizen_of" (p- "wrote" "film1"))', "test"
        ),  # new: wrote, its rule
        structure_question(2, '(and (p- "citizen_of" "france") (p- "won" "oscar"))', "test"),
        structure_question(3, '(p "born_in" "cat")', "validation"),  # every answer is stated
        structure_question(4, '(p "citizen_of" "bob")', "validation"),
    ]
    assert [q.unseen for q in made(questions)] == [
        Unseen(rule=False, relation=False, answer=False),
        Unseen(rule=True, relation=True, answer=False),
        Unseen(rule=False, relation=True, answer=True),
        Unseen(rule=False, relation=True, answer=False),
        Unseen(rule=False, relation=False, answer=False),
    ]


def test_the_deal_is_seeded_and_does_not_depend_on_the_order():
    questions = random_questions(100, 1)
    for mode in ("group", "random"):
        first, again, other = (made(questions, mode, seed=s) for s in (0, 0, 1))
        assert first == again
        assert first != other
        assert [q.id for q in other] == [q.id for q in questions]
        assert made(questions[::-1], mode) == first[::-1]
