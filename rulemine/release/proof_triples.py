"""What answers rest on: the triples that prove them, and removed facts that questions need or give away.

A fact is a removed triple in all statements of it, identified by the unordered pair of its ends. A question
*needs* the removed facts of the witnesses of all its hard answers: a system that was given one need not infer
it. It *gives* those that its full evidence, its answers and its further answers state. Where splits are held
apart, no fact that test needs is given by training or validation, and none that validation needs by training.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.release.records import Question, Removal

__all__ = ["Fact", "RemovedFacts", "proof_rows", "removals_under", "rows_of"]

Ints = npt.NDArray[np.int64]


def proof_rows(
    kg: KnowledgeGraph, questions: Iterable[Question], removed: Iterable[Removal]
) -> list[Ints]:
    """The triples that prove the hard answer of each question.

    These are the triples of its evidence; in place of each that the graph lacks, those of its certificate.

    Args:
        kg: The graph.
        questions: The questions.
        removed: The removed triples.

    Returns:
        For each question the rows of the graph's triples, ascending, each once; −1 is a triple that it lacks.
    """
    proofs = {row.triple: row.certificate.body for row in removed}
    asked = [question.evidence for question in questions]
    stated = iter((rows_of(kg, [triple for triples in asked for triple in triples]) >= 0).tolist())
    needed: list[list[Triple]] = []
    for triples in asked:
        needed.append([])
        for triple in triples:
            needed[-1] += [triple] if next(stated) else proofs.get(triple, [triple])
    rows = rows_of(kg, [triple for triples in needed for triple in triples])
    bounds = np.cumsum([len(triples) for triples in needed])[:-1]
    return [distinct(part) for part in np.split(rows, bounds)] if needed else []


def removals_under(
    questions: Iterable[Question], removed: Iterable[Removal]
) -> tuple[Removal, ...]:
    """The removed triples that the answers of questions rest on; none that only those of others do."""
    asked = {triple for q in questions for triple in (*q.evidence, *q.full_evidence)}
    return tuple(row for row in removed if row.triple in asked)


def rows_of(kg: KnowledgeGraph, triples: Sequence[Triple]) -> Ints:
    """The rows of triples; −1 for those that the graph lacks."""
    entities, relations = kg.entity_ids, kg.relation_ids
    ids = np.array(
        [(entities.get(s, -1), relations.get(r, -1), entities.get(o, -1)) for s, r, o in triples],
        np.int32,
    ).reshape(-1, 3)
    rows = np.full(len(ids), -1, np.int64)
    known = (ids >= 0).all(axis=1)
    rows[known] = kg.rows_of(ids[known])
    return rows


Fact = tuple[str, ...]
"""The two ends of a removed triple, sorted."""


class RemovedFacts:
    """The facts that are removed from a graph.

    Args:
        triples: The removed triples.

    Attributes:
        all: All removed facts.
    """

    def __init__(self, triples: Iterable[Triple]) -> None:
        self._triples = frozenset(triples)
        self.all = frozenset(_pair(s, o) for s, _, o in self._triples)

    def needed_by(self, question: Question) -> frozenset[Fact]:
        """The facts that the hard answers of a question need."""
        return frozenset(
            _pair(s, o)
            for row in question.hard
            for s, r, o in row.witness
            if (s, r, o) in self._triples
        )

    def given_by(self, question: Question) -> frozenset[Fact]:
        """The facts that a question gives away: another statement on the same pair counts too."""
        # What is removed is evidence, which may be cut; and answers that are rows are no ends.
        return self.between(
            (
                *((s, o) for s, _, o in (*question.full_evidence, *question.removed)),
                *((anchor, answer) for anchor in question.anchors for answer in question.answers),
            )
        )

    def between(self, pairs: Iterable[tuple[str, str]]) -> frozenset[Fact]:
        """The removed facts between the entities of some pairs, each in either order."""
        return self.all & {_pair(a, b) for a, b in pairs}

    def leaked(self, questions: Sequence[Question], split: str) -> int:
        """How many questions of a split need a fact that an earlier split gives away.

        Args:
            questions: All questions, with their splits.
            split: ``test`` or ``validation``.
        """
        earlier = ("train", "validation") if split == "test" else ("train",)
        given = {fact for q in questions if q.split in earlier for fact in self.given_by(q)}
        return sum(not given.isdisjoint(self.needed_by(q)) for q in questions if q.split == split)


def _pair(a: str, b: str) -> Fact:
    return (a, b) if a < b else (b, a)
