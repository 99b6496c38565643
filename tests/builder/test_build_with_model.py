"""From a graph to a release in a model's words, over HTTP: whole, the same bytes every way, no secret."""

import gzip
import json
import re
import socket
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from werkzeug import Response

from tests import each
from tests.chat_server import (
    KEY,
    ChatServer,
    FakeModel,
    Says,
    build_words,
    completion,
    error,
    questions,
)
from tests.command_line import FACTS, RULES, Command, run_here, tree
from tests.golden import differences

EVERYTHING = ["--set", "verbalizer.judge_model=critic", "--set", "verbalizer.paraphrases=1"]

FAULTS: list[Any] = [
    error(429, "slow down", retry_after_ms="20"), error(500, "oops"), error(503, "busy"),
    {"choices": []}, Response("<html>Oops</html>"), Response('{"choices": [{"mess'),
]  # fmt: skip


def faulty(share: float) -> Says:
    """Says what the fake model says, but for a share of the requests."""

    def says(request: dict[str, Any], times: int) -> Any:
        drawn = sha256(f"{times} {request['messages']}".encode()).digest()
        fault = drawn[0] < share * 256
        return FAULTS[drawn[1] % len(FAULTS)] if fault else FakeModel().answer(request)

    return says


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], str]:
    """A folder with a release that a faulty endpoint worded, its counts, and what was printed."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "kg.tsv").write_text(FACTS)
    (folder / "rules.txt").write_text(RULES)
    with ChatServer(faulty(0.1)) as running:
        ended = run_here(
            folder,
            build_words(running.url, "kg", *EVERYTHING, "--set", "endpoint.concurrency=64"),
            OPENAI_API_KEY=KEY,
        )
        assert ended.status == 0, ended.err
        assert running.most_at_once <= 64
        counts = {"again": running.again, "keys": running.keys, "retried": running.received.total()
                  - running.answered.total()}  # fmt: skip
    return folder, counts, ended.out + ended.err


@pytest.fixture
def release(made: tuple[Path, dict[str, Any], str]) -> Path:
    """The release; not to be changed."""
    return made[0] / "kg"


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever connects fails the test."""

    def connect(*rest: object) -> None:
        raise AssertionError("a connection")

    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, connect)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def test_nothing_is_lost_and_nothing_is_asked_twice(made, release, command):
    _, counts, printed = made
    rows = questions(release)
    assert len(rows) == json.loads((release / "manifest.json").read_text())["counts"]["questions"]
    assert len(rows) > 50
    assert Counter(row["wording"] for row in rows)["model"] > 40
    assert all(len(row["paraphrases"]) == 1 for row in rows if row["wording"] == "model")
    assert counts["retried"] > 10
    assert counts["again"] == 0
    assert "Traceback" not in printed
    assert command("verify", release).status == 0


def test_the_key_is_sent_and_is_nowhere_else(made: tuple[Path, dict[str, Any], str]) -> None:
    folder, counts, printed = made
    assert counts["keys"] == {f"Bearer {KEY}"}
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) > 20
    for path in files:
        data = path.read_bytes()
        text = gzip.decompress(data) if path.suffix == ".gz" else data
        assert KEY[:12].encode() not in text
        assert KEY[-12:].encode() not in text
    assert KEY[:12] not in printed


def test_a_replay_needs_no_network_and_has_the_same_bytes(here, release, command, no_network):
    ended = command("build", "kg.tsv", "--rules", "rules.txt", "--replay", release, "-o", "out/kg")
    assert ended.status == 0, ended.err
    assert tree(here / "out" / "kg") == tree(release)
    assert differences("rules-by-model", release) == []


def test_neither_concurrency_nor_faults_are_visible(here, release, command):
    with ChatServer() as running:
        words = build_words(running.url, "1", *EVERYTHING, "--set", "endpoint.concurrency=1")
        assert command(*words).status == 0
        assert running.most_at_once == 1
    assert tree(here / "1") == tree(release)


def test_every_naming_and_back(here, release, command, no_network):
    last = release
    for naming in ("text", "entity", "numeric", "private"):
        assert command("rename", last, "--naming", naming, "-o", naming).status == 0
        last = here / naming
        assert command("verify", last).status == 0
        for row in questions(last):
            assert row["anchors"][0] in row["question"]
    assert tree(last) == tree(release)
    words = ["build", "kg.tsv", "--rules", "rules.txt", "--replay", "numeric", "-o", "again"]
    assert command(*words).status == 0
    assert tree(here / "again") == tree(release)


@each(
    ("options", "shown", "warned"),
    [
        ([], r"e\d{5}", "the model sees codes"),
        (["--labels", "labels.tsv"], r"Person \w\d+", ""),
        (["--labels", "labels.tsv", "--set", "verbalizer.naming=private"], r"e\d{5}", ""),
        (["--labels", "some.tsv"], r"\w\d+", "117 of 120 entities of graph/kg.tsv have no label"),
        (["--naming", "entity"], r"\w\d+", ""),
    ],
)  # fmt: skip
def test_a_model_sees_labels_where_there_are_any(tmp_path, options, shown, warned):
    people = sorted({name for line in FACTS.splitlines() for name in line.split("\t")[::2]})
    labels = [f"{one}\tPerson {one}\n" for one in people]
    (tmp_path / "labels.tsv").write_text("".join(labels))
    (tmp_path / "some.tsv").write_text("".join(labels[:3]))
    (tmp_path / "graph").mkdir()  # labels beside a graph would be found
    (tmp_path / "graph" / "kg.tsv").write_text(FACTS)
    (tmp_path / "rules.txt").write_text(RULES)
    words = build_words("http://127.0.0.1:9/v1", "out/kg", *options, "--dry-run")
    ended = run_here(tmp_path, ["graph/kg.tsv" if word == "kg.tsv" else word for word in words])
    assert ended.status == 0, ended.err
    assert re.search(rf"^Question Entity: {shown}$", ended.out, re.MULTILINE)
    assert warned in ended.err
    assert ("the model sees" in ended.err) is bool(warned)


def test_what_is_cut_off_is_asked_once_more_said_and_replayed(here: Path, command: Command) -> None:
    def says(request: dict[str, Any], times: int) -> Any:
        text = FakeModel().answer(request)
        return text if request["seed"] else completion(request, "", "length")

    with ChatServer(says) as running:
        ended = command(*build_words(running.url, "kg"))
        assert ended.status == 0, ended.err
        asked = len(questions(here / "kg"))
        assert {row["wording"] for row in questions(here / "kg")} == {"model"}
        assert len(running.bodies) == 2 * asked
        assert "Rejected before" not in str(running.bodies)
        told = f"{asked} replies were cut off. Give the model more room: --set verbalizer.max_tokens=4000."
        assert told in ended.err
    again = command("build", "kg.tsv", "--rules", "rules.txt", "--replay", "kg", "-o", "again")
    assert again.status == 0, again.err
    assert tree(here / "again") == tree(here / "kg")
    for output, said in (("cut", "<think>Who"), ("bad", "Who?")):
        with ChatServer(lambda request, times, said=said: said) as running:
            ended = command(*build_words(running.url, output))
        assert ended.status == 2, ended.err
        told = "Give the model more room: --set verbalizer.max_tokens=4000. Or else:\nUse another model"
        assert (f"Most replies were cut off. {told}" in ended.err) == (output == "cut"), ended.err


def test_glosses_by_the_model_are_kept_and_used(here: Path, command: Command) -> None:
    with ChatServer() as running:
        model = ["--model", "fake", "--set", f"endpoint.base_url={running.url}"]
        words = ["kg.tsv", "-o", "g.toml", *model]
        first = command("data", "gloss", *words)
        assert first.status == 0, first.err
        asked = sum(running.received.values())
        made = (here / "g.toml").read_text()
        assert "{subject} is the wife of {object}" in made
        assert command("data", "gloss", *words).status == 0
        assert sum(running.received.values()) == asked
        assert (here / "g.toml").read_text() == made
        (here / "g.toml").write_text(made.replace("is the wife of", "is wedded to"))
        given = build_words(running.url, "out/kg", "--set", "verbalizer.glosses=g.toml")
        assert command(*given).status == 0
    assert "is wedded to" in (here / "out/kg/llm/glosses.toml").read_text()
    assert command("verify", "out/kg").status == 0
    words = ["build", "kg.tsv", "--rules", "rules.txt", "--replay", "out/kg", "-o", "b"]
    assert command(*words).status == 0
    assert tree(here / "b") == tree(here / "out" / "kg")


@pytest.mark.parametrize("plain", [True, False])
def test_a_key_that_the_model_repeats_is_struck_out(here, command, monkeypatch, plain):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    def says(request: dict[str, Any], times: int) -> Any:
        if plain and "response_format" in request:
            return error(400, "response_format is not supported")
        return FakeModel().answer(request).replace("?", f" {KEY}?")

    with ChatServer(says) as running:
        ended = command(*build_words(running.url))
    assert ended.status == 0, ended.err
    texts = [path.read_bytes() for path in (here / "out").rglob("*.jsonl")]
    assert not any(KEY[:12].encode() in text or KEY[-12:].encode() in text for text in texts)
    assert KEY[:12] not in ended.out + ended.err
    assert command("verify", "out/kg").status == 0
