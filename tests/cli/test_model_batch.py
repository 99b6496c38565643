"""Commands with ``endpoint.batch``: rounds until done, and then the bytes of a run over the network."""

import json
import random
import re
from pathlib import Path
from typing import Any

from tests.batch_server import answer_rounds
from tests.chat_server import KEY, ChatServer, FakeModel, build_words, completion
from tests.command_line import Command, assert_refused, tree
from tests.evaluation.world import write_release

BATCH = ["--set", "endpoint.batch=batches"]


def until_done(command: Command, words: list[str], **how: Any) -> int:
    """Runs a command and a batch in turns; how many rounds it took."""
    for rounds in range(16):
        ended = command(*words, *BATCH)
        if ended.status == 0:
            return rounds
        assert ended.status == 3, ended.err
        assert re.search(
            r"Send each of these files as a batch: round-\d{4}(-\d\d)?\.requests\.jsonl \([\d,]+ call",
            ended.err,
        )
        assert answer_rounds(Path("batches"), **how)
    raise AssertionError(ended.err)


def untimed(file: Path) -> list[Any]:
    """Predictions without the seconds of replies, which a batch does not tell."""
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    for row in rows[1:]:
        assert ("seconds" in row["usage"]) == (file.parts[0] != "answered")
        row["usage"].pop("seconds", None)
    return rows


def test_a_build_has_the_bytes_of_one_over_the_network(here, command, monkeypatch):
    more = ["--set", "verbalizer.judge_model=critic", "--questions", "8"]
    with ChatServer() as running:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        assert command(*build_words(running.url, "online", *more)).status == 0
    monkeypatch.delenv("OPENAI_API_KEY")
    words = build_words("https://api.nowhere.invalid/v1", "out/online", *more)
    assert 2 <= until_done(command, words, failing=random.Random(1)) <= 6
    assert tree(Path("out/online")) == tree(Path("online"))


def test_a_batch_of_systems_that_ask_no_model_is_refused(here: Path, command: Command) -> None:
    for more in (["-o", "out"], ["--dry-run"]):
        ended = command("answer", "release", "--with", "lookup,prior", *BATCH, *more)
        assert_refused(ended, "endpoint.batch: is for systems that ask a model, and none here does")


def test_judges_and_answers_come_in_rounds(here: Path, command: Command) -> None:
    write_release(here / "small")

    def says(request: dict[str, Any], times: int) -> Any:
        text = "ann" if request["model"] == "m" else FakeModel().answer(request)
        return completion(request, text)

    every = ["small", "--split", "all"]
    judge = ["evaluate", *every, "--judge", "a,b,c", "-o"]
    systems = ["--with", "closed-book,self-consistency:k=2"]
    answer = ["answer", *every, *systems, "--model", "m", "-o"]
    with ChatServer(says) as running:
        there = ["--set", f"endpoint.base_url={running.url}"]
        for words in (judge, answer):
            assert command(*words, f"{words[0]}-online", *there).status == 0
    assert until_done(command, [*judge, "judged"], says=says) == 1
    assert Path("judged").read_bytes() == Path("evaluate-online").read_bytes()
    assert until_done(command, [*answer, "answered"], says=says) == 2
    files = sorted(Path("answer-online").glob("*.jsonl"))
    assert len(files) == 2
    for file in files:
        assert untimed("answered" / file.relative_to("answer-online")) == untimed(file)
