"""Facts, which relations that are declared symmetric, inverse or the same state in several ways; priors."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np

from rulemine.verify.graph import MASK, Graph, Ints, Triple, distinct, packed

__all__ = ["Facts", "Priors"]


class Facts:
    """What triples state.

    Args:
        relations: Relation → its row of ``relations.tsv``.
    """

    def __init__(self, relations: Mapping[str, Mapping[str, Any]]) -> None:
        self._readings = {
            name: (row["fact"], row["reversed"] == "yes", row["symmetric"] == "yes")
            for name, row in relations.items()
        }
        self._alike: dict[str, list[str]] = defaultdict(list)
        for name in sorted(self._readings):
            self._alike[self._readings[name][0]].append(name)

    def reading(self, relation: str) -> tuple[str, bool, bool]:
        """The first relation with the facts of a relation; whether it is turned round; whether symmetric."""
        return self._readings.get(relation) or (relation, False, False)

    def alike(self, fact: str) -> list[str]:
        """The relations that state the facts of a first one, sorted."""
        return self._alike.get(fact, [fact])

    def of(self, triple: Triple) -> Triple:
        """What stands for the fact of a triple: one of its statements, the same for all."""
        one, relation, other = triple
        fact, turned, symmetric = self.reading(relation)
        if turned or (symmetric and other < one):
            one, other = other, one
        return one, fact, other

    def statements(self, triple: Triple) -> list[Triple]:
        """All triples that state the fact of a triple, sorted; it is one of them."""
        one, fact, other = self.of(triple)
        readings = [(name, *self.reading(name)[1:]) for name in self.alike(fact)]
        forth = {(one, name, other) for name, turned, both in readings if both or not turned}
        back = {(other, name, one) for name, turned, both in readings if both or turned}
        return sorted({triple} | forth | back)

    def ways(self, relation: str, end: str) -> list[tuple[str, str]]:
        """Relations and ends of all that answers a question for an end of a relation, sorted."""
        asked = ("?", relation, "") if end == "object" else ("", relation, "?")
        return sorted((r, "object" if s else "subject") for s, r, _ in self.statements(asked))


class Priors:
    """The priors of answers: which fraction of the topic entities of a question have one for an answer."""

    def __init__(self, graph: Graph, facts: Facts) -> None:
        self._graph, self._facts = graph, facts
        self._of_fact: dict[str, tuple[Ints, Ints, int, int]] = {}

    def _asked(self, relation: str, end: str) -> tuple[Ints, Ints, int]:
        """The facts of a relation by answer and by topic entity, and how many topic entities there are."""
        fact, turned, symmetric = self._facts.reading(relation)
        if fact not in self._of_fact:
            found = [np.empty(0, np.int64)]
            for other in self._facts.alike(fact):
                _, backward, both = self._facts.reading(other)
                found += [self._graph.pairs(other, at) for at in (0, 1) if both or at == backward]
            forth = distinct(np.concatenate(found))
            back = np.sort(packed(forth & MASK, forth >> 32))
            firsts, seconds = (len(distinct(pairs >> 32)) for pairs in (forth, back))
            self._of_fact[fact] = forth, back, firsts, seconds
        forth, back, firsts, seconds = self._of_fact[fact]
        by_second = symmetric or (end == "object") != turned
        return (back, forth, firsts) if by_second else (forth, back, seconds)

    def of(self, triple: Triple) -> dict[str, float]:
        """End that is asked for → its prior, for a triple of the graph."""
        found = {}
        for end, name in (("subject", triple[0]), ("object", triple[2])):
            by_answer, _, topics = self._asked(triple[1], end)
            number = self._graph.terms.entities[name]
            low, high = by_answer.searchsorted((number << 32, (number + 1) << 32))
            found[end] = int(high - low) / topics
        return found

    def answers_each(self, relation: str, end: str) -> Ints:
        """How many answers each topic entity of questions for an end of a relation has."""
        counts: Ints = np.unique(self._asked(relation, end)[1] >> 32, return_counts=True)[1]
        return counts
