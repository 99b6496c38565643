"""Differences of the scores of systems, in pairs: tables, and Holm's correction of p."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rulemine.evaluation.reporting.tables import Tabled
from rulemine.evaluation.reporting.titles import SUBSETS, TITLES
from rulemine.evaluation.statistics.score import Score
from rulemine.evaluation.statistics.significance import holm
from rulemine.text.tables import Table, Values, csv_of, p_value, percent, points, under_headings

__all__ = ["Differences", "PairedDifference", "corrected"]

_HEADER = ("pair", "first", "second", "difference", "p", "p (Holm)")
_SHOW = {
    **dict.fromkeys(("first", "second"), percent),
    **{"difference": points, "p": p_value, "p (Holm)": p_value},
}


class PairedDifference(NamedTuple):
    """The difference of two systems on one score over one set of questions.

    Attributes:
        subset: ``core`` or ``all``.
        metric: The score.
        first: The name of one system.
        second: That of the other.
        a: The score of the first; None where undefined, and so are those below.
        b: That of the second.
        difference: First minus second, with its interval.
        p: Of the randomization test.
        adjusted: The same, corrected for the number of pairs.
    """

    subset: str
    metric: str
    first: str
    second: str
    a: float | None
    b: float | None
    difference: Score
    p: float | None
    adjusted: float | None

    @property
    def values(self) -> Values:
        """Its row in a table."""
        scores = (self.a, self.b, self.difference, self.p, self.adjusted)
        return (f"{self.first} − {self.second}", *scores)


@dataclass(frozen=True)
class Differences(Tabled):
    """Every two of several systems compared, see `compare_all`.

    Attributes:
        title: What was compared.
        rows: The differences: the core first, score by score, the pairs in the order of the systems.
        notes: What a reader must know, as sentences.
    """

    title: str
    rows: tuple[PairedDifference, ...]
    notes: tuple[str, ...]

    def content(self) -> dict[str, Any]:
        """``title``, ``notes`` and ``rows``: their fields with fractions, a difference as three."""
        rows = [_plain(row) for row in self.rows]
        return {"title": self.title, "notes": list(self.notes), "rows": rows}

    def to_csv(self) -> str:
        """As CSV with a header: a line for each difference, what is undefined empty."""
        plain = [_plain(row) for row in self.rows]
        rows = tuple(tuple(row.values()) for row in plain)
        return csv_of(Table("differences", self.title, tuple(plain[0]), rows))

    def tables(self) -> list[Table]:
        """The differences below the scores and questions that they are of."""
        rows = under_headings(
            (f"{TITLES[row.metric]}, {SUBSETS[row.subset]}", row.values) for row in self.rows
        )
        title = f"{self.title} · in percent, with a 95 % bootstrap interval"
        return [Table("differences", title, _HEADER, rows, self.notes, _SHOW)]


def _plain(row: PairedDifference) -> dict[str, Any]:
    plain = row._asdict()
    value, low, high = plain.pop("difference")
    tests = {name: plain.pop(name) for name in ("p", "adjusted")}
    return plain | {"difference": value, "low": low, "high": high} | tests


def corrected(rows: Sequence[PairedDifference]) -> tuple[PairedDifference, ...]:
    """The same with Holm's adjusted p; a family is all on one score over one set of questions."""
    found = list(rows)
    families: dict[tuple[str, str], list[int]] = {}
    for i, row in enumerate(found):
        families.setdefault((row.subset, row.metric), []).append(i)
    for family in families.values():
        for i, adjusted in zip(family, holm([found[i].p for i in family]), strict=True):
            found[i] = found[i]._replace(adjusted=adjusted)
    return tuple(found)
