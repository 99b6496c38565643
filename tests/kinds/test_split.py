"""Questions are split, or drawn and dealt, within bounds."""

from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from rulemine.errors import UserError
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.bounds import NEAR_DUPLICATE, Bounds, near, of_proofs
from rulemine.kinds.dealing import DRAWN, ENOUGH, GIVES, Dealable, Share, by_ratios, deal
from rulemine.kinds.split import split, within_bounds
from rulemine.recipe.recipe import QuestionSection
from rulemine.release.groups import groups_of
from rulemine.release.proof_triples import RemovedFacts
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import SPLITS, Unseen
from rulemine.rules.rule import Atom, Rule
from tests import each, some_seeds
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


@each("seed", some_seeds(30))
def test_nothing_leaks(seed):
    questions = made(random_questions(150, seed), seed=seed)
    seen = {
        name: {x for q in questions if q.split == name for x in given_away(q)} for name in SPLITS
    }
    assert all(seen[a].isdisjoint(seen[b]) for a, b in combinations(SPLITS, 2))
    assert min(sizes(questions)) >= 1


@each("seed", range(5))
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


@each("single", range(4))
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
    places = [(n, i) for n in range(1, 31) for i in range(n)]
    questions = [question(1000 * n + i, (f"t{n}", "r", f"o{n}.{i}")) for n, i in places]
    wanted = zip(sizes(made(questions, seed=3)), (372, 46.5, 46.5), strict=True)
    assert all(abs(n - w) <= 2 for n, w in wanted)


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


@each("seed", range(5))
def test_three_groups_fill_three_splits(seed):
    questions = [question(100 * n + i, (f"t{n}", "r", f"o{i}")) for n in range(3) for i in range(9)]
    assert sizes(made(questions, seed=seed)) == [9, 9, 9]


@each("mode", ["group", "random"])
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


@each("n", range(3, 24))
def test_random_splits_are_as_near_the_ratios_as_they_can_be(n):
    found = sizes(made([question(i, (f"t{i}", "r", f"o{i}")) for i in range(n)], "random"))
    assert sum(found) == n
    assert found[1:] == [max(1, round(n / 10))] * 2 or abs(found[1] - found[2]) == 1
    assert min(found) >= 1


@each("mode", ["group", "random"])
@each("seed", range(5))
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


# What is drawn is dealt.


def candidates(seed, n=400, marks=300):
    draws = np.random.default_rng(seed)
    some = []
    for _ in range(n):
        needs = frozenset(draws.integers(0, marks, draws.integers(0, 3)).tolist())
        gives = needs | frozenset(draws.integers(0, marks, draws.integers(0, 4)).tolist())
        part = "abc"[draws.integers(3)]
        where = DRAWN if draws.random() < 0.8 else ("train",)
        some.append(Dealable(part, draws.integers(2), needs, gives, draws.random() < 0.3, where))
    return some


@each("seed", some_seeds(20))
def test_no_split_gives_what_an_earlier_one_needs(seed):
    some = candidates(seed)
    chosen = QuestionSection(test_core=20)
    plan = by_ratios({"a": 50, "b": 80, "c": 20}, some, chosen)
    split_of, reasons = deal(some, plan)
    assert split_of.keys() | reasons.keys() == {*range(len(some))}
    assert split_of.keys().isdisjoint(reasons)
    for place, name in enumerate(DRAWN):
        needed = {m for i, s in split_of.items() if s in DRAWN[:place] for m in some[i].needs}
        for i, other in split_of.items():
            if other == name:
                assert needed.isdisjoint(some[i].gives)
                assert name in some[i].splits
    needed = {m for i, s in split_of.items() if s != "train" for m in some[i].needs}
    held = {i for i, why in reasons.items() if why == GIVES}
    assert all(not needed.isdisjoint(some[i].gives) for i in held)
    assert {*reasons.values()} <= {GIVES, ENOUGH}
    whole = Counter(some[i].part for i in split_of)
    assert all(whole[part] <= wanted for part, wanted in {"a": 50, "b": 80, "c": 20}.items())
    assert sum(some[i].core for i, split in split_of.items() if split == "test") >= 20


def test_strata_come_out_even_and_others_give_what_one_lacks():
    some = [Dealable("p", "few", frozenset(), frozenset()) for _ in range(10)]
    some += [Dealable("p", stratum, frozenset(), frozenset()) for stratum in "xy" * 100]
    split_of, reasons = deal(some, {"": Share({"p": 70}, 70)})
    assert Counter(some[i].stratum for i in split_of) == {"few": 10, "x": 30, "y": 30}
    assert {*reasons.values()} == {ENOUGH}


def test_it_gets_what_keeps_fewest_others_out():
    hub = frozenset(["hub"])
    some = [Dealable("p", "", hub, hub) for _ in range(8)]
    some += [Dealable("p", "", frozenset([i]), frozenset([i])) for i in range(4)]
    split_of, _ = deal(some, {"test": Share({"p": 4}, 4), "train": Share({"p": 12}, 12)})
    assert [i for i, split in split_of.items() if split == "test"] == [8, 9, 10, 11]
    assert len(split_of) == 12
    assert len(deal(some, {"test": Share({"p": 4}, 4), "train": Share({"p": 12}, 10)})[0]) == 10


def test_what_may_not_be_taken_is_tried_in_the_next_split():
    some = [Dealable("p", "", frozenset(), frozenset(), core=1) for _ in range(6)]
    plan = {"test": Share({"p": 2}, 2, 2), "train": Share({"p": 6}, 6)}
    split_of, reasons = deal(
        some, plan, lambda i, split: "odd" if (i % 2 and split == "test") or i == 5 else None
    )
    assert split_of == {0: "test", 2: "test", 1: "train", 3: "train", 4: "train"}
    assert reasons == {5: "odd"}


def test_test_has_a_third_of_the_core_at_most():
    some = [Dealable("p", "", frozenset(), frozenset(), core=i < 30) for i in range(100)]
    plan = by_ratios({"p": 200}, some, QuestionSection(test_core=500))
    assert [(split, share.total, share.core) for split, share in plan.items()] == [
        ("test", 10, 10), ("validation", 10, 4), ("train", 100, 0),
    ]  # fmt: skip
    assert by_ratios({"p": 20}, some, QuestionSection(split="none")) == {"": Share({"p": 20}, 20)}


# What no rule, relation or pair of constants carries.

RULES = [Rule(Atom(0, "r", 1), (Atom(0, f"b{i}", 2), Atom(2, f"c{i % 3}", 1))) for i in range(100)]


def left(questions, relations=50, note=str):
    removed = {triple for q in questions for row in q.hard for triple in row.witness}
    more = {(f"m{i}", f"m{i}", "m") for i in range(relations - 1)}
    kg = KnowledgeGraph.from_triples(removed | more)
    asked = QuestionSet(tuple(questions), (), (), 0)
    facts = RemovedFacts(removed)
    return within_bounds(
        asked,
        lambda core: Bounds(of_proofs(kg, RULES, facts, core, {})),
        0,
        lambda kept: kept,
        note,
    )


def ask(number, ends, rule=0, **more):
    return question(number, (ends[0], "r", ends[1]), rule=RULES[rule].id, **more)


@each("seed", some_seeds(20))
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
    for name in ("test", "validation", "train"):
        questions = [
            ask(0, one, split=name), ask(1, one, 1, **other, split=name, core=True),
            ask(2, ("a", "c"), split=name), ask(3, ("y", "a"), split=name, direction="subject"),
        ]  # fmt: skip
        kept = {q.id for q in left(questions).questions}
        assert kept == {f"q0000{i}" for i in ((0, 1, 2, 3) if name == "train" else (1, 2, 3))}
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
