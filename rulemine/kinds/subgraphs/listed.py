"""Trees of triples over the joins that people make (see `rulemine.recipe.joins`), drawn around a triple.

A tree is drawn for a plan: the parent of each node, node 0 being the answer. The triple is put on one of its
links, then what goes on from it up to the answer is drawn, then all that is below; of the links that may be
joined, one uniformly, then one of its triples.
"""

import re
from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt

from rulemine.kg.facts import Declarations
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph
from rulemine.kg.index import Incidence
from rulemine.kinds.written.listed import LONG, has_listed_chains, height
from rulemine.query.links import expanded, linked, parts_of
from rulemine.query.tree import Projection, Query
from rulemine.recipe.joins import JOINS, Joins, Link
from rulemine.seeds import Stream

__all__ = ["INPUTS", "ListedTrees", "is_listed", "plan_of"]

INPUTS = (JOINS,)

_Allowed = npt.NDArray[np.bool_]


def is_listed(query: Query, joins: Joins, declarations: Declarations) -> bool:
    """Whether all links of a query that meet are joined as a list has it."""
    asked = linked(expanded(query, declarations), declarations)
    return has_listed_chains(query, joins, declarations) and _stand_together(asked, joins)


def _stand_together(query: Query, joins: Joins) -> bool:
    """Whether the links of a query that give the same may do so."""
    parts = parts_of(query)
    ends = [] if isinstance(query, Projection) else [end for part in parts for end in _ends(part)]
    together = joins.beside_chains if height(query) > 1 else joins.together
    pairs = ((one, other) for i, one in enumerate(ends) for other in ends[:i])
    return all(pair in together for pair in pairs) and all(
        _stand_together(part, joins) for part in parts
    )


def _ends(query: Query) -> list[Link]:
    """The links that give what a query gives."""
    if isinstance(query, Projection):
        return [(query.relation, query.inverse)]
    return [end for part in parts_of(query) for end in _ends(part)]


def plan_of(shape: str) -> tuple[int, ...]:
    """The plan of a shape code: the parent of each node after the first.

    >>> plan_of("(2(1)(1))(1)")
    (0, 1, 2, 2, 0)
    """
    parents: list[int] = []
    at = [0]
    for bracket, number in re.findall(r"(\()(\d*)|\)", shape):
        if not bracket:
            at.pop()
            continue
        node = at[-1]
        for _ in range(int(number or 1)):
            parents.append(node)
            node = len(parents)
        at.append(node)
    return tuple(parents)


class ListedTrees:
    """Draws trees of a graph.

    Args:
        kg: The complete graph.
        rows: Its rows that trees may have.
        joins: The joins.
        declarations: Which relations state the same facts.
    """

    def __init__(
        self,
        kg: KnowledgeGraph,
        rows: npt.NDArray[np.int64],
        joins: Joins,
        declarations: Declarations,
    ) -> None:
        self._kg = kg
        numbers: dict[Link, int] = {}
        number = np.empty((len(kg.relations), 2), np.int64)
        for i, relation in enumerate(kg.relations):
            for inverse in (0, 1):
                asked, end = declarations.asked(relation, DIRECTIONS[1 - inverse])
                number[i, inverse] = numbers.setdefault((asked, end == DIRECTIONS[0]), len(numbers))
        self._number = number
        self._after, self._chains = (_matrix(of, numbers) for of in (joins.after, joins.chains))
        self._together = _matrix(joins.together, numbers)
        self._beside_chains = _matrix(joins.beside_chains, numbers)
        near = Incidence(kg, rows)
        self._rows, self._others = near.rows, near.others
        owner = np.arange(len(near.degrees)).repeat(near.degrees)
        s, r, _ = kg.triples[self._rows].T.astype(np.int64)
        is_subject = (owner == s).astype(np.int64)
        self._into, self._out = (
            _Grouped(owner, number[r, own], len(near.degrees))
            for own in (is_subject, 1 - is_subject)
        )

    def draw(
        self, plan: Sequence[int], row: int, random: Stream
    ) -> tuple[list[tuple[int, tuple[int, int]]], int] | None:
        """Draws a tree.

        Args:
            plan: See `plan_of`.
            row: A triple that it has.
            random: The stream.

        Returns:
            Its rows, each with its ends, and the answer; None: the draw led nowhere.
        """
        parents = (-1, *plan)
        depth, height = [0] * len(parents), [0] * len(parents)
        for node in range(1, len(parents)):
            depth[node] = depth[parents[node]] + 1
        for node in range(len(parents) - 1, 0, -1):
            height[parents[node]] = max(height[parents[node]], height[node] + 1)
        first = 1 + random.below(len(plan))
        turned = random.below(2)
        ends = self._kg.triples[row, [0, 2]].tolist()
        entities = {first: ends[turned], parents[first]: ends[1 - turned]}
        links = {first: int(self._number[int(self._kg.triples[row, 1]), turned])}
        used = {first: row}

        def follows(node: int) -> _Allowed:
            """Which links may go on from what the link of a node leads to, or come before it."""
            return self._chains if depth[node] + height[node] >= LONG else self._after

        node = parents[first]
        while node:
            child = next(one for one in links if parents[one] == node)
            allowed = follows(child)[links[child]]
            found = self._one(entities[node], self._out, allowed, entities.values(), random)
            if found is None:
                return None
            used[node], links[node], entities[parents[node]] = found
            node = parents[node]
        for node in range(1, len(parents)):
            if node in links:
                continue
            at = parents[node]
            allowed = np.ones(len(self._after), bool)
            if at:
                allowed = follows(node)[:, links[at]]
            together = self._beside_chains if height[at] > 1 else self._together
            for other in links:
                if parents[other] == at:
                    allowed = allowed & together[links[other]]
            found = self._one(entities[at], self._into, allowed, entities.values(), random)
            if found is None:
                return None
            used[node], links[node], entities[node] = found
        rows = [used[node] for node in range(1, len(parents))]
        return [(one, self._ends(one)) for one in rows], entities[0]

    def _ends(self, row: int) -> tuple[int, int]:
        s, _, o = self._kg.triples[row].tolist()
        return s, o

    def _one(
        self,
        entity: int,
        links: "_Grouped",
        allowed: _Allowed,
        known: Collection[int],
        random: Stream,
    ) -> tuple[int, int, int] | None:
        """A row at an entity, its link and its other end, which is new; None: the draw led nowhere."""
        first, last = links.begin[entity : entity + 2].tolist()
        some = links.link[first:last]
        present = allowed[some].nonzero()[0]
        if not len(present):
            return None
        group = first + int(present[random.below(len(present))])
        link, (low, high) = int(links.link[group]), links.start[group : group + 2].tolist()
        at = int(links.places[low + random.below(high - low)])
        other = int(self._others[at])
        if other in known:
            return None
        return int(self._rows[at]), link, other


class _Grouped:
    """The places of an incidence by entity, then by link, then ascending.

    Args:
        owner: The entity of each place, ascending.
        link: Its link.
        entities: How many entities there are.

    Attributes:
        places: The places.
        link: The link of each group.
        start: Where each group begins among the places; the last is the end.
        begin: Where the groups of each entity begin; the last is the end.
    """

    def __init__(
        self, owner: npt.NDArray[np.int64], link: npt.NDArray[np.int64], entities: int
    ) -> None:
        self.places = np.lexsort((link, owner))  # stable
        owner, link = owner[self.places], link[self.places]
        new = np.ones(len(owner), bool)
        new[1:] = (owner[1:] != owner[:-1]) | (link[1:] != link[:-1])
        firsts = np.flatnonzero(new)
        self.link, self.start = link[firsts], np.append(firsts, len(owner))
        self.begin = np.searchsorted(owner[firsts], np.arange(entities + 1))


def _matrix(pairs: frozenset[tuple[Link, Link]], numbers: dict[Link, int]) -> _Allowed:
    """The pairs as an array of shape (links, links)."""
    found = np.zeros((len(numbers), len(numbers)), bool)
    for one, other in pairs:
        if one in numbers and other in numbers:
            found[numbers[one], numbers[other]] = True
    return found
