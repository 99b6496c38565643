"""The tables and figures of a study, laid out from its frame of scores.

Figures 1 to 5 ask, over all questions that are asked, what those of Zhou et al., "What Breaks Knowledge Graph
based RAG?" (arXiv 2508.08344v1), ask: answers on the complete and the incomplete graph, the share of them
that needed inference, that by rule type, entities under other names, precision, recall. The tables of
questions and levels show what its tables 1 (rules by type) and 3 (sizes of the graphs) show. The others are
ours.

What the groups of questions are is up to the kind of the questions (`rulemine.kinds.kind.Kind.groups`):
nothing here knows one kind. p is that of the paired randomization test
(`rulemine.evaluation.statistics.significance`), corrected after Holm over the lines of a table for one score.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rulemine.evaluation.answerers.registry import find_answerer, needs_of
from rulemine.evaluation.breakdown import group_titles
from rulemine.evaluation.comparing.comparison import compare
from rulemine.evaluation.metrics import COSTS, ROW_METRICS
from rulemine.evaluation.predictions import NEEDS
from rulemine.evaluation.ranked import RANKED
from rulemine.evaluation.reporting.document import Picture
from rulemine.evaluation.reporting.frame import Frame
from rulemine.evaluation.reporting.titles import MEAN, SUBSETS, TITLES
from rulemine.evaluation.retrieval import RETRIEVAL
from rulemine.evaluation.scorer import STRICT
from rulemine.evaluation.statistics.score import Score
from rulemine.evaluation.statistics.significance import holm
from rulemine.evaluation.study.plan import graph_at
from rulemine.evaluation.study.scores import StudyScores
from rulemine.evaluation.study.terms import GROUPS, meaning, scores_in_words, subsets_in_words
from rulemine.kinds.registry import form_of, kind_named
from rulemine.release.records import SPLITS
from rulemine.text.tables import Show, Table, Values, p_value, percent, points

__all__ = ["figures", "headline", "tables"]

HEADLINE = ("hard_f1", "hhr", "hits_hard", "hits_any", "f1")
"""The scores of the headline, over the core."""

RESULTS = ("hits_any", "precision", "recall", "f1", "hits_hard", "hhr", "hard_f1")
"""The scores of the main results."""

OF_GROUPS = ("hits_at_1", "f1", "hard_f1", "ex", "psjs", "executable")
"""The scores of the tables by group."""

OF_SOME = (
    ("retrieval", "What was retrieved", RETRIEVAL),
    ("queries", "Queries and rows", ROW_METRICS),
    ("ranking", "Ranks of the hard answer", RANKED),
    ("strict", "Texts read as lists and nothing else", STRICT),
)
"""Tables of scores that only some systems have: id, title, scores."""

OF_LEVEL = (
    "Hits@Hard, HHR and Hard F1 are over the questions whose hard answer is missing at that level (at 0, "
    "those of the highest level), so their questions differ from level to level."
)

LOST = ("hits_any", "f1", "hhr")
"""The scores of which it is said what a system loses from the complete graph to the one that lacks most."""

DEPENDENCE = {
    "proof": "Does it do more than read an edge?",
    "missing": "How many missing links can a system bridge?",
    "proofs": "Does it need many proofs?",
    "inverse_edge": "Does it read the inverse edge?",
}
"""Breakdowns of what hard answers depend on → the titles of their figures, which are of Hard F1."""

ELSEWHERE = frozenset({*SUBSETS, "level"})
"""What is no breakdown, or has other tables: the study asks at levels of its own."""

NOTE = (
    "p: paired randomization test over clusters of questions, corrected after Holm for the lines."
)


def headline(scores: StudyScores) -> Table:
    """The systems on the graph that lacks most, over the core; beside it what is granted of it, and all."""
    title = f"{graph_at(scores.study.plan.levels[-1]).capitalize()} graph, {scores.over}"
    rows = next(iter(scores.reports.values())).rows
    sizes = [(row.group, row.n) for row in rows if row.breakdown in ("core", "granted", "all")]
    notes = (subsets_in_words(sizes), *scores_in_words(HEADLINE, ["hhr"]), *_needs(scores))
    table = scores.top.where(breakdown=scores.subset).table(
        "headline", title, HEADLINE, rows=("system", "n"), notes=notes
    )
    if scores.subset == "all":
        return table
    every = "all questions" if scores.everything == "all questions" else "all asked"
    beside = scores.top.where(metric=HEADLINE[0], breakdown=("granted", "all")).table(
        "", "", rows=("system",), columns="breakdown"
    )
    called = (f"{TITLES[HEADLINE[0]]}, {name.replace('all', every)}" for name in beside.header[1:])
    both = zip(table.rows, beside.rows, strict=True)
    return replace(
        table, header=(*table.header, *called), rows=tuple((*a, *b[1:]) for a, b in both)
    )


def _needs(scores: StudyScores) -> Iterator[str]:
    """What systems are given beyond what every system is, a sentence each."""
    called = scores.study.plan.called
    given = {called[system]: needs_of(find_answerer(system)) for system in scores.at_top}
    for need, what in NEEDS.items():
        if having := [system for system, needs in given.items() if need in needs]:
            yield f"{', '.join(having)}: given {what}."


def tables(scores: StudyScores) -> list[Table]:
    """All tables but the headline."""
    plan, every = scores.study.plan, scores.everything

    def laid(
        id_: str,
        title: str,
        frame: Frame,
        subset: str,
        metrics: Sequence[str],
        *rows: str,
        notes: Sequence[str] = (),
    ) -> Table:
        some = frame.where(breakdown=subset, metric=metrics)
        return some.table(id_, title, metrics, rows=("system", *rows, "n"), notes=notes)

    found = [
        _questions(scores),
        _levels(scores),
        laid(
            "results", f"Main results, {every}", scores.ends, "all", RESULTS, "graph",
            notes=scores_in_words(RESULTS, HEADLINE),
        ),
        laid("results-core", "Main results, core", scores.ends, "core", RESULTS, "graph"),
        laid(
            "by-level", f"Scores at each level, {every}", scores.own, "all", RESULTS, "level",
            notes=[OF_LEVEL],
        ),
        *(_by_group(scores, breakdown) for breakdown in _breakdowns(scores)),
        *_differences(scores),
    ]  # fmt: skip
    for id_, title, metrics in OF_SOME:
        title = f"{title}: {graph_at(plan.levels[-1])} graph, {scores.over}"
        notes = scores_in_words(metrics)
        found.append(laid(id_, title, scores.top, scores.subset, metrics, notes=notes))
    shortened = {*plan.called} != {*plan.called.values()}
    options = tuple((called, system) for system, called in plan.called.items() if shortened)
    found += [
        _metrics_of_others(scores),
        laid("cost", "What an answer cost, in the mean", scores.first, "all", COSTS, "level"),
        Table("systems", "The systems and their options", ("system", "options"), options),
    ]
    return [table for table in found if table.rows]


def _questions(scores: StudyScores) -> Table:
    """Rules by type, and questions by what they need: in every split, those of the study, and the core."""
    release, asked = scores.study.release, scores.asked
    questions, form = release.questions(), kind_named(release.kind).groups[0]
    rules: dict[str, int] = release.manifest["counts"]["rules_by_type"] or {}
    of_rules = rules.keys() == set(form.names)

    def row(label: str) -> Values:
        inside = [q for q in questions if label in (form_of(q), "all")]
        splits = Counter(q.split for q in inside)
        here = [q for q in asked if label in (form_of(q), "all")]
        of_type = [rules.get(label, sum(rules.values()))] if of_rules else []
        counts = (len(inside), *(splits[split] for split in SPLITS), len(here))
        return (label, *of_type, *counts, sum(q.core for q in here))

    rows = [row(name) for name in (*form.ordered(map(form_of, questions)), "all")]
    of_type = ("rules",) if of_rules else ()
    header = (form.title, *of_type, "questions", *SPLITS, "asked here", "in the core")
    return Table("questions", "The questions of the benchmark", header, tuple(rows))


def _levels(scores: StudyScores) -> Table:
    """What the graph of each level has and lacks."""
    release = scores.study.release
    missing, complete = release.missing(), len(release.kg("complete"))
    rows = []
    for level in scores.study.plan.levels:
        gone = sum(row.level <= level for row in missing)
        hard = [q for q in scores.asked if q.hard_answer is not None and q.level <= level]
        share = Score(gone / complete if complete else None, None, None)
        core = sum(question.core for question in hard)
        rows.append((str(level), complete - gone, gone, share, len(hard), core))
    header = ("level", "triples", "removed", "share", "hard answer missing", "of these core")
    note = "Level: percent of the removal. Hard answer missing: questions whose hard answer the graph lacks."
    return Table("levels", "What is missing at each level", header, tuple(rows), notes=(note,))


def _breakdowns(scores: StudyScores) -> list[str]:
    """The breakdowns with two groups or more."""
    groups = dict.fromkeys(row[5:7] for row in scores.top.rows)
    sizes = Counter(breakdown for breakdown, _ in groups if breakdown not in ELSEWHERE)
    return [breakdown for breakdown, n in sizes.items() if n > 1]


def _called(scores: StudyScores, breakdown: str) -> str:
    return group_titles(scores.study.release.kind).get(breakdown, breakdown)


def _by_group(scores: StudyScores, breakdown: str) -> Table:
    """Scores of each system on all questions, of structures in their plain mean, and on each group."""
    called = _called(scores, breakdown)
    shown = ("all", breakdown, *[MEAN] * (breakdown == "structure"))
    notes = (*filter(None, [GROUPS.get(breakdown)]), *scores_in_words(OF_GROUPS[:1]))
    title = f"By {called}: {graph_at(scores.study.plan.levels[-1])} graph, {scores.everything}"
    table = scores.top.where(breakdown=shown).table(
        f"by-{breakdown.replace('_', '-')}", title, OF_GROUPS, rows=("system", "group", "n"), notes=notes
    )  # fmt: skip
    return replace(table, header=("system", called, *table.header[2:]))


def _metrics_of_others(scores: StudyScores) -> Table:
    """Scores of other projects on both ends, over all questions; no rows where none is asked for."""
    plan = scores.study.plan
    rows: list[Values] = []
    notes: dict[str, None] = {}
    for (system, level), report in scores.reports.items():
        if report.others is not None and level in (plan.complete, plan.highest):
            notes |= dict.fromkeys(report.others.notes)
            rows += [
                (plan.called[system], graph_at(level), one.metric, one.n, one.score, one.beside,
                 one.ours.value, one.flatters)
                for one in report.others.scores
                if one.subset == "all" and one.n
            ]  # fmt: skip
    header = ("system", "graph", "metric", "n", "theirs", "stands beside", "ours", "theirs − ours")
    title = f"Metrics of other projects beside ours, {scores.everything}"
    show = {"ours": percent, "theirs − ours": points}
    return Table("metrics", title, header, tuple(rows), tuple(notes), show)


def _differences(scores: StudyScores) -> Iterator[Table]:
    """All pairs of systems, and every system on both graphs, where there are several."""
    plan, graph = scores.study.plan, graph_at(scores.study.plan.levels[-1])
    if len(scores.at_top) > 1:
        reports = {plan.called[system]: report for system, report in scores.at_top.items()}
        rows: list[Values] = [
            (pair.first, pair.second, pair.difference, pair.adjusted)
            for pair in compare(reports, ["hard_f1"]).rows
            if pair.breakdown == scores.subset
        ]
        title = f"First minus second: {graph} graph, {scores.over}"
        show: dict[str, Show] = {TITLES["hard_f1"]: points, "p": p_value}
        yield Table("differences", title, ("first", "second", *show), tuple(rows), (NOTE,), show)
    lost = [
        (plan.called[system], row)
        for system, report in scores.at_top.items()
        if (system, 0) in scores.reports and plan.highest
        for row in compare({"complete": scores.reports[system, 0], graph: report}, LOST).rows
        if row.breakdown == "all"
    ]
    rows = []
    for metric in LOST:
        pairs = [(system, row) for system, row in lost if row.metric == metric]
        adjusted = holm([row.p for _, row in pairs])
        rows += [
            (TITLES[metric], system, row.difference, p)
            for (system, row), p in zip(pairs, adjusted, strict=True)
        ]
    title = f"Complete minus {graph} graph, {scores.everything}"
    show = {"difference": points, "p": p_value}
    yield Table("between-graphs", title, ("score", "system", *show), tuple(rows), (NOTE,), show)


def figures(scores: StudyScores) -> list[Picture]:
    """All figures for which the study has runs."""
    plan, breakdowns = scores.study.plan, _breakdowns(scores)

    def bars(
        id_: str, title: str, metric: str, frame: Frame, *rows: str, more: str = ""
    ) -> Picture:
        caption = f"{meaning(metric)}{more}, over {scores.everything}."
        return frame.where(breakdown="all", metric=metric).picture(
            id_, title, caption, rows=(*rows, "graph"), columns="system", up=f"{TITLES[metric]}, percent"
        )  # fmt: skip

    found = [
        bars("figure-1-hits-any", "Figure 1: does a system still answer?", "hits_any", scores.ends),
        bars("figure-1-f1", "Figure 1: how well does it answer?", "f1", scores.ends),
        bars(  # on the complete graph there is nothing to infer
            "figure-2-hhr", "Figure 2: how much of what it gets right must be inferred?", "hhr", scores.top,
            more=f", on the {graph_at(plan.levels[-1])} graph",
        ),
    ]  # fmt: skip
    if "rule_type" in breakdowns:
        title = "Figure 3: which rules can it follow?"
        found.append(_by_groups(scores, "rule_type", "hhr", "figure-3-hhr-by-rule-type", title))
    if len({run.naming for run in scores.study.runs}) > 1:
        title = "Figure 4: does it reason, or remember names?"
        ends = scores.every.where(level=(plan.levels[0], plan.levels[-1]))
        more = " with entities under each name"
        found.append(bars("figure-4-f1-by-naming", title, "f1", ends, "naming", more=more))
    found += [
        bars("figure-5-precision", "Figure 5: how much of what it says is right?", "precision", scores.ends),
        bars("figure-5-recall", "Figure 5: how much of what is right does it say?", "recall", scores.ends),
    ]  # fmt: skip
    if len(plan.levels) > 1:
        found += _curves(scores)
    having = {row.metric for row in scores.top.rows}
    for breakdown in breakdowns:
        metric = "hard_f1" if breakdown in DEPENDENCE else "ex" if "ex" in having else "f1"
        title = DEPENDENCE.get(breakdown) or f"{TITLES[metric]} by {_called(scores, breakdown)}"
        id_ = f"figure-by-{breakdown.replace('_', '-')}"
        found.append(_by_groups(scores, breakdown, metric, id_, title))
    return [figure for figure in found if figure.series]


def _by_groups(scores: StudyScores, breakdown: str, metric: str, id_: str, title: str) -> Picture:
    """A score of each system on each group, on the graph that lacks most."""
    graph, about = graph_at(scores.study.plan.levels[-1]), GROUPS.get(breakdown, "")
    caption = f"{meaning(metric)}, on the {graph} graph, over {scores.everything}. {about}".strip()
    return scores.top.where(breakdown=breakdown, metric=metric).picture(
        id_, title, caption, across=_called(scores, breakdown), up=f"{TITLES[metric]}, percent"
    )


def _curves(scores: StudyScores) -> Iterator[Picture]:
    """Scores against the level: of one set of questions, and of those that each level makes hard."""
    plan = scores.study.plan

    def curve(
        frame: Frame, id_: str, title: str, caption: str, metric: str, subset: str, unit: str = "percent"
    ) -> Picture:  # fmt: skip
        return frame.where(breakdown=subset, metric=metric).picture(
            id_, title, f"{meaning(metric)}. {caption}", columns="level", kind="lines",
            across="level, percent of the removal", up=f"{TITLES[metric]}, {unit}",
        )  # fmt: skip

    hard = [
        q for q in scores.asked if q.hard_answer is not None and (q.core or scores.subset == "all")
    ]
    over = "questions of the core" if scores.subset == "core" else "questions"
    lowest = plan.lowest or 100
    same = (
        f"The same {sum(q.level <= lowest for q in hard):,} {over} everywhere: their hard answers are "
        f"missing from {lowest} on."
    )
    for metric, subset, caption in (
        ("hard_f1", scores.subset, same),
        ("hits_hard", scores.subset, same),
        ("f1", "all", f"Over {scores.everything}."),
    ):
        id_, title = f"levels-{metric.replace('_', '-')}", f"{TITLES[metric]} as more is missing"
        yield curve(scores.lowest, id_, title, caption, metric, subset)
    above = [level for level in plan.levels if level]
    if len(above) > 1:
        counts = ", ".join(f"{level}: {sum(q.level <= level for q in hard):,}" for level in above)
        caption = f"Those {over} whose hard answer is missing at the level ({counts})."
        title, own = "Hard F1 of what each level lacks", scores.own.where(level=above)
        yield curve(own, "levels-own-hard-f1", title, caption, "hard_f1", scores.subset)
    for metric in COSTS if plan.asking else ():
        yield curve(
            scores.first, f"levels-{metric.replace('_', '-')}",
            f"{TITLES[metric].capitalize()} as more is missing", f"Over {scores.everything}.",
            metric, "all", "a question",
        )  # fmt: skip
