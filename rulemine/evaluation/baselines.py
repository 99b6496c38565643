"""Every model-free answerer on the complete and the incomplete KG, scored, in one table.

What a system must beat: direct lookup shows what needs no inference, forward chaining (``reasoner``) what
the rules of the release can do, neighbors and random what guessing can do.
"""

from collections.abc import Callable
from typing import Protocol

from rulemine.evaluation.answerers.registry import ANSWERERS, answer
from rulemine.evaluation.reporting.report import TITLES
from rulemine.evaluation.reporting.tables import Cell
from rulemine.evaluation.scoring import evaluate
from rulemine.release.reader import Release

__all__ = ["baselines"]

GRAPHS = ("complete", "incomplete")


class Layout(Protocol):
    """How a table becomes text: ``format_table`` or ``format_markdown`` of `reporting.tables`."""

    def __call__(
        self,
        title: str,
        header: list[str],
        sections: list[tuple[str, list[tuple[str, list[Cell]]]]],
        notes: list[str],
    ) -> str:
        """The text."""
        ...


def baselines(
    release: Release,
    layout: Layout,
    *,
    split: str | None = "test",
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> str:
    """A table with one row per answerer and graph.

    Args:
        release: The release.
        layout: How the table becomes text.
        split: The split to answer; None for all.
        seed: Seed of ``random`` and of the bootstrap.
        progress: Called with (runs done, all runs).

    Raises:
        ReleaseError: A file of the release is missing or was edited.
    """
    sections: list[tuple[str, list[tuple[str, list[Cell]]]]] = []
    number = 0
    for graph in GRAPHS:
        rows: list[tuple[str, list[Cell]]] = []
        for name in ANSWERERS.own:
            if progress is not None:
                progress(number, len(GRAPHS) * len(ANSWERERS.own))
            number += 1
            found = answer(release, with_=name, kg=graph, split=split, seed=seed)
            report = evaluate(release, found, split=split, seed=seed)
            scores = report.rows[0].scores
            rows.append((name, [_percent(scores[metric].value) for metric in TITLES]))
        sections.append((f"{graph} KG", rows))
    title = (
        f"{release.name} · split {split or 'all'} · {len(release.questions(split)):,} questions · %"
    )
    return layout(title, ["answerer", *TITLES.values()], sections, [])


def _percent(value: float | None) -> Cell:
    return ("–" if value is None else f"{100 * value:.1f}", "")
