"""What writers of questions see and give back: subgraphs, candidates, refusals."""

from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["Candidate", "NamedNode", "Refusal", "Subgraph"]


@dataclass(frozen=True, slots=True)
class Subgraph:
    """A part of the complete graph that a writer sees.

    Attributes:
        nodes: Ids of entities, in the order in which they came.
        rows: Rows of ``kg.triples``, in the order in which they came, each once.
        parent: The key of the accepted candidate that it was grown from; or "".
    """

    nodes: tuple[int, ...]
    rows: tuple[int, ...]
    parent: str = ""


class NamedNode(NamedTuple):
    """An entity as a writer names it, each in any form that `WriterNames.find` reads.

    Attributes:
        id: Its id.
        label: Its label; or the same as the id, where it has one name alone.
    """

    id: str
    label: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question that a writer proposes.

    Attributes:
        question: The text.
        seeds: The entities that it names.
        answer: The answer that the writer has in mind.
        triples: What it is made from: subject, relation and object, or the three on one line.
        sparql: The query for all answers.
    """

    question: str
    seeds: tuple[NamedNode, ...]
    answer: NamedNode
    triples: tuple[tuple[str, ...], ...]
    sparql: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a candidate is no question.

    Attributes:
        reason: A fixed text that can be counted.
        detail: What exactly was found.
        text: The refused text, if it was refused for its words.
        query: The query, if it has one; in the names of the source.
    """

    reason: str
    detail: str = ""
    text: str = ""
    query: str = ""
