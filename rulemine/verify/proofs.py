"""Counting proofs by brute force: which rules still prove a removed triple, and in how many ways.

A proof of a triple is a substitution under which the head of a rule is that triple and its whole body is in
the incomplete KG. Variables are bound one at a time, the one with the fewest candidates first; candidates
are an intersection of neighbor sets, so the last variable is counted, not enumerated.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from rulemine.verify.rules import Atom, HornRule
from rulemine.verify.triples import Graph, Triple

__all__ = ["Proofs", "Prover", "Triples", "bound", "match"]

Bindings = dict[int, str]

PartlyBound = tuple[int | str, str, int | str]
"""An atom in which values may stand in the places of variables."""

_Need = tuple[int, str, int]
"""An end of a triple, and of which relation it must be which end; 0: the subject, 2: the object."""


class Triples:
    """The triples of a graph, with a cache of look-ups; methods as in `Graph`."""

    def __init__(self, graph: Graph) -> None:
        self.objects, self.subjects = cache(graph.objects), cache(graph.subjects)
        self.all_at, self.between = cache(graph.all_at), graph.between

    def __contains__(self, triple: Triple) -> bool:
        return triple[2] in self.objects(triple[0], triple[1])


def match(atom: Atom, triple: Triple, bindings: Bindings) -> bool:
    """Unifies an atom with a triple: extends the bindings, or returns False if they contradict it."""
    if atom[1] != triple[1]:
        return False
    return all(
        bindings.setdefault(variable, value) == value
        for variable, value in zip(atom[::2], triple[::2], strict=True)
    )


def count(body: Sequence[PartlyBound], bindings: Bindings, triples: Triples) -> int:
    """Counts the ways to bind the unbound variables so that all atoms are in the graph."""
    waiting: list[PartlyBound] = []
    options: dict[int, list[frozenset[str]]] = {}
    free: set[int] = set()
    for atom in body:
        s, r, o = bound(atom, bindings)
        if isinstance(s, str) and isinstance(o, str):
            if o not in triples.objects(s, r):
                return 0
            continue
        waiting.append((s, r, o))
        if isinstance(s, str) and isinstance(o, int):
            variable, found = o, triples.objects(s, r)
        elif isinstance(s, int) and isinstance(o, str):
            variable, found = s, triples.subjects(r, o)
        else:
            free.update(t for t in (s, o) if isinstance(t, int))
            continue
        if not found:
            return 0
        options.setdefault(variable, []).append(found)
        free.add(variable)
    if not waiting:
        return 1
    if not options:  # no atom has a bound term: start anywhere
        start, relation, _ = waiting[0]
        if not isinstance(start, int):
            raise AssertionError(f"{waiting[0]} has a value and gave no candidates")
        return sum(count(waiting, {start: v}, triples) for v in triples.all_at(relation, 0))
    variable = min(options, key=lambda v: (min(map(len, options[v])), v))
    smallest, *others = sorted(options[variable], key=len)
    candidates = smallest.intersection(*others)
    if free == {variable} and len(options[variable]) == len(waiting):
        return len(candidates)
    links = [(s, r) for s, r, o in waiting if not isinstance(s, str) and not isinstance(o, str)]
    loops = any(s == o for s, _, o in waiting)
    if (
        len(links) == 1 and not loops and len(free) == len(options) == 2
    ):  # a chain, so the most frequent case
        (other,) = free - {variable}
        ends = frozenset.intersection(*options[other])
        ((start, relation),) = links
        if start == variable:
            return sum(len(ends & triples.objects(value, relation)) for value in candidates)
        return sum(len(ends & triples.subjects(relation, value)) for value in candidates)
    return sum(count(waiting, {variable: value}, triples) for value in candidates)


def bound(atom: PartlyBound, bindings: Bindings) -> PartlyBound:
    """The atom with the values of its bound variables."""
    s, r, o = atom
    return (
        bindings.get(s, s) if isinstance(s, int) else s,
        r,
        bindings.get(o, o) if isinstance(o, int) else o,
    )


class Proofs(NamedTuple):
    """The proofs of a triple.

    Attributes:
        ways: Substitutions, over all rules.
        shortest: Body atoms of the shortest proof; 0 if there is none.
    """

    ways: int
    shortest: int


class Prover:
    """Counts proofs of triples by rules.

    Attributes:
        rules: The rules by head relation.
        triples: The triples to prove from.
    """

    def __init__(self, rules: Iterable[HornRule], triples: Triples) -> None:
        self.triples = triples
        self.rules: dict[str, list[HornRule]] = defaultdict(list)
        # By head relation, what rules need at the ends of a triple, and which need just that.
        self._needing: dict[str, dict[frozenset[_Need], list[HornRule]]] = defaultdict(dict)
        for rule in rules:
            self.rules[rule.head[1]].append(rule)
            self._needing[rule.head[1]].setdefault(_needs(rule), []).append(rule)

    def ways(self, rule: HornRule, triple: Triple) -> int:
        """Counts the proofs of a triple by one rule."""
        bindings: Bindings = {}
        matched = match(rule.head, triple, bindings)
        return count(rule.body, bindings, self.triples) if matched else 0

    def prove(self, triple: Triple) -> Proofs:
        """Counts the proofs of a triple that is not itself in the graph."""
        total, shortest = 0, 0
        objects, subjects = self.triples.objects, self.triples.subjects
        needing = self._needing.get(triple[1], {})
        met = {
            (end, relation, side)
            for end, relation, side in frozenset[_Need]().union(*needing)
            if (subjects(relation, triple[end]) if side else objects(triple[end], relation))
        }
        for needs, rules in needing.items():
            if needs <= met:
                for rule in rules:
                    if ways := self.ways(rule, triple):
                        total += ways
                        shortest = min(shortest or len(rule.body), len(rule.body))
        return Proofs(total, shortest)


def _needs(rule: HornRule) -> frozenset[_Need]:
    """Of what relations the ends of a triple must be ends, if the rule is to prove it."""
    return frozenset(
        (end, atom[1], side)
        for end in (0, 2)
        for atom in rule.body
        for side in (0, 2)
        if isinstance(rule.head[end], int) and atom[side] == rule.head[end]
    )
