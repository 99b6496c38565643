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
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import NamedTuple, Protocol

from rulemine.errors import ConfigError, did_you_mean
from rulemine.evaluation.matching.brink import BrinkMatcher
from rulemine.evaluation.matching.vocabulary import (
    LONGEST_OUTPUT,
    VocabularyMatcher,
    bounded,
    composed,
)
from rulemine.release.records import Prediction
from rulemine.rules.blocks import MapLike
from rulemine.text.visible_reply import visible_reply

__all__ = [
    "MATCHINGS", "IdsMatcher", "Matcher", "PredictionReader", "ReadOutput", "make_matcher", "spelled_out",
]  # fmt: skip

MATCHINGS = ("ids", "vocabulary", "brink")
MOST_OUTPUTS = 200
"""Texts that are read in one go, here or elsewhere."""

_LINE_ENDS = re.compile(r"[\r\n]")  # nothing else: other separators may be part of names
_BULLET = re.compile(r"(?:[-*+•‣◦·–—]|\(?\d{1,3}[.)])\s+")
_OPENING = " \t\"'`*“”„‘’«‹([{<"
_CLOSING = " \t\"'`*“”‘’»›)]}>.;:!"
_LAYERS = 6  # characters on either side among which the decoration of a name is looked for
_BEFORE = r"[ \t*_>#-]*(?:(?:(?:the|my) )?(?:(?:final|correct) )?(?:answer|choice)(?: is)?[ \t]*:?[ \t*_]*)?"
_AFTER = r"(?:[).:\]}][^\n]*|[ \t*_,]*)$"


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


def make_matcher(
    matching: str, names: Set[str], aliases: Iterable[tuple[str, str]] = ()
) -> Matcher:
    """The matcher of a mode.

    Args:
        matching: One of `MATCHINGS`.
        names: The entity names that predictions may use.
        aliases: Names, each with another text that stands for it in ``vocabulary``.

    Raises:
        ConfigError: There is no such mode.
    """
    if matching not in MATCHINGS:
        raise ConfigError(
            f"matching: {matching!r} is not a mode; {did_you_mean(matching, MATCHINGS)}"
        )
    if matching == "ids":
        return IdsMatcher(names)
    return VocabularyMatcher(names, aliases) if matching == "vocabulary" else BrinkMatcher()


class ReadOutput(NamedTuple):
    """What is taken from a prediction.

    Attributes:
        names: What it predicts, as keys of the matcher, each once, in the order given.
        denied: How many names it denies.
        strict: The same as `names`, for a reader that wants the format of a list; empty where that is not
            asked for.
    """

    names: tuple[str, ...]
    denied: int
    strict: tuple[str, ...] = ()


class PredictionReader:
    """Reads predictions; texts a block at a time, in this process or another, for it can be pickled.

    Reading texts is most of what it costs to score them; a list of answers costs more to send than to read.
    Guarantee: a text is read the same whatever was read before it, and where.

    Args:
        matching: One of `MATCHINGS`.
        names: The entities in the naming of the predictions.
        aliases: Names, each with another text that stands for it.
    """

    def __init__(
        self, matching: str, names: Set[str], aliases: Iterable[tuple[str, str]] = ()
    ) -> None:
        self._of = matching, names, tuple(aliases)

    def __getstate__(self) -> dict[str, object]:
        return {"_of": self._of}

    @functools.cached_property
    def matcher(self) -> Matcher:
        """The matcher.

        Raises:
            ConfigError: There is no such mode.
        """
        return make_matcher(*self._of)

    @functools.cached_property
    def strict(self) -> IdsMatcher:
        """The reader that wants the format of a list."""
        return IdsMatcher(self._of[1])

    def __call__(self, block: Sequence[tuple[str, Sequence[str]]]) -> list[ReadOutput]:
        """What is taken from each text of a block, given with the topics that cannot be its answers."""
        strictly = self._of[0] == "vocabulary"
        return [self._read(Prediction("", raw_output=text), own, strictly) for text, own in block]

    def read(
        self,
        given: Sequence[Prediction | None],
        topics: Sequence[tuple[str, ...]],
        spread: MapLike = map,
    ) -> list[ReadOutput]:
        """What is taken from each prediction; strictly too, where some are texts and it is ``vocabulary``.

        Args:
            given: The prediction for each question; None: there is none.
            topics: For each the topic entities, if they cannot be its answers.
            spread: Calls the reader with blocks of texts.
        """
        texts = [
            (p.raw_output or "", own)
            for p, own in zip(given, topics, strict=True)
            if p is not None and p.answers is None
        ]
        strictly = bool(texts) and self._of[0] == "vocabulary"
        blocks = [texts[at : at + MOST_OUTPUTS] for at in range(0, len(texts), MOST_OUTPUTS)]
        of_texts = itertools.chain.from_iterable(spread(self, blocks))
        return [
            next(of_texts) if p is not None and p.answers is None else self._read(p, own, strictly)
            for p, own in zip(given, topics, strict=True)
        ]

    def _read(
        self, prediction: Prediction | None, topics: Sequence[str], strictly: bool
    ) -> ReadOutput:
        def once(keys: Iterable[str]) -> tuple[str, ...]:
            return tuple(dict.fromkeys(filter(None, keys)))

        matcher, said = self.matcher, (prediction.raw_output or "") if prediction else ""
        if prediction is not None and prediction.answers is not None:
            answers = bounded(prediction.answers)
            key = matcher.item if isinstance(matcher, VocabularyMatcher) else matcher.name
            strict = once(map(self.strict.name, answers)) if strictly else ()
            return ReadOutput(once(map(key, answers)), 0, strict)
        strict = once(self.strict.text(said)) if strictly else ()
        if isinstance(matcher, VocabularyMatcher):
            names, denied = matcher.read(said, topics)
            return ReadOutput(once(names), denied, strict)
        return ReadOutput(once(matcher.text(said, topics)), 0, strict)


def spelled_out(text: str, choices: Mapping[str, str]) -> str:
    r"""A reply with names in the place of labels, where a label is all that a line says first.

    Args:
        text: The reply.
        choices: Label → name; empty: the reply stays as it is.

    Example:
        >>> spelled_out("I think so.\nAnswer: **b**", {"A": "Ben", "B": "Oda"})
        'I think so.\nAnswer: **Oda'
    """
    if not choices:
        return text
    labels = "|".join(map(re.escape, choices))
    line = re.compile(rf"^({_BEFORE})[(\[{{]?({labels}){_AFTER}", re.IGNORECASE | re.MULTILINE)
    return line.sub(lambda found: found[1] + choices[found[2].upper()], text)
