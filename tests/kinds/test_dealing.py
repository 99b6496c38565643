from collections import Counter

import numpy as np
import pytest

from rulemine.kinds.dealing import DRAWN, ENOUGH, GIVES, Dealable, Share, by_ratios, deal
from rulemine.recipe.recipe import QuestionSection
from tests import some_seeds


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


@pytest.mark.parametrize("seed", some_seeds(20))
def test_no_split_gives_what_an_earlier_one_needs(seed):
    some = candidates(seed)
    chosen = QuestionSection(test_core=20)
    plan = by_ratios({"a": 50, "b": 80, "c": 20}, some, chosen)
    split_of, reasons = deal(some, plan)
    assert split_of.keys() | reasons.keys() == {*range(len(some))}
    assert split_of.keys().isdisjoint(reasons)
    for place, split in enumerate(DRAWN):
        needed = {m for i, s in split_of.items() if s in DRAWN[:place] for m in some[i].needs}
        for i, other in split_of.items():
            if other == split:
                assert needed.isdisjoint(some[i].gives)
                assert split in some[i].splits
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
