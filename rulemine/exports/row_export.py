"""Formats that write a row for each question: a table of field → what it has of the question.

A format names its file, gives the `fields` of its rows, refuses the questions that it cannot say, and writes
what else it has `beside` them; everything else is done here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, ClassVar

from rulemine.config import Section, option
from rulemine.evaluation.metrics_of_others.protocol import asks_for_entities
from rulemine.exports.protocol import ABSENT, ExportFolder, ExportInput, Fields
from rulemine.release.records import SPLITS, Question

__all__ = ["EntityRows", "OneSplit", "RowExport"]


@dataclass(frozen=True)
class RowExport(Section):
    """Base class of such formats.

    Attributes of the class: ``file`` is where the rows go, in JSON Lines, or in CSV if it ends in ``.csv``.
    With ``{split}`` in it, every split has a file; one without questions only if ``empty_splits`` is true.
    """

    file: ClassVar[str] = "questions.jsonl"
    empty_splits: ClassVar[bool] = True

    def fields(self, given: ExportInput) -> Fields:
        """The fields of a row, in their order; see `ExportInput.unless_secret`."""
        raise NotImplementedError

    def refusal(self, given: ExportInput, question: Question) -> str:
        """Why the format cannot say a question; "" if it can."""
        return ""

    def beside(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the other files, when all rows are written."""

    def asked(
        self, given: ExportInput, folder: ExportFolder, split: str | None = None
    ) -> Iterator[Question]:
        """The questions of a split, or of all, that the format can say; the others are noted."""
        for question in given.questions(split):
            if reason := self.refusal(given, question):
                folder.leave_out(question.id, reason)
            else:
                yield question

    def rows(
        self, given: ExportInput, folder: ExportFolder, split: str | None = None
    ) -> Iterator[dict[str, Any]]:
        """A row for each of these questions."""
        fields = {
            name: attrgetter(field) if isinstance(field, str) else field
            for name, field in self.fields(given).items()
        }
        total = len(given.questions(split))
        for done, question in enumerate(self.asked(given, folder, split), start=1):
            given.progress(done, total)
            row = {name: value(question) for name, value in fields.items()}
            yield {name: value for name, value in row.items() if value is not ABSENT}

    def __call__(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the files."""
        for split in given.splits if "{split}" in self.file else (None,):
            name, rows = self.file.format(split=split), self.rows(given, folder, split)
            if name.endswith(".csv"):
                folder.csv(name, [[*self.fields(given)], *([*row.values()] for row in rows)])
            elif self.empty_splits or given.questions(split):
                folder.jsonl(name, rows)
        self.beside(given, folder)


@dataclass(frozen=True)
class EntityRows(RowExport):
    """Base class of formats that can say questions alone whose answers are entities."""

    def refusal(self, given: ExportInput, question: Question) -> str:
        """Numbers are refused."""
        number = not asks_for_entities(question)
        return "it asks for a number; answers here are entities" if number else ""


@dataclass(frozen=True)
class OneSplit(RowExport):
    """Base class of formats of systems without training, which have one split under clients' names.

    Questions with several topic entities, unions and counts are kept; the answer of a count is its number.

    Attributes:
        split: The split whose questions are written.
    """

    names_of_clients: ClassVar[bool] = True

    split: str = option("test", choices=SPLITS)

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits that are exported."""
        return (self.split,)

    def count_dead_ends(self, given: ExportInput, folder: ExportFolder) -> None:
        """Counts the topics from which a system that follows edges forward only cannot start."""
        heads = {given.kg.entities[i] for i in set(given.kg.triples[:, 0].tolist())}
        lost = sum(name not in heads for q in self.asked(given, folder) for name in q.anchors)
        folder.count("topics_without_outgoing_edge", lost)
