"""No command overwrites what it reads, whether named on the command line or in a file that is."""

import argparse
import shutil
from pathlib import Path

from rulemine.cli.main import make_parser
from tests.cli.conftest import unrefused
from tests.command_line import Command

SCHEMA = """\
name = "s"
entities = [{ label = "Person", table = "people.csv" }, { label = "Town", table = "towns.csv" }]
relations = [{ label = "lives_in", subject = "Person", object = "Town", table = "homes.csv" }]
"""

FILES = {
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

OF_FOLDERS = {"audit", "build", "import", "rename", "study", "tables"}


def test_an_input_is_never_the_output(built: Path, command: Command) -> None:
    for name, text in FILES.items():
        (built / name).write_text(text, "utf-8")
    assert command("archive", "out/kg", "-o", "kg.tar").status == 0
    assert command("data", "graph", "kg.tsv", "--to", "schema", "-o", "draft.toml").status == 0
    shutil.copy("p.jsonl", "q.jsonl")
    expected = "is not as rulemine|is the release itself|TOML|gloss file"
    rows = [(f"{words} -o {given}", expected) for words, given in CASES.items()]
    assert unrefused(command, built, rows) == []


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
