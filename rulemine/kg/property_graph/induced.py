"""Property graphs from triples: types induced, relations by signature, and a draft of the schema.

Each entity gets one type: of those that `rulemine.kg.entity_types` gives it, the most common that not every
entity has. Types and relations get names that Cypher takes without quotes; what they are called in the
triples stays in ``sources``, so that a user may rename, merge and delete them in the draft.

Guarantee: the same triples give the same graph and draft, whatever their order.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np

from rulemine.kg.entity_types import states_type, types_of
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.property_graph.faults import Faults
from rulemine.kg.property_graph.graph import GraphEdge, GraphNode, PropertyGraph
from rulemine.kg.property_graph.schema import EntityType, RelationType, Schema

__all__ = ["draft_schema", "edge_ids", "from_triples", "readable_labels"]


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
    left_out = Faults() if left_out is None else left_out
    called = names or {}
    kinds = _one_type_each(kg)
    schema = schema or draft_schema(kg, name)
    types = {source: row.label for row in schema.entities for source in row.sources or (row.label,)}
    relations = {
        (row.subject, source, row.object): row.label
        for row in schema.relations
        for source in row.sources or (row.label,)
    }
    nodes, edges = [], []
    type_of: dict[str, str] = {}
    for entity, kind in kinds.items():
        if kind not in types:
            left_out.add("nodes of types not in the schema", f"{entity!r}: {kind}")
            continue
        type_of[entity] = types[kind]
        nodes.append(GraphNode(entity, types[kind], called.get(entity) or entity))
    triples = _told(kg)
    for s, r, o in triples:
        label = relations.get((type_of.get(s, ""), r, type_of.get(o, "")))
        if label is None:
            left_out.add("edges of signatures not in the schema", f"{s!r} {r!r} {o!r}")
        else:
            edges.append((label, s, o))
    made = sorted(set(edges))
    return PropertyGraph(
        schema,
        nodes,
        [GraphEdge(id_, *edge) for id_, edge in zip(edge_ids(made), made, strict=True)],
    )


def draft_schema(kg: KnowledgeGraph, name: str) -> Schema:
    """A schema of everything that triples say, for a user to edit.

    Args:
        kg: The triples.
        name: The name of the graph.
    """
    kinds = _one_type_each(kg)
    triples = _told(kg)
    types = readable_labels(sorted(set(kinds.values())), capital=True)
    relations = readable_labels(sorted({r for _, r, _ in triples}), capital=False)
    signatures = sorted({(kinds[s], r, kinds[o]) for s, r, o in triples})
    return Schema(
        name,
        tuple(
            EntityType(label, sources=_sources(source, label)) for source, label in types.items()
        ),
        tuple(
            RelationType(
                relations[r], types[subject], types[object_], sources=_sources(r, relations[r])
            )
            for subject, r, object_ in signatures
        ),
    )


def _sources(source: str, label: str) -> tuple[str, ...]:
    return () if source == label else (source,)


def edge_ids(edges: Iterable[tuple[str, str, str]]) -> list[str]:
    """An id for each (type, subject, object), in order; parallel edges are numbered from 2."""
    seen: Counter[tuple[str, str, str]] = Counter()
    ids = []
    for edge in edges:
        seen[edge] += 1
        number = f"#{seen[edge]}" if seen[edge] > 1 else ""
        ids.append("#".join(edge) + number)
    return ids


def readable_labels(sources: Iterable[str], capital: bool) -> dict[str, str]:
    """Names in triples → names that Cypher takes without quotes, none twice.

    Args:
        sources: The names, sorted.
        capital: Whether they are types, written ``LikeThis``; relations stay as they are as far as possible.

    Example:
        >>> readable_labels(["/film/actor", "subject of lives_in"], capital=True)
        {'/film/actor': 'Actor', 'subject of lives_in': 'SubjectOfLivesIn'}
        >>> readable_labels(["/film/actor", "/tv/actor", "lives_in"], capital=False)
        {'/film/actor': 'film_actor', '/tv/actor': 'tv_actor', 'lives_in': 'lives_in'}
    """
    sources = list(sources)
    short = {source: _label(source.rstrip("/#").split("/")[-1], capital) for source in sources}
    often = Counter(short.values())
    found: dict[str, str] = {}
    taken: set[str] = set()
    for source in sources:
        plain = short[source] if capital and often[short[source]] == 1 else _label(source, capital)
        label, number = plain, 1
        while label in taken:
            number += 1
            label = f"{plain}_{number}"
        taken.add(label)
        found[source] = label
    return found


def _label(text: str, capital: bool) -> str:
    words = [word for word in re.split(r"\W+", text) if word]
    if capital:
        words = [part for word in words for part in word.split("_") if part]
        label = "".join(word[0].upper() + word[1:] for word in words)
    else:
        label = "_".join(words)
    if not re.match(r"[^\W\d]", label):
        label = ("Type" if capital else "relation_") + label
    return label


def _one_type_each(kg: KnowledgeGraph) -> dict[str, str]:
    """Entity → its type, for the entities of the triples that are told."""
    found = types_of(kg)
    sizes = np.bincount(found.types, minlength=len(found.names))
    everyone = len(kg.entities)
    # The most common first, but before all those that all entities have; then by name.
    rank = sorted(
        range(len(found.names)), key=lambda i: (sizes[i] == everyone, -sizes[i], found.names[i])
    )
    place = {kind: at for at, kind in enumerate(rank)}
    told = {entity for s, _, o in _told(kg) for entity in (s, o)}
    told |= {s for s, r, _ in kg.labeled() if states_type(r)}
    return {
        entity: found.names[min(found.of(at), key=place.__getitem__)]
        for at, entity in enumerate(kg.entities)
        if entity in told
    }


def _told(kg: KnowledgeGraph) -> list[tuple[str, str, str]]:
    """The triples, without those that state a type."""
    stated = {relation for relation in kg.relations if states_type(relation)}
    return [triple for triple in kg.labeled() if triple[1] not in stated]
