"""The tables and figures of SynthKGQA (arXiv 2511.04473v1).

Systems are those of studies and predictions of releases of the kind ``subgraphs``. Hits and recall of whole
sets of questions are by exact match, as in the paper (the metrics ``gtsqa_exact``); those of groups are
Hits@Any, as reports have them. Every table is made for the complete graph, which is that of the paper, and
for the one that lacks most.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import correlation
from typing import NamedTuple

import numpy as np

from rulemine.errors import RulemineError
from rulemine.evaluation.answerers.registry import find_answerer
from rulemine.evaluation.breakdown import Breakdown
from rulemine.evaluation.comparing.comparison import compare
from rulemine.evaluation.prediction_file import read_run
from rulemine.evaluation.predictions import read_predictions
from rulemine.evaluation.reporting.document import Picture, Series
from rulemine.evaluation.reporting.report import Report, Row
from rulemine.evaluation.reporting.titles import TITLES
from rulemine.evaluation.scorer import Scorer
from rulemine.evaluation.statistics.bootstrap import Floats
from rulemine.evaluation.statistics.estimates import estimates, rows_of
from rulemine.evaluation.statistics.score import Score
from rulemine.papers.material import Material, check_same_questions
from rulemine.papers.paper import Exhibit, LackingError, Made, Paper
from rulemine.papers.subgraph_questions import (
    KIND,
    TYPES,
    by_class,
    mean,
    minimal_shapes,
    paths,
    relations,
    shapes_of,
    sizes_of_evidence,
    sizes_of_questions,
    statistics,
    supervision,
)
from rulemine.release.reader import Release
from rulemine.release.records import Question
from rulemine.text.tables import (
    Show,
    Table,
    Values,
    few_notes,
    marked,
    one_decimal,
    p_value,
    points,
)

__all__ = ["SYNTHKGQA", "t_test"]

EXACT = ("gtsqa_exact_hits", "gtsqa_exact_recall")

RETRIEVED = (
    "triple_recall", "triple_precision", "triple_f1", "answer_hit", "answer_recall", "retrieved",
)  # fmt: skip

COLUMNS = (
    "hits", "recall", "triple recall", "triple precision", "triple F1", "answer node hits",
    "answer node recall", "triples retrieved",
)  # fmt: skip
"""The columns of the benchmark: by exact match, then of what was retrieved."""

SHOW: dict[str, Show] = {COLUMNS[-1]: one_decimal}

GAIN = "hits beyond {}"

OF_GAINS = ("answer_recall", "triple_recall")

GAIN_COLUMNS = ("answer node recall", "triple recall")

BOTH_UNSEEN = "A question whose graph type and relation type are both unseen counts in both."
"""Unlike the shapes by class, where each question is once."""

CLOSED = ("closed-book", "prior", "random")
"""Systems that are given no graph, those first that gains are best over."""

TRAINED = "trained-retriever"

_RETRIEVERS = "a study or predictions of systems that say what they retrieved"

NONE = Score(None, None, None)


class Scored(NamedTuple):
    """A system on a graph.

    Attributes:
        called: What the system is called.
        name: The answerer with its options; "" where it is not known.
        graph: The graph.
        report: Its scores.
    """

    called: str
    name: str
    graph: str
    report: Report

    @property
    def retrieves(self) -> bool:
        """Whether it says what it retrieved."""
        return "triple_recall" in self.report.metrics

    def options(self) -> tuple[str, dict[str, str]]:
        """The answerer, and its options."""
        base, *given = self.name.split(":")
        pairs = (one.partition("=") for one in given)
        return base, {key: value for key, _, value in pairs}

    def triples_asked(self) -> int | None:
        """The option ``k`` of the answerer, given or not; None where it has none."""
        try:
            found = getattr(find_answerer(self.name), "k", None)
        except RulemineError:  # predictions of somebody else's system
            found = self.options()[1].get("k")
        return int(str(found)) if str(found).isdigit() else None


def _scored(material: Material) -> list[tuple[Release, list[Scored]]]:
    """Every release with the systems that answered it."""
    if "scored" not in material.kept:
        material.kept["scored"] = _score(material)
    kept: list[tuple[Release, list[Scored]]] = material.kept["scored"]
    return kept


def _score(material: Material) -> list[tuple[Release, list[Scored]]]:
    found: dict[str, tuple[Release, list[Scored]]] = {}
    for folder in material.folders:
        plan, release = folder.plan, folder.release
        split = None if plan.split == "all" else plan.split
        scorer = Scorer(
            release, matching=plan.matching, split=split, sample=plan.sample, metrics="gtsqa_exact",
            resamples=plan.resamples, seed=plan.seed,
        )  # fmt: skip
        _, some = found.setdefault(release.identity, (release, []))
        naming = folder.runs[0].naming
        for run in folder.runs:
            if run.naming == naming and run.level in (plan.levels[0], plan.levels[-1]):
                file, questions = folder.file(run), release.questions()
                given = read_predictions(file, questions, split=split, missing="empty")
                report = scorer(given, kg=run.kg, naming=naming)
                own = Scored(plan.called[run.system], run.system, run.kg, report)
                check_same_questions(release, (*(one.report for one in some), report))
                # Two studies of a release may share a system, e.g. the one without a graph.
                if (own.called, own.graph) not in [(one.called, one.graph) for one in some]:
                    some.append(own)
    for release, path in material.predictions:
        run_of = read_run(path) or {}
        scorer = Scorer(
            release, split=material.split, metrics="gtsqa_exact", resamples=material.resamples,
            seed=material.seed,
        )  # fmt: skip
        graph = str(run_of.get("kg") or ("incomplete" if release.graphs else "complete"))
        given_naming = str(run_of["naming"]) if "naming" in run_of else None
        report = scorer(path, kg=graph, naming=given_naming)
        name, model = str(run_of.get("system") or ""), run_of.get("model")
        called = f"{name or path.stem}, {model}" if model else name or path.stem
        _, some = found.setdefault(release.identity, (release, []))
        check_same_questions(release, (*(one.report for one in some), report))
        some.append(Scored(called, name, graph, report))
    return list(found.values())


def of_kinds(material: Material, *kinds: str) -> list[tuple[Release, list[Scored]]]:
    """The releases of some kinds that systems answered, with these.

    Raises:
        LackingError: There is none.
    """
    found = [(release, some) for release, some in _scored(material) if release.kind in kinds]
    if not found:
        raise LackingError(f"a study or predictions of a release of the kind {' or '.join(kinds)}")
    return found


def on_graphs(material: Material) -> Iterator[tuple[str, str, list[Scored], Release]]:
    """An id, where it is in words, the systems and the release, for each graph of each release.

    Raises:
        LackingError: None was given.
    """
    found = of_kinds(material, KIND)
    for release, some in found:
        graphs = sorted({one.graph for one in some}, key=lambda graph: (graph != "complete", graph))
        for graph in graphs:
            id_ = f"{release.name}-{graph}" if len(found) > 1 else graph
            where = f"{graph} graph, {asked(some[0].report)} of {release.name}"
            yield id_, where, [one for one in some if one.graph == graph], release


def asked(report: Report) -> str:
    """How many questions of which split, in words."""
    return f"{report.n:,} questions ({report.split})"


def _scores(report: Report) -> tuple[Score, ...]:
    """The columns of the benchmark, over all questions."""
    others = () if report.others is None else report.others.scores
    exact = {one.metric: one.score for one in others if one.subset == "all"}
    return (
        *(exact.get(name, NONE) for name in EXACT),
        *(report.overall.get(name, NONE) for name in RETRIEVED),
    )


def benchmark(material: Material) -> Made:
    """Table 2: answers and what was retrieved, in one row for each system."""
    yield from _benchmarks(of_kinds(material, KIND))


def other_sets(material: Material) -> Made:
    """Table 7: the same for data sets of others, imported."""
    yield from _benchmarks(of_kinds(material, "imported"))


def _benchmarks(found: Sequence[tuple[Release, list[Scored]]]) -> Made:
    for release, some in found:
        ordered = sorted(some, key=lambda one: one.graph != "complete")
        rows: tuple[Values, ...] = tuple(
            (one.called, one.graph, *_scores(one.report)) for one in ordered
        )
        title = f"Systems on {release.name}, {asked(some[0].report)}"
        note = "Hits and recall by exact match, over all questions; a dash where it does not say."
        id_ = release.name if len(found) > 1 else ""
        yield Table(id_, title, ("system", "graph", *COLUMNS), rows, (note,), SHOW)


def _questions(release: Release, report: Report) -> list[Question]:
    known = {q.id: q for q in release.questions()}
    return [known[id_] for id_ in report.ids]


def _groups(
    release: Release,
    report: Report,
    label: Callable[[Question], Sequence[str]],
    order: Sequence[str],
) -> Breakdown:
    """Questions by label; groups of none are left out."""
    of_each = [label(q) for q in _questions(release, report)]
    names = tuple(name for name in order if any(name in own for own in of_each))
    members = np.array([[name in own for own in of_each] for name in names], np.bool_)
    return Breakdown("group", names, members.reshape(len(names), len(of_each)))


def _rows(report: Report, groups: Breakdown) -> dict[str, Row]:
    found = rows_of(
        report.scores, report.clusters, (groups,), report.resamples, report.seed, estimates,
        report.columns, report.metrics,
    )  # fmt: skip
    return {row.group: row for row in found}


def _by_shape(release: Release, report: Report) -> Breakdown:
    return _groups(release, report, lambda q: (q.shape,), shapes_of(_questions(release, report)))


def by_shape(metric: str) -> Callable[[Material], Made]:
    """Figures 2 and 10: a score by shape.

    Args:
        metric: The score.
    """

    def make(material: Material) -> Made:
        any_found = False
        for id_, where, some, release in on_graphs(material):
            having = [one for one in some if metric in one.report.metrics]
            if not having:
                continue
            any_found = True
            rows = {one.called: _rows(one.report, _by_shape(release, one.report)) for one in having}
            first = next(iter(rows.values()))
            sizes = {shape: row.n for shape, row in first.items()}
            counts = ", ".join(f"{shape}: {marked(n)}" for shape, n in sizes.items())
            title = "Hits@Any" if metric == "hits_any" else "Ground-truth triple recall"
            yield Picture(
                id_,
                f"{title} by graph isomorphism, {where}",
                " ".join([f"{title} ({counts}).", *few_notes(sizes.values())]),
                "bars",
                "graph isomorphism",
                f"{title}, percent",
                tuple(sizes),
                tuple(
                    Series(
                        called, tuple(own[s].scores[metric] if s in own else None for s in sizes)
                    )
                    for called, own in rows.items()
                ),
                tuple(sizes.values()),
            )
        if not any_found:
            raise LackingError(_RETRIEVERS)

    return make


def _closed(some: Sequence[Scored]) -> Scored | None:
    """The system without a graph that gains are over."""
    for name in CLOSED:
        for one in some:
            if one.options()[0] == name:
                return one
    return None


def _gains(one: Scored, base: Scored, groups: Breakdown) -> dict[str, Score]:
    """By how much its Hits@Any is higher, by group; paired."""
    first, second = (replace(report, groups=(groups,)) for report in (one.report, base.report))
    rows = compare({one.called: first, base.called: second}, ("hits_any",), broken_down=True).rows
    return {row.group: row.difference for row in rows}


def _with_base(material: Material) -> Iterator[tuple[str, str, list[Scored], Release, Scored]]:
    """Systems beside the one without a graph, which is the same on every graph."""
    every = {id(release): some for release, some in of_kinds(material, KIND)}
    lacking = True
    for id_, where, some, release in on_graphs(material):
        base = _closed(some) or _closed(every[id(release)])
        others = [] if base is None else [one for one in some if one.name != base.name]
        others = [one for one in others if base and one.report.ids == base.report.ids]
        if base is not None and others:
            lacking = False
            yield id_, where, others, release, base
    if lacking:
        raise LackingError("a study of closed-book (or prior) beside other systems")


def gains_by_type(material: Material) -> Made:
    """Figure 3: what a system gains over a closed book, by what training lacks of a question."""
    for id_, where, some, release, base in _with_base(material):
        groups = _groups(release, base.report, lambda q: q.block.test_type, tuple(TYPES))
        rows: list[Values] = []
        of_each = [(o, _gains(o, base, groups), _rows(o.report, groups)) for o in some]
        for group in groups.groups:
            rows.append((TYPES[group],))
            for one, gained, own in of_each:
                shown = (own[group].scores.get(metric, NONE) for metric in OF_GAINS)
                rows.append((one.called, own[group].n, gained[group], *shown))
        gain = GAIN.format(base.called)
        header = ("system", "n", gain, *GAIN_COLUMNS)
        title = f"By what training lacks, {where}"
        note = f"{gain}: points of {TITLES['hits_any']}, paired."
        if groups.groups:
            yield Table(id_, title, header, tuple(rows), (note, BOTH_UNSEEN), {gain: points})


def gains_by_shape(material: Material) -> Made:
    """Figure 11: the same by shape, a table for each system."""
    for id_, where, some, release, base in _with_base(material):
        order = shapes_of(_questions(release, base.report))
        cells = tuple(f"{kind}|{shape}" for kind in TYPES for shape in order)
        groups = _groups(
            release,
            base.report,
            lambda q: [f"{kind}|{q.shape}" for kind in q.block.test_type],
            cells,
        )
        gain = GAIN.format(base.called)
        for number, one in enumerate(some, start=1):
            gained, own = _gains(one, base, groups), _rows(one.report, groups)
            rows: list[Values] = []
            last = ""
            for cell in groups.groups:
                kind, shape = cell.split("|", 1)
                if kind != last:
                    rows.append((TYPES[kind],))
                    last = kind
                shown = (own[cell].scores.get(metric, NONE) for metric in OF_GAINS)
                rows.append((shape, own[cell].n, gained[cell], *shown))
            header = ("graph isomorphism", "n", gain, *GAIN_COLUMNS)
            title = f"{one.called} by what training lacks, {where}"
            if rows:
                yield Table(
                    f"{id_}-{number}", title, header, tuple(rows), (BOTH_UNSEEN,), {gain: points}
                )


def correlations(material: Material) -> Made:
    """Figure 13: over shapes, hits beside the recall of triples and of answer nodes, mean of systems."""
    any_found = False
    for id_, where, every, release in on_graphs(material):
        some = [one for one in every if one.retrieves]
        if not some:
            continue
        any_found = True
        of_each = [_rows(one.report, _by_shape(release, one.report)) for one in some]
        metrics = ("triple_recall", "answer_recall", "hits_any")
        means: dict[str, list[float | None]] = {}
        for shape in of_each[0]:
            means[shape] = [
                _mean_of(o[shape].scores.get(m, NONE) for o in of_each) for m in metrics
            ]
        rows: tuple[Values, ...] = tuple(
            (shape, of_each[0][shape].n, *(Score(v, None, None) for v in own))
            for shape, own in means.items()
        )
        notes = (
            f"Pearson's r with Hits@Any over shapes: triple recall {_pearson(means, 0)}, answer node recall "
            f"{_pearson(means, 1)}.",
            f"Means of {', '.join(one.called for one in some)}.",
        )
        header = ("graph isomorphism", "n", "triple recall", "answer node recall", "Hits@Any")
        yield Table(id_, f"Retrieval and hits by graph isomorphism, {where}", header, rows, notes)
    if not any_found:
        raise LackingError(_RETRIEVERS)


def _mean_of(scores: Iterable[Score]) -> float | None:
    return mean([one.value for one in scores if one.value is not None])


def _pearson(means: Mapping[str, Sequence[float | None]], place: int) -> str:
    """The correlation with the last column; – where either is the same throughout."""
    pairs = [(own[place], own[-1]) for own in means.values()]
    known = [(x, y) for x, y in pairs if x is not None and y is not None]
    columns = list(zip(*known, strict=True))
    if len(known) < 2 or any(len(set(column)) < 2 for column in columns):
        return "–"
    return f"{correlation(*columns):+.2f}"


def more_triples(material: Material) -> Made:
    """Figure 14: hits and recall of a retriever as it is asked for more triples."""
    any_found = False
    for id_, where, some, _ in on_graphs(material):
        families: dict[str, dict[int, Report]] = {}
        for one in some:
            base, options = one.options()
            if one.retrieves and (k := one.triples_asked()) is not None:
                rest = [f"{key}={value}" for key, value in options.items() if key != "k"]
                families.setdefault(":".join([base, *rest]), {})[k] = one.report
        several = {called: by_k for called, by_k in families.items() if len(by_k) > 1}
        for number, (called, by_k) in enumerate(several.items(), start=1):
            any_found = True
            ks = sorted(by_k)
            series = tuple(
                Series(shown, tuple(by_k[k].overall.get(metric) for k in ks))
                for metric, shown in (
                    ("hits_any", "Hits@Any"), ("triple_recall", "triple recall"),
                    ("answer_recall", "answer node recall"),
                )
            )  # fmt: skip
            title = f"{called} as it is asked for more triples, {where}"
            caption = "Over all questions."
            across = "triples asked for (k)"
            yield Picture(
                f"{id_}-{number}", title, caption, "lines", across, "percent", tuple(ks), series
            )
    if not any_found:
        raise LackingError("a study of a retriever with several k, e.g. bm25:k=10 and bm25:k=100")


def by_labels(material: Material) -> Made:
    """Table 4: retrievers trained on shortest paths and on the ground truth, mean over seeds."""
    any_found = False
    for id_, where, some, _ in on_graphs(material):
        runs: dict[tuple[str, str], list[Report]] = {}
        for one in some:
            base, options = one.options()
            if base == TRAINED:
                rest = [f"{k}={v}" for k, v in options.items() if k not in ("labels", "seed")]
                key = ":".join([base, *rest]), options.get("labels", "evidence")
                runs.setdefault(key, []).append(one.report)
        if not runs:
            continue
        any_found = True
        found = {key: _mean_scores(reports) for key, reports in sorted(runs.items())}
        rows: list[Values] = []
        for (called, labels), scores in found.items():
            rows.append((called, labels, str(len(runs[called, labels])), *scores))
            other = found.get((called, "evidence"))
            if labels == "shortest" and other:
                changes = (_change(old, new) for old, new in zip(scores, other, strict=True))
                rows.append((called, "evidence against shortest", "", *changes))
                tested = _tested(runs[called, "evidence"], runs[called, "shortest"])
                rows.append((called, "p", "", *tested))
        header = ("retriever", "trained on", "runs", *COLUMNS)
        notes = (
            "Means over runs of different seeds; evidence against shortest is the change in percent.",
            "p, where single questions have scores: a one-sided two-sample t-test, the questions of all runs "
            "taken as independent.",
        )
        yield Table(
            id_, f"What a retriever is trained on, {where}", header, tuple(rows), notes, SHOW
        )
    if not any_found:
        raise LackingError(f"a study of {TRAINED}:labels=shortest and {TRAINED}:labels=evidence")


def _mean_scores(reports: Sequence[Report]) -> list[Score]:
    columns = zip(*map(_scores, reports), strict=True)
    return [Score(_mean_of(column), None, None) for column in columns]


def _tested(new: Sequence[Report], old: Sequence[Report]) -> Iterator[str]:
    """How likely it is, by column, that the new reports are no better."""
    yield from ["–"] * len(EXACT)
    for metric in RETRIEVED:
        yield p_value(t_test(*(_of_questions(reports, metric) for reports in (new, old))))


def _of_questions(reports: Sequence[Report], metric: str) -> Floats:
    columns = [r.scores[:, r.columns.index(metric)] for r in reports if metric in r.columns]
    found: Floats = np.concatenate([np.empty(0), *columns])
    return found[~np.isnan(found)]


def t_test(higher: Floats, lower: Floats) -> float | None:
    """The p of Student's one-sided two-sample test, that the mean of the first is not the higher one.

    None with fewer than four values, or where nothing varies. The distribution: Abramowitz and Stegun, 26.7.3
    and 26.7.4.
    """
    free = len(higher) + len(lower) - 2
    within = sum(math.fsum(((some - some.mean()) ** 2).tolist()) for some in (higher, lower))
    if free < 2 or not within:
        return None
    spread = math.sqrt(within / free * (1 / len(higher) + 1 / len(lower)))
    angle = math.atan((higher.mean() - lower.mean()) / spread / math.sqrt(free))
    term = total = math.cos(angle) if free % 2 else 1.0
    for k in range(2 + free % 2, free, 2):
        term *= (k - 1) / k * math.cos(angle) ** 2
        total += term
    between = math.sin(angle) * total
    return (1 - (2 / math.pi * (angle + between) if free % 2 else between)) / 2


def _change(old: Score, new: Score) -> str:
    if not old.value or new.value is None:
        return "–"
    return f"{100 * (new.value / old.value - 1):+.0f} %"


UNKNOWN = (
    "What it shows is not known to this list, which was made from the paper's public analysis."
)

SYNTHKGQA = Paper(
    name="synthkgqa",
    title="SynthKGQA (Cattaneo et al.)",
    version="arXiv 2511.04473v1",
    exhibits=(
        Exhibit("Table 1", "statistics of the data set", statistics),
        Exhibit("Table 2", "systems: answers and what was retrieved", benchmark),
        Exhibit(
            "Table 3",
            "transfer of trained retrievers to Mintaka",
            why="There is no reader of Mintaka, and its questions have no graph of their own.",
        ),
        Exhibit(
            "Table 4", "retrievers trained on shortest paths and on the ground truth", by_labels
        ),
        Exhibit("Table 5", "graph isomorphisms in training and test", by_class),
        Exhibit("Table 6", "ground truth and shortest paths by hops", supervision),
        Exhibit(
            "Table 7",
            "systems on other data sets",
            other_sets,
            "WebQSP and CWQ after `rulemine import`; Mintaka has no reader.",
        ),
        Exhibit("Table 8", "not described here", why=UNKNOWN),
        Exhibit(
            "Table 9",
            "trained retrievers, by run",
            why="Table 2 has a row for each run of a study, Table 4 their means.",
        ),
        Exhibit(
            "Figure 1",
            "how questions come about",
            why="A drawing; docs/subgraphs.md has it in words.",
        ),
        Exhibit("Figure 2", "hits by graph isomorphism", by_shape("hits_any")),
        Exhibit("Figure 3", "gains over a closed book, by what training lacks", gains_by_type),
        Exhibit(
            "Figure 4",
            "hits of a model shown the shortest paths, by the share of ground truth on them",
            why="`rulemine export supervision --model NAME` makes it, with Pearson's r: a model is asked.",
        ),
        Exhibit("Figure 5", "seed nodes, hops and answers", sizes_of_questions),
        Exhibit("Figure 6", "edges of the evidence", sizes_of_evidence),
        Exhibit("Figure 7", "relation types by frequency", relations),
        Exhibit("Figure 8", "complete and minimal graph isomorphisms", minimal_shapes),
        Exhibit("Figure 9", "shortest paths from seeds to answers", paths),
        Exhibit("Figure 10", "triple recall by graph isomorphism", by_shape("triple_recall")),
        Exhibit("Figure 11", "gains by graph isomorphism, by what training lacks", gains_by_shape),
        Exhibit("Figure 12", "not described here", why=UNKNOWN),
        Exhibit("Figure 13", "retrieval and hits over graph isomorphisms", correlations),
        Exhibit("Figure 14", "hits by the number of retrieved triples", more_triples),
    ),
)
