"""Whether the text of a question gives an answer away, in any naming.

Guarantee: the verdict is about all namings at once, so it does not depend on the one a release is
written in. An answer that equals the topic is not an issue of the text: the topic has to be named.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from rulemine.builder.phrases import Phrases
from rulemine.records import NAMINGS, EntityNames

__all__ = ["NAMED", "SELF_LOOP", "Key", "TextCheck", "fold", "mentions"]

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
    """Checks texts of questions; names are folded once, when they are first needed."""

    def __init__(self, names: Sequence[EntityNames], phrases: Phrases) -> None:
        self._phrases = phrases
        self._names = {row.entity: row for row in names}
        self._folded: dict[tuple[str, str], str] = {}
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
        for naming in (*(n for n in NAMINGS if n not in _CODED), *_CODED):
            text = phrase.ask(key.direction, names.name_in(naming))
            if naming in _CODED:
                # These names are single tokens without case, so looking tokens up is exact.
                tokens = set(_TOKEN.findall(text))
                if any(self._names[answer].name_in(naming) in tokens for answer in told):
                    return naming
                continue
            text = fold(text)
            for answer in told:
                name = self._fold(answer, naming)
                if name in text and mentions(text, name):
                    return naming
        return None

    def _fold(self, entity: str, naming: str) -> str:
        name = self._folded.get((entity, naming))
        if name is None:
            name = self._folded[entity, naming] = fold(self._names[entity].name_in(naming))
        return name


def fold(text: str) -> str:
    """A text as `mentions` compares it: composed, case folded."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def mentions(text: str, name: str) -> bool:
    """Whether a text holds a name as a whole token, whatever the case; both are folded (`fold`).

    A name starts and ends where no word goes on; scripts written without spaces have no such bounds,
    so there every occurrence counts.

    Example:
        >>> mentions("who lives in new york?", "york"), mentions("who is the uncle of 72?", "7")
        (True, False)
    """
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        starts = at == 0 or not (_is_word(text[at - 1]) and _is_word(name[0]))
        ends = end == len(text) or not (_is_word(text[end]) and _is_word(name[-1]))
        if (starts or _is_unspaced(name[0])) and (ends or _is_unspaced(name[-1])):
            return True
        at = text.find(name, at + 1)
    return False


def _is_word(character: str) -> bool:
    return character == "_" or unicodedata.category(character)[0] in "LNM"


def _is_unspaced(character: str) -> bool:
    return any(low <= character <= high for low, high in _UNSPACED)


# Thai to Tibetan, Myanmar, Khmer, kana, Han with its extensions.
_UNSPACED = (
    ("\u0e00", "\u0fff"),
    ("\u1000", "\u109f"),
    ("\u1780", "\u17ff"),
    ("\u3040", "\u30ff"),
    ("\u3400", "\u9fff"),
    ("\uf900", "\ufaff"),
    ("\U00020000", "\U0003ffff"),
)
