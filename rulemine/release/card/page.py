r"""The card of a release: its README.md.

The card says what the release contains, how hard it is, how it was made, and its known limits in figures.
Every number is one of the counts of its manifest. What it says stands in ``card.md`` and in the ``page.md``
of the kind of its questions.

What cards say stands in files that can be read as such: templates of jinja2, filled in with figures.

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
from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from rulemine.codec import dump_line
from rulemine.config import packaged
from rulemine.errors import counted
from rulemine.kg.priors import CORE_PRIOR
from rulemine.kg.relation_overlap import LEAST_SHARE
from rulemine.kinds.registry import kind_named
from rulemine.release.card.kind_page import NOTHING, KindPage
from rulemine.release.contents import ReleaseParts
from rulemine.text.escaping import code, plain

if TYPE_CHECKING:
    from jinja2 import Environment, Template

__all__ = ["fill", "reasons", "write_card"]

LITTLE_CORE, FEW_CORE = 0.1, 100
"""Below this fraction or number of questions in the core, the card warns."""

MOST_CAUSES = 3
"""Reasons that are given for a test split with too few questions of the core."""

MOST_RELATIONS = 10
"""Number of undeclared relations that are listed."""

MOST_REASONS = 6
"""Number of reasons for not asking about relations that are listed."""


def write_card(parts: ReleaseParts, manifest: dict[str, Any]) -> str:
    """The card as Markdown.

    Args:
        parts: The parts, in the naming of the release.
        manifest: Its manifest, without the digests of files.
    """
    page: KindPage = kind_named(parts.kind).page or NOTHING
    values = {
        **manifest,
        **manifest["counts"],
        **({} if page.whole else _of_all(manifest) | _of_build(manifest)),
        "examples": page.examples(parts.questions),
        "reference": bool(parts.reference),
        "trace": bool(parts.trace),
        **page.values(manifest),
    }
    return fill(page.text, "card", values)


def _of_all(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """What the card names beside the counts: of sizes, splits and limits."""
    counts, config = manifest["counts"], manifest["config"]
    asked = counts.get("hard_by_split", counts["questions_by_split"])
    hard, core = sum(asked.values()), counts["core"]
    little = core < max(LITTLE_CORE * hard, FEW_CORE)
    trained = counts["questions_by_split"]["train"] > 0
    known = {name: row for name, row in counts["splits"].items() if row is not None}
    dropped = Counter(manifest["kg"].get("dropped", {}).values()).most_common()
    refused = Counter(counts["rejected"])
    for row in counts.get("sampling", {}).values():
        refused.update(row.get("rejected", {}))
    further = ["of a larger reference graph"] * bool(config.get("reference"))
    further += ["implied by definition"] * bool(config.get("implied"))
    return {
        "mode": config["selection"]["mode"],
        "section": config.get(config.get("kind"), {}),
        "hard": hard,
        "core_is": hard and ("none" if not core else "little" if little else "enough"),
        "core_prior": CORE_PRIOR,
        "tested": {
            "all": trained and asked["test"],
            "core": trained and counts["core_by_split"]["test"],
        },
        "known": known if len(known) > 1 else {},
        "later": {name: row for name, row in known.items() if name != "train"},
        "causes": dict(refused.most_common(MOST_CAUSES)),
        "guessable": 3 * counts["triples_askable"] < counts["triples_complete"],
        "restated_share": 100 * LEAST_SHARE,
        "most_relations": MOST_RELATIONS,
        "further": " or ".join(further),
        "refused": reasons(counts),
        "dropped": dict(dropped[:MOST_REASONS]),
        "dropped_more": sum(n for _, n in dropped[MOST_REASONS:]),
    }


def reasons(counts: Mapping[str, Any]) -> dict[str, int]:
    """The questions that are not asked, by reason; those of refused texts may be kept."""
    kept = (
        "verbalize: " if counts["questions_by_wording"]["fallback"] else "verbalize: paraphrase: "
    )
    return {why: n for why, n in counts["rejected"].items() if kept not in why}


def _of_build(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """What the card names beside the counts: of how the release was made."""
    counts, config = manifest["counts"], manifest["config"]
    verbalizer = {"name": "template", **config.get("verbalizer", {})}
    calls, audited = counts.get("model_calls", {}), counts.get("audits", {})
    judge = verbalizer.get("judge_model")
    return {
        "options": dump_line(config),
        "by_model": verbalizer["name"] != "template",
        "judged": any(audited.values())
        or (judge and calls.keys().isdisjoint(("check", "reword_audit"))),
        "left_out": sum(
            n for why, n in counts["rejected"].items() if why.startswith("verbalize: ")
        ),
    }


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
