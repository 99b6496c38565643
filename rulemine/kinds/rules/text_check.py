"""Checks that the text of a question names no answer, in any naming.

Guarantee: the check covers all namings at once, so it does not depend on the naming of a release. An
answer that is the topic entity itself is allowed in the text, which has to name the topic entity.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from rulemine.kg.entity_names import NAMINGS, EntityNames
from rulemine.phrasing.templates import Templates
from rulemine.query.answers import QuestionKey
from rulemine.text.normalization import fold, mentions

__all__ = ["NAMED", "SELF_LOOP", "TextCheck", "TextRefusal"]

SELF_LOOP = "the topic is the hard answer"
NAMED = "the text names an answer"

_CODED = ("private", "numeric")
_TOKEN = re.compile(r"\w+")


class TextRefusal(NamedTuple):
    """Why a question cannot be asked.

    Attributes:
        reason: A short fixed phrase.
        detail: What exactly was found; names no entity.
        text: The refused text, in the naming given in the detail; empty: none.
    """

    reason: str
    detail: str
    text: str


class TextCheck:
    """Checks texts of questions; folds each name once, when it is first needed."""

    def __init__(self, names: Sequence[EntityNames], templates: Templates) -> None:
        self._templates = templates
        self._names = {row.entity: row for row in names}
        self._folded: dict[tuple[str, str], str] = {}
        self._seen: dict[QuestionKey, str | None] = {}

    def problem(
        self, key: QuestionKey, answers: Sequence[str], hard_answer: str
    ) -> TextRefusal | None:
        """Why a question cannot be asked.

        Args:
            key: What it asks.
            answers: All its answers, source labels.
            hard_answer: The answer that it was made from.

        Returns:
            None if the question can be asked.
        """
        if key.topic == hard_answer:
            return TextRefusal(SELF_LOOP, "the removed triple is a self-loop", "")
        if key not in self._seen:
            self._seen[key] = self._naming_that_tells(key, answers)
        naming = self._seen[key]
        if naming is None:
            return None
        text = self._text(key, naming, len(answers) > 1)
        return TextRefusal(NAMED, f"in the naming {naming}", text)

    def _naming_that_tells(self, key: QuestionKey, answers: Sequence[str]) -> str | None:
        told = [answer for answer in answers if answer != key.topic]
        for naming in (*(n for n in NAMINGS if n not in _CODED), *_CODED):
            text = self._text(key, naming, len(answers) > 1)
            if naming in _CODED:
                # These names are single tokens without case, so a lookup of tokens is exact.
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

    def _text(self, key: QuestionKey, naming: str, several: bool) -> str:
        topic, template = self._names[key.topic].name_in(naming), self._templates[key.relation]
        return template.ask(key.direction, topic, several=several, articles=naming == "text")

    def _fold(self, entity: str, naming: str) -> str:
        name = self._folded.get((entity, naming))
        if name is None:
            name = self._folded[entity, naming] = fold(self._names[entity].name_in(naming))
        return name
