"""A brute-force definition of the rules with constants that AMIE 3.5.1 mines, for up to three atoms.

The operators are written down as they are defined: a dangling atom's fresh variable stays, or is
bound to every constant that keeps the support; where the dangling atom unifies with an atom that has
a constant there, the fresh variable must differ from it, which counts as an atom. Shares no code with
the miner or with the oracle of rules without constants; every count tries every binding.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations, permutations

from checks.oracles.random_graphs import Case

Term = int | str
"""A variable (0 and 1 are the head's) or an entity."""
Atom = tuple[str, Term, Term]
"""Relation, subject, object."""
Key = tuple[Atom, tuple[Atom, ...]]
"""Head and canonical body."""
Counts = tuple[int, int, int, int]
"""Support, body size, PCA body size, functional variable."""


@dataclass
class Node:
    """A rule of the search space.

    Attributes:
        unequal: Pairs of a variable and an entity that it must not be bound to.
        lenient: Whether some rule that it was made from is open, or of a lower PCA confidence.
    """

    head: Atom
    body: tuple[Atom, ...]
    unequal: frozenset[tuple[int, str]] = frozenset()
    support: int = 0
    body_size: int = 0
    pca_size: int = 0
    parents: list["Node"] = field(default_factory=list)
    lenient: bool = False

    @property
    def length(self) -> int:
        return 1 + len(self.body) + len(self.unequal)

    @property
    def atoms(self) -> tuple[Atom, ...]:
        return (self.head, *self.body)

    @property
    def pca(self) -> float:
        return self.support / self.pca_size

    def variables(self) -> list[int]:
        found = {t for _, *terms in self.atoms for t in terms if isinstance(t, int)}
        return sorted(found)

    def opened(self) -> list[int]:
        return [v for v in self.variables() if sum(v in atom[1:] for atom in self.atoms) == 1]

    @property
    def key(self) -> Key:
        free = [v for v in self.variables() if v > 1]
        forms = []
        for order in permutations(range(2, 2 + len(free))):
            names = dict(zip(free, order, strict=True))
            body = [
                (r, *(names.get(t, t) if isinstance(t, int) else t for t in terms))
                for r, *terms in self.body
            ]
            forms.append(tuple(sorted(body, key=repr)))
        return self.head, min(forms, key=repr)  # type: ignore[return-value]


def unifies(pattern: Atom, atom: Atom) -> bool:
    """Whether a pattern becomes an atom by giving values to its variables."""
    return pattern[0] == atom[0] and all(
        one == other or isinstance(one, int)
        for one, other in zip(pattern[1:], atom[1:], strict=True)
    )


def redundant(atom: Atom, others: Iterable[Atom]) -> list[Atom]:
    return [other for other in others if unifies(other, atom) or unifies(atom, other)]


class ConstantsOracle:
    """The search on one graph under one set of options."""

    def __init__(self, case: Case) -> None:
        self.options = case.options
        self.pairs: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
        for s, r, o in case.triples:
            self.pairs[r].add((s, o))
        self.entities = sorted({e for s, _, o in case.triples for e in (s, o)})
        self.relations = sorted(self.pairs)

    def rules(self) -> dict[Key, Counts]:
        """All output rules."""
        found: dict[Key, Counts] = {}
        for relation in self.relations:
            facts = self.pairs[relation]
            if len(facts) < self.options.min_initial_support:
                continue
            ends = [{pair[i] for pair in facts} for i in (0, 1)]
            functional = 0 if len(ends[0]) >= len(ends[1]) else 1
            heads: list[Atom] = [(relation, 0, 1)]
            for constant in sorted(ends[1 - functional]):
                size = sum(pair[1 - functional] == constant for pair in facts)
                if size >= max(self.options.min_initial_support, 2):
                    bound: list[Term] = [0, 1]
                    bound[1 - functional] = constant
                    heads.append((relation, *bound))  # type: ignore[arg-type]
            for head in heads:
                found |= self._search(head, functional)
        return found

    def _search(self, head: Atom, functional: int) -> dict[Key, Counts]:
        least = max(1, math.ceil(self.options.min_head_coverage * len(self.pairs[head[0]])))
        generation: dict[Key, Node] = {(head, ()): Node(head, ())}
        found: dict[Key, Counts] = {}
        output: dict[Key, float] = {}
        while generation:
            following: dict[Key, Node] = {}
            for node in sorted(generation.values(), key=lambda node: repr(node.key)):
                closed = not node.opened()
                self._measure(node, functional)
                if closed and self._passes(node, output):
                    output[node.key] = node.pca
                    sizes = (node.support, node.body_size, node.pca_size)
                    found[node.key] = (*sizes, functional)
                perfect = closed and node.support == node.pca_size and self.options.perfect_pruning
                if perfect or node.length >= self.options.max_atoms:
                    continue
                for child in self._children(node, least):
                    kept = following.setdefault(child.key, child)
                    if child.unequal != kept.unequal:
                        raise AssertionError("one rule, two sets of inequalities")
                    kept.lenient |= child.lenient
                    kept.parents += child.parents
            generation = following
        return found

    def _passes(self, node: Node, output: dict[Key, float]) -> bool:
        if not node.body or node.unequal:
            return False
        if (
            node.pca < self.options.min_pca_confidence
            or node.support / node.body_size < self.options.min_std_confidence
        ):
            return False
        parts = (
            Node(node.head, part).key
            for size in range(1, len(node.body))
            for part in combinations(node.body, size)
        )
        better = node.lenient or any(parent.pca < node.pca for parent in node.parents)
        dominated = any(output.get(part, -1) >= node.pca for part in parts)
        return not self.options.skyline or (better and not dominated)

    def _children(self, node: Node, least: int) -> Iterator[Node]:
        existing, opened = node.variables(), node.opened()
        usable = [
            r
            for r in self.relations
            if sum(r == a[0] for a in node.atoms) < self.options.max_recursion
        ]
        for relation in usable:
            for s, t in permutations(existing, 2):
                atom = (relation, s, t)
                if all(v in (s, t) for v in opened) and atom not in node.atoms:
                    child = Node(node.head, (*node.body, atom), node.unequal)
                    if self._support(child) >= least:
                        (child.parents if not opened else []).append(node)
                        child.lenient = bool(opened)
                        yield child
            for joined in opened or existing:
                for place in (1, 2):
                    yield from self._dangling(node, relation, joined, place, least)

    def _dangling(
        self, node: Node, relation: str, joined: int, place: int, least: int
    ) -> Iterator[Node]:
        """An atom with the joined variable at a place, 1 or 2, and a fresh one at the other."""
        fresh = 2 + max([1, *node.variables()])
        terms: list[Term] = [fresh, fresh]
        terms[place - 1] = joined
        atom: Atom = (relation, terms[0], terms[1])
        unequal = {
            (fresh, other[3 - place])
            for other in redundant(atom, node.atoms)
            if isinstance(other[3 - place], str)
        }
        child = Node(node.head, (*node.body, atom), node.unequal | unequal, lenient=True)  # type: ignore[arg-type]
        if self._support(child) < least:
            return
        if node.length < self.options.max_atoms - 1:
            yield child
        for entity in self.entities:
            if (fresh, entity) in unequal:
                continue
            terms[2 - place] = entity
            bound: Atom = (relation, terms[0], terms[1])
            if redundant(bound, node.atoms):
                continue
            child = Node(node.head, (*node.body, bound), node.unequal, lenient=True)
            values = {values[joined] for values in self._supporting(child)}
            if self._support(child) >= least and len(values) >= 2:
                yield child

    def _bindings(self, node: Node, atoms: tuple[Atom, ...]) -> Iterator[dict[int, str]]:
        def extend(rest: tuple[Atom, ...], values: dict[int, str]) -> Iterator[dict[int, str]]:
            if not rest:
                if all(values[variable] != entity for variable, entity in node.unequal):
                    yield values
                return
            relation, *terms = rest[0]
            for pair in self.pairs[relation]:
                merged = dict(values)
                for term, entity in zip(terms, pair, strict=True):
                    known = merged.setdefault(term, entity) if isinstance(term, int) else term
                    if known != entity:
                        break
                else:
                    yield from extend(rest[1:], merged)

        return extend(atoms, {})

    def _supporting(self, node: Node) -> Iterator[dict[int, str]]:
        return self._bindings(node, node.atoms)

    def _support(self, node: Node) -> int:
        names = [t for t in node.head[1:] if isinstance(t, int)]
        return len({tuple(values[v] for v in names) for values in self._supporting(node)})

    def _measure(self, node: Node, functional: int) -> None:
        node.support = self._support(node)
        if node.opened() or not node.body:
            return
        names = [t for t in node.head[1:] if isinstance(t, int)]
        known = {pair[functional] for pair in self.pairs[node.head[0]]}
        holds = {tuple(values[v] for v in names) for values in self._bindings(node, node.body)}
        node.body_size = len(holds)
        node.pca_size = sum(values[names.index(functional)] in known for values in holds)
