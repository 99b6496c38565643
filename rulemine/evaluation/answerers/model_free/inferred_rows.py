"""The rows of gold queries on a property graph to which the rules of a release were applied once."""

from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np

from rulemine.cypher.questions.evaluator import evaluate
from rulemine.cypher.questions.pattern import PatternQuery
from rulemine.cypher.questions.pattern_text import query_of
from rulemine.errors import ConfigError
from rulemine.evaluation.answerers.protocol import Answered, Context, OpenQuestion
from rulemine.kg.graph import Triple
from rulemine.kg.index import Index
from rulemine.kg.property_graph.graph import GraphEdge, PropertyGraph
from rulemine.kg.property_graph.values import Value
from rulemine.rules.walk import OpenEnds, Walks

__all__ = ["completed", "inferred_rows"]


def inferred_rows(given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
    """The rows of the gold query of each question on the completed graph."""
    if given.graph is None:
        raise ValueError("there is no property graph")
    queries = [query_of(q.query) for q in questions]
    asked = {relation for query in queries for relation in query.match.relations}
    triples = _derived(given, asked)
    graph = completed(given.graph, triples)
    return [Answered(rows=_rows(graph, query)) for query in queries]


def _rows(graph: PropertyGraph, query: PatternQuery) -> Sequence[Sequence[Value | None]]:
    try:
        return evaluate(graph, query).rows
    except ConfigError:  # a difference of more than 64 bits, which no database has
        return ()


def _derived(given: Context, relations: Collection[str]) -> Iterator[Triple]:
    """What one application of the rules says of some relations, what is stated included."""
    names, everyone = given.kg.entities, np.arange(len(given.kg.entities))
    walks = Walks(Index(given.kg), given.rules)
    heads = sorted({rule.head.relation for rule in given.rules if rule.head.relation in relations})
    for done, relation in enumerate(heads, start=1):
        for _, topic, answer, _ in walks.derive([OpenEnds(relation, "object", everyone)]):
            for s, o in np.unique(np.column_stack((topic, answer)), axis=0).tolist():
                yield names[s], relation, names[o]
        if given.progress is not None:
            given.progress(done, len(heads))


def completed(graph: PropertyGraph, triples: Iterable[Triple]) -> PropertyGraph:
    """A property graph with more edges.

    Args:
        graph: The graph.
        triples: The edges, which have no properties. What is stated, leads from a node to itself, or is no
            relation of the schema, is left out.
    """
    stated = {(edge.subject, edge.type, edge.object) for edge in graph.edges}
    edges = [
        GraphEdge(f"inferred {number}", r, s, o)
        for number, (s, r, o) in enumerate(sorted(set(triples) - stated), start=1)
        if s != o and graph.schema.relation(graph.node(s).type, r, graph.node(o).type)
    ]
    return PropertyGraph(graph.schema, graph.nodes, [*graph.edges, *edges])
