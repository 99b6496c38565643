"""The figures of a release whose questions are queries of several links, by logical structure.

They are those of the kind ``structures``, above all its paper's statistics; other kinds that ask queries have
them too, for the structures that occur.

Guarantees: as `rulemine.release.card.figures`.
"""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rulemine.query.structures import STRUCTURES
from rulemine.release.card.bins import by
from rulemine.release.card.figure import Figure, counted_by
from rulemine.release.contents import ReleaseParts
from rulemine.release.records import SPLITS, Question
from rulemine.rules.taxonomy import RULE_TYPES, classify

__all__ = [
    "ALL",
    "INFERENCE",
    "MISSING",
    "STATISTICS",
    "by_split",
    "figures_of_queries",
    "mean",
    "shape_order",
]

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


class _Row(NamedTuple):
    """The questions that a row of the statistics is about, and types and degrees of entities."""

    questions: Sequence[Question]
    types: Mapping[str, Iterable[str]]
    degrees: Mapping[str, int]

    def top(self, of: Callable[[Question], Iterable[Hashable]]) -> int:
        """The number of questions with the most frequent of such values."""
        return max(Counter(value for q in self.questions for value in of(q)).values(), default=0)

    def of_one_type(self, q: Question) -> bool:
        """Whether the answers of a question share a type."""
        return bool(
            set.intersection(*(set(self.types.get(a, ())) for a in (*q.stated, *q.hard_answers)))
        )


def mean(of: Callable[[Question], int], questions: Sequence[Question]) -> float:
    """The mean of a number of questions with two decimals; 0 without any."""
    return round(sum(map(of, questions)) / len(questions), 2) if questions else 0.0


def _inference(question: Question) -> str:
    if not question.missing:
        return "none"
    return "full" if question.missing >= len(question.evidence) else "partial"


def _entities(row: _Row) -> int:
    ends = {end for q in row.questions for s, _, o in q.full_evidence for end in (s, o)}
    return len(ends.union(anchor for q in row.questions for anchor in q.anchors))


def _quantiles(row: _Row) -> dict[str, int]:
    """The degrees at `QUANTILES` percent of the way, each that of a topic entity; 0 without any."""
    found = sorted(row.degrees.get(anchor, 0) for q in row.questions for anchor in q.anchors)
    return {str(k): found[(len(found) - 1) * k // 100] if found else 0 for k in QUANTILES}


STATISTICS = (
    Figure("questions", "questions; those of the core", lambda row: len(row.questions)),
    Figure("core", "questions; those of the core", lambda row: sum(q.core for q in row.questions)),
    Figure("by_split", "split → questions", lambda row: by(SPLITS, (q.split for q in row.questions))),
    Figure("by_missing", "removed triples that `hard_answer` needs, 0 where every answer is stated, `3` for "
           "more too → questions",
           lambda row: by(MISSING, (MISSING[min(q.missing, len(MISSING) - 1)] for q in row.questions))),
    Figure("by_inference", "`none`: every answer is stated; `full`: every triple of `evidence` is removed; "
           "else `partial` → questions", lambda row: by(INFERENCE, map(_inference, row.questions))),
    Figure("tokens", r"mean words and numbers of a question (`\w+`), in the naming of the release",
           lambda row: mean(lambda q: len(_TOKEN.findall(q.question)), row.questions)),
    Figure("answers", "mean answers, mean hard answers",
           lambda row: mean(lambda q: len(q.answers), row.questions)),
    Figure("hard", "mean answers, mean hard answers", lambda row: mean(lambda q: len(q.hard), row.questions)),
    Figure("triples", "mean triples of `full_evidence`",
           lambda row: mean(lambda q: len(q.full_evidence), row.questions)),
    Figure("entities", "different entities in `anchors` and `full_evidence`", _entities),
    Figure("relations", "different relations of the queries",
           lambda row: len({relation for q in row.questions for relation in q.relations})),
    Figure("top_anchor", "questions with the most frequent topic entity, relation, answer (of all answers)",
           lambda row: row.top(lambda q: q.anchors)),
    Figure("top_relation", "questions with the most frequent topic entity, relation, answer (of all answers)",
           lambda row: row.top(lambda q: q.relations)),
    Figure("top_answer", "questions with the most frequent topic entity, relation, answer (of all answers)",
           lambda row: row.top(lambda q: q.answers)),
    Figure("same_type", "questions whose answers, `further` ones aside, all share a type of `types.tsv`",
           lambda row: sum(map(row.of_one_type, row.questions))),
    Figure("mediated", "questions with a relation that joins two properties of Freebase with a dot (`./`): "
           "one link here, two hops in ComplexLogicalQA",
           lambda row: sum(any(MEDIATED in one for one in q.relations) for q in row.questions)),
    Figure("degrees", "minimum, quartiles and maximum of the degrees of topic entities: triples of the "
           "complete graph with the entity at an end", _quantiles),
)  # fmt: skip
"""The columns of the statistics."""


def _missing(parts: ReleaseParts) -> dict[str, int]:
    rules = {rule.id: rule for rule in parts.rules}
    types = {r.triple: classify(rules[r.certificate.rule]).type for r in parts.removals}
    return by(RULE_TYPES, (types[triple] for q in parts.questions for triple in q.removed))


def _statistics(parts: ReleaseParts, always: Iterable[str]) -> dict[str, Any]:
    kg, questions = parts.complete, parts.questions
    counts = np.bincount(kg.triples[:, ::2].ravel(), minlength=len(kg.entities)).tolist()
    degrees = dict(zip(kg.entities, counts, strict=True))  # a loop counts twice
    names = {*always, *(q.structure for q in questions)}
    ordered = [name for name in STRUCTURES if name in names]
    ordered += sorted(names - STRUCTURES.keys(), key=shape_order)
    rows = {ALL: questions} | {
        name: [q for q in questions if q.structure == name] for name in ordered
    }
    return {
        name: counted_by(STATISTICS, _Row(some, parts.types or {}, degrees))
        for name, some in rows.items()
    }


def figures_of_queries(always: Iterable[str] = ()) -> Iterator[Figure]:
    """The figures by structure: of the structures that occur, and of those given here always."""
    yield Figure(
        "hard_by_split",
        "split → questions with a hard answer",
        lambda p: by(SPLITS, (q.split for q in p.questions if q.hard)),
    )
    yield Figure(
        "missing_by_type",
        "type of the rule of the certificate → removed triples that the hard answers need, of all questions "
        "together",
        _missing,
    )
    yield Figure(
        "statistics",
        "`all` and each of the nine structures, of other kinds each structure that occurs → a row, see below",
        lambda p: _statistics(p, always),
    )
    yield Figure("sampling", "what sampling counted", lambda p: p.sampling_counts)


def by_split(key: str, words: str, columns: Sequence[Figure]) -> Figure:
    """A table with a row for all questions and for those of each split; columns count questions."""

    def count(parts: ReleaseParts) -> dict[str, Any]:
        rows = {ALL: parts.questions} | {
            s: [q for q in parts.questions if q.split == s] for s in SPLITS
        }
        return {name: counted_by(columns, some) for name, some in rows.items()}

    return Figure(key, words, count)


def shape_order(shape: str) -> tuple[int, str]:
    """Shape codes, those with fewer edges first.

    Example:
        >>> shape_order("((2)(1))(1)")
        (5, '((2)(1))(1)')
    """
    return sum(int(edges or 1) for edges in re.findall(r"\((\d*)", shape)), shape
