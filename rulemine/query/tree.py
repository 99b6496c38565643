"""Query trees: what a question asks for, as a set of entities built from anchors.

    "x"            the entity x (anchor)           (p "r" X)    {y : (x, r, y), x in X}
    (and X Y …)    intersection                    (p- "r" X)   {y : (y, r, x), x in X}
    (or X Y …)     union                           (minus X Y)  X without Y      (count X)  at the root

The semantics are those of SPARQL's ``SELECT DISTINCT ?answer``: two variables may be the same entity, and
two atoms the same triple.

Guarantees: every tree is canonical (parts of intersections and unions are sorted by their text, flattened,
and all different), so two trees are equal if their texts are; no tree is nested deeper than `MOST_DEPTH`
or has more atoms than `MOST_ATOMS`, so recursion over it is safe.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import cast

from rulemine.errors import QueryError, counted

__all__ = [
    "MOST_ATOMS",
    "MOST_DEPTH",
    "Anchor",
    "Count",
    "Difference",
    "Intersection",
    "Projection",
    "Query",
    "Union",
]

MOST_DEPTH = 100
"""The deepest nesting of parentheses in a query."""

MOST_ATOMS = 50_000
"""The most projections in a query."""


@dataclass(frozen=True, eq=False, repr=False)
class Node:
    """A node of a query tree, and the query below it.

    Attributes:
        text: The query on one line; equal queries have equal texts. `rulemine.query.parse` reads it.
        depth: Nested parentheses of the text, ≤ `MOST_DEPTH`.
        size: Number of projections, ≤ `MOST_ATOMS`.
        subtracts: Whether there is a difference in it.
    """

    text: str = field(init=False)
    depth: int = field(init=False)
    size: int = field(init=False)
    subtracts: bool = field(init=False)

    def _settle(
        self, text: str, parts: "tuple[Query, ...]", projections: int = 0, subtracts: bool = False
    ) -> None:
        """Sets what follows from the parts.

        Raises:
            QueryError: The query is too deep or too large, or a part is a count.
        """
        depth, size = -1, projections
        for part in parts:
            depth = max(depth, part.depth)
            size += part.size
            subtracts = subtracts or part.subtracts
            if isinstance(part, Count):
                raise QueryError(
                    "query: a count is inside another query; it can only be outermost."
                )
        if depth >= MOST_DEPTH:
            raise QueryError(f"query: it is nested more than {MOST_DEPTH} deep. Ask less at once.")
        if size > MOST_ATOMS:
            raise QueryError(
                f"query: it has {counted(size, 'atom')}; at most {MOST_ATOMS:,} are allowed. "
                "Ask less at once."
            )
        self.__dict__.update(text=text, depth=depth + 1, size=size, subtracts=subtracts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<query {self.text}>"


_AS_JSON = json.JSONEncoder(ensure_ascii=False)
"""One for all: `json.dumps` makes one for every name."""


@lru_cache(maxsize=1 << 16)  # names are few and queries many
def quoted(name: str) -> str:
    """The name of an entity or relation as in the text of a query: a JSON string."""
    return _AS_JSON.encode(name)


@dataclass(frozen=True, eq=False, repr=False)
class Anchor(Node):
    """One entity.

    Attributes:
        entity: Its label.
    """

    entity: str

    def __post_init__(self) -> None:
        self._settle(quoted(self.entity), ())


@dataclass(frozen=True, eq=False, repr=False)
class Projection(Node):
    """What a relation leads to.

    Attributes:
        relation: Its label.
        inverse: Whether from objects to subjects, rather than from subjects to objects.
        of: Where it starts.

    Raises:
        QueryError: The query is too deep or too large; so for all nodes.
    """

    relation: str
    inverse: bool
    of: "Query"

    def __post_init__(self) -> None:
        word = "p-" if self.inverse else "p"
        self._settle(f"({word} {quoted(self.relation)} {self.of.text})", (self.of,), 1)


@dataclass(frozen=True, eq=False, repr=False)
class _Combination(Node):
    parts: "tuple[Query, ...]"

    def __post_init__(self) -> None:
        parts = self._flat(self.parts)
        if len(parts) < 2:
            raise QueryError(
                f"query: ({self._word} …) has {counted(len(parts), 'different part')}; expected two or "
                f"more. Use the part itself, or {type(self).__name__}.of(…)."
            )
        object.__setattr__(self, "parts", parts)
        self._settle(f"({self._word} {' '.join(part.text for part in parts)})", parts)

    @property
    def _word(self) -> str:
        return "and" if isinstance(self, Intersection) else "or"

    @classmethod
    def _flat(cls, parts: "Iterable[Query]") -> "tuple[Query, ...]":
        within = (p.parts if isinstance(p, cls) else (p,) for p in parts)
        found = {part.text: part for some in within for part in some}
        return tuple(found[text] for text in sorted(found))

    @classmethod
    def of(cls, parts: "Iterable[Query]") -> "Query":
        """The combination of parts in any order; the part itself where all are the same.

        Raises:
            QueryError: There is no part.
        """
        flat = cls._flat(parts)
        return flat[0] if len(flat) == 1 else cast("Query", cls(flat))


class Intersection(_Combination):
    """What is in all of the parts.

    Attributes:
        parts: Two or more, in any order; kept sorted, flattened and different.

    Raises:
        QueryError: There are fewer than two different parts; see `of`.
    """


class Union(_Combination):
    """What is in some of the parts; as `Intersection`."""


@dataclass(frozen=True, eq=False, repr=False)
class Difference(Node):
    """What is in one set and not in another.

    Attributes:
        of: The one.
        minus: The other; holds no difference.

    Raises:
        QueryError: `minus` holds a difference.
    """

    of: "Query"
    minus: "Query"

    def __post_init__(self) -> None:
        if self.minus.subtracts:
            raise QueryError(
                "query: what (minus X Y) takes away, Y, holds another minus, so that adding triples "
                "could add answers. Rewrite it without."
            )
        text = f"(minus {self.of.text} {self.minus.text})"
        self._settle(text, (self.of, self.minus), subtracts=True)


@dataclass(frozen=True, eq=False, repr=False)
class Count(Node):
    """How many there are; only at the root. Its answers are the entities that are counted.

    Attributes:
        of: What is counted.
    """

    of: "Query"

    def __post_init__(self) -> None:
        self._settle(f"(count {self.of.text})", (self.of,))


Query = Anchor | Projection | Intersection | Union | Difference | Count
"""A query tree."""
