"""Answer extraction: from what a system wrote to a set of entities, in one of three matching modes.

``ids``
    The output is a list of names and nothing else. Every line is cut at commas into items; a cut
    inside a name of the release is undone, the longest name first, so names with commas
    survive. An item counts as it stands (white space around it aside) when it is a name; if not,
    decoration is taken off: a bullet or list number in front, then of the quotes, brackets, asterisks
    and backticks on either side and the ``. ; : !`` at the end as few as make it a name. An item that is
    still no name is a wrong answer: it lowers the precision.
``vocabulary``
    The names of the release that a reader takes from the output as its answers; see
    `rulemine.evaluation.matching.vocabulary`. Other words are ignored.
``brink``
    What the public evaluator of the BRINK benchmark does; see `rulemine.evaluation.matching.brink`.

A prediction that is a list of answers is taken as it is in the first two modes: each item is one
answer, right or wrong; ``vocabulary`` knows it in another spelling (`rulemine.evaluation.matching.names`).

In these two modes thoughts count for nothing (`rulemine.text.visible_reply`), canonically equivalent texts
(Unicode's NFC and NFD) are the same, and of an output only the first
`rulemine.evaluation.matching.vocabulary.LONGEST_OUTPUT` characters are read, in time that grows with their
number.
"""

import functools
import itertools
import re
from collections.abc import Iterable, Sequence, Set
from typing import Protocol

from rulemine.errors import ConfigError, did_you_mean
from rulemine.evaluation.matching.brink import BrinkMatcher
from rulemine.evaluation.matching.vocabulary import (
    LONGEST_OUTPUT,
    Read,
    VocabularyMatcher,
    bounded,
    composed,
)
from rulemine.release.records import Prediction
from rulemine.text.visible_reply import visible_reply

__all__ = ["MATCHINGS", "IdsMatcher", "Matcher", "make_matcher", "predicted", "read"]

MATCHINGS = ("ids", "vocabulary", "brink")

_LINE_ENDS = re.compile(r"[\r\n]")  # nothing else: other separators may be part of names
_BULLET = re.compile(r"(?:[-*+•‣◦·–—]|\(?\d{1,3}[.)])\s+")
_OPENING = " \t\"'`*“”„‘’«‹([{<"
_CLOSING = " \t\"'`*“”‘’»›)]}>.;:!"
_LAYERS = 6  # characters on either side among which the decoration of a name is looked for


class Matcher(Protocol):
    """A matching mode over a fixed set of names."""

    def text(self, raw_output: str, topics: Sequence[str] = ()) -> Iterable[str]:
        """What an output predicts: keys, duplicates allowed, none empty.

        Args:
            raw_output: The output.
            topics: The topic entities of the question, if they cannot be its answers.
        """
        ...

    def name(self, name: str) -> str:
        """The key of an entity name: two names match when their keys are equal; "" never matches."""
        ...


class IdsMatcher:
    """Matching in the mode ``ids``; see the module.

    Args:
        names: The entity names of the release.
    """

    def __init__(self, names: Set[str]) -> None:
        self._names = frozenset(map(composed, names))
        with_commas = [name for name in self._names if "," in name]
        self._commas = max((name.count(",") for name in with_commas), default=0)
        # The last characters before a comma that is inside a name.
        self._before_comma = {part[-1:] for name in with_commas for part in name.split(",")[:-1]}

    def text(self, raw_output: str, topics: Sequence[str] = ()) -> Iterable[str]:
        r"""The items of an output in their order.

        Example:
            >>> IdsMatcher({"e01", "Rome, N.Y."}).text("1. e01, Rome, N.Y.\n- 'e07'")
            ['e01', 'Rome, N.Y.', 'e07']
        """
        found: list[str] = []
        reply = composed(visible_reply(raw_output[:LONGEST_OUTPUT]))
        for line in filter(str.strip, _LINE_ENDS.split(reply)):
            cuts = line.split(",")
            at = 0
            while at < len(cuts):
                commas = self._commas if cuts[at][-1:] in self._before_comma else 0
                if not commas and not cuts[at].strip():
                    at += 1
                    continue
                for stop in range(min(len(cuts), at + commas + 1), at, -1):
                    item = self._item(",".join(cuts[at:stop]))
                    if item in self._names or stop == at + 1:
                        break
                if item:
                    found.append(item)
                at = stop
        return found

    def name(self, name: str) -> str:
        """The name in one form of Unicode."""
        return composed(name)

    def _item(self, text: str) -> str:
        """The name that a text is, decoration aside; without one, what is left of the text."""
        item = text.strip()
        if item in self._names:
            return item
        bullet = _BULLET.match(item)
        if bullet:
            item = item[bullet.end() :]
        bare = item.lstrip(_OPENING).rstrip(_CLOSING)
        left = len(item) - len(item.lstrip(_OPENING))
        right = len(item) - len(item.rstrip(_CLOSING))
        # Brackets may be part of the name: as few as possible are taken off.
        for before, after in _layers(min(left, _LAYERS), min(right, _LAYERS)):
            shown = item[before : len(item) - after].strip()
            if shown in self._names:
                return shown
        return bare if left or right else item.strip()


@functools.cache
def _layers(left: int, right: int) -> list[tuple[int, int]]:
    """How many characters are taken off on either side, the fewest first."""
    return sorted(itertools.product(range(left + 1), range(right + 1)), key=sum)


def make_matcher(matching: str, names: Set[str]) -> Matcher:
    """The matcher of a mode.

    Args:
        matching: One of `MATCHINGS`.
        names: The entity names that predictions may use.

    Raises:
        ConfigError: There is no such mode.
    """
    if matching not in MATCHINGS:
        raise ConfigError(
            f"matching: {matching!r} is not a mode; {did_you_mean(matching, MATCHINGS)}"
        )
    if matching == "ids":
        return IdsMatcher(names)
    return VocabularyMatcher(names) if matching == "vocabulary" else BrinkMatcher()


def predicted(
    matcher: Matcher, prediction: Prediction | None, topics: Sequence[str] = ()
) -> tuple[str, ...]:
    """What is predicted: keys of the matcher, each once, in the order given; see `Matcher.text`."""
    return tuple(read(matcher, prediction, topics).names)


def read(matcher: Matcher, prediction: Prediction | None, topics: Sequence[str] = ()) -> Read:
    """What is predicted, and how many names an output denies."""
    denied = 0
    if prediction is None:
        keys: Iterable[str] = ()
    elif prediction.answers is not None:
        key = matcher.item if isinstance(matcher, VocabularyMatcher) else matcher.name
        keys = filter(None, map(key, bounded(prediction.answers)))
    elif isinstance(matcher, VocabularyMatcher):
        keys, denied = matcher.read(prediction.raw_output or "", topics)
    else:
        keys = matcher.text(prediction.raw_output or "", topics)
    return Read(list(dict.fromkeys(keys)), denied)
