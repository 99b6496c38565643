from collections import Counter
from dataclasses import replace

import pytest

from rulemine.builder.split import groups_of, split
from rulemine.errors import UserError
from rulemine.release.records import SPLITS
from rulemine.seeds import stream
from tests.builder.rule_questions.asking import asked, question


def random_questions(n: int, seed: int):
    draw = stream(seed, "split test")
    return [
        question(
            i,
            (f"s{draw.below(n)}", "r", f"o{draw.below(n)}"),
            ("subject", "object")[draw.below(2)],
        )
        for i in range(n)
    ]


def sizes(made):
    counts = Counter(q.split for q in made.questions)
    return [counts[name] for name in SPLITS]


@pytest.mark.parametrize("seed", range(20))
def test_groups_are_not_taken_apart(seed):
    made = split(asked(random_questions(60, seed)), "group", (8, 1, 1), seed)
    for bond in (
        lambda q: q.removed,
        lambda q: (q.topic, q.relation, q.direction),
    ):
        where: dict[object, str] = {}
        for q in made.questions:
            assert where.setdefault(bond(q), q.split) == q.split
    assert min(sizes(made)) >= 1


def test_sizes_are_exact_where_groups_are_single():
    questions = [question(i, (f"s{i}", "r", f"o{i}")) for i in range(1000)]
    assert sizes(split(asked(questions), "group", (8, 1, 1), 0)) == [800, 100, 100]
    assert sizes(split(asked(questions), "group", (1, 1, 2), 0)) == [250, 250, 500]


def test_sizes_are_near_where_groups_are_large():
    # Groups of 1 … 30 questions about one topic each: 465 questions, 46.5 wanted.
    questions = [
        question(1000 * n + i, (f"t{n}", "r", f"o{n}.{i}")) for n in range(1, 31) for i in range(n)
    ]
    made = sizes(split(asked(questions), "group", (8, 1, 1), 3))
    assert made[0] == 372
    assert abs(made[1] - 46.5) <= 1
    assert abs(made[2] - 46.5) <= 1


def test_large_groups_get_everywhere():
    # Not all large groups may end up in train: over seeds, test gets its share of them.
    questions = [
        question(100 * n + i, (f"t{n}", "r", f"o{n}.{i}"))
        for n in range(200)
        for i in range(6 if n < 40 else 1)
    ]
    shares = []
    for seed in range(30):
        made = split(asked(questions), "group", (8, 1, 1), seed)
        large = [q.split for q in made.questions if int(q.topic[1:]) < 40]
        shares.append(large.count("test") / len(large))
    assert 0.06 < sum(shares) / len(shares) < 0.14


def test_identical_questions_stay_together():
    questions = [question(i, ("t", "r", f"o{i}")) for i in range(5)]
    questions += [question(10 + i, ("s", "r", "o"), "subject") for i in range(2)]
    assert [len(group) for group in groups_of(questions)] == [5, 2]


def test_a_listed_hard_answer_is_not_asked_in_another_split():
    lists = replace(question(0, ("a", "r", "t"), "subject"), hard_answers=("a", "b"))
    asks = question(1, ("b", "r", "t"), "object")
    other = question(2, ("b", "other", "t"), "object")
    assert groups_of([lists, asks, other]) == [[0, 1], [2]]


@pytest.mark.parametrize("seed", range(5))
def test_three_groups_fill_three_splits(seed):
    questions = [question(100 * n + i, (f"t{n}", "r", f"o{i}")) for n in range(3) for i in range(9)]
    assert sizes(split(asked(questions), "group", (8, 1, 1), seed)) == [9, 9, 9]


@pytest.mark.parametrize("mode", ["group", "random"])
def test_too_few_questions_say_what_to_do(mode):
    questions = [question(i, (f"t{i}", "r", f"o{i}")) for i in range(2)]
    with pytest.raises(UserError, match=r"Set questions\.split to none"):
        split(asked(questions), mode, (8, 1, 1), 0)


def test_paper_deals_rows_and_none_deals_nothing():
    questions = [question(i, (f"t{i % 10}", "r", f"o{i}")) for i in range(100)]
    made = split(asked(questions), "random", (8, 1, 1), 0)
    assert sizes(made) == [80, 10, 10]
    assert len({(q.topic, q.split) for q in made.questions}) > 10
    assert sizes(split(asked(questions), "none", (8, 1, 1), 0)) == [0, 0, 100]


def test_the_deal_is_seeded_and_keeps_the_order():
    questions = random_questions(100, 1)
    first, again, other = (split(asked(questions), "group", (8, 1, 1), s) for s in (0, 0, 1))
    assert first == again
    assert first != other
    assert [q.id for q in other.questions] == [q.id for q in questions]
