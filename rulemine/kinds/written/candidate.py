"""What writers of questions are asked, see and give back: tasks, subgraphs, candidates, refusals.

A writer, a language model (`rulemine.kinds.written.model_calls`) or the scripted one
(`rulemine.kinds.written.scripted`), sees a subgraph and replies with a candidate as JSON.
`rulemine.kinds.written.replies` reads the replies of both.
"""

from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["FORMS", "Candidate", "NamedNode", "Refusal", "Subgraph", "Task", "Written"]


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


FORMS = ("plain", "count", "without")
"""What a question asks for: the answers, their number, or those that are left when some are taken away."""


@dataclass(frozen=True, slots=True)
class Task:
    """One candidate to write.

    Attributes:
        number: Its number in the build, from 0.
        subgraph: What the writer sees.
        atoms: How many triples the question is made from; of the form ``without``, what is taken away
            not counted.
        form: One of `FORMS`.
        given: Rows of ``kg.triples`` that the question must be made from; empty: the writer chooses.
        answer: The entity that must be the answer; None: the writer chooses.
        refused: A reply to it that is to be mended, and what is wrong with it; or none.
    """

    number: int
    subgraph: Subgraph
    atoms: int
    form: str = "plain"
    given: tuple[int, ...] = ()
    answer: int | None = None
    refused: tuple[tuple[str, str], ...] = ()


class Written(NamedTuple):
    """What came of a task.

    Attributes:
        reply: The text of the reply, or why there is none.
        keys: The keys of the calls made for it.
    """

    reply: str | Refusal
    keys: tuple[str, ...] = ()
