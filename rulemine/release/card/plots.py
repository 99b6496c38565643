"""The figures of a release as one page of small bar charts: ``figures.svg``.

Guarantees: the page needs no network, no script and no font; it is readable on light and on dark; every
bar has its number beside it; the same counts give the same bytes.
"""

from collections.abc import Mapping, Sequence
from html import escape
from textwrap import shorten
from typing import Any

from rulemine.release.card.charts import Chart

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


def draw_figures(name: str, counts: Mapping[str, Any], charts: Sequence[Chart]) -> str:
    """The page, as SVG.

    Args:
        name: The name of the release.
        counts: The counts of its manifest, see `rulemine.release.card.figures`.
        charts: The charts, in their order.
    """
    ends = [_TOP] * _COLUMNS
    drawn = []
    for chart in charts:
        column = ends.index(min(ends))
        drawn.append(_chart(chart, _GAP + column * (_WIDTH + _GAP), ends[column]))
        ends[column] += _height(chart) + _GAP
    width, height = _GAP + _COLUMNS * (_WIDTH + _GAP), max(ends)
    questions, core = counts["questions"], counts["core"]
    summary = f"{questions:,} questions"
    legend: list[str] = []
    if core is not None:
        summary += f", {core:,} of them in the core"
        legend = [
            f'<rect class="all" x="{width - 250}" y="51" width="10" height="10"/>',
            _text(width - 234, 60, "all questions", "note"),
            f'<rect class="core" x="{width - 130}" y="51" width="10" height="10"/>',
            _text(width - 114, 60, "of the core", "note"),
        ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" role="img" aria-labelledby="name said">',
            f'<title id="name">{escape(name)}: figures</title>',
            f'<desc id="said">{summary}. Bar charts; the number is beside each bar.</desc>',
            f"<style>{_STYLE}</style>",
            f'<rect class="page" width="{width}" height="{height}"/>',
            _text(_GAP, 38, name, "name"),
            _text(_GAP, 60, summary, "note"),
            *legend,
            *drawn,
            "</svg>",
            "",
        ]
    )


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


def _height(chart: Chart) -> int:
    """Pixels."""
    return _HEAD + len(chart.bars) * _ROW * (1 + chart.long)


def _number(value: float, percent: bool) -> str:
    return f"{value:.1f} %" if percent else f"{value:,}"


def _text(x: float, y: int, text: str, kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x:.1f}" y="{y}">{escape(text)}</text>'
