"""The tables of a study: what the benchmark is, what is missing at each level, and how every system scores.

The first two show what tables 1 (rules by type) and 3 (sizes of the graphs) of Zhou et al., "What Breaks
Knowledge Graph based RAG?" (arXiv 2508.08344v1), show of its data sets; the others are ours.
"""

from collections import Counter
from collections.abc import Sequence

from rulemine.evaluation.answerers.protocol import NEEDS
from rulemine.evaluation.answerers.registry import find_answerer, needs_of
from rulemine.evaluation.cypher.release_rows import ROW_METRICS
from rulemine.evaluation.notes import NOTHING_TO_INFER
from rulemine.evaluation.ranked import RANKED
from rulemine.evaluation.raw_scores import STRICT
from rulemine.evaluation.reporting.titles import TITLES
from rulemine.evaluation.retrieval import RETRIEVAL
from rulemine.evaluation.statistics.score import Score
from rulemine.evaluation.study.differences import differences
from rulemine.evaluation.study.groups import group_tables
from rulemine.evaluation.study.plan import graph_at
from rulemine.evaluation.study.scores import StudyScores, score_in
from rulemine.kinds.registry import form_of, kind_named
from rulemine.release.reader import Release
from rulemine.release.records import SPLITS
from rulemine.text.tables import FEW, Table, Values, one_decimal, percent, points

__all__ = ["headline", "tables"]

HEADLINE = ("hard_f1", "hhr", "hits_hard", "hits_any", "f1")
"""The scores of the headline, over the core."""

RESULTS = ("hits_any", "precision", "recall", "f1", "hits_hard", "hhr", "hard_f1")
"""The scores of the main results."""


def headline(scores: StudyScores) -> Table:
    """The systems on the graph that lacks most, over the core."""
    level = scores.study.plan.levels[-1]
    rows = [
        (
            scores.called[system],
            report.headline.n,
            *(score_in(report, metric, "core") for metric in HEADLINE),
            *([score_in(report, HEADLINE[0])] if scores.subset == "core" else []),
        )
        for system, report in scores.top.items()
    ]
    title = f"{graph_at(level).capitalize()} graph, {scores.over}"
    header = ("system", "n", *(TITLES[metric] for metric in HEADLINE))
    if scores.subset == "core":
        every = "all questions" if scores.everything == "all questions" else "all asked"
        header += (f"{TITLES[HEADLINE[0]]}, {every}",)
    return Table("headline", title, header, tuple(rows), notes=_needs(scores))


def _needs(scores: StudyScores) -> tuple[str, ...]:
    """What systems are given beyond what every system is, a sentence each."""
    by_need: dict[str, list[str]] = {}
    for system in scores.top:
        for need in needs_of(find_answerer(system)):
            by_need.setdefault(need, []).append(scores.called[system])
    return tuple(f"{', '.join(by_need[n])}: given {NEEDS[n]}." for n in NEEDS if n in by_need)


def tables(scores: StudyScores) -> list[Table]:
    """All tables but the headline."""
    plan = scores.study.plan
    found = [
        _questions(scores.study.release, scores),
        _levels(scores),
        _results(scores, "all", "results", f"Main results, {scores.everything}"),
    ]
    if scores.subset == "core":
        found.append(_results(scores, "core", "results-core", "Main results, core"))
    found += [
        _by_level(scores),
        *group_tables(scores),
        *differences(scores),
        _where_present(scores, "retrieval", "What was retrieved", RETRIEVAL),
        _where_present(scores, "queries", "Queries and rows", ROW_METRICS),
        _where_present(scores, "ranking", "Ranks of the hard answer", RANKED),
        _where_present(scores, "strict", "Texts read as lists and nothing else", STRICT),
        _metrics_of_others(scores),
        _cost(scores),
    ]
    if plan.names:
        rows = tuple(zip(plan.names, plan.systems, strict=True))
        found.append(Table("systems", "The systems and their options", ("system", "options"), rows))
    return [table for table in found if table.rows]


def _questions(release: Release, scores: StudyScores) -> Table:
    """Rules by type, and questions by what they need: in every split, those of the study, and the core."""
    questions, asked = release.questions(), scores.asked
    form = kind_named(release.kind).form
    rules: dict[str, int] = release.manifest["counts"]["rules_by_type"] or {}
    of_rules = rules.keys() == set(form.names)

    def row(label: str) -> Values:
        inside = [q for q in questions if label in (form_of(q), "all")]
        splits = Counter(q.split for q in inside)
        here = [q for q in asked if label in (form_of(q), "all")]
        core = sum(q.core for q in here)
        of_type = [rules.get(label, sum(rules.values()))] if of_rules else []
        return (label, *of_type, len(inside), *(splits[split] for split in SPLITS), len(here), core)

    rows = [row(name) for name in (*form.ordered(map(form_of, questions)), "all")]
    of_type = ("rules",) if of_rules else ()
    header = (form.title, *of_type, "questions", *SPLITS, "asked here", "in the core")
    return Table("questions", "The questions of the benchmark", header, tuple(rows))


def _levels(scores: StudyScores) -> Table:
    """What the graph of each level has and lacks."""
    plan, release = scores.study.plan, scores.study.release
    missing, asked = release.missing(), scores.asked
    complete = len(release.kg("complete"))
    rows = []
    for level in plan.levels:
        gone = sum(row.level <= level for row in missing)
        hard = [q for q in asked if q.hard_answer is not None and q.level <= level]
        core = sum(question.core for question in hard)
        share = Score(gone / complete if complete else None, None, None)
        rows.append((str(level), complete - gone, gone, share, len(hard), core))
    header = ("level", "triples", "removed", "share", "hard answer missing", "of these core")
    note = "Level: percent of the removal. Hard answer missing: questions whose hard answer the graph lacks."
    return Table("levels", "What is missing at each level", header, tuple(rows), notes=(note,))


def _results(scores: StudyScores, subset: str, id_: str, title: str) -> Table:
    plan = scores.study.plan
    ends = [level for level in (plan.complete, plan.highest) if level is not None]
    rows = []
    for system in plan.systems:
        for level in ends:
            if report := scores.report(system, level):
                found = (score_in(report, metric, subset) for metric in RESULTS)
                rows.append((scores.called[system], graph_at(level), *found))
    header = ("system", "graph", *(TITLES[metric] for metric in RESULTS))
    notes = () if plan.complete is None else (f"{NOTHING_TO_INFER}.",)
    return Table(id_, title, header, tuple(rows), (*notes, *_few(scores, subset)))


def _few(scores: StudyScores, subset: str) -> tuple[str, ...]:
    """Below a table without numbers of questions, that its scores are over few."""
    n = len(scores.asked) if subset == "all" else next(iter(scores.top.values())).headline.n
    return (f"Over {n} questions alone: such scores say little.",) if n < FEW else ()


def _by_level(scores: StudyScores) -> Table:
    """All scores at all levels, with the hard answers of each level, over all questions."""
    plan = scores.study.plan
    rows = []
    for system in plan.systems:
        for level in plan.levels:
            if report := scores.report(system, level, missing_at=level or None):
                found = (score_in(report, metric) for metric in RESULTS)
                rows.append((scores.called[system], str(level), *found))
    header = ("system", "level", *(TITLES[metric] for metric in RESULTS))
    note = (
        "Hits@Hard, HHR and Hard F1 are over the questions whose hard answer is missing at that level (at 0, "
        "those of the highest level), so their questions differ from level to level."
    )
    title = f"Scores at each level, {scores.everything}"
    return Table("by-level", title, header, tuple(rows), (note, *_few(scores, "all")))


def _where_present(scores: StudyScores, id_: str, title: str, metrics: Sequence[str]) -> Table:
    """Scores that only some systems have, on the graph that lacks most; no rows where none has."""
    having = {system: set(report.metrics) for system, report in scores.top.items()}
    shown = [
        metric for metric in metrics if metric in TITLES and metric in set().union(*having.values())
    ]
    rows = tuple(
        (scores.called[system], *(score_in(report, metric, "core") for metric in shown))
        for system, report in scores.top.items()
        if not having[system].isdisjoint(shown)
    )
    graph = graph_at(scores.study.plan.levels[-1])
    header = ("system", *(TITLES[metric] for metric in shown))
    title = f"{title}: {graph} graph, {scores.over}"
    show = {TITLES["retrieved"]: one_decimal}
    return Table(id_, title, header, rows, _few(scores, "core"), show)


def _metrics_of_others(scores: StudyScores) -> Table:
    """Scores of other projects on both ends, over all questions; no rows where none is asked for."""
    plan = scores.study.plan
    ends = [level for level in (plan.complete, plan.highest) if level is not None]
    rows: list[Values] = []
    notes: dict[str, None] = {}
    for system in plan.systems:
        for level in ends:
            report = scores.report(system, level)
            if report is None or report.others is None:
                continue
            notes |= dict.fromkeys(report.others.notes)
            rows += [
                (
                    scores.called[system],
                    graph_at(level),
                    one.metric,
                    one.n,
                    one.score,
                    one.beside,
                    one.ours.value,
                    one.flatters,
                )
                for one in report.others.scores
                if one.subset == "all" and one.n
            ]
    header = (
        "system",
        "graph",
        "metric",
        "n",
        "theirs",
        "stands beside",
        "ours",
        "theirs − ours",
    )
    title = f"Metrics of other projects beside ours, {scores.everything}"
    show = {"ours": percent, "theirs − ours": points}
    return Table("metrics", title, header, tuple(rows), tuple(notes), show)


def _cost(scores: StudyScores) -> Table:
    """What an answer cost, in the mean over all runs of the first naming; no rows where nothing is known."""
    plan = scores.study.plan
    rows: list[Values] = []
    for system in plan.systems:
        found = [p for level in plan.levels for p in scores.predictions(system, level)]
        costs = [p.cost for p in found if p.cost is not None]
        if not costs:
            continue
        n = len(costs)
        timed = [cost.seconds for cost in costs if cost.seconds is not None]
        rows.append(
            (
                scores.called[system],
                n,
                sum(cost.calls for cost in costs) / n,
                sum(cost.prompt_tokens for cost in costs) / n,
                sum(cost.completion_tokens for cost in costs) / n,
                sum(timed) / len(timed) if timed else None,
            )
        )
    header = ("system", "answers", "calls", "tokens sent", "tokens received", "seconds")
    return Table("cost", "What an answer cost, in the mean", header, tuple(rows))
