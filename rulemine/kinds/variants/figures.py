"""The figures that only a release of the kind ``variants`` has: the statistics of Dynamic-KGQA.

Guarantees: as `rulemine.release.card.figures`.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from rulemine.kinds.query_figures import ALL, count_structures
from rulemine.release.contents import ReleaseParts
from rulemine.release.records import SPLITS, VariantQuestion

__all__ = ["count_variants"]

_MEASURES: dict[str, Callable[[VariantQuestion], int]] = {
    "subgraph": lambda q: len(q.variants.subgraph),
    "facts": lambda q: len(q.variants.triples),
    "seeds": lambda q: len(q.variants.seeds),
    "hops": lambda q: q.hops,
    "answers": lambda q: len(q.answers),
}


def count_variants(parts: ReleaseParts) -> dict[str, Any]:
    """The figures by structure, and those of this kind alone."""
    questions = [q for q in parts.questions if isinstance(q, VariantQuestion)]
    rows = {ALL: questions} | {s: [q for q in questions if q.split == s] for s in SPLITS}
    topics = Counter((q.variants.topic, q.split) for q in questions)
    judges = Counter(j.model for q in questions for j in q.variants.judgements)
    return {
        **count_structures(parts),
        "variants": {name: _row(some) for name, some in rows.items()},
        "topics": {
            topic: {split: topics[topic, split] for split in SPLITS}
            for topic in sorted({topic for topic, _ in topics})
        },
        "judged": sum(bool(q.variants.judgements) for q in questions),
        "judges": dict(sorted(judges.items())),
    }


def _row(questions: Sequence[VariantQuestion]) -> dict[str, Any]:
    return {
        "questions": len(questions),
        "seed_texts": len({q.variants.seed_text for q in questions}),
        "unique": sum(q.variants.unique for q in questions),
        "redundant": sum(q.variants.redundant for q in questions),
        **{
            name: round(sum(map(size, questions)) / len(questions), 2) if questions else 0.0
            for name, size in _MEASURES.items()
        },
    }
