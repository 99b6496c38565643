"""Replies that are cut off: counted, marked, the end of a run without others, asked again with more room."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from rulemine.errors import NoReplyError
from rulemine.evaluation.answerers.prompted import SelfConsistency
from rulemine.evaluation.answerers.registry import find_answerer
from rulemine.llm.call import Call, Reply
from rulemine.release.reader import Release
from tests.chat_server import ChatServer, lines_of
from tests.command_line import Command
from tests.evaluation.answerers.scripted import Script, run
from tests.evaluation.world import write_structures

CUT = Reply("Half a na", "length")


@pytest.fixture(scope="module")
def http() -> Iterator[HTTPServer]:
    with HTTPServer(host="127.0.0.1", threaded=True) as running:
        yield running


@pytest.fixture
def server(http: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with ChatServer(http=http) as running:
        yield running


@pytest.fixture
def release(here: Path) -> Release:
    return write_structures(here / "release")


def thinking(text: str = "", reason: str = "length") -> dict[str, Any]:
    """The body of a reply that thinking left little room, or none."""
    message = {"content": text, "reasoning_content": "Let me see."}
    if reason == "in tags":
        message, reason = {"content": f"<think>{message['reasoning_content']}"}, "stop"
    return {"choices": [{"message": message, "finish_reason": reason}]}


def words(server: ChatServer, names: str, output: str) -> list[str]:
    asking = ["--model", "m", "--base-url", server.url, "--split", "all", "--concurrency", "16"]
    return ["answer", "release", "--with", names, *asking, "-o", output]


def rows(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()[1:]]


@pytest.mark.parametrize("reason", ["length", "stop", "in tags"])
def test_where_nothing_else_comes_it_ends_and_goes_on_with_more_room(
    release: Release, server: ChatServer, command: Command, reason: str
) -> None:
    """With several systems and so a folder for each, whatever its limits."""
    server.says = lambda body, times: thinking("", reason) if body["max_tokens"] < 4000 else "ann"
    asked = len(release.questions())
    ended = command(*words(server, "lookup,closed-book", "said"))
    assert ended.status == 1
    assert "all of the first 10 questions was cut off" in ended.err
    assert "Give it more room: closed-book:max_tokens=4000." in ended.err
    assert Path("said/lookup.jsonl").exists()
    assert not Path("said/closed-book.jsonl").exists()
    paid = len(server.bodies)
    assert (paid, asked) == (10, 12)  # the others wait for a first reply that is whole
    assert len(lines_of(Path("said/closed-book.jsonl.work/calls.sqlite"))) == paid
    assert command(*words(server, "lookup,closed-book", "said")).status == 1
    assert len(server.bodies) == paid
    ended = command(*words(server, "lookup,closed-book:max_tokens=4000", "said"))
    assert (ended.status, "cut off" in ended.err) == (0, False)
    assert len(server.bodies) == paid + asked
    assert all("cut_off" not in row for row in rows("said/closed-book_max_tokens=4000.jsonl"))


def _text(body: dict[str, Any]) -> str:
    return str(body["messages"][-1]["content"])


def test_those_that_were_cut_off_are_marked_counted_and_the_only_ones_asked_again(
    release: Release, server: ChatServer, command: Command
) -> None:
    seen: dict[str, int] = {}

    def says(body: dict[str, Any], times: int) -> Any:
        number = seen.setdefault(_text(body), len(seen))
        return thinking("ann\nHalf a na") if number % 2 and body["max_tokens"] == 256 else "ann"

    server.says = says
    ended = command(*words(server, "closed-book", "said.jsonl"))
    assert ended.status == 0
    asked, paid = len(release.questions()), len(server.bodies)
    marked = [row["id"] for row in rows("said.jsonl") if "cut_off" in row]
    assert {tuple(row.get("cut_off", ["max_tokens"])) for row in rows("said.jsonl")} == {
        ("max_tokens",)
    }
    told = f"{len(marked)} replies cut off, to {len(marked)} of {asked} questions."
    assert f"{told} Give the model more room: closed-book:max_tokens=4000." in ended.err
    scores = command("evaluate", "release", "said.jsonl", "--split", "all")
    assert (
        f"{len(marked)} of {asked} predictions rest on a model's replies that were cut off (at max_tokens)"
        in scores.out
    )
    ended = command(*words(server, "closed-book:max_tokens=512", "said.jsonl"))
    assert (ended.status, "cut off" in ended.err) == (0, False)
    again = {_text(body) for body in server.bodies[paid:]}
    assert again == {text for text, number in seen.items() if number % 2}
    after = rows("said.jsonl")
    assert [row["raw_output"] for row in after] == ["ann"] * asked
    assert all(row["usage"]["seconds"] > 0 for row in after)  # also of what came with less room


@pytest.mark.parametrize(
    ("name", "cut", "expected"),
    [
        ("chain-of-thought", "think", ["thought_tokens"]),
        ("paths", "plan", ["plan_tokens"]),
        ("tools", "step", ["max_tokens"]),
        ("think-on-graph", "relations", ["max_tokens"]),
        ("plan-on-graph", "objectives", ["max_tokens"]),
        ("struct-gpt", "relations", ["max_tokens"]),
        ("generate-on-graph", "step", ["max_tokens"]),
    ],
)
def test_in_the_middle_the_option_of_that_step_is_named(
    name: str, cut: str, expected: list[str]
) -> None:
    """And a run does not end for it: the last reply came in full."""
    system: Any = find_answerer(name)

    def says(call: Call) -> Any:
        return CUT if call.purpose.rpartition("-")[2] == cut else "Tacoma"

    found = run(system, Script(says))
    assert set(found.cut_off) == set(expected)
    assert len(found.cut_off) == sum(
        call.purpose.rpartition("-")[2] == cut for call in _asked(system, says)
    )
    assert hasattr(system, expected[0])


def _asked(system: Any, says: Any) -> list[Call]:
    script = Script(says)
    run(system, script)
    return script.calls


@pytest.mark.parametrize(
    "name", ["tools", "think-on-graph", "plan-on-graph", "struct-gpt", "generate-on-graph"]
)
def test_the_answer_of_an_agent_has_a_limit_of_its_own(name: str) -> None:
    def says(call: Call) -> Any:
        return CUT if call.max_tokens == 77 else "none"

    system: Any = find_answerer(f"{name}:answer_tokens=77")
    with pytest.raises(
        NoReplyError, match=r"the one question was cut off.* a larger answer_tokens"
    ):
        run(system, Script(says))


def test_every_sample_counts() -> None:
    def says(call: Call) -> Any:
        return CUT if call.sample == 0 else "Tacoma"

    found = run(SelfConsistency(), Script(says))
    assert found.cut_off == ("max_tokens", "thought_tokens")
