"""Walks against all substitutions, one by one."""

import random
from typing import NamedTuple

import numpy as np
import pytest

from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph
from rulemine.kg.index import Index
from rulemine.rules import walk
from rulemine.rules.formats import parse_readable
from rulemine.rules.rule import Rule
from rulemine.rules.walk import OpenEnds, Walks
from tests import some_seeds
from tests.small_graphs import RELATIONS, heads_of, small_graph, small_rules


class Row(NamedTuple):
    topic: int
    answer: int
    rule: int


def derived(kg: KnowledgeGraph, rules: tuple[Rule, ...], asked: list[OpenEnds]) -> list[Row]:
    rows = []
    last = 0
    for block in Walks(Index(kg), rules).derive(asked):
        assert block.topics.start == last
        last = block.topics.stop
        columns = (block.topic.tolist(), block.answer.tolist(), block.rule.tolist())
        rows += map(Row, *columns)
    assert last == sum(len(some.topics) for some in asked)
    return rows


def by_hand(kg: KnowledgeGraph, rules: tuple[Rule, ...], asked: list[OpenEnds]) -> list[Row]:
    ids = kg.entity_ids
    topics = [(a.relation, a.direction, topic) for a in asked for topic in a.topics.tolist()]
    found = set()
    for number, rule in enumerate(rules):
        for subject, relation, end in heads_of(kg, rule):
            for direction, topic, answer in (("object", subject, end), ("subject", end, subject)):
                if {topic, answer} <= ids.keys():
                    key = (relation, direction, ids[topic])
                    found |= {
                        Row(at, ids[answer], number) for at, t in enumerate(topics) if t == key
                    }
    return sorted(found)


@pytest.mark.parametrize("seed", some_seeds(60))
def test_walks_find_what_all_substitutions_give(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)
    monkeypatch.setattr(walk, "TOPICS_AT_ONCE", rng.choice([1, 3, 1 << 14]))
    monkeypatch.setattr(walk, "MOST_ROWS", rng.choice([1, 10, 1 << 23]))
    monkeypatch.setattr(walk, "MOST_SLOTS", rng.choice([0, 1 << 24]))
    monkeypatch.setattr(walk, "STEPS_AT_ONCE", rng.choice([1, 5, 1 << 16]))
    kg, rules = small_graph(rng), small_rules(rng, rng.randrange(1, 8), entities=True)
    n = len(kg.entities)
    asked = [
        OpenEnds(relation, end, np.array(rng.sample(range(n), rng.randrange(n + 1)), np.int64))
        for relation in RELATIONS
        for end in DIRECTIONS
    ]
    assert derived(kg, rules, asked) == by_hand(kg, rules, asked)


def test_a_hub_costs_its_edges_and_not_their_square(monkeypatch: pytest.MonkeyPatch) -> None:
    n = 3000
    kg = KnowledgeGraph.from_triples(
        [(f"x{i}", "in", "hub") for i in range(n)] + [("hub", "has", f"y{i}") for i in range(n)]
    )
    rules = (parse_readable("in(x,z) ∧ in(w,z) ∧ has(z,y) ⇒ near(x,y)", closed=False),)
    made = []
    real = walk._spread

    def counting(first, count):
        found = real(first, count)
        made.append(len(found[0]))
        return found

    monkeypatch.setattr(walk, "_spread", counting)
    topics = np.array([kg.entity_ids["x7"]])
    rows = derived(kg, rules, [OpenEnds("near", "object", topics)])
    assert len(rows) == n
    assert sum(made) < 10 * n
