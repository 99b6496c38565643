"""The property graph of the kind ``cypher``, and what follows from it instead of from a knowledge graph."""

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace

from rulemine.datasets.property_graphs import load_property_graph
from rulemine.errors import InputError, counted
from rulemine.files import digest_of
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.property_graph.graph import PropertyGraph, closed_edges
from rulemine.kg.property_graph.simplekg import simplekg_pieces
from rulemine.kinds.cypher.words.names import noun
from rulemine.kinds.kind import Input
from rulemine.recipe.inputs import Inputs, of_key, tell_apart
from rulemine.seeds import stream

__all__ = ["INPUTS", "node_names"]

_BREAK = re.compile(r"[\t\r\n]+")
"""What cannot stand in a table."""

EDGE_DIGITS = 5
"""Minimum number of digits of the id of an edge."""


def _source_graph(inputs: Inputs) -> PropertyGraph:
    """The property graph as it is given."""
    with of_key("labels") if inputs.recipe.labels else nullcontext():
        chosen = inputs.recipe
        return load_property_graph(
            chosen.kg,
            labels=chosen.labels,
            note=inputs.warn,
            columns=chosen.columns,
            strict=chosen.strict,
        )


def _property_graph(inputs: Inputs) -> PropertyGraph:
    """The complete property graph, where every statement of each fact is an edge.

    Its nodes are called by their ids, its edges have numbers as ids.
    """
    given: PropertyGraph = inputs["source_graph"]
    if broken := [node.id for node in given.nodes if _BREAK.search(node.id)]:
        raise InputError(
            f"{inputs.recipe.kg}: {counted(len(broken), 'node')} with a tab or line end in the id, e.g. "
            f"{broken[0]!r}; a release has ids in tables. Give them other ids."
        )
    graph = given.renamed({node.id: node.id for node in given.nodes})
    with of_key("questions.templates"):
        schema, stated = closed_edges(graph, inputs.templates.declarations)
    if added := len(stated) - len(graph.edges):
        inputs.warn(
            f"kg: {counted(added, 'edge')} added, as relations are declared to state the same facts."
        )
    numbers = stream(inputs.recipe.seed, "edges").permutation(len(stated)).tolist()
    width = max(EDGE_DIGITS, len(str(len(stated))))
    edges = (
        replace(edge, id=f"r{number + 1:0{width}d}")
        for edge, number in zip(stated, numbers, strict=True)
    )
    return PropertyGraph(schema, graph.nodes, edges)


def _type_table(inputs: Inputs) -> tuple[str, dict[str, tuple[str, ...]]]:
    """The types of the schema."""
    return "schema", {node.id: (node.type,) for node in inputs["property_graph"].nodes}


def _relations(inputs: Inputs) -> Sequence[str]:
    """The relations of the graph, known before it is closed under declarations."""
    return sorted({edge.type for edge in inputs["source_graph"].edges})


def node_names(inputs: Inputs, kg: KnowledgeGraph) -> dict[str, str]:
    """Node of the property graph → its name; homonyms told apart.

    Of homonyms of several types, the one of the type with the fewest nodes keeps its name: *Armenia* is the
    country, *Armenia (city)* the city.

    Args:
        inputs: The inputs of the build.
        kg: The triples that may tell them apart: without removed ones, a name gives none of them away.
    """
    nodes = inputs["source_graph"].nodes
    called = {node.id: _BREAK.sub(" ", node.name).strip() or node.id for node in nodes}
    types = {node.id: noun(node.type) for node in nodes}
    told = tell_apart(kg, called, called, types)
    size = Counter(types.values())
    groups: dict[str, list[str]] = {}
    for node in nodes:
        groups.setdefault(called[node.id], []).append(node.id)
    for group in groups.values():
        sizes = sorted(size[types[node]] for node in group)
        if len(group) > 1 and sizes[0] < sizes[1]:
            least = min(group, key=lambda node: size[types[node]])
            told |= {node: f"{called[node]} ({node})" for node in group if node not in told}
            told[least] = called[least]
    return called | told


INPUTS = (
    Input(
        "source_graph",
        _source_graph,
        digest=lambda graph: digest_of("".join(simplekg_pieces(graph)).encode()),
        keys=("kg", "labels"),
    ),
    Input("property_graph", _property_graph),
    Input("kg", lambda inputs: inputs["property_graph"].triples()),
    Input("type_table", _type_table),
    Input("relations", _relations),
    Input("stated", lambda inputs: inputs["source_graph"].triples()),
    Input("labels", lambda inputs: node_names(inputs, inputs.kg)),
)
"""What is read: names and values too, which no knowledge graph has."""
