"""Removed facts that a question needs, and those that it gives away.

A fact is a removed triple in all statements of it, identified by the unordered pair of its ends. A question
*needs* the removed facts of the witnesses of all its hard answers: a system that was given one need not infer
it. It *gives* those that its full evidence, its answers and its further answers state. Where splits are held
apart, no fact that test needs is given by training or validation, and none that validation needs by training.
"""

from collections.abc import Iterable, Sequence

from rulemine.kg.graph import Triple
from rulemine.release.records import Question

__all__ = ["Fact", "RemovedFacts"]

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
        found = {_pair(s, o) for s, _, o in (*question.full_evidence, *question.removed)}
        found |= {_pair(a, b) for a in question.anchors for b in question.answers}
        return self.all & found

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
