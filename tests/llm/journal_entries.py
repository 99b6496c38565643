"""Entries for tests of the journal."""

import asyncio
import hashlib
from collections.abc import Iterable
from pathlib import Path

from rulemine.llm.call import Answer, Entry, Failure, Reply
from rulemine.llm.journal import Journal

DIGEST = "0" * 64
PASSING = Failure("endpoint_error", "500 again and again", lasting=False)
LASTING = Failure("context_too_long", "8192 tokens at most", lasting=True)


def key_of(number: int) -> str:
    """The key of a made-up call."""
    return hashlib.sha256(str(number).encode()).hexdigest()


def reply(text: str) -> Reply:
    """A reply with some text."""
    return Reply(text, "stop", 300, 9)


def entry(number: int, answer: Answer | str | None = None) -> Entry:
    """An entry of a made-up call, with the answer or the text given or one of its own."""
    key = key_of(number)
    if not isinstance(answer, Reply | Failure):
        answer = reply(answer if answer is not None else f"Who is the aunt of {number}?")
    time = f"2030-01-01T00:00:{number % 60:02}Z"
    return Entry(key, "question", "m", "question/1", DIGEST, key, answer, 1 + number % 3, time)


def append(path: Path, entries: Iterable[Entry]) -> None:
    """Opens a journal, appends one entry after the other, and closes it."""

    async def work(journal: Journal) -> None:
        for one in entries:
            await journal.append(one)

    with Journal.open(path) as journal:
        asyncio.run(work(journal))
