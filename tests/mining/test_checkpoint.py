"""A run that was killed or ended early goes on, and its bytes are those of one that was left alone."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rulemine.errors import MiningError
from rulemine.kg.graph import KnowledgeGraph
from rulemine.mining import MiningOptions, Resources, TimeLimit, checkpoint, mine
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
    monkeypatch.setattr(checkpoint, "SECONDS_BEFORE_WRITING", 0.0)


@pytest.mark.usefixtures("at_once")
def test_any_part_of_a_checkpoint_gives_the_same_rules(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    rules = tuple(mine(KG, LOOSE, checkpoint=path))
    assert rules == mine(KG, LOOSE)
    whole = path.read_bytes()
    for cut in range(0, len(whole), len(whole) // 12):
        path.write_bytes(whole[:cut])
        resumed = mine(KG, LOOSE, checkpoint=path, resume=True)
        assert resumed == rules, cut
        assert len(path.read_bytes()) == len(whole)
        assert mine(KG, LOOSE, checkpoint=path, resume=True) == rules, cut


@pytest.mark.usefixtures("at_once")
def test_a_head_relation_without_rules_is_kept_too(tmp_path: Path) -> None:
    kg = KnowledgeGraph.from_triples([*ROWS, ("lone", "alone", "lonely")])
    path = tmp_path / "kept"
    rules = tuple(mine(kg, LOOSE, checkpoint=path))
    assert "alone" not in {rule.head.relation for rule in rules}
    assert mine(kg, LOOSE, checkpoint=path, resume=True) == rules == tuple(mine(KG, LOOSE))


@pytest.mark.usefixtures("at_once")
def test_what_is_finished_is_not_mined_again(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    rules = tuple(mine(KG, LOOSE, checkpoint=path))
    calls: list[tuple[int, int]] = []
    again = mine(KG, LOOSE, progress=lambda *call: calls.append(call), checkpoint=path, resume=True)
    assert (again, calls) == (rules, [])


@pytest.mark.usefixtures("at_once")
def test_a_damaged_record_and_all_after_it_are_mined_again(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    rules = tuple(mine(KG, LOOSE, checkpoint=path))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert mine(KG, LOOSE, checkpoint=path, resume=True) == rules


@pytest.mark.usefixtures("at_once")
def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    mine(KG, LOOSE, checkpoint=path)
    other = KnowledgeGraph.from_triples(ROWS[:-1])
    for kg, options in ((other, LOOSE), (KG, MiningOptions(2, min_initial_support=1))):
        with pytest.raises(MiningError, match="another graph, other options"):
            mine(kg, options, checkpoint=path, resume=True)
    assert mine(other, LOOSE, checkpoint=path) == mine(other, LOOSE), (
        "without resume it starts anew"
    )


def test_a_short_run_leaves_nothing(here: Path, command: Command) -> None:
    words = ("mine", "kg.tsv", "--min-initial-support", "1", "-o", "out.jsonl")
    assert command(*words).status == 0
    assert {path.name for path in here.iterdir()} == {"kg.tsv", "rules.txt", "out.jsonl"}
    once = (here / "out.jsonl").read_bytes()
    assert command(*words, "--resume").status == 0
    assert (here / "out.jsonl").read_bytes() == once
    assert command("mine", "kg.tsv", "--resume").status == 2


@pytest.mark.parametrize("form", ["jsonl", "amie"])
def test_a_limit_of_time(
    here: Path, command: Command, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """The clock stands still while mining, and runs out when half of the rules are written."""
    words = ("mine", "kg.tsv", "--min-initial-support", "1", "--format", form, "-o", "out")
    assert command(*words).status == 0
    whole = (here / "out").read_text()
    begin = whole.index("\n") + 1 if form == "amie" else 0
    monkeypatch.setattr(TimeLimit, "SECONDS_PER_RULE", 0.0)
    monkeypatch.setattr(TimeLimit, "left", lambda _, rules=0: next(left) if rules else 1.0)
    left = iter([0.5, 0.2, *[-0.1] * 99])
    ended = command(*words, "--limit-seconds", "9")
    assert ended.status == 3
    assert "incomplete: ended after 9 s; no rules yet for" in ended.err
    found = (here / "out").read_text()
    assert begin < len(found) < len(whole)
    assert whole.startswith(found), "whole head relations, in order"
    missing = (here / "out.missing").read_text().split()
    assert f"{missing[0]}\t" not in found
    left = iter([1.0] * 99)
    assert command(*words, "--resume").status == 0
    assert (here / "out").read_text() == whole
    assert {path.name for path in here.iterdir()} == {"kg.tsv", "rules.txt", "out"}


@pytest.mark.parametrize(("form", "lines"), [("jsonl", 0), ("amie", 1)])
def test_a_limit_covers_reading_and_without_rules_the_output_is_empty(
    here: Path, command: Command, form: str, lines: int
) -> None:
    words = ("mine", "kg.tsv", "--min-initial-support", "1", "--format", form)
    ended = command(*words, "--limit-seconds", "0", "-o", "out")
    assert (ended.status, ended.out) == (3, "")
    assert (here / "out").read_text().count("\n") == lines
    assert len((here / "out.missing").read_text().split()) == 5
    assert command(*words, "--limit-seconds", "0").out == (here / "out").read_text()


def test_time_to_write_is_set_aside_while_mining() -> None:
    now = 0.0
    limit = TimeLimit(10.0, lambda: now)
    assert limit.left() == 10.0
    assert limit.left(500_000) == pytest.approx(5.0)
    now = 7.0
    assert limit.left() == 3.0
    assert limit.left(500_000) < 0
    assert TimeLimit(None).left(10**9) > 10**9


def test_a_miner_out_of_time_keeps_what_is_finished(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    none = mine(KG, LOOSE, Resources(limit_seconds=0), checkpoint=path)
    assert len(none) == 0
    assert none.unfinished == KG.relations
    assert mine(KG, LOOSE, checkpoint=path, resume=True) == mine(KG, LOOSE)


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
    while not (kept.exists() and kept.stat().st_size > 1000):
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
