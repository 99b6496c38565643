"""Small random property graphs, and random questions of every template over them.

Graphs have all datatypes, absent values, ties, parallel edges, loops, names that several nodes share, names
that break careless quoting, and one relation label with two signatures.
"""

import datetime
from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any

from rulemine.cypher.questions.evaluator import bindings
from rulemine.cypher.questions.pattern import (
    CURRENT,
    MatchPattern,
    PatternNode,
    PatternQuery,
    ReturnClause,
    anchored,
)
from rulemine.cypher.questions.templates import CATEGORIES, MATCHES, RETURNS, ReturnTemplate
from rulemine.kg.property_graph.graph import GraphEdge, GraphNode, PropertyGraph
from rulemine.kg.property_graph.schema import EntityType, Property, RelationType, Schema
from rulemine.kg.property_graph.values import DATATYPES, is_list

YEARS = (Property("start_year", "int"), Property("end_year", "int"))
OWN = tuple(
    Property(f"a_{datatype.strip(']').replace('[', '_')}", datatype) for datatype in DATATYPES
)
SCHEMA = Schema(
    "random",
    (
        EntityType("Person", OWN),
        EntityType("Größe", (*OWN, Property("order", "int"), Property("m²", "float"))),
    ),
    (
        RelationType("knows", "Person", "Person", YEARS),
        RelationType("livesIn", "Person", "Größe", (*YEARS, Property("share", "float"))),
        RelationType("RETURN", "Person", "Größe"),
        RelationType("knows", "Größe", "Person", YEARS),
        RelationType("neighbor²", "Größe", "Größe", YEARS),
    ),
)  # fmt: skip
NAMES = (
    "Bo",
    "Bo",
    "Ann",
    'O"Neil\\',
    "\\u0041",
    "two\nlines",
    "`x`",
    "it's",
    "null",
    "\u2028 \\n",
    "",
)
SCALARS: dict[str, tuple[Any, ...]] = {
    "str": ("red", "green", 'q"\\', ""),
    "int": (-3, 0, 3, 4, 50, 1999, 2**40),
    "float": (-0.5, -0.0, 0.0, 0.1, 0.2, 1.0, 1e-7, 2.5e16),
    "bool": (True, False),
    "date": tuple(datetime.date(year, 2, 29) for year in (1904, 2000, 2004)),
}


def random_graph(seed: int) -> PropertyGraph:
    """A graph of 4 to 12 nodes."""
    random = Random(f"graph {seed}")
    nodes, edges = [], []
    for number in range(random.randint(4, 12)):
        row = random.choice(SCHEMA.entities)
        own = {p.name: _value(random, p.datatype) for p in row.properties if random.random() < 0.7}
        nodes.append(GraphNode(f"x{number}", row.label, random.choice(NAMES), own))
    for number in range(random.randint(5, 30)):
        relation = random.choice(SCHEMA.relations)
        ends = [
            [node.id for node in nodes if node.type == end]
            for end in (relation.subject, relation.object)
        ]
        if all(ends):
            held = {
                p.name: random.choice((1990, 2000, 2010)) if p in YEARS else 0.5
                for p in relation.properties
                if random.random() < 0.6
            }
            subject, object_ = (random.choice(some) for some in ends)
            edges.append(GraphEdge(f"e{number}", relation.label, subject, object_, held))
    return PropertyGraph(SCHEMA, nodes, edges)


def pairs() -> list[tuple[str, str]]:
    """The MATCH and RETURN templates that go together."""
    found = []
    for match in MATCHES.values():
        category = CATEGORIES[match.category]
        for row in RETURNS.values():
            goes = match.category in row.matches if row.matches else category.basic
            if goes and row.named in (None, "n" in category.fixed):
                found.append((match.id, row.id))
    return found


def random_queries(graph: PropertyGraph, seed: int) -> Iterator[PatternQuery]:
    """For each pair of templates a question, where the graph's schema has one."""
    random = Random(f"queries {seed}")
    for match_id, return_id in pairs():
        match = _match(graph, random, match_id)
        if match is not None:
            yield PatternQuery(match, _returned(random, match, RETURNS[return_id]))


def _value(random: Random, datatype: str) -> Any:
    if is_list(datatype):
        some = SCALARS[datatype[5:-1]]
        return tuple(random.choice(some) for _ in range(random.randint(0, 3)))
    return random.choice(SCALARS[datatype])


def _match(graph: PropertyGraph, random: Random, template: str) -> MatchPattern | None:
    category = CATEGORIES[MATCHES[template].category]
    time: str | int | None = None
    if category is CATEGORIES["time"]:
        time = CURRENT if template.endswith("current") else random.choice((1989, 1990, 2000, 2005))
    labels = [row.label for row in SCHEMA.entities]
    for _ in range(40):
        types = {variable: random.choice(labels) for variable in category.nodes}
        if template == "(n*),(m0*)":
            types["m0"] = types["n"]
        relations = []
        for (start, end), way in zip(category.shape, MATCHES[template].directions, strict=True):
            ends = (types[start], types[end]) if way == "→" else (types[end], types[start])
            fitting = [
                row.label
                for row in SCHEMA.relations
                if (row.subject, row.object) == ends and (time is None or set(YEARS) <= set(row.properties))
            ]  # fmt: skip
            relations += [random.choice(fitting)] if fitting else []
        if len(relations) < len(category.shape):
            continue
        bare = MatchPattern(
            template, tuple(map(PatternNode, types.values())), tuple(relations), time
        )
        rows = list(islice(bindings(graph, bare, together=True), 50))
        row = random.choice(rows).nodes if rows and random.random() < 0.9 else {}
        return MatchPattern(template, tuple(
            _fixed(graph, random, types[variable], row.get(variable)) if variable in category.fixed
            else PatternNode(types[variable])
            for variable in category.nodes
        ), tuple(relations), time)  # fmt: skip
    return None


def _fixed(graph: PropertyGraph, random: Random, type_: str, at: int | None) -> PatternNode:
    if at is None:
        return PatternNode(type_, random.choice(NAMES))
    return (
        anchored(graph, at) if random.random() < 0.5 else PatternNode(type_, graph.nodes[at].name)
    )


def _returned(random: Random, match: MatchPattern, row: ReturnTemplate) -> ReturnClause:
    own = {p.name: p.datatype for p in SCHEMA.entity(match.nodes[0].type).properties}
    given: dict[str, Any] = {"known": random.random() < 0.6}
    allowed: tuple[str, ...] = row.datatypes or DATATYPES
    if "aggregate" in row.takes:
        given["aggregate"] = random.choice(("count", "count distinct", "min", "max", "avg"))
        if given["aggregate"] == "avg":
            allowed = ("int", "float")
        elif given["aggregate"] != "count distinct":
            allowed = ("int", "float", "date")
    if "key" in row.takes:
        given["key"] = random.choice(
            [name for name, datatype in own.items() if not is_list(datatype)]
        )
    if "property" in (*row.takes, *row.may_take) and given.get("aggregate") != "count":
        given["property"] = random.choice([name for name, d in own.items() if d in allowed])
        datatype = own[given["property"]]
        if datatype == "date" and given.get("aggregate") in (None, "min", "max"):
            given["year"] = "year" in row.may_take and random.random() < 0.5
        if "operator" in row.takes:
            inner = datatype[5:-1] if is_list(datatype) else datatype
            given["bound"] = random.choice(SCALARS[inner])
            if given.get("year"):
                given["bound"] = given["bound"].year
            operators: tuple[str, ...] = ("=", "<>", "<", ">", "<=", ">=")
            if inner in ("str", "bool"):
                operators = operators[:2]
            given["operator"] = random.choice(("IN", "NOT IN") if is_list(datatype) else operators)
    if "descending" in row.may_take:
        given["descending"] = random.random() < 0.5
    return ReturnClause(row.id, **given)
