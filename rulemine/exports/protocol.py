"""What an export is made from, where it is written, and the base of all formats.

A format is a frozen `rulemine.config.Section` whose fields are its options. It names its file, gives the
`fields` of a row for each question (field → what it has of the question), refuses the questions that it
cannot express, and writes what else it has `beside` the rows. What all exports share is done by
`rulemine.exports.exporting`.
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar

from rulemine.codec import dump_line
from rulemine.config import Section, option
from rulemine.exports.client_names import ClientEntity, ClientNames, domain_of
from rulemine.exports.reachability import Reachability
from rulemine.files import write_lines, write_text
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.release.naming import Namer, questions_in
from rulemine.release.reader import Release
from rulemine.release.records import SPLITS, Question, Removal

__all__ = [
    "ABSENT",
    "NAMINGS_OF_EXPORTS",
    "ExportFolder",
    "ExportInput",
    "Field",
    "Fields",
    "OneSplit",
    "RowExport",
]

Field = str | Callable[[Question], Any]
"""What a field of a row has: an attribute of the question, by name, or what is made of the question."""

Fields = dict[str, Field]
"""A row as a table: field → what it has."""

ABSENT = object()
"""The value of a field that a row lacks."""

NAMINGS_OF_EXPORTS = ("private", "entity", "text")
"""Without ``numeric``: a bare number is part of many others, so other projects' metrics count it as right."""


@dataclass(frozen=True)
class ExportInput:
    """What an exporter is given.

    Attributes:
        release: The release.
        naming: The naming of everything below, one of `NAMINGS_OF_EXPORTS`.
        kg_name: The graph that the export is about, as for `Release.kg`.
        seed: For what is drawn or shuffled, ≥ 0.
        without_answers: Whether no answer may be given away: the test split alone, its answers empty.
        splits: The splits that are exported.
        progress: Called with what is done and all there is to do.
        note: Called with sentences for the user.
    """

    release: Release
    naming: str
    kg_name: str = "incomplete"
    seed: int = 0
    without_answers: bool = False
    splits: tuple[str, ...] = SPLITS
    progress: Callable[[int, int], None] = lambda done, total: None
    note: Callable[[str], None] = lambda text: None

    @cached_property
    def client(self) -> ClientNames:
        """The names that other programs see."""
        domain = domain_of(str(self.release.manifest["config"].get("kg", "")))
        relations = self.release.relations()
        return ClientNames.of(self.release.entities, self.naming, relations, domain)

    @cached_property
    def kg(self) -> KnowledgeGraph:
        """The graph that the export is about."""
        return self.graph(self.kg_name)

    @cached_property
    def complete(self) -> KnowledgeGraph:
        """The complete graph."""
        return self.kg if self.kg_name == "complete" else self.graph("complete")

    def graph(self, which: str) -> KnowledgeGraph:
        """Any graph of the release, as for `Release.kg`, in the naming of the export."""
        found = self.release.kg(which)
        return found if self._namer is None else found.renamed(self._namer.names)

    @cached_property
    def property_graph(self) -> PropertyGraph:
        """The property graph that the export is about; only of releases of the kind ``cypher``."""
        found = self.release.property_graph(self.kg_name)
        return found if self._namer is None else found.renamed(self._namer.names)

    @cached_property
    def removed(self) -> tuple[Removal, ...]:
        """The removed triples; to be written nowhere without answers."""
        removals = self.release.removals()
        return removals if self._namer is None else tuple(map(self._namer.record, removals))

    def questions(self, split: str | None = None) -> tuple[Question, ...]:
        """The questions of a split, or of all that are exported, sorted by id."""
        return tuple(q for q in self._questions if split in (None, q.split))

    def entities(self) -> list[ClientEntity]:
        """The entities of the complete graph, by private id.

        The release also names entities that only a reference graph adds as answers; these stay hidden.
        """
        known = self.complete.entity_ids
        return [entity for entity in self.client.entities if entity.name in known]

    def gold(self, question: Question, further: bool = True) -> list[ClientEntity]:
        """The answers to a question as clients see them; none where the export must not give them away.

        A number is its own id and label.

        Args:
            question: The question.
            further: Whether with those that only the reference graph adds.
        """
        if self.without_answers:
            return []
        if question.value is not None:
            return [ClientEntity(*[str(question.value)] * 3)]
        client, out = self.client, () if further else question.further
        rows = ((a, client.id[a], client.label[a]) for a in question.answers if a not in out)
        return list(map(ClientEntity._make, rows))

    def unless_secret(self, fields: Fields) -> Fields:
        """The given fields, which give answers away; none of them in an export without answers."""
        return {} if self.without_answers else fields

    @cached_property
    def _questions(self) -> tuple[Question, ...]:
        asked = [q for q in self.release.questions() if q.split in self.splits]
        return questions_in(self.release, asked, self.naming) if self._namer else tuple(asked)

    @cached_property
    def _namer(self) -> Namer | None:
        """What renames the records of the release; None if it has the naming already."""
        release = self.release
        if self.naming == release.naming:
            return None
        return Namer(release.entities, release.templates(), self.naming, source=release.naming)


@dataclass(frozen=True)
class ExportFolder:
    """Where an exporter writes: files in UTF-8 with LF, the same input to the same bytes.

    Attributes:
        path: The folder, for libraries that write by themselves. It is moved into place when all is written.
        counts: Figures for ``export.json`` and the user, by name.
        left_out: Id of a question that the format cannot express → why.
        reached: Id of a question → what can be reached in its own graph; none where all have the same graph.
    """

    path: Path
    counts: dict[str, Any] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    reached: dict[str, Reachability] = field(default_factory=dict)

    def file(self, name: str) -> Path:
        """The path of a file, its folders made."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def text(self, name: str, text: str) -> None:
        """Writes a text."""
        write_text(self.file(name), text)

    def json(self, name: str, value: Any) -> None:
        """Writes one JSON value, indented."""
        dumped = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2)
        self.text(name, dumped + "\n")

    def jsonl(self, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Writes JSON objects, one a line."""
        write_lines(self.file(name), (dump_line(dict(row)) + "\n" for row in rows))

    def lines(self, name: str, lines: Iterable[str]) -> None:
        """Writes lines."""
        write_lines(self.file(name), (f"{line}\n" for line in lines))

    def tsv(self, name: str, rows: Iterable[Sequence[str]]) -> None:
        """Writes rows separated by tabs; the fields must have neither tabs nor line breaks."""
        self.lines(name, ("\t".join(row) for row in rows))

    def csv(self, name: str, rows: Iterable[Sequence[Any]], delimiter: str = ",") -> None:
        """Writes rows separated by commas or another sign, fields quoted where they need it, with LF."""

        def written() -> Iterable[str]:
            for row in rows:
                out = io.StringIO()
                csv.writer(out, delimiter=delimiter, lineterminator="\n").writerow(row)
                yield out.getvalue()

        write_lines(self.file(name), written())

    def leave_out(self, question: str, reason: str) -> None:
        """Notes why the format cannot express a question."""
        self.left_out[question] = reason

    def count(self, name: str, value: Any) -> None:
        """Notes a figure."""
        self.counts[name] = value


@dataclass(frozen=True)
class RowExport(Section):
    """The base of all formats; a subclass gives its `fields`, or writes all files in ``__call__``.

    Attributes of the class:
        file: Where the rows go, in JSON Lines, or in CSV if it ends in ``.csv``. With ``{split}`` in it,
            every split has a file.
        empty_splits: Whether a split without questions has a file, too.
        names_of_clients: Whether it writes the names of `ClientNames`, so that the maps to the names of the
            release come with it.
        splits: The splits it can express.
        answers: The forms of answers it can express, of ``entities`` and ``rows``.
        needs: Fields of blocks that it reads, so that it can express only questions of kinds that have them.
    """

    file: ClassVar[str] = "questions.jsonl"
    empty_splits: ClassVar[bool] = True
    answers: ClassVar[tuple[str, ...]] = ("entities",)
    needs: ClassVar[tuple[str, ...]] = ()

    @property
    def names_of_clients(self) -> bool:  # noqa: D102  # see the class
        return False

    @property
    def splits(self) -> tuple[str, ...]:  # noqa: D102
        return SPLITS

    def check(self, given: ExportInput) -> None:
        """Refuses what it cannot express at all, before anything is written.

        Raises:
            UserError: There is such a thing in the release.
        """

    def fields(self, given: ExportInput) -> Fields:
        """The fields of a row, in their order; see `ExportInput.unless_secret`."""
        raise NotImplementedError

    def refusal(self, given: ExportInput, question: Question) -> str:
        """Why the format cannot express a question; "" if it can."""
        return ""

    def beside(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the other files, when all rows are written."""

    def asked(
        self, given: ExportInput, folder: ExportFolder, split: str | None = None
    ) -> Iterator[Question]:
        """The questions of a split, or of all, that the format can express; the others are noted."""
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
        """Writes the files of the format.

        Raises:
            UserError: The format cannot express something that cannot be left out.
        """
        for split in given.splits if "{split}" in self.file else (None,):
            name, rows = self.file.format(split=split), self.rows(given, folder, split)
            if name.endswith(".csv"):
                folder.csv(name, [[*self.fields(given)], *([*row.values()] for row in rows)])
            elif self.empty_splits or given.questions(split):
                folder.jsonl(name, rows)
        self.beside(given, folder)


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

    def fields(self, given: ExportInput) -> Fields:
        """Topics by their labels, and no answers."""
        topics = given.client.labels
        return {"id": "id", "question": "question", "topics": lambda q: topics(q.anchors)}

    def count_dead_ends(self, given: ExportInput, folder: ExportFolder) -> None:
        """Counts the topics from which a system that follows edges forward only cannot start."""
        heads = {given.kg.entities[i] for i in set(given.kg.triples[:, 0].tolist())}
        lost = sum(name not in heads for q in self.asked(given, folder) for name in q.anchors)
        folder.count("topics_without_outgoing_edge", lost)
