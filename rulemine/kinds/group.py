"""Ways to group questions."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import inf
from typing import Any, NamedTuple

__all__ = ["STRUCTURE", "About", "Group", "of_hard"]


class About(NamedTuple):
    """What is known of the questions that are grouped.

    Attributes:
        removals: Removed triple → its `rulemine.release.records.Removal`.
        levels: The incompleteness levels of the release, ascending, the last one 100.
        level: The level of the graph that was answered from.
    """

    removals: Mapping[Any, Any]
    levels: Sequence[int]
    level: int


Label = Callable[[Any, Any], str | Collection[str]]


class Group(NamedTuple):
    """A way to group questions: what results are broken down by, and what tables divide questions by.

    Attributes:
        key: Its key in files, e.g. ``rule_type``.
        title: What tables call it.
        label: Called with a question and what is known of its release (`About`): its group, or several;
            "" where it is in none.
        names: The groups that come first, in their order; others follow, numbers before texts.
        least: The fewest groups worth a table; 0: all of `names` are shown, also without a question.
    """

    key: str
    title: str
    label: Label
    names: tuple[str, ...] = ()
    least: int = 2

    def ordered(self, labels: Iterable[str]) -> list[str]:
        """The groups that are shown where questions have these labels, in their order."""
        places = {name: place for place, name in enumerate(self.names)}
        shown = {*labels, *(() if self.least else self.names)} - {""}
        number = {name: int(name) if name.isdecimal() else inf for name in shown}
        return sorted(shown, key=lambda name: (places.get(name, inf), number[name], name))


def of_hard(label: Label) -> Label:
    """A label of what describes hard answers: questions without one are in no group."""
    return lambda q, about: "" if q.hard_answer is None else label(q, about)


_STRUCTURES = ("1p", "2p", "3p", "2i", "3i", "ip", "pi", "2u", "up")

STRUCTURE = Group("structure", "structure", lambda q, _: q.structure, _STRUCTURES)
"""The structures, first the nine of `rulemine.query.structures.STRUCTURES`, which loads numpy."""
