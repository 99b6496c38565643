"""What SynthKGQA shows of its questions, of releases of the kind ``subgraphs``.

Its test questions are counted once each: one with an unseen graph type and an unseen relation type is of the
former, as in its public analysis. Pairs of a topic entity and an answer are those of one derivation.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from rulemine.evaluation.reporting.document import Picture, Series
from rulemine.evaluation.statistics.score import Score
from rulemine.evaluation.supervision.shortest_paths import ShortestPaths
from rulemine.evaluation.supervision.supervision import (
    Labeling,
    distances_along,
    labelings,
)
from rulemine.papers.material import Material
from rulemine.papers.paper import LackingError, Made
from rulemine.release.reader import Release
from rulemine.release.records import SPLITS, Question
from rulemine.text.tables import Table, Value, Values, one_decimal

__all__ = [
    "KIND",
    "TYPES",
    "by_class",
    "mean",
    "minimal_shapes",
    "paths",
    "relations",
    "releases",
    "shapes_of",
    "sizes_of_evidence",
    "sizes_of_questions",
    "statistics",
    "supervision",
]

KIND = "subgraphs"

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


def releases(material: Material) -> list[Release]:
    """The releases whose questions these are.

    Raises:
        LackingError: There is none.
    """
    found = list(material.of_kind(KIND))
    if not found:
        raise LackingError(f"a release of the kind {KIND}")
    return found


def named(release: Release, of: Sequence[object], what: str = "") -> str:
    """The id of a table, where several releases or parts have one."""
    return "-".join(filter(None, (release.name if len(of) > 1 else "", what)))


def shapes_of(questions: Iterable[Question]) -> list[str]:
    """The shapes of questions, those of fewer triples first."""
    triples: dict[str, int] = {}
    for q in questions:
        triples[q.shape] = min(len(q.block.triples), triples.get(q.shape, len(q.block.triples)))
    return sorted(triples, key=lambda shape: (triples[shape], shape))


def mean(values: Sequence[float]) -> float | None:
    """The mean; None of nothing."""
    return math.fsum(values) / len(values) if values else None


def _share(part: float, whole: float) -> Score:
    return Score(part / whole if whole else None, None, None)


def statistics(material: Material) -> Made:
    """Table 1: the statistics by split."""
    found = releases(material)
    for release in found:
        of_split = release.manifest["counts"]["statistics"]
        splits = [name for name in (*SPLITS, "all") if of_split[name]["questions"]]
        rows: tuple[Values, ...] = (
            *(
                (called, *(of_split[split][key] for split in splits))
                for key, called in STATISTICS.items()
            ),
            (
                "questions with redundant information",
                *(
                    sum(q.block.redundant for q in release.questions(s if s in SPLITS else None))
                    for s in splits
                ),
            ),
        )
        title = f"Statistics of {release.name}, by split"
        yield Table(named(release, found), title, ("statistic", *splits), rows)


def by_class(material: Material) -> Made:
    """Table 5: shapes in training and in the three classes of test questions."""
    found = releases(material)
    for release in found:
        train, test = release.questions("train"), release.questions("test")
        classes = {"train": Counter(q.shape for q in train)}
        for key, called in TYPES.items():
            classes[called] = Counter(q.shape for q in test if q.block.test_type[:1] == (key,))
        wholes = {called: len(train if called == "train" else test) for called in classes}

        def row(label: str, numbers: dict[str, int], of: dict[str, int] = wholes) -> Values:
            cells: list[Value] = [label]
            for called, n in numbers.items():
                cells += [n, _share(n, of[called])]
            return tuple(cells)

        header = ["graph isomorphism"]
        for called in classes:
            header += [called, f"{called}, %"]
        rows = [
            row(shape, {called: some[shape] for called, some in classes.items()})
            for shape in shapes_of((*train, *test))
        ]
        rows.append(row("all", {called: some.total() for called, some in classes.items()}))
        title = f"Graph isomorphisms in training and test of {release.name}"
        note = (
            "Percentages are of the training, or of the test questions. A test question with a graph type "
            "and a relation type unseen counts as the former."
        )
        yield Table(named(release, found), title, tuple(header), tuple(rows), (note,))


def _spread(
    release: Release, id_: str, title: str, across: str, size: Callable[[Question], int], most: int
) -> Picture:
    """How a number is spread over the training, and over the test questions."""
    splits = {split: [size(q) for q in release.questions(split)] for split in ("train", "test")}
    top = min(most, max((n for some in splits.values() for n in some), default=0))
    groups = tuple(f"{n}+" if n == most else str(n) for n in range(1, top + 1))
    series = tuple(
        Series(
            split,
            tuple(
                _share(sum(min(n, most) == at for n in some), len(some)) for at in range(1, top + 1)
            ),
        )
        for split, some in splits.items()
    )
    caption = f"The share of the questions of each split of {release.name}."
    return Picture(id_, title, caption, "bars", across, "questions, percent", groups, series)


def sizes_of_questions(material: Material) -> Made:
    """Figure 5: seed nodes, hops and answers of training and test questions."""
    found = releases(material)
    for release in found:
        for what, most, size in (
            ("seed nodes", 10, lambda q: len(q.anchors)),
            ("hops", 10, lambda q: q.hops),
            ("answers", 8, lambda q: len(q.answers)),
        ):
            id_ = named(release, found, what.replace(" ", "-"))
            title = f"{what.capitalize()} of the questions"
            yield _spread(release, id_, title, what, size, most)


def sizes_of_evidence(material: Material) -> Made:
    """Figure 6: edges of the ground truth, and of all answers' evidence."""
    found = releases(material)
    for release in found:
        for id_, what, size in (
            ("one", "edges of the ground-truth subgraph", lambda q: len(q.evidence)),
            ("full", "edges of the full answer subgraph", lambda q: len(q.full_evidence)),
        ):
            title = what.capitalize()
            yield _spread(release, named(release, found, id_), title, what, size, 13)


def relations(material: Material) -> Made:
    """Figure 7: how often each relation is in the ground truth, the most frequent first."""
    found = releases(material)
    for release in found:
        of_split = {
            split: Counter(r for q in release.questions(split) for _, r, _ in q.evidence)
            for split in ("train", "test")
        }
        both = of_split["train"] + of_split["test"]
        ordered = sorted(both, key=lambda name: (-both[name], name))
        rows: list[Values] = []
        so_far = 0
        for name in ordered:
            so_far += both[name]
            own = (of_split[split][name] for split in ("train", "test"))
            rows.append((name, *own, _share(so_far, both.total())))
        title = f"Relation types in the ground truth of {release.name}"
        header = ("relation", "train", "test", "cumulative")
        yield Table(named(release, found), title, header, tuple(rows))


def minimal_shapes(material: Material) -> Made:
    """Figure 8: shapes of training questions, and of their smallest minimal queries."""
    found = releases(material)
    for release in found:
        train = release.questions("train")
        whole = Counter(q.shape for q in train)
        least = Counter(q.block.minimal_shape for q in train)
        shown = [s for s in shapes_of(train) if max(whole[s], least[s]) >= RARE * len(train)]
        shown += sorted(s for s in least if s not in whole and least[s] >= RARE * len(train))
        series = tuple(
            Series(
                called,
                (
                    *(_share(some[shape], len(train)) for shape in shown),
                    _share(some.total() - sum(some[shape] for shape in shown), len(train)),
                ),
            )
            for called, some in (("complete", whole), ("minimal", least))
        )
        yield Picture(
            named(release, found),
            "Graph isomorphisms of the training questions, complete and minimal",
            f"Of questions with redundant information, minimal is the smallest query. {release.name}.",
            "bars",
            "graph isomorphism",
            "questions, percent",
            (*shown, "other"),
            series,
        )


def supervision(material: Material) -> Made:
    """Table 6: the ground truth beside the triples on all shortest paths, by hops."""
    found = releases(material)
    for release in found:
        questions = release.questions(material.split)
        every = labelings(release.kg("complete"), questions, release.removals())
        by_hops: dict[int, list[Labeling]] = {}
        for one in every:
            if one.evidence is not None:
                by_hops.setdefault(one.question.hops, []).append(one)
        rows = [(str(hops), *_beside(by_hops[hops])) for hops in sorted(by_hops)]
        rows.append(("all", *_beside([one for some in by_hops.values() for one in some])))
        header = (
            "hops", "n", "ground-truth triples", "triples on shortest paths",
            "ground truth on shortest paths", "shortest paths in ground truth",
        )  # fmt: skip
        title = (
            f"Ground truth and shortest paths, split {material.split or 'all'} of {release.name}"
        )
        show = dict.fromkeys(header[2:4], one_decimal)
        yield Table(named(release, found), title, header, tuple(rows), show=show)


def _beside(some: Sequence[Labeling]) -> Values:
    both, gold, shortest = [], [], []
    for one in some:
        own = [] if one.evidence is None else one.evidence.tolist()
        both.append(len(set(own) & {*one.shortest.tolist()}))
        gold.append(len(own))
        shortest.append(len(one.shortest))
    found = [mean([b / n for b, n in zip(both, of, strict=True) if n]) for of in (gold, shortest)]
    return (
        len(some),
        mean(gold),
        mean(shortest),
        *(Score(value, None, None) for value in found),
    )


def paths(material: Material) -> Made:
    """Figure 9: how many shortest paths join a seed and the answer, and how long they are."""
    found = releases(material)
    for release in found:
        by_length: dict[int, list[tuple[int, int]]] = {}
        for far, near, number in _pairs(release, release.questions("train")):
            by_length.setdefault(far, []).append((near, number))
        rows = tuple(
            (str(far), len(some), mean([n for n, _ in some]), mean([n for _, n in some]))
            for far, some in sorted(by_length.items())
        )
        header = (
            "ground-truth path length", "n", "length of shortest paths", "number of shortest paths"
        )  # fmt: skip
        title = f"Paths from a seed to the answer, training questions of {release.name}"
        note = "Pairs of a seed and an answer that the ground truth joins, by one path each."
        show = dict.fromkeys(header[2:], one_decimal)
        yield Table(named(release, found), title, header, rows, (note,), show)


def _pairs(release: Release, questions: Sequence[Question]) -> Iterator[tuple[int, int, int]]:
    """Of each pair: its distance along the ground truth, and of shortest paths, and how many these are."""
    graph = release.kg("complete")
    search = ShortestPaths(graph)
    for q in questions:
        for seed in q.anchors:
            along = distances_along(q.block.triples, seed)
            if not (far := along.get(q.block.answer)):
                continue
            goal = np.array([graph.entity_ids[q.block.answer]], np.int64)
            way = search.between(graph.entity_ids[seed], goal)
            yield far, int(way.distances[0]), way.paths
