"""Conversations out of a journal: no network, no key, no cost.

Guarantee: what is asked is answered with what the journal says, failures included, or there is an error that
names what the journal lacks. Nothing is written.
"""

from collections.abc import Mapping
from pathlib import Path

from rulemine.errors import InputError, ReplayError, list_problems
from rulemine.llm.call import Answer, Call
from rulemine.llm.journal import Journal, answer_of
from rulemine.llm.options import EndpointOptions
from rulemine.llm.session import Session

__all__ = ["Replay", "find_journal"]

JOURNALS = ("llm/journal.jsonl", "journal.jsonl", "llm/journal.sqlite", "journal.sqlite")
"""Where a journal lies in a release, or in the folder of stages of a build."""


def find_journal(path: Path) -> Path:
    """The journal that a path names: a journal itself, or a folder with one.

    Raises:
        InputError: There is none.
    """
    if path.is_file():
        return path
    for name in JOURNALS:
        if (path / name).is_file():
            return path / name
    what = f"holds none of {', '.join(JOURNALS)}" if path.exists() else "no such file or folder"
    raise InputError(
        f"{path}: {what}. Name a journal, or a release that a language model had a part in."
    )


class Replay(Session):
    """A session that takes every answer from a journal, of a release or of a build that was not finished."""

    def __init__(self, path: Path) -> None:
        """Reads a journal.

        Args:
            path: See `find_journal`.

        Raises:
            InputError: There is no journal, or it is malformed.
        """
        super().__init__(EndpointOptions(), Journal(find_journal(path), read_only=True))

    async def _fetch(self, call: Call, place: EndpointOptions) -> Answer:
        if (line := self._journal.get(call.key)) is not None:
            return answer_of(line)  # a failure that might have passed
        raise ReplayError(
            f"{call.subject}: no reply to its call {call.purpose!r} (model {call.model})"
        )

    def _raise_first(self, problems: Mapping[int, Exception]) -> None:
        """Raises what works raised; where the journal lacks replies, all of it at once."""
        for index in sorted(problems):
            if not isinstance(problems[index], ReplayError):
                raise problems[index]
        models = sorted({model for _, model in self._journal.counts()})
        advice = (
            f"The journal holds replies of {', '.join(models) or 'no model'}. Was the model, a prompt or the "
            "seed changed since? Replay with what it was made with, or ask the endpoint."
        )
        missing = [str(problems[index]) for index in sorted(problems)]
        raise ReplayError(list_problems(str(self._journal.path), missing, advice))
