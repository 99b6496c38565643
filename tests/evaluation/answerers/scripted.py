"""A model in a test's words, and a small graph, to lead systems that ask a model through every branch."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, cast

from rulemine.evaluation.answerers.protocol import Answered, Answerer, Context, OpenQuestion
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.llm.call import Answer, Call, Failure, Reply
from rulemine.llm.session import Session

TRIPLES = [
    ("Dune", "author", "Frank"), ("Dune", "pages", "412"), ("Library", "holds", "Dune"),
    ("Frank", "born", "Tacoma"), ("Frank", "lived", "Tacoma"), ("Frank", "lived", "Salem"),
    ("Tacoma", "country", "USA"), ("Eye", "author", "Frank"),
]  # fmt: skip
AUTHOR, BORN = TRIPLES[0], TRIPLES[3]

QUESTION = OpenQuestion("q00001", "In which country was the author of Dune born?", ("Dune",))


def graph(triples: Sequence[Triple] = TRIPLES) -> KnowledgeGraph:
    return KnowledgeGraph.from_triples(triples)


KG = graph()

Says = str | Reply | Failure

broken = Failure("refused", "400: no", lasting=False)


class Script:
    """A session whose model says what a test wrote down for each step; `calls` is what was asked."""

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

    def run(self, works: Sequence[Any], progress: object = None) -> list[Any]:
        async def all_of_them() -> list[Any]:
            return list(await asyncio.gather(*(work(self._ask) for work in works)))

        return asyncio.run(all_of_them())

    async def _ask(self, call: Call) -> Answer:
        assert call.key  # it can be sent
        self.calls.append(call)
        said = self._says(call) if self._says else self._steps[self.steps[-1]].pop(0)
        return Reply(said, prompt_tokens=10, completion_tokens=1) if isinstance(said, str) else said


def given(script: Script, **more: Any) -> Context:
    """What a system is given: the small graph and the model of a script, and what else a test says."""
    return Context(**{"kg": KG, "model": "fake", "session": cast(Session, script), **more})


def run(
    answerer: Answerer,
    script: Script,
    kg: KnowledgeGraph = KG,
    question: OpenQuestion = QUESTION,
    **more: Any,
) -> Answered:
    """What is found for one question; everything in the script has to be said."""
    (found,) = answerer(given(script, kg=kg, **more), [question])
    assert isinstance(found, Answered)
    assert script.left == {}
    assert found.calls == len(script.calls)
    return found


def asked(call: Call) -> str:
    """The last thing that was said to the model."""
    return str(call.messages[-1]["content"])


def shown(call: Call) -> list[str]:
    """Its lines."""
    return asked(call).splitlines()


def told(script: Script) -> list[str]:
    """What the last step was told beside the question."""
    assert script.steps[-1] == "answer"
    parts = asked(script.calls[-1]).split("\n\n")
    assert parts[-1].startswith("Question: ")
    return "\n\n".join(parts[1:-1]).removeprefix("What is known:\n").splitlines()
