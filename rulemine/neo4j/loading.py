"""The statements that make a graph in an empty Neo4j: `rulemine.neo4j.bolt` runs them, exports write them.

A statement comes with the rows that stand for ``$rows`` in it, up to 1,000 at a time, or with none. Graphs of
triples are nodes ``(:Entity {name})`` and relationships typed by the relations. Of property graphs, types are
labels, and nodes and relationships have their properties, a node ``id`` and ``name`` besides, a relationship
``id``.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from rulemine.cypher.questions.render import quoted_name
from rulemine.kg.graph import Triple
from rulemine.kg.property_graph.graph import GraphEdge, PropertyGraph
from rulemine.kg.property_graph.values import Value

__all__ = ["Statement", "property_graph_statements", "triple_statements"]

Statement = tuple[str, list[Any]]
"""A statement in Cypher, and its rows: texts, lists, and dictionaries of values."""

_ROWS = 1000
_INDEXED = "CALL db.awaitIndexes()"


def triple_statements(names: Sequence[str], triples: Iterable[Triple]) -> Iterator[Statement]:
    """What makes a graph of triples.

    Args:
        names: Its entities.
        triples: Its triples.
    """
    yield "CREATE INDEX entity_name IF NOT EXISTS FOR (e:Entity) ON (e.name)", []
    yield _INDEXED, []
    yield from _pieces("name CREATE (:Entity {name: name})", names)
    relation = itemgetter(1)
    for label, some in groupby(sorted(triples, key=relation), relation):
        quoted = label.replace("`", "``")
        made = (
            "row MATCH (s:Entity {name: row[0]}), (o:Entity {name: row[1]}) "
            f"CREATE (s)-[:`{quoted}`]->(o)"
        )
        yield from _pieces(made, [[s, o] for s, _, o in some])


def property_graph_statements(graph: PropertyGraph) -> Iterator[Statement]:
    """What makes a property graph."""
    labels = {row.label: quoted_name(row.label) for row in graph.schema.entities}
    for label in labels.values():
        for key in ("id", "name"):
            yield f"CREATE INDEX IF NOT EXISTS FOR (n:{label}) ON (n.{key})", []
    yield _INDEXED, []
    for type_, label in labels.items():
        nodes = (graph.nodes[at] for at in graph.of_type(type_))
        rows = [{"id": n.id, "name": n.name, **_listed(n.properties)} for n in nodes]
        yield from _pieces(f"row CREATE (n:{label}) SET n = row", rows)

    def signature(edge: GraphEdge) -> tuple[str, str, str]:
        return graph.node(edge.subject).type, edge.type, graph.node(edge.object).type

    for ends, some in groupby(sorted(graph.edges, key=signature), signature):
        subject, relation, object_ = map(quoted_name, ends)
        made = (
            f"row MATCH (s:{subject} {{id: row[0]}}) MATCH (o:{object_} {{id: row[1]}}) "
            f"CREATE (s)-[r:{relation}]->(o) SET r = row[2]"
        )
        stated = [[e.subject, e.object, {"id": e.id, **_listed(e.properties)}] for e in some]
        yield from _pieces(made, stated)


def _pieces(made: str, rows: Sequence[Any]) -> Iterator[Statement]:
    for first in range(0, len(rows), _ROWS):
        yield f"UNWIND $rows AS {made}", list(rows[first : first + _ROWS])


def _listed(properties: Mapping[str, Value]) -> dict[str, Any]:
    """Properties with lists for tuples, and 0.0 for -0.0, which Neo4j has equal to it and yet below it."""
    return {
        name: list(value) if isinstance(value, tuple) else value + 0.0 if isinstance(value, float) else value
        for name, value in properties.items()
    }  # fmt: skip
