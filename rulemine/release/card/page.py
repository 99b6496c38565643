"""The card of a release: its README.md, one page for whoever meets it on a hub.

What it says stands in ``card.md`` and in the ``page.md`` of a kind: templates of jinja2 in which whole
numbers get commas, a list is its lines, and None is –. A name that there is not is an error. Every number is
one of the counts of the manifest; the examples are questions of the release.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from rulemine.config import packaged
from rulemine.errors import counted
from rulemine.kg.facts import CORE_PRIOR
from rulemine.kg.graph import Triple
from rulemine.kinds.registry import KINDS
from rulemine.release.card.figures import KindPage, page_of
from rulemine.release.contents import ReleaseParts
from rulemine.release.naming import HIDING
from rulemine.release.reader import identity_of
from rulemine.release.records import UNPROVABLE, Question
from rulemine.release.show import Views
from rulemine.rules.rule import Rule
from rulemine.text.escaping import code, plain

if TYPE_CHECKING:
    from jinja2 import Template

__all__ = ["write_card"]

EXAMPLES = 5
"""How many questions a card shows as examples."""

MOST_TRIPLES = 3
"""How many stated, and how many removed triples a card shows of one question."""


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
        twins=len(parts.records.get(UNPROVABLE, ())),
        identity=identity_of(manifest),
    )
    return re.sub(r"\n{3,}", "\n\n", re.sub(r" +\n", "\n", text.strip() + "\n"))


def _examples(parts: ReleaseParts, page: KindPage) -> list[str]:
    """Questions with labels, answers and proofs: of training and of the core, where there are enough."""
    some = list(parts.questions) if parts.kind in KINDS else []
    for is_better in (lambda q: q.hard, lambda q: q.core, lambda q: q.split == "train"):
        better = list(filter(is_better, some))
        some = better if len(better) >= EXAMPLES else some
    some.sort(key=lambda q: (q.structure, q.id))
    some = some[len(some) // (2 * EXAMPLES) :: max(1, len(some) // EXAMPLES)][:EXAMPLES]
    needed = {triple for q in some for triple in q.removed}
    removals = {row.triple: row for row in parts.removals if row.triple in needed}
    rules = {rule.id: rule for rule in parts.rules}
    views = Views(parts.names, parts.templates, parts.naming, removals, rules)
    return [_example(q, views, rules, page.shown(q)) for q in some]


def _example(q: Question, views: Views, rules: Mapping[str, Rule], shown: str) -> str:
    def said(triples: Iterable[Triple]) -> str:
        return "; ".join(plain(views.sentence(triple)) for triple in triples)

    view, proofs = views.of(q), views.proofs(q)
    answer = "".join(view.answers[1:2])[2:].partition(" (the one")[0] or "none"
    of = f" (one of {len(q.answers):,} answers)" * (len(q.answers) > 1)
    texts = [f"{'Hard answer' if q.hard else 'Answer'}: {plain(answer)}{of}"]
    left = [triple for triple in q.evidence if proofs and triple not in proofs]
    if left and len(left) <= MOST_TRIPLES:
        texts.append(f"Stated: {said(left)}")
    for triple, proof in [*proofs.items()][:MOST_TRIPLES]:
        right = 100 * rules[proof.rule].known.std_confidence
        texts.append(f"Removed: {said([triple])}")
        texts.append(f"Proof: {said(proof.body)} (right in {right:.0f} % of such cases)")
    return f"- **{plain(view.question[0])}** {shown}{'. '.join(texts)}."


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
