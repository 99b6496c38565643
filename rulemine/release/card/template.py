r"""What cards say stands in files that can be read as such: templates of jinja2, filled in with figures.

A file has its parts as blocks, ``{% block lead %}``; one that extends it puts its own in their places. Whole
numbers get commas; of a mapping, its numbers are shown with slashes between them; a list is its lines; None
is –. A name that there is not is an error. Beside jinja's own filters there are:

- ``part|percent(whole)``, ``share|percent``, ``part|mean(whole)``: in percent with one decimal, with two.
- ``n|noun("question")``: a number with its noun.
- ``counts|reasons``, ``counts|sizes``: of a mapping to numbers, each with its number.
- ``name|code``, ``name|plain``: as a code span, as plain text; ``name|cell``: in a cell of a table.

Example:
    >>> page = '{% extends "release/card/part.md" %}{% block few %}{{ n|noun("row") }}, {{ 1|percent(n) }}'
    >>> fill(page + "{% endblock %}", "few", {"n": 1200})
    '1,200 rows, 0.1 %\n'
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from rulemine.config import packaged
from rulemine.errors import counted
from rulemine.text.markdown import code, plain

if TYPE_CHECKING:
    from jinja2 import Environment, Template

__all__ = ["fill"]


def fill(template: str, part: str, values: Mapping[str, Any]) -> str:
    """A part of a template with values in it.

    Args:
        template: Its text; it may extend files of this package, by their paths below it.
        part: The name of the part.
        values: The values by name.

    Raises:
        jinja2.UndefinedError: It names a value that there is not.
    """
    text = _compiled(template).render(values, part=part)
    return re.sub(r"\n{3,}", "\n\n", text.strip("\n") + "\n")


def _percent(part: float | None, whole: int = 1) -> str | None:
    return f"{100 * part / whole:.1f} %" if whole and part is not None else None


def _shown(value: Any) -> Any:
    if isinstance(value, Mapping):
        return " / ".join(f"{n:,}" for n in value.values())
    if isinstance(value, list):
        return "\n".join(value)
    return "–" if value is None else f"{value:,}" if isinstance(value, int) else value


@cache  # compiling a page takes longer than filling it in
def _compiled(template: str) -> "Template":
    return _pages().from_string(template)


@cache
def _pages() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    pages = Environment(
        loader=FileSystemLoader(packaged()),
        autoescape=False,  # noqa: S701 - Markdown; what the graph names is escaped for it
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    pages.filters |= {
        "cell": lambda text: text.replace("|", "\\|"),
        "code": code,
        "mean": lambda part, whole: f"{part / whole:.2f}" if whole else None,
        "noun": counted,
        "percent": _percent,
        "plain": plain,
        "reasons": lambda counts: (
            "; ".join(f"{why} ({n:,})" for why, n in dict(counts).items()) or "–"
        ),
        "sizes": lambda counts: " · ".join(f"{of}: {n:,}" for of, n in counts.items() if n) or "–",
    }
    return pages
