"""The figures of a release whose questions are queries of several links, by logical structure.

They are those of the kind ``structures``, above all its paper's statistics; the kinds that a writer asks have
them too, for the structures that occur.

Guarantees: as `rulemine.release.card.figures`.
"""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rulemine.query.structures import STRUCTURES
from rulemine.release.card.bins import by
from rulemine.release.contents import ReleaseParts
from rulemine.release.records import SPLITS, Question
from rulemine.rules.taxonomy import RULE_TYPES, classify

__all__ = ["ALL", "INFERENCE", "MISSING", "count_structures", "shape_order"]

ALL = "all"
"""The row of the statistics that counts the questions of all structures."""

MISSING = ("0", "1", "2", "3")
"""The numbers of links that a hard answer of one of the nine structures can miss; of others, the last is for
more too."""

INFERENCE = ("none", "partial", "full")
"""How much of the derivation of the hard answer is missing; ``none`` also where there is no hard answer."""

QUANTILES = (0, 25, 50, 75, 100)
"""Percentages."""

MEDIATED = "./"
"""How Freebase joins two properties with a mediator between them into one relation."""

_TOKEN = re.compile(r"\w+")


def count_structures(parts: ReleaseParts, every: bool = False) -> dict[str, Any]:
    """The figures by structure: those of the nine that occur, or every one, then others."""
    questions = parts.questions
    occurring = {q.structure for q in questions}
    names = [name for name in STRUCTURES if every or name in occurring]
    names += sorted(occurring - {*names}, key=shape_order)
    rules = {rule.id: rule for rule in parts.rules}
    types = {r.triple: classify(rules[r.certificate.rule]).type for r in parts.removals}
    degrees = _degrees(parts)
    rows = {ALL: questions} | {
        name: [q for q in questions if q.structure == name] for name in names
    }
    return {
        "hard_by_split": by(SPLITS, (q.split for q in questions if q.hard)),
        "missing_by_type": by(RULE_TYPES, (types[t] for q in questions for t in q.removed)),
        "statistics": {
            name: _statistics(some, parts.types or {}, degrees) for name, some in rows.items()
        },
        "sampling": parts.sampling_counts,
    }


def shape_order(shape: str) -> tuple[int, str]:
    """Shape codes, those with fewer edges first.

    Example:
        >>> shape_order("((2)(1))(1)")
        (5, '((2)(1))(1)')
    """
    return sum(int(edges or 1) for edges in re.findall(r"\((\d*)", shape)), shape


def _degrees(parts: ReleaseParts) -> dict[str, int]:
    """Entity → the triples of the complete graph that it is an end of; a loop counts twice."""
    kg = parts.complete
    counts = np.bincount(kg.triples[:, ::2].ravel(), minlength=len(kg.entities)).tolist()
    return dict(zip(kg.entities, counts, strict=True))


def _statistics(
    questions: Sequence[Question], types: Mapping[str, Iterable[str]], degrees: Mapping[str, int]
) -> dict[str, Any]:
    """One row of the statistics."""
    ends = {end for q in questions for s, _, o in q.full_evidence for end in (s, o)}
    anchors = [anchor for q in questions for anchor in q.anchors]
    shares_type = [
        bool(set.intersection(*(set(types.get(a, ())) for a in (*q.stated, *q.hard_answers))))
        for q in questions
    ]

    def mean(of: Callable[[Question], int]) -> float:
        return round(sum(map(of, questions)) / len(questions), 2) if questions else 0.0

    def top(of: Callable[[Question], Iterable[Hashable]]) -> int:
        return max(Counter(value for q in questions for value in of(q)).values(), default=0)

    return {
        "questions": len(questions),
        "core": sum(q.core for q in questions),
        "by_split": by(SPLITS, (q.split for q in questions)),
        "by_missing": by(MISSING, (MISSING[min(q.missing, len(MISSING) - 1)] for q in questions)),
        "by_inference": by(INFERENCE, map(_inference, questions)),
        "tokens": mean(lambda q: len(_TOKEN.findall(q.question))),
        "answers": mean(lambda q: len(q.answers)),
        "hard": mean(lambda q: len(q.hard)),
        "triples": mean(lambda q: len(q.full_evidence)),
        "entities": len(ends.union(anchors)),
        "relations": len({relation for q in questions for relation in q.relations}),
        "top_anchor": top(lambda q: q.anchors),
        "top_relation": top(lambda q: q.relations),
        "top_answer": top(lambda q: q.answers),
        "same_type": sum(shares_type),
        "mediated": sum(any(MEDIATED in relation for relation in q.relations) for q in questions),
        "degrees": _quantiles(sorted(degrees.get(anchor, 0) for anchor in anchors)),
    }


def _inference(question: Question) -> str:
    if not question.missing:
        return "none"
    return "full" if question.missing >= len(question.evidence) else "partial"


def _quantiles(ordered: Sequence[int]) -> dict[str, int]:
    """The values at `QUANTILES` percent of the way, each one of the values; 0 without any."""
    return {str(k): ordered[(len(ordered) - 1) * k // 100] if ordered else 0 for k in QUANTILES}
