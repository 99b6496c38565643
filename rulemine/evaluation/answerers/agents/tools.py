"""A plain function-calling agent: the model explores the graph with three tools of its endpoint's API.

``relations(entity)``, ``neighbors(entity, relation, direction)`` and ``search(text)``, as the model likes, in
at most `steps` replies with at most `calls` calls each; then it answers from the triples that it saw. No
paper describes it: it is what a user would write first, for models that were trained to call tools.

An endpoint that does not take tools is asked up to `TRIES` times; then there are no answers, and a sentence
says why.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rulemine.config import Section, option
from rulemine.errors import counted
from rulemine.evaluation.answerers.agents.exploring import Explorer, Way, as_json, explore, task
from rulemine.evaluation.answerers.final_answer import TOKENS
from rulemine.evaluation.answerers.protocol import Answered, Context, OpenQuestion, Typical
from rulemine.evaluation.answerers.surroundings import WAYS
from rulemine.evaluation.spelling import Spelling
from rulemine.llm.call import Message, Reply

__all__ = ["TOOLS", "ToolAgent"]

TRIES = 3
"""Questions whose first call has to fail before an endpoint counts as one without tools."""

SIMILAR = 5
"""Names suggested for one that is no entity's."""


def _tool(name: str, description: str, **parameters: Mapping[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "properties": parameters, "required": list(parameters)}
    function = {"name": name, "description": description, "parameters": schema}
    return {"type": "function", "function": function}


_ENTITY = {"type": "string", "description": "The name of an entity, exactly as in the graph."}

TOOLS = (
    _tool(
        "relations",
        "Lists the relations at an entity. Direction 'out': it is the subject; 'in': it is the object.",
        entity=_ENTITY,
    ),
    _tool(
        "neighbors",
        "Lists the entities that a relation leads to from an entity, in one direction.",
        entity=_ENTITY,
        relation={"type": "string", "description": "A relation, as listed by relations."},
        direction={"type": "string", "enum": list(WAYS)},
    ),
    _tool(
        "search",
        "Finds entities by words of their names.",
        text={"type": "string", "description": "The words."},
    ),
)
"""The tools, as the chat API takes them."""

_TAKES: dict[str, list[str]] = {
    tool["function"]["name"]: tool["function"]["parameters"]["required"] for tool in TOOLS
}


@dataclass(frozen=True)
class ToolAgent(Section):
    """A function-calling agent; see the module.

    Attributes:
        steps: Replies with tool calls, at most.
        calls: Tool calls of a reply that are carried out, at most.
        results: Entities of a result, at most; of more neighbors some are drawn, and their number is given.
        temperature: Of every step but the last.
        max_tokens: Tokens of a reply of these steps, at most.
        answer_tokens: Tokens of the answer, at most.
    """

    uses_model: ClassVar = True
    typical: ClassVar = Typical(5.3, 1.4, 300)

    steps: int = option(10, least=1)
    calls: int = option(8, least=1)
    results: int = option(50, least=1)
    temperature: float = option(0.0, least=0, most=2)
    max_tokens: int = option(1024, least=1)
    answer_tokens: int = option(TOKENS, least=1)

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """The answer to each question."""
        trial = _Trial()
        found = explore(
            lambda explorer: _Dialog(self, explorer, trial).run(),
            given,
            questions,
            "tools",
            max_tokens=self.max_tokens,
            answer_tokens=self.answer_tokens,
            temperature=self.temperature,
        )
        if questions and not trial.proven:
            given.note(
                f"tools: no call with tools was answered ({trial.failed} failed), so there are no "
                f"answers. Ask {given.model} at an endpoint that takes tools, or use another agent."
            )
        elif questions and not trial.called:
            given.note(
                f"tools: {given.model} called no tool for any of {counted(len(questions), 'question')}; "
                "its answers are those of a closed book."
            )
        return found

    def worst_calls(self, topics: int) -> int:
        """The most calls for a question, whatever its topics: the steps, and the answer."""
        return self.steps + 1


class _Trial:
    """Finds out whether an endpoint takes tools, by a few questions one after the other.

    Attributes:
        proven: Whether a call with tools was answered.
        failed: Questions whose first call failed.
        called: Whether a tool was called.
    """

    def __init__(self) -> None:
        self.proven = self.called = False
        self.failed = 0
        self._turn = asyncio.Lock()

    async def ask(self, explorer: Explorer, messages: Sequence[Message]) -> Reply | None:
        """The first reply about a question; None where there is none, and none to be hoped for."""
        if not self.proven:
            async with self._turn:
                if not self.proven:
                    return None if self.failed >= TRIES else await self._try(explorer, messages)
        return await self._try(explorer, messages)

    async def _try(self, explorer: Explorer, messages: Sequence[Message]) -> Reply | None:
        reply = await explorer.ask("step", messages, tools=TOOLS)
        self.proven |= reply is not None
        self.failed += reply is None
        return reply


class _Dialog:
    """The conversation about one question."""

    def __init__(self, options: ToolAgent, explorer: Explorer, trial: _Trial) -> None:
        self._options, self._explorer, self._trial = options, explorer, trial

    async def run(self) -> Answered:
        """Lets the model call tools, and answers."""
        explorer = self._explorer
        asked = explorer.question
        about = f"Question: {asked.question}\nTopic entities: {' | '.join(asked.anchors)}"
        most = f"Call at most {counted(self._options.calls, 'tool')} at once."
        messages: list[Message] = [
            {"role": "system", "content": f"{task('tools', 'step')} {most}"},
            {"role": "user", "content": about},
        ]
        reply = await self._trial.ask(explorer, messages)
        if reply is None:
            return Answered(text="", retrieved=[])
        for _ in range(self._options.steps - 1):
            if reply is None or not reply.tool_calls:
                break
            messages = [*messages, *self._carry_out(reply)]
            reply = await explorer.ask("step", messages, tools=TOOLS)
        concluded = ""
        if reply is not None and reply.tool_calls:
            self._carry_out(reply)
        elif reply is not None:
            concluded = reply.text
        return await explorer.answer(concluded)

    def _carry_out(self, reply: Reply) -> list[Message]:
        """A reply with tool calls as the next request repeats it, and their results."""
        self._trial.called = True
        calls: list[Message] = []
        results: list[Message] = []
        for number, call in enumerate(reply.tool_calls):
            function = _object(_object(call).get("function"))
            name, given = str(function.get("name")), function.get("arguments") or {}
            arguments = _read(given)
            key = str(_object(call).get("id") or f"call{number}")
            if number >= self._options.calls:
                result: object = {"error": f"at most {self._options.calls} calls at once"}
            elif arguments is None:
                result = {"error": "the arguments are no JSON object; write them again"}
            else:
                result = self._result(name, arguments)
            # Written anew: some servers fail on arguments that are no JSON when they come back.
            again = {"name": name, "arguments": as_json(arguments or {})}
            calls.append({"id": key, "type": "function", "function": again})
            content = as_json(result)
            results.append({"role": "tool", "tool_call_id": key, "content": content})
        return [{"role": "assistant", "content": reply.text, "tool_calls": calls}, *results]

    def _result(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """What a tool says."""
        explorer, most = self._explorer, self._options.results
        if name not in _TAKES:
            return {"error": "no such tool; there are relations, neighbors and search"}
        if lacking := [one for one in _TAKES[name] if one not in arguments]:
            return {"error": f"{name} lacks the argument {' and '.join(lacking)}"}
        if name == "search":
            return {"entities": explorer.similar(str(arguments["text"]), most)}
        wanted = str(arguments["entity"])
        entity = explorer.around.named(wanted)
        if entity is None:
            return {"error": "no such entity", "similar": explorer.similar(wanted, SIMILAR)}
        ways = explorer.around.relations(entity)
        if name == "relations":
            return {way: [relation for relation, its in ways if its == way] for way in WAYS}
        relation = Spelling(its for its, _ in ways).of(str(arguments["relation"]))
        way: Way = relation, str(arguments["direction"])
        if way not in ways:
            return {"error": "no such relation at this entity in this direction; see relations"}
        near = explorer.near(entity, way)
        shown = explorer.draw(near, most, entity, *way)
        explorer.keep(explorer.triple(entity, way, other) for other in shown)
        return {"entities": shown, "found": len(near)}


def _object(value: object) -> Mapping[str, Any]:
    """See `_read`; an empty object in place of anything else."""
    return _read(value) or {}


def _read(value: object) -> Mapping[str, Any] | None:
    """A JSON object, maybe written as a text; None for anything else."""
    try:
        read = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        read = None
    return read if isinstance(read, Mapping) else None
