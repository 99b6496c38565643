"""Texts that cannot be told apart: the same words, and other answers.

Guarantee: everything here depends on the texts alone, not on the order in which they are given.
"""

from collections.abc import Hashable, Iterable
from itertools import combinations
from typing import NamedTuple, TypeVar

from rulemine.query.answers import QuestionKey
from rulemine.text.mentions import make_pattern
from rulemine.text.normalization import QUESTION_MARKS, fold_loosely
from rulemine.text.template import escape, fill
from rulemine.verbalizer.briefs import Brief

__all__ = ["Wanted", "same_words", "shared", "template_pattern"]

T = TypeVar("T", bound=Hashable)


class Wanted(NamedTuple):
    """What a question asks for.

    Attributes:
        query: The formal query.
        answers: Its right answers.
    """

    query: QuestionKey
    answers: tuple[str, ...]

    def differs(self, other: "Wanted") -> bool:
        """Whether the same words for both would be ambiguous: another query with other answers."""
        return self.query != other.query and self.answers != other.answers


_MARKS = " " + "".join(QUESTION_MARKS)


def same_words(pattern: str, name: str) -> str:
    """What texts have in common that readers take for the same.

    Args:
        pattern: A text with ``{topic}``.
        name: The topic's name.

    Returns:
        The text without case, kinds of quotes and dashes, repeated white space, and the question mark at
        its end; marks that belong to the name stay.

    Example:
        >>> same_words("Who  founded {topic} ?", "Yahoo!") == same_words("who founded {topic}?", "yahoo!")
        True
    """
    return fold_loosely(fill(pattern.rstrip(_MARKS), {"topic": name})).strip()


def shared(texts: Iterable[tuple[str, Wanted, T]]) -> list[list[T]]:
    """What has the same words and wants other answers.

    Args:
        texts: Words (`same_words`), what is asked for, and whose they are.

    Returns:
        Whose they are, group by group, sorted by words; each group in the order given.
    """
    groups: dict[str, list[tuple[Wanted, T]]] = {}
    for words, wanted, whose in texts:
        groups.setdefault(words, []).append((wanted, whose))
    return [
        [whose for _, whose in groups[words]]
        for words in sorted(groups)
        if any(a.differs(b) for a, b in combinations({wanted for wanted, _ in groups[words]}, 2))
    ]


def template_pattern(brief: Brief) -> str:
    """The template of a question, with ``{topic}`` where its text names the topic."""
    text = brief.question.question
    return make_pattern(text, brief.question.topic) or escape(text)
