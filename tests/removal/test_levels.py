"""Fewer removals, and nested levels of them."""

import random

import numpy as np
import pytest

from rulemine.errors import ConfigError
from rulemine.query.atom import Atom
from rulemine.removal.levels import levels_of, thin
from rulemine.removal.maximal import choose
from rulemine.removal.selection import RemovalPlan, SelectionCounts
from rulemine.removal.setting import Setting
from rulemine.removal.steps import certify, certify_as_chosen, select_brink
from rulemine.rules.grounding import ground
from rulemine.rules.rule import Rule
from tests import each, some_seeds
from tests.small_graphs import measured, small_graph, small_rules


def made(rows, rules, unit=None):
    """A choice out of (head, rule) rows; without units each head is one."""
    head, rule = np.array(rows).T
    size = np.zeros(len(rows), np.int64)
    size[np.unique(head, return_index=True)[1]] = 1
    return RemovalPlan(
        tuple(Rule(Atom(0, "r", 1), (Atom(0, f"p{i}", 1),)) for i in range(rules)), head.astype(np.int64),
        rule.astype(np.int32), 1000 + head[:, None].astype(np.int64),
        np.array(head if unit is None else unit, np.int64), size,
        SelectionCounts(len(rows), len(rows), len(rows), len(rows))
    )  # fmt: skip


@pytest.fixture
def choice():
    """120 triples of rules with 60, 30, 20, 9 and 1 of them."""
    sizes = (60, 30, 20, 9, 1)
    rules = np.repeat(np.arange(5), sizes).tolist()
    return made(list(enumerate(rules)), 5)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("share", [0.001, 0.05, 0.2, 0.5, 0.77, 1])
def test_a_share_is_met_and_each_rule_gives_its_part(choice, share, seed):
    found = thin(choice, share, seed)
    assert len(found) == max(1, round(120 * share))
    whole, part = np.bincount(choice.rule), np.bincount(found.rule, minlength=5)
    assert (np.abs(part - whole * share) <= 1.5).all()
    kept = np.isin(choice.head, found.head)
    assert found.body.tolist() == choice.body[kept].tolist()
    assert found.rule.tolist() == choice.rule[kept].tolist()


@each("seed", range(5))
def test_levels_are_nested_and_level_and_share_agree(choice, seed):
    levels = levels_of(choice, seed)
    assert (levels.min(), levels.max()) == (1, 100)
    for level in range(1, 101):
        removed = choice.head[levels <= level]
        assert len(removed) == max(1, round(1.2 * level))
        assert thin(choice, level / 100, seed).head.tolist() == removed.tolist()


def test_every_triple_of_a_rule_is_equally_likely_to_be_kept(choice):
    runs = 400
    kept = np.zeros(120)
    for seed in range(runs):
        kept[thin(choice, 0.25, seed).head] += 1
    # Expected 100 of 400, standard deviation about 9 (less for the large rules).
    assert np.abs(kept / runs - 0.25).max() < 0.1


def test_rows_of_one_unit_go_and_stay_together():
    rng = random.Random(4)
    rows = sorted((rng.randrange(30), rule) for rule in range(4) for _ in range(25))
    rng.shuffle(rows)
    for unit in (None, [head // 3 for head, _ in rows]):
        choice = made(rows, 4, unit)
        total = len(set(choice.head.tolist()))
        of_unit: dict[int, set[int]] = {}
        for number, level in zip(choice.unit.tolist(), levels_of(choice, 3).tolist(), strict=True):
            of_unit.setdefault(number, set()).add(level)
        assert {len(levels) for levels in of_unit.values()} == {1}
        fewer = thin(choice, 0.5, 3)
        kept = set(fewer.unit.tolist())
        assert len(fewer) == sum(number in kept for number in choice.unit.tolist())
        gone = len(set(fewer.head.tolist()))
        assert round(0.5 * total) <= gone <= round(0.5 * total) + 2


@each("seed", some_seeds(20))
def test_proofs_survive_at_every_level_in_both_modes(seed):
    rng = random.Random(seed)
    kg, rules = small_graph(rng, 40, 60), measured(rng, small_rules(rng, 8))
    setting = Setting.of(kg)
    for found in (
        certify(setting, choose(setting, ground(kg, rules)), seed),
        certify_as_chosen(setting, select_brink(kg, rules, per_rule=3), seed),
    ):
        for level in (10, 30, 70, 100):
            now = found.level <= level
            assert not np.isin(found.body[now], found.head[now]).any()


@each("share", [0, -0.5, 1.01, float("nan")])
def test_a_share_out_of_range_is_an_error(choice, share):
    with pytest.raises(ConfigError, match="share: found"):
        thin(choice, share, 0)
