"""The checks of single rules, removed triples and questions, a part at a time, in this process or another.

Guarantee: a part finds the same whatever other parts were checked before it, and where.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from rulemine.verify.contents import Contents
from rulemine.verify.measures import RuleChecks
from rulemine.verify.questions.question import check_question
from rulemine.verify.removals import RemovalChecks
from rulemine.verify.report import Findings

__all__ = ["CheckPart", "Checks", "Run", "parts_of"]

AT_ONCE = {"rules": 32, "removed": 256, "questions": 256}
"""What is checked → how many in a part."""


class CheckPart(NamedTuple):
    """What is checked at once.

    Attributes:
        what: ``rules``, ``removed`` or ``questions``.
        first: The position of the first one.
        last: That of the one after the last.
    """

    what: str
    first: int
    last: int


Run = Callable[[Callable[[CheckPart], Findings], Sequence[CheckPart]], Iterable[Findings]]
"""Calls a function with parts and yields what it returns, in their order: `map`, or another like it."""


def parts_of(what: str, number: int) -> Iterator[CheckPart]:
    """The parts of so many rules, removed triples or questions."""
    step = AT_ONCE[what]
    for first in range(0, number, step):
        yield CheckPart(what, first, min(number, first + step))


class Checks:
    """The checks of parts of a release; can be pickled, and keeps what several parts need.

    Args:
        contents: The contents of the release.
        counted: The ids of the rules that are counted again, in the order of their positions.
    """

    def __init__(self, contents: Contents, counted: Sequence[str]) -> None:
        self._contents, self._counted = contents, counted

    def __getstate__(self) -> dict[str, object]:
        return {"_contents": self._contents, "_counted": self._counted}

    @cached_property
    def _rules(self) -> RuleChecks:
        return RuleChecks(self._contents)

    @cached_property
    def _removals(self) -> RemovalChecks:
        return RemovalChecks(self._contents)

    @cached_property
    def _removed(self) -> list[tuple[str, str, str]]:
        return list(self._contents.removed)

    def __call__(self, part: CheckPart) -> Findings:
        """What is found in a part."""
        findings, where = Findings(), slice(part.first, part.last)
        if part.what == "rules":
            self._rules.check(self._counted[where], findings)
        elif part.what == "removed":
            self._removals.check(self._removed[where], findings)
        else:
            for here in self._contents.questions[where]:
                check_question(here, self._contents, findings)
        return findings
