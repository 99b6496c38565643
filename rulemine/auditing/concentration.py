"""How much a question set asks the same: answers, relations, structures, shapes, hops."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from rulemine.auditing.audited import AuditedSet
from rulemine.auditing.figures import AuditedFigure, Measure, effective, measure, share
from rulemine.cypher.rows import ROW_GROUPS, rows_group

__all__ = ["concentration_measures"]

SECTION = "concentration"

MOST_FORMS = 20
"""Forms of questions that are counted one by one; the rest is counted together."""


def concentration_measures(of: AuditedSet) -> Iterator[Measure]:
    """The figures on concentration, over all questions."""
    counts = Counter(a for q in of.questions for a in set(q.answers))
    top = min(counts, key=lambda a: (-counts[a], a), default=None)
    yield measure(
        SECTION, "top_answer", "commonest answer",
        "Share of the questions with answers that have the answer which most of them have.",
        None if top is None else share([top in q.answers if q.answers else None for q in of.questions]),
        "no question has an answer.",
    )  # fmt: skip
    relations = [
        sorted(q.relations) or sorted({r for _, r, _ in q.full_evidence or q.evidence})
        for q in of.questions
    ]
    figure = AuditedFigure(
        SECTION, "relations", "effective relations",
        "The exponential of the entropy of the relations asked about (of the evidence, where there is no "
        "query), each question counting once: as many equally frequent relations would be as diverse. "
        f"{len({r for some in relations for r in some}):,} different ones occur.",
        unit="number", why="no question has a query or evidence.",
    )  # fmt: skip
    yield effective(figure, relations, [q.id for q in of.questions])
    for key, title, forms in (
        ("structure", "commonest structure", [q.structure for q in of.questions]),
        ("shape", "commonest shape", [q.shape for q in of.questions]),
        ("hops", "commonest number of hops", [str(q.hops) if q.shape else "" for q in of.questions]),
    ):  # fmt: skip
        yield _commonest(key, title, forms)
    sizes = [len(q.answers) if of.states(q) else None for q in of.questions]
    grouped = Counter(rows_group(size) for size in sizes if size is not None)
    yield measure(
        SECTION, "answers", "answers of a question", "Mean number of answers of a question.",
        np.array(sizes, np.float64) if of.states_answers else None,
        "the set states no answers, only queries.",
        counts={name: grouped[name] for name in ROW_GROUPS if of.states_answers},
        unit="number",
    )  # fmt: skip


def _commonest(key: str, title: str, forms: Sequence[str]) -> Measure:
    counts = Counter(form for form in forms if form)
    ranked = sorted(counts, key=lambda form: (-counts[form], form))
    shown = {form: counts[form] for form in ranked[:MOST_FORMS]}
    if rest := sum(counts[form] for form in ranked[MOST_FORMS:]):
        shown["other"] = rest
    return measure(
        SECTION, key, title,
        f"Share of the questions with a query that have the {title}"
        + (f", {ranked[0]}." if ranked else "."),
        share([form == ranked[0] if form else None for form in forms]) if ranked else None,
        "no question has a query.", counts=shown,
    )  # fmt: skip
