"""Which of a few triples the derivations of a query consist of."""

from collections.abc import Sequence

from rulemine.kg.graph import Triple
from rulemine.query.tree import Anchor, Intersection, Projection, Query, Union

__all__ = ["Derivations"]


class Derivations:
    """Which of a few triples derivations of a query consist of.

    Args:
        triples: The triples; derivations that need others are not found.
    """

    def __init__(self, triples: Sequence[Triple]) -> None:
        self._triples = triples
        self._known: dict[tuple[str, str], frozenset[tuple[int, bool]]] = {}

    def of(self, query: Query, end: str) -> frozenset[tuple[int, bool]]:
        """The sets of triples that derive an entity, as bits; and whether no triple serves two atoms."""
        key = (query.text, end)
        if key not in self._known:
            self._known[key] = frozenset(self._found(query, end))
        return self._known[key]

    def _found(self, query: Query, end: str) -> set[tuple[int, bool]]:
        if isinstance(query, Anchor):
            return {(0, True)} if query.entity == end else set()
        if isinstance(query, Projection):
            found = set()
            for at, (s, r, o) in enumerate(self._triples):
                below, above = (o, s) if query.inverse else (s, o)
                if (r, above) == (query.relation, end):
                    step = {(1 << at, True)}
                    found |= _both(step, self.of(query.of, below))
            return found
        if isinstance(query, Union):
            return {one for part in query.parts for one in self.of(part, end)}
        if isinstance(query, Intersection):
            found = {(0, True)}
            for part in query.parts:
                found = _both(found, self.of(part, end))
            return found
        return {*self.of(query.of, end)}


def _both(
    some: set[tuple[int, bool]], others: frozenset[tuple[int, bool]]
) -> set[tuple[int, bool]]:
    return {(a | b, once and too and not a & b) for a, once in some for b, too in others}
