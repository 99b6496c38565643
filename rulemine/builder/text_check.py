"""Whether the text of a question gives an answer away, in any naming.

Guarantee: the verdict is about all namings at once, so it does not depend on the one a release is
written in. An answer that equals the topic is not an issue of the text: the topic has to be named.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from rulemine.builder.names import fold, mentions, name_in
from rulemine.builder.phrases import Phrases
from rulemine.records import NAMINGS, EntityNames

__all__ = ["NAMED", "SELF_LOOP", "Key", "TextCheck"]

SELF_LOOP = "the topic is the hard answer"
NAMED = "the text names an answer"

_CODED = ("private", "paper")
_TOKEN = re.compile(r"\w+")


class Key(NamedTuple):
    """What a question asks.

    Attributes:
        topic: The topic entity.
        relation: The relation.
        direction: The end asked for, see `rulemine.records.DIRECTIONS`.
    """

    topic: str
    relation: str
    direction: str


class TextCheck:
    """Checks texts of questions; names are folded once."""

    def __init__(self, names: Sequence[EntityNames], phrases: Phrases) -> None:
        self._phrases = phrases
        self._names = {row.entity: row for row in names}
        self._owner = {
            naming: {name_in(row, naming): row.entity for row in names} for naming in _CODED
        }
        self._folded = {
            naming: {row.entity: fold(name_in(row, naming)) for row in names}
            for naming in NAMINGS
            if naming not in _CODED
        }
        self._seen: dict[Key, str | None] = {}

    def problem(self, key: Key, answers: Sequence[str], hard_answer: str) -> tuple[str, str] | None:
        """Why a question cannot be asked.

        Args:
            key: What it asks.
            answers: All its answers, source labels.
            hard_answer: The answer that it is made from.

        Returns:
            The reason and its detail, which names no entity; None when the question is fine.
        """
        if key.topic == hard_answer:
            return SELF_LOOP, "the removed triple is a self-loop"
        if key not in self._seen:
            self._seen[key] = self._naming_that_tells(key, answers)
        naming = self._seen[key]
        return None if naming is None else (NAMED, f"in the naming {naming}")

    def _naming_that_tells(self, key: Key, answers: Sequence[str]) -> str | None:
        phrase, names = self._phrases[key.relation], self._names[key.topic]
        told = [answer for answer in answers if answer != key.topic]
        for naming, folded in self._folded.items():
            text = fold(phrase.ask(key.direction, name_in(names, naming)))
            for answer in told:
                if folded[answer] in text and mentions(text, folded[answer]):
                    return naming
        among = set(told)
        for naming, owner in self._owner.items():
            # These names are single tokens without case, so looking tokens up is exact.
            text = phrase.ask(key.direction, name_in(names, naming))
            if any(owner.get(token) in among for token in _TOKEN.findall(text)):
                return naming
        return None
