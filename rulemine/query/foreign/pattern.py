"""Graph patterns, as other query languages have them, and the query tree that a pattern is.

The answer variable becomes the root, constants the anchors, each triple pattern an atom; branches at a
variable are an intersection.

Guarantees: variables keep no names in the tree, so the order and the names in a pattern do not matter;
nothing is dropped: a pattern that is no tree is refused with the reason.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from rulemine.errors import NoTreeError
from rulemine.query.tree import Anchor, Difference, Intersection, Projection, Query, Union

__all__ = ["Node", "Pattern", "TriplePattern"]

Node = str | Anchor
"""A variable, by its name, or a constant."""


class TriplePattern(NamedTuple):
    """A triple pattern; its relation is a constant."""

    subject: Node
    relation: str
    target: Node


@dataclass
class Pattern:
    """Patterns that must hold together.

    Attributes:
        triples: Triple patterns.
        unions: Of each of these alternatives, one must hold.
        taken: None of these may hold.
        values: Variables with the constants that they may be.
    """

    triples: list[TriplePattern] = field(default_factory=list)
    unions: "list[list[Pattern]]" = field(default_factory=list)
    taken: "list[Pattern]" = field(default_factory=list)
    values: list[tuple[str, Query]] = field(default_factory=list)

    def join(self, other: "Pattern") -> None:
        """Adds what another pattern has."""
        self.triples += other.triples
        self.unions += other.unions
        self.taken += other.taken
        self.values += other.values

    def variables(self) -> set[str]:
        """All its variables, without those of `taken` alone."""
        found = {node for t in self.triples for node in (t[0], t[2]) if isinstance(node, str)}
        found.update(*(arm.variables() for arms in self.unions for arm in arms))
        return found.union(variable for variable, _ in self.values)

    def tree(self, root: str, below: Mapping[str, Query] | None = None) -> Query:
        """The tree of what a variable can be.

        Args:
            root: The variable.
            below: Trees of other variables, built from what surrounds this pattern.

        Raises:
            NoTreeError: The pattern is no tree.
            QueryError: The tree is too deep or too large.
        """
        return _Builder(self, root, below or {}).tree()


class _Branch(NamedTuple):
    """A triple pattern, or a union, and the variables by which it is joined to the rest."""

    variables: frozenset[str]
    what: "TriplePattern | list[Pattern]"


class _Builder:
    def __init__(self, pattern: Pattern, root: str, below: Mapping[str, Query]) -> None:
        self._root = root
        self._parts: dict[str, list[Query]] = {variable: [tree] for variable, tree in below.items()}
        for variable, tree in pattern.values:
            self._parts.setdefault(variable, []).append(tree)
        self._unions = pattern.unions
        self._taken = pattern.taken
        triples = dict.fromkeys(pattern.triples)
        branches = [_Branch(_variables(triple), triple) for triple in triples]
        self._branches = [*branches, *self._joined_unions(branches)]

    def tree(self) -> Query:
        reached = self._check()
        taken: dict[str, list[Pattern]] = {}
        for pattern in self._taken:
            shared = pattern.variables() & reached
            if len(shared) != 1:
                raise NoTreeError("a MINUS that does not share exactly one variable")
            taken.setdefault(shared.pop(), []).append(pattern)
        self._taken_at = taken
        return self._tree(self._root)

    def _joined_unions(self, branches: list[_Branch]) -> Iterator[_Branch]:
        inside = [set().union(*(arm.variables() for arm in arms)) for arms in self._unions]
        outside = {self._root, *self._parts}.union(*(branch.variables for branch in branches))
        for i, arms in enumerate(self._unions):
            others = outside.union(*inside[:i], *inside[i + 1 :])
            yield _Branch(frozenset(inside[i] & others), arms)

    def _check(self) -> set[str]:
        """Checks that all hangs together without a cycle; the variables of it."""
        reached, left = {self._root}, self._branches
        while near := [branch for branch in left if branch.variables & reached]:
            reached.update(*(branch.variables for branch in near))
            left = [branch for branch in left if branch not in near]
        if left or set(self._parts) - reached:
            raise NoTreeError("patterns that are not connected with the answer")
        loops = any(isinstance(b.what, TriplePattern) and b.what[0] == b.what[2]
                    for b in self._branches)  # fmt: skip
        if loops or sum(len(b.variables) - 1 for b in self._branches) >= len(reached):
            raise NoTreeError("a cycle")
        return reached

    def _tree(self, variable: str) -> Query:
        """The tree of a variable, from the branches that were not used on the way to it."""
        parts = self._parts.get(variable, [])[:]
        here = [branch for branch in self._branches if variable in branch.variables]
        self._branches = [branch for branch in self._branches if branch not in here]
        for joined, what in here:
            if isinstance(what, TriplePattern):
                inverse = what.subject == variable
                end = what.target if inverse else what.subject
                of = self._tree(end) if isinstance(end, str) else end
                parts.append(Projection(what.relation, inverse, of))
            else:
                parts.append(self._union(variable, joined, what))
        if not parts:
            raise NoTreeError(
                "no entity is named"
                if variable == self._root
                else "a variable that leads to no entity"
            )
        query = Intersection.of(parts)
        for taken in self._taken_at.get(variable, ()):
            query = Difference(query, taken.tree(variable))
        return query

    def _union(self, variable: str, joined: frozenset[str], arms: list[Pattern]) -> Query:
        if not all(joined <= arm.variables() for arm in arms):
            raise NoTreeError("a UNION whose parts use different variables")
        below = {v: self._tree(v) for v in sorted(joined - {variable})}
        return Union.of(arm.tree(variable, below) for arm in arms)


def _variables(triple: TriplePattern) -> frozenset[str]:
    return frozenset(end for end in (triple.subject, triple.target) if isinstance(end, str))
