"""The same figures for each group of questions: by their hops, form and split."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from rulemine.query.structures import STRUCTURES
from rulemine.release.records import SPLITS, Question, RuleQuestion
from rulemine.rules.taxonomy import RULE_TYPES
from rulemine.text.tables import Show, Table, Value

__all__ = ["Groups", "by_form", "by_hops", "by_split", "tables_of"]

T = TypeVar("T")

_ORDER = {name: place for place, name in enumerate((*RULE_TYPES, *STRUCTURES, *SPLITS))}
"""The groups whose order is not that of numbers."""


class Groups(NamedTuple):
    """A way to group questions.

    Attributes:
        name: Heading of the first column.
        title: Title of the table.
        labels: The group of each question, in their order.
    """

    name: str
    title: str
    labels: Sequence[str]


def by_hops(questions: Iterable[Question]) -> Groups:
    """By the field `Question.hops`."""
    return Groups("hops", "By hops of the query", [str(q.hops) for q in questions])


def by_form(questions: Sequence[Question]) -> Groups:
    """By rule type, or by structure for all other kinds."""
    form = "rule type" if any(isinstance(q, RuleQuestion) for q in questions) else "structure"
    labels = [q.rules.rule_type if isinstance(q, RuleQuestion) else q.structure for q in questions]
    return Groups(form, f"By {form}", labels)


def by_split(questions: Iterable[Question]) -> Groups:
    """By split."""
    return Groups("split", "By split", [q.split for q in questions])


def tables_of(
    found: Sequence[T],
    groups: Iterable[Groups],
    columns: Sequence[str],
    figures: Callable[[Sequence[T]], tuple[Value, ...]],
    show: Mapping[str, Show] = MappingProxyType({}),
) -> tuple[Table, tuple[Table, ...]]:
    """A table of all questions, and one for each way to group them that gives more than one row.

    Args:
        found: What is known of each question.
        groups: The ways to group them.
        columns: Headings of the figures.
        figures: The figures of some questions.
        show: As of `Table`.
    """
    every = Groups("questions", "All questions", ["all"] * len(found))
    headline = _grid(every, found, ("", *columns), figures, show)
    grids = [_grid(one, found, (one.name, *columns), figures, show) for one in groups]
    return headline, tuple(
        grid for grid in grids if len(grid.rows) > 1
    )  # one row would say it again


def _grid(
    groups: Groups,
    found: Sequence[T],
    header: tuple[str, ...],
    figures: Callable[[Sequence[T]], tuple[Value, ...]],
    show: Mapping[str, Show],
) -> Table:
    members: dict[str, list[T]] = {}
    for label, one in zip(groups.labels, found, strict=True):
        members.setdefault(label, []).append(one)

    def place(label: str) -> tuple[float, float, str]:
        number = int(label) if label.isdecimal() else math.inf
        return _ORDER.get(label, math.inf), number, label

    rows = tuple((label, *figures(members[label])) for label in sorted(members, key=place))
    return Table(groups.name.replace(" ", "-"), groups.title, header, rows, show=show)
