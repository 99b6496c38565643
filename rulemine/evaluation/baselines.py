"""Every model-free answerer on the complete and the incomplete KG, scored, in one table.

What a system must beat: direct lookup shows what needs no inference, forward chaining (``reasoner``) what
the rules of the release can do, ``prior`` what guessing common answers can do, neighbors and random what
guessing at random can do. Of a property graph: ``gold-cypher`` shows what understanding every question can
do, ``reasoner`` what inference adds to that, and ``prior`` what guessing rows can do. The headline, hard F1
over the core, is the first column: answering everything (neighbors two hops away) wins the hard hits rate,
and looking up what is stated wins precision, but neither wins hard F1.
"""

from collections.abc import Callable
from itertools import product

from rulemine.evaluation.answerers.registry import answer, find_answerer, needs_of
from rulemine.evaluation.notes import notes_on_questions
from rulemine.evaluation.predictions import NEEDS
from rulemine.evaluation.reporting.report import Frame
from rulemine.evaluation.reporting.titles import SHOWN, SUBSETS
from rulemine.evaluation.scorer import Scorer
from rulemine.evaluation.statistics.score import Score
from rulemine.kinds.registry import is_built
from rulemine.release.reader import Release
from rulemine.text.tables import Table

__all__ = ["baselines"]

GRAPHS = ("complete", "incomplete")

FLOOD, FEW = "neighbors:hops=2", 1000
"""What names much of the graph, and the number of questions up to which it is asked."""

SYSTEMS = {
    "entities": (
        "lookup", "neighbors", FLOOD, "reasoner", "prior", "prior:k=5", "nearest", "random",
    ),
    "rows": ("gold-cypher", "reasoner", "reasoner:confidence=0.8", "prior"),
}  # fmt: skip
"""What answers are → the answerers that every system is compared with."""


def baselines(
    release: Release,
    *,
    split: str | None = "test",
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Table:
    """A table with one row per answerer for each graph, over the core, all questions, and structures.

    Args:
        release: The release.
        split: The split to answer; None for all.
        seed: Seed of ``random``.
        progress: Called with (runs done, all runs).

    Raises:
        ReleaseError: A file of the release is missing or was edited.
    """
    questions = release.questions(split)
    built, asked = is_built(release.kind), any(q.query for q in questions)
    needs = {name: needs_of(find_answerer(name)) for name in SYSTEMS[release.answers]}
    fit = [
        name
        for name, own in needs.items()
        if all(asked if need == "query" else built for need in own)
    ]
    systems = [name for name in fit if name != FLOOD or len(questions) <= FEW]
    # Understanding a query, and inferring what is missing, are told apart in rows.
    metrics = (
        *(("ex", "row_hhr") if release.answers == "rows" else ()),
        *SHOWN[:-1],
        "recall",
        "f1",
    )
    scorer = Scorer(release, split=split, seed=seed, resamples=1)  # the table has no intervals
    reports = []
    for number, (graph, name) in enumerate(product(GRAPHS, systems)):
        progress(number, len(GRAPHS) * len(systems))
        found = answer(release, name, kg=graph, split=split, seed=seed)
        reports.append((name, scorer(found, kg=graph)))
    frame = Frame.of(reports).where(breakdown=SUBSETS)
    bare = (row._replace(score=Score(row.score.value, None, None)) for row in frame.rows)
    more = [
        f"{name} is given {', '.join(NEEDS[need] for need in needs[name])}"
        for name in systems
        if needs[name]
    ]
    notes = (
        *notes_on_questions(questions),
        f"Beside text and graph: {'; '.join(more)}.",
        *(
            f"Not asked, for there are more than {FEW:,} questions: {name}."
            for name in fit
            if name not in systems
        ),
    )
    return Frame(tuple(bare)).table(
        "baselines",
        f"{release.name} · split {split or 'all'} · {len(questions):,} questions · in percent",
        metrics,
        rows=("system",),
        heading=lambda row: f"{row.graph} KG, {SUBSETS[row.breakdown]} ({row.n:,})",
        notes=notes,
    )
