"""Fewer removals, and nested levels of them."""

import random

import numpy as np
import pytest

from rulemine.builder.removal.brink import select_brink
from rulemine.builder.removal.levels import thin, with_levels
from rulemine.builder.removal.maximal import select
from rulemine.builder.removal.selection import Selection, SelectionCounts
from rulemine.errors import ConfigError
from rulemine.query.atom import Atom
from rulemine.rules.grounding import ground
from rulemine.rules.rule import Rule
from tests.small_graphs import small_graph, small_rules


def made(rows: list[tuple[int, int]], rules: int) -> Selection:
    """A selection out of (head, rule) rows."""
    head, rule = np.array(rows).T
    return Selection(
        tuple(Rule(Atom(0, "r", 1), (Atom(0, f"p{i}", 1),)) for i in range(rules)),
        head.astype(np.int64),
        rule.astype(np.int32),
        1000 + head[:, None].astype(np.int64),
        np.full(len(rows), 100, np.int16),
        SelectionCounts(len(rows), len(rows), len(rows), len(rows)),
    )


@pytest.fixture
def selection() -> Selection:
    """120 triples of rules with 60, 30, 20, 9 and 1 of them."""
    sizes = (60, 30, 20, 9, 1)
    rules = np.repeat(np.arange(5), sizes).tolist()
    return made(list(enumerate(rules)), 5)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("share", [0.001, 0.05, 0.2, 0.5, 0.77, 1])
def test_a_share_is_met_and_each_rule_gives_its_part(
    selection: Selection, share: float, seed: int
) -> None:
    found = thin(selection, share, seed)
    assert len(found) == max(1, round(120 * share))
    whole, part = np.bincount(selection.rule), np.bincount(found.rule, minlength=5)
    assert (np.abs(part - whole * share) <= 1.5).all()
    kept = np.isin(selection.head, found.head)
    assert found.body.tolist() == selection.body[kept].tolist()
    assert found.rule.tolist() == selection.rule[kept].tolist()


@pytest.mark.parametrize("seed", range(5))
def test_levels_are_nested_and_level_and_share_agree(selection: Selection, seed: int) -> None:
    levels = [1, 20, 40, 60, 80, 100]
    found = with_levels(selection, levels, seed)
    assert found.head.tolist() == selection.head.tolist()
    before: set[int] = set()
    for level in levels:
        removed = found.removed_at(level)
        assert len(removed) == max(1, round(1.2 * level))
        assert before <= set(removed.tolist())
        assert thin(selection, level / 100, seed).removed.tolist() == removed.tolist()
        before = set(removed.tolist())


def test_the_order_depends_on_the_seed_alone(selection: Selection) -> None:
    first = thin(selection, 0.5, 1).head.tolist()
    assert thin(selection, 0.5, 1).head.tolist() == first
    assert thin(selection, 0.5, 2).head.tolist() != first
    assert selection.level.tolist() == [100] * 120, "the input is not changed"


def test_every_triple_of_a_rule_is_equally_likely_to_be_kept(selection: Selection) -> None:
    runs = 400
    kept = np.zeros(120)
    for seed in range(runs):
        kept[thin(selection, 0.25, seed).head] += 1
    # Expected 100 of 400, standard deviation about 9 (less for the large rules).
    assert np.abs(kept / runs - 0.25).max() < 0.1


def test_a_hundred_is_added_where_it_is_not_the_last_level(selection: Selection) -> None:
    found = with_levels(selection, [25], 0)
    assert sorted(set(found.level.tolist())) == [25, 100]
    assert set(with_levels(selection, [], 0).level.tolist()) == {100}


def test_rows_with_the_same_head_go_and_stay_together() -> None:
    rng = random.Random(4)
    rows = sorted((rng.randrange(30), rule) for rule in range(4) for _ in range(25))
    rng.shuffle(rows)
    selection = made(rows, 4)
    found = with_levels(selection, [20, 50], 3)
    of_head: dict[int, set[int]] = {}
    for head, level in zip(found.head.tolist(), found.level.tolist(), strict=True):
        of_head.setdefault(head, set()).add(level)
    assert len(of_head) < len(rows)
    assert {len(levels) for levels in of_head.values()} == {1}
    fewer = thin(selection, 0.5, 3)
    assert sorted(fewer.head.tolist()) == sorted(
        head for head, _ in rows if head in set(fewer.removed.tolist())
    )
    assert len(fewer.removed) == round(0.5 * len(of_head))


@pytest.mark.parametrize("seed", range(20))
def test_proofs_survive_at_every_level_in_both_modes(seed: int) -> None:
    rng = random.Random(seed)
    kg, rules = small_graph(rng, 40, 60), small_rules(rng, 8)
    for selection in (select(kg, ground(kg, rules)), select_brink(kg, rules, per_rule=3)):
        found = with_levels(selection, [10, 30, 70, 100], seed)
        for level in (10, 30, 70, 100):
            now = found.level <= level
            assert not np.isin(found.body[now], found.removed_at(level)).any()


def test_nothing_removed_stays_so() -> None:
    kg = small_graph(random.Random(0))
    selection = select(kg, ground(kg, []))
    assert len(thin(selection, 0.5, 0)) == 0
    assert len(with_levels(selection, [20], 0)) == 0


@pytest.mark.parametrize("share", [0, -0.5, 1.01, float("nan")])
def test_a_share_out_of_range_is_an_error(selection: Selection, share: float) -> None:
    with pytest.raises(ConfigError, match="share: found"):
        thin(selection, share, 0)


@pytest.mark.parametrize("levels", [[0], [101], [40, 20], [20, 20], [0.5], [True, 100]])
def test_levels_that_are_not_ascending_percentages_are_an_error(
    selection: Selection, levels: list[int]
) -> None:
    with pytest.raises(ConfigError, match="levels: found"):
        with_levels(selection, levels, 0)
