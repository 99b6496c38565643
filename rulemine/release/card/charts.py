r"""What the plots of a release show: its figures as small bar charts.

They stand in texts as cards do (`rulemine.release.card.template`), with – for no number: a chart begins with
``### Title``, or ``### Title [percent]``, ``### Title [long]``; each of its bars is ``label = all`` or
``label = all core``.

Example:
    >>> for chart in charts_of("### Answers\nhard = 3,000 1\n### None\n### Top [percent]\n1 guess = – 25.0"):
    ...     print(chart.title, chart.bars, chart.percent)
    Answers [Bar(label='hard', all=3000, core=1)] False
    Top [Bar(label='1 guess', all=None, core=25.0)] True
"""

import json
import re
from typing import NamedTuple

__all__ = ["Bar", "Chart", "charts_of"]

_TITLE = re.compile(r"### (.*?)(?: \[(percent|long)\])?")


class Bar(NamedTuple):
    """A row of a chart.

    Attributes:
        label: What it shows.
        all: The number for all questions; None to leave the bar out.
        core: The number for the core.
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
    bars: list[Bar]
    percent: bool = False
    long: bool = False


def charts_of(text: str) -> list[Chart]:
    """The charts of a text that have a bar."""
    charts: list[Chart] = []
    for line in text.splitlines():
        label, sign, numbers = line.rpartition(" = ")
        if sign:
            found = (None if n == "–" else json.loads(n.replace(",", "")) for n in numbers.split())
            charts[-1].bars.append(Bar(label, *found))
        elif title := _TITLE.fullmatch(line):
            charts.append(Chart(title[1], [], title[2] == "percent", title[2] == "long"))
    return [chart for chart in charts if chart.bars]
