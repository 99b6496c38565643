"""The remaining proofs of a removed triple one by one, and why the published one is the best of them.

Guarantees: proofs are those of `Removal.certificate`: bodies of the rules of the release in the
incomplete graph, without self-loops, repeated facts, the removed fact itself, and atoms that a shorter
proof of at least the same confidence does without.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np

from rulemine.arrays import distinct
from rulemine.kg.facts import Declarations, facts_of
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kg.index import Index
from rulemine.release.records import Certificate
from rulemine.rules.bodies import bind_rule
from rulemine.rules.rule import Rule, format_readable

__all__ = ["TOLERANCE", "Proof", "ProofsLeft", "why_best"]

TOLERANCE = 0.1
"""A certificate is the shortest proof whose confidence is at most this much below the best."""


class Proof(NamedTuple):
    """A remaining proof.

    Attributes:
        rule: Its rule.
        body: Its body triples, in the order of the rule's body.
    """

    rule: Rule
    body: tuple[Triple, ...]

    @property
    def confidence(self) -> float:
        """The standard confidence of its rule."""
        return self.rule.known.std_confidence


class ProofsLeft:
    """Finds the remaining proofs of removed triples.

    Args:
        complete: The complete KG.
        removed: All removed triples.
        heading: Gives the rules of the release that have a relation in the head.
        declared: Which relations state the same facts.
    """

    def __init__(
        self,
        complete: KnowledgeGraph,
        removed: Sequence[Triple],
        heading: Callable[[str], Sequence[Rule]],
        declared: Declarations,
    ) -> None:
        self._kg = complete
        self._facts = facts_of(complete, declared)
        entity, relation = complete.entity_ids.get, complete.relation_ids.get
        ids = [(entity(s, -1), relation(r, -1), entity(o, -1)) for s, r, o in removed]
        rows = complete.rows_of(np.array(ids, np.int32).reshape(-1, 3))
        self._removed = {t: row for t, row in zip(removed, rows.tolist(), strict=True) if row >= 0}
        self._gone = distinct(rows[rows >= 0])
        self._heading = heading

    @cached_property
    def _index(self) -> Index:
        return Index(self._kg.without(self._gone))

    def of(self, triple: Triple) -> list[Proof]:
        """The proofs of a removed triple, and of the other removed statements of its fact.

        Returns:
            Proofs, the most confident rules first.
        """
        if triple not in self._removed:
            return []
        kg = self._index.kg
        facts = self._facts[self._gone]
        found: list[tuple[Rule, tuple[int, ...]]] = []
        for row in self._gone[facts == self._facts[self._removed[triple]]].tolist():
            head = self._kg.triples[row : row + 1]
            for rule in self._heading(self._kg.relations[head[0, 1]]):
                bound = bind_rule(self._index, rule)
                if bound is not None:
                    for bodies in bound.bodies(head):
                        found += [(rule, tuple(body)) for body in bodies.rows.tolist()]
        found = [(rule, body) for rule, body in found if self._plain(body)]
        best: dict[frozenset[int], float] = {}
        for rule, body in found:
            best[frozenset(body)] = max(best.get(frozenset(body), 0.0), rule.known.std_confidence)
        needed = [
            Proof(rule, tuple(kg.labeled(np.array(body))))
            for rule, body in found
            if not any(
                best.get(frozenset(part), -1.0) >= rule.known.std_confidence
                for size in range(1, len(body))
                for part in combinations(body, size)
            )
        ]
        return sorted(needed, key=lambda p: (-p.confidence, len(p.body), p.rule.id, p.body))

    def _plain(self, body: Sequence[int]) -> bool:
        triples = self._index.kg.triples[list(body)]
        facts = self._facts[self._kg.rows_of(triples)]
        return not (triples[:, 0] == triples[:, 2]).any() and len(distinct(facts)) == len(body)


def why_best(certificate: Certificate, proofs: Sequence[Proof]) -> str:
    """Says in words why a certificate is the best of the remaining proofs.

    Args:
        certificate: The published proof.
        proofs: All proofs of the removed triple, from `ProofsLeft.of`.

    Returns:
        A sentence; another one if it is not the best.
    """
    best = max((proof.confidence for proof in proofs), default=0.0)
    near = [proof for proof in proofs if proof.confidence >= best - TOLERANCE]
    least = min((len(proof.body) for proof in near), default=0)
    short = [proof for proof in near if len(proof.body) == least]
    most = max((proof.confidence for proof in short), default=0.0)
    sure = [proof for proof in short if proof.confidence == most]
    if (certificate.rule, certificate.body) not in {(p.rule.id, p.body) for p in sure}:
        return _better(sure)
    within = f"within {TOLERANCE:g} of the best confidence, {best:.2f}"
    if len(proofs) == 1:
        return "It is the only one."
    if len(near) == 1:
        others = "the other one is" if len(proofs) == 2 else "all others are"
        return f"It has the best confidence, {best:.2f}; {others} more than {TOLERANCE:g} below."
    if len(short) == 1:
        return f"It is the shortest of {len(near)} proofs {within}."
    among = f"{len(short)} shortest of the {len(near)} proofs"
    if len(short) == len(near):
        among = f"{len(near)} equally short proofs"
    if len(sure) == 1:
        return f"It has the highest confidence among the {among} {within}."
    return (
        f"It shares the highest confidence among the {among} {within}, with {len(sure) - 1} more."
    )


def _better(sure: Sequence[Proof]) -> str:
    if not sure:
        return "No other proof remains to compare it with."
    rule = sure[0].rule
    return (
        f"It is not the best that remains: {format_readable(rule)} proves the triple with a confidence of "
        f"{rule.known.std_confidence:.2f}."
    )
