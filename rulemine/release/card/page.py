"""The card of a release: its README.md, one page for whoever meets it on a hub.

What it says stands in ``card.md`` and in the ``page.md`` of a kind: templates of jinja2 in which whole
numbers get commas, a list is its lines, and None is –. A name that there is not is an error. Every number is
one of the counts of the manifest; the examples are questions of the release.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from rulemine.config import packaged
from rulemine.errors import counted
from rulemine.kg.graph import Triple
from rulemine.kg.priors import CORE_PRIOR
from rulemine.kinds.registry import KINDS
from rulemine.release.card.figures import KindPage, page_of
from rulemine.release.contents import ReleaseParts
from rulemine.release.naming import HIDING, Namer
from rulemine.release.records import Question, Removal
from rulemine.text.escaping import code, plain

if TYPE_CHECKING:
    from jinja2 import Template

__all__ = ["write_card"]

EXAMPLES = 5
"""Number of questions that are shown."""

MOST_TRIPLES = 3
"""Number of stated, and of removed triples that are shown of one."""


def write_card(parts: ReleaseParts, manifest: dict[str, Any]) -> str:
    """The card as Markdown.

    Args:
        parts: The parts, in the naming of the release.
        manifest: Its manifest, without the digests of files.
    """
    page, config = page_of(parts.kind), manifest["config"]
    text = _page(page.template).render(
        **manifest,
        **manifest["counts"],
        about=page.about,
        examples=_examples(parts, page) or ["None."],
        hidden=manifest["naming"] in HIDING,
        mode=config.get("selection", {}).get("mode", ""),
        section=config.get(config.get("kind"), {}),
        core_prior=CORE_PRIOR,
        reference=len(parts.reference),
    )
    return re.sub(r"\n{3,}", "\n\n", re.sub(r" +\n", "\n", text.strip() + "\n"))


def _examples(parts: ReleaseParts, page: KindPage) -> list[str]:
    """Questions with labels, answers and proofs: of training and of the core, where there are any."""
    some = list(parts.questions)
    for is_better in (lambda q: q.hard, lambda q: q.core, lambda q: q.split == "train"):
        better = list(filter(is_better, some))
        some = better if len(better) >= EXAMPLES else some
    some.sort(key=lambda q: (q.structure, q.id))
    some = some[len(some) // (2 * EXAMPLES) :: max(1, len(some) // EXAMPLES)][:EXAMPLES]
    needed = {triple for q in some for triple in q.removed}
    rows = [row for row in parts.removals if row.triple in needed]
    if parts.kind in KINDS:
        namer = Namer(parts.names, parts.templates, "text", source=parts.naming)
        some, rows = [*map(namer.question, some)], [*map(namer.record, rows)]
    proofs = {row.triple: row for row in rows}
    return [_example(q, proofs, parts, page.shown(q)) for q in some]


def _example(q: Question, proofs: Mapping[Triple, Removal], parts: ReleaseParts, shown: str) -> str:
    def stated(triple: Triple) -> str:
        subject, relation, obj = triple
        return plain(parts.templates[relation].state(subject, obj))

    answer = plain(q.hard_answer or next(iter(q.answers), "none"))
    of = f" (one of {len(q.answers):,} answers)" * (len(q.answers) > 1)
    said = [f"{'Hard answer' if q.hard else 'Answer'}: {answer}{of}"]
    left = [triple for triple in q.evidence if q.removed and triple not in q.removed]
    if left and len(left) <= MOST_TRIPLES:
        said.append(f"Stated: {'; '.join(map(stated, left))}")
    for row in [proofs[triple] for triple in q.removed if triple in proofs][:MOST_TRIPLES]:
        said += [
            f"Removed: {stated(row.triple)}",
            f"Proof: {'; '.join(map(stated, row.certificate.body))} "
            f"(right in {100 * row.difficulty.std_confidence:.0f} % of such cases)",
        ]
    return f"- **{plain(q.question)}** {shown} {'. '.join(said)}.".replace("  ", " ")


def _percent(part: float | None, whole: int = 1) -> str | None:
    return f"{100 * part / whole:.1f} %" if whole and part is not None else None


def _shown(value: Any) -> Any:
    if isinstance(value, list):
        return "\n".join(value)
    return "–" if value is None else f"{value:,}" if isinstance(value, int) else value


@cache  # reading a template takes longer than filling it in
def _page(name: str) -> "Template":
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
    pages.filters |= {"code": code, "noun": counted, "percent": _percent, "plain": plain}
    return pages.get_template(name)
