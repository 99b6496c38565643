"""Which differences of a study are more than chance: between systems, and between the two graphs.

p is that of the paired randomization test (`rulemine.evaluation.statistics.significance`), corrected after
Holm over the lines of a table for one score.
"""

from rulemine.evaluation.comparing.comparison import compare
from rulemine.evaluation.comparing.pairwise import compare_all
from rulemine.evaluation.reporting.titles import TITLES
from rulemine.evaluation.statistics.significance import holm
from rulemine.evaluation.study.plan import graph_at
from rulemine.evaluation.study.scores import StudyScores
from rulemine.text.tables import Show, Table, Value, Values, p_value, points

__all__ = ["differences"]

NOTE = (
    "p: paired randomization test over clusters of questions, corrected after Holm for the lines."
)


def differences(scores: StudyScores) -> list[Table]:
    """A table of all pairs of systems, and one of every system on both graphs, where there are several."""
    found = []
    if len(scores.top) > 1:
        found.append(_between_systems(scores))
    if scores.study.plan.complete is not None and scores.study.plan.highest is not None:
        found.append(_between_graphs(scores))
    return found


def _between_systems(scores: StudyScores) -> Table:
    reports = {scores.called[system]: report for system, report in scores.top.items()}
    rows: tuple[Values, ...] = tuple(
        (pair.first, pair.second, pair.difference, pair.adjusted)
        for pair in compare_all(reports, ["hard_f1"]).rows
        if pair.subset == scores.subset
    )
    graph = graph_at(scores.study.plan.levels[-1])
    header = ("first", "second", TITLES["hard_f1"], "p")
    title = f"First minus second: {graph} graph, {scores.over}"
    show = {header[2]: points, "p": p_value}
    return Table("differences", title, header, rows, (NOTE,), show)


def _between_graphs(scores: StudyScores) -> Table:
    """What each system loses from the complete graph to the one that lacks most."""
    plan = scores.study.plan
    metrics = ("hits_any", "f1", "hhr")
    pairs = {}
    for system in plan.systems:
        ends = [scores.report(system, level) for level in (0, plan.levels[-1])]
        if ends[0] is not None and ends[1] is not None:
            pairs[system] = compare(ends[0], ends[1], broken_down=False)
    adjusted = {
        metric: holm([pair.p_values["all"][metric] for pair in pairs.values()])
        for metric in metrics
    }
    rows = []
    for number, (system, pair) in enumerate(pairs.items()):
        row: list[Value] = [scores.called[system]]
        for metric in metrics:
            row += [pair.row("all", "all").scores[metric], adjusted[metric][number]]
        rows.append(tuple(row))
    show: dict[str, Show] = {}
    for metric in metrics:
        show |= {TITLES[metric]: points, f"p of {TITLES[metric]}": p_value}
    title = f"Complete minus {graph_at(plan.levels[-1])} graph, {scores.everything}"
    return Table("between-graphs", title, ("system", *show), tuple(rows), (NOTE,), show)
