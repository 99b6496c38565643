"""The tables of a contamination report, see `rulemine.evaluation.comparing.contamination`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from rulemine.evaluation.comparing.pairwise import rows_to_csv, rows_to_json
from rulemine.evaluation.reporting.document import Document, Grid
from rulemine.evaluation.reporting.report import WARNING
from rulemine.evaluation.reporting.tables import (
    Section,
    format_cell,
    format_markdown,
    format_p,
    format_table,
)
from rulemine.evaluation.reporting.titles import SUBSETS, TITLES
from rulemine.evaluation.statistics.score import Score

__all__ = ["Contamination", "FreshDifference"]

_HEADER = ("published", "fresh", "difference", "p", "p (Holm)", "seen from")


class FreshDifference(NamedTuple):
    """A score of one system on both releases.

    Attributes:
        subset: ``core`` or ``all``.
        metric: The score.
        system: The name of the system.
        n: Questions of the published release that are compared.
        n_fresh: Those of the fresh one.
        left_out: Questions of the published release that have the score, but no partners: of their form,
            one release has fewer than `two_samples.FEW`.
        left_out_fresh: Those of the fresh one.
        published: The score on the published release; None where undefined.
        fresh: That on the fresh one, with the mix of questions of the published one.
        difference: The former minus the latter, with its interval.
        seen: The smallest difference that is seen with a chance of 80 % at 5 %, without correction.
        p: Of the randomization test.
        adjusted: The same, corrected for the number of systems.
    """

    subset: str
    metric: str
    system: str
    n: int
    n_fresh: int
    left_out: int
    left_out_fresh: int
    published: float | None
    fresh: float | None
    difference: Score
    seen: float | None
    p: float | None
    adjusted: float | None


@dataclass(frozen=True)
class Contamination:
    """Systems on a published and a fresh release; made by `compare_with_fresh`.

    Attributes:
        title: What was compared.
        rows: The differences: the core first, score by score, the systems in the order given.
        notes: What a reader must know, as sentences.
    """

    title: str
    rows: tuple[FreshDifference, ...]
    notes: tuple[str, ...]

    def to_table(self) -> str:
        """For a terminal: percentages, below each difference its interval."""
        return self._laid_out(format_table, "")

    def to_markdown(self) -> str:
        """As a Markdown table, intervals in parentheses."""
        return self._laid_out(format_markdown, "system")

    def to_json(self) -> str:
        """As JSON: ``title``, ``notes`` and ``rows``, the fields of `FreshDifference` with fractions."""
        return rows_to_json(self.title, self.rows, self.notes)

    def to_csv(self) -> str:
        """As CSV with a header: a line for each difference, what is undefined empty."""
        return rows_to_csv(self.rows)

    def to_document(self) -> Document:
        """As a report, for LaTeX and the page."""
        rows = tuple(
            (
                row.system,
                SUBSETS[row.subset],
                TITLES[row.metric],
                _percent(row.published),
                _percent(row.fresh),
                row.difference,
                format_p(row.p),
                format_p(row.adjusted),
                _percent(row.seen),
            )
            for row in self.rows
        )
        header = ("system", "questions", "score", *_HEADER)
        grid = Grid(
            "fresh", "Published minus fresh, percent", header, rows, self.notes, signed=True
        )
        return Document(self.title, headline=grid)

    def _laid_out(self, layout: Callable[..., str], label: str) -> str:
        sections: list[Section] = []
        for row in self.rows:
            title = (
                f"{TITLES[row.metric]}, {SUBSETS[row.subset]}: {row.n:,} published, "
                f"{row.n_fresh:,} fresh"
            )
            if not sections or sections[-1][0] != title:
                sections.append((title, []))
            cells = [
                (_percent(row.published), ""),
                (_percent(row.fresh), ""),
                format_cell(row.difference, signed=True),
                (format_p(row.p), ""),
                (format_p(row.adjusted), ""),
                (_percent(row.seen), ""),
            ]
            sections[-1][1].append((row.system, cells))
        title = f"{self.title} · in percent, with a 95 % bootstrap interval"
        first = "".join(f"{note}\n\n" for note in self.notes if note.startswith(WARNING))
        below = [note for note in self.notes if not note.startswith(WARNING)]
        return first + layout(title, [label, *_HEADER], sections, below)


def _percent(value: float | None) -> str:
    return format_cell((value, None, None))[0]
