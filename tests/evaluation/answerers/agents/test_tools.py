import json
from typing import Any

import pytest

from rulemine.evaluation.answerers.agents.tools import TOOLS, ToolAgent
from rulemine.evaluation.answerers.protocol import Context, OpenQuestion
from rulemine.llm.call import Reply
from tests.evaluation.answerers.scripted import (
    KG,
    QUESTION,
    Script,
    broken,
    graph,
    run,
    shown,
    told,
)

AUTHOR = ("Dune", "author", "Frank")


def calls(*named: tuple[str, Any], text: str = "") -> Reply:
    """A reply that calls tools, each with its arguments."""
    return Reply(
        text,
        "tool_calls",
        tool_calls=[
            {
                "id": f"id{number}",
                "type": "function",
                "function": {
                    "name": name,
                    "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments),
                },
            }
            for number, (name, arguments) in enumerate(named)
        ],
    )


def results(script: Script, call: int) -> list[Any]:
    """What the tools said before a call."""
    messages = script.calls[call].messages
    return [json.loads(m["content"]) for m in messages if m["role"] == "tool"]


def test_it_calls_tools_until_it_answers() -> None:
    script = Script(
        step=[
            calls(("relations", {"entity": "Dune"}), text="<think>well</think>Let me look."),
            calls(
                ("neighbors", {"entity": "Dune", "relation": "author", "direction": "out"}),
                ("neighbors", {"entity": "Frank", "relation": "author", "direction": "in"}),
            ),
            calls(("search", {"text": "tacoma"})),
            "It is the USA.",
        ],
        answer=["USA"],
    )
    found = run(ToolAgent(), script)
    assert found.text == "USA"
    assert found.retrieved == [AUTHOR, ("Eye", "author", "Frank")], "in the order retrieved"
    assert list(script.calls[0].tools) == list(TOOLS)
    assert shown(script.calls[0])[1] == "Topic entities: Dune"
    assert results(script, 3) == [
        {"out": ["author", "pages"], "in": ["holds"]},
        {"entities": ["Frank"], "found": 1},
        {"entities": ["Dune", "Eye"], "found": 2},
        {"entities": ["Tacoma"]},
    ]
    roles = [message["role"] for message in script.calls[2].messages]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "tool", "tool"]
    assert script.calls[1].messages[2]["content"] == "Let me look."
    assert script.calls[-1].tools == ()
    assert told(script)[-4:] == [
        *("Eye | author | Frank", "", "Thoughts so far:", "Concluded: It is the USA.")
    ]


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("jump", {}, "no such tool"),
        ("relations", {"entity": "Tacoma, WA"}, "no such entity"),
        ("relations", {"entity": "Ilja Snežin"}, "no such entity"),
        ("relations", {}, "relations lacks the argument entity"),
        ("search", {"query": "Dune"}, "search lacks the argument text"),
        ("relations", "not JSON", "the arguments are no JSON object"),
        ("relations", "[1]", "the arguments are no JSON object"),
        ("relations", '{"entity": "\\ud800"}', "no such entity"),
        ("relations", "[" * 100_000, "the arguments are no JSON object"),
        (
            "neighbors",
            {"entity": "Dune", "relation": "author", "direction": "in"},
            "no such relation",
        ),
        (
            "neighbors",
            {"entity": "Dune", "relation": ["author"], "direction": 1},
            "no such relation",
        ),
        ("neighbors", {"entity": "Dune"}, "neighbors lacks the argument relation and direction"),
    ],
)
def test_calls_that_cannot_be_carried_out_say_why(name: str, arguments: Any, said: str) -> None:
    script = Script(step=[calls((name, arguments)), "none"], answer=["none"])
    found = run(ToolAgent(), script)
    (result,) = results(script, 1)
    assert said in result["error"]
    if "WA" in str(arguments):
        assert result["similar"] == ["Tacoma"]
    repeated = script.calls[1].messages[2]["tool_calls"][0]["function"]["arguments"]
    assert isinstance(json.loads(repeated), dict), "servers read it again"
    assert "Ilja Snežin" in repeated or "Ilja" not in str(arguments), "letters as they are"
    assert (found.text, found.retrieved) == ("", [])


def test_calls_of_no_known_form_are_errors_too() -> None:
    odd = Reply("", "tool_calls", tool_calls=[{}, {"function": None}, {"function": {"name": 7}}])
    script = Script(step=[odd, "x"], answer=["x"])
    run(ToolAgent(), script)
    assert len(results(script, 1)) == 3
    repeated = script.calls[1].messages[2]["tool_calls"]
    assert [call["id"] for call in repeated] == ["call0", "call1", "call2"]


def test_results_and_calls_are_bounded() -> None:
    star = graph([("Hub", "likes", f"p{number:02}") for number in range(60)])
    likes = ("neighbors", {"entity": "Hub", "relation": "likes", "direction": "out"})

    def drawn(seed: int) -> Any:
        script = Script(step=[calls(likes, likes, likes), "x"], answer=["x"])
        asked = OpenQuestion("q3", "Who?", ("Hub",))
        found = run(ToolAgent(calls=2, results=7), script, star, asked, seed=seed)
        first, second, third = results(script, 1)
        assert (first, first["found"]) == (second, 60)
        assert third == {"error": "at most 2 calls at once"}
        assert found.retrieved == [("Hub", "likes", name) for name in first["entities"]]
        return found.retrieved

    assert len(drawn(0)) == 7
    assert drawn(0) == drawn(0) != drawn(1)


def test_after_the_last_step_it_answers_from_what_it_saw() -> None:
    author = ("neighbors", {"entity": "Dune", "relation": "author", "direction": "out"})
    script = Script(step=[calls(author)] * 2, answer=["Frank"])
    options = ToolAgent(steps=2)
    found = run(options, script)
    assert (found.text, found.retrieved) == ("Frank", [AUTHOR])
    assert found.calls == options.worst_calls(1) == 3
    script = Script(step=[calls(author)], answer=["Frank"])
    assert run(ToolAgent(steps=1), script).retrieved == [AUTHOR], "the last calls count too"
    script = Script(step=[calls(author), broken], answer=["Frank"])
    assert run(ToolAgent(), script).retrieved == [AUTHOR]


def answered(script: Script, number: int) -> tuple[list[str | None], list[str]]:
    notes: list[str] = []
    asked = [QUESTION._replace(id=f"q{n}", question=f"Who {n}?") for n in range(number)]
    given = Context(kg=KG, model="small", session=script, note=notes.append)  # type: ignore[arg-type]
    return [found.text for found in ToolAgent()(given, asked)], notes


def test_a_model_that_calls_nothing_is_told_of() -> None:
    found, notes = answered(Script(lambda call: "Frank"), 2)
    assert found == ["Frank"] * 2
    assert notes == [
        "tools: small called no tool for any of 2 questions; its answers are those of a closed book."
    ]
    assert answered(Script(), 0) == ([], [])
