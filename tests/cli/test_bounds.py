"""Inputs without end, outputs that are no files, options that do nothing: bounded, done or said."""

import gzip
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from rulemine import files
from rulemine.datasets.registry import load_kg
from rulemine.errors import InputError
from tests import ROOT
from tests.command_line import FACTS, RULES, Command, assert_refused, run_here, tree

BUILD = ("build", "kg.tsv", "--rules", "rules.txt", "-o", "out/kg")

pytestmark = pytest.mark.skipif(os.name == "nt", reason="devices and pipes of POSIX")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a release in ``out/kg``; not to be changed."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "kg.tsv").write_text(FACTS)
    (folder / "rules.txt").write_text(RULES)
    assert run_here(folder, BUILD).status == 0
    return folder


@pytest.mark.parametrize("source", ["/dev/zero", "sparse.tsv"])
@pytest.mark.parametrize(
    "words",
    [
        ["mine", "SOURCE"],
        ["build", "SOURCE"],
        ["build", "kg.tsv", "--rules", "SOURCE"],
        ["build", "kg.tsv", "--set", "reference=SOURCE"],
        ["build", "kg.tsv", "--rules", "rules.txt", "--set", "labels=SOURCE"],
        ["build", "kg.tsv", "--rules", "rules.txt", "--set", "questions.templates=SOURCE"],
        ["build", "kg.tsv", "--rules", "rules.txt", "--set", "questions.filter=SOURCE"],
        ["build", "zero.toml"],
        ["mine", "kg.tsv", "--head-relations", "@SOURCE"],
        ["evaluate", "RELEASE", "SOURCE"],
    ],
    ids=lambda words: " ".join(words)[:40],
)
def test_what_has_no_end_is_given_up(here, made, command, words, source):
    with (here / "sparse.tsv").open("wb") as sparse:
        sparse.truncate(1 << 40)  # a terabyte that takes no room
    (here / "zero.toml").symlink_to(source)
    words = [w.replace("SOURCE", source).replace("RELEASE", str(made / "out/kg")) for w in words]
    assert_refused(command(*words), "line 1 holds a NUL byte")


def test_lines_and_files_of_text_without_end_are_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MOST_BYTES_A_LINE", 5 << 20)
    monkeypatch.setattr(files, "MOST_BYTES", 9 << 20)
    bomb = tmp_path / "bomb.gz"
    bomb.write_bytes(gzip.compress(b"a" * (20 << 20)))
    with pytest.raises(InputError, match=r"line that begins 'aaa.*' is longer than 5 MiB"):
        list(files.read_blocks(bomb))
    for read in (files.read_text, files.read_bytes):
        with pytest.raises(InputError, match=r"bomb\.gz: holds more than 9 MiB"):
            read(bomb)
    assert files.describe_content(bomb)[0] == 20 << 20, "any size can be digested"
    lines = tmp_path / "lines"
    lines.write_bytes(b"a\tr\tb\n" * (2 << 20))
    assert sum(map(len, files.read_blocks(lines))) == 12 << 20, "of any size, line by line"


def test_graphs_rules_and_predictions_come_through_pipes(here: Path, made: Path) -> None:
    (here / "kg.gz").write_bytes(gzip.compress(FACTS.encode()))
    script = """
    $RULEMINE build <(zcat kg.gz) --rules <(cat rules.txt) --set name=kg -o out/kg &&
    $RULEMINE answer out/kg --with lookup -o >(cat > p.jsonl) && sleep 0.2 &&
    $RULEMINE evaluate out/kg <(cat p.jsonl) <(cat p.jsonl) -o /dev/stdout
    """
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=here,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "RULEMINE": f"{sys.executable} -m rulemine",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Hits" in done.stdout
    same = tree(made / "out/kg")
    different = {name for name, digest in tree(here / "out/kg").items() if same[name] != digest}
    assert different <= {"manifest.json", "README.md"}, "they tell the name of the file"


TEXTS = {
    "mine": ["mine", "kg.tsv", "--min-initial-support", "1"],
    "mine, AMIE's text": ["mine", "kg.tsv", "--min-initial-support", "1", "--format", "amie"],
    "answer": ["answer", "out/kg", "--with", "reasoner"],
    "evaluate": ["evaluate", "out/kg", "p.jsonl"],
    "baselines": ["evaluate", "--baselines", "out/kg"],
    "gloss": ["data", "gloss", "kg.tsv"],
}


@pytest.mark.parametrize("name", TEXTS)
def test_every_text_can_go_to_standard_output(here, made, command, name):
    (here / "out").symlink_to(made / "out")
    assert command("answer", "out/kg", "--with", "lookup", "-o", "p.jsonl").status == 0
    before = tree(here).keys()
    assert command(*TEXTS[name], "-o", "file").status == 0
    expected = (here / "file").read_text()
    for extra in ("file", "file.rules.jsonl"):
        (here / extra).unlink(missing_ok=True)
    for output in ("-", "/dev/stdout"):
        ended = command(*TEXTS[name], "-o", output)
        assert (ended.status, ended.out) == (0, expected), ended.err
    assert tree(here).keys() == before


def test_standard_output_that_is_a_file_is_appended_to(here: Path, made: Path) -> None:
    words = [sys.executable, "-m", "rulemine", "answer", made / "out/kg", "--with", "lookup"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with (here / "log").open("w") as log:
        log.write("before\n")
        log.flush()
        for output in ("-", "/dev/stdout"):
            whole = [*words, "-o", output]
            subprocess.run(whole, cwd=here, env=environment, stdout=log, stderr=-3, check=True)
    before, *twice = (here / "log").read_text().splitlines()
    assert before == "before"
    assert twice[: len(twice) // 2] == twice[len(twice) // 2 :]
    assert json.loads(twice[-1])["answers"] is not None


def test_a_pipe_that_is_an_output_stays_one(here: Path, command: Command) -> None:
    os.mkfifo(here / "pipe")
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append((here / "pipe").read_text()))
    reader.start()
    words = ("mine", "kg.tsv", "--min-initial-support", "1")
    assert command(*words, "-o", "pipe").status == 0
    reader.join(60)
    assert got == [command(*words).out]
    assert (here / "pipe").is_fifo()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["evaluate", "R", "p", "q", "--metrics", ""], "--metrics '': names no score"),
        (["data", "list", "demo"], "takes no name"),
        ([*BUILD[:4], "--set", "mining.max_atoms=4"], "mining.max_atoms: is for mining, and with"),
        (
            [*BUILD[:4], "--set", "endpoint.timeout=9"],
            "endpoint.timeout: is for the questions of",
        ),
    ],
    ids=lambda v: " ".join(v) if isinstance(v, list) else "",
)
def test_an_option_that_does_nothing_is_refused(here, command, words, expected):
    if words[0] == "build":
        words = [*words, "-o", "new"]
    assert_refused(command(*words), expected)
    assert not (here / "new").exists()


def test_a_million_hops_end_where_nothing_new_is_reached(made: Path, command: Command) -> None:
    words = ("answer", made / "out/kg", "-o", "-", "--with")
    ended = [command(*words, f"neighbors:hops={hops}") for hops in (99, 1000000)]
    far, farther = (done.out.splitlines()[1:] for done in ended)
    assert far == farther
    assert [done.status for done in ended] == [0, 0]
    assert all(json.loads(line)["answers"] for line in far)


def test_names_between_blanks_are_counted(here: Path, command: Command) -> None:
    lines = FACTS.splitlines()
    lines[0] = lines[0].replace("\t", " \t ")
    (here / "kg.tsv").write_text("\n".join(lines))
    words = ("mine", "kg.tsv", "--min-initial-support", "1")
    assert "note: kg.tsv: white space around 3 names was trimmed." in command(*words).err
    (here / "kg.tsv").write_text("\n".join([*lines[:-1], "", " " + lines[-1], ""]))
    told = command(*words).err
    assert "note: kg.tsv: white space around 4 names was trimmed." in told, "read in the other way"
    (here / "kg.tsv").write_text("\n".join([*lines, " "]))
    assert "note: kg.tsv: white space around 3 names was trimmed." in command(*BUILD).err


@pytest.mark.parametrize(
    "header",
    [
        "subject\trelation\tobject", "Head\tRelation\tTail", '"#s"\tp\to', "h\tr\tt",
        "head_id\trelation_id\ttail_id", ":START_ID\t:TYPE\t:END_ID", "x_name\trelation\ty_name",
    ],
)  # fmt: skip
def test_a_header_line_is_noticed(here: Path, command: Command, header: str) -> None:
    (here / "kg.tsv").write_text(f"{header}\n{FACTS}")
    for words in (("mine", "kg.tsv"), BUILD):
        assert_refused(command(*words), "kg.tsv: line 1, .*, names the columns; a triple was")
    first, rest = FACTS.split("\n", 1)
    (here / "kg.tsv").write_text(f"{first}\n{header}\n{rest}")
    assert load_kg("kg.tsv").trimmed == 0, "further down it is a triple like others"
    (here / "kg.tsv").write_text(f"{header}\n{header}2\n{FACTS}")
    assert len(load_kg("kg.tsv")) == FACTS.count("\n") + 2, "so it is where the relation is one"
