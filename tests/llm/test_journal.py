"""What was paid for is kept: appending, reading, and which of several entries counts."""

import asyncio
import dataclasses
import json
import os
import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from rulemine.errors import InputError, OutputError
from rulemine.llm.call import Answer, Entry
from rulemine.llm.journal import Journal, read_journal, write_journal
from tests.llm.journal_entries import LASTING, PASSING, append, entry, key_of, reply


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.stages" / "llm" / "journal.jsonl"


def test_what_is_appended_is_known_at_once_and_after_opening_again(path: Path) -> None:
    async def work(journal: Journal) -> None:
        assert journal.get(key_of(1)) is None
        await journal.append(entry(1))
        assert journal.get(key_of(1)) == entry(1)

    with Journal.open(path) as journal:
        asyncio.run(work(journal))
    with Journal.open(path) as journal:
        assert journal.get(key_of(1)) == entry(1)
        assert journal.get(key_of(2)) is None
        assert journal.dropped == 0
    assert read_journal(path) == {key_of(1): entry(1)}


def test_a_line_is_the_entry_with_attempts_and_time(path: Path) -> None:
    append(path, [entry(1), entry(2, LASTING)])
    rows = [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
    assert rows == [
        {**entry(1).to_json(), "attempts": 2, "time": "2030-01-01T00:00:01Z"},
        {**entry(2, LASTING).to_json(), "attempts": 3, "time": "2030-01-01T00:00:02Z"},
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "two\nlines\r\nand \v\f more",
        "separators \u2028 \u2029 \x85 of lines",
        "quotes \" ' ” \\ \\n",
        "\ufeffmark, \u202eright to left\u202c, Zoë, e\u0301, 😀, \U0010fffd",
        "nul \0 and \x1f, \x7f",
        '{"key": "' + "}\n" * 3,
        "half a pair \ud800",
        "x" * 3_000_000 + "\n" + "😀" * 1_000_000,
    ],
    ids=lambda text: ascii(text[:20]),
)
def test_any_text_comes_back(path: Path, text: str) -> None:
    append(path, [entry(1, text), entry(2)])
    assert read_journal(path) == {key_of(1): entry(1, text), key_of(2): entry(2)}
    assert path.read_bytes().count(b"\n") == 2


def test_nothing_counts_before_it_is_on_the_disk(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[Entry | None, bool]] = []
    real = os.fsync

    def look(handle: int) -> None:
        seen.append((journal.get(key_of(1)), waiting.done()))
        real(handle)

    async def work() -> None:
        nonlocal waiting
        waiting = asyncio.ensure_future(journal.append(entry(1)))
        await waiting

    with Journal.open(path) as journal:
        waiting: asyncio.Future[None]
        monkeypatch.setattr(os, "fsync", look)
        asyncio.run(work())
        assert seen == [(None, False)]
        assert journal.get(key_of(1)) == entry(1)


def test_appends_at_one_time_share_a_write(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    appended = threading.Event()
    real = os.fsync

    def sync(handle: int) -> None:
        appended.wait(120)  # all that is appended until the first is on the disk goes there next
        synced.append(handle)
        real(handle)

    async def work(journal: Journal) -> None:
        tasks = [asyncio.ensure_future(journal.append(entry(n))) for n in range(640)]
        await asyncio.sleep(0)
        appended.set()
        await asyncio.gather(*tasks)

    with Journal.open(path) as journal:
        monkeypatch.setattr(os, "fsync", sync)
        asyncio.run(work(journal))
    assert 1 <= len(synced) <= 2
    assert read_journal(path) == {key_of(n): entry(n) for n in range(640)}


def test_who_stops_waiting_stops_no_write(path: Path) -> None:
    async def work(journal: Journal) -> None:
        tasks = [asyncio.ensure_future(journal.append(entry(n))) for n in range(8)]
        await asyncio.sleep(0)
        for task in tasks[::2]:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(e) for e in ended] == [asyncio.CancelledError, type(None)] * 4

    with Journal.open(path) as journal:
        asyncio.run(work(journal))
    assert read_journal(path) == {key_of(n): entry(n) for n in range(8)}


def test_closing_writes_what_is_pending(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def work(journal: Journal) -> None:
        for n in range(64):
            asyncio.ensure_future(journal.append(entry(n)))  # noqa: RUF006 - nobody waits
        await asyncio.sleep(0)

    journal = Journal.open(path)
    asyncio.run(work(journal))
    journal.close()
    journal.close()
    assert len(read_journal(path)) == 64
    assert not caplog.records


def test_a_journal_goes_on_in_the_next_loop(path: Path) -> None:
    with Journal.open(path) as journal:
        for n in range(3):
            asyncio.run(journal.append(entry(n)))
    assert read_journal(path) == {key_of(n): entry(n) for n in range(3)}


A, B = reply("Who is her aunt?"), reply("Whose aunt is she?")
OTHER_LASTING = dataclasses.replace(LASTING, detail="another")
OTHER_PASSING = dataclasses.replace(PASSING, detail="another")


@pytest.mark.parametrize(
    ("answers", "counts"),
    [
        ([A, B], A),
        ([A, PASSING], A),
        ([A, LASTING], A),
        ([PASSING, A, B], A),
        ([LASTING, A], A),
        ([LASTING, OTHER_LASTING], LASTING),
        ([LASTING, PASSING], LASTING),
        ([PASSING, LASTING], LASTING),
        ([PASSING, OTHER_PASSING], OTHER_PASSING),
    ],
)
def test_of_several_entries_with_one_key_one_counts(
    path: Path, answers: list[Answer], counts: Answer
) -> None:
    async def work(journal: Journal) -> None:
        for answer in answers:
            await journal.append(entry(1, answer))
        settled = counts not in (PASSING, OTHER_PASSING)
        assert journal.get(key_of(1)) == (entry(1, counts) if settled else None)

    with Journal.open(path) as journal:
        asyncio.run(work(journal))
    assert read_journal(path) == {key_of(1): entry(1, counts)}
    assert path.read_bytes().count(b"\n") == len(answers), "every line stays"


def test_a_passing_failure_is_asked_again_and_replayed_as_it_is(path: Path) -> None:
    append(path, [entry(1, PASSING), entry(2, LASTING)])
    with Journal.open(path) as journal:
        assert journal.get(key_of(1)) is None
        assert journal.get(key_of(2)) == entry(2, LASTING)
    assert read_journal(path)[key_of(1)].answer == PASSING


def test_one_process_at_a_time(path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from rulemine.llm.journal import Journal\n"
        "journal = Journal.open(Path(sys.argv[1])); print(flush=True); time.sleep(60)"
    )
    other = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE)
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == b"\n"
        with pytest.raises(OutputError, match=r"journal\.jsonl: another process is writing this"):
            Journal.open(path)
        assert read_journal(path) == {}, "reading needs no lock"
    finally:
        other.kill()
        other.communicate()
    append(path, [entry(1)])
    with Journal.open(path), pytest.raises(OutputError, match="another process"):
        Journal.open(path)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=r"file/journal\.jsonl: .* cannot be written \(File ex"):
        Journal.open(tmp_path / "file" / "journal.jsonl")
    with pytest.raises(OutputError, match="Is a directory"):
        Journal.open(tmp_path)


def test_a_release_has_the_same_bytes_whatever_the_order_of_arrival(tmp_path: Path) -> None:
    entries = [entry(n) for n in range(50)] + [entry(50, LASTING), entry(51, PASSING)]
    made = set()
    for turn in range(5):
        random.Random(turn).shuffle(entries)
        working, release = tmp_path / f"{turn}.jsonl", tmp_path / "release" / "journal.jsonl"
        append(working, (dataclasses.replace(e, attempts=turn + 1, time="") for e in entries))
        ids = ("q000002", "q000001")[:: 1 if turn % 2 else -1]
        write_journal(release, ((e, ids) for e in read_journal(working).values()))
        made.add(release.read_bytes())
    (content,) = made
    rows = [json.loads(line) for line in content.split(b"\n")[:-1]]
    assert [row["key"] for row in rows] == sorted(e.key for e in entries)
    assert all(row["questions"] == ["q000001", "q000002"] for row in rows)
    assert not any({"attempts", "time"} & set(row) for row in rows)
    assert read_journal(release) == {
        e.key: dataclasses.replace(e, attempts=1, time="") for e in entries
    }


def test_a_release_can_be_the_start_of_a_working_journal(path: Path) -> None:
    write_journal(path, [(entry(1), ("q000001",))])
    append(path, [entry(2)])
    assert set(read_journal(path)) == {key_of(1), key_of(2)}


def test_a_missing_journal_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no\.jsonl: no such file"):
        read_journal(tmp_path / "no.jsonl")
