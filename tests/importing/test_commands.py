"""Commands on an imported release: what needs certificates says so, all else works."""

from pathlib import Path

import pytest

from rulemine import import_set
from tests.command_line import Command
from tests.importing.test_cypher_questions import QUESTIONS, imported
from tests.importing.test_importer import ROWS, whole, write_set

WORKS = (
    "export {} --to questions", "show {} --sample 1", "evaluate {} p.jsonl",
    "evaluate {} p.jsonl --metrics rog",
    "study {} --with neighbors --set resamples=5 -o study",
    "export {} --to supervision", "archive {} -o a.tar", "rename {} --naming text -o text", "verify {}",
    *(f"export {{}} --to {to} -o {to}" for to in ("rog", "gog", "tog", "neo4j", "hf", "croissant")),
)  # fmt: skip

REFUSED = (
    "answer {} --with reasoner -o r.jsonl", "show {} --summary", "verify {} --rebuild",
    "evaluate {} --judge m -o j", "export {} --to brink -o brink",
)  # fmt: skip


@pytest.fixture(params=["graphs", "no graph"])
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    given = write_set(tmp_path / "given", ROWS)
    if request.param == "graphs":
        whole(given, tmp_path / "out")
    else:
        import_set("plain", given / "test.jsonl", tmp_path / "out")
    monkeypatch.chdir(tmp_path)
    return "out"


def test_what_needs_no_certificate_works(folder: str, command: Command) -> None:
    assert command(*f"answer {folder} --with neighbors -o p.jsonl".split()).status == 0
    for words in WORKS:
        ended = command(*words.format(folder).split())
        assert ended.status == 0, (words, ended.err)


@pytest.mark.parametrize("words", REFUSED)
def test_what_needs_certificates_says_so(words: str, folder: str, command: Command) -> None:
    ended = command(*words.format(folder).split())
    assert ended.status == 2
    assert "is for releases with rules and certificates" in ended.err


def test_scores_of_hard_answers_are_not_available_without_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    given = write_set(tmp_path / "given", ROWS)
    import_set("plain", given / "test.jsonl", tmp_path / "out")
    monkeypatch.chdir(tmp_path)
    command("answer", "out", "--with", "neighbors", "-o", "p.jsonl")
    ended = command("evaluate", "out", "p.jsonl")
    row = next(line.split() for line in ended.out.splitlines() if line.startswith("all"))
    assert row[2:6] == ["–"] * 4  # Hard F1, HHR, its hits and Hits@Hard
    assert not {"hops,", "missing"} & set(ended.out.split())  # tables of what is not known
    text = " ".join(ended.out.split())
    assert "3 of 3 questions have answers of which it is not known whether they are hard" in text
    assert "no hard answer" not in text
    assert "What others published has no core" in text
    assert "unseen in training" not in text


def test_cypher_questions_are_answered_scored_and_studied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    imported(monkeypatch, tmp_path, QUESTIONS)
    monkeypatch.chdir(tmp_path)
    for words in (
        "answer out --with gold-cypher -o p.jsonl", "evaluate out p.jsonl", "show out --sample 1",
        "study out --with gold-cypher --set resamples=5 -o study", "archive out -o a.tar",
        "export out --to hf -o hf", "export out --to questions",
    ):  # fmt: skip
        ended = command(*words.split())
        assert ended.status == 0, (words, ended.err)
    ended = command("export", "out", "--to", "neo4j", "-o", "n")
    assert ended.status == 2
    assert "about several property graphs" in ended.err
    ended = command("answer", "out", "--with", "prior", "-o", "r.jsonl")
    assert ended.status == 2
    assert "which reads patterns of queries" in ended.err
