"""No command overwrites what it reads, whether named on the command line or in a file that is."""

import argparse
import shutil
from pathlib import Path

import pytest

from rulemine.cli.main import make_parser
from tests.command_line import FACTS, RULES, assert_refused, run_here, tree

SCHEMA = """\
name = "s"

[[entities]]
label = "Person"
table = "people.csv"

[[entities]]
label = "Town"
table = "towns.csv"

[[relations]]
label = "lives_in"
subject = "Person"
object = "Town"
table = "homes.csv"
"""

FILES = {
    "kg.tsv": FACTS,
    "rules.txt": RULES,
    "labels.tsv": "h1\tHenry\nw1\tWinnie\nc1\tCyril\n",
    "heads": "wife\n",
    "g.toml": 'name = "g"\nkg = "kg.tsv"\nlabels = "labels.tsv"\n',
    "people.csv": "id,name\na,Ann\nb,Bo\n",
    "towns.csv": "id,name\nr,Rome\n",
    "homes.csv": "subject,object\na,r\nb,r\n",
    "s.toml": SCHEMA,
    "tasks.jsonl": '{"id": "a", "graph": "s", "cypher": "MATCH (n:Person) RETURN n.name", "match": "(n)", '
    '"return": "n_name", "category": "(n)", "answers": [["Ann"], ["Bo"]], "ordered": false}\n',
    "given.jsonl": '{"id": "a", "rows": [["Ann"]]}\n',
    "my_system.py": "pass\n",
}

CASES = {
    "data graph s.toml --to simplekg": "people.csv",
    "data graph s.toml --to schema": "s.toml",
    "data graph kg.tsv --schema draft.toml --to simplekg": "draft.toml",
    "data graph s.toml --to tasks": "people.csv",
    "evaluate tasks.jsonl given.jsonl --graph s.toml": "given.jsonl",
    "data gloss g.toml": "labels.tsv",
    "mine kg.tsv --head-relations @heads": "heads",
    "export kg.tar --to questions": "kg.tar",
    "answer kg.tar --with command:program=./my_system.py": "my_system.py",
    "evaluate kg.tar p.jsonl q.jsonl": "q.jsonl",
    "evaluate kg.tar --judge x --set judge.prompts=heads": "heads",
    "show kg.tar --summary": "kg.tar",
    "archive kg.tar": "kg.tar",
}

OF_FOLDERS = {
    *("audit", "build", "import", "rename", "study", "tables"),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every file of `CASES`; not to be changed."""
    folder = tmp_path_factory.mktemp("made")
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
    assert run_here(folder, ["build", "kg.tsv", "--rules", "rules.txt", "-o", "out/kg"]).status == 0
    assert run_here(folder, ["archive", "out/kg", "-o", "kg.tar"]).status == 0
    assert run_here(folder, ["answer", "kg.tar", "--with", "lookup", "-o", "p.jsonl"]).status == 0
    assert (
        run_here(folder, ["data", "graph", "kg.tsv", "--to", "schema", "-o", "draft.toml"]).status
        == 0
    )
    shutil.copy(folder / "p.jsonl", folder / "q.jsonl")
    shutil.copy(folder / "kg.tar", folder / "other.tar")
    shutil.rmtree(folder / "p.jsonl.work", ignore_errors=True)
    return folder


@pytest.mark.parametrize(("words", "given"), CASES.items())
def test_an_input_is_never_the_output(made, command, monkeypatch, words, given):
    monkeypatch.chdir(made)
    before = tree(made)
    expected = "is not as rulemine|is the release itself"
    if words.startswith("data gloss"):
        expected = "TOML|gloss file"
    assert_refused(command(*words.split(), "-o", given), expected)
    assert tree(made) == before


def test_every_command_that_writes_a_file_is_tried() -> None:
    commands = next(
        action.choices
        for action in make_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    writing = {
        name
        for name, parser in commands.items()
        if any(action.dest == "output" for action in parser._actions)
    }
    tried = {
        two if (two := " ".join(words.split()[:2])) in commands else words.split()[0]
        for words in CASES
    }
    assert tried | OF_FOLDERS == writing
