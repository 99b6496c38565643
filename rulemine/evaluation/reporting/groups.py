"""The same figures for each group of questions: by their hops, form and split."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

from rulemine.evaluation.breakdown import HOPS, SPLIT
from rulemine.kinds.group import Group
from rulemine.kinds.registry import kind_named
from rulemine.release.records import Question
from rulemine.text.tables import Show, Table, Values

__all__ = ["BY_HOPS", "BY_SPLIT", "by_form", "tables_of"]

T = TypeVar("T")

Grouping = tuple[str, Group]
"""The title of a table, and its groups; their label is called with a question and what is found of it."""

BY_HOPS = ("By hops of the query", HOPS)

BY_SPLIT = ("By split", SPLIT)


def by_form(questions: Sequence[Question]) -> Grouping:
    """By rule type or structure, as the kind of the questions says."""
    form = kind_named(questions[0].kind if questions else "").groups[0]
    return f"By {form.title}", form


def tables_of(
    found: Sequence[T],
    questions: Sequence[object],
    groupings: Iterable[Grouping],
    columns: Sequence[str],
    figures: Callable[[Sequence[T]], Values],
    show: Mapping[str, Show] = MappingProxyType({}),
) -> tuple[Table, tuple[Table, ...]]:
    """A table of all questions, and one for each way to group them that gives more than one row.

    Args:
        found: What is found of each question.
        questions: The questions, as the labels of the groups know them.
        groupings: The ways to group them.
        columns: Headings of the figures.
        figures: The figures of some questions.
        show: See `Table`.
    """
    grids = []
    every = ("All questions", Group("questions", "", lambda _, __: "all"))
    for title, group in (every, *groupings):
        members: dict[str, list[T]] = {}
        for question, one in zip(questions, found, strict=True):
            members.setdefault(str(group.label(question, one)), []).append(one)
        names = [name for name in group.ordered(members) if name in members]
        rows = tuple((name, *figures(members[name])) for name in names)
        id_ = (group.title or group.key).replace(" ", "-")
        grids.append(Table(id_, title, (group.title, *columns), rows, show=show))
    headline, *others = grids
    # A table with one row would say the first one again.
    return headline, tuple(grid for grid in others if len(grid.rows) > 1)
