"""What every report is made of: headline, figures, tables, and questions with their answers.

`evaluate`, `compare`, `study` and `serve` fill a `Document`; the writers beside this module turn it into
JSON, CSV, Markdown, LaTeX and an HTML page. Nothing here computes, draws or
needs an extra.

Example:
    >>> full, none = Score(0.91, 0.86, 0.95), Score(0.0, 0.0, 0.0)
    >>> rows = (("lookup", 120, none), ("reasoner", 120, full))
    >>> headline = Table("headline", "Hard F1, core", ("system", "n", "hard F1"), rows)
    >>> series = (Series("complete", (none, full)), Series("incomplete", (None, full)))
    >>> axes = ("system", "hard F1, percent", ("lookup", "reasoner"))
    >>> figure = Picture("hard-f1", "Hard F1", "On both graphs.", "bars", *axes, series)
    >>> figure.table().rows[0] == ("lookup", none, None)
    True
    >>> len(Document("A study", headline=headline, figures=(figure,)).every_table())
    2
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from rulemine.evaluation.statistics.score import Score
from rulemine.kg.graph import Triple
from rulemine.release.records import Question
from rulemine.text.tables import Table, Value, one_decimal

__all__ = ["MOST_QUESTIONS", "VERDICTS", "Document", "Outcome", "Picture", "QuestionRow", "Series"]

MOST_QUESTIONS = 2000
"""Questions on a page; the triples that systems retrieved are kept for these alone."""

VERDICTS = {
    "hard": "gave the hard answer",
    "other_hard": "another hard answer, not the one asked for",
    "stated": "only stated answers",
    "further": "only answers from beyond the complete graph",
    "right": "gave an answer",
    "wrong": "no answer right",
    "empty": "no answer given",
    "missing": "no prediction",
}
"""What became of a question → in words. ``right`` is for questions without a hard answer."""


class Series(NamedTuple):
    """What a figure shows of one system, graph or naming.

    Attributes:
        name: As in the legend.
        scores: One for each group of the figure, as fractions; None where there is nothing to show.
    """

    name: str
    scores: tuple[Score | None, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure and its numbers; `rulemine.evaluation.reporting.figures.draw` draws it.

    Attributes:
        id: As `Table.id`.
        title: Its title.
        caption: What it shows, in sentences.
        kind: ``bars`` (a bar with its interval for each series, grouped), or ``lines`` (a line with the band
            of its intervals for each series; groups are numbers).
        across: What the groups are, the label of the horizontal axis.
        up: What is shown, the label of the vertical axis.
        groups: The groups: texts, or ascending numbers for ``lines``.
        series: The series, each with a score for every group.
        sizes: The questions of every group, which are a column of its table; empty: not known.
    """

    id: str
    title: str
    caption: str
    kind: str
    across: str
    up: str
    groups: tuple[str | float, ...]
    series: tuple[Series, ...]
    sizes: tuple[int, ...] = ()

    @property
    def scale(self) -> int:
        """What its scores are times: 100 where the vertical axis is in percent, as it mostly is."""
        return 100 if "percent" in self.up else 1

    def table(self) -> Table:
        """Its numbers as a table: a row for each group, a column for each series."""
        rows: tuple[tuple[Value, ...], ...] = tuple(
            (
                f"{group:g}" if isinstance(group, float | int) else group,
                *self.sizes[i : i + 1],
                *(s.scores[i] for s in self.series),
            )
            for i, group in enumerate(self.groups)
        )
        header = (self.across, *["n"] * bool(self.sizes), *(series.name for series in self.series))
        show = {} if self.scale == 100 else dict.fromkeys(header, one_decimal)
        return Table(self.id, self.title, header, rows, show=show)


class Outcome(NamedTuple):
    """What one system did with one question.

    Attributes:
        system: The system, as in the headline.
        kg: The graph that it was given.
        verdict: One of `VERDICTS`.
        why: Why it counted or not, as a sentence.
        said: Its text, cut where it is very long; "" where it gave a list of names.
        answers: The entities in it.
        retrieved: The triples that it retrieved, in its order; the first ones where there are very many.
        retrieved_count: How many there are; None if it did not say.
        generated: The triples that a model proposed.
        scores: Score → value; None where undefined.
        of_query: What became of a query, by column: its state, the kinds of its errors, the message.
    """

    system: str
    kg: str
    verdict: str
    why: str
    said: str = ""
    answers: tuple[str, ...] = ()
    retrieved: tuple[Triple, ...] = ()
    retrieved_count: int | None = None
    generated: tuple[Triple, ...] = ()
    scores: Mapping[str, float | None] = MappingProxyType({})
    of_query: Mapping[str, str] = MappingProxyType({})


class QuestionRow(NamedTuple):
    """A question with its proof and what the systems did with it.

    Attributes:
        question: The question, in the naming of the release.
        proof: The triples that the hard answer rests on, and those of the proofs of removed ones.
        shown: Title → lines: what `rulemine.release.show` shows of its rule, its proof and why it is hard.
        outcomes: What each system did with it.
    """

    question: Question
    proof: tuple[Triple, ...]
    shown: Mapping[str, tuple[str, ...]]
    outcomes: tuple[Outcome, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A report.

    Attributes:
        title: Its title.
        notes: What a reader of the numbers must know, as sentences.
        facts: What it is of and how it was made: name → text, e.g. the release and its digest.
        headline: Systems × scores.
        figures: The figures.
        tables: The tables beside the headline.
        questions: All questions; the page shows the first `MOST_QUESTIONS` in the order of samples.
        labels: Entity → its readable label, where that says more than its name; of entities in `questions`.
    """

    title: str
    notes: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    headline: Table | None = None
    figures: tuple[Picture, ...] = ()
    tables: tuple[Table, ...] = ()
    questions: tuple[QuestionRow, ...] = field(default=(), repr=False)
    labels: Mapping[str, str] = field(default_factory=dict, repr=False)

    def every_table(self) -> tuple[Table, ...]:
        """Every table of it: the headline, those of the figures, and the others."""
        first = () if self.headline is None else (self.headline,)
        return (*first, *(figure.table() for figure in self.figures), *self.tables)
