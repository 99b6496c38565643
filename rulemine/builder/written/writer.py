"""What writers of questions are asked, and what they give back.

A writer sees a subgraph and replies with a candidate as JSON, whoever it is: a language model
(`rulemine.builder.written.model_writer`) or the scripted one (`rulemine.builder.written.scripted`).
`rulemine.builder.written.replies` reads what both say.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from rulemine.builder.written.candidate import Refusal, Subgraph

__all__ = ["FORMS", "Task", "Writer", "Written"]

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


class Writer(Protocol):
    """Writes candidates."""

    def write(self, tasks: Sequence[Task]) -> list[Written]:
        """What came of some tasks, in their order, whatever the order in which a model answers."""
        ...
