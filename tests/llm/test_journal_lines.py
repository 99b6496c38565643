"""What a crash leaves at the end is dropped; anything else that is no entry is an error with its line."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from rulemine.errors import InputError
from rulemine.llm.call import Reply
from rulemine.llm.journal import Journal, read_journal
from tests.llm.journal_entries import DIGEST, LASTING, append, entry, key_of


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


def lines(path: Path, *texts: str) -> list[bytes]:
    """The lines of a journal with entries 0, 1, 2 …, made at the path."""
    append(path, [entry(number, text) for number, text in enumerate(texts)])
    return path.read_bytes().splitlines(keepends=True)


def test_a_file_cut_anywhere_in_its_last_two_lines_is_whole_up_to_there(path: Path) -> None:
    parts = lines(path, "Who?", "Whose aunt is Zoë “\u2028” 😀?", "short")
    whole, first, second = b"".join(parts), len(parts[0]), len(parts[0] + parts[1])
    near = [end + n for end in (first, second, len(whole)) for n in (-2, -1, 0, 1, 2)]
    for size in sorted({*range(first, len(whole), 4), *near} & {*range(first, len(whole) + 1)}):
        path.write_bytes(whole[:size])
        complete = 1 + (size >= second - 1) + (size >= len(whole) - 1)
        torn = size - [first, second, len(whole)][complete - 1]
        assert list(read_journal(path)) == [key_of(n) for n in range(complete)]
        assert path.stat().st_size == size, "reading changes nothing"
        with Journal.open(path) as journal:
            assert journal.dropped == max(torn, 0), size
            assert [n for n in range(3) if journal.get(key_of(n))] == list(range(complete))
        assert path.read_bytes() == b"".join(parts[:complete])
        append(path, [entry(9)])
        assert list(read_journal(path)) == [key_of(n) for n in [*range(complete), 9]]


def test_a_first_line_cut_anywhere_leaves_an_empty_journal(path: Path) -> None:
    (line,) = lines(path, "Who?")
    for size in range(len(line) - 1):
        path.write_bytes(line[:size])
        with Journal.open(path) as journal:
            assert journal.dropped == size
        assert path.read_bytes() == b""


GARBAGE = {
    "nul": bytes(4096),
    "nul and line ends": b"\0\0\n\0\0\n",
    "half a line and nul": b'{"key": "ab' + bytes(100),
    "binary": random.Random(1).randbytes(4096),
    "binary lines": random.Random(2).randbytes(4096).replace(b"\x20", b"\n") + b"\n",
    "text": b"lost and found\nin a block of another file\n",
    "no object": b'12\n["a"]\nnull\n',
    "half a character": b'{"key": "\xf0\x9f',
    "NaN": b'{"key": NaN}\n',
    "half a pair": b'{"key": "\\ud800"}\n',
    "deep": b"[" * 100_000,
    "blank": b" \t ",
}


@pytest.mark.parametrize("garbage", GARBAGE.values(), ids=GARBAGE)
def test_garbage_at_the_end_is_dropped_and_counted(path: Path, garbage: bytes) -> None:
    whole = b"".join(lines(path, "one", "two"))
    path.write_bytes(whole + garbage)
    told: list[str] = []
    assert list(read_journal(path, told.append)) == [key_of(0), key_of(1)]
    assert len(told) == 1
    assert f"{path}: {len(garbage)} bytes" in told[0]
    with Journal.open(path) as journal:
        assert journal.dropped == len(garbage)
    assert path.read_bytes() == whole


def test_blank_lines_are_nothing(path: Path) -> None:
    one, two = lines(path, "one", "two")
    content = b"\n" + one + b" \r\n\n" + two.replace(b"\n", b"\r\n") + b"\n\n"
    path.write_bytes(content)
    with Journal.open(path) as journal:
        assert journal.dropped == 0
    assert path.read_bytes() == content
    assert list(read_journal(path)) == [key_of(0), key_of(1)]


def test_a_hole_of_nul_bytes_is_left_out_for_the_power_may_fail_within_a_batch(path: Path) -> None:
    whole = bytearray(b"".join(parts := lines(path, "one", "two", "three", "four")))
    start, end = len(parts[0]) + 20, len(parts[0] + parts[1]) + 20
    whole[start:end] = bytes(end - start)
    path.write_bytes(whole)
    with Journal.open(path) as journal:
        assert journal.dropped == len(parts[1] + parts[2])
        assert [n for n in range(4) if journal.get(key_of(n))] == [0, 3]
    append(path, [entry(1), entry(2)])
    assert list(read_journal(path)) == [key_of(n) for n in (0, 3, 1, 2)]


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (b'{"key": "ab\n', "line 2 is not valid JSON"),
        (b'"\xff"\n', "line 2 is not UTF-8"),
        (b"12\n", "line 2 holds a JSON int; an object"),
    ],
)
def test_a_bad_line_in_the_middle_is_an_error_and_nothing_is_cut(
    path: Path, bad: bytes, problem: str
) -> None:
    one, two = lines(path, "one", "two")
    content = one + bad + two + b'{"torn'
    path.write_bytes(content)
    for read in (read_journal, Journal.open):
        with pytest.raises(InputError, match=rf"journal\.jsonl: {problem}"):
            read(path)
    assert path.read_bytes() == content


def wrong(**changes: Any) -> dict[str, Any]:
    """A row with some fields changed, or taken out (None)."""
    row = {**entry(1).to_json(), "attempts": 1, "time": "", **changes}
    return {name: value for name, value in row.items() if value is not None}


WRONG = {
    "key": (wrong(key="ABC"), "field 'key' is 'ABC', no SHA-256"),
    "capitals": (wrong(key="A" * 64), "no SHA-256"),
    "digest": (wrong(prompt_digest=DIGEST + "\n"), "field 'prompt_digest' is"),
    "request": (wrong(request=""), "field 'request' is ''"),
    "missing": (wrong(purpose=None), "field 'purpose' is missing"),
    "unknown": (wrong(extra=1), r"unknown field\(s\) extra"),
    "type": (wrong(model=7), "field 'model': str was expected, found 7"),
    "attempts": (wrong(attempts=True), "field 'attempts': int was expected, found True"),
    "no usage": (wrong(usage=None), "either 'failure' or all of 'reply'"),
    "no reply": (wrong(reply=None), "either 'failure' or all of 'reply'"),
    "no answer": (
        wrong(reply=None, finish_reason=None, usage=None),
        "either 'failure' or all of 'reply'",
    ),
    "both": (
        wrong(failure={"code": "refused", "detail": "", "lasting": True}),
        "either 'failure' or all of 'reply'",
    ),
    "usage": (wrong(usage={"prompt_tokens": 1}), "'completion_tokens' is missing"),
    "usage unknown": (
        wrong(usage={"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}),
        r"unknown field\(s\) total_tokens",
    ),
    "tokens": (wrong(usage={"prompt_tokens": 1.5, "completion_tokens": 1}), "int was expected"),
    "questions": (wrong(questions=[1]), "field 'questions': str was expected, found 1"),
}


@pytest.mark.parametrize(("row", "problem"), WRONG.values(), ids=WRONG)
def test_wrong_fields_are_an_error_also_in_the_last_line(
    path: Path, row: dict[str, Any], problem: str
) -> None:
    (one,) = lines(path, "one")
    content = one + json.dumps(row).encode()
    path.write_bytes(content)
    with pytest.raises(InputError, match=f"line 2: .*{problem}"):
        Journal.open(path)
    assert path.read_bytes() == content


def test_all_problems_are_told_at_once(path: Path) -> None:
    (one,) = lines(path, "one")
    bad = json.dumps(wrong(key="x")).encode() + b"\n"
    path.write_bytes(one + b"no\n" + bad * 20 + one)
    with pytest.raises(InputError) as caught:
        read_journal(path)
    told = str(caught.value).split("\n")
    assert told[0] == f"{path}:"
    assert told[1].startswith("  line 2 is not valid JSON")
    assert told[2].startswith("  line 3: field 'key'")
    assert told[-2] == "  … and 11 more"
    assert "asked again" in told[-1]


@pytest.mark.parametrize("content", [b"a\tb\tc\n" * 50, b"\x1f\x8b\x08", b"PK", b'{"kez'])
def test_a_file_that_is_no_journal_is_not_emptied(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"journal\.jsonl: holds no entry of a journal"):
        Journal.open(path)
    assert path.read_bytes() == content


def test_replies_of_all_kinds_are_read(path: Path) -> None:
    """With what endpoints say at the margins: nothing at all, cut off, filtered."""
    answers = [Reply("", "length", 0, 0), Reply("", "content_filter", 5, 0), LASTING]
    append(path, [entry(n, answer) for n, answer in enumerate(answers)])
    assert [e.answer for e in read_journal(path).values()] == answers
