"""Replies that are cut off: counted, marked, the end of a run without others, asked again with more room."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from rulemine.errors import NoReplyError
from rulemine.evaluation.answerers.prompted import SelfConsistency
from rulemine.evaluation.answerers.registry import find_answerer
from rulemine.llm.call import Reply
from tests import each
from tests.chat_server import ChatServer, lines_of
from tests.evaluation.answerers.scripted import Script, run
from tests.evaluation.world import write_structures

CUT = Reply("Half a na", "length")


@pytest.fixture
def server(http, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with ChatServer(http=http) as running:
        yield running


@pytest.fixture
def release(here):
    return write_structures(here / "release")


def thinking(text: str = "", reason: str = "length") -> dict[str, Any]:
    """The body of a reply that thinking left little room, or none."""
    message = {"content": text, "reasoning_content": "Let me see."}
    if reason == "in tags":
        message, reason = {"content": f"<think>{message['reasoning_content']}"}, "stop"
    return {"choices": [{"message": message, "finish_reason": reason}]}


def words(server: ChatServer, names: str, output: str) -> list[str]:
    options = (
        f"--model m --split all --set endpoint.base_url={server.url} --set endpoint.concurrency=16"
    )
    return ["answer", "release", "--with", names, *options.split(), "-o", output]


def rows(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()[1:]]


@each("reason", ("length", "stop", "in tags"))
def test_where_nothing_else_comes_it_ends_and_goes_on_with_more_room(
    release, server, command, reason
):
    """With several systems and so a folder for each, whatever its limits."""
    shutil.rmtree("said", ignore_errors=True)
    server.bodies.clear()
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


def test_those_that_were_cut_off_are_marked_counted_and_asked_again(release, server, command):
    seen = {}

    def text(body):
        return str(body["messages"][-1]["content"])

    def says(body, times):
        number = seen.setdefault(text(body), len(seen))
        return thinking("ann\nHalf a na") if number % 2 and body["max_tokens"] == 256 else "ann"

    server.says = says
    ended = command(*words(server, "closed-book", "said.jsonl"))
    assert ended.status == 0
    asked, paid = len(release.questions()), len(server.bodies)
    marked = [row["cut_off"] for row in rows("said.jsonl") if "cut_off" in row]
    assert marked == [["max_tokens"]] * len(marked)
    told = f"{len(marked)} replies cut off, to {len(marked)} of {asked} questions."
    assert f"{told} Give the model more room: closed-book:max_tokens=4000." in ended.err
    scores = command("evaluate", "release", "said.jsonl", "--split", "all").out
    assert f"{len(marked)} of {asked} predictions rest on a model's replies that" in scores
    ended = command(*words(server, "closed-book:max_tokens=512", "said.jsonl"))
    assert (ended.status, "cut off" in ended.err) == (0, False)
    again = {text(body) for body in server.bodies[paid:]}
    assert again == {asked for asked, number in seen.items() if number % 2}
    assert [row["raw_output"] for row in rows("said.jsonl")] == ["ann"] * asked
    assert all(row["usage"]["seconds"] > 0 for row in rows("said.jsonl"))  # also with less room


def test_in_the_middle_the_option_of_that_step_is_named():
    """And a run does not end for it: the last reply came in full."""
    for name, cut, option in (
        ("chain-of-thought", "think", "thought_tokens"), ("paths", "plan", "plan_tokens"),
        ("tools", "step", "max_tokens"), ("think-on-graph", "relations", "max_tokens"),
        ("plan-on-graph", "objectives", "max_tokens"), ("struct-gpt", "relations", "max_tokens"),
        ("generate-on-graph", "step", "max_tokens"),
    ):  # fmt: skip
        system = find_answerer(name)
        script = Script(lambda c, cut=cut: CUT if c.purpose.rpartition("-")[2] == cut else "Tacoma")
        found = run(system, script)
        assert list(found.cut_off) == [option] * script.steps.count(cut), name
        assert found.cut_off
        assert hasattr(system, option)
    script = Script(lambda call: CUT if call.sample == 0 else "Tacoma")
    assert run(SelfConsistency(), script).cut_off == ("max_tokens", "thought_tokens")


def test_the_answer_of_an_agent_has_a_limit_of_its_own():
    for name in ("tools", "think-on-graph", "plan-on-graph", "struct-gpt", "generate-on-graph"):
        script = Script(lambda call: CUT if call.max_tokens == 77 else "none")
        with pytest.raises(
            NoReplyError, match=r"one question was cut off.* a larger answer_tokens"
        ):
            run(find_answerer(f"{name}:answer_tokens=77"), script)
