"""A plain function-calling agent: the model explores the graph with three tools of its endpoint's API.

``relations(entity)``, ``neighbors(entity, relation, direction)`` and ``search(text)``, as the model likes, in
at most `steps` replies with at most `calls` calls each; then it answers from the triples that it saw. No
paper describes it: it is what a user would write first, for models that were trained to call tools.

A model that calls no tool at all is noted.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rulemine.config import option
from rulemine.errors import counted
from rulemine.evaluation.answerers.agents.agent import Agent, Explorer, Way, tasks
from rulemine.evaluation.answerers.protocol import Answered, Context, OpenQuestion, Typical
from rulemine.evaluation.answerers.surroundings import WAYS
from rulemine.evaluation.spelling import Spelling
from rulemine.llm.call import Message, Reply
from rulemine.text.json_reply import whole_text

__all__ = ["TOOLS", "ToolAgent"]

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


class _Dialog(Explorer):
    """The conversation about one question."""

    agent: "ToolAgent"

    async def run(self) -> Answered:
        """Lets the model call tools, and answers."""
        anchors = " | ".join(self.question.anchors)
        most = f"Call at most {counted(self.agent.calls, 'tool')} at once."
        messages: list[Message] = [
            {"role": "system", "content": f"{tasks()[self.agent.name]['step']} {most}"},
            {
                "role": "user",
                "content": f"Question: {self.question.question}\nTopic entities: {anchors}",
            },
        ]
        reply = await self.ask("step", messages, tools=TOOLS)
        if reply is None:
            return Answered(text="", retrieved=[])
        for left in reversed(range(self.agent.steps)):
            if reply is None or not reply.tool_calls:
                break
            messages = [*messages, *self._carry_out(reply)]
            reply = await self.ask("step", messages, tools=TOOLS) if left else None
        return await self.answer(reply.text if reply else "")

    def _carry_out(self, reply: Reply) -> list[Message]:
        """A reply with tool calls as the next request repeats it, and their results."""
        calls: list[Message] = []
        results: list[Message] = []
        for number, call in enumerate(reply.tool_calls):
            function = _object(_object(call).get("function"))
            name, given = str(function.get("name")), function.get("arguments") or {}
            arguments = _read(given)
            key = str(_object(call).get("id") or f"call{number}")
            if number >= self.agent.calls:
                result: object = {"error": f"at most {self.agent.calls} calls at once"}
            elif arguments is None:
                result = {"error": "the arguments are no JSON object; write them again"}
            else:
                result = self._result(name, arguments)
            # Written anew: some servers fail on arguments that are no JSON when they come back.
            again = {"name": name, "arguments": _as_json(arguments or {})}
            calls.append({"id": key, "type": "function", "function": again})
            content = _as_json(result)
            results.append({"role": "tool", "tool_call_id": key, "content": content})
        return [{"role": "assistant", "content": reply.text, "tool_calls": calls}, *results]

    def _result(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """What a tool says."""
        most = self.agent.results
        if name not in _TAKES:
            return {"error": "no such tool; there are relations, neighbors and search"}
        if lacking := [one for one in _TAKES[name] if one not in arguments]:
            return {"error": f"{name} lacks the argument {' and '.join(lacking)}"}
        if name == "search":
            return {"entities": self.similar(str(arguments["text"]), most)}
        wanted = str(arguments["entity"])
        entity = self.around.named(wanted)
        if entity is None:
            return {"error": "no such entity", "similar": self.similar(wanted, SIMILAR)}
        ways = self.around.relations(entity)
        if name == "relations":
            return {way: [relation for relation, its in ways if its == way] for way in WAYS}
        relation = Spelling(its for its, _ in ways).of(str(arguments["relation"]))
        way: Way = relation, str(arguments["direction"])
        if way not in ways:
            return {"error": "no such relation at this entity in this direction; see relations"}
        near = self.near(entity, way)
        shown = self.draw(near, most, entity, *way)
        self.keep(self.triple(entity, way, other) for other in shown)
        return {"entities": shown, "found": len(near)}


def _object(value: object) -> Mapping[str, Any]:
    """See `_read`; an empty object in place of anything else."""
    return _read(value) or {}


def _read(value: object) -> Mapping[str, Any] | None:
    """A JSON object, maybe written as a text; None for anything else."""
    try:
        read = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return None
    return read if isinstance(read, Mapping) else None


def _as_json(value: object) -> str:
    """A JSON value in letters as they are; half a surrogate pair, which JSON can write, is replaced."""
    return json.dumps(whole_text(value), ensure_ascii=False)


@dataclass(frozen=True)
class ToolAgent(Agent):
    """A function-calling agent; see the module.

    Attributes:
        steps: Replies with tool calls, at most.
        calls: Tool calls of a reply that are carried out, at most.
        results: Entities of a result, at most; of more neighbors some are drawn, and their number is given.
    """

    name: ClassVar = "tools"
    typical: ClassVar = Typical(5.3, 1.4, 300)
    explorer: ClassVar = _Dialog

    max_tokens: int = option(1024, least=1)
    steps: int = option(10, least=1)
    calls: int = option(8, least=1)
    results: int = option(50, least=1)

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """The answer to each question; a note says where the model never called a tool."""
        found = super().__call__(given, questions)
        # Nothing but a first reply and the answer, where there was room for more.
        if self.steps > 1 and max((one.calls for one in found), default=0) == 2:
            given.note(
                f"tools: {given.model} called no tool for any of {counted(len(found), 'question')}; "
                "its answers are those of a closed book."
            )
        return found

    def worst_calls(self, topics: int) -> int:
        """The most calls for a question, whatever its topics: the steps, and the answer."""
        return self.steps + 1
