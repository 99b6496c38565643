"""Draws the figures of a report, as SVG with matplotlib.

Guarantees: the same figure gives the same bytes (no date, no random names, text as text); what colors say,
hatches, markers and line styles say too, so that figures can be read in grey. Needs matplotlib.
"""

import io
import re
from dataclasses import replace
from functools import lru_cache
from html import escape
from importlib.util import find_spec
from itertools import zip_longest
from math import ceil, nan, radians, sin
from typing import TYPE_CHECKING, Any

from rulemine.evaluation.reporting.document import Document, Picture, Series
from rulemine.evaluation.reporting.tables import WARNING
from rulemine.evaluation.statistics.score import Score
from rulemine.text.tables import FEW, MARK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["COLORS", "draw", "drawable", "embedded"]

COLORS = ("#0b5cad", "#c2410c", "#0f766e", "#86198f", "#4d4d4d", "#a16207", "#be185d", "#3f6212")
"""Colors of the series, each with a contrast of 4.5 or more on white; the page has lighter ones for dark."""

UNDRAWN = (
    f"{WARNING} Figures are tables here: they need matplotlib (pip install 'rulemine[report]')."
)

_HATCHES = ("", "///", "\\\\\\", "xxx", "---", "|||", "+++", "//////")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1, 1, 1)), (0, (1, 1)), (0, (8, 2)))

_INK, _GRID, _PAPER = "#1f2328", "#d1d5da", "#fefefe"
_HEIGHT = 3.1  # inches, as all sizes here; the legend and slanted labels come on top
_LEGEND_ROW = 0.2
_WIDE = 520  # points from which on a page gives a figure its whole width
_SLOPE = 25  # degrees of slanted labels
_LONGEST = 36
"""Characters of a label; what is longer is cut, its table has the whole."""

_CHARACTER = 0.08
"""Width of a character of a label; labels that are wider than their groups are slanted."""

_STYLE: Any = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "sans-serif"],
    "font.size": 9.0,
    "hatch.linewidth": 0.8,
    "axes.edgecolor": _INK,
    "axes.labelcolor": _INK,
    "text.color": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "text.parse_math": False,
}


def drawable(document: Document) -> Document:
    """A report as it can be shown here: without matplotlib its figures are tables, and a note says why."""
    if not document.figures or find_spec("matplotlib") is not None:
        return document
    return replace(
        document,
        figures=(),
        tables=(*(figure.table() for figure in document.figures), *document.tables),
        notes=(*document.notes, UNDRAWN),
    )


@lru_cache(maxsize=64)  # the page and the folder beside it have the same figures
def draw(figure: Picture) -> str:
    """Draws a figure.

    Returns:
        SVG with a white ground, which stands alone.
    """
    from matplotlib import style
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure as Canvas

    bars = figure.kind == "bars"
    many = len(figure.groups) * len(figure.series) if bars else 0
    width = min(14.0, max(6.4, 0.2 * many + 0.25 * len(figure.groups) + 1.2))
    longest = _CHARACTER * max(map(len, _labels(figure)), default=0)
    slanted = bars and longest * len(figure.groups) > width - 0.8
    entry = 0.7 + _CHARACTER * max((len(_short(one.name)) for one in figure.series), default=0)
    columns = min(max(1, int(width / entry)), len(figure.series))
    height = (
        _HEIGHT
        + _LEGEND_ROW * ceil(len(figure.series) / max(1, columns))
        + longest * sin(radians(_SLOPE)) * slanted
    )
    own = {**_STYLE, "svg.hashsalt": figure.id}  # of the ids in it
    with style.context(own, after_reset=True):  # whatever the user's own settings are
        canvas = Canvas(figsize=(width, height), layout="constrained", facecolor="white")
        FigureCanvasSVG(canvas)
        axes = canvas.add_subplot(facecolor="none", xlabel=figure.across, ylabel=figure.up)
        axes.grid(axis="y", color=_GRID, linewidth=0.6)
        _bars(axes, figure, slanted) if bars else _lines(axes, figure)
        _fit(axes, figure)
        if len(figure.series) > 1:
            canvas.legend(loc="outside upper left", ncols=columns, frameon=False, handlelength=2.6)
        out = io.StringIO()
        canvas.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return re.sub(r"[ \t]+\n", "\n", out.getvalue())


def _short(label: str) -> str:
    return label if len(label) <= _LONGEST else f"{label[: _LONGEST - 1]}…"


def _labels(figure: Picture) -> list[str]:
    """What stands below each group; few questions are marked."""
    few = (MARK if n < FEW else "" for n in figure.sizes)
    return [
        _short(str(group)) + mark for group, mark in zip_longest(figure.groups, few, fillvalue="")
    ]


def _shown(figure: Picture, one: Series, part: str) -> list[float]:
    """The scores of a series in the figure's unit; NaN, which is not drawn, where undefined."""
    found = [None if score is None else getattr(score, part) for score in one.scores]
    return [nan if value is None else value * figure.scale for value in found]


def _bars(axes: "Axes", figure: Picture, slanted: bool) -> None:
    wide = 0.8 / max(1, len(figure.series))
    for place, one in enumerate(figure.series):
        at = [i + (place - (len(figure.series) - 1) / 2) * wide for i in range(len(figure.groups))]
        values, color = _shown(figure, one, "value"), COLORS[place % len(COLORS)]
        axes.bar(
            at,
            values,
            wide,
            label=_short(one.name),
            color=color,
            edgecolor=_PAPER,
            linewidth=0.8,
            hatch=_HATCHES[place % len(_HATCHES)],
        )
        bounds = _shown(figure, one, "low"), _shown(figure, one, "high")
        for x, value, low, high in zip(at, values, *bounds, strict=True):
            axes.vlines(x, low, high, color=_INK, linewidth=0.9)
            axes.hlines([low, high], x - wide / 6, x + wide / 6, color=_INK, linewidth=0.9)
            if value == 0:  # a bar without height: say that it is there
                axes.annotate(
                    "0", (x, 0), (0, 1.5), textcoords="offset points", ha="center", size=6.5
                )
    turned: Any = {"rotation": _SLOPE, "ha": "right"} if slanted else {}
    axes.set_xticks(range(len(figure.groups)), _labels(figure), **turned)
    axes.tick_params(axis="x", length=0)


def _lines(axes: "Axes", figure: Picture) -> None:
    across = [float(group) for group in figure.groups]
    for place, one in enumerate(figure.series):
        color = COLORS[place % len(COLORS)]
        axes.fill_between(
            across,
            _shown(figure, one, "low"),
            _shown(figure, one, "high"),
            color=color,
            alpha=0.13,
            linewidth=0,
        )
        axes.plot(
            across,
            _shown(figure, one, "value"),
            label=_short(one.name),
            color=color,
            linestyle=_DASHES[place % len(_DASHES)],
            marker=_MARKERS[place % len(_MARKERS)],
            markersize=5,
            clip_on=False,  # markers at 0 and 100 are whole
            linewidth=1.6,
        )
    axes.set_xticks(across, [f"{group:g}" for group in across])


def _fit(axes: "Axes", figure: Picture) -> None:
    """Percentages start at 0 and end at 100; differences, numbers, and what is more, where they do."""
    known = [
        value
        for one in figure.series
        for part in Score._fields
        for value in _shown(figure, one, part)
        if value == value
    ]
    top = max([100.0 if figure.scale == 100 else 0.0, *known]) * 1.03
    axes.set_ylim(min([0.0, *known]) * 1.05, top or 1.0)


def embedded(svg: str, figure: Picture) -> str:
    """A drawn figure as an element of a page, in the page's own colors, light and dark.

    The ids in it are made its own; text and ground take the page's colors, series the custom properties
    ``--s1`` … ``--s8`` where it sets them.
    """
    shown = svg.partition('viewBox="')[2].partition('"')[0]
    body = re.sub(r"<metadata>.*?</metadata>\s*", "", svg[svg.index(">", svg.index("<svg")) + 1 :],
                  flags=re.DOTALL)  # fmt: skip
    body = re.sub(r'\bid="', f'id="figure-{figure.id}-', body)
    body = re.sub(r'(url\(|href=")#', rf"\g<1>#figure-{figure.id}-", body)
    own = {
        "fill: #ffffff": "fill: none",
        _INK: "currentColor",
        _PAPER: "var(--paper)",
        _GRID: "var(--line)",
        **{color: f"var(--s{place})" for place, color in enumerate(COLORS, start=1)},
    }
    for drawn, shown_as in own.items():
        body = body.replace(drawn, shown_as)
    width = shown.split()[2]
    return (
        "<svg"
        + ' data-wide=""' * (float(width) > _WIDE)
        + f' viewBox="{shown}" style="width: {width}pt" role="img" '
        f'aria-label="{escape(figure.title)}" '
        f'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">{body}'
    )
