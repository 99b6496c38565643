"""The tables and figures of SynthKGQA, of releases of the kind ``subgraphs`` and of systems on them.

Pairs of a seed and an answer are those of one derivation. What is scored is made for the complete graph,
which is that of the paper, and for the one that lacks most. Hits and recall of whole sets of questions are by
exact match, as in the paper (the metrics ``gtsqa_exact``); those of groups are Hits@Any.
"""

import math
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import accumulate, product
from statistics import StatisticsError, correlation, fmean
from typing import Any

import numpy as np

from rulemine.errors import RulemineError
from rulemine.evaluation.answerers.registry import find_answerer
from rulemine.evaluation.reporting.report import Frame
from rulemine.evaluation.statistics.bootstrap import Floats, Resamples, difference, named_means
from rulemine.evaluation.statistics.score import Score
from rulemine.evaluation.supervision.shortest_paths import ShortestPaths
from rulemine.evaluation.supervision.supervision import distances_along, report_supervision
from rulemine.papers.material import Material, ScoredSystem
from rulemine.papers.paper import Made, Maker, Paper, bars, each, frame_of, share
from rulemine.query.structures import STRUCTURES
from rulemine.release.reader import Release
from rulemine.release.records import SPLITS, Question
from rulemine.text.tables import Table, Values, one_decimal, p_value, points, under_headings

__all__ = ["SYNTHKGQA", "t_test"]

KIND = "subgraphs"

SHAPE = "graph isomorphism"

TYPES = {
    "id": "in distribution",
    "urt": "unseen relation type",
    "ugt": "unseen graph type",
}
"""What training lacks of a test question → in words."""

RARE = 0.005
"""Below this share of the training questions a shape is one of the others."""

STATISTICS = {
    "questions": "questions",
    "relations": "relation types",
    "entities": "unique entities",
    "shapes": "unique graph isomorphisms",
    "topics": "mean seed nodes",
    "hops": "mean hops",
    "answers": "mean answers",
    "evidence": "mean ground-truth edges",
}
"""Column of the statistics of a release → as the paper calls it."""

BENCHMARK = {
    "gtsqa_exact_hits": "hits",
    "gtsqa_exact_recall": "recall",
    "triple_recall": "triple recall",
    "triple_precision": "triple precision",
    "triple_f1": "triple F1",
    "answer_hit": "answer node hits",
    "answer_recall": "answer node recall",
    "retrieved": "triples retrieved",
}
"""Scores of the benchmark → columns."""

TRAINING = {
    "hits_any": "hits",
    "triple_recall": "triple recall",
    "triple_precision": "triple precision",
    "answer_recall": "answer node recall",
}
"""Scores that show what a retriever was trained on → what tables call them."""

GROWING = ("hits_any", "triple_recall", "answer_recall")
"""The scores that rise when more triples are retrieved."""

CLOSED = ("closed-book", "prior", "random")
"""Systems that see no graph, so that every graph gives them the same scores; gains are measured over the
first of them that was run."""


def shapes_of(questions: Iterable[Question]) -> list[str]:
    """The shapes of questions, those of fewer triples first."""
    triples: dict[str, int] = {}
    for q in questions:
        triples[q.shape] = min(len(q.block.triples), triples.get(q.shape, len(q.block.triples)))
    return sorted(triples, key=lambda shape: (triples[shape], shape))


def _plain(values: Iterable[float | None]) -> Iterator[Score]:
    """Numbers as scores without intervals."""
    return (Score(value, None, None) for value in values)


# Of the questions


def _statistics(name: str, release: Release, _: Material) -> Made:
    """Table 1: the statistics by split."""
    of_split = release.manifest["counts"]["statistics"]
    splits = [one for one in (*SPLITS, "all") if of_split[one]["questions"]]
    rows = [(called, *(of_split[s][key] for s in splits)) for key, called in STATISTICS.items()]
    asked = (release.questions(s if s in SPLITS else None) for s in splits)
    redundant = (sum(q.block.redundant for q in some) for some in asked)
    rows.append(("questions with redundant information", *redundant))
    yield Table("", f"statistics of {name}", ("statistic", *splits), tuple(rows))


def _by_class(name: str, release: Release, _: Material) -> Made:
    """Table 5: shapes in training and in the three classes of test questions."""
    train, test = release.questions("train"), release.questions("test")
    classes = {"train": ([q.shape for q in train], len(train))} | {
        called: ([q.shape for q in test if q.block.test_type[:1] == (key,)], len(test))
        for key, called in TYPES.items()
    }
    rows: list[Values] = []
    for shape in (*shapes_of((*train, *test)), "all"):
        counts = [(sum(shape in (s, "all") for s in own), of) for own, of in classes.values()]
        rows.append((shape, *(cell for n, of in counts for cell in (n, share(n, of)))))
    yield Table(
        "", f"graph isomorphisms in training and test of {name}",
        (SHAPE, *(column for called in classes for column in (called, f"{called}, %"))), tuple(rows),
        (
            "Percentages are of the training, or of the test questions. A test question with a graph type "
            "and a relation type unseen counts as the former.",
        ),
    )  # fmt: skip


def _spread(*what: tuple[str, int, Callable[[Question], int]]) -> Maker:
    """Figures 6 and 7: how numbers are spread over the training, and over the test questions.

    Args:
        what: What is counted, from how many on it is one group, and how it is counted.
    """

    def make(name: str, release: Release, _: Material) -> Made:
        for across, most, size in what:
            counts = {
                split: Counter(min(size(q), most) for q in release.questions(split))
                for split in ("train", "test")
            }
            top = max((n for own in counts.values() for n in own), default=0)
            named = {n: f"{n}+" if n == most else str(n) for n in range(top + 1)}
            shown = {s: {named[n]: hits for n, hits in own.items()} for s, own in counts.items()}
            yield bars(
                across, f"The share of the questions of each split of {name}.", across, "questions", shown,
                [*named.values()][1:],
            )  # fmt: skip

    return each(make, KIND)


def _relations(name: str, release: Release, _: Material) -> Made:
    """Figure 5: how often each relation is in the ground truth, the most frequent first."""
    train, test = (
        Counter(r for q in release.questions(split) for _, r, _ in q.evidence)
        for split in ("train", "test")
    )
    both = train + test
    ordered = sorted(both, key=lambda name: (-both[name], name))
    so_far = accumulate(both[relation] for relation in ordered)
    yield Table(
        "", f"relation types in the ground truth of {name}", ("relation", "train", "test", "cumulative"),
        tuple(
            (relation, train[relation], test[relation], share(n, both.total()))
            for relation, n in zip(ordered, so_far, strict=True)
        ),
    )  # fmt: skip


def _minimal_shapes(name: str, release: Release, _: Material) -> Made:
    """Figure 8: shapes of training questions, and of their smallest minimal queries."""
    train = release.questions("train")
    counts = {
        "complete": Counter(q.shape for q in train),
        "minimal": Counter(q.block.minimal_shape for q in train),
    }
    known = dict.fromkeys([*shapes_of(train), *sorted(counts["minimal"])])
    shown = [s for s in known if max(n[s] for n in counts.values()) >= RARE * len(train)]
    for own in counts.values():
        own["other"] = own.total() - sum(own[shape] for shape in shown)
    yield bars(
        f"graph isomorphisms of the training questions of {name}",
        "Of questions with redundant information, minimal is the smallest query.",
        SHAPE, "questions", counts, [*shown, "other"], dict.fromkeys(counts, len(train)),
    )  # fmt: skip


def _supervision(name: str, release: Release, material: Material) -> Made:
    """Table 6: the ground truth beside the triples on all shortest paths, by hops."""
    if release.questions(material.split):
        document = report_supervision(release, "complete", split=material.split)
        tables = {table.id: table for table in document.every_table()}
        every = tables["questions"]
        yield replace(
            every, id="", notes=document.notes,
            title=f"ground truth and shortest paths, split {material.split or 'all'} of {name}",
            header=("hops", *every.header[1:]),
            rows=(*tables.get("hops", replace(every, rows=())).rows, *every.rows),
        )  # fmt: skip


def _paths(name: str, release: Release, _: Material) -> Made:
    """Figure 9: how many shortest paths join a seed and the answer, and how long they are."""
    graph = release.kg("complete")
    search, ids = ShortestPaths(graph), graph.entity_ids
    by_length: dict[int, list[tuple[int, int]]] = {}
    for q in release.questions("train"):
        for seed in q.anchors:
            if far := distances_along(q.block.triples, seed).get(q.block.answer):
                way = search.between(ids[seed], np.array([ids[q.block.answer]], np.int64))
                by_length.setdefault(far, []).append((int(way.distances[0]), way.paths))
    rows: list[Values] = [
        (str(far), len(some), *map(fmean, zip(*some, strict=True)))
        for far, some in sorted(by_length.items())
    ]
    header = (
        "ground-truth path length", "n", "length of shortest paths", "number of shortest paths"
    )  # fmt: skip
    yield Table(
        "", f"paths from a seed to the answer, training questions of {name}", header, tuple(rows),
        ("Pairs of a seed and an answer that the ground truth joins, by one path each.",),
        dict.fromkeys(header[2:], one_decimal),
    )  # fmt: skip


# Of systems


def _on_graphs(material: Material, kind: str = KIND) -> Iterator[tuple[str, list[ScoredSystem]]]:
    """Where it is in words, and the systems, for each graph of each release, the complete one first."""
    for name, systems in material.systems(kind):
        for level in sorted({one.level for one in systems}):
            some = [one for one in systems if one.level == level]
            report = some[0].report
            yield f"{report.kg} graph, {report.n:,} questions ({report.split}) of {name}", some


def _alike(
    some: Iterable[ScoredSystem], option: str, *others: str
) -> dict[str, dict[str, list[ScoredSystem]]]:
    """Groups systems that differ in one option alone: name without it and `others` → value → systems."""
    found: dict[str, dict[str, list[ScoredSystem]]] = {}
    for one in some:
        base, *given = one.system.split(":")
        options = dict(part.split("=", 1) for part in given if "=" in part)
        value = options.get(option)
        with suppress(RulemineError):  # predictions of somebody else's system
            value = getattr(find_answerer(one.system), option, None)
        if value is not None:
            rest = [f"{k}={v}" for k, v in options.items() if k not in (option, *others)]
            of = found.setdefault(":".join([base, *rest]), {})
            of.setdefault(str(value), []).append(one)
    return found


def _benchmark(material: Material, kind: str = KIND) -> Made:
    """Tables 2 and 7: answers and what was retrieved, in one row for each system."""
    for where, some in _on_graphs(material, kind):
        frame = frame_of(where, some).where(breakdown="all", metric=[*BENCHMARK])
        columns = [m for m in BENCHMARK if frame.where(metric=m).rows]
        made = frame.table("", f"systems on the {where}", columns, rows=("system",))
        yield replace(
            made, header=("system", *map(BENCHMARK.__getitem__, columns)),
            notes=("Hits and recall by exact match; – where a system does not say what it retrieved.",),
            show={BENCHMARK["retrieved"]: one_decimal},
        )  # fmt: skip


def _shaped(where: str, some: Sequence[ScoredSystem]) -> tuple[Frame, list[str]]:
    """Scores by shape, and the shapes, those of fewer triples first."""
    rows = frame_of(where, some).where(breakdown="structure").rows
    named = tuple(row._replace(group=STRUCTURES.get(row.group, row.group)) for row in rows)
    shapes = shapes_of(some[0].release.questions()) if some else []
    return Frame(named), [shape for shape in shapes if any(row.group == shape for row in named)]


def _by_shape(material: Material, metric: str, title: str) -> Made:
    """Figures 2 and 10: a score by shape."""
    for where, some in _on_graphs(material):
        frame, shapes = _shaped(where, some)
        yield frame.where(metric=metric).picture("", f"{title}, {where}", "", shapes, across=SHAPE)


def _gains(material: Material, by_shape: bool = False) -> Made:
    """Figures 3 and 11: gains over a system without a graph, by what training lacks of a question.

    Args:
        material: What was given.
        by_shape: Whether by shape, too.
    """
    for where, some in _on_graphs(material):
        every = [o for o in material.answered if o.release.path == some[0].release.path]
        closed = [o for name in CLOSED for o in every if o.system.split(":")[0] == name]
        for base in closed[:1]:
            known = {q.id: q for q in base.release.questions()}
            asked = [known[id_] for id_ in base.report.ids]
            rows: list[tuple[str, Values]] = []
            for kind, shape in product(TYPES, shapes_of(asked) if by_shape else [""]):
                own = [kind in q.block.test_type and shape in ("", q.shape) for q in asked]
                for one in [one for one in some if any(own) and one.called != base.called]:
                    label = f"{shape}, {one.called}" if shape else one.called
                    rows.append((TYPES[kind], (label, sum(own), *_gained(one, base, own))))
            gain, label = f"hits beyond {base.called}", f"{SHAPE}, " * by_shape + "system"
            yield Table(
                "", f"by what training lacks, {where}",
                (label, "n", gain, "answer node recall", "triple recall"), under_headings(rows),
                ("Points of Hits@Any, paired. A question with both unseen counts in both.",),
                {gain: points},
            )  # fmt: skip


def _gained(one: ScoredSystem, base: ScoredSystem, members: Sequence[bool]) -> list[Score]:
    """By how much Hits@Any is higher on some questions, paired; the recall of answer nodes, of triples."""
    columns = {"one": one.column("hits_any"), "base": base.column("hits_any")}
    columns |= {metric: one.column(metric) for metric in ("answer_recall", "triple_recall")}
    report, table = one.report, np.column_stack([*columns.values()])
    asked = np.array([members], np.bool_)
    sampled = Resamples(table, report.clusters, asked, report.resamples, report.seed).means(0)
    own, other, *recall = named_means(sampled, [*columns], core=False).values()
    return [difference(own, other), *(mean.score() for mean in recall)]


def _correlations(material: Material) -> Made:
    """Figure 13: over shapes, hits beside the recall of triples and of answer nodes, mean of systems."""
    for where, every in _on_graphs(material):
        some = [one for one in every if one.retrieves]
        frame, shapes = _shaped(where, some)
        means = [
            [_mean_of(frame.where(group=s, metric=m)) for s in shapes]
            for m in (*GROWING[1:], GROWING[0])
        ]
        sizes = (frame.where(group=shape).rows[0].n for shape in shapes)
        rows: Any = zip(shapes, sizes, *map(_plain, means), strict=True)
        notes = (
            f"Pearson's r with Hits@Any over shapes: triple recall {_pearson(means[0], means[2])}, answer "
            f"node recall {_pearson(means[1], means[2])}.",
            f"Means of {', '.join(one.called for one in some)}.",
        )
        yield Table(
            "", f"retrieval and hits by {SHAPE}, {where}",
            (SHAPE, "n", "triple recall", "answer node recall", "Hits@Any"), tuple(rows), notes,
        )  # fmt: skip


def _mean_of(frame: Frame) -> float | None:
    values = [row.score.value for row in frame.rows if row.score.value is not None]
    return fmean(values) if values else None


def _pearson(some: Iterable[float | None], others: Iterable[float | None]) -> str:
    """The correlation of numbers; – where either is the same throughout."""
    pairs = zip(some, others, strict=True)
    known = [(x, y) for x, y in pairs if x is not None and y is not None]
    with suppress(StatisticsError):
        return f"{correlation(*zip(*known, strict=True)):+.2f}" if known else "–"
    return "–"


def _more_triples(material: Material) -> Made:
    """Figure 14: hits and recall of a retriever as it is asked for more triples."""
    for where, some in _on_graphs(material):
        for called, by_k in _alike((one for one in some if one.retrieves), "k").items():
            numbers = sorted(int(k) for k in by_k if k.isdigit())
            # The number of triples stands in the place of the level of the graph.
            rows = (
                r._replace(level=k) for k in numbers for r in frame_of("", by_k[str(k)][-1:]).rows
            )
            frame = Frame(tuple(rows)).where(breakdown="all", metric=GROWING)
            if len(numbers) > 1:
                yield frame.picture(
                    "", f"{called} as it is asked for more triples, {where}", "Over all questions.",
                    rows=("metric",), columns="level", kind="lines", across="triples asked for (k)",
                )  # fmt: skip


def _trained(material: Material) -> Iterator[tuple[str, str, dict[str, list[ScoredSystem]]]]:
    """Where, retriever, and its runs, for retrievers that were trained on both."""
    for where, some in _on_graphs(material):
        for called, runs in _alike(some, "labels", "seed").items():
            if {"shortest", "evidence"} <= runs.keys():
                yield where, called, runs


def _trained_on(runs: dict[str, list[ScoredSystem]], **where: str) -> list[float | None]:
    """A score, mean over seeds: of shortest paths, of the ground truth, and the latter over the former."""
    old, new = (_mean_of(frame_of("", runs[of]).where(**where)) for of in ("shortest", "evidence"))
    return [old, new, None if not old or new is None else new / old]


def _by_labels(material: Material) -> Made:
    """Table 4: retrievers trained on shortest paths and on the ground truth, mean over seeds."""
    for where, called, runs in _trained(material):
        rows: list[Values] = []
        for metric, shown in TRAINING.items():
            old, new, ratio = _trained_on(runs, breakdown="all", metric=metric)
            change = None if ratio is None else ratio - 1
            columns = (
                np.concatenate([one.column(metric) for one in runs[of]])
                for of in ("evidence", "shortest")
            )
            p = t_test(*(column[~np.isnan(column)] for column in columns))
            rows.append((shown, *_plain((old, new, change)), p_value(p)))
        yield Table(
            "", f"what {called} is trained on, {where}",
            ("score", "shortest paths", "ground truth", "change, %", "p"), tuple(rows),
            (
                f"Means over runs of different seeds: {len(runs['shortest'])} on shortest paths, "
                f"{len(runs['evidence'])} on the ground truth.",
                "p: a one-sided two-sample t-test, the questions of all runs taken as independent.",
            ),
        )  # fmt: skip


def _by_hops(material: Material) -> Made:
    """Figure 12: the score of training on the ground truth over that of shortest paths, by hops."""
    for where, called, runs in _trained(material):
        frame = frame_of(where, runs["evidence"]).where(breakdown="hops")
        rows = tuple(
            (
                hops,
                n,
                *(_trained_on(runs, breakdown="hops", group=hops, metric=m)[-1] for m in TRAINING),
            )
            for hops, n in dict.fromkeys((row.group, row.n) for row in frame.rows)
        )
        yield Table(
            "", f"ground truth over shortest paths by hops, {called}, {where}",
            ("hops", "n", *TRAINING.values()), rows,
            ("Above 1: training on the ground truth is better. Ratios of means over runs.",),
            dict.fromkeys(TRAINING.values(), "{:.2f}".format),
        )  # fmt: skip


def t_test(higher: Floats, lower: Floats) -> float | None:
    """The p of Student's one-sided two-sample test, that the mean of the first is not the higher one.

    None with fewer than four values, or where nothing varies. The distribution: Abramowitz and Stegun, 26.7.3
    and 26.7.4.
    """
    free = len(higher) + len(lower) - 2
    within = sum(math.fsum(((some - some.mean()) ** 2).tolist()) for some in (higher, lower))
    if free < 2 or not within:
        return None
    spread = math.sqrt(within * (1 / len(higher) + 1 / len(lower)))
    angle, odd = math.atan((higher.mean() - lower.mean()) / spread), free % 2
    steps = ((k - 1) / k * math.cos(angle) ** 2 for k in range(2 + odd, free, 2))
    terms = accumulate(steps, operator.mul, initial=math.cos(angle) if odd else 1.0)
    between = math.sin(angle) * sum(terms) if free > 1 else 0.0
    return (1 - (2 / math.pi * (angle + between) if odd else between)) / 2


SYNTHKGQA = Paper(
    "synthkgqa",
    {
        "Table 1": each(_statistics, KIND),
        "Table 2": _benchmark,
        "Table 4": _by_labels,
        "Table 5": each(_by_class, KIND),
        "Table 6": each(_supervision, KIND),
        "Table 7": lambda material: _benchmark(material, "imported"),
        "Figure 2": lambda material: _by_shape(material, "hits_any", "Hits@Any"),
        "Figure 3": _gains,
        "Figure 5": each(_relations, KIND),
        "Figure 6": _spread(
            ("seed nodes", 10, lambda q: len(q.anchors)),
            ("hops", 10, lambda q: q.hops),
            ("answers", 8, lambda q: len(q.answers)),
        ),
        "Figure 7": _spread(
            ("edges of the ground-truth subgraph", 13, lambda q: len(q.evidence)),
            ("edges of the full answer subgraph", 13, lambda q: len(q.full_evidence)),
        ),
        "Figure 8": each(_minimal_shapes, KIND),
        "Figure 9": each(_paths, KIND),
        "Figure 10": lambda material: _by_shape(material, "triple_recall", "triple recall"),
        "Figure 11": lambda material: _gains(material, by_shape=True),
        "Figure 12": _by_hops,
        "Figure 13": _correlations,
        "Figure 14": _more_triples,
    },
    metrics="gtsqa_exact",
)
