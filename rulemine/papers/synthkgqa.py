"""The tables and figures of SynthKGQA, of releases of the kind ``subgraphs`` and of systems on them.

Pairs of a seed and an answer are those of one derivation. What is scored is made for the complete graph,
which is that of the paper, and for the one that lacks most. Hits and recall of whole sets of questions are by
exact match, as in the paper (the metrics ``gtsqa_exact``); those of groups are Hits@Any.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import correlation

import numpy as np

from rulemine.errors import RulemineError
from rulemine.evaluation.answerers.registry import find_answerer
from rulemine.evaluation.reporting.frame import Frame
from rulemine.evaluation.statistics.bootstrap import (
    Floats,
    Resamples,
    difference,
    named_means,
)
from rulemine.evaluation.statistics.score import Score
from rulemine.evaluation.supervision.shortest_paths import ShortestPaths
from rulemine.evaluation.supervision.supervision import Labeling, distances_along, labelings
from rulemine.papers.material import Material
from rulemine.papers.paper import Made, Paper, each
from rulemine.papers.systems import ScoredSystem, bars, frame_of, share
from rulemine.query.structures import STRUCTURES
from rulemine.release.reader import Release
from rulemine.release.records import SPLITS, Question
from rulemine.text.tables import (
    Table,
    Values,
    one_decimal,
    p_value,
    points,
    under_headings,
)

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
"""Those that grow with the triples that are retrieved."""

CLOSED = ("closed-book", "prior", "random")
"""Systems that are given no graph, and so are the same on every one; those first that gains are best over."""

TRAINED = "trained-retriever"


def shapes_of(questions: Iterable[Question]) -> list[str]:
    """The shapes of questions, those of fewer triples first."""
    triples: dict[str, int] = {}
    for q in questions:
        triples[q.shape] = min(len(q.block.triples), triples.get(q.shape, len(q.block.triples)))
    return sorted(triples, key=lambda shape: (triples[shape], shape))


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


# Of the questions


def _statistics(name: str, release: Release, _: Material) -> Made:
    """Table 1: the statistics by split."""
    of_split = release.manifest["counts"]["statistics"]
    splits = [one for one in (*SPLITS, "all") if of_split[one]["questions"]]
    rows: list[Values] = [
        (called, *(of_split[split][key] for split in splits)) for key, called in STATISTICS.items()
    ]
    asked = (release.questions(s if s in SPLITS else None) for s in splits)
    redundant = (sum(q.block.redundant for q in some) for some in asked)
    rows.append(("questions with redundant information", *redundant))
    yield Table("", f"statistics of {name}", ("statistic", *splits), tuple(rows))


def _by_class(name: str, release: Release, _: Material) -> Made:
    """Table 5: shapes in training and in the three classes of test questions."""
    train, test = release.questions("train"), release.questions("test")
    classes = {"train": Counter(q.shape for q in train)}
    for key, called in TYPES.items():
        classes[called] = Counter(q.shape for q in test if q.block.test_type[:1] == (key,))
    wholes = {called: len(train if called == "train" else test) for called in classes}
    rows: list[Values] = []
    for shape in (*shapes_of((*train, *test)), "all"):
        of_each = [n.total() if shape == "all" else n[shape] for n in classes.values()]
        pairs = zip(of_each, wholes.values(), strict=True)
        rows.append((shape, *(cell for n, of in pairs for cell in (n, share(n, of)))))
    header = (SHAPE, *(column for called in classes for column in (called, f"{called}, %")))
    note = (
        "Percentages are of the training, or of the test questions. A test question with a graph type "
        "and a relation type unseen counts as the former."
    )
    title = f"graph isomorphisms in training and test of {name}"
    yield Table("", title, header, tuple(rows), (note,))


_Sizes = tuple[str, int, Callable[[Question], int]]
"""What is counted, from how many on it is one group, and how it is counted."""


def _spread(*what: _Sizes) -> Callable[[Material], Made]:
    """Figures 6 and 7: how numbers are spread over the training, and over the test questions."""

    def make(name: str, release: Release, _: Material) -> Made:
        for across, most, size in what:
            splits = {s: [size(q) for q in release.questions(s)] for s in ("train", "test")}
            top = min(most, max((n for some in splits.values() for n in some), default=0))
            cells = [
                (split, f"{at}+" if at == most else str(at), share(hits, len(some)))
                for split, some in splits.items()
                for at in range(1, top + 1)
                for hits in [sum(min(n, most) == at for n in some)]
            ]
            caption = f"The share of the questions of each split of {name}."
            yield bars(across, caption, across, "questions", cells)

    return each(make, KIND)


def _relations(name: str, release: Release, _: Material) -> Made:
    """Figure 5: how often each relation is in the ground truth, the most frequent first."""
    of_split = {
        split: Counter(r for q in release.questions(split) for _, r, _ in q.evidence)
        for split in ("train", "test")
    }
    both = of_split["train"] + of_split["test"]
    rows: list[Values] = []
    so_far = 0
    for relation in sorted(both, key=lambda name: (-both[name], name)):
        so_far += both[relation]
        own = (some[relation] for some in of_split.values())
        rows.append((relation, *own, share(so_far, both.total())))
    header = ("relation", "train", "test", "cumulative")
    yield Table("", f"relation types in the ground truth of {name}", header, tuple(rows))


def _minimal_shapes(name: str, release: Release, _: Material) -> Made:
    """Figure 8: shapes of training questions, and of their smallest minimal queries."""
    train = release.questions("train")
    whole = Counter(q.shape for q in train)
    least = Counter(q.block.minimal_shape for q in train)
    known = (*shapes_of(train), *sorted(least.keys() - whole.keys()))
    shown = [s for s in known if max(whole[s], least[s]) >= RARE * len(train)]
    cells = [
        (called, shape, share(n, len(train)))
        for called, some in (("complete", whole), ("minimal", least))
        for shape, n in (
            *((s, some[s]) for s in shown),
            ("other", some.total() - sum(some[s] for s in shown)),
        )
    ]
    caption = "Of questions with redundant information, minimal is the smallest query."
    title = f"graph isomorphisms of the training questions of {name}"
    yield bars(title, caption, SHAPE, "questions", cells)


def _supervision(name: str, release: Release, material: Material) -> Made:
    """Table 6: the ground truth beside the triples on all shortest paths, by hops."""
    by_hops: dict[str, list[Labeling]] = {}
    asked = release.questions(material.split)
    for one in labelings(release.kg("complete"), asked, release.removals()):
        if one.evidence is not None:
            by_hops.setdefault(str(one.question.hops), []).append(one)
    rows = [(hops, *_beside(by_hops[hops])) for hops in sorted(by_hops)]
    rows.append(("all", *_beside([one for some in by_hops.values() for one in some])))
    header = (
        "hops", "n", "ground-truth triples", "triples on shortest paths",
        "ground truth on shortest paths", "shortest paths in ground truth",
    )  # fmt: skip
    title = f"ground truth and shortest paths, split {material.split or 'all'} of {name}"
    yield Table("", title, header, tuple(rows), show=dict.fromkeys(header[2:4], one_decimal))


def _beside(some: Sequence[Labeling]) -> Values:
    both, gold, shortest = [], [], []
    for one in some:
        own = [] if one.evidence is None else one.evidence.tolist()
        both.append(len(set(own) & {*one.shortest.tolist()}))
        gold.append(len(own))
        shortest.append(len(one.shortest))
    found = [_mean([b / n for b, n in zip(both, of, strict=True) if n]) for of in (gold, shortest)]
    shares = (Score(value, None, None) for value in found)
    return len(some), _mean(gold), _mean(shortest), *shares


def _paths(name: str, release: Release, _: Material) -> Made:
    """Figure 9: how many shortest paths join a seed and the answer, and how long they are."""
    by_length: dict[int, list[tuple[int, int]]] = {}
    for far, near, ways in _pairs(release, release.questions("train")):
        by_length.setdefault(far, []).append((near, ways))
    rows = tuple(
        (str(far), len(some), *(_mean(column) for column in zip(*some, strict=True)))
        for far, some in sorted(by_length.items())
    )
    header = (
        "ground-truth path length", "n", "length of shortest paths", "number of shortest paths"
    )  # fmt: skip
    title = f"paths from a seed to the answer, training questions of {name}"
    note = "Pairs of a seed and an answer that the ground truth joins, by one path each."
    yield Table("", title, header, rows, (note,), dict.fromkeys(header[2:], one_decimal))


def _pairs(release: Release, questions: Sequence[Question]) -> Iterator[tuple[int, int, int]]:
    """Of each pair: its distance along the ground truth, and of shortest paths, and how many these are."""
    graph = release.kg("complete")
    search = ShortestPaths(graph)
    for q in questions:
        for seed in q.anchors:
            if far := distances_along(q.block.triples, seed).get(q.block.answer):
                goal = np.array([graph.entity_ids[q.block.answer]], np.int64)
                way = search.between(graph.entity_ids[seed], goal)
                yield far, int(way.distances[0]), way.paths


# Of systems


def _on_graphs(material: Material, kind: str = KIND) -> Iterator[tuple[str, list[ScoredSystem]]]:
    """Where it is in words, and the systems, for each graph of each release, the complete one first."""
    for name, systems in material.systems(kind):
        for level in sorted({one.level for one in systems}):
            some = [one for one in systems if one.level == level]
            report = some[0].report
            yield f"{report.kg} graph, {report.n:,} questions ({report.split}) of {name}", some


def _options(one: ScoredSystem) -> tuple[str, dict[str, str]]:
    """The answerer, and its options."""
    base, *given = one.system.split(":")
    return base, {key: value for key, _, value in (part.partition("=") for part in given)}


def _benchmark(kind: str = KIND) -> Callable[[Material], Made]:
    """Tables 2 and 7: answers and what was retrieved, in one row for each system."""

    def make(material: Material) -> Made:
        note = (
            "Hits and recall by exact match; a dash where a system does not say what it retrieved."
        )
        for where, some in _on_graphs(material, kind):
            frame = frame_of(where, some).where(breakdown="all", metric=[*BENCHMARK])
            columns = [m for m in BENCHMARK if frame.where(metric=m).rows]
            made = frame.table(
                "", f"systems on the {where}", columns, rows=("system",), notes=(note,)
            )
            header = ("system", *map(BENCHMARK.__getitem__, columns))
            yield replace(made, header=header, show={BENCHMARK["retrieved"]: one_decimal})

    return make


def _shaped(where: str, some: Sequence[ScoredSystem]) -> tuple[Frame, list[str]]:
    """Scores by shape, and the shapes, those of fewer triples first."""
    rows = frame_of(where, some).where(breakdown="structure").rows
    named = (row._replace(group=STRUCTURES.get(row.group, row.group)) for row in rows)
    there = {STRUCTURES.get(row.group, row.group) for row in rows}
    shapes = shapes_of(some[0].release.questions()) if some else []
    return Frame(tuple(named)), [shape for shape in shapes if shape in there]


def _by_shape(metric: str, title: str) -> Callable[[Material], Made]:
    """Figures 2 and 10: a score by shape."""

    def make(material: Material) -> Made:
        for where, some in _on_graphs(material):
            frame, shapes = _shaped(where, some)
            own = frame.where(metric=metric)
            yield own.picture("", f"{title}, {where}", "", shapes, across=SHAPE)

    return make


def _gains(by_shape: bool) -> Callable[[Material], Made]:
    """Figures 3 and 11: gains over a system without a graph, by what training lacks of a question.

    Args:
        by_shape: Whether by shape, too.
    """

    def make(material: Material) -> Made:
        for where, some in _on_graphs(material):
            every = [o for o in material.answered if o.release.path == some[0].release.path]
            closed = (o for name in CLOSED for o in every if _options(o)[0] == name)
            if (base := next(closed, None)) is None:
                continue
            others = [one for one in some if one.called != base.called]
            cells = _cells(base, by_shape)
            of_each = [(o.called, _gained(o, base, cells)) for o in others]
            rows: list[tuple[str, Values]] = []
            for cell, members in cells.items():
                kind, _, shape = cell.partition("|")
                for called, gained in of_each:
                    label = f"{shape}, {called}" if shape else called
                    rows.append((TYPES[kind], (label, sum(members), *gained[cell])))
            gain = f"hits beyond {base.called}"
            label = f"{SHAPE}, system" if by_shape else "system"
            header = (label, "n", gain, "answer node recall", "triple recall")
            note = "Points of Hits@Any, paired. A question with both unseen counts in both."
            title = f"by what training lacks, {where}"
            yield Table("", title, header, under_headings(rows), (note,), {gain: points})

    return make


def _cells(base: ScoredSystem, by_shape: bool) -> dict[str, list[bool]]:
    """Which test questions training lacks what of, and of which shape; groups of none are left out."""
    known = {q.id: q for q in base.release.questions()}
    asked = [known[id_] for id_ in base.report.ids]
    found = {
        f"{kind}|{shape}": [kind in q.block.test_type and shape in ("", q.shape) for q in asked]
        for kind in TYPES
        for shape in (shapes_of(asked) if by_shape else [""])
    }
    return {cell: members for cell, members in found.items() if any(members)}


def _gained(
    one: ScoredSystem, base: ScoredSystem, cells: Mapping[str, list[bool]]
) -> dict[str, list[Score]]:
    """By how much its Hits@Any is higher, paired, and the recall of answer nodes and of triples, by group."""
    columns = {"one": one.column("hits_any"), "base": base.column("hits_any")}
    columns |= {metric: one.column(metric) for metric in ("answer_recall", "triple_recall")}
    report, members = one.report, np.array([*cells.values()], np.bool_)
    sampled = Resamples(
        np.column_stack([*columns.values()]),
        report.clusters,
        members,
        report.resamples,
        report.seed,
    )
    found = {}
    for at, cell in enumerate(cells):
        own, other, *recall = named_means(sampled.means(at), [*columns], core=False).values()
        found[cell] = [difference(own, other), *(mean.score() for mean in recall)]
    return found


def _correlations(material: Material) -> Made:
    """Figure 13: over shapes, hits beside the recall of triples and of answer nodes, mean of systems."""
    metrics = (*GROWING[1:], GROWING[0])
    for where, every in _on_graphs(material):
        some = [one for one in every if one.retrieves]
        frame, shapes = _shaped(where, some)
        means = {
            shape: [_mean_of(frame.where(group=shape, metric=metric)) for metric in metrics]
            for shape in shapes
        }
        rows: tuple[Values, ...] = tuple(
            (shape, frame.where(group=shape).rows[0].n, *(Score(v, None, None) for v in own))
            for shape, own in means.items()
        )
        notes = (
            f"Pearson's r with Hits@Any over shapes: triple recall {_pearson(means, 0)}, answer node recall "
            f"{_pearson(means, 1)}.",
            f"Means of {', '.join(one.called for one in some)}.",
        )
        header = (SHAPE, "n", "triple recall", "answer node recall", "Hits@Any")
        yield Table("", f"retrieval and hits by {SHAPE}, {where}", header, rows, notes)


def _mean_of(frame: Frame) -> float | None:
    return _mean([row.score.value for row in frame.rows if row.score.value is not None])


def _pearson(means: Mapping[str, Sequence[float | None]], place: int) -> str:
    """The correlation with the last column; – where either is the same throughout."""
    pairs = [(own[place], own[-1]) for own in means.values()]
    known = [(x, y) for x, y in pairs if x is not None and y is not None]
    columns = list(zip(*known, strict=True))
    if len(known) < 2 or any(len(set(column)) < 2 for column in columns):
        return "–"
    return f"{correlation(*columns):+.2f}"


def _more_triples(material: Material) -> Made:
    """Figure 14: hits and recall of a retriever as it is asked for more triples."""
    for where, some in _on_graphs(material):
        asked = [(k, one) for one in some if one.retrieves and (k := _triples_asked(one))]
        for called in dict.fromkeys(_without(one, "k") for _, one in asked):
            by_k = {k: one for k, one in asked if _without(one, "k") == called}
            cells = [
                (TRAINING[row.metric], k, row.score)
                for k in sorted(by_k)
                for row in frame_of(where, [by_k[k]]).where(breakdown="all", metric=GROWING).rows
            ]
            if len(by_k) > 1:
                title = f"{called} as it is asked for more triples, {where}"
                across = "triples asked for (k)"
                yield bars(title, "Over all questions.", across, "scores", cells, kind="lines")


def _without(one: ScoredSystem, *keys: str) -> str:
    """What a system is called without some of its options."""
    base, options = _options(one)
    return ":".join([base, *(f"{k}={v}" for k, v in options.items() if k not in keys)])


def _triples_asked(one: ScoredSystem) -> int | None:
    """The option ``k`` of the answerer, given or not; None where it has none."""
    try:
        found = getattr(find_answerer(one.system), "k", None)
    except RulemineError:  # predictions of somebody else's system
        found = _options(one)[1].get("k")
    return int(str(found)) if str(found).isdigit() else None


_Runs = dict[str, list[ScoredSystem]]
"""What a retriever was trained on → its runs, of different seeds."""


def _trained(material: Material) -> Iterator[tuple[str, str, _Runs]]:
    """Where, retriever, and its runs, for retrievers that were trained on both."""
    for where, some in _on_graphs(material):
        found: dict[str, _Runs] = {}
        for one in some:
            base, options = _options(one)
            if base == TRAINED:
                of = found.setdefault(_without(one, "labels", "seed"), {})
                of.setdefault(options.get("labels", "evidence"), []).append(one)
        for called, runs in found.items():
            if {"shortest", "evidence"} <= runs.keys():
                yield where, called, runs


def _trained_on(runs: _Runs, **where: str) -> tuple[float | None, float | None, float | None]:
    """A score, mean over seeds: of shortest paths, of the ground truth, and the latter over the former."""
    old, new = (_mean_of(frame_of("", runs[of]).where(**where)) for of in ("shortest", "evidence"))
    return old, new, None if not old or new is None else new / old


def _by_labels(material: Material) -> Made:
    """Table 4: retrievers trained on shortest paths and on the ground truth, mean over seeds."""
    for where, called, runs in _trained(material):
        rows: list[Values] = []
        for metric, shown in TRAINING.items():
            old, new, ratio = _trained_on(runs, breakdown="all", metric=metric)
            tested = t_test(*(_of_questions(runs[of], metric) for of in ("evidence", "shortest")))
            values = (old, new, None if ratio is None else ratio - 1)
            rows.append((shown, *(Score(v, None, None) for v in values), p_value(tested)))
        header = ("score", "shortest paths", "ground truth", "change, %", "p")
        notes = (
            f"Means over runs of different seeds: {len(runs['shortest'])} on shortest paths, "
            f"{len(runs['evidence'])} on the ground truth.",
            "p: a one-sided two-sample t-test, the questions of all runs taken as independent.",
        )
        yield Table("", f"what {called} is trained on, {where}", header, tuple(rows), notes)


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
        title = f"ground truth over shortest paths by hops, {called}, {where}"
        show = dict.fromkeys(TRAINING.values(), "{:.2f}".format)
        note = "Above 1: training on the ground truth is better. Ratios of means over runs."
        yield Table("", title, ("hops", "n", *TRAINING.values()), rows, (note,), show)


def _of_questions(some: Sequence[ScoredSystem], metric: str) -> Floats:
    found: Floats = np.concatenate([one.column(metric) for one in some])
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


SYNTHKGQA = Paper(
    "synthkgqa",
    {
        "Table 1": each(_statistics, KIND),
        "Table 2": _benchmark(),
        "Table 4": _by_labels,
        "Table 5": each(_by_class, KIND),
        "Table 6": each(_supervision, KIND),
        "Table 7": _benchmark("imported"),
        "Figure 2": _by_shape("hits_any", "Hits@Any"),
        "Figure 3": _gains(by_shape=False),
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
        "Figure 10": _by_shape("triple_recall", "triple recall"),
        "Figure 11": _gains(by_shape=True),
        "Figure 12": _by_hops,
        "Figure 13": _correlations,
        "Figure 14": _more_triples,
    },
    metrics="gtsqa_exact",
)
