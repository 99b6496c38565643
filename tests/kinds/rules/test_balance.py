from collections import Counter
from dataclasses import replace
from itertools import combinations

from rulemine.kinds.rules.balance import Limits, balance, balance_as_published, explain_few
from rulemine.release.question_set import QuestionSet
from tests import each, some_seeds
from tests.kinds.rules.asking import asked
from tests.questions import question, random_questions

# 60 questions with the answer "hub", 40 with one each.
MANY = [question(i, (f"s{i:03}", "r", "hub" if i < 60 else f"o{i}")) for i in range(100)]

SHARED = {
    "answer": lambda q: q.hard_answer,
    "relation": lambda q: q.relations[0],
    "rule_type": lambda q: (q.block.rule_type, q.block.rule_subtype),
}
LIMITS = [
    Limits(answer=0.1), Limits(relation=0.3), Limits(answer=0.1, relation=0.3),
    Limits(answer=0.1, relation=0.35, rule_type=0.4), Limits(rule_type=0.4),
    Limits(answer=0.001, relation=0.01),
]  # fmt: skip


def questions_alone(questions):
    return QuestionSet(tuple(questions), (), (), 0)


def most(share, n):
    return max(1, int(share * n + 1e-9))


def within(questions, limits, names=tuple(SHARED)):
    return all(
        max(Counter(map(SHARED[name], questions)).values(), default=0)
        <= most(getattr(limits, name), len(questions))
        for name in names
    )


def within_both(questions, limits):
    """Whether questions are within all limits, and those of the core by themselves within two of them."""
    core = [q for q in questions if q.core]
    return within(questions, limits) and within(core, limits, ("answer", "relation"))


def test_without_limits_nothing_changes():
    before = asked(MANY)
    assert balance(before, Limits(), 0) == before
    assert balance_as_published(before, 1.0, 0) == before


@each(("share", "published", "kept"), [(0.29, 29, 16), (0.6, 60, 60), (0.07, 7, 3), (0.001, 1, 1)])
def test_the_limit_is_of_the_questions_left_but_as_published_of_all(share, published, kept):
    # 40 others stay: k hubs are at most the share of 40 + k.
    for made, hubs in (
        (balance_as_published(asked(MANY), share, 0), published),
        (balance(asked(MANY), Limits(answer=share), 0), kept),
    ):
        assert sum(q.hard_answer == "hub" for q in made.questions) == hubs
        assert len(made.questions) == 40 + hubs


@each("limits", LIMITS)
@each("seed", some_seeds(10))
def test_every_limit_holds_in_the_core_and_in_the_whole(limits, seed):
    made = balance(questions_alone(random_questions(150, seed, entities=40)), limits, seed)
    assert made.questions
    assert within_both(made.questions, limits)
    # What is left is within the limits as it is.
    assert balance(made, limits, seed) == made


def most_within(kept, others, limits):
    """How many of the others may stay beside what is kept, by trying all."""
    sizes = range(len(others), -1, -1)
    some = (n for n in sizes if any(within([*kept, *c], limits) for c in combinations(others, n)))
    return next(some)


@each("limits", LIMITS[:5])
def test_nearly_as_many_stay_as_can(limits):
    short = 0
    for seed in range(30):
        core = [replace(q, core=True) for q in random_questions(11, seed, entities=5)]
        left = len(balance(questions_alone(core), limits, seed).questions)
        short += most_within([], core, limits) - left
    assert short <= 3


@each("limits", LIMITS[:3])
def test_the_core_takes_what_it_can_and_the_others_what_it_leaves(limits):
    short = 0
    for seed in range(15):
        questions = random_questions(24, seed, entities=5)
        core = [q for q in questions if q.core]
        others = [q for q in questions if not q.core][:11]
        made = balance(questions_alone([*core, *others]), limits, seed).questions
        kept = [q for q in made if q.core]
        assert kept == list(balance(questions_alone(core), limits, seed).questions)
        short += most_within(kept, others, limits) - (len(made) - len(kept))
    assert short <= 3


def test_one_type_may_prevail_in_the_core():
    types = ["longer chain"] * 50 + ["composition"] * 10 + ["triangle"] * 70 + ["rest"] * 70
    questions = [
        question(i, (f"s{i}", "r", f"o{i}"), rule_subtype=kind, core=i < 60)
        for i, kind in enumerate(types)
    ]
    before = questions_alone(questions)
    assert balance(before, Limits(rule_type=0.35), 0) == before
    # Three types at 30 % each and ten more: a hundred.
    kept = Counter(
        q.block.rule_subtype for q in balance(before, Limits(rule_type=0.3), 0).questions
    )
    assert kept == {"longer chain": 30, "composition": 10, "triangle": 30, "rest": 30}


def test_rare_types_stay():
    # Half of 800 questions ask for the hub; of the 20 hierarchies all do.
    questions = [
        question(
            i,
            (f"s{i}", f"r{i % 40}", "hub" if i < 400 else f"o{i}"),
            rule_type="hierarchy" if i < 20 else "composition",
        )
        for i in range(800)
    ]
    made = balance(questions_alone(questions), Limits(answer=0.1), 0)
    types = Counter(q.block.rule_type for q in made.questions)
    assert types == {"hierarchy": 20, "composition": 424}


def test_what_goes_is_kept_with_the_limit_that_it_met():
    questions = [
        question(i, (f"s{i}", "often" if i % 2 else f"r{i}", "hub" if i < 40 else f"o{i}"))
        for i in range(100)
    ]
    made = balance(asked(questions), Limits(answer=0.1, relation=0.2), 0)
    gone = {q.id for q in questions} - {q.id for q in made.questions}
    assert [r.question for r in made.rejections] == sorted(gone)
    assert [q.id for q in made.questions] == sorted(q.id for q in made.questions)
    of = {q.id: q for q in questions}
    left = len(made.questions)
    for r in made.rejections:
        assert r.stage == "balance"
        answer = r.reason == "its hard answer is that of too many questions"
        assert answer or r.reason == "its relation is that of too many questions"
        assert of[r.question].hard_answer == "hub" if answer else r.removed[1] == "often"
        number = int((0.1 if answer else 0.2) * left)
        assert r.detail.startswith(f"at most {number} of the {left} questions left may")
    assert len({r.reason for r in made.rejections}) == 2


def test_limits_that_leave_little_are_named():
    before = asked(MANY)
    assert explain_few(before, balance(before, Limits(answer=0.1), 0)) == ""
    text = explain_few(before, balance(before, Limits(answer=0.9, rule_type=0.1), 0))
    assert "1 of 100 questions outside the core are left (99 by selection.per_type)" in text


def test_reference_triples_go_with_their_question():
    questions = [
        replace(question(0, ("a", "r", "hub")), further=("new",)),
        replace(question(1, ("b", "r", "hub")), further=("new2",)),
    ]
    before = asked(questions, reference=[("a", "r", "new"), ("b", "r", "new2")],
                   further=["new", "new2"])  # fmt: skip
    made = balance(before, Limits(answer=0.5), 0)
    (left,) = made.questions
    new = "new" if left.topic == "a" else "new2"
    assert made.reference == ((left.topic, "r", new),)
    assert {n.entity for n in made.names} == {"a", "b", "hub", new}


def test_the_choice_is_seeded_and_does_not_depend_on_the_order():
    limits = Limits(0.1, 0.3, 0.4)
    questions = random_questions(150, 2, entities=40)
    made, turned, other = (
        balance(questions_alone(some), limits, seed).questions
        for some, seed in ((questions, 0), (questions[::-1], 0), (questions, 1))
    )
    assert set(made) == set(turned) != set(other)
    assert balance_as_published(asked(MANY), 0.1, 0) != balance_as_published(asked(MANY), 0.1, 1)
