"""The figures of a study: those of the BRINK paper, and what score depends on.

Figures 1 to 5 ask, over all questions that are asked, what those of Zhou et al., "What Breaks Knowledge Graph
based RAG?" (arXiv 2508.08344v1), ask: answers on the complete and the incomplete graph, the share of them
that needed inference, that by rule type, entities under other names, precision, recall. The others are ours.
"""

from collections.abc import Iterator, Sequence

from rulemine.evaluation.notes import NOTHING_TO_INFER
from rulemine.evaluation.reporting.document import Picture, Series
from rulemine.evaluation.reporting.titles import TITLES
from rulemine.evaluation.statistics.score import Score
from rulemine.evaluation.study.groups import MEANINGS, group_figures, picture_by_group
from rulemine.evaluation.study.plan import graph_at
from rulemine.evaluation.study.scores import StudyScores, score_in

__all__ = ["figures", "picture_by_graph", "picture_by_naming"]

OF_THE_PAPER = (
    ("figure-1-hits-any", "hits_any", "Figure 1: does a system still answer?"),
    ("figure-1-f1", "f1", "Figure 1: how well does it answer?"),
    ("figure-2-hhr", "hhr", "Figure 2: how much of what it gets right must be inferred?"),
    ("figure-5-precision", "precision", "Figure 5: how much of what it says is right?"),
    ("figure-5-recall", "recall", "Figure 5: how much of what is right does it say?"),
)
"""Id, score and title of the figures with a group for each system and a bar for each graph."""


def figures(scores: StudyScores) -> list[Picture]:
    """All figures for which the study has runs."""
    found = [picture_by_graph(scores, *what) for what in OF_THE_PAPER]
    rules = ("figure-3-hhr-by-rule-type", "Figure 3: which rules can it follow?")
    if figure := picture_by_group(scores, "rule_type", "hhr", None, *rules):
        found.insert(3, figure)
    title = "Figure 4: does it reason, or remember names?"
    if figure := picture_by_naming(scores, "figure-4-f1-by-naming", title):
        found.insert(-2, figure)
    if len(scores.study.plan.levels) > 1:
        found += _curves(scores)
    found += group_figures(scores)
    if scores.subset == "core":
        series = tuple(
            Series(
                scores.called[system],
                (score_in(report, "hard_f1", "core"), score_in(report, "hard_f1")),
            )
            for system, report in scores.top.items()
        )
        caption = (
            f"{MEANINGS['hard_f1']}, over the core and over {scores.everything}, {_on(scores)}."
        )
        found.append(
            Picture(
                "core-or-all",
                "How much of it is easy?",
                caption,
                "bars",
                "questions",
                f"{TITLES['hard_f1']}, percent",
                ("core", "all"),
                series,
            )
        )
    return found


def _on(scores: StudyScores) -> str:
    return f"on the {graph_at(scores.study.plan.levels[-1])} graph"


def picture_by_graph(scores: StudyScores, id_: str, metric: str, title: str) -> Picture:
    """A score of each system on the complete graph and on the one that lacks most, over all questions.

    Args:
        scores: The study.
        id_: The id of the figure.
        metric: The score.
        title: Its title.
    """
    plan = scores.study.plan
    ends = [level for level in (plan.complete, plan.highest) if level is not None]
    series = []
    graphs = " and ".join(graph_at(level) for level in ends)
    caption = f"{MEANINGS[metric]}, on the {graphs} graph, over {scores.everything}."
    for level in ends:
        found = tuple(score_in(scores.report(system, level), metric) for system in plan.systems)
        if apart := metric == "hhr" and level == plan.complete:
            caption += f" {NOTHING_TO_INFER} (hollow)."
        name = f"{graph_at(level)}: nothing to infer" if apart else graph_at(level)
        series.append(Series(name, found, apart))
    return _by_system(scores, id_, title, caption, metric, series)


def picture_by_naming(scores: StudyScores, id_: str, title: str) -> Picture | None:
    """F1 of each system with entities under each naming of the study, on both graphs.

    Args:
        scores: The study.
        id_: The id of the figure.
        title: Its title.

    Returns:
        None where the study has one naming.
    """
    if len({run.naming for run in scores.study.runs}) < 2:
        return None
    plan, runs = scores.study.plan, scores.study.runs
    made = {(run.naming, run.level) for run in runs}
    series = []
    for naming in dict.fromkeys(run.naming for run in runs):
        for level in dict.fromkeys((plan.levels[0], plan.levels[-1])):
            if (naming, level) in made:
                found = (
                    score_in(scores.report(system, level, naming=naming), "f1")
                    for system in plan.systems
                )
                series.append(Series(f"{naming}, {graph_at(level)}", tuple(found)))
    caption = f"{MEANINGS['f1']} with entities under each name, over {scores.everything}."
    return _by_system(scores, id_, title, caption, "f1", series)


def _by_system(
    scores: StudyScores, id_: str, title: str, caption: str, metric: str, series: Sequence[Series]
) -> Picture:
    """A figure with a group of bars for each system."""
    groups, up = tuple(scores.called.values()), f"{TITLES[metric]}, percent"
    return Picture(id_, title, caption, "bars", "system", up, groups, tuple(series))


def _curves(scores: StudyScores) -> Iterator[Picture]:
    """Scores against the level: of one set of questions, and of those that each level makes hard."""
    plan = scores.study.plan

    def figure(
        id_: str,
        title: str,
        caption: str,
        metric: str,
        subset: str,
        levels: Sequence[int],
        own: bool,
    ) -> Picture:
        def score(system: str, level: int) -> Score | None:
            at = level if own else plan.lowest
            return score_in(scores.report(system, level, missing_at=at), metric, subset)

        return Picture(
            id_,
            title,
            f"{MEANINGS[metric]}. {caption}",
            "lines",
            "level, percent of the removal",
            f"{TITLES[metric]}, percent",
            tuple(levels),
            tuple(
                Series(plan.called[name], tuple(score(name, v) for v in levels))
                for name in plan.systems
            ),
        )

    hard = [
        q for q in scores.asked if q.hard_answer is not None and (q.core or scores.subset == "all")
    ]
    over = "questions of the core" if scores.subset == "core" else "questions"
    same = sum(q.level <= (plan.lowest or 100) for q in hard)
    for metric in ("hard_f1", "hits_hard"):
        yield figure(
            f"levels-{metric.replace('_', '-')}",
            f"{TITLES[metric]} as more is missing",
            f"The same {same:,} {over} everywhere: their hard answers are missing from {plan.lowest} on.",
            metric,
            "core",
            plan.levels,
            own=False,
        )
    yield figure(
        "levels-f1",
        "F1 as more is missing",
        f"Over {scores.everything}.",
        "f1",
        "all",
        plan.levels,
        own=False,
    )
    above = [level for level in plan.levels if level]
    if len(above) > 1:
        counts = ", ".join(f"{level}: {sum(q.level <= level for q in hard):,}" for level in above)
        yield figure(
            "levels-own-hard-f1",
            "Hard F1 of what each level lacks",
            f"Those {over} whose hard answer is missing at the level ({counts}).",
            "hard_f1",
            "core",
            above,
            own=True,
        )
