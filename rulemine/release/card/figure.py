"""A figure of a release: what it is called, what it counts in words, and how it is counted."""

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any, NamedTuple, TypeVar

from rulemine.release.contents import ReleaseParts
from rulemine.release.records import Question

__all__ = ["Figure", "counted_by", "pair", "shared"]

_T = TypeVar("_T")


class Figure(NamedTuple):
    """A figure, or a column of one that is a table.

    Attributes:
        key: Its key in the counts of a manifest, by which cards name it.
        words: What it counts, as Markdown; ``docs/figures.md`` has the words of every figure.
        of: The figure of the parts of a release, as JSON; of a column, that of what a row is about.
        after: Of a kind's figures: the figure of all releases that it follows.
    """

    key: str
    words: str
    of: Callable[[Any], Any]
    after: str = "core_by_split"


def counted_by(figures: Iterable[Figure], of: Any) -> dict[str, Any]:
    """Key → figure, in their order.

    Args:
        figures: The figures.
        of: What is counted: the parts of a release, or what a row is about.
    """
    return {figure.key: figure.of(of) for figure in figures}


def pair(
    key: str, core: str, words: str, of: Callable[[ReleaseParts, Sequence[Question]], Any]
) -> tuple[Figure, Figure]:
    """A figure of all questions, and the same of those of the core.

    Args:
        key: The key of the former.
        core: That of the latter.
        words: The words of both.
        of: Called with the parts of a release, and the questions.
    """
    return (
        Figure(key, words, lambda parts: of(parts, parts.questions)),
        Figure(core, words, lambda parts: of(parts, [q for q in parts.questions if q.core])),
    )


def shared(of: Callable[[ReleaseParts], _T]) -> Callable[[ReleaseParts], _T]:
    """What several figures of a release are counted from, made once for them all."""

    @wraps(of)
    def once(parts: ReleaseParts) -> _T:
        if of not in parts.shared:
            parts.shared[of] = of(parts)
        found: _T = parts.shared[of]
        return found

    return once
