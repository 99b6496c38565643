"""What a user gets wrong about a model: one clear paragraph, status 2, in a few seconds, nothing asked."""

import json
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from rulemine.release.outputs import working_folder
from tests.chat_server import KEY, ChatServer, build_words, error
from tests.cli.conftest import unrefused
from tests.command_line import Command, assert_refused

NOBODY = "http://127.0.0.1:9/v1"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


OPTIONS = [
    ("--model ''", "model is ''; expected the name of a model"),
    ("--model ' '", "model is ' '; expected the name of a model"),
    ("--set verbalizer.temperature=9", "temperature is 9; expected a number at most 2"),
    ("--set verbalizer.temperature=nan", "temperature is nan"),
    (
        "--set endpoint.concurrency=1000000",
        "concurrency is 1000000; expected a whole number from 1 to 1024",
    ),
    ("--set verbalizer.name=opnai", "name is 'opnai'; expected template or openai"),
    ("--set endpoint.base_url=ftp://a/v1", "base_url is …; expected an address"),
    ("--set 'endpoint.base_url=http://a b/v1'", "base_url is …; expected an address"),
    ("--set endpoint.batch=", "endpoint.batch: nothing is named; expected a folder"),
    ("--set verbalizer.prompt=none.toml", "none.toml: no such file"),
    ("--set verbalizer.prompt=half.toml", r"section \[names\] is missing"),
    ("--set verbalizer.glosses=none.toml", "none.toml: no such file"),
    ("--set verbalizer.glosses=g.toml", "'hubsand' is not in the graph; did you mean 'husband'"),
    ("--replay none", "none: no such file"),
    ("--replay .", "holds none of llm/journal.jsonl, journal.jsonl"),
]


def test_options(here: Path, command: Command) -> None:
    (here / "half.toml").write_text("[question]\nversion = 1\n")
    gloss = 'statement = "{subject} a {object}"\nsubjects = "a {topic}"\nobjects = "b {topic}"\n'
    (here / "g.toml").write_text(f"[hubsand]\n{gloss}")
    build = shlex.join(build_words(NOBODY, "out/kg"))
    rows = [(f"{build} {more}", f"(?s){expected}") for more, expected in OPTIONS]
    wrong = []
    for row in rows:
        wrong += unrefused(command, here, [row])
        shutil.rmtree(here / "out", ignore_errors=True)
    assert wrong == []


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("", r"no key; it was expected in the environment variable OPENAI_API_KEY\. Set it"),
        ("sk-one\nq9w8e7", "holds signs that no key can have"),
        ("sk-é-q9w8e7", "holds signs that no key can have"),
    ],
)
def test_keys(here, command, monkeypatch, key, expected):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    ended = command(*build_words("https://api.nowhere.invalid/v1"))
    assert_refused(ended, expected)
    assert not key or key[-6:] not in ended.err


@pytest.mark.parametrize(
    ("status", "code", "expected"),
    [
        (401, "", r"refused the key, .* variable OPENAI_API_KEY\. Set it: export"),
        (404, "", "Check --model, and that base_url .* mostly ends in /v1"),
        (429, "insufficient_quota", "Nothing is left to pay with"),
        (400, "", "40 calls in a row have failed; the last: 400: no"),
    ],
)
def test_endpoints_that_refuse(here, command, status, code, expected):
    with ChatServer(lambda request, times: error(status, f"no {KEY}", code)) as running:
        ended = command(*build_words(running.url))
        assert running.received.total() < 64
        assert max(running.received.values()) == 1
    assert_refused(ended, expected)
    assert KEY not in ended.err


def test_an_address_without_an_api(here: Path, command: Command) -> None:
    with ChatServer() as running:
        running.http.no_handler_status_code = 404
        ended = command(*build_words(running.url.removesuffix("/v1")))
    assert_refused(ended, "is the address of a chat API: it mostly ends in /v1")


def test_a_host_where_nobody_answers(here, command, monkeypatch):
    monkeypatch.setattr("rulemine.llm.session.PATIENCE", 1.0)
    monkeypatch.setattr("rulemine.llm.client.RETRIES", 0)
    ended = command(*build_words(NOBODY, "out/kg"))
    assert_refused(ended, "no reply for . s; the last failure: no connection: ")


def test_no_client_is_needed_before_a_call(here, command, monkeypatch):
    with ChatServer() as running:
        assert command(*build_words(running.url)).status == 0
        monkeypatch.setitem(sys.modules, "openai", None)
        monkeypatch.delenv("OPENAI_API_KEY")
        ended = command(*build_words(running.url, "other", "--model", "other"))
        assert_refused(
            ended, r"the packages openai and aiolimiter, .* not installed\. .*rulemine\[llm\]"
        )
    assert command(*build_words(NOBODY, "out/kg")).status == 0, "all of it is in the journal"
    words = ["build", "kg.tsv", "--rules", "rules.txt", "--replay", "out/kg", "-o", "again"]
    assert command(*words).status == 0


def test_replays_of_what_was_edited_or_lacks_a_line(here: Path, command: Command) -> None:
    with ChatServer() as running:
        assert command(*build_words(running.url)).status == 0
    words = ["build", "kg.tsv", "--rules", "rules.txt", "-o", "again", "--replay"]
    file = here / "out" / "kg" / "llm" / "journal.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    missing = json.loads(lines[7])["questions"][0]
    file.write_text("".join(lines).replace("Who or what", "Which or what", 1))
    assert_refused(command(*words, "out/kg"), "journal.jsonl: .*edited")
    model = ["--model", "fake"]
    (here / "j.jsonl").write_text("".join(lines[:7] + lines[8:]))
    assert_refused(
        command(*words, "j.jsonl", *model), f"j.jsonl: .*{missing}: no reply to its call"
    )
    file.write_text("".join(lines))
    (here / "other.tsv").write_text((here / "kg.tsv").read_text() + "h1\twife\tw2\n")
    other = ["build", "other.tsv", "--rules", "rules.txt", "-o", "again", "--replay", "out/kg"]
    assert_refused(command(*other), r"about another graph, kg.tsv, not other.tsv")
    assert_refused(
        command(*words, "out/kg", "--seed", "8"), "(?s)no reply to its call .* seed changed"
    )
    shutil.rmtree(here / "out" / "kg")
    assert command("build", "kg.tsv", "--rules", "rules.txt", "-o", "out/kg").status == 0
    assert_refused(command(*words, "out/kg"), "its questions are templates")


def test_two_builds_in_one_folder(here: Path, command: Command) -> None:
    with working_folder(here / "out" / "kg.stages"):
        assert_refused(command(*build_words(NOBODY)), "another build is using this folder")
