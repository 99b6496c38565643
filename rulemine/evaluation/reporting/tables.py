"""What is printed as tables with notes: warnings above all numbers, the other notes below the last table."""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TypeVar

from rulemine.kinds.group import Group
from rulemine.text.escaping import plain
from rulemine.text.tables import Show, Table, Values, markdown_of, text_of, wrapped

__all__ = ["WARNING", "Tabled", "tables_by_group"]

T = TypeVar("T")

WARNING = "Warning: "
"""What a note begins with that tables have above all numbers."""


class Tabled(ABC):
    """What is shown as tables.

    Attributes:
        notes: What a reader must know, as sentences.
    """

    notes: tuple[str, ...]

    @abstractmethod
    def tables(self) -> Sequence[Table]:
        """Its tables; the last may have its notes."""

    @abstractmethod
    def content(self) -> dict[str, Any]:
        """What `to_json` writes."""

    def to_table(self) -> str:
        """For a terminal: below each value its interval."""

        def layout(table: Table, notes: Sequence[str]) -> str:
            return text_of(replace(table, header=("", *table.header[1:])), notes)

        return self._laid_out(layout, wrapped)

    def to_markdown(self) -> str:
        """As Markdown: intervals in parentheses."""
        return self._laid_out(markdown_of, plain)

    def to_json(self) -> str:
        """As indented JSON with LF at the end."""
        return json.dumps(self.content(), ensure_ascii=False, allow_nan=False, indent=2) + "\n"

    def _laid_out(
        self, layout: Callable[[Table, Sequence[str]], str], noted: Callable[[str], str]
    ) -> str:
        tables = self.tables()
        notes = dict.fromkeys(
            (*self.notes, *(note for table in tables for note in table.footnotes()))
        )
        below = [note for note in notes if not note.startswith(WARNING)]
        texts = [f"{noted(note)}\n" for note in self.notes if note.startswith(WARNING)]
        texts += [layout(table, ()) for table in tables[:-1]]
        return "\n".join([*texts, layout(tables[-1], below)])


def tables_by_group(
    found: Sequence[T],
    questions: Sequence[object],
    groups: Iterable[Group],
    columns: Sequence[str],
    figures: Callable[[Sequence[T]], Values],
    show: Mapping[str, Show] = MappingProxyType({}),
) -> tuple[Table, ...]:
    """A table of all questions, and one for each way to group them that gives more than one row.

    Args:
        found: What is found of each question.
        questions: The questions.
        groups: The ways to group them; their labels are called with a question and what is found of it.
        columns: Headings of the figures.
        figures: The figures of some questions.
        show: See `Table`.
    """
    grids: list[Table] = []
    for group in (Group("questions", "", lambda _, __: "all"), *groups):
        members: dict[str, list[T]] = {}
        for question, one in zip(questions, found, strict=True):
            members.setdefault(str(group.label(question, one)), []).append(one)
        names = [name for name in group.ordered(members) if name in members]
        rows = tuple((name, *figures(members[name])) for name in names)
        id_ = (group.title or group.key).replace(" ", "-")
        title = f"By {group.title}" if group.title else "All questions"
        if len(rows) > 1 or not grids:  # one row would say the first table again
            grids.append(Table(id_, title, (group.title, *columns), rows, show=show))
    return tuple(grids)
