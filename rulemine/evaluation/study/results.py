"""A study from its plan to its page: answers, scores, tables, figures, and everything on one page.

The results go into the folder of the study: what `rulemine.evaluation.reporting.files.write_document` writes.

Tables say what the benchmark is, what is missing at each level, how every system scores, and which
differences between systems, and between the two graphs, are more than chance. The first two show what tables
1 (rules by type) and 3 (sizes of the graphs) of Zhou et al., "What Breaks Knowledge Graph based RAG?" (arXiv
2508.08344v1), show of its data sets; the others are ours. p is that of the paired randomization test
(`rulemine.evaluation.statistics.significance`), corrected after Holm over the lines of a table for one score.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from rulemine.errors import ConfigError, counted
from rulemine.evaluation.answerers.protocol import NEEDS
from rulemine.evaluation.answerers.registry import find_answerer, more_room, needs_of
from rulemine.evaluation.comparing.comparison import compare, note_about
from rulemine.evaluation.metrics import ROW_METRICS
from rulemine.evaluation.notes import NOTHING_TO_INFER
from rulemine.evaluation.ranked import RANKED
from rulemine.evaluation.reporting.document import Document
from rulemine.evaluation.reporting.files import write_document
from rulemine.evaluation.reporting.questions import SystemRun, question_rows
from rulemine.evaluation.reporting.tables import WARNING
from rulemine.evaluation.reporting.titles import TITLES
from rulemine.evaluation.retrieval import RETRIEVAL
from rulemine.evaluation.scorer import STRICT
from rulemine.evaluation.statistics.score import Score
from rulemine.evaluation.statistics.significance import holm
from rulemine.evaluation.study.figures import figures
from rulemine.evaluation.study.groups import group_tables
from rulemine.evaluation.study.opened import write_scoring
from rulemine.evaluation.study.plan import StudyPlan, graph_at
from rulemine.evaluation.study.run import StudyFolder, Watch, unwatched
from rulemine.evaluation.study.scores import StudyScores, score_in
from rulemine.kinds.registry import form_of, kind_named
from rulemine.release.reader import Release
from rulemine.release.records import SPLITS
from rulemine.rules.blocks import MapLike
from rulemine.text.tables import (
    FEW,
    Show,
    Table,
    Value,
    Values,
    one_decimal,
    p_value,
    percent,
    points,
)

__all__ = [
    "check_packages",
    "differences",
    "document_of",
    "headline",
    "run_study",
    "tables",
    "write_results",
]

HEADLINE = ("hard_f1", "hhr", "hits_hard", "hits_any", "f1")
"""The scores of the headline, over the core."""

RESULTS = ("hits_any", "precision", "recall", "f1", "hits_hard", "hhr", "hard_f1")
"""The scores of the main results."""

NOTE = (
    "p: paired randomization test over clusters of questions, corrected after Holm for the lines."
)


def run_study(
    plan: StudyPlan,
    folder: str | Path,
    *,
    watch: Watch = unwatched,
    note: Callable[[str], None] = lambda text: None,
) -> Document:
    """Runs a study, or goes on with it, and writes its results.

    Args:
        plan: The study.
        folder: Its folder.
        watch: Shows the progress of each step.
        note: Called with sentences for the user.

    Returns:
        What was written.

    Raises:
        OutputError: The folder holds another study or cannot be written.
        ConfigError: A system cannot be used, or a package of the extra ``report`` is missing.
        ReleaseError: A file of the release is missing or was edited.
        EndpointError: The model cannot be asked.
        LimitError: A limit was reached; everything is kept.
    """
    check_packages()
    study = StudyFolder(plan, Path(folder), watch=watch, note=note)
    study.answer()
    return write_results(study, watch=watch)


def check_packages() -> None:
    """Checks that the report can be written, before hours are spent on its contents.

    Raises:
        ConfigError: A package of the extra ``report`` is not installed.
    """
    if find_spec("matplotlib") is None:
        raise ConfigError(
            "study: its report needs the package matplotlib: pip install 'rulemine[report]'."
        )


def write_results(
    study: StudyFolder, *, watch: Watch = unwatched, spread: MapLike = map
) -> Document:
    """Scores a study that is answered, and writes its results into its folder.

    Args:
        study: The study.
        watch: Shows the progress of each step.
        spread: Scores its runs, here or in other processes.
    """
    with watch("score") as advance:
        scores = StudyScores(study, advance, spread)
    with watch("write the report"):
        document = document_of(scores)
        write_scoring(study)
        write_document(document, study.folder)
    return document


def document_of(scores: StudyScores) -> Document:
    """Everything that a study found."""
    study = scores.study
    plan, release = study.plan, study.release
    runs = [
        SystemRun(plan.called[system], graph_at(level), scores.predictions(system, level), report)
        for system in plan.systems
        for level in dict.fromkeys((plan.levels[0], plan.levels[-1]))
        if (report := scores.report(system, level))
    ]
    rows, labels = question_rows(release, runs, None if plan.split == "all" else plan.split)
    facts = {
        "release": f"{release.name} ({release.identity[:12]})",
        "split": plan.split,
        "questions": f"{len(rows):,}" + (f" (sample {plan.sample:,})" if plan.sample else ""),
        "levels": ", ".join(map(str, plan.levels)),
        "namings": ", ".join(dict.fromkeys(run.naming for run in study.runs)),
        "seed": str(plan.seed),
    }
    if plan.asking:
        facts["model"] = plan.model
    notes = [n for n in runs[0].report.notes if all(n in run.report.notes for run in runs)]
    of_runs = [
        (run.system, run.kg, note) for run in runs for note in run.report.notes if note not in notes
    ]
    warned = [note_about(f"{s}, {kg}", note) for s, kg, note in of_runs if note.startswith(WARNING)]
    notes = [*_unanswered(scores), *warned, *notes]
    found = tables(scores)
    if of_runs:
        header = ("system", "graph", "note")
        found.append(Table("notes", "What to know about single systems", header, tuple(of_runs)))
    return Document(
        f"A study of {release.name}",
        notes=tuple(notes),
        facts=facts,
        headline=headline(scores),
        figures=tuple(figures(scores)),
        tables=tuple(found),
        questions=rows,
        labels=labels,
    )


def _unanswered(scores: StudyScores) -> Iterator[str]:
    """The systems that left questions unanswered or were cut off, a sentence each."""
    study, asked = scores.study, len(scores.asked)
    for system in study.plan.systems:
        runs = [run for run in study.runs if run.system == system]
        if failed := sum(map(study.unanswered, runs)):
            yield (
                f"{WARNING}{scores.called[system]}: {failed:,} of {counted(len(runs) * asked, 'question')}, "
                "over all its runs, got no answer, because a program ended or a call failed. They count as "
                "answered with nothing; the same command asks them again."
            )
        if cut := scores.cut_off[system]:
            replies = [option for options in cut for option in options]
            yield (
                f"{WARNING}{scores.called[system]}: {counted(len(replies), 'reply', 'replies')} cut off, "
                f"to {len(cut):,} of {counted(len(runs) * asked, 'question')} over all its runs. To ask "
                f"these again with more room: {more_room(system, sorted({*replies}))}."
            )


def headline(scores: StudyScores) -> Table:
    """The systems on the graph that lacks most, over the core; beside it what is granted of it, and all."""
    level, first = scores.study.plan.levels[-1], HEADLINE[0]
    every = "all questions" if scores.everything == "all questions" else "all asked"
    beside = {"granted": "granted", "all": every} if scores.subset == "core" else {}
    having = {row.breakdown for report in scores.top.values() for row in report.rows}
    rows = [
        (
            scores.called[system],
            report.headline.n,
            *(score_in(report, metric, "core") for metric in HEADLINE),
            *(score_in(report, first, subset) for subset in beside if subset in having),
        )
        for system, report in scores.top.items()
    ]
    title = f"{graph_at(level).capitalize()} graph, {scores.over}"
    header = (
        *("system", "n", *(TITLES[metric] for metric in HEADLINE)),
        *(f"{TITLES[first]}, {beside[subset]}" for subset in beside if subset in having),
    )
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
    form = kind_named(release.kind).groups[0]
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
        for pair in compare(reports, ["hard_f1"]).rows
        if pair.breakdown == scores.subset
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
            found = compare({"complete": ends[0], "incomplete": ends[1]}, metrics).rows
            pairs[system] = {row.metric: row for row in found if row.breakdown == "all"}
    adjusted = {metric: holm([pair[metric].p for pair in pairs.values()]) for metric in metrics}
    rows = []
    for number, (system, pair) in enumerate(pairs.items()):
        row: list[Value] = [scores.called[system]]
        for metric in metrics:
            row += [pair[metric].difference, adjusted[metric][number]]
        rows.append(tuple(row))
    show: dict[str, Show] = {}
    for metric in metrics:
        show |= {TITLES[metric]: points, f"p of {TITLES[metric]}": p_value}
    title = f"Complete minus {graph_at(plan.levels[-1])} graph, {scores.everything}"
    return Table("between-graphs", title, ("system", *show), tuple(rows), (NOTE,), show)
