"""Decorated groundings: bodies with atoms that contribute nothing to the proof.

A grounding is decorated when two of its atoms state the same fact, when a body triple is a self-loop or
states the fact of the head, or when some body atom is idle: a proper part of the body is a body of another
rule with at least the same standard confidence, and proves the same head.

Guarantee: exact for all rules, with constants too; whether an atom is idle depends only on the rule and on
which of its terms are equal, so this is worked out once per rule.
"""

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import Rows
from rulemine.query.join import BoundAtom, bind
from rulemine.rules.rule import Rule

__all__ = ["Decorations"]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

Equal = frozenset[tuple[int, int]]
"""Pairs of terms of a rule that stand for the same entity: variables, or constants (−1 − entity id)."""


class Decorations:
    """Tells which groundings of a set of rules are decorated.

    Args:
        kg: The graph of the groundings.
        rules: All rules that may prove something; with measures.
        facts: The fact of each triple (see `rulemine.kg.facts.facts_of`).
    """

    def __init__(self, kg: KnowledgeGraph, rules: Sequence[Rule], facts: Rows) -> None:
        self._triples = kg.triples
        self._facts = facts
        self._loop = kg.triples[:, 0] == kg.triples[:, 2]
        self._atoms = [bind(kg, (rule.head, *rule.body)) for rule in rules]
        self._confidence = [rule.known.std_confidence for rule in rules]
        self._by_relations: dict[tuple[int, ...], list[int]] = {}
        for number, atoms in enumerate(self._atoms):
            if atoms is not None:
                self._by_relations.setdefault(_relations(atoms), []).append(number)
        self._idle: dict[int, tuple[Equal, ...]] = {}

    def always(self, rule: int) -> bool:
        """Whether all groundings of a rule have an idle atom."""
        return frozenset() in self._idle_of(rule)

    def without(self, rule: int, head: Ints, body: Ints) -> Bools:
        """Which groundings of a rule are not decorated.

        Args:
            rule: The rule, a position among those given.
            head: Head of each grounding, a row of ``kg.triples``, shape (m,).
            body: Its body, in the order of the rule's body, shape (m, atoms).
        """
        atoms = self._atoms[rule]
        if atoms is None:  # unknown names, so there is no grounding
            return np.ones(len(head), bool)
        facts = self._facts[np.column_stack((head, body[:, : len(atoms) - 1]))]
        fine: Bools = ~self._loop[body[:, : len(atoms) - 1]].any(axis=1)
        for one, two in itertools.combinations(range(facts.shape[1]), 2):
            fine &= facts[:, one] != facts[:, two]
        values: dict[int, Ints] = {}
        for atom, rows in zip(atoms, (head, *body.T), strict=False):
            for term, column in ((atom.subject, 0), (atom.object, 2)):
                if term >= 0 and term not in values:
                    values[term] = self._triples[rows, column].astype(np.int64)
        for equal in self._idle_of(rule):
            idle = np.ones(len(head), bool)
            for one, two in equal:
                idle &= values[one] == (values[two] if two >= 0 else -1 - two)
            fine &= ~idle
        return fine

    def _idle_of(self, rule: int) -> tuple[Equal, ...]:
        """The sets of equalities each of which makes some atom of a rule idle."""
        if rule not in self._idle:
            found = set(self._idle_patterns(rule))
            self._idle[rule] = tuple(
                sorted((e for e in found if not any(other < e for other in found)), key=sorted)
            )
        return self._idle[rule]

    def _idle_patterns(self, rule: int) -> Iterator[Equal]:
        atoms = self._atoms[rule]
        if atoms is None:
            return
        head, *body = atoms
        for size in range(1, len(body)):
            for part in itertools.combinations(body, size):
                for number in self._by_relations.get(_relations((head, *part)), ()):
                    other = self._atoms[number]
                    if other is None or self._confidence[number] < self._confidence[rule]:
                        continue
                    for order in itertools.permutations(part):
                        equal = _unify(other, (head, *order))
                        if equal is not None:
                            yield equal


def _relations(atoms: Sequence[BoundAtom]) -> tuple[int, ...]:
    """The relation of the head, then those of the body, sorted."""
    return (atoms[0].relation, *sorted(atom.relation for atom in atoms[1:]))


def _unify(other: Sequence[BoundAtom], atoms: Sequence[BoundAtom]) -> Equal | None:
    """The equalities of a rule's terms under which its atoms are those of another rule, one by one.

    Returns:
        Pairs of a variable and the term that it must equal, the same for all ways to say it; None if the
        atoms never match.
    """
    if any(a.relation != b.relation for a, b in zip(other, atoms, strict=True)):
        return None
    # Each class of equal terms is named by its least term: a constant, if it has one.
    classes: dict[int, int] = {}

    def name(term: int) -> int:
        while term in classes:
            term = classes[term]
        return term

    of_variable: dict[int, int] = {}
    for a, b in zip(other, atoms, strict=True):
        for theirs, own in ((a.subject, b.subject), (a.object, b.object)):
            same = theirs if theirs < 0 else of_variable.setdefault(theirs, own)
            low, high = sorted((name(same), name(own)))
            if low != high:
                if high < 0:
                    return None
                classes[high] = low
    return frozenset((term, name(term)) for term in classes)
