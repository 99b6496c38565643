"""Writers of question-answer pairs: a language model, and the scripted one in its place.

Guarantee: replies are in the order of the tasks, and depend on what is asked alone, never on the order in
which an endpoint answers; a reply without pairs is asked for once more, and what fails is a refusal.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, Protocol

from rulemine.kinds.variants.pairs import PairReason, Shown, pairs_of
from rulemine.kinds.written.candidate import Refusal, Written
from rulemine.kinds.written.scripted_pairs import ScriptedPairs
from rulemine.llm.call import Ask, Call, Failure, Reply
from rulemine.llm.session import Session
from rulemine.recipe.inputs import Inputs
from rulemine.text.json_reply import TEXT, object_schema
from rulemine.verbalizer.requests import SEEDS

__all__ = ["ModelPairs", "PairTask", "PairWriter", "WithoutModel"]

FRESH = 0.8
"""The temperature of variants (Dynamic-KGQA, section 3); the published release has that of the recipe."""

_PATH = {"type": "array", "items": object_schema(subject=TEXT, predicate=TEXT, object=TEXT)}
SCHEMA = object_schema(
    valid_qa_pairs={"type": "boolean"},
    number_of_qa_pairs={"type": "integer"},
    qa_pairs={
        "type": "array",
        "items": object_schema(question=TEXT, answer=TEXT, supporting_path=_PATH),
    },
)
"""Of a reply, for structured outputs."""


class PairTask(NamedTuple):
    """What pairs are wanted for.

    Attributes:
        id: The id of the seed set.
        shown: What the writer sees.
    """

    id: str
    shown: Shown


class PairWriter(Protocol):
    """Writes pairs."""

    def write(self, tasks: Sequence[PairTask]) -> list[Written]:
        """The replies to tasks, in their order."""
        ...


@dataclass(frozen=True)
class WithoutModel:
    """The scripted writer.

    Attributes:
        script: What composes the pairs.
        most: Pairs wanted of a task.
    """

    script: ScriptedPairs
    most: int

    def write(self, tasks: Sequence[PairTask]) -> list[Written]:
        """See `PairWriter`."""
        return [Written(self.script.reply(task.shown.triples, self.most)) for task in tasks]


@dataclass(frozen=True)
class ModelPairs:
    """A language model, asked by the section ``pairs`` of the prompts (P1).

    Attributes:
        inputs: The inputs of the build: prompts, and the options of model and variants.
    """

    inputs: Inputs

    def call(self, task: PairTask) -> Call:
        """The call that asks for pairs."""
        recipe, prompts = self.inputs.recipe, self.inputs.prompts
        chosen, options = recipe.verbalizer, recipe.own
        temperature = FRESH if options.run and chosen.temperature >= 0 else chosen.temperature
        rows = [{"triple": json.dumps(t, ensure_ascii=False)} for t in task.shown.triples]
        glosses = (
            self.inputs.glosses[name] for name in sorted({r for _, r, _ in task.shown.triples})
        )
        relations = [{"relation": g.relation, "statement": g.state("S", "O")} for g in glosses]
        values = {
            "names": prompts.names[self.inputs.prompt_naming],
            "most": str(options.pairs),
            "language": chosen.language,
        }
        return Call(
            purpose="pairs",
            subject=task.id,
            model=chosen.model,
            messages=prompts.messages("pairs", values, {"facts": rows, "relations": relations}),
            max_tokens=chosen.max_tokens * options.pairs,
            temperature=temperature if temperature >= 0 else None,
            seed=(recipe.seed + options.run) % SEEDS,
            schema=SCHEMA,
        )

    def asking(self, session: Session) -> "_Asking":
        """The writer that asks in a session."""
        return _Asking(self, session)


@dataclass(frozen=True)
class _Asking:
    pairs: ModelPairs
    session: Session

    def write(self, tasks: Sequence[PairTask]) -> list[Written]:
        """See `PairWriter`."""
        return self.session.run([partial(self._one, task) for task in tasks])

    async def _one(self, task: PairTask, ask: Ask) -> Written:
        keys: list[str] = []
        reply: str | Refusal = ""
        for call in self._calls(task):
            keys.append(call.key)
            reply = _said(await ask(call))
            if isinstance(reply, Refusal) or any(_is_read(found) for found in pairs_of(reply)):
                break
        return Written(reply, tuple(keys))

    def _calls(self, task: PairTask) -> Iterator[Call]:
        """The call, and another one for a reply without pairs that can be read."""
        call = self.pairs.call(task)
        yield call
        again = self.pairs.inputs.prompts.sections["again"]["user"].strip("\n")
        last = call.messages[-1]
        more = {**last, "content": f"{last['content']}\n\n{again}"}
        yield replace(call, messages=(*call.messages[:-1], more))


def _is_read(found: object) -> bool:
    """Whether there was something to read: a pair, or that there are none."""
    return not isinstance(found, Refusal) or found.reason == PairReason.NONE


def _said(answer: Reply | Failure) -> str | Refusal:
    if isinstance(answer, Failure):
        return Refusal(PairReason.UNANSWERED, answer.code)
    return answer.text
