"""``rulemine evaluate --judge``: judgements of a release by a panel at an endpoint."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from rulemine.config import packaged
from rulemine.release.archive import write_archive
from tests.chat_server import ChatServer, FakeModel, error, lines_of
from tests.command_line import Command, Ended, assert_refused
from tests.evaluation.world import write_release, write_structures

CALLS = 30
"""Three for each of three judges and four questions; but two questions share a text, two a proof."""


@pytest.fixture
def small(here: Path) -> Path:
    """Four questions of the kind ``rules``."""
    write_release(here / "small")
    return here / "small"


@pytest.fixture
def server(http: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    for name in ("OPENAI_API_KEY", "OPENAI_API_KEY_2"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("rulemine.llm.session.PATIENCE", 1.0)
    with ChatServer(http=http) as running:
        yield running


def words(server: ChatServer, release: Path, *more: str, model: str = "a,b,c") -> list[str]:
    endpoint = ["--set", f"endpoint.base_url={server.url}", "--judge", model, "--split", "all"]
    return ["evaluate", str(release), *endpoint, "-o", "judged.jsonl", *more]


def run_judges(command: Command, *given: Any, **how: Any) -> Ended:
    """Judges, see `words`; the command has to succeed."""
    ended = command(*words(*given, **how))
    assert ended.status == 0, ended.err
    return ended


def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path("judged.jsonl").read_text("utf-8").splitlines()]


def test_three_models_judge_and_resuming_asks_nothing(small, server, command: Command):
    ended = run_judges(command, server, small, "--set", "endpoint.concurrency=3")
    assert "4 questions" in ended.out
    assert "judges: a, b, c" in ended.out
    assert "Accepted: 2 of 4" in ended.out, "of two, the answer is not in the facts"
    judged = rows()
    assert [row["id"] for row in judged] == sorted(row["id"] for row in judged)
    for row in judged:
        assert row["accepted"] is any(row["answer"] in fact for fact in row["supporting_facts"])
        assert row["proof_flag_3"] == "sound"
    supported = next(line for line in ended.out.splitlines() if line.startswith("answer supported"))
    assert supported.split()[2:] == ["4", "50.0", "50.0", "50.0", "100.0", "+1.00", "0"]
    assert judged[0]["judges"] == [{"model": m, "sample": 0} for m in "abc"]
    assert len(server.bodies) == CALLS
    before = Path("judged.jsonl").read_bytes()
    server.says = lambda request, times: error(500, "nobody should ask")
    again = command(*words(server, small, "--set", "endpoint.concurrency=1"))
    assert (again.status, again.out) == (0, ended.out)
    assert Path("judged.jsonl").read_bytes() == before
    assert len(server.bodies) == CALLS


def test_one_model_judges_three_times_and_each_reply_is_kept(small, server, command: Command):
    def says(request: dict[str, Any], times: int) -> str:
        text = FakeModel().answer(request)
        return (
            text.replace('"redundancy_flag": false', '"redundancy_flag": true')
            if request["seed"] == 2
            else text
        )

    server.says = says
    ended = run_judges(command, server, small, model="solo")
    assert "one model, solo, judging 3 times" in ended.out
    assert {body["temperature"] for body in server.bodies} == {0.7}
    kept = lines_of(Path("judged.jsonl.work/journal.sqlite"))
    assert {line["sample"] for line in kept.values()} == {0, 1, 2}
    assert len(kept) == len(server.bodies) == CALLS
    for row in rows():
        assert [row[f"redundancy_flag_{n}"] for n in (1, 2, 3)] == [False, False, True]
        assert not row["accepted"]
    line = next(line for line in ended.out.splitlines() if line.startswith("does not give"))
    # two of three judges in every question: agreement 1/3, chance 5/9
    assert line.split()[6:] == ["4", "0.0", "100.0", "66.7", "33.3", "-0.50", "0"]


def test_structures_in_an_archive_and_a_sample(here, server, command: Command):
    release = write_structures(here / "structures")
    write_archive(release, here / "structures.tar")
    ended = run_judges(command, server, here / "structures.tar", "--sample", "5")
    assert len(rows()) == 5
    missing = [row for row in rows() if not row["conclusions"]]
    assert all("proof_flag_1" not in row for row in missing)
    groups = {row["group"] for row in rows()}
    assert groups <= {q.structure for q in release.questions()}
    for group in groups:
        assert f"\n{group} " in ended.out


def test_prose_is_asked_again_counted_and_rejected(small, server, command: Command):
    def says(request: dict[str, Any], times: int) -> Any:
        if request["model"] != "b":
            return FakeModel().answer(request)
        if "about" not in request["messages"][0]["content"]:
            return "A fine question, I think."
        return error(400, "this one is refused")

    server.says = says
    ended = run_judges(command, server, small)
    assert "Accepted: 0 of 4" in ended.out
    for row in rows():
        assert row["redundancy_flag_2"] is None
        assert row["redundancy_reasoning_2"] == "malformed: words without JSON"
        assert row["redundancy_flag_1"] is False
    fluent = next(line for line in ended.out.splitlines() if line.startswith("fluent"))
    assert fluent.split() == ["fluent", "4", "0.0", "100.0", "66.7", "–", "–", "4"]


def test_replies_that_are_cut_off_are_counted_and_the_option_named(small, server, command: Command):
    cut = {"choices": [{"message": {"content": "{"}, "finish_reason": "length"}]}
    server.says = lambda request, _: cut if request["model"] == "b" else FakeModel().answer(request)
    ended = run_judges(command, server, small)
    many = sum(body["model"] == "b" for body in server.bodies)
    room = "Give the model more room: --set judge.max_tokens=4096."
    assert f"{many} replies were cut off. {room}" in ended.err


def test_a_budget_ends_the_run_and_a_larger_one_goes_on(small, server, command: Command):
    few = ("--set", "endpoint.budget_tokens=9000", "--set", "endpoint.concurrency=1")
    ended = command(*words(server, small, *few))
    assert ended.status == 3
    assert "endpoint.budget_tokens" in ended.err
    assert not Path("judged.jsonl").exists()
    asked = len(server.bodies)
    assert 0 < asked < CALLS
    assert command(*words(server, small)).status == 0
    assert len(server.bodies) == CALLS, "nothing was asked twice"


def test_a_dry_run_asks_nothing_and_knows_the_journal(small, server, command: Command):
    ended = run_judges(command, server, small, "--dry-run")
    assert f"calls             {CALLS}, at most {2 * CALLS} ({CALLS} for votes)\n" in ended.out
    assert "── judge_proof ──" in ended.out
    assert not server.bodies
    assert not Path("judged.jsonl").exists()
    command(*words(server, small, "--sample", "1"))
    after = command(*words(server, small, "--dry-run"))
    left = CALLS - 9
    told = f"{left}, at most {2 * left} ({left} for votes); the journal already has 9 more\n"
    assert f"calls             {told}" in after.out


def test_judges_may_see_labels_where_the_release_has_codes(small, server, command: Command):
    assert command(*words(server, small, "--naming", "text")).status == 0
    sent = json.dumps([body["messages"] for body in server.bodies])
    assert "e0000" not in sent
    assert "Dora, Countess of X" in sent
    assert rows()[0]["supporting_facts"] == ["Ann, wife, Bob"]


def test_an_address_of_its_own_gets_a_key_of_its_own(small, server, command, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-first")
    monkeypatch.setenv("OPENAI_API_KEY_2", "sk-second")
    with ChatServer() as other:
        ended = command(*words(server, small, model=f"a,b@{other.url},c"))
        assert ended.status == 0, ended.err
        assert {body["model"] for body in other.bodies} == {"b"}
        assert other.keys == {"Bearer sk-second"}
    assert {body["model"] for body in server.bodies} == {"a", "c"}
    assert server.keys == {"Bearer sk-first"}
    assert [judge["model"] for judge in rows()[0]["judges"]] == ["a", "b", "c"]


def test_what_cannot_be_used_is_refused_before_anything_is_asked(small, server, command: Command):
    prompts = Path("own.toml")
    prompts.write_text(packaged("judging", "judges.toml").read_text("utf-8").replace("{facts}", ""))
    for more, model, expected in (
        ([], "a,b", "a panel of 2 models"),
        (["--split", "tset"], "a", "no split 'tset'"),
        (["--naming", "txet"], "a", "no naming 'txet'; did you mean 'text'"),
        (["--sample", "0"], "a", "sample is 0"),
        (["--set", "judge.max_tokens=0"], "a", "judge.max_tokens is 0"),
        (["--set", "judge.temperature=nan"], "a", "temperature is nan"),
        (["--set", "judge.temperature=2.5"], "a", "temperature is 2.5; expected a number up to 2"),
        (["--seed", "-1"], "a", "seed is -1"),
        (["--set", "judge.prompts=own.toml"], "a", r"needs the placeholder \{facts\}"),
        (["--set", "judge.prompts=none.toml"], "a", "none.toml"),
        (["-o", "-"], "a", "-o names no file"),
        (["-o", "small"], "a", "small"),
    ):
        assert_refused(command(*words(server, small, *more, model=model)), expected)
    assert not server.bodies
