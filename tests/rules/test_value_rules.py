import datetime
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from rulemine.codec import from_json, to_json
from rulemine.errors import ConfigError
from rulemine.kg.property_graph.graph import GraphEdge, GraphNode, PropertyGraph
from rulemine.kg.property_graph.schema import EntityType, Property, RelationType, Schema
from rulemine.rules.values.value_mining import mine_value_rules
from rulemine.rules.values.value_rule_file import read_value_rules, value_rules_text
from rulemine.rules.values.value_rules import ValueRule, paths_from
from tests import some_seeds
from tests.oracles.random_patterns import random_graph

SCHEMA = Schema(
    "towns",
    (
        EntityType("Country", (Property("code", "str"),)),
        EntityType("Person", (Property("born", "date"), Property("birth_year", "int"))),
        EntityType("Town", (Property("country", "str"), Property("zone", "str"))),
    ),
    (
        RelationType("in", "Town", "Country"),
        RelationType("livesIn", "Person", "Town"),
    ),
)
ZONES = {"X": "east", "Y": "west", "Z": "east"}


def towns(**other: str) -> PropertyGraph:
    """Three countries of three towns each; `other` has another zone for some towns."""
    nodes = [GraphNode(f"c{code}", "Country", code, {"code": code}) for code in ZONES]
    edges = []
    for at, (code, number) in enumerate(product(ZONES, range(3))):
        id_ = f"t{code}{number}"
        zone = other.get(id_, ZONES[code])
        nodes.append(GraphNode(id_, "Town", "Newton", {"country": code, "zone": zone}))
        edges.append(GraphEdge(f"e{at}", "in", id_, f"c{code}"))
        born = datetime.date(1900 + at, 5, 1)
        years = {"born": born, "birth_year": 1900 + at}
        nodes.append(GraphNode(f"p{at}", "Person", "Bo", years))
    return PropertyGraph(SCHEMA, nodes, edges)


def found(graph: PropertyGraph, **options: Any) -> dict[str, ValueRule]:
    options = {"min_support": 2, "min_lift": 1.0, "min_confidence": 0.01} | options
    return {rule.text: rule for rule in mine_value_rules(graph, **options)}


def test_rules_are_found_over_paths_and_functions():
    assert list(found(towns(), min_confidence=1.0, min_lift=1.5)) == [
        "Country.code = Town.country over (Country)<-[:in]-(Town)",
        "Person.birth_year = year(Person.born)",
        "Town.country = Country.code over (Town)-[:in]->(Country)",
        "Town.country = Town.country over (Town)-[:in]->(Country)<-[:in]-(Town)",
        "Town.zone = Town.zone over (Town)-[:in]->(Country)<-[:in]-(Town)",
    ]


def test_a_rule_says_nothing_where_paths_lead_to_several_values():
    zone = "Town.zone = Town.zone over (Town)-[:in]->(Country)<-[:in]-(Town)"
    rule = found(towns(tX0="north", tX1="south"))[zone]
    # Only the last town of X sees two zones; the others see one that is not theirs or is ambiguous.
    assert (rule.support, rule.known) == (6, 6)
    rule = found(towns(tX0="north"))[zone]
    assert (rule.support, rule.known, rule.prior) == (6, 7, 3 / 7)


def test_what_the_most_common_value_explains_is_no_rule():
    zones = {f"tY{at}": "east" for at in range(3)}
    assert not any("zone" in text for text in found(towns(**zones), min_lift=1.1))
    assert any("zone" in text for text in found(towns(**zones), min_lift=1.0))


@pytest.mark.parametrize("seed", some_seeds(20))
def test_every_rule_and_its_counts_are_those_of_all_paths(seed):
    graph = random_graph(seed)
    rules = all_rules(graph)
    for confidence, lift in ((0.01, 1.0), (0.6, 1.3)):
        mined = found(graph, min_support=1, min_confidence=confidence, min_lift=lift)
        assert {
            text: (rule.support, rule.known, rule.confidence, rule.prior)
            for text, rule in mined.items()
        } == {
            text: counts
            for text, counts in rules.items()
            if counts[0] and counts[2] >= max(confidence, lift * counts[3])
        }


def all_rules(graph: PropertyGraph) -> dict[str, tuple[int, int, float, float]]:
    """Every rule by looking along all paths: support, known, confidence, prior."""
    steps: list[tuple[str, str, str, str, str, str]] = []
    kind = {node.id: node.type for node in graph.nodes}
    for e in graph.edges:
        s, o = kind[e.subject], kind[e.object]
        steps.append((e.subject, s, f"-[:{e.type}]->({o})", o, e.object, e.id))
        steps.append((e.object, o, f"<-[:{e.type}]-({s})", s, e.subject, e.id))
    walks = [((node.id,), "", node.type) for node in graph.nodes]
    walks += [((a, b), text, end) for a, _, text, end, b, _ in steps if a != b]
    walks += [
        ((a, b, c), first + second, end)
        for (a, _, first, _, b, _), (m, _, second, end, c, _) in product(steps, steps)
        if b == m and len({a, b, c}) == 3
    ]
    said: dict[tuple[str, str], dict[str, set[Any]]] = {}
    for nodes, text, end in walks:
        for source, value in own(graph, nodes[-1]).items():
            plain = f"{end}.{source}"
            readings = {plain: value}
            if isinstance(value, datetime.date):
                readings[f"year({plain})"] = value.year
            for reading, result in readings.items():
                key = kind[nodes[0]], f"{reading}|{text}"
                said.setdefault(key, {}).setdefault(nodes[0], set()).add(result)
    rules = {}
    datatypes = {
        row.label: {p.name: p.datatype for p in row.properties} for row in graph.schema.entities
    }
    for (type_, key), by_node in said.items():
        reading, steps_text = key.split("|")
        of = reading.removeprefix("year(").rstrip(")").split(".")
        datatype = "int" if "(" in reading else datatypes[of[0]][of[1]]
        for name, result in datatypes[type_].items():
            if result != datatype or (not steps_text and reading == f"{type_}.{name}"):
                continue
            pairs = [
                (own(graph, node)[name], *values)
                for node, values in by_node.items()
                if len(values) == 1 and name in own(graph, node)
            ]
            if not pairs:
                continue
            right = sum(a == b for a, b in pairs)
            prior = max(Counter(a for a, _ in pairs).values()) / len(pairs)
            text = f"{type_}.{name} = {reading}" + f" over ({type_}){steps_text}" * bool(steps_text)
            rules[text] = (right, len(pairs), right / len(pairs), prior)
    return rules


def own(graph: PropertyGraph, node: str) -> dict[str, Any]:
    row = graph.node(node)
    return dict(row.properties)


def test_paths_are_over_different_nodes():
    graph = towns()
    rule = found(graph)["Town.zone = Town.zone over (Town)-[:in]->(Country)<-[:in]-(Town)"]
    ends = [graph.nodes[path[-1]].id for path in paths_from(graph, rule, graph.positions["tX1"])]
    assert ends == ["tX0", "tX2"]


def test_rules_of_a_file_are_those_of_mining(tmp_path: Path):
    mined = found(towns())
    path = tmp_path / "rules.toml"
    path.write_text(f"rules = {list(mined)!r}", "utf-8")
    assert read_value_rules(path, towns()) == tuple(mined.values())
    path.write_text('rules = ["Town.zone = Country.code over (Town)-[:in]->(Country)"]', "utf-8")
    assert [rule.support for rule in read_value_rules(path, towns())] == [0]
    path.write_text(value_rules_text(towns(), tuple(mined.values())), "utf-8")
    assert read_value_rules(path, towns()) == tuple(mined.values())
    assert "# Town.zone: 9 of 9 values\n" in path.read_text("utf-8")
    path.write_text(value_rules_text(towns(), ()), "utf-8")
    assert read_value_rules(path, towns()) == ()


def test_the_record_survives_json():
    for rule in found(towns()).values():
        assert from_json(ValueRule, to_json(rule), "line 1") == rule


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("Town.zone is Country.code", "is no rule"),
        ("Twon.zone = Town.zone over (Twon)-[:in]->(Country)<-[:in]-(Town)", "did you mean 'Town'"),
        ("Town.zone = Town.zone", "it says nothing"),
        ("Town.zone = Country.code over (Town)<-[:in]-(Country)", "no relation Country in Town"),
        ("Town.zone = Country.name over (Town)-[:in]->(Country)", "no property 'name'"),
        ("Town.zone = Country.cod over (Town)-[:in]->(Country)", "did you mean 'code'"),
        ("Town.zone = Country.code", "a path from Town to Country was expected"),
        ("Town.zone = Country.code over (Person)-[:livesIn]->(Town)", "a path from Town to Country"),
        ("Person.birth_year = Person.born", "date does not become int"),
        ("Person.birth_year = yaer(Person.born)", "did you mean 'year'"),
        ("Person.name = Town.name over (Person)-[:livesIn]->(Town)", "no property 'name'"),
    ],
)  # fmt: skip
def test_rules_that_do_not_fit_are_refused(tmp_path: Path, rule: str, said: str):
    path = tmp_path / "rules.toml"
    path.write_text(f"rules = [{rule!r}, 3]", "utf-8")
    with pytest.raises(ConfigError) as caught:
        read_value_rules(path, towns())
    assert said in str(caught.value)
    assert "3 is no rule" in str(caught.value)


@pytest.mark.parametrize("text", ["rule = []", 'rules = "a"', "rules = []\nmore = 1"])
def test_a_file_has_rules_alone(tmp_path: Path, text: str):
    path = tmp_path / "rules.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match='expected the key "rules" alone'):
        read_value_rules(path, towns())


@pytest.mark.parametrize("options", [{"min_confidence": 0}, {"min_support": 0}, {"min_lift": 0.5}])
def test_thresholds_have_bounds(options: dict[str, float]):
    with pytest.raises(ConfigError, match="expected a confidence above 0"):
        found(towns(), **options)


def test_the_order_of_the_input_does_not_matter():
    graph = towns(tX0="north")
    turned = PropertyGraph(SCHEMA, graph.nodes[::-1], graph.edges[::-1])
    assert mine_value_rules(graph, min_support=2) == mine_value_rules(turned, min_support=2)
