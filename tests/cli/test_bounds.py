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
from tests.command_line import FACTS, Command, tree

pytestmark = pytest.mark.skipif(os.name == "nt", reason="devices and pipes of POSIX")


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


TEXTS = (
    "mine kg.tsv --min-initial-support 1", "mine kg.tsv --min-initial-support 1 --format amie",
    "answer out/kg --with reasoner", "evaluate out/kg p.jsonl", "evaluate --baselines out/kg",
    "data gloss kg.tsv",
)  # fmt: skip


def test_every_text_can_go_to_standard_output(built: Path, command: Command) -> None:
    before = tree(built).keys()
    for words in TEXTS:
        assert command(*words.split(), "-o", "file").status == 0
        expected = (built / "file").read_text()
        (built / "file").unlink()
        for output in ("-", "/dev/stdout"):
            ended = command(*words.split(), "-o", output)
            assert (ended.status, ended.out) == (0, expected), ended.err
        assert tree(built).keys() - before <= {"no-cache", "no-cache/rulemine"}


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


def test_a_million_hops_end_where_nothing_new_is_reached(made: Path, command: Command) -> None:
    words = ("answer", made / "out/kg", "-o", "-", "--with")
    ended = [command(*words, f"neighbors:hops={hops}") for hops in (99, 1000000)]
    far, farther = (done.out.splitlines()[1:] for done in ended)
    assert far == farther
    assert [done.status for done in ended] == [0, 0]
    assert all(json.loads(line)["answers"] for line in far)


def test_a_header_is_a_triple_where_others_are_like_it_or_come_before(here: Path) -> None:
    for header in ("subject\trelation\tobject", ":START_ID\t:TYPE\t:END_ID"):
        first, rest = FACTS.split("\n", 1)
        (here / "kg.tsv").write_text(f"{first}\n{header}\n{rest}")
        assert load_kg("kg.tsv").trimmed == 0
        (here / "kg.tsv").write_text(f"{header}\n{header}2\n{FACTS}")
        assert len(load_kg("kg.tsv")) == FACTS.count("\n") + 2
