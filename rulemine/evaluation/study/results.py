"""From the answers of a study to its page: scores, tables, figures, and everything in its folder.

Figures 1 to 5 ask, over all questions that are asked, what those of Zhou et al., "What Breaks Knowledge Graph
based RAG?" (arXiv 2508.08344v1), ask: answers on the complete and the incomplete graph, the share of them
that needed inference, that by rule type, entities under other names, precision, recall. The tables of
questions and levels show what its tables 1 (rules by type) and 3 (sizes of the graphs) show. The others are
ours.

What the groups of questions are is up to the kind of the questions (`rulemine.kinds.kind.Kind.groups`):
nothing here knows one kind. p is that of the paired randomization test
(`rulemine.evaluation.statistics.significance`), corrected after Holm over the lines of a table for one score.
Guarantee: scores are the same whatever was scored before, and whoever reads the replies.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace
from pathlib import Path

import numpy as np

from rulemine.errors import counted
from rulemine.evaluation.answerers.registry import find_answerer, more_room, needs_of
from rulemine.evaluation.breakdown import Breakdown, group_titles
from rulemine.evaluation.comparing.comparison import compare, note_about
from rulemine.evaluation.metrics import COSTS, RANKED, ROW_METRICS
from rulemine.evaluation.predictions import NEEDS, read_predictions
from rulemine.evaluation.reporting.document import Document, Picture, Series
from rulemine.evaluation.reporting.documents import SystemRun, question_rows
from rulemine.evaluation.reporting.files import write_document
from rulemine.evaluation.reporting.report import Frame, Report, ScoreRow
from rulemine.evaluation.reporting.tables import WARNING
from rulemine.evaluation.reporting.titles import (
    GROUPS,
    MEAN,
    SUBSETS,
    TITLES,
    meaning,
    scores_in_words,
    subsets_in_words,
)
from rulemine.evaluation.retrieval import RETRIEVAL
from rulemine.evaluation.scorer import STRICT, Scorer
from rulemine.evaluation.statistics.bootstrap import Row, estimates, rows_of
from rulemine.evaluation.statistics.score import Score
from rulemine.evaluation.statistics.significance import holm
from rulemine.evaluation.study.options import DAMAGES
from rulemine.evaluation.study.plan import StudyPlan, graph_at
from rulemine.evaluation.study.run import StudyFolder, Watch, unwatched, write_scoring
from rulemine.evaluation.twins import TWIN_SCORES, twin_scores, twins_among, twins_table
from rulemine.kinds.registry import form_of, kind_named
from rulemine.release.groups import sample
from rulemine.release.records import SPLITS, Prediction, Question
from rulemine.rules.blocks import MapLike
from rulemine.text.tables import Show, Table, Values, p_value, percent, points

__all__ = [
    "StudyScores", "document_of", "figures", "headline", "run_study", "tables",
    "write_results",
]  # fmt: skip

HEADLINE = ("hard_f1", "hhr", "hits_hard", "hits_any", "f1")
"""The scores of the headline, over the core."""

RESULTS = ("hits_any", "precision", "recall", "f1", "hits_hard", "hhr", "hard_f1", *COSTS)
"""The scores of the main results, and what an answer cost where a model was asked."""

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

PROOF = "proof left"
PROOF_LEFT = (
    "Proof left: the share of these questions whose hard answer one application of the release's rules still "
    "derives"
)
FURTHER_GONE = (
    "Every graph lacks what is asked about, and as many further triples: the others that the release removes "
    "(provable), or drawn from all (random), or from paths of two edges between topic entity and hard answer "
    "(path)."
)
"""What the table and the figure of damaged graphs say."""

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
        ConfigError: A system cannot be used.
        ReleaseError: A file of the release is missing or was edited.
        EndpointError: The model cannot be asked.
        LimitError: A limit was reached; everything is kept.
    """
    study = StudyFolder(plan, Path(folder), watch=watch, note=note)
    study.answer()
    return write_results(study, watch=watch)


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


class StudyScores:
    """The scores of the runs of a study, made when it is opened.

    Args:
        study: The study, answered.
        progress: Called with (runs scored, all runs).
        spread: Reads the replies, here or in other processes.

    Attributes:
        study: The study.
        asked: The questions, sorted by id.
        every: All scores in every naming, of the hard answers that are missing at the highest level. Here and
            in the other frames ``level`` says how much the graph lacks; groups of no questions are left out.
        first: Those in the first naming.
        top: Those of them on the graph that lacks most.
        ends: Those of them on the complete graph, if that is asked, and on the one that lacks most.
        lowest: As `first`, of the hard answers that are missing at the lowest level above 0.
        own: As `first`, of the hard answers that the graph itself lacks; the complete one as in `first`.
        reports: System and level → report, in the first naming, of the hard answers of the highest level.
        predictions: System and level → what the system answered, in the first naming.
        at_top: System → its report on the graph that lacks most.
        breakdowns: The breakdowns with two groups or more → what tables call them.
        damaged: Level, damage and system → hard F1 and the share with a proof, over the questions whose hard
            answer is missing at the level, and over those of them with a proof, as `_of_proofs` has them.
        twins: System, as it is called, → its scores of `rulemine.evaluation.twins`; empty if none are asked.
        cut_off: System → `Prediction.cut_off` of the answers of its runs that have one.
        lacking: The name of the graph that lacks most.
        subset: What the headline is over: ``core``, or ``all`` where no question is in it.
        everything: All questions that were asked, in words: those of the split, or of a sample.
        over: What the headline is over, in words.
    """

    def __init__(
        self,
        study: StudyFolder,
        progress: Callable[[int, int], None] = lambda done, total: None,
        spread: MapLike = map,
    ) -> None:
        plan, first = study.plan, study.runs[0].naming
        self.study = study
        self.asked = sample(study.release.questions(plan.asked_split), plan.sample)
        self.reports: dict[tuple[str, int], Report] = {}
        self.predictions: dict[tuple[str, int], tuple[Prediction, ...]] = {}
        self.damaged: dict[tuple[int, str, str], tuple[Row, ...]] = {}
        self.cut_off: dict[str, list[tuple[str, ...]]] = defaultdict(list)
        highest, lowest = plan.highest or 100, plan.lowest or 100
        scorer = Scorer(
            study.release, matching=plan.matching, split=plan.asked_split, sample=plan.sample,
            resamples=plan.resamples, seed=plan.seed, metrics=plan.metrics, spread=spread,
        )  # fmt: skip
        rows: tuple[list[ScoreRow], ...] = ([], [], [])
        proved: dict[tuple[int, str], Set[str]] = {}
        on_twins: dict[tuple[str, str], Report] = {}
        for number, run in enumerate(study.runs):
            progress(number, len(study.runs))
            found = read_predictions(
                study.file(run), study.release.questions(), split=plan.asked_split, missing="empty"
            )
            wanted = (highest, lowest, run.level or highest)[: 3 if run.naming == first else 1]
            wanted = (run.level,) if run.damage else wanted
            levels = list(dict.fromkeys(wanted))
            reports = scorer.at_levels(found, levels, kg=run.kg, naming=run.naming)
            self.cut_off[run.system] += [p.cut_off for p in found if p.cut_off]
            damage = run.damage or DAMAGES[0]
            if run.level and run.naming == first and damage in plan.damage:
                at = run.level, damage
                if at not in proved:
                    proved[at] = study.named(first).proved(damage, run.level)
                own = reports[levels.index(run.level)]
                self.damaged[*at, run.system] = _of_proofs(own, self.asked, proved[at])
            if run.damage:
                on_twins[run.system, run.damage] = reports[0]
                continue
            if run.naming == first:
                key = run.system, run.level
                self.predictions[key], self.reports[key] = found, reports[0]
            for part, level in zip(rows, wanted, strict=False):
                scored = Frame.of([(plan.called[run.system], reports[levels.index(level)])]).rows
                part += [r._replace(graph=run.kg, level=run.level) for r in scored if r.n]
        self.twins = {
            called: twin_scores(
                study.release, on_twins[system, "control"], on_twins[system, "unprovable"]
            )
            for system, called in (plan.called.items() if plan.twins else ())
        }
        self.every, self.lowest, self.own = (Frame(tuple(part)) for part in rows)
        self.first = self.every.where(naming=first)
        self.top = self.first.where(level=plan.levels[-1])
        self.ends = self.first.where(level={plan.complete, plan.highest})
        self.lacking, whole = (
            graph_at(plan.levels[-1]),
            len(study.release.questions(plan.asked_split)),
        )
        last, titles = plan.levels[-1], group_titles(study.release.kind)
        self.at_top = {system: own for (system, at), own in self.reports.items() if at == last}
        sizes = Counter(breakdown for breakdown, _ in {row[5:7]: 0 for row in self.top.rows})
        some = (key for key, n in sizes.items() if n > 1 and key not in ELSEWHERE)
        self.breakdowns = {key: titles.get(key, key) for key in some}
        self.subset = next(iter(self.reports.values())).headline.group
        sample_of = f"{len(self.asked):,} of {whole:,} questions, the core first"
        self.everything = "all questions" if len(self.asked) == whole else sample_of
        self.over = "the core" if self.subset == "core" else self.everything


def _of_proofs(report: Report, asked: Sequence[Question], proved: Set[str]) -> tuple[Row, ...]:
    """Hard F1 and the share of questions with a proof: of those with a hard answer, of those with a proof."""
    hard = {q.id for q in asked if q.hard_answer is not None and q.level <= report.level}
    members = np.array([[key in some for key in report.ids] for some in (hard, hard & proved)])
    columns = (*report.columns, "proof")
    return rows_of(
        np.column_stack((report.scores, members[1])), report.clusters,
        [Breakdown("damage", ("all", "proved"), members)], report.resamples, report.seed, estimates,
        columns, ("hard_f1", "proof"),
    )  # fmt: skip


def document_of(scores: StudyScores) -> Document:
    """Everything that a study found."""
    study = scores.study
    plan, release = study.plan, study.release
    runs = [
        SystemRun(plan.called[system], graph_at(level), scores.predictions[system, level], report)
        for (system, level), report in scores.reports.items()
        if level in (plan.levels[0], plan.levels[-1])
    ]
    rows, labels = question_rows(release, runs, plan.asked_split)
    notes = [n for n in runs[0].report.notes if all(n in run.report.notes for run in runs)]
    told: dict[tuple[str, str], list[str]] = defaultdict(list)  # of some runs alone
    for system, kg, _, report in runs:
        for note in (note for note in report.notes if note not in notes):
            told[kg, note].append(system)
    warned = [
        note_about(f"{system}, {kg}", note)
        for (kg, note), systems in told.items()
        for system in systems
        if note.startswith(WARNING)
    ]
    lines = tuple((", ".join(systems), *about) for about, systems in told.items())
    header, title = ("systems", "graph", "note"), "What to know about single systems"
    return Document(
        f"A study of {release.name}",
        notes=(*_unanswered(scores), *warned, *notes),
        facts={
            "release": f"{release.name} ({release.identity[:12]})",
            "split": plan.split,
            "questions": f"{len(rows):,}" + (f" (sample {plan.sample:,})" if plan.sample else ""),
            "levels": ", ".join(map(str, plan.levels)),
            "namings": ", ".join(dict.fromkeys(run.naming for run in study.runs)),
            "seed": str(plan.seed),
            **({"model": plan.model} if plan.asking else {}),
        },
        headline=headline(scores),
        figures=tuple(figures(scores)),
        tables=(*tables(scores), *[Table("notes", title, header, lines)] * bool(lines)),
        questions=rows,
        labels=labels,
    )


def _unanswered(scores: StudyScores) -> Iterator[str]:
    """The systems that left questions unanswered or were cut off, a sentence each."""
    study = scores.study
    for system, called in study.plan.called.items():
        runs = [run for run in study.runs if run.system == system]
        of = counted(len(runs) * len(scores.asked), "question")
        if failed := sum(map(study.unanswered, runs)):
            yield (
                f"{WARNING}{called}: {failed:,} of {of}, over all its runs, got no answer, because a "
                "program ended or a call failed. They count as answered with nothing; the same command asks "
                "them again."
            )
        if cut := scores.cut_off[system]:
            replies = [option for options in cut for option in options]
            yield (
                f"{WARNING}{called}: {counted(len(replies), 'reply', 'replies')} cut off, to {len(cut):,} of "
                f"{of} over all its runs. To ask these again with more room: "
                f"{more_room(system, sorted({*replies}))}."
            )


def headline(scores: StudyScores) -> Table:
    """The systems on the graph that lacks most, over the core; beside it what is granted of it, and all."""
    title = f"{scores.lacking.capitalize()} graph, {scores.over}"
    rows = next(iter(scores.reports.values())).rows
    sizes = subsets_in_words((row.breakdown, row.n) for row in rows)
    notes = (sizes, *scores_in_words(HEADLINE, ["hhr"]), *_needs(scores))
    table = scores.top.where(breakdown=scores.subset).table(
        "headline", title, HEADLINE, rows=("system", "n"), notes=notes
    )
    if scores.subset == "all":
        return table
    every = "all questions" if scores.everything == "all questions" else "all asked"
    beside = scores.top.where(metric=HEADLINE[0], breakdown=("granted", "likely", "all")).table(
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
    """All tables but the headline; each says what the scores are that first stand in it."""
    plan, every, known = scores.study.plan, scores.everything, {*HEADLINE}

    def laid(
        id_: str, title: str, frame: Frame, groups: Sequence[str], metrics: Sequence[str], *rows: str,
        notes: Sequence[str] = (),
    ) -> Table:  # fmt: skip
        some = frame.where(breakdown=groups, metric=metrics)
        new = {row.metric for row in some.rows} - known
        known.update(new)
        said = (*notes, *scores_in_words(metric for metric in metrics if metric in new))
        return some.table(id_, title, metrics, rows=("system", *rows, "n"), notes=said)

    def by_group(breakdown: str) -> Table:
        """On all questions, of structures in their plain mean, and on each group."""
        called, about = scores.breakdowns[breakdown], GROUPS.get(breakdown)
        groups = ("all", breakdown, *[MEAN] * (breakdown == "structure"))
        title = f"By {called}: {scores.lacking} graph, {every}"
        table = laid(
            f"by-{breakdown.replace('_', '-')}", title, scores.top, groups, OF_GROUPS, "group",
            notes=[about] if about else [],
        )  # fmt: skip
        return replace(table, header=("system", called, *table.header[2:]))

    shortened = {*plan.called} != {*plan.called.values()}
    options = tuple((called, system) for system, called in plan.called.items() if shortened)
    lacking = f"{scores.lacking} graph, {scores.over}"
    found = [
        _questions(scores),
        _levels(scores),
        laid("results", f"Main results, {every}", scores.ends, ["all"], RESULTS, "graph"),
        laid("results-core", "Main results, core", scores.ends, ["core"], RESULTS, "graph"),
        laid(
            "by-level", f"Scores at each level, {every}", scores.own, ["all"], RESULTS, "level",
            notes=[OF_LEVEL],
        ),
        *map(by_group, scores.breakdowns),
        _differences(scores),
        _between_graphs(scores),
        _damage(scores),
        _twins(scores),
        *(
            laid(id_, f"{title}: {lacking}", scores.top, [scores.subset], metrics)
            for id_, title, metrics in OF_SOME
        ),
        _metrics_of_others(scores),
        Table("systems", "The systems and their options", ("system", "options"), options),
    ]  # fmt: skip
    return [table for table in found if table.rows]


def _questions(scores: StudyScores) -> Table:
    """Rules by type, and questions by what they need: in every split, those of the study, and the core."""
    release, asked = scores.study.release, scores.asked
    questions, form = release.questions(), kind_named(release.kind).groups[0]
    rules: dict[str, int] = release.manifest["counts"]["rules_by_type"] or {}
    of_rules = rules.keys() == set(form.names)

    def row(label: str) -> Values:
        inside, here = (
            [q for q in some if label in (form_of(q), "all")] for some in (questions, asked)
        )
        splits = Counter(q.split for q in inside)
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


def _metrics_of_others(scores: StudyScores) -> Table:
    """Scores of other projects on both ends, over all questions; no rows where none is asked for."""
    plan = scores.study.plan
    others = {key: report.others for key, report in scores.reports.items() if report.others}
    rows = tuple(
        (plan.called[system], graph_at(level), one.metric, one.n, one.score, one.beside, one.ours.value,
         one.flatters)
        for (system, level), found in others.items()
        for one in found.scores
        if one.subset == "all" and one.n and level in (plan.complete, plan.highest)
    )  # fmt: skip
    notes = tuple(dict.fromkeys(note for found in others.values() for note in found.notes))
    header = ("system", "graph", "metric", "n", "theirs", "stands beside", "ours", "theirs − ours")
    title = f"Metrics of other projects beside ours, {scores.everything}"
    show = {"ours": percent, "theirs − ours": points}
    return Table("metrics", title, header, rows, notes, show)


def _differences(scores: StudyScores) -> Table:
    """All pairs of systems on the graph that lacks most."""
    reports = {scores.study.plan.called[s]: report for s, report in scores.at_top.items()}
    rows = tuple(
        (pair.first, pair.second, pair.difference, pair.adjusted)
        for pair in (compare(reports, HEADLINE[:1]).rows if len(reports) > 1 else ())
        if pair.breakdown == scores.subset
    )
    title = f"First minus second: {scores.lacking} graph, {scores.over}"
    show: dict[str, Show] = {TITLES[HEADLINE[0]]: points, "p": p_value}
    return Table("differences", title, ("first", "second", *show), rows, (NOTE,), show)


def _between_graphs(scores: StudyScores) -> Table:
    """What each system loses from the complete graph to the one that lacks most."""
    plan, rows = scores.study.plan, list[Values]()
    lost = [
        (plan.called[system], row)
        for system, report in scores.at_top.items()
        if (system, 0) in scores.reports and plan.highest
        for row in compare({"": scores.reports[system, 0], scores.lacking: report}, LOST).rows
        if row.breakdown == "all"
    ]
    for metric in LOST:
        pairs = [(system, row) for system, row in lost if row.metric == metric]
        adjusted = holm([row.p for _, row in pairs])
        rows += [
            (TITLES[metric], system, row.difference, p)
            for (system, row), p in zip(pairs, adjusted, strict=True)
        ]
    title = f"Complete minus {scores.lacking} graph, {scores.everything}"
    show: dict[str, Show] = {"difference": points, "p": p_value}
    return Table("between-graphs", title, ("score", "system", *show), tuple(rows), (NOTE,), show)


def _damage(scores: StudyScores) -> Table:
    """What share of questions has a proof left on each damaged graph, and what each system gets."""
    plan, release, rows, few = scores.study.plan, scores.study.release, list[Values](), list[str]()
    for (level, damage, system), (every, proved) in sorted(
        scores.damaged.items(), key=lambda item: (item[0][0], DAMAGES.index(item[0][1]))
    ):
        gone, wanted = (len(release.further(name, level)) for name in (damage, DAMAGES[0]))
        if gone < wanted:
            few.append(f"{damage}, level {level}: no more than {gone:,} of {wanted:,} are there.")
        scored = every.scores["proof"], every.scores["hard_f1"], proved.scores["hard_f1"]
        rows.append((str(level), damage, gone, plan.called[system], every.n, *scored))
    hard = TITLES["hard_f1"]
    header = ("level", "damage", "triples", "system", "n", PROOF, hard, f"{hard}, {PROOF}")
    notes = (FURTHER_GONE, f"{PROOF_LEFT}.", *dict.fromkeys(few))
    return Table("damage", "Graphs that lack other things", header, tuple(rows), notes)


def _twins(scores: StudyScores) -> Table:
    """Who answers where an answer can be inferred, and is silent where it cannot."""
    ids, release = [q.id for q in scores.asked], scores.study.release
    n = len(twins_among(release, ids)) if scores.twins else 0
    return twins_table(release, scores.twins, n)


def _twins_figure(scores: StudyScores) -> Picture:
    """The share of right pairs, and both halves."""
    names, caption = TWIN_SCORES[:3], _twins(scores).notes[0]
    series = (Series(name, tuple(map(own.get, names))) for name, own in scores.twins.items())
    return Picture(
        "figure-twins", "Does it know what cannot be inferred?", caption, "bars", "pairs", "percent",
        names, tuple(series),
    )  # fmt: skip


def _damage_figure(scores: StudyScores) -> Picture:
    """What the table has of the highest level, but over all questions alone."""
    plan = scores.study.plan
    groups = tuple(name for name in DAMAGES if name in plan.damage)
    found = {key[1:]: every for key, (every, _) in scores.damaged.items() if key[0] == plan.highest}
    left = {damage: every.scores["proof"] for (damage, _), every in found.items()}
    hard = {key: every.scores["hard_f1"] for key, every in found.items()}
    series = [Series(PROOF, tuple(map(left.get, groups)))] + [
        Series(called, tuple(hard.get((damage, system)) for damage in groups))
        for system, called in plan.called.items()
    ]
    caption = (
        f"{PROOF_LEFT}. Of systems: {TITLES['hard_f1']}. Level {plan.highest}; over the questions whose hard "
        f"answer is missing there. {FURTHER_GONE}"
    )
    return Picture(
        "figure-damage", "What if graphs lack other things?", caption, "bars", "damage",
        "percent", groups, tuple(series) if found else (),
    )  # fmt: skip


def figures(scores: StudyScores) -> list[Picture]:
    """All figures for which the study has runs."""
    plan = scores.study.plan

    def bars(
        id_: str, title: str, metric: str, frame: Frame, *rows: str, more: str = ""
    ) -> Picture:
        caption = f"{meaning(metric)}{more}, over {scores.everything}."
        return frame.where(breakdown="all", metric=metric).picture(
            id_, title, caption, rows=(*rows, "graph"), columns="system", up=f"{TITLES[metric]}, percent"
        )  # fmt: skip

    named = len({run.naming for run in scores.study.runs}) > 1
    ends = scores.every.where(level=(plan.levels[0], plan.levels[-1]) if named else ())
    found = [
        bars("figure-1-hits-any", "Figure 1: does a system still answer?", "hits_any", scores.ends),
        bars("figure-1-f1", "Figure 1: how well does it answer?", "f1", scores.ends),
        bars(  # on the complete graph there is nothing to infer
            "figure-2-hhr", "Figure 2: how much of what it gets right must be inferred?", "hhr", scores.top,
            more=f", on the {scores.lacking} graph",
        ),
        *(
            _by_groups(
                scores, name, "hhr", "figure-3-hhr-by-rule-type", "Figure 3: which rules can it follow?"
            )
            for name in scores.breakdowns
            if name == "rule_type"
        ),
        bars(
            "figure-4-f1-by-naming", "Figure 4: does it reason, or remember names?", "f1", ends, "naming",
            more=" with entities under each name",
        ),
        bars("figure-5-precision", "Figure 5: how much of what it says is right?", "precision", scores.ends),
        bars("figure-5-recall", "Figure 5: how much of what is right does it say?", "recall", scores.ends),
        *_curves(scores),
        *(_by_groups(scores, breakdown) for breakdown in scores.breakdowns),
        _damage_figure(scores),
        _twins_figure(scores),
    ]  # fmt: skip
    return [figure for figure in found if figure.series]


def _by_groups(
    scores: StudyScores, breakdown: str, metric: str = "", id_: str = "", title: str = ""
) -> Picture:
    """A score of each system on each group, on the graph that lacks most."""
    having = {row.metric for row in scores.top.rows}
    hard = breakdown in DEPENDENCE
    metric = metric or ("hard_f1" if hard else "ex" if "ex" in having else "f1")
    called, about = scores.breakdowns[breakdown], GROUPS.get(breakdown, "")
    caption = f"{meaning(metric)}, on the {scores.lacking} graph, over {scores.everything}. {about}"
    return scores.top.where(breakdown=breakdown, metric=metric).picture(
        id_ or f"figure-by-{breakdown.replace('_', '-')}",
        title or DEPENDENCE.get(breakdown) or f"{TITLES[metric]} by {called}",
        caption.strip(),
        across=called,
        up=f"{TITLES[metric]}, percent",
    )


def _curves(scores: StudyScores) -> Iterator[Picture]:
    """Scores against the level: of one set of questions, and of those that each level makes hard."""
    plan, subset, every = scores.study.plan, scores.subset, f"Over {scores.everything}."
    hard = [q for q in scores.asked if q.hard_answer is not None and (q.core or subset == "all")]
    over = "questions of the core" if subset == "core" else "questions"
    missing = {level: sum(q.level <= level for q in hard) for level in plan.levels if level}
    many = missing.get(plan.lowest or 100, 0)
    same = f"The same {many:,} {over} everywhere: their hard answers are missing from {plan.lowest} on."
    own = ", ".join(f"{level}: {n:,}" for level, n in missing.items())
    own = f"Those {over} whose hard answer is missing at the level ({own})."
    curves = [
        ("hard_f1", scores.lowest, subset, same),
        ("hits_hard", scores.lowest, subset, same),
        ("f1", scores.lowest, "all", every),
        *[("hard_f1", scores.own.where(level=missing), subset, own)] * (len(missing) > 1),
        *((metric, scores.first, "all", every) for metric in COSTS if plan.asking),
    ]
    for metric, frame, group, caption in curves if len(plan.levels) > 1 else ():
        called, unit = TITLES[metric], "a question" if metric in COSTS else "percent"
        part = caption is own
        yield frame.where(breakdown=group, metric=metric).picture(
            f"levels-{'own-' * part}{metric.replace('_', '-')}",
            f"{called[0].upper()}{called[1:]} {'of what each level lacks' if part else 'as more is missing'}",
            f"{meaning(metric)}. {caption}",
            columns="level",
            kind="lines",
            across="level, percent of the removal",
            up=f"{called}, {unit}",
        )
