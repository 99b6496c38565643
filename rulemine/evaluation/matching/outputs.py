"""Reads what systems predicted; texts a block at a time, in this process or another.

Reading texts is most of what it costs to score them; a list of answers costs more to send than to read.
Guarantee: a text is read the same whatever was read before it, and where.
"""

from collections.abc import Iterator, Sequence, Set
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from rulemine.evaluation.matching.matching import IdsMatcher, Matcher, make_matcher, predicted, read
from rulemine.release.records import Prediction
from rulemine.rules.blocks import MapLike

__all__ = ["PredictionReader", "ReadOutput"]

MOST_OUTPUTS = 200
"""Texts in a block."""

MOST_CHARACTERS = 1 << 22
"""Characters of a block, but for its last text."""


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


class Output(NamedTuple):
    """A text, and the topic entities of its question if they cannot be its answers."""

    text: str
    topics: tuple[str, ...]


class PredictionReader:
    """Reads predictions; can be pickled, and keeps its matchers.

    Args:
        matching: One of `rulemine.evaluation.matching.matching.MATCHINGS`.
        names: The entities in the naming of the predictions.
    """

    def __init__(self, matching: str, names: Set[str]) -> None:
        self._of = matching, tuple(sorted(names))

    def __getstate__(self) -> dict[str, object]:
        return {"_of": self._of}

    @cached_property
    def matcher(self) -> Matcher:
        """The matcher.

        Raises:
            ConfigError: There is no such mode.
        """
        return make_matcher(self._of[0], frozenset(self._of[1]))

    @cached_property
    def strict(self) -> IdsMatcher:
        """The reader that wants the format of a list."""
        return IdsMatcher(frozenset(self._of[1]))

    def __call__(self, block: Sequence[Output]) -> list[ReadOutput]:
        """What is taken from each text of a block."""
        strictly = self._of[0] == "vocabulary"
        return [
            self._reading(Prediction("", raw_output=text), topics, strictly)
            for text, topics in block
        ]

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
            Output(p.raw_output or "", own)
            for p, own in zip(given, topics, strict=True)
            if p is not None and p.answers is None
        ]
        strictly = bool(texts) and self._of[0] == "vocabulary"
        of_texts = chain.from_iterable(spread(self, list(_blocks(texts))))
        return [
            next(of_texts)
            if p is not None and p.answers is None
            else self._reading(p, own, strictly)
            for p, own in zip(given, topics, strict=True)
        ]

    def _reading(
        self, prediction: Prediction | None, topics: Sequence[str], strictly: bool
    ) -> ReadOutput:
        names, denied = read(self.matcher, prediction, topics)
        strict = predicted(self.strict, prediction) if strictly else ()
        return ReadOutput(tuple(names), denied, strict)


def _blocks(texts: Sequence[Output]) -> Iterator[list[Output]]:
    block: list[Output] = []
    characters = 0
    for one in texts:
        block.append(one)
        characters += len(one.text)
        if len(block) == MOST_OUTPUTS or characters >= MOST_CHARACTERS:
            yield block
            block, characters = [], 0
    if block:
        yield block
