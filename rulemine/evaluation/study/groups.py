"""How the systems of a study score on each group of questions, by whatever their reports are broken down by.

What the groups are is up to the kind of the questions (`rulemine.kinds.kind.Kind.groups`): nothing here
knows one kind.
"""

from collections.abc import Iterator, Sequence

from rulemine.evaluation.breakdown import group_titles
from rulemine.evaluation.reporting.document import Picture, Series
from rulemine.evaluation.reporting.report import Report
from rulemine.evaluation.reporting.titles import MEAN, SUBSETS, TITLES
from rulemine.evaluation.study.plan import graph_at
from rulemine.evaluation.study.scores import StudyScores, score_in
from rulemine.text.tables import Table, Values, few_notes, marked

__all__ = ["MEANINGS", "by_group", "group_figures", "group_tables", "groups_in", "picture_by_group"]

MEANINGS = {
    "hits_any": "The share of questions with at least one right answer",
    "hits_at_1": "The share of questions whose first answer is right",
    "f1": "F1 of the answers",
    "hhr": "Hits@Hard over Hits@Any",
    "precision": "The precision of the answers",
    "recall": "The recall of the answers",
    "hard_f1": "F1 of the hard answers, the other right answers set aside",
    "hits_hard": "The share of questions with the hard answer",
    "ex": "The share of queries with the right rows",
}

SHOWN = ("hits_at_1", "f1", "hard_f1", "ex", "psjs", "executable")
"""The scores of the tables; those that no report has are left out."""

DEPENDENCE = {
    "proof": "Does it do more than read an edge?",
    "missing": "How many missing links can a system bridge?",
    "proofs": "Does it need many proofs?",
    "inverse_edge": "Does it read the inverse edge?",
}
"""Breakdowns of what hard answers depend on → the titles of their figures, which are of Hard F1."""

ELSEWHERE = frozenset({*SUBSETS, "level"})
"""What is no breakdown, or has other tables: the study asks at levels of its own."""


def groups_in(scores: StudyScores, breakdown: str, level: int | None = None) -> dict[str, int]:
    """The groups of a breakdown that have questions, with their numbers; empty: there is no such breakdown.

    Args:
        scores: The study.
        breakdown: The key of the breakdown, e.g. ``structure``.
        level: The level of the graph; None: the highest of the study.
    """
    report = next(iter(_on(scores, level).values()), None)
    rows = () if report is None else report.rows
    return {row.group: row.n for row in rows if row.breakdown == breakdown and row.n}


def by_group(
    scores: StudyScores,
    breakdown: str,
    metrics: Sequence[str] = SHOWN,
    level: int | None = None,
) -> Table:
    """Scores of each system on each group of questions, then on all, then their plain mean over structures.

    Args:
        scores: The study.
        breakdown: See `groups_in`.
        metrics: The scores; those that no report has are left out.
        level: See `groups_in`; hard answers are those missing at the highest level of the study.

    Returns:
        A table without rows where there is no such breakdown.
    """
    level = scores.study.plan.levels[-1] if level is None else level
    reports, sizes = _on(scores, level), groups_in(scores, breakdown, level)
    having = set().union(*(report.metrics for report in reports.values()))
    shown = [metric for metric in metrics if metric in having]
    rows: list[Values] = []
    for system, report in reports.items():
        ends = [
            ("all", "all", "all"),
            *([("mean of structures", MEAN, MEAN)] * (breakdown == "structure")),
        ]
        for label, *place in [*((group, breakdown, group) for group in sizes), *ends]:
            found = (score_in(report, metric, *place) for metric in shown)
            rows.append((scores.called[system], label, sizes.get(label, len(scores.asked)), *found))
    called = _called(scores, breakdown)
    header = ("system", called, "n", *(TITLES[metric] for metric in shown))
    title = f"By {called}: {graph_at(level)} graph, {scores.everything}"
    return Table(_id("by", breakdown), title, header, tuple(rows) if sizes else ())


def picture_by_group(
    scores: StudyScores,
    breakdown: str,
    metric: str = "f1",
    level: int | None = None,
    id_: str = "",
    title: str = "",
) -> Picture | None:
    """A score of each system by group of questions.

    Args:
        scores: The study.
        breakdown: See `groups_in`.
        metric: The score.
        level: See `by_group`.
        id_: The id of the figure; "": ``figure-by-BREAKDOWN``.
        title: Its title; "": what it shows.

    Returns:
        None where there are no two groups.
    """
    level = scores.study.plan.levels[-1] if level is None else level
    sizes, called = groups_in(scores, breakdown, level), _called(scores, breakdown)
    if len(sizes) < 2:
        return None
    series = tuple(
        Series(
            scores.called[system],
            tuple(score_in(report, metric, breakdown, group) for group in sizes),
        )
        for system, report in _on(scores, level).items()
    )
    counts = ", ".join(f"{group}: {marked(n)}" for group, n in sizes.items())
    few = "".join(f" {note}" for note in few_notes(sizes.values()))
    what = MEANINGS.get(metric, TITLES[metric])
    return Picture(
        id_ or _id("figure-by", breakdown),
        title or f"{TITLES[metric]} by {called}",
        f"{what}, on the {graph_at(level)} graph, over {scores.everything} ({counts}).{few}",
        "bars",
        called,
        f"{TITLES[metric]}, percent",
        tuple(sizes),
        series,
        tuple(sizes.values()),
    )


def group_tables(scores: StudyScores) -> list[Table]:
    """A table for each breakdown with two groups or more, on the graph that lacks most."""
    return [by_group(scores, breakdown) for breakdown in _breakdowns(scores)]


def group_figures(scores: StudyScores) -> Iterator[Picture]:
    """A figure for each of these: of Hard F1 where the groups are about hard answers, else of EX or F1."""
    having = set().union(*(report.metrics for report in scores.top.values()))
    for breakdown in _breakdowns(scores):
        metric = "hard_f1" if breakdown in DEPENDENCE else "ex" if "ex" in having else "f1"
        title = DEPENDENCE.get(breakdown, "")
        if figure := picture_by_group(scores, breakdown, metric, title=title):
            yield figure


def _breakdowns(scores: StudyScores) -> list[str]:
    rows = next(iter(scores.top.values())).rows
    found = dict.fromkeys(row.breakdown for row in rows if row.breakdown not in ELSEWHERE)
    return [breakdown for breakdown in found if len(groups_in(scores, breakdown)) > 1]


def _on(scores: StudyScores, level: int | None) -> dict[str, Report]:
    return scores.on(scores.study.plan.levels[-1] if level is None else level)


def _called(scores: StudyScores, breakdown: str) -> str:
    return group_titles(scores.study.release.kind).get(breakdown, breakdown)


def _id(first: str, breakdown: str) -> str:
    return f"{first}-{breakdown.replace('_', '-')}"
