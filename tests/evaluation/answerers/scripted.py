"""A model in a test's words, and a small graph, to lead agents through every branch."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, cast

from rulemine.evaluation.answerers.protocol import Answered, Answerer, Context, OpenQuestion
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.llm.call import Answer, Ask, Call, Failure, Reply
from rulemine.llm.session import Session

__all__ = ["KG", "QUESTION", "Script", "broken", "graph", "run", "shown", "told"]

TRIPLES = [
    ("Dune", "author", "Frank"),
    ("Dune", "pages", "412"),
    ("Library", "holds", "Dune"),
    ("Frank", "born", "Tacoma"),
    ("Frank", "lived", "Tacoma"),
    ("Frank", "lived", "Salem"),
    ("Tacoma", "country", "USA"),
    ("Eye", "author", "Frank"),
]

QUESTION = OpenQuestion("q00001", "In which country was the author of Dune born?", ("Dune",))


def graph(triples: Sequence[Triple] = TRIPLES) -> KnowledgeGraph:
    return KnowledgeGraph.from_triples(triples)


KG = graph()

Says = str | Reply | Failure

broken = Failure("refused", "400: no", lasting=False)


class Script:
    """A session whose model says what a test wrote down for each step.

    Attributes:
        calls: What was asked, in order.
    """

    def __init__(self, says: Callable[[Call], Says] | None = None, **steps: Sequence[Says]) -> None:
        """Takes what is said to any call; or for each step its replies one after the other."""
        self._says, self._steps = says, {step: list(replies) for step, replies in steps.items()}
        self.calls: list[Call] = []

    @property
    def steps(self) -> list[str]:
        """The steps asked, by the last word of their purpose."""
        return [call.purpose.rpartition("-")[2] for call in self.calls]

    @property
    def left(self) -> dict[str, list[Says]]:
        """Replies that nobody asked for."""
        return {step: replies for step, replies in self._steps.items() if replies}

    def seconds(self, key: str) -> float:
        return 0.5

    def run(
        self, works: Sequence[Callable[[Ask], Awaitable[Any]]], progress: object = None
    ) -> list[Any]:
        async def all_of_them() -> list[Any]:
            return list(await asyncio.gather(*(work(self._ask) for work in works)))

        return asyncio.run(all_of_them())

    async def _ask(self, call: Call) -> Answer:
        assert call.key  # it can be sent
        self.calls.append(call)
        step = self.steps[-1]
        said = self._says(call) if self._says else self._steps[step].pop(0)
        return Reply(said, prompt_tokens=10, completion_tokens=1) if isinstance(said, str) else said


def run(
    answerer: Answerer,
    script: Script,
    kg: KnowledgeGraph = KG,
    question: OpenQuestion = QUESTION,
    **given: Any,
) -> Answered:
    """What is found for one question; everything in the script has to be said."""
    settings = {"kg": kg, "model": "fake", "session": cast(Session, script), **given}
    (found,) = answerer(Context(**settings), [question])
    assert isinstance(found, Answered)
    assert script.left == {}
    assert found.calls == len(script.calls)
    return found


def shown(call: Call) -> list[str]:
    """The lines of the last thing that was said to the model."""
    return str(call.messages[-1]["content"]).splitlines()


def told(script: Script) -> list[str]:
    """What the last step was told beside the question."""
    call = script.calls[-1]
    assert call.purpose == "answer"
    parts = str(call.messages[-1]["content"]).split("\n\n")
    assert parts[-1].startswith("Question: ")
    return "\n\n".join(parts[1:-1]).removeprefix("What is known:\n").splitlines()
