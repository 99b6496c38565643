"""Property graphs from triples: types induced, relations by signature, and a draft of the schema.

Each entity gets one type: of those that `rulemine.kg.entity_types` gives it, the most common that not every
entity has. Types and relations get names that Cypher takes without quotes; what they are called in the
triples stays in ``sources``, so that a user may rename, merge and delete them in the draft.

Guarantee: the same triples give the same graph and draft, whatever their order.
"""

from collections.abc import Mapping

import numpy as np

from rulemine.kg.entity_types import states_type, types_of
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.property_graph.faults import Faults
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.observed import SourceEdge, SourceNode, draft_of, graph_of
from rulemine.kg.property_graph.schema import Schema

__all__ = ["draft_schema", "from_triples", "one_type_each", "plain_triples"]


def from_triples(
    kg: KnowledgeGraph,
    name: str,
    schema: Schema | None = None,
    names: Mapping[str, str] | None = None,
    left_out: Faults | None = None,
) -> PropertyGraph:
    """The property graph of triples; ids are the entities' names in the triples.

    Args:
        kg: The triples.
        name: The name of the graph, where no schema says it.
        schema: An edited draft: what it does not have is left out. None: the draft itself.
        names: Entity → its name for people; those that are not there are called as in the triples.
        left_out: Receives the entities and triples that are left out.
    """
    return graph_of(name, *_observed(kg, names or {}), schema, left_out)


def draft_schema(kg: KnowledgeGraph, name: str) -> Schema:
    """A schema of everything that triples say, for a user to edit.

    Args:
        kg: The triples.
        name: The name of the graph.
    """
    return draft_of(name, *_observed(kg, {}))


def _observed(
    kg: KnowledgeGraph, names: Mapping[str, str]
) -> tuple[list[SourceNode], list[SourceEdge]]:
    kinds = one_type_each(kg)
    nodes = [
        SourceNode(entity, (kind,), names.get(entity) or entity) for entity, kind in kinds.items()
    ]
    return nodes, [SourceEdge(r, s, o) for s, r, o in plain_triples(kg)]


def one_type_each(kg: KnowledgeGraph) -> dict[str, str]:
    """Entity → its type, for the entities of `plain_triples`."""
    found = types_of(kg)
    sizes = np.bincount(found.types, minlength=len(found.names))
    everyone = len(kg.entities)
    # The most common first, but before all those that all entities have; then by name.
    rank = sorted(
        range(len(found.names)), key=lambda i: (sizes[i] == everyone, -sizes[i], found.names[i])
    )
    place = {kind: at for at, kind in enumerate(rank)}
    named = {entity for s, _, o in plain_triples(kg) for entity in (s, o)}
    named |= {s for s, r, _ in kg.labeled() if states_type(r)}
    return {
        entity: found.names[min(found.of(at), key=place.__getitem__)]
        for at, entity in enumerate(kg.entities)
        if entity in named
    }


def plain_triples(kg: KnowledgeGraph) -> list[tuple[str, str, str]]:
    """The triples, without those that state a type."""
    stated = {relation for relation in kg.relations if states_type(relation)}
    return [triple for triple in kg.labeled() if triple[1] not in stated]
