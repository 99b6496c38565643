"""Conversations out of a journal: no network, no key, no cost.

Guarantee: what is asked is answered with what the journal says, failures included, or there is an error that
names everything the journal lacks. Nothing is written.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeVar

from rulemine.errors import InputError, ReplayError, list_problems
from rulemine.llm.call import Answer, Ask, Call, Entry
from rulemine.llm.closing import Closing
from rulemine.llm.journal import read_journal
from rulemine.llm.usage import Tally

__all__ = ["Replay", "find_journal", "replay_session"]

T = TypeVar("T")

JOURNALS = ("llm/journal.jsonl", "journal.jsonl")
"""Where a journal lies in a release, or in a folder that was given for one."""


def replay_session(path: Path, *, status: Callable[[str], object] | None = None) -> "Replay":
    """A session that takes every reply from a journal.

    Args:
        path: A journal, or a folder with one: a release, or the stages of a build.
        status: Told when the journal has a torn tail.

    Raises:
        InputError: There is no journal, or it is malformed.
    """
    file = find_journal(path)
    return Replay(file, read_journal(file, status))


def find_journal(path: Path) -> Path:
    """The journal that a path names, see `replay_session`.

    Raises:
        InputError: There is none.
    """
    if path.is_file():
        return path
    for name in JOURNALS:
        if (path / name).is_file():
            return path / name
    what = f"holds neither {' nor '.join(JOURNALS)}" if path.exists() else "no such file or folder"
    raise InputError(
        f"{path}: {what}. Name a release whose questions a model has worded, or a journal."
    )


class Replay(Closing):
    """What conversations run in when nothing is to be asked anew; has the interface of a session.

    Attributes:
        entries: Every call that was asked, by key.
        tally: Counts, for progress lines; no tokens, for none were spent.
    """

    def __init__(self, path: Path, known: dict[str, Entry]) -> None:
        self.entries: dict[str, Entry] = {}
        self.tally = Tally()
        self._path, self._known = path, known

    def run(
        self,
        works: Sequence[Callable[[Ask], Awaitable[T]]],
        progress: Callable[[int, int], object] | None = None,
    ) -> list[T]:
        """Holds conversations, one after the other; can be called again.

        Args:
            works: The conversations.
            progress: Told (conversations done, of all).

        Returns:
            What each came to, in their order.

        Raises:
            ReplayError: The journal lacks replies; the message names the first of them, one of each
                conversation, and counts the rest.
        """
        results, missing = asyncio.run(self._run(works, progress))
        if missing:
            raise ReplayError(list_problems(str(self._path), missing, self._advice()))
        return results

    async def _run(
        self,
        works: Sequence[Callable[[Ask], Awaitable[T]]],
        progress: Callable[[int, int], object] | None,
    ) -> tuple[list[T], list[str]]:
        results: list[T] = []
        missing: list[str] = []
        for done, work in enumerate(works, start=1):
            try:
                results.append(await work(self._ask))
            except _MissingError as problem:
                missing.append(str(problem))
            if progress is not None:
                progress(done, len(works))
            # Nothing else here ever waits, and only what waits can be interrupted.
            await asyncio.sleep(0)
        return results, missing

    async def _ask(self, call: Call) -> Answer:
        entry = self._known.get(call.key)
        if entry is None:
            raise _MissingError(
                f"{call.subject}: no reply to its call {call.purpose!r} "
                f"(model {call.model}, prompt {call.prompt_version})"
            )
        if call.key not in self.entries:
            self.entries[call.key] = entry
            self.tally.journal += 1
        return entry.answer

    def _advice(self) -> str:
        models = sorted({entry.model for entry in self._known.values()})
        holds = f"replies of {', '.join(models)}" if models else "no replies"
        return (
            f"The journal holds {holds}. Was the model, the prompt, a gloss, the naming or the seed changed "
            "since? Replay with what it was made with, or leave --replay out to ask the endpoint."
        )


class _MissingError(ReplayError):
    """One call that the journal does not know."""
