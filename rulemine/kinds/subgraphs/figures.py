"""The figures that only a release of the kind ``subgraphs`` has: the statistics of SynthKGQA.

Guarantees: as `rulemine.release.card.figures`.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from rulemine.kinds.query_figures import ALL, count_structures, shape_order
from rulemine.release.card.bins import by, up_to, upper_names
from rulemine.release.contents import ReleaseParts
from rulemine.release.records import SPLITS, SubgraphQuestion

__all__ = ["CLASSES", "SIZES", "count_subgraphs"]

CLASSES = ("train", "id", "ugt", "urt")
"""What a question is for: training, or test and by what training lacks."""

SIZES = (1, 2, 3, 4, 5, 6, 8, 10, 20, 50, 100)
"""Upper bounds of the bins of histograms, inclusive; the last bin is ``more``."""

_MEASURES: dict[str, Callable[[SubgraphQuestion], int]] = {
    "seeds": lambda q: len(q.anchors),
    "hops": lambda q: q.hops,
    "answers": lambda q: len(q.answers),
    "evidence": lambda q: len(q.evidence),
    "full_evidence": lambda q: len(q.full_evidence),
}


def count_subgraphs(parts: ReleaseParts) -> dict[str, Any]:
    """The figures by structure, and those of this kind alone."""
    questions = [q for q in parts.questions if isinstance(q, SubgraphQuestion)]
    rows = {ALL: questions} | {s: [q for q in questions if q.split == s] for s in SPLITS}
    shapes = sorted({q.shape for q in questions}, key=shape_order)
    relations = Counter((r, q.split) for q in questions for _, r, _ in q.evidence)
    bins = upper_names(SIZES)
    return {
        **count_structures(parts),
        "subgraphs": {name: _row(some) for name, some in rows.items()},
        "classes": {
            shape: by(CLASSES, (c for q in questions if q.shape == shape for c in _classes(q)))
            for shape in shapes
        },
        "relation_triples": {
            relation: {split: relations[relation, split] for split in SPLITS}
            for relation in sorted({relation for relation, _ in relations})
        },
        "histograms": {
            name: by(bins, (up_to(size(q), SIZES) for q in questions))
            for name, size in _MEASURES.items()
        },
        "more_evidence": sum(len(q.full_evidence) > len(q.evidence) for q in questions),
        "minimal_shapes": {
            shape: dict(sorted(found.items(), key=lambda item: shape_order(item[0])))
            for shape in shapes
            if (found := _minimal_shapes(questions, shape))
        },
    }


def _row(questions: Sequence[SubgraphQuestion]) -> dict[str, Any]:
    triples = {triple for q in questions for triple in q.full_evidence}
    ends = {end for s, _, o in triples for end in (s, o)}
    return {
        "questions": len(questions),
        "relations": len({relation for _, relation, _ in triples}),
        "entities": len(ends.union(*(q.anchors for q in questions))),
        "shapes": len({q.shape for q in questions}),
        "redundant": sum(q.subgraphs.redundant for q in questions),
        **{
            name: round(sum(map(size, questions)) / len(questions), 2) if questions else 0.0
            for name, size in _MEASURES.items()
        },
    }


def _classes(question: SubgraphQuestion) -> tuple[str, ...]:
    return question.subgraphs.test_type or (question.split,)


def _minimal_shapes(questions: Sequence[SubgraphQuestion], shape: str) -> Counter[str]:
    """The minimal shapes of the redundant questions of a shape."""
    return Counter(
        q.subgraphs.minimal_shape for q in questions if q.shape == shape and q.subgraphs.redundant
    )
