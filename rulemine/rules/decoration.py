"""Decorated groundings: bodies with atoms that contribute nothing to the proof.

A grounding is decorated when two of its atoms state the same fact, when a body triple is a self-loop or
states the fact of the head, or when some body atom is idle: a proper part of the body is a body of another
rule with at least the same standard confidence, and proves the same head.

Guarantee: exact; whether an atom is idle depends only on the rule and on which of its variables are equal, so
this is worked out once per rule.
"""

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import Rows
from rulemine.query.atom import Atom, Term
from rulemine.rules.rule import Rule

__all__ = ["Decorations"]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

Equal = frozenset[tuple[Term, Term]]
"""Pairs of variables of a rule that stand for the same entity."""


class Decorations:
    """Tells which groundings of a set of rules are decorated.

    Args:
        kg: The graph of the groundings.
        rules: All rules that may prove something; with measures, and without entities.
        facts: The fact of each triple (see `rulemine.kg.facts.facts_of`).
    """

    def __init__(self, kg: KnowledgeGraph, rules: Sequence[Rule], facts: Rows) -> None:
        self._triples, self._facts, self._rules = kg.triples, facts, rules
        self._loop = kg.triples[:, 0] == kg.triples[:, 2]
        self._confidence = [rule.known.std_confidence for rule in rules]
        self._by_relations: dict[tuple[str, ...], list[int]] = {}
        for number, rule in enumerate(rules):
            self._by_relations.setdefault(_relations(rule.head, rule.body), []).append(number)
        self._idle: dict[int, tuple[Equal, ...]] = {}

    def always(self, rule: int) -> bool:
        """Whether all groundings of a rule have an idle atom."""
        return frozenset() in self._idle_of(rule)

    def without(self, rule: int, head: Ints, body: Ints) -> Bools:
        """Which groundings of a rule are not decorated.

        Args:
            rule: The rule, a position among those given.
            head: Head of each grounding, a row of ``kg.triples``, shape (m,).
            body: Its body, in the order of the rule's body, shape (m, ≥ atoms).
        """
        atoms = self._rules[rule].head, *self._rules[rule].body
        rows = np.column_stack((head, body[:, : len(atoms) - 1]))
        fine: Bools = ~self._loop[rows[:, 1:]].any(axis=1)
        facts = self._facts[rows]
        for one, two in itertools.combinations(range(len(atoms)), 2):
            fine &= facts[:, one] != facts[:, two]
        values: dict[Term, npt.NDArray[np.int32]] = {}
        for atom, column in zip(atoms, rows.T, strict=True):
            for term, end in ((atom.subject, 0), (atom.object, 2)):
                if term not in values:
                    values[term] = self._triples[column, end]
        for equal in self._idle_of(rule):
            fine &= ~np.logical_and.reduce([values[one] == values[two] for one, two in equal])
        return fine

    def _idle_of(self, rule: int) -> tuple[Equal, ...]:
        """The least sets of equalities each of which makes some atom of a rule idle."""
        if rule not in self._idle:
            found = set(self._idle_patterns(rule))
            least = (e for e in found if not any(other < e for other in found))
            self._idle[rule] = tuple(sorted(least, key=sorted))
        return self._idle[rule]

    def _idle_patterns(self, rule: int) -> Iterator[Equal]:
        head, body = self._rules[rule].head, self._rules[rule].body
        for size in range(1, len(body)):
            for part in itertools.combinations(body, size):
                for number in self._by_relations.get(_relations(head, part), ()):
                    if self._confidence[number] < self._confidence[rule]:
                        continue
                    other = self._rules[number].head, *self._rules[number].body
                    for order in itertools.permutations(part):
                        equal = _unify(other, (head, *order))
                        if equal is not None:
                            yield equal


def _relations(head: Atom, body: Sequence[Atom]) -> tuple[str, ...]:
    """The relation of the head, then those of the body, sorted."""
    return (head.relation, *sorted(atom.relation for atom in body))


def _unify(other: Sequence[Atom], atoms: Sequence[Atom]) -> Equal | None:
    """The equalities of a rule's variables under which its atoms are those of another rule, one by one.

    Returns:
        Pairs of a variable and the least one that it must equal; None if the atoms never match.
    """
    least: dict[Term, Term] = {}  # variable → a lower one of its class

    def name(term: Term) -> Term:
        while term in least:
            term = least[term]
        return term

    of_variable: dict[Term, Term] = {}
    for theirs, own in zip(other, atoms, strict=True):
        if theirs.relation != own.relation:
            return None
        for variable, term in ((theirs.subject, own.subject), (theirs.object, own.object)):
            low, high = sorted((name(of_variable.setdefault(variable, term)), name(term)))
            if low != high:
                least[high] = low
    return frozenset((term, name(term)) for term in least)
