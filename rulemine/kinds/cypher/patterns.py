"""Patterns of a graph: each MATCH template with the types, relations and names that it can have.

Types and relations are drawn from the schema, then nodes are fixed so that there is a match: each pattern is
looked for when it is asked for.

Guarantee: the patterns and their order depend on the graph, the seed and the template; every pattern has a
match.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from functools import lru_cache, partial
from itertools import islice, pairwise, product
from typing import TypeVar

from rulemine.cypher.questions.evaluator import bindings
from rulemine.cypher.questions.joins import matched
from rulemine.cypher.questions.pattern import (
    CURRENT,
    END,
    START,
    MatchPattern,
    PatternNode,
    anchored,
)
from rulemine.cypher.questions.templates import CATEGORIES, MATCHES
from rulemine.kg.graph import Triple
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kinds.neighbors import FEW
from rulemine.seeds import Stream, stream

__all__ = ["PatternSource", "in_turn"]

_IN_A_ROW = 25
"""So many nodes in a row from which no new pattern is found end the search among those of the same types."""

_WAYS_TRIED = 64
"""So many pairs of neighbors of one node are looked at."""

_T = TypeVar("_T")

_Far = tuple[str, str, str]
"""A relation as an edge of a pattern: the type of the node that it is read from, its name, the other type."""

_Ends = dict[str, int]
"""Variables with their nodes."""


class PatternSource:
    """Draws patterns.

    Args:
        graph: The graph.
        seed: Which of them come first.
        wanted: Triples of ids around which patterns are looked for, where that is asked for.
    """

    def __init__(self, graph: PropertyGraph, seed: int, wanted: Iterable[Triple] = ()) -> None:
        self._graph = graph
        self._seed = seed
        self._near = lru_cache(1 << 14)(partial(_neighbors, graph))
        self._wanted: dict[tuple[str, str, str], list[tuple[int, int]]] = {}
        for subject, relation, object_ in sorted(wanted):
            ends = graph.positions[subject], graph.positions[object_]
            signature = graph.nodes[ends[0]].type, relation, graph.nodes[ends[1]].type
            self._wanted.setdefault(signature, []).append(ends)

    def bare(self, template: str) -> Iterator[MatchPattern]:
        """A template with each combination of types and relations that the graph has; no node is fixed.

        Relations of triples that are wanted take turns with the others, and first relations with each other.
        Where two edges can be exchanged, one of the two ways is given. Templates about time have the
        relations to which the schema gives a start and an end year; that of a year has the year 0.
        """
        row, category = MATCHES[template], CATEGORIES[MATCHES[template].category]
        random = stream(self._seed, "cypher", template)
        if not category.shape:
            types = [row.label for row in self._graph.schema.entities]
            for type_ in _shuffled(filter(self._graph.of_type, types), random):
                yield MatchPattern(template, (PatternNode(type_),) * len(category.nodes))
            return
        time: str | int | None = None
        if row.category == "time":
            time = CURRENT if template.endswith("current") else 0
        firsts, *more = (self._usable(way, time is not None, random) for way in row.directions)
        if not more:
            for near, relation, far in firsts:
                yield MatchPattern(
                    template, (PatternNode(near), PatternNode(far)), (relation,), time
                )
            return
        place = _shared(category.shape)
        seconds: dict[Hashable, list[_Far]] = {}
        for one in more[0]:
            seconds.setdefault(place(one, 1), []).append(one)
        exchangeable = row.directions in ("→→", "←←") and category.shape[1][0] == "n"
        exchangeable = exchangeable and (category.form == "union" or category.form == "match")
        for first, second in in_turn(
            product((one,), seconds.get(place(one, 0), ())) for one in firsts
        ):
            if exchangeable and second[1:] < first[1:]:
                continue
            type_of = dict(zip(category.shape[0], first[::2], strict=True))
            type_of |= dict(zip(category.shape[1], second[::2], strict=True))
            nodes = tuple(PatternNode(type_of[name]) for name in category.nodes)
            yield MatchPattern(template, nodes, (first[1], second[1]))

    def wants(self, bare: MatchPattern) -> bool:
        """Whether patterns can be looked for around triples that are wanted."""
        return bool(bare.category.fixed) and any(self._wanted_pairs(bare))

    def fixed(self, bare: MatchPattern, around: bool = False) -> Iterator[MatchPattern]:
        """The ways to fix a pattern's nodes so that it has a match, in random order.

        Of two nodes that are fixed, neither may have all n of the other, of a union as of a conjunction, and
        they belong together: they are joined, or by what is no n and has at most
        `rulemine.kinds.neighbors.FEW` neighbors.

        Args:
            bare: One of those of `bare`.
            around: Whether only matches of triples that are wanted are looked for.
        """
        fixed, types = bare.category.fixed, [node.type for node in bare.nodes]
        random = stream(self._seed, "cypher", bare.template, *types, *bare.relations)
        if not fixed:
            if matched(self._graph, bare, together=True).rows:
                yield bare
            return
        row = MATCHES[bare.template]
        alike = len({*row.directions}) == len({*bare.relations}) == len({*bare.nodes[1:]}) == 1
        seen: set[tuple[int, ...]] = set()
        missed = 0
        bound = {*(bare.named if around else fixed)}
        for start in self._starts(bare, around, random):
            missed += 1
            for ends in islice(self._bound(bare, start, bound, random), _WAYS_TRIED):
                found = tuple(ends[name] for name in fixed)
                if alike and len(found) == 2:
                    found = (min(found), max(found))
                if found in seen or (len(found) == 2 and not self._differ(bare, found, alike)):
                    continue
                seen.add(found)
                missed = 0
                yield from self._timed(bare, dict(zip(fixed, found, strict=True)), random)
                break
            if missed == _IN_A_ROW:
                return

    def _usable(self, way: str, timed: bool, random: Stream) -> list[_Far]:
        """The relations as edges of a pattern that are read in a direction; wanted ones in turn."""
        found = [
            row.signature
            for row in self._graph.schema.relations
            if len(self._graph.of_signature(*row.signature)[0])
            and (not timed or {START, END} <= {p.name for p in row.properties})
        ]
        own = [one for one in found if one in self._wanted]
        others = [one for one in found if one not in self._wanted]
        both = in_turn((_shuffled(own, random), _shuffled(others, random)))
        return [(s, r, o) if way == "→" else (o, r, s) for s, r, o in both]

    def _wanted_pairs(self, bare: MatchPattern) -> list[Sequence[tuple[int, int]]]:
        """Of each edge of a pattern, the wanted triples that it can be."""
        types = {name: node.type for name, node in bare.named.items()}
        signatures = [(types[e.subject], e.relation, types[e.object]) for e in bare.edges]
        return [self._wanted.get(signature, ()) for signature in signatures]

    def _starts(self, bare: MatchPattern, around: bool, random: Stream) -> Iterator[_Ends]:
        """Variables with the nodes from which a match is looked for, each of which has one."""
        fixed = bare.category.fixed
        if len(fixed) == len(bare.nodes) == 2:  # a comparison
            some = _shuffled(self._graph.of_type(bare.nodes[0].type), random)
            yield from ({"n": one, "m0": other} for one, other in pairwise(some))
            return
        end = fixed[0] if len(fixed) == 1 else "n"
        fit = matched(self._graph, _at_any_time(bare), end, together=True).nodes.tolist()
        if not around:
            yield from ({end: at} for at in _shuffled(fit, random))
            return
        have: set[int | None] = {None, *fit}
        turns = (
            product((edge,), _shuffled(pairs, random))
            for edge, pairs in zip(bare.edges, self._wanted_pairs(bare), strict=True)
        )
        for edge, (subject, object_) in in_turn(turns):
            start = {edge.subject: subject, edge.object: object_}
            if start.get(end) in have:
                yield start

    def _bound(
        self, bare: MatchPattern, ends: _Ends, bound: Set[str], random: Stream
    ) -> Iterator[_Ends]:
        """The ways to bind some variables, step by step from those that are bound."""
        if ends.keys() >= bound:
            yield ends
            return
        for number, edge in enumerate(bare.edges):
            near, far = (edge.subject, edge.object)[:: 1 if edge.subject in ends else -1]
            if near in ends and far not in ends:
                beside = self._beside(bare, number, near, ends[near]) - {*ends.values()}
                for at in _shuffled(beside, random):
                    yield from self._bound(bare, ends | {far: at}, bound, random)
                return

    def _differ(self, bare: MatchPattern, pair: tuple[int, ...], alike: bool) -> bool:
        """Whether two fixed nodes say different things of n."""
        one, other = pair
        if self._graph.nodes[one].name == self._graph.nodes[other].name:
            return False
        near = [self._near(at) for at in pair]
        n = [self._beside(bare, i, f"m{i}", at) for i, at in enumerate(pair)] if bare.edges else []
        shared = (near[0] & near[1]).difference(*n)
        few = (at for at in shared if len(self._near(at)) <= FEW)
        if other not in near[0] and (bare.category.form == "union" or not any(True for _ in few)):
            return False
        if not bare.edges:
            return True
        first, second = n
        if bare.category.form == "union" and alike and (other in first or one in second):
            return False  # the siblings of Ada or Bo, who are siblings
        return not (first <= second or second <= first)

    def _beside(self, bare: MatchPattern, number: int, variable: str, at: int) -> frozenset[int]:
        """The nodes at the other end of one of a pattern's edges from a node at this one."""
        edge = bare.edges[number]
        far = edge.object if edge.subject == variable else edge.subject
        type_, outward = bare.named[far].type, edge.subject == variable
        return self._graph.beside(at, edge.relation, type_, outward=outward)

    def _timed(self, bare: MatchPattern, at: _Ends, random: Stream) -> Iterator[MatchPattern]:
        """A pattern with some nodes fixed; if it is of a year, in one in which one of its edges begins."""
        nodes = tuple(
            anchored(self._graph, at[name]) if name in at else node
            for name, node in bare.named.items()
        )
        made = MatchPattern(bare.template, nodes, bare.relations, bare.time)
        if not isinstance(bare.time, int):
            yield made
            return
        edges = (row.edges["r0"] for row in bindings(self._graph, _at_any_time(made)))
        starts = (self._graph.edges[edge].properties.get(START) for edge in edges)
        years = {start for start in starts if isinstance(start, int)}
        yield from (replace(made, time=year) for year in islice(_shuffled(years, random), 1))


def _neighbors(graph: PropertyGraph, node: int) -> frozenset[int]:
    """The nodes that any relation joins to a node."""
    ways = product(
        sorted({row.label for row in graph.schema.relations}), (graph.leading_in, graph.leading_out)
    )
    return frozenset(end for relation, joined in ways for _, end in joined(node, relation))


def in_turn(some: Iterable[Iterable[_T]]) -> Iterator[_T]:
    """One of each in turn, as long as there are; each is taken when the ones before it had their turn."""
    turns = []
    for one in some:
        turn = iter(one)
        for first in islice(turn, 1):
            turns.append(turn)
            yield first
    while turns:
        for turn in list(turns):
            try:
                yield next(turn)
            except StopIteration:
                turns.remove(turn)


def _shuffled(some: Iterable[_T], random: Stream) -> Iterator[_T]:
    """Things in random order, whatever order they come in."""
    own = sorted(some)  # type: ignore[type-var]
    return (own[at] for at in random.permutation(len(own)).tolist()) if own[1:] else iter(own)


def _shared(shape: Collection[tuple[str, str]]) -> Callable[[_Far, int], Hashable]:
    """What two edges of a pattern have in common: the types of the nodes that both name."""
    first, second = shape
    places = [[pair.index(name) * 2 for name in sorted({*first} & {*second})] for pair in shape]
    return lambda one, number: tuple(one[at] for at in places[number])


def _at_any_time(match: MatchPattern) -> MatchPattern:
    """A pattern in a year without the year."""
    if not isinstance(match.time, int):
        return match
    return replace(match, template=match.template.removesuffix(" in year"), time=None)
