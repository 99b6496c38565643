"""The texts of questions: from templates, or those of a model, checked in all namings.

Guarantees, in every naming: a text obeys the three rules of `rulemine.text.naming_rules`, no two questions
have the same one, and no anchor's name has an answer's name in it, unless the relations at that anchor are
between places, whose names say where they are: "Perth, Australia". So a release has the same questions in
every naming.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from rulemine.kg.entity_names import NAMINGS, EntityNames
from rulemine.kinds.registry import kind_named
from rulemine.phrasing.templates import Templates
from rulemine.query.links import relations_at
from rulemine.query.parser import parse
from rulemine.query.tree import Query
from rulemine.release.naming import Namer
from rulemine.release.records import Question, Rejection, topic_values
from rulemine.text.naming_rules import (
    ANCHOR_MISSING,
    ANCHOR_TELLS,
    ANSWER_NAMED,
    INTERMEDIATE_NAMED,
    naming_problem,
    telling_anchor,
)
from rulemine.text.normalization import fold
from rulemine.text.template import fill

if TYPE_CHECKING:  # builds without a model load nothing of this
    from rulemine.verbalizer.checks import Checker

__all__ = ["CHECKED", "SAME", "Texts"]

SAME = "the text is that of another question"
CHECKED = "the text fails a check"
"""Why a model's text is refused, before the code of the check."""

_REASONS = {
    "topic_missing": ANCHOR_MISSING,
    "answer_named": ANSWER_NAMED,
    "intermediate_named": INTERMEDIATE_NAMED,
}
"""Code of a check → the reason, where texts from templates are refused for the same."""

_Q = TypeVar("_Q", bound=Question)


class Texts:
    """Makes and checks texts.

    Args:
        names: The names of all entities.
        templates: The templates of all relations.
        naming: How a model's texts name entities.
        language: The language of a model's texts, by its English name.
    """

    def __init__(
        self,
        names: Sequence[EntityNames],
        templates: Templates,
        naming: str = "entity",
        language: str = "English",
    ) -> None:
        self._templates, self._naming, self._language = templates, naming, language
        self._names = {row.entity: row for row in names}
        self._private = {row.entity: row.private for row in names}
        self._taken: set[tuple[str, str]] = set()
        self.objection = ""
        """Says to the model what a check found last in a text of its own; may name entities."""

    def from_template(self, question: _Q) -> _Q | Rejection:
        """A question with the text of its templates, or why it cannot be asked in these words.

        Args:
            question: The question, with source labels.
        """
        if (told := self._telling(question, parse(question.query))) is not None:
            return told
        named = question.anchors, question.answers, question.intermediates
        anchors, answers, intermediates = map(self._rows, named)
        anchors += self._rows(tuple(kind_named(question.kind).choices(question).values()))
        texts: dict[str, str] = {}

        def text_in(naming: str) -> str:
            texts[naming] = self._namers[naming].text(question)
            return texts[naming]

        problem = naming_problem(text_in, anchors, answers, intermediates)
        if problem is not None:
            return _rejection(question, *problem)
        return self._taking(question, texts.__getitem__) or replace(
            question, question=texts["entity"]
        )

    def from_model(self, question: _Q, text: str) -> _Q | Rejection:
        """A question with a model's text, or why it cannot have it.

        Args:
            question: The question, with source labels.
            text: The text, in the naming of this object.
        """
        from rulemine.verbalizer.checks import QuestionInput
        from rulemine.verbalizer.replies import TextProblem, explain

        if (told := self._telling(question, parse(question.query))) is not None:
            return told
        answers, intermediates = map(self._rows, (question.answers, question.intermediates))
        values = topic_values(question.anchors, self._private)
        topics = tuple(self._names[entity] for entity in values.values())
        hidden = ("answer_named", answers), ("intermediate_named", intermediates)
        item = QuestionInput(question, self._naming, topics, hidden, asked="")
        pattern = item.check(text, self._language, self._checker)
        if isinstance(pattern, TextProblem):
            self.objection = explain(pattern)
            reason = _REASONS.get(pattern.code, f"{CHECKED}: {pattern.code}")
            return _rejection(question, reason, f"in the naming {self._naming}", text)

        def text_in(naming: str) -> str:
            return fill(pattern, {key: self._names[e].name_in(naming) for key, e in values.items()})

        return self._taking(question, text_in) or replace(
            question, question=text_in("entity"), wording="model", patterns=(pattern,)
        )

    def _telling(self, question: Question, query: Query) -> Rejection | None:
        """Says that the name of an anchor tells an answer, whatever the text."""
        places = self._templates.places
        anchors = [
            anchor
            for anchor in question.anchors
            if not (at := relations_at(query, anchor)) or not at <= places
        ]
        naming = telling_anchor(self._rows(anchors), self._rows(question.answers))
        if naming is None:
            return None
        return _rejection(question, ANCHOR_TELLS, f"in the naming {naming}", "")

    def _taking(self, question: Question, text_in: Callable[[str], str]) -> Rejection | None:
        """Takes a text for a question, or says that it is taken."""
        texts = {naming: text_in(naming) for naming in NAMINGS}
        keys = {naming: (naming, fold(text)) for naming, text in texts.items()}
        for naming, key in keys.items():
            if key in self._taken:
                return _rejection(question, SAME, f"in the naming {naming}", texts[naming])
        self._taken.update(keys.values())
        return None

    def _rows(self, names: Sequence[str]) -> tuple[EntityNames, ...]:
        return tuple(self._names[name] for name in names)

    @cached_property
    def _namers(self) -> dict[str, Namer]:
        return {to: Namer(self._names.values(), self._templates, to) for to in NAMINGS}

    @cached_property
    def _checker(self) -> "Checker":
        from rulemine.verbalizer.checks import Checker

        return Checker((row.relation for row in self._templates.rows), self._templates.rows)


def _rejection(question: Question, reason: str, detail: str, text: str) -> Rejection:
    return Rejection("ask", reason, "", None, "", "", detail, text, query=question.query)
