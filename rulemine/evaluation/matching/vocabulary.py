"""Matching in the mode ``vocabulary``: what a reader takes from a reply, of the names of a release.

The steps, each of which sees what is left by those before:

1. Thoughts are taken off (`rulemine.text.visible_reply`), names are found, the longest first
   (`rulemine.evaluation.reading.names`).
2. JSON with a key ``answer`` or ``answers`` is the answer (`rulemine.evaluation.reading.structured`).
3. Else what the text says is its answer: what follows the last ``Answer:``, ``the answer is``, heading
   ``Answer``; what is boxed, in tags or in braces (`rulemine.evaluation.reading.marked`).
4. Else a line ``none`` means that there is none.
5. Else the last conclusion, a table, a list, or the sentences (`rulemine.evaluation.reading.blocks`).

Of the part that is read, a name counts unless it is denied, is an ordinary word where it stands, is given in
passing (in parentheses, as a reason), or is that of a topic entity of the question
(`rulemine.evaluation.reading.prose`); the last two count where nothing else is named.

Guarantee: time grows with the length of the text.
"""

import re
from collections.abc import Sequence, Set
from typing import NamedTuple

from rulemine.evaluation.reading.blocks import answers_first, read_blocks
from rulemine.evaluation.reading.lines import lines_of
from rulemine.evaluation.reading.marked import concluded, refuses, says_none, stated
from rulemine.evaluation.reading.names import NameFinder, ReplyText, composed, tokens
from rulemine.evaluation.reading.prose import Rank, RankedName
from rulemine.evaluation.reading.structured import answers_in
from rulemine.evaluation.reading.words import nothing_first
from rulemine.text.visible_reply import visible_reply

__all__ = ["LONGEST_OUTPUT", "Read", "VocabularyMatcher", "bounded", "composed", "tokens"]

LONGEST_OUTPUT = 1_000_000
"""Characters of an output that are read: more than a model writes, few enough to be read in seconds."""


def bounded(answers: Sequence[str]) -> Sequence[str]:
    """The first answers of a list that have `LONGEST_OUTPUT` characters together at most."""
    total = 0
    for number, answer in enumerate(answers):
        total += len(answer)
        if total > LONGEST_OUTPUT:
            return answers[:number]
    return answers


# Where a small model goes on with a question of its own; the prompt, said again, stands before any answer.
_NEXT_TURN = re.compile(
    r"^[#* \t]*(?:question|q|instruction|user|human|input)(?: ?\d+)?[* ]*:",
    re.IGNORECASE | re.MULTILINE,
)


class Read(NamedTuple):
    """What a reader takes from an output.

    Attributes:
        names: The names that are its answers, from left to right.
        denied: How many names it denies (``not Ann``), which would have been answers.
    """

    names: list[str]
    denied: int


class VocabularyMatcher:
    """Matching in the mode ``vocabulary``; see the module.

    Args:
        names: The entity names of the release.
        ignore_case: Find names whatever their capitals.
    """

    def __init__(self, names: Set[str], ignore_case: bool = False) -> None:
        self._finder = NameFinder(names, ignore_case)

    def text(self, raw_output: str, topics: Sequence[str] = ()) -> list[str]:
        """The names that an output gives as answers; where one text is the name of several, all of them.

        Args:
            raw_output: The output.
            topics: The names of the topic entities of the question, if they cannot be its answers.

        Example:
            >>> matcher = VocabularyMatcher({"Washington", "Washington, D.C.", "e00039"})
            >>> matcher.text("The capital is Washington, D.C. (e00039), not Washington.")
            ['Washington, D.C.']
            >>> matcher.text("e00039 is in Washington.", topics=["e00039"])
            ['Washington']
        """
        return self.read(raw_output, topics).names

    def read(self, raw_output: str, topics: Sequence[str] = ()) -> Read:
        """The same, and what it denies."""
        output = visible_reply(raw_output[:LONGEST_OUTPUT])
        own = frozenset(map(composed, topics))
        answers, is_all = answers_in(
            output, self._finder.is_name, lambda text: composed(text) in own
        )
        if answers is not None:
            found = self._of_texts(answers, own)
            if found.names or is_all:
                return found
        reply = self._finder.read(output, own)
        if not reply.names:
            return Read([], 0)
        if (turn := _NEXT_TURN.search(reply.text)) and reply.has_answer(0, turn.start()):
            own_turn = _read(self._finder.read(reply.text[: turn.start()], own))
            if answers_first(own_turn):
                return _taken(own_turn)
        return _taken(_read(reply))

    def _of_texts(self, texts: Sequence[str], topics: Set[str]) -> Read:
        """What texts name that are answers by themselves."""
        found: list[RankedName] = []
        for text in texts:
            if nothing_first(text):
                continue
            reply = self._finder.read(text, topics)
            found += read_blocks(reply, lines_of(reply, 0, len(reply.text)), marked=True)
        return _taken(found)

    def name(self, name: str) -> str:
        """The name in one form of Unicode."""
        return composed(name)


def _read(reply: ReplyText) -> list[RankedName]:
    found = stated(reply)
    if found is not None:
        return found
    if says_none(reply) or refuses(reply):
        return []
    return concluded(reply) or read_blocks(reply, lines_of(reply, 0, len(reply.text)))


def _taken(found: Sequence[RankedName]) -> Read:
    """The names of the lowest rank, none of them denied."""
    denied = [c.named for c in found if c.rank == Rank.DENIED]
    best = min((c.rank for c in found if c.rank < Rank.DENIED), default=Rank.DENIED)
    if denied and best == Rank.TOPIC:
        best = Rank.DENIED  # the answer was among what is denied
    taken = [c.named for c in found if c.rank == best < Rank.DENIED]
    return Read([key for named in taken for key in named.keys], len(denied))
