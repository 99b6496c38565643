"""A run that was killed or ended early goes on, and its bytes are those of one that was left alone."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rulemine.errors import MiningError
from rulemine.kg.graph import KnowledgeGraph
from rulemine.mining import MiningOptions, mine
from rulemine.mining import checkpoint as journal
from tests.command_line import Command, dense_graph

THRESHOLDS = (
    "--min-head-coverage",
    "0.1",
    "--min-std-confidence",
    "0",
    "--min-pca-confidence",
    "0",
)
WORDS = ("mine", "dense.tsv", *THRESHOLDS)
ROWS = [(f"e{i}", f"r{i * j % 5}", f"e{i * i % 7}") for i in range(12) for j in range(1, 6)]
KG = KnowledgeGraph.from_triples(ROWS)
LOOSE = MiningOptions(3, 0.01, 0.01, 0.01, min_initial_support=1)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "SECONDS_BEFORE_WRITING", 0.0)


@pytest.mark.usefixtures("at_once")
def test_any_part_of_a_journal_gives_the_same_rules(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    rules = mine(KG, LOOSE, journal=path)
    assert rules == mine(KG, LOOSE)
    whole = path.read_bytes()
    assert whole.count(b"\n") == 1 + len(KG.relations)
    for cut in range(0, len(whole), len(whole) // 12):
        path.write_bytes(whole[:cut])
        assert mine(KG, LOOSE, journal=path, resume=True) == rules, cut
        kept = path.read_bytes()
        assert kept.startswith(whole[: whole.rfind(b"\n", 0, cut) + 1])
        assert sorted(kept.splitlines()) == sorted(whole.splitlines())


@pytest.mark.usefixtures("at_once")
def test_what_is_finished_is_not_mined_again(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    rules = mine(KG, LOOSE, journal=path)
    calls: list[tuple[int, int]] = []
    again = mine(KG, LOOSE, lambda *call: calls.append(call), journal=path, resume=True)
    assert (again, calls) == (rules, [])


@pytest.mark.usefixtures("at_once")
def test_a_damaged_line_and_all_after_it_are_mined_again(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    rules = mine(KG, LOOSE, journal=path)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert mine(KG, LOOSE, journal=path, resume=True) == rules


@pytest.mark.usefixtures("at_once")
def test_a_journal_of_another_run_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    mine(KG, LOOSE, journal=path)
    other = KnowledgeGraph.from_triples(ROWS[:-1])
    for kg, options in ((other, LOOSE), (KG, MiningOptions(2, min_initial_support=1))):
        with pytest.raises(MiningError, match="another graph, other options"):
            mine(kg, options, journal=path, resume=True)
    assert mine(other, LOOSE, journal=path) == mine(other, LOOSE), "without resume it starts anew"


def test_a_short_run_leaves_nothing(here: Path, command: Command) -> None:
    words = ("mine", "kg.tsv", "--min-initial-support", "1", "-o", "out.jsonl")
    assert command(*words).status == 0
    assert {path.name for path in here.iterdir()} == {"kg.tsv", "rules.txt", "out.jsonl"}
    once = (here / "out.jsonl").read_bytes()
    assert command(*words, "--resume").status == 0
    assert (here / "out.jsonl").read_bytes() == once
    assert command("mine", "kg.tsv", "--resume").status == 2


@pytest.mark.parametrize("seconds", ["0.15"])
def test_a_limit_of_time(here: Path, command: Command, seconds: str) -> None:
    (here / "dense.tsv").write_text(dense_graph())
    whole = command(*WORDS, "--threads", "1", "--format", "amie").out.splitlines()
    words = (*WORDS, "--threads", "1", "--format", "amie", "-o", "out.txt")
    ended = command(*words, "--limit-seconds", seconds)
    assert ended.status == 3
    assert f"incomplete: ended after {seconds} s; no rules yet for" in ended.err
    missing = set((here / "out.txt.missing").read_text().splitlines())
    assert missing
    found = (here / "out.txt").read_text().splitlines()

    def is_there(line: str) -> bool:
        return line.split("\t")[0].split()[-2] not in missing

    assert found == [whole[0], *filter(is_there, whole[1:])]
    assert command(*words, "--resume").status == 0
    assert (here / "out.txt").read_text().splitlines() == whole
    assert {path.name for path in here.iterdir()} == {
        "kg.tsv",
        "rules.txt",
        "dense.tsv",
        "out.txt",
    }


def test_limits_that_are_none(here: Path, command: Command) -> None:
    for seconds in ("-1", "nan", "inf"):
        ended = command("mine", "kg.tsv", "--limit-seconds", seconds)
        assert ended.status == 2
        assert "limit_seconds is" in ended.err
    ended = command("mine", "kg.tsv", "--min-initial-support", "1", "--limit-seconds", "600")
    assert ended.status == 0


def test_killed_and_resumed(here: Path, command: Command) -> None:
    (here / "dense.tsv").write_text(dense_graph())
    words = [*WORDS, "--threads", "1", "-o", "out.jsonl"]
    code = (
        "import sys, rulemine.mining.checkpoint as j; j.SECONDS_BEFORE_WRITING = 0.0\n"
        f"from rulemine.cli.main import main; sys.exit(main({words!r}))"
    )
    process = subprocess.Popen([sys.executable, "-c", code], cwd=here)
    kept = here / "out.jsonl.journal"
    deadline = time.monotonic() + 60
    while not (kept.exists() and kept.read_bytes().count(b"\n") > 3):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (here / "out.jsonl").exists()
    assert command(*words, "--resume").status == 0
    assert not kept.exists()
    resumed = (here / "out.jsonl").read_bytes()
    assert command(*words).status == 0
    assert (here / "out.jsonl").read_bytes() == resumed
