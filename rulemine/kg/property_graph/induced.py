"""Property graphs from triples: types induced, relations by signature, and a draft of the schema.

Each entity gets one type: what the words for its relations call it, where most entities have such a word;
else, of those that `rulemine.kg.entity_types` gives it, the most common that not every entity has. Types and
relations get names that Cypher takes without quotes; what they are called in the
triples stays in ``sources``, so that a user may rename, merge and delete them in the draft.

Guarantee: the same triples give the same graph and draft, whatever their order.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from rulemine.kg.entity_types import states_type, types_of
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kg.property_graph.faults import Faults
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.observed import SourceEdge, SourceNode, draft_of, graph_of
from rulemine.kg.property_graph.schema import Schema

__all__ = ["draft_schema", "from_triples", "one_type_each", "plain_triples"]

_FEWEST = 5
"""A type in words has at least so many entities, in small graphs fewer."""

_ROLES = frozenset({"employer"})
"""Words that are taken where there is no other: schools are employers, too."""

_RARE = 50
"""One in so many triples of a relation joins two types, or none of them is an edge."""

End = tuple[str, str]
"""A relation, and ``subject`` or ``object``."""


def from_triples(
    kg: KnowledgeGraph,
    name: str,
    schema: Schema | None = None,
    names: Mapping[str, str] | None = None,
    left_out: Faults | None = None,
    nouns: Mapping[End, str] | None = None,
    words: Mapping[str, str] | None = None,
) -> PropertyGraph:
    """The property graph of triples; ids are the entities' names in the triples.

    Args:
        kg: The triples.
        name: The name of the graph, where no schema says it.
        schema: An edited draft: what it does not have is left out. None: the draft itself.
        names: Entity → its name for people; those that are not there are called as in the triples.
        left_out: Receives the entities and triples that are left out.
        nouns: Relation and end → what is there, such as *person*; ends that are not there say nothing.
        words: Entity → what it is, in a word, where that is known without its relations.
    """
    observed = _observed(kg, names or {}, nouns, words, schema, left_out)
    return graph_of(name, *observed, schema, left_out)


def draft_schema(kg: KnowledgeGraph, name: str) -> Schema:
    """A schema of everything that triples say, for a user to edit.

    Args:
        kg: The triples.
        name: The name of the graph.
    """
    return draft_of(name, *_observed(kg, {}))


def _observed(
    kg: KnowledgeGraph,
    names: Mapping[str, str],
    nouns: Mapping[End, str] | None = None,
    words: Mapping[str, str] | None = None,
    schema: Schema | None = None,
    left_out: Faults | None = None,
) -> tuple[list[SourceNode], list[SourceEdge]]:
    kinds = one_type_each(kg)
    worded = words or (_worded(kg, nouns) if nouns else {})
    nodes = []
    for entity, kind in kinds.items():
        # A schema may have been drafted before there were words.
        types = (worded.get(entity, "thing"), kind)[: 2 if schema else 1] if worded else (kind,)
        nodes.append(SourceNode(entity, types, names.get(entity) or entity))
    triples = plain_triples(kg)
    if worded and schema is None:
        triples = _usual(triples, worded, left_out)
    return nodes, [SourceEdge(r, s, o) for s, r, o in triples]


def _usual(
    triples: Sequence[Triple], types: Mapping[str, str], left_out: Faults | None
) -> list[Triple]:
    """The triples without those whose ends a relation hardly ever has: a country of a country.

    Where types are guessed, such triples are wrong guesses, and questions about them sound like it.
    """
    signatures = [(types.get(s, ""), r, types.get(o, "")) for s, r, o in triples]
    counts, sizes = Counter(signatures), Counter(r for _, r, _ in triples)
    found = []
    for triple, signature in zip(triples, signatures, strict=True):
        if _RARE * counts[signature] >= sizes[triple[1]]:
            found.append(triple)
        elif left_out is not None:
            left_out.add(
                "edges between types that their relation hardly ever joins", " ".join(triple)
            )
    return found


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


def _worded(kg: KnowledgeGraph, nouns: Mapping[End, str]) -> dict[str, str]:
    """Entity → what most of its relations call it; empty where most entities would be called nothing.

    Each end of a relation at which an entity is counts as the number of its triples there has digits in base
    two: a film star is a person of many relations before an actor in many films. Of words with as many votes
    the one with most votes of all entities comes first, and a word for a role last. Types of few entities are
    not taken where another word is; without any it is *thing*.
    """
    if types_of(kg).source != "induced":
        return {}
    votes: list[Counter[str]] = [Counter() for _ in kg.entities]
    for column, end in ((0, "subject"), (2, "object")):
        codes = kg.triples[:, column].astype(np.int64) * len(kg.relations) + kg.triples[:, 1]
        for code, count in zip(
            *(part.tolist() for part in np.unique(codes, return_counts=True)), strict=True
        ):
            entity, relation = divmod(code, len(kg.relations))
            if noun := nouns.get((kg.relations[relation], end)):
                votes[entity][noun] += count.bit_length() * (noun not in _ROLES)
    totals: Counter[str] = Counter()
    for vote in votes:
        totals.update(vote)

    def first(vote: Mapping[str, int]) -> str:
        return min(vote, key=lambda noun: (-vote[noun], -totals[noun], noun), default="thing")

    sizes = Counter(first(vote) for vote in votes if vote)
    if 2 * sizes.total() < len(votes):
        return {}
    least = min(_FEWEST, len(votes) // 20)
    common = {noun for noun, size in sizes.items() if size >= least}
    return {
        entity: first({noun: votes[at][noun] for noun in votes[at] if noun in common})
        for at, entity in enumerate(kg.entities)
    }


def plain_triples(kg: KnowledgeGraph) -> list[tuple[str, str, str]]:
    """The triples, without those that state a type."""
    stated = {relation for relation in kg.relations if states_type(relation)}
    return [triple for triple in kg.labeled() if triple[1] not in stated]
