import json
from pathlib import Path

from rulemine.release.reader import Release
from tests import ROOT
from tests.command_line import Command, assert_refused


def test_what_the_documentation_shows(here: Path, command: Command) -> None:
    page = (ROOT / "docs" / "queries.md").read_text("utf-8")
    (here / "queries.txt").write_text(page.split("```queries\n")[1].split("```")[0], "utf-8")
    ended = command("query", "analyze", "queries.txt")
    assert (ended.status, ended.err) == (0, "")
    assert "".join(f"{line.rstrip()}\n" for line in ended.out.splitlines()) in page


def test_a_release_brings_its_declarations(here: Path, command: Command) -> None:
    child = {
        "statement": "{object} is related to {subject}.",
        "ask_subject": "Who is related to {topic}?",
        "ask_object": "To whom is {topic} related?",
    }
    lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in child.items())
    (here / "templates.toml").write_text(f"[child]\nsymmetric = true\n{lines}", "utf-8")
    words = ("--rules", "rules.txt", "--set", "questions.templates=templates.toml", "-o", "out/kg")
    built = command("build", "kg.tsv", *words)
    assert built.status == 0, built.err
    file = here / "out/kg/questions/train.jsonl"
    ended = command("query", "analyze", file, "--format", "json", "-o", "found.json")
    assert (ended.status, ended.out) == (0, "")
    found = json.loads((here / "found.json").read_text("utf-8"))
    questions = Release.open(here / "out/kg").questions("train")
    assert any(question.query.startswith("(or ") for question in questions)
    assert found["structures"]["1p"] == found["questions"] == len(questions)


def test_bad_input(here: Path, command: Command) -> None:
    assert_refused(command("query", "analyze", "none.json"), "none.json: no such file")
    assert_refused(command("query", "analyze", "."), "is a folder")
    assert_refused(
        command("query", "analyze", "kg.tsv"), r"line 10: .*\n  … and \d+ more\nOne query a line"
    )
    assert_refused(command("query", "analyze", "kg.tsv", "-o", "kg.tsv"), "kg.tsv")
