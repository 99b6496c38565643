"""Folders are held by one process, exchanged as a whole, and never taken from their user."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rulemine.errors import OutputError
from rulemine.files import write_text
from rulemine.release.outputs import recover, replacing, working_folder
from tests import each


class CrashError(Exception):
    """What a test throws."""


@each(
    ("name", "told"),
    [
        (".x.exchange", "was not made by this program"), ("x.stages", "was not made by this program"),
        ("thesis.txt", "cannot be written"), ("thesis.txt/below", "cannot be written"),
        ("n" * 300, "cannot be written"),
    ],
)  # fmt: skip
def test_a_folder_that_is_not_ours_or_cannot_be_made_is_left_alone(tmp_path, name, told):
    for file in (".x.exchange/thesis.txt", "x.stages/thesis.txt", "thesis.txt"):
        write_text(tmp_path / file, "years")
    with pytest.raises(OutputError, match=told), working_folder(tmp_path / name):
        raise AssertionError("taken")
    assert len(list(tmp_path.rglob("*"))) == 5


def test_an_exchange_touches_nothing_that_it_did_not_make(tmp_path: Path) -> None:
    for name in (".x.old", ".x.new", ".x.made", ".x.exchange"):
        write_text(tmp_path / name / "thesis.txt", "years")
    with pytest.raises(OutputError, match="was not made"):
        recover(tmp_path / "x")
    with pytest.raises(OutputError, match="was not made"), replacing(tmp_path / "x"):
        raise AssertionError("taken")
    assert len(list(tmp_path.rglob("thesis.txt"))) == 4
    (tmp_path / ".x.exchange" / "thesis.txt").unlink()
    with replacing(tmp_path / "x") as fresh:
        write_text(fresh / "a", "new")
    assert (tmp_path / "x" / "a").read_text() == "new"
    assert len(list(tmp_path.rglob("thesis.txt"))) == 3
    assert (tmp_path / ".x.exchange").is_dir(), "an empty folder of the user's is one still"


def test_what_a_killed_exchange_left_is_put_right(tmp_path: Path) -> None:
    left = tmp_path / ".x.exchange"
    for name in ("old/a", "new/a", ".lock"):
        write_text(left / name, name)
    recover(tmp_path / "x")
    assert (tmp_path / "x" / "a").read_text() == "old/a"
    assert [p.name for p in tmp_path.iterdir()] == ["x"]


def test_a_folder_made_after_a_kill_costs_nobody_anything(tmp_path: Path) -> None:
    for name in (".x.exchange/old/a", ".x.exchange/new/a", ".x.exchange/.lock", "x/thesis.txt"):
        write_text(tmp_path / name, name)
    for attempt in (recover, lambda target: replacing(target).__enter__()):
        with pytest.raises(OutputError, match=r"x: was changed .* is in .*old\. Move one"):
            attempt(tmp_path / "x")
    assert (tmp_path / "x/thesis.txt").exists()
    assert (tmp_path / ".x.exchange/old/a").exists()


def test_a_folder_is_held_by_one_process_at_a_time(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path\n"
        "from rulemine.release.outputs import working_folder\n"
        "with working_folder(Path(sys.argv[1])):\n    print('held', flush=True)\n    time.sleep(60)\n"
    )
    target = tmp_path / "out" / "x.stages"
    holder = subprocess.Popen(
        [sys.executable, "-c", code, target], stdout=subprocess.PIPE, text=True
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        told = "another build is using this folder"
        with pytest.raises(OutputError, match=told), working_folder(target):
            raise AssertionError("two processes at once")
    finally:
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        holder.stdout.close()
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:  # the kernel frees the lock of a killed process
        try:
            with working_folder(target) as folder:
                assert folder == target
            break
        except OutputError:
            time.sleep(0.01)
    else:
        raise AssertionError("the lock of a killed process was never freed")


def test_a_folder_in_which_nothing_was_done_is_taken_away(tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(CrashError), working_folder(tmp_path / "out" / "x.stages"):
            raise CrashError
        assert list(tmp_path.iterdir()) == []
    with working_folder(tmp_path / "out" / "x.stages") as folder:
        write_text(folder / "mine" / "a.txt", "x")
    assert (folder / "mine" / "a.txt").exists()
