import json

from rulemine.evaluation.answerers.agents.tools import TOOLS, ToolAgent
from rulemine.llm.call import Reply
from tests import each
from tests.evaluation.answerers.scripted import (
    AUTHOR,
    QUESTION,
    Script,
    broken,
    given,
    run,
    shown,
    told,
)


def calls(*named, text=""):
    """A reply that calls tools, each with its arguments."""
    functions = [
        {"name": name, "arguments": given if isinstance(given, str) else json.dumps(given)}
        for name, given in named
    ]
    made = [{"id": f"id{n}", "type": "function", "function": f} for n, f in enumerate(functions)]
    return Reply(text, "tool_calls", tool_calls=made)


def neighbors(entity, relation, direction):
    return "neighbors", {"entity": entity, "relation": relation, "direction": direction}


def results(script, call):
    """What the tools said before a call."""
    messages = script.calls[call].messages
    return [json.loads(m["content"]) for m in messages if m["role"] == "tool"]


def test_it_calls_tools_until_it_answers():
    script = Script(
        step=[
            calls(("relations", {"entity": "Dune"}), text="<think>well</think>Let me look."),
            calls(neighbors("Dune", "author", "out"), neighbors("Frank", "author", "in")),
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
    assert told(script)[-2:] == ["Thoughts so far:", "Concluded: It is the USA."]


REFUSED = (
    ("jump", {}, "no such tool"),
    ("relations", {"entity": "Tacoma, WA"}, "no such entity"),
    ("relations", {"entity": "Ilja Snežin"}, "no such entity"),
    ("relations", '{"entity": "\\ud800"}', "no such entity"),
    ("relations", {}, "relations lacks the argument entity"),
    ("neighbors", {"entity": "Dune"}, "neighbors lacks the argument relation and direction"),
    ("relations", "not JSON", "the arguments are no JSON object"),
    ("relations", "[" * 100_000, "the arguments are no JSON object"),
    (*neighbors("Dune", "author", "in"), "no such relation"),
    (*neighbors("Dune", ["author"], 1), "no such relation"),
)


@each(("name", "arguments", "said"), REFUSED)
def test_calls_that_cannot_be_carried_out_say_why(name, arguments, said):
    script = Script(step=[calls((name, arguments)), "none"], answer=["none"])
    found = run(ToolAgent(), script)
    (result,) = results(script, 1)
    assert said in result["error"]
    assert result.get("similar") == ["Tacoma"] or "WA" not in str(arguments)
    repeated = script.calls[1].messages[2]["tool_calls"][0]["function"]["arguments"]
    assert isinstance(json.loads(repeated), dict), "servers read it again"
    assert "Ilja Snežin" in repeated or "Ilja" not in str(arguments), "letters as they are"
    assert (found.text, found.retrieved) == ("", [])


def test_calls_that_are_no_calls_are_answered_too():
    odd = Reply("", "tool_calls", tool_calls=[{}, {"function": None}, {"function": {"name": 7}}])
    script = Script(step=[odd, "x"], answer=["x"])
    run(ToolAgent(), script)
    assert len(results(script, 1)) == 3
    repeated = script.calls[1].messages[2]["tool_calls"]
    assert [call["id"] for call in repeated] == ["call0", "call1", "call2"]


def test_after_the_last_step_it_answers_from_what_it_saw():
    author = calls(neighbors("Dune", "author", "out"))
    for steps, said in ((2, [author] * 2), (1, [author]), (8, [author, broken])):
        script = Script(step=said, answer=["Frank"])
        found = run(ToolAgent(steps=steps), script)
        assert (found.text, found.retrieved) == ("Frank", [AUTHOR])
    assert ToolAgent(steps=2).worst_calls(1) == 3


def test_a_model_that_calls_nothing_is_told_of():
    for number in (2, 0):
        notes = []
        questions = [QUESTION._replace(id=f"q{n}", question=f"Who {n}?") for n in range(number)]
        context = given(Script(lambda call: "Frank"), model="small", note=notes.append)
        assert [found.text for found in ToolAgent()(context, questions)] == ["Frank"] * number
        assert [note.split(";")[0] for note in notes] == [
            f"tools: small called no tool for any of {n} questions" for n in (number,) if n
        ]
