"""The figures and the card that only a release of the kind ``subgraphs`` has; the text is ``page.md``."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from rulemine.config import packaged
from rulemine.files import read_text
from rulemine.kinds.query_figures import by_split, figures_of_queries, mean, shape_order
from rulemine.kinds.query_page import examples_of_structures
from rulemine.kinds.written.page import values_of_written
from rulemine.release.card.bins import by, by_size, range_label, up_to, upper_names
from rulemine.release.card.figure import Figure
from rulemine.release.card.kind_page import KindPage, Manifest
from rulemine.release.contents import ReleaseParts
from rulemine.release.records import SPLITS, Question

__all__ = ["FIGURES", "SUBGRAPH_PAGE"]

CLASSES = ("train", "id", "ugt", "urt")
"""What a question is for: training, or test and by what training lacks."""

SIZES = (1, 2, 3, 4, 5, 6, 8, 10, 20, 50, 100)
"""Upper bounds of the bins of histograms, inclusive; the last bin is ``more``."""

MEASURES: dict[str, tuple[str, Callable[[Question], int]]] = {
    "seeds": ("topic entities", lambda q: len(q.anchors)),
    "hops": ("hops", lambda q: q.hops),
    "answers": ("answers", lambda q: len(q.answers)),
    "evidence": ("triples of evidence", lambda q: len(q.evidence)),
    "full_evidence": ("triples of full evidence", lambda q: len(q.full_evidence)),
}
"""Key → words and size."""


def _entities(questions: Sequence[Question]) -> int:
    ends = {end for q in questions for s, _, o in q.full_evidence for end in (s, o)}
    return len(ends.union(*(q.anchors for q in questions)))


def _shapes(parts: ReleaseParts) -> dict[str, list[Question]]:
    shapes = sorted({q.shape for q in parts.questions}, key=shape_order)
    return {shape: [q for q in parts.questions if q.shape == shape] for shape in shapes}


def _classes(question: Question) -> Sequence[str]:
    return question.block.test_type or (question.split,)


def _relations(parts: ReleaseParts) -> dict[str, dict[str, int]]:
    found = Counter((r, q.split) for q in parts.questions for _, r, _ in q.evidence)
    names = sorted({relation for relation, _ in found})
    return {name: {split: found[name, split] for split in SPLITS} for name in names}


def _minimal(parts: ReleaseParts) -> dict[str, dict[str, int]]:
    found = {
        shape: Counter(q.block.minimal_shape for q in some if q.block.redundant)
        for shape, some in _shapes(parts).items()
    }
    return {
        shape: {name: sizes[name] for name in sorted(sizes, key=shape_order)}
        for shape, sizes in found.items()
        if sizes
    }


STATISTICS = (
    Figure("questions", "questions", len),
    Figure("relations", "different relations and entities (with the anchors) of their full evidence",
           lambda some: len({relation for q in some for _, relation, _ in q.full_evidence})),
    Figure("entities", "different relations and entities (with the anchors) of their full evidence",
           _entities),
    Figure("shapes", "different shapes", lambda some: len({q.shape for q in some})),
    Figure("redundant", "questions that are not minimal", lambda some: sum(q.block.redundant for q in some)),
    *(Figure(key, f"mean {words}", partial(mean, of)) for key, (words, of) in MEASURES.items()),
)  # fmt: skip
"""The columns of the statistics."""

FIGURES: tuple[Figure, ...] = (
    *figures_of_queries(),
    by_split("subgraphs", "`all` and each split → a row, see below", STATISTICS),
    Figure("classes", "shape → questions of `train`, and of test by `test_type`: `id`, `ugt`, `urt`; of two "
           "types they count twice",
           lambda p: {shape: by(CLASSES, (one for q in some for one in _classes(q)))
                      for shape, some in _shapes(p).items()}),
    Figure("relation_triples", "relation → split → triples of `evidence`", _relations),
    Figure("histograms", "`seeds`, `hops`, `answers`, `evidence`, `full_evidence` → at most 1, 2, 3, 4, 5, "
           "6, 8, 10, 20, 50, 100, `more` → questions",
           lambda p: {key: by(upper_names(SIZES), (up_to(of(q), SIZES) for q in p.questions))
                      for key, (_, of) in MEASURES.items()}),
    Figure("more_evidence", "questions with more triples in `full_evidence` than in `evidence`",
           lambda p: sum(len(q.full_evidence) > len(q.evidence) for q in p.questions)),
    Figure("minimal_shapes", "shape → shape of the smallest minimal query → questions that are not minimal",
           _minimal),
)  # fmt: skip


MOST_RELATIONS = 10
"""Relations that are listed."""

_SPLIT = "split: "


def _values(manifest: Manifest) -> Mapping[str, Any]:
    counts = manifest["counts"]
    relations = counts["relation_triples"]
    sizes = by_size({name: sum(row.values()) for name, row in relations.items()})
    return {
        **values_of_written(manifest, "subgraphs"),
        "spread": {
            said: {range_label(size, SIZES): n for size, n in counts["histograms"][key].items()}
            for key, (said, _) in MEASURES.items()
        },
        "frequent": {name: relations[name] for name in list(sizes)[:MOST_RELATIONS]},
        "lost_to_split": {
            reason.removeprefix(_SPLIT): n
            for reason, n in counts["rejected"].items()
            if reason.startswith(_SPLIT)
        },
    }


SUBGRAPH_PAGE = KindPage(
    FIGURES, read_text(packaged("kinds", "subgraphs", "page.md")), _values, examples_of_structures
)
"""What the cards of the kind ``subgraphs`` say."""
