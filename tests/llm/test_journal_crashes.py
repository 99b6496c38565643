"""Crashes at any moment and full disks: what was appended is there afterwards, and appending goes on."""

import asyncio
import errno
import os
import random
import subprocess
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path

import pytest

from rulemine.errors import OutputError
from rulemine.llm.call import Ask
from rulemine.llm.journal import Journal, read_journal
from rulemine.llm.session import open_session
from tests.llm.journal_entries import append, entry, key_of
from tests.llm.running_server import HoldingServer, Running, answered, options_for, until


def environment() -> dict[str, str]:
    """For a process that can import what lies beside this file."""
    here = Path(__file__)
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(here.parent), str(here.parents[2])])}


KILLED = """
import asyncio, os, sys
from pathlib import Path
from journal_entries import entry
from rulemine.llm.journal import Journal

async def conversation(journal, numbers):
    for number in numbers:
        await journal.append(entry(number, f"{number} " * 500))
        os.write(1, b"%d\\n" % number)

async def work(journal, start):
    await asyncio.gather(*(conversation(journal, range(start + n, 10**9, 16)) for n in range(16)))

with Journal.open(Path(sys.argv[1])) as journal:
    os.write(1, b"open\\n")
    asyncio.run(work(journal, int(sys.argv[2])))
"""


TURNS = 12


def test_a_kill_at_any_moment_loses_nothing_whose_append_had_returned(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    chance = random.Random(7)
    told: set[int] = set()
    for turn in range(TURNS):
        start = turn * 1_000_000
        with (tmp_path / "told").open("wb+") as out:
            argv = [sys.executable, "-c", KILLED, str(path), str(start)]
            child = subprocess.Popen(argv, stdout=out, env=environment())
            told_bytes = chance.randrange(5, 3000)  # 5: it is open
            try:
                until(lambda: (tmp_path / "told").stat().st_size >= told_bytes)  # noqa: B023
            finally:
                child.kill()
            assert child.wait() == -9
            out.seek(0)
            numbers = out.read().split(b"\n")[1:-1]
        told.update(int(number) for number in numbers)
    assert len(told) > TURNS
    whole = {key_of(n): entry(n, f"{n} " * 500) for n in told}
    known = read_journal(path)
    assert {key: known[key] for key in whole} == whole
    assert len(known) - len(told) <= TURNS * 16, "of each turn, calls in flight alone were not told"


def full_after(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on so many bytes can be written, in whatever pieces."""
    real, left = os.write, room

    def write(handle: int, data: memoryview) -> int:
        nonlocal left
        if left == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        done = real(handle, data[:left])
        left -= done
        return done

    monkeypatch.setattr(os, "write", write)


def gathered(journal: Journal, numbers: Iterable[int]) -> list[BaseException | None]:
    async def work() -> list[BaseException | None]:
        calls = (journal.append(entry(n)) for n in numbers)
        return await asyncio.gather(*calls, return_exceptions=True)

    return asyncio.run(work())


def test_a_disk_full_at_any_byte_leaves_whole_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(tmp_path / "whole.jsonl", [entry(n) for n in range(4)])
    whole = (tmp_path / "whole.jsonl").read_bytes()
    ends = [0]
    while ends[-1] < len(whole):
        ends.append(whole.index(b"\n", ends[-1]) + 1)
    path = tmp_path / "journal.jsonl"
    for room in range(0, ends[3] - ends[1], 7):
        path.write_bytes(whole[: ends[1]])
        with Journal.open(path) as journal:
            with monkeypatch.context() as patch:
                full_after(room, patch)
                one, other = gathered(journal, [1, 2])
                assert isinstance(other, OutputError)
                assert str(path) in str(other)
                assert "No space left on device" in str(other)
                assert one is None or isinstance(one, OutputError)
            kept = path.read_bytes()
            assert kept == whole[: max(end for end in ends if end <= ends[1] + room)]
            assert gathered(journal, [3]) == [None], "and it goes on as soon as there is room"
        assert path.read_bytes() == kept + whole[ends[3] :]


def fail(*_: object) -> None:
    raise OSError(errno.EIO, "Input/output error")


def test_half_a_line_that_could_not_be_cut_off_is_before_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal.jsonl"
    append(path, [entry(1)])
    before = path.read_bytes()
    with Journal.open(path) as journal:
        with monkeypatch.context() as patch:
            patch.setattr(os, "ftruncate", fail)
            full_after(10, patch)
            (problem,) = gathered(journal, [2])
            assert isinstance(problem, OutputError)
        assert len(path.read_bytes()) == len(before) + 10
        assert gathered(journal, [3]) == [None]
    assert list(read_journal(path)) == [key_of(1), key_of(3)]


def test_what_may_not_have_reached_the_disk_does_not_count_in_this_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal.jsonl"
    with Journal.open(path) as journal:
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", fail)
            (problem,) = gathered(journal, [1])
        assert isinstance(problem, OutputError)
        assert "Input/output error" in str(problem)
        assert journal.get(key_of(1)) is None
    assert list(read_journal(path)) == [key_of(1)], "it is paid for, and there after all"


def test_a_kill_loses_no_more_replies_than_calls_may_be_in_flight(tmp_path: Path) -> None:
    """When a request arrives, the replies that came before it was sent are in the file."""
    path = tmp_path / "journal.jsonl"
    missing: list[int] = []

    def look(server: HoldingServer, _: object) -> bool:
        missing.append(sum(server.received.values()) - len(read_journal(path)))
        return False

    async def converse(ask: Ask, number: int) -> str:
        return await answered(ask, number)

    with Running(holds=look) as fake:
        options = options_for(fake.url, concurrency=1)
        with open_session(options, path) as session:
            session.run([partial(converse, number=number) for number in range(50)])
    assert missing == [1] * 50, "the one that has just arrived"


FULL = """
import asyncio, sys
from pathlib import Path
from journal_entries import entry
from rulemine.errors import OutputError
from rulemine.llm.journal import Journal

async def work(journal):
    for number in range(1000):
        try:
            await journal.append(entry(number))
        except OutputError as problem:
            assert "No space left on device" in str(problem), problem
            return number

place = Path(sys.argv[1])
with Journal.open(place / "journal.jsonl") as journal:
    done = asyncio.run(work(journal))
assert (place / "journal.jsonl").read_bytes().endswith(b"}\\n")
(place / "ballast").unlink()
with Journal.open(place / "journal.jsonl") as journal:
    assert journal.dropped == 0
    assert [n for n in range(1000) if journal.get(entry(n).key)] == list(range(done))
    asyncio.run(journal.append(entry(done)))
print(done)
"""


def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    script = (
        'mount -t tmpfs -o size=64k none "$1" && head -c 20000 /dev/zero > "$1/ballast" '
        '&& "$2" -c "$3" "$1"'
    )
    argv = ["unshare", "-rm", "sh", "-c", script, "sh", str(tmp_path), sys.executable]
    try:
        probe = [*argv[:4], 'mount -t tmpfs -o size=64k none "$1"', "sh", str(tmp_path)]
        subprocess.run(probe, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no small file system can be made here")
    ended = subprocess.run([*argv, FULL], capture_output=True, text=True, env=environment())
    assert ended.returncode == 0, ended.stderr
    assert 20 < int(ended.stdout) < 1000
