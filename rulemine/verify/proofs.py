"""Counting proofs by brute force: which rules still prove a removed triple, and in how many ways.

A proof of a triple is a substitution under which the head of a rule is that triple and its whole body is in
the incomplete KG. Variables are bound one at a time, the one with the fewest candidates first; candidates
are an intersection of neighbor sets, so the last variable is counted, not enumerated.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from rulemine.verify.rules import Atom, HornRule, Term
from rulemine.verify.triples import Graph, Triple

__all__ = ["Proofs", "Prover", "Triples", "bound", "match"]

Bindings = dict[int, str]


class Triples:
    """The triples of a graph, with a cache of look-ups; methods as in `Graph`."""

    def __init__(self, graph: Graph) -> None:
        self.objects, self.subjects = cache(graph.objects), cache(graph.subjects)
        self.subjects_of, self.between = graph.subjects_of, graph.between


def match(atom: Atom, triple: Triple, bindings: Bindings) -> bool:
    """Unifies an atom with a triple: extends the bindings, or returns False if they contradict it."""
    if atom[1] != triple[1]:
        return False
    for term, value in ((atom[0], triple[0]), (atom[2], triple[2])):
        if isinstance(term, str):
            if term != value:
                return False
        elif bindings.setdefault(term, value) != value:
            return False
    return True


def count(body: list[Atom], bindings: Bindings, triples: Triples) -> int:
    """Counts the ways to bind the unbound variables so that all atoms are in the graph."""
    waiting: list[Atom] = []
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
            options.setdefault(o, []).append(triples.objects(s, r))
            free.add(o)
        elif isinstance(s, int) and isinstance(o, str):
            options.setdefault(s, []).append(triples.subjects(r, o))
            free.add(s)
        else:
            free.update(t for t in (s, o) if isinstance(t, int))
    if not waiting:
        return 1
    if not options:  # no atom has a bound term: start anywhere
        start, relation, _ = waiting[0]
        if not isinstance(start, int):
            raise AssertionError(f"{waiting[0]} has an entity and gave no candidates")
        return sum(count(waiting, {start: v}, triples) for v in triples.subjects_of(relation))
    variable = min(options, key=lambda v: (min(map(len, options[v])), v))
    smallest, *others = sorted(options[variable], key=len)
    candidates = smallest.intersection(*others)
    if free == {variable} and len(options[variable]) == len(waiting):
        return len(candidates)
    return sum(count(waiting, {variable: value}, triples) for value in candidates)


def bound(atom: Atom, bindings: Bindings) -> tuple[Term, str, Term]:
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


@dataclass(frozen=True, slots=True)
class Prover:
    """Rules by head relation, and the triples to prove from."""

    rules: dict[str, list[HornRule]]
    triples: Triples

    @classmethod
    def of(cls, rules: Iterable[HornRule], triples: Triples) -> "Prover":
        """Makes a prover for rules over triples."""
        by_relation: dict[str, list[HornRule]] = {}
        for rule in rules:
            by_relation.setdefault(rule.head[1], []).append(rule)
        return cls(by_relation, triples)

    def ways(self, rule: HornRule, triple: Triple) -> int:
        """Counts the proofs of a triple by one rule."""
        bindings: Bindings = {}
        matched = match(rule.head, triple, bindings)
        return count(list(rule.body), bindings, self.triples) if matched else 0

    def prove(self, triple: Triple) -> Proofs:
        """Counts the proofs of a triple that is not itself in the graph."""
        total, shortest = 0, 0
        for rule in self.rules.get(triple[1], ()):
            if ways := self.ways(rule, triple):
                total += ways
                shortest = min(shortest or len(rule.body), len(rule.body))
        return Proofs(total, shortest)
