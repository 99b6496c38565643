import io
import json
from pathlib import Path

import pytest

from tests import ROOT
from tests.cli.conftest import unrefused
from tests.command_line import Command, assert_refused

GRAPH = "ann\tparent\tbo\nbo\tparent\tcy\nann\tspouse\tal\nal\tparent\tbo\n"
UNION = '(p "parent" (or (p "parent" "ann") (p "spouse" "ann")))'


@pytest.fixture
def family(here: Path) -> Path:
    (here / "family.tsv").write_text(GRAPH)
    (here / "removed.tsv").write_text("bo\tparent\tcy\n")
    return here


def test_answers_grades_and_a_derivation(family: Path, command: Command) -> None:
    ended = command("data", "query", "family.tsv", UNION, "--removed", "removed.tsv")
    assert (ended.status, ended.err) == (0, "")
    page = (ROOT / "docs" / "structures.md").read_text("utf-8")
    assert ended.out in page
    assert "✗ removed" in ended.out


def test_what_is_all_stated_shows_one_derivation(family: Path, command: Command) -> None:
    ended = command("data", "query", "family.tsv", '(p- "parent" "bo")', "--most", "1")
    assert ended.out.splitlines()[2:] == [
        "2 answers",
        "stated     al",
        "    al ──parent──▶ bo",
        "… and 1 more; --most N prints more",
    ]


def test_a_count_and_what_only_the_incomplete_graph_gives(family: Path, command: Command) -> None:
    text = '(count (minus (p- "parent" "bo") (p- "parent" (p- "parent" "cy"))))'
    ended = command("data", "query", "family.tsv", text, "--removed", "removed.tsv")
    assert ended.out.splitlines()[2] == (
        "0 answers, and 2 wrong ones from the incomplete graph; the incomplete graph counts 2"
    )


def test_a_query_from_standard_input_in_another_language(family, command, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO('(p "parent" "ann")\n'))
    ended = command("data", "query", "family.tsv", "-", "--to", "sparql")
    assert ended.out == (
        "SELECT DISTINCT ?answer WHERE { <entity:ann> <relation:parent> ?answer . }\n"
    )


def test_a_release_brings_what_was_removed_and_its_proofs(here: Path, command: Command) -> None:
    built = command("build", "kg.tsv", "--rules", "rules.txt", "--naming", "entity", "-o", "out/kg")
    assert built.status == 0, built.err
    row = json.loads((here / "out/kg/removed.jsonl").read_text("utf-8").splitlines()[0])
    subject, relation, target = row["triple"]
    text = json.dumps(relation).join(["(p ", f" {json.dumps(subject)})"])
    ended = command("data", "query", "out/kg", text)
    assert f"missing 1  {target}\n    {subject} ──{relation}──▶ {target}   ✗ removed" in ended.out
    assert "missing" not in command("data", "query", "out/kg", text, "--level", "1").out
    assert_refused(
        command("data", "query", "out/kg", text, "--removed", "kg.tsv"), "--removed is for"
    )


def test_bad_input(family: Path, command: Command) -> None:
    rows = {
        """'(p "parent"'""": "query: column 12: found the end",
        """'(p "parents" "ann")'""": 'no relation "parents"; did you mean "parent"',
        """'(p "parent" "an")'""": 'no entity "an"; did you mean "ann"',
        """'"ann"' --removed kg.tsv""": "kg.tsv: removed triple .* the complete graph lacks it",
        """'"ann"' --level 20""": "--level is for a release",
        """'"ann"' --level 0""": "--level is 0; expected 1 … 100",
        """'"ann"' --most -1""": "--most is -1; expected 0 or more",
        """'"ann"' --removed none.tsv""": "none.tsv: no such file",
        "'" + "(and " * 1000 + "'": "nested more than 100 deep",
    }
    start = "data query family.tsv "
    assert unrefused(command, family, [(start + words, said) for words, said in rows.items()]) == []
