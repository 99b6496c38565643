"""The figures of a release as one page of small bar charts: ``figures.svg``.

Guarantees: the page needs no network, no script and no font; it is readable on light and on dark; every
bar has its number beside it; the same counts give the same bytes.
"""

from collections.abc import Mapping, Sequence
from html import escape
from textwrap import shorten
from typing import Any, NamedTuple

from rulemine.release.card.bins import bin_label
from rulemine.rules.taxonomy import RULE_SUBTYPES, RULE_TYPES, SUBTYPE_NAMES

__all__ = ["FIGURES", "draw_figures"]

FIGURES = "figures.svg"
"""The file of the page in a release."""

_COLUMNS, _WIDTH, _GAP, _TOP = 3, 306, 30, 86
_LABELS, _BARS = 122, 90
"""Pixels for the labels of a chart, and for its longest bar."""

_ROW, _HEAD = 22, 36

_STYLE = """
text { font: 12px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328 }
.page { fill: #ffffff }
.name { font-size: 18px; font-weight: 600 } .title { font-size: 13px; font-weight: 600 }
.note, .label { fill: #59636e } .label { text-anchor: end } .axis { stroke: #8b949e }
.all { fill: #9ec3ee } .core { fill: #1a5fb4 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .page { fill: #0d1117 } .note, .label { fill: #9da7b1 } .axis { stroke: #6e7681 }
.all { fill: #2c5c94 } .core { fill: #8cc4ff }
}
"""


class Bar(NamedTuple):
    """A row of a chart.

    Attributes:
        label: What it shows.
        all: The number for all questions; None to leave the bar out.
        core: The number for the core, likewise.
    """

    label: str
    all: float | None
    core: float | None = None


class Chart(NamedTuple):
    """A small bar chart.

    Attributes:
        title: Its title.
        bars: Its rows.
        percent: Whether the numbers are percentages; bars then end at 100.
        long: Whether labels are too long to stand beside the bars.
    """

    title: str
    bars: Sequence[Bar]
    percent: bool = False
    long: bool = False

    @property
    def height(self) -> int:
        """Pixels."""
        return _HEAD + len(self.bars) * _ROW * (1 + self.long)


def draw_figures(name: str, counts: Mapping[str, Any]) -> str:
    """The page, as SVG.

    Args:
        name: The name of the release.
        counts: The counts of its manifest, see `rulemine.release.card.figures`.
    """
    ends = [_TOP] * _COLUMNS
    drawn = []
    for chart in _charts(counts):
        column = ends.index(min(ends))
        drawn.append(_chart(chart, _GAP + column * (_WIDTH + _GAP), ends[column]))
        ends[column] += chart.height + _GAP
    width, height = _GAP + _COLUMNS * (_WIDTH + _GAP), max(ends)
    questions, core = counts["questions"], counts["core"]
    said = f"{questions:,} questions, {core:,} of them in the core"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" role="img" aria-labelledby="name said">',
            f'<title id="name">{escape(name)}: figures</title>',
            f'<desc id="said">{said}. Bar charts; the number is beside each bar.</desc>',
            f"<style>{_STYLE}</style>",
            f'<rect class="page" width="{width}" height="{height}"/>',
            _text(_GAP, 38, name, "name"),
            _text(_GAP, 60, said, "note"),
            f'<rect class="all" x="{width - 250}" y="51" width="10" height="10"/>',
            _text(width - 234, 60, "all questions", "note"),
            f'<rect class="core" x="{width - 130}" y="51" width="10" height="10"/>',
            _text(width - 114, 60, "of the core", "note"),
            *drawn,
            "</svg>",
            "",
        ]
    )


def _charts(counts: Mapping[str, Any]) -> list[Chart]:
    def both(key: str) -> list[Bar]:
        some, core = counts[f"questions_by_{key}"], counts[f"core_by_{key}"]
        names = list(some)
        used = [i for i, bin_ in enumerate(names) if some[bin_]]
        shown = names[used[0] : used[-1] + 1] if used else []
        return [Bar(bin_label(key, bin_), some[bin_], core[bin_]) for bin_ in shown]

    test, core_test = counts["questions_by_split"]["test"], counts["core_by_split"]["test"]
    subtypes = [k for k in RULE_SUBTYPES if counts["questions_by_subtype"][k]]
    charts = [
        Chart(
            "Rule types",
            [Bar(k, counts["questions_by_type"][k], counts["core_by_type"][k]) for k in RULE_TYPES],
        ),
        Chart("Body atoms of the proof", both("body_atoms")),
        Chart("Standard confidence of the proof", both("confidence")),
        Chart(
            "Sub-types of “other”",
            [
                Bar(
                    SUBTYPE_NAMES.get(k, k),
                    counts["questions_by_subtype"][k],
                    counts["core_by_subtype"][k],
                )
                for k in subtypes
            ],
        ),
        Chart("Prior of the answer", both("prior")),
        Chart("Lift: confidence / prior", both("lift")),
        Chart("Remaining proofs", both("proofs")),
        Chart("Body atoms of the shortest proof left", both("shortest_proof")),
        Chart("Splits", both("split")),
        Chart(
            "Guessing: Hits@Hard on test",
            [
                Bar(
                    "1 guess" if guesses == "1" else f"{guesses} guesses",
                    _percent(hits, test),
                    _percent(counts["core_guessed"][guesses], core_test),
                )
                for guesses, hits in counts["guessed"].items()
            ],
            percent=True,
        ),
        Chart(
            "Concentration",
            [
                Bar(
                    f"top {what}",
                    _percent(counts[f"top_{what}"], counts["questions"]),
                    _percent(counts[f"core_top_{what}"], counts["core"]),
                )
                for what in ("answer", "relation")
            ],
            percent=True,
        ),
        Chart("Test questions: shared with train", _shared(counts["splits"]["test"]), percent=True),
        Chart(
            "Answers",
            [
                Bar("stated", counts["answers_stated"]),
                Bar("hard", counts["answers_hard"], counts["answers_core"]),
                Bar("further", counts["answers_further"]),
                Bar("by completion", counts["answers_completed"]),
            ],
        ),
        Chart(
            "Triples",
            [
                Bar("complete graph", counts["triples_complete"]),
                Bar("rare answer", counts["triples_askable"]),
                Bar("removed", counts["triples_removed"], counts["removed_core"]),
                Bar("not asked about", counts["removed_not_asked"]),
            ],
        ),
        Chart("Edges left between the two ends", _edges(counts), percent=True),
        Chart("Rejected", [Bar(why, n) for why, n in counts["rejected"].items()], long=True),
    ]
    return [chart for chart in charts if chart.bars]


def _percent(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None


def _shared(row: Mapping[str, Any] | None) -> list[Bar]:
    if row is None or row["overlap"] is None:
        return []
    return [
        Bar(what, 100 * row["overlap"][what]) for what in ("topic", "answer", "relation", "rule")
    ]


def _edges(counts: Mapping[str, Any]) -> list[Bar]:
    kinds = {"inverse": "inverse_edge_left", "parallel": "parallel_edge_left"}
    kinds["restating"] = "restating_edge_left"
    return [Bar(name, _percent(counts[key], counts["questions"])) for name, key in kinds.items()]


def _chart(chart: Chart, left: int, top: int) -> str:
    most = max((value for bar in chart.bars for value in bar[1:] if value is not None), default=0)
    most = 100 if chart.percent else most or 1
    zero = left + (0 if chart.long else _LABELS + 8)
    bars = _WIDTH - 60 if chart.long else _BARS
    lines = [_text(left, top + 14, chart.title, "title")]
    y = top + _HEAD - 8
    for bar in chart.bars:
        if chart.long:
            lines.append(_text(left, y + 14, shorten(bar.label, 46, placeholder=" …"), "note"))
            y += _ROW
        else:
            lines.append(_text(left + _LABELS, y + 14, bar.label, "label"))
        tall = 14 if bar.core is None else 7
        for place, (kind, value) in enumerate((("all", bar.all), ("core", bar.core))):
            if value:
                length = max(1.0, bars * value / most)
                lines.append(
                    f'<rect class="{kind}" x="{zero}" y="{y + 3 + 7 * place}" width="{length:.1f}" '
                    f'height="{tall}"/>'
                )
        numbers = [_number(value, chart.percent) for value in bar[1:] if value is not None]
        longest = max((bars * value / most for value in bar[1:] if value is not None), default=0)
        lines.append(_text(zero + longest + 6, y + 14, " · ".join(numbers) or "–"))
        y += _ROW
    if not chart.long:
        lines.append(
            f'<line class="axis" x1="{zero}" y1="{top + _HEAD - 8}" x2="{zero}" y2="{y}"/>'
        )
    return "\n".join(lines)


def _number(value: float, percent: bool) -> str:
    return f"{value:.1f} %" if percent else f"{value:,}"


def _text(x: float, y: int, text: str, kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x:.1f}" y="{y}">{escape(text)}</text>'
