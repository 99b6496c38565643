"""Remaining proofs of triples in an incomplete graph: their number, the shortest, and the best.

Guarantee: exact, whatever the order of the rules. Facts that are stated by several triples are proved by
the proofs of all of them.

A grounding is *decorated* when its body has atoms that contribute nothing to the proof: when two of its atoms
state the same fact, when a body triple is a self-loop or states the fact of the head, or when some body atom
is idle: a proper part of the body is a body of another rule with at least the same standard confidence, and
proves the same head. Whether an atom is idle depends only on the rule and on which of its variables are
equal, so this is worked out once per rule.
"""

import itertools
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from rulemine.kg.graph import KnowledgeGraph, row_type
from rulemine.kg.index import Index, Rows
from rulemine.query.atom import Atom, Term
from rulemine.rules.bodies import BoundRule, bind_rule
from rulemine.rules.chains import Chains, chunks
from rulemine.rules.rule import Rule

__all__ = [
    "WITHIN",
    "BestProofs",
    "Decorations",
    "RemainingProofs",
    "best_proofs",
    "remaining_proofs",
]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

WITHIN = Fraction(1, 10)
"""The best proof may be less confident than the most confident one by this much if it is shorter."""

AT_ONCE = 1 << 18
"""About how many groundings are enumerated at once; the groundings of one triple are never split."""


@dataclass(frozen=True, eq=False, slots=True)
class RemainingProofs:
    """The remaining proofs of some triples.

    Attributes:
        count: int64, shape (m,): groundings of all rules with the triple as head.
        shortest: int64, shape (m,): body atoms of the shortest of them; 0 if there is none.
        by_rule: For each rule, the triples (positions, ascending) that it proves, and in how many ways.
        index: The index of the graph.
    """

    count: Ints
    shortest: Ints
    by_rule: tuple[tuple[Ints, Ints], ...]
    index: Index


@dataclass(frozen=True, eq=False, slots=True)
class BestProofs:
    """The best proof of each of some facts.

    Attributes:
        rule: int64, shape (facts,): position of its rule; −1 where there is none.
        body: int64, shape (facts, atoms of the widest body): its body in the order of the rule's body,
            rows of the complete graph's triples, padded with −1.
    """

    rule: Ints
    body: Ints


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


def remaining_proofs(
    incomplete: KnowledgeGraph,
    rules: Sequence[Rule],
    heads: npt.NDArray[np.int32],
    progress: Callable[[int, int], None] | None = None,
) -> RemainingProofs:
    """Counts the remaining proofs of triples in a graph.

    A proof is a rule with a substitution under which the whole body is in the graph and the head is
    the triple. The triple itself need not be in the graph, and a body that contains it does not count.

    Args:
        incomplete: The graph.
        rules: The rules; one with unknown entities or relations proves nothing.
        heads: int32, shape (m, 3), subject, relation, object ids of the graph.
        progress: Called with (rules done, all rules).
    """
    chains = Chains(Index(incomplete))
    count = np.zeros(len(heads), np.int64)
    shortest = np.zeros(len(heads), np.int64)
    by_rule: list[tuple[Ints, Ints]] = []
    order = np.argsort(heads[:, 1], kind="stable")
    relations = heads[order, 1]
    nothing = np.empty(0, np.int64)
    for done, rule in enumerate(rules, start=1):
        bound = bind_rule(chains.index, rule)
        rows, found = nothing, nothing
        if bound is not None:
            low, high = np.searchsorted(relations, [bound.head.relation, bound.head.relation + 1])
            rows = order[low:high]
            found = chains.count(bound, heads[rows])
            rows, found = rows[found > 0], found[found > 0]
            count[rows] += found
            length = len(rule.body)
            shortest[rows[(shortest[rows] == 0) | (shortest[rows] > length)]] = length
        by_rule.append((rows, found))
        if progress:
            progress(done, len(rules))
    return RemainingProofs(count, shortest, tuple(by_rule), chains.index)


def best_proofs(
    kg: KnowledgeGraph,
    rules: Sequence[Rule],
    decorations: Decorations,
    removed: Ints,
    fact: Ints,
    remaining: RemainingProofs,
    progress: Callable[[int, int], None] | None = None,
) -> BestProofs:
    """The best remaining proof of each removed fact that is not decorated.

    That is the shortest whose standard confidence is at most `WITHIN` below the best one; of equals the
    most confident, then the least rule id, then the first in canonical order (head row, body rows).

    Args:
        kg: The complete graph.
        rules: The rules; with measures.
        decorations: Of the same graph and rules.
        removed: The removed triples, rows of ``kg.triples``, ascending; shape (m,).
        fact: The fact that each of them states, 0 … facts − 1; shape (m,).
        remaining: Their remaining proofs in the graph without them.
        progress: Called with (rules done, all rules).
    """
    left = np.delete(np.arange(len(kg), dtype=row_type(len(kg))), removed)
    index = remaining.index
    heads = kg.triples[removed]
    exact = [Fraction(rule.support, rule.body_size) for rule in rules]
    values = sorted(set(exact))
    rank = {value: number for number, value in enumerate(values)}
    # The least confidence that may still win, for each confidence of the best proof.
    lowest = np.array([bisect_left(values, value - WITHIN) for value in values], np.int64)
    facts = int(fact.max(initial=-1)) + 1
    best = np.full(facts, -1, np.int64)  # rank of the confidence of the first proof found
    length = np.zeros(facts, np.int64)
    chosen = np.full(facts, -1, np.int64)
    body = np.full((facts, max((len(rule.body) for rule in rules), default=0)), -1, np.int64)
    order = sorted(range(len(rules)), key=lambda r: (-exact[r], len(rules[r].body), rules[r].id))
    for done, number in enumerate(order, start=1):
        rows, ways = remaining.by_rule[number]
        own, atoms = rank[exact[number]], len(rules[number].body)
        of = fact[rows]
        open_ = (best[of] < 0) | ((lowest[best[of]] <= own) & (atoms < length[of]))
        bound = bind_rule(index, rules[number]) if open_.any() else None
        if bound is not None and not decorations.always(number):
            for head, found in _firsts(
                bound, decorations, number, heads, removed, left, rows[open_], ways[open_]
            ):
                of = fact[head]
                # Of several statements of a fact, the first one.
                of, first = np.unique(of, return_index=True)
                fresh = chosen[of] != number
                of, first = of[fresh], first[fresh]
                best[of] = np.where(best[of] < 0, own, best[of])
                length[of], chosen[of] = atoms, number
                body[of, :atoms] = found[first]
                body[of, atoms:] = -1
        if progress:
            progress(done, len(rules))
    return BestProofs(chosen, body)


def _firsts(
    bound: BoundRule,
    decorations: Decorations,
    number: int,
    heads: npt.NDArray[np.int32],
    removed: Ints,
    left: Rows,
    rows: Ints,
    ways: Ints,
) -> Iterator[tuple[Ints, Ints]]:
    """The first undecorated body of each head that has one, in batches of ascending heads.

    Yields:
        Positions of heads, ascending; and bodies as rows of the complete graph.
    """
    for low, high in chunks(ways, AT_ONCE):
        part = rows[low:high]
        head = np.empty(0, np.int64)
        body = np.empty((0, len(bound.body)), np.int64)
        for found in bound.bodies(heads[part]):
            rows_ = left[found.rows].astype(np.int64)
            fine = decorations.without(number, removed[part[found.head]], rows_)
            head = np.concatenate((head, part[found.head[fine]]))
            body = np.concatenate((body, rows_[fine]))
            order = np.lexsort((*body.T[::-1], head))
            order = order[np.diff(head[order], prepend=-1) > 0]
            head, body = head[order], body[order]
        yield head, body
