"""What a model is shown that writes SPARQL: the relations of a graph, or the triples around topic entities.

Guarantee: the same relations and examples in every naming, under its names.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from rulemine.arrays import distinct
from rulemine.evaluation.answerers.retrieval import in_private_order
from rulemine.kg.entity_types import types_of
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.query.sparql import entity_iri, relation_iri

__all__ = ["ShownQuestion", "about", "answered", "relations_text", "task_on"]

_TASK = """\
Write the SPARQL query that answers the question at the end from a knowledge graph. {shown}

Write one SELECT query that binds every answer, and nothing else, to ?answer; of a question that asks how \
many, SELECT (COUNT(DISTINCT ?answer) AS ?value). Entities and relations are IRIs, spelled exactly as they \
are given; the graph has no values and no types. Put the query between ```sparql and ```, and write nothing \
else."""

_WITH_TYPES = (
    "Its relations, each with the commonest type of its subjects and objects (not in the graph):"
)
_WITH_EXAMPLES = "Its relations, each with the subject and the object of a triple, as an example:"
_WITH_TRIPLES = (
    "The part of it around the entities that the question names comes with the question."
)
_SOURCES = ("stated", "names")
"""Where types come from that have a name of their own."""


class ShownQuestion(NamedTuple):
    """What a model is shown for a question.

    Attributes:
        question: Its text.
        topics: The topic entities.
        triples: The triples that it is shown.
    """

    question: str
    topics: Sequence[str]
    triples: Sequence[Triple] = ()


def task_on(kg: KnowledgeGraph, order: Mapping[str, int], *, with_triples: bool = False) -> str:
    """What a model is told before the question; the same for all questions of a graph.

    Args:
        kg: The graph.
        order: Entity → its place by private id.
        with_triples: Whether each question comes with triples, in place of the relations.
    """
    return _TASK.format(shown=_WITH_TRIPLES if with_triples else relations_text(kg, order))


def relations_text(kg: KnowledgeGraph, order: Mapping[str, int]) -> str:
    """The relations of a graph, a line each.

    Example:
        >>> kg = KnowledgeGraph.from_triples([("ann", "mother", "eve"), ("bob", "mother", "eve")])
        >>> print(relations_text(kg, {}))
        Its relations, each with the subject and the object of a triple, as an example:
        <relation:mother> ann → eve
    """
    types = types_of(kg)
    rows = kg.triples[in_private_order(kg, order)]
    typed = types.source.partition(",")[0] in _SOURCES
    lines = [_WITH_TYPES if typed else _WITH_EXAMPLES]
    for number, name in enumerate(kg.relations):
        own = rows[rows[:, 1] == number]
        if not len(own):
            continue
        ends = [
            _commonest(
                label for e in distinct(own[:, at]).tolist() for label in types.labels(types.of(e))
            )
            if typed
            else kg.entities[own[0, at]]
            for at in (0, 2)
        ]
        lines.append(f"<{relation_iri(name)}> {ends[0]} → {ends[1]}")
    return "\n".join(lines)


def about(shown: ShownQuestion) -> str:
    """The question with its topic entities.

    Example:
        >>> print(about(ShownQuestion("Who is Ann B.'s mother?", ["Ann B."])))
        Question: Who is Ann B.'s mother?
        Ann B. is <entity:Ann%20B.>
    """
    triples = "".join(
        f"<{entity_iri(s)}> <{relation_iri(r)}> <{entity_iri(o)}> .\n" for s, r, o in shown.triples
    )
    parts = [f"What the graph has around them:\n{triples}"] * bool(triples)
    parts.append(f"Question: {shown.question}")
    parts += [f"{name} is <{entity_iri(name)}>" for name in shown.topics]
    return "\n".join(parts)


def answered(query: str) -> str:
    """A query as a model is to write it."""
    return f"```sparql\n{query}\n```"


def _commonest(labels: Iterable[str]) -> str:
    counts = Counter(labels)
    return min(counts, key=lambda label: (-counts[label], label))
