"""The commands that write or serve a page."""

import csv
import http.client
import io
import json
import re
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from rulemine.cli.main import main
from rulemine.errors import UserError
from rulemine.evaluation import write_predictions
from rulemine.release.records import Prediction
from tests.cli.conftest import started
from tests.evaluation.world import CID, EVE, write_release


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_release(tmp_path / "small")
    answers = {"q00001": (EVE,), "q00002": (), "q00003": (CID,)}
    found = [Prediction(id_, answers=given) for id_, given in answers.items()]
    write_predictions(tmp_path / "mine.jsonl", found)
    return tmp_path


def test_every_question_is_a_line_of_csv(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [str(folder / "small"), str(folder / "mine.jsonl"), "--format", "questions"]
    assert main(["evaluate", *words]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["id"], row["verdict"], row["answers"]) for row in rows] == [
        ("q00001", "hard", EVE),
        ("q00002", "empty", ""),
        ("q00003", "wrong", CID),
    ]


def test_one_file_and_several_are_written_as_a_page_and_as_latex(folder, capsys):
    write_predictions(folder / "other.jsonl", [Prediction("q00001", answers=(CID,))])
    one = ["evaluate", str(folder / "small"), str(folder / "mine.jsonl"), "--format"]
    for form, sign in (("html", "<h1>"), ("latex", r"\midrule")):
        assert main([*one, form]) == 0
        printed = capsys.readouterr().out
        assert sign in printed
        assert "mine on the incomplete graph of small" in printed
        assert main([*one, form, "-o", str(folder / f"report.{form}")]) == 0
        assert (folder / f"report.{form}").read_text("utf-8") == printed
        assert main([*one[:3], str(folder / "other.jsonl"), "--format", form]) == 0
        printed = capsys.readouterr().out
        assert all(
            text in printed for text in (sign, "2 systems on small", "mine", "other", "Holm")
        )


def test_tables_fit_the_terminal_and_nothing_else(folder, capsys, monkeypatch):
    words = ["evaluate", str(folder / "small"), str(folder / "mine.jsonl")]

    def shown(*more: str) -> str:
        assert main([*words, *more]) == 0
        return capsys.readouterr().out

    whole = shown()
    assert max(map(len, whole.splitlines())) > 80
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    assert max(map(len, shown().splitlines())) <= 80
    assert shown("-o", str(folder / "report.txt")) == ""
    assert (folder / "report.txt").read_text("utf-8") == whole


def test_what_a_system_was_given_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = {"system": "mine", "needs": ["rules", "query"]}
    rows = [{"run": run}, {"id": "q00001", "answers": [EVE]}]
    (folder / "oracle.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for words in (["evaluate"], ["evaluate", str(folder / "mine.jsonl")]):
        assert (
            main([words[0], str(folder / "small"), *words[1:], str(folder / "oracle.jsonl")]) == 0
        )
        told = "is given the query behind each question and the rules of the release."
        assert told in capsys.readouterr().out


def test_a_page_is_served_until_it_is_interrupted(folder: Path) -> None:
    words = ["show", "small", "--serve", "page:port=0:split=all"]
    with started(folder, words) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        address = re.fullmatch(r"http://(127\.0\.0\.1:\d+)/ \(Ctrl-C ends\)\n", line)
        assert address is not None
        connection = http.client.HTTPConnection(address[1], timeout=30)
        connection.request("GET", "/")
        with connection.getresponse() as answer:
            page = answer.read().decode()
        server.send_signal(signal.SIGINT)
        out, err = server.communicate(timeout=60)
        assert (server.returncode, out.strip(), err) == (0, "", "")
    assert "Questions of small" in page
    assert all(f'"id":"q0000{number}"' in page for number in (1, 2, 3, 4))


def test_the_seed_and_the_level_are_those_that_are_given(tmp_path, monkeypatch):
    given: dict[str, Any] = {}

    def evaluate(*_: Any, **more: Any) -> None:
        given.update(more)
        raise UserError("that is enough.")

    monkeypatch.setattr("rulemine.evaluation.comparing.comparison.evaluate_all", evaluate)
    release = write_release(tmp_path / "small").path
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for file in files:
        file.write_text('{"id": "q00001", "answers": []}\n')
    words = ["evaluate", release, *files, "--seed", "5", "--level", "40"]
    assert main(list(map(str, words))) == 2
    assert (given["seed"], given["level"], given["split"]) == (5, 40, "test")
