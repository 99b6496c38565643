"""Walks against all substitutions, one by one."""

import itertools
import random
from typing import NamedTuple

import numpy as np
import pytest

from rulemine.errors import InputError
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph
from rulemine.kg.index import Index
from rulemine.query import join
from rulemine.query.atom import Atom
from rulemine.rules import walk
from rulemine.rules.formats import parse_readable
from rulemine.rules.rule import Rule
from rulemine.rules.walk import OpenEnds, Walks
from tests import each, some_seeds
from tests.small_graphs import RELATIONS, heads_of, small_graph, small_rules


class Row(NamedTuple):
    topic: int
    answer: int
    rule: int


def derived(kg, rules, asked):
    rows = []
    last = 0
    for block in Walks(Index(kg), rules).derive(asked):
        assert block.topics.start == last
        last = block.topics.stop
        columns = (block.topic.tolist(), block.answer.tolist(), block.rule.tolist())
        rows += map(Row, *columns)
    assert last == len(asked.topics)
    return rows


def by_hand(kg, rules, asked):
    topics = [kg.entities[topic] for topic in asked.topics.tolist()]
    found = set()
    for number, rule in enumerate(rules):
        for subject, relation, end in heads_of(kg, rule):
            topic, answer = (subject, end) if asked.direction == "object" else (end, subject)
            if relation == asked.relation and topic in topics:
                found.add(Row(topics.index(topic), kg.entity_ids[answer], number))
    return sorted(found)


@each("seed", some_seeds(60))
def test_walks_find_what_all_substitutions_give(seed, monkeypatch):
    rng = random.Random(seed)
    monkeypatch.setattr(walk, "TOPICS_AT_ONCE", rng.choice([1, 3, 1 << 14]))
    monkeypatch.setattr(walk, "MOST_ROWS", rng.choice([1, 10, 1 << 23]))
    monkeypatch.setattr(walk, "MOST_KEY", rng.choice([1, 1 << 62]))
    monkeypatch.setattr(join, "ROWS_AT_ONCE", rng.choice([1, 5, 1 << 16]))
    kg, rules = small_graph(rng), small_rules(rng, rng.randrange(1, 8))
    n = len(kg.entities)
    for relation, end in itertools.product(RELATIONS, DIRECTIONS):
        topics = np.array(rng.sample(range(n), rng.randrange(n + 1)), np.int64)
        asked = OpenEnds(relation, end, topics)
        assert derived(kg, rules, asked) == by_hand(kg, rules, asked)


def test_a_hub_costs_its_edges_and_not_their_square(monkeypatch):
    n = 3000
    kg = KnowledgeGraph.from_triples(
        [(f"x{i}", "in", "hub") for i in range(n)] + [("hub", "has", f"y{i}") for i in range(n)]
    )
    rules = (parse_readable("in(x,z) ∧ in(w,z) ∧ has(z,y) ⇒ near(x,y)", closed=False),)
    made = []
    real = join._Paths.expand

    def counting(paths, start, stop):
        found = real(paths, start, stop)
        made.append(len(found[0]))
        return found

    monkeypatch.setattr(join._Paths, "expand", counting)
    topics = np.array([kg.entity_ids["x7"]])
    assert len(derived(kg, rules, OpenEnds("near", "object", topics))) == n
    assert sum(made) < 2 * n


def test_a_rule_that_names_an_entity_is_refused():
    rule = Rule(Atom(0, "p", 1), (Atom(0, "q", "Rome"), Atom(0, "r", 1)))
    with pytest.raises(InputError, match="names the entity 'Rome'"):
        Walks(Index(KnowledgeGraph.from_triples([("a", "p", "b")])), [rule])
