import datetime
from dataclasses import replace
from random import Random

import pytest

from rulemine.codec import from_json, to_json
from rulemine.kg.graph import Triple
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.values import to_plain
from rulemine.release.values import RemovedValue
from rulemine.removal.values import remove_values
from rulemine.rules.values.value_mining import mine_value_rules
from rulemine.rules.values.value_rules import ValueRule, inferred_values
from tests import some_seeds
from tests.oracles.random_patterns import random_graph
from tests.rules.test_value_rules import towns


def a_case(seed: int) -> tuple[PropertyGraph, tuple[ValueRule, ...], set[Triple]]:
    """A graph, rules that are often wrong and prove one another, and removed triples."""
    random = Random(f"removal {seed}")
    graph = towns(tX0="north") if seed == 0 else random_graph(seed)
    rules = mine_value_rules(graph, min_support=1, min_confidence=0.3, min_lift=1.0)
    triples = sorted((e.subject, e.type, e.object) for e in graph.edges)
    return graph, rules, {triple for triple in triples if random.random() < 0.25}


def without(
    graph: PropertyGraph, triples: set[Triple], values: list[RemovedValue], level: int = 100
) -> PropertyGraph:
    gone = [e.id for e in graph.edges if (e.subject, e.type, e.object) in triples]
    return graph.without(gone, [(v.node, v.property) for v in values if v.level <= level])


@pytest.mark.parametrize("seed", some_seeds(15))
def test_every_removed_value_can_be_read_from_what_is_left(seed: int) -> None:
    graph, rules, triples = a_case(seed)
    of = {rule.id: rule for rule in rules}
    removed = remove_values(graph, triples, rules, 0.6, seed)
    left = without(graph, triples, removed)
    stated = {(e.subject, e.type, e.object) for e in left.edges}
    said = {
        (rule.id, left.nodes[at].id): value
        for rule in rules
        for at, value in inferred_values(left, rule)
    }
    assert len({(v.node, v.property) for v in removed}) == len(removed)
    for value in removed:
        rule, proof = of[value.certificate.rule], value.certificate
        assert value.property not in ("name", "end_year")
        assert to_plain(graph.node(value.node).properties[value.property]) == value.value
        assert value.property not in left.node(value.node).properties
        at = value.node
        assert len(proof.path) == len(rule.path)
        for (subject, relation, object_), step in zip(proof.path, rule.path, strict=True):
            assert (subject, relation, object_) in stated
            assert (at, relation) == (subject if step.outward else object_, step.relation)
            at = object_ if step.outward else subject
            assert graph.node(at).type == step.type
        assert (at, rule.source) == (proof.node, proof.property)
        source = left.value(left.positions[at], proof.property)
        if isinstance(source, datetime.date) and rule.function == "year":
            source = source.year
        assert source == graph.node(value.node).properties[value.property]
        assert to_plain(said[rule.id, value.node]) == value.value


@pytest.mark.parametrize("seed", some_seeds(15))
def test_as_many_are_removed_as_the_share_says_unless_they_are_needed(seed: int) -> None:
    graph, rules, triples = a_case(seed)
    sure = without(graph, triples, [])
    provable: dict[tuple[str, str], set[str]] = {}
    for rule in rules:
        all_said, still = dict(inferred_values(graph, rule)), dict(inferred_values(sure, rule))
        for at in all_said.keys() & still.keys():
            if all_said[at] == still[at] == graph.value(at, rule.property):
                provable.setdefault((rule.type, rule.property), set()).add(graph.nodes[at].id)
    for share in (0.0, 0.3, 1.0):
        removed = remove_values(graph, triples, rules, share, seed)
        gone = {(v.node, v.property) for v in removed}
        needed = {(v.certificate.node, v.certificate.property) for v in removed}
        left = without(graph, triples, removed)
        for (label, name), nodes in provable.items():
            own = {n for n, p in gone if p == name and graph.node(n).type == label}
            assert own <= nodes
            if len(own) == round(share * len(nodes)):
                continue
            assert len(own) < round(share * len(nodes))
            for node in nodes - own:
                if (node, name) not in needed:  # then it has no proof left
                    at = graph.positions[node]
                    assert not any(
                        (r.type, r.property) == (label, name)
                        and dict(inferred_values(graph, r)).get(at) == graph.value(at, name)
                        and dict(inferred_values(left, r)).get(at) == graph.value(at, name)
                        for r in rules
                    )


def test_shares_of_levels_hold_for_each_property() -> None:
    graph = towns()
    rules = mine_value_rules(graph, min_support=2, min_lift=1.0)
    removed = remove_values(graph, (), rules, 0.7, 1)
    kinds = {kind: [v for v in removed if v.property == kind] for kind in ("birth_year", "zone")}
    assert {kind: len(some) for kind, some in kinds.items()} == {"birth_year": 6, "zone": 6}
    for percent in range(1, 101):
        part = [v for v in removed if v.level <= percent]
        assert len(part) == max(1, round(len(removed) * percent / 100))
        for some in kinds.values():
            own = sum(v.level <= percent for v in some)
            assert abs(own - len(some) * percent / 100) < 2


@pytest.mark.parametrize("seed", range(5))
def test_neither_order_nor_repetition_changes_what_is_removed(seed: int) -> None:
    graph, rules, triples = a_case(seed)
    removed = remove_values(graph, sorted(triples), rules, 0.6, 3)
    again = PropertyGraph(graph.schema, graph.nodes[::-1], graph.edges[::-1])
    assert remove_values(again, triples, [*rules[::-1], *rules], 0.6, 3) == removed
    assert removed == sorted(removed, key=lambda v: (v.node, v.property))
    seeds = [remove_values(graph, triples, rules, 0.6, other) for other in range(4, 8)]
    assert any(other != removed for other in seeds)


def test_the_most_certain_rule_with_the_shortest_path_is_the_certificate() -> None:
    graph = towns()
    rules = mine_value_rules(graph, min_support=2)
    (first,) = (r for r in rules if r.text.startswith("Town.country = Country.code"))
    others = [r for r in rules if r.property == "country"]
    assert len(others) == 2
    by_rule = {v.certificate.rule for v in remove_values(graph, (), others, 1, 0)}
    assert by_rule == {min(others, key=lambda r: (len(r.path), -r.support, r.id)).id}
    weaker = [replace(r, confidence=0.5) if r != first else r for r in others]
    assert {v.certificate.rule for v in remove_values(graph, (), weaker, 1, 0)} == {first.id}


def test_the_record_survives_json() -> None:
    graph, rules, triples = a_case(3)
    removed = remove_values(graph, triples, rules, 1.0, 0)
    assert removed
    for value in removed:
        assert from_json(RemovedValue, to_json(value), "line 1") == value
