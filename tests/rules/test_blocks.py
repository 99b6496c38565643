"""What is worked out by blocks is the same wherever the blocks are done."""

import pickle
import random

import numpy as np

from rulemine.rules import blocks
from rulemine.rules.blocks import by_blocks
from rulemine.rules.confidence import rare_confidences
from rulemine.rules.grounding import ground
from tests import each
from tests.small_graphs import small_graph, small_rules


def elsewhere(work, items):
    """Each block in a process that has seen no other, the last one first."""
    sent = pickle.dumps(work)
    return [pickle.loads(sent)(item) for item in reversed(items)][::-1]


def test_blocks_are_in_order_and_progress_is_told():
    told = []
    found = by_blocks(list, range(450), progress=lambda *done: told.append(done), most=3)
    assert [one for block in found for one in block] == list(range(450))
    assert (told[0], told[-1], len(told)) == ((3, 450), (450, 450), 150)
    assert [len(block) for block in by_blocks(list, range(80))] == [2] * 40
    assert list(by_blocks(list, [])) == []


@each("sample", [None, 3])
def test_rules_are_grounded_and_measured_alike_elsewhere(sample, monkeypatch):
    monkeypatch.setattr(blocks, "FEWEST_BLOCKS", 7)
    rng = random.Random(5)
    kg, rules = small_graph(rng, least=20, fewest=4), small_rules(rng, 300)
    here, there = (ground(kg, rules, sample=sample, run=run) for run in (map, elsewhere))
    for name in ("rule", "head", "body", "counts", "lacking"):
        one, other = getattr(here, name), getattr(there, name)
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    assert len(here) > 40
    assert here.provable == there.provable == len({*ground(kg, rules).head.tolist()})
    found = rare_confidences(kg, rules, 0.5)
    np.testing.assert_array_equal(found, rare_confidences(kg, rules, 0.5, run=elsewhere))
    assert len({*found.flat}) > 3
