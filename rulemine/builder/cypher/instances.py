"""Patterns of a graph: each MATCH template with the types, relations and names that it can have.

Guarantee: what is found depends on the graph, the seed and the template, not on what else is looked for;
every pattern has a match.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, pairwise, product
from typing import TypeVar

from rulemine.cypher.evaluator import bindings
from rulemine.cypher.pattern import (
    CURRENT,
    END,
    START,
    MatchPattern,
    PatternEdge,
    PatternNode,
    anchored,
)
from rulemine.cypher.templates import CATEGORIES, MATCHES
from rulemine.kg.graph import Triple
from rulemine.kg.property_graph.graph import PropertyGraph

__all__ = ["MOST_ROWS", "Instances", "bare_patterns", "in_turn"]

MOST_ROWS = 100_000
"""Rows that a pattern may match, as CypherBench has it."""

_LOOKED_AT = 20_000
"""Nodes from which a pattern with two fixed nodes is looked for; some signatures have no match at all."""

_PAIRS_TRIED = 64
"""Pairs of neighbors of one n that are looked at."""

_T = TypeVar("_T")

_Far = tuple[int | None, int | None]
"""m0 and m1, as far as they are given."""


def bare_patterns(graph: PropertyGraph, template: str) -> Iterator[MatchPattern]:
    """A template with each combination of types and relations that the schema allows; no node is fixed.

    Where two edges can be exchanged, one of the two ways is given. Templates about time have the relations
    that the schema gives a start and an end year; that of a year has the year 0.
    """
    row, category = MATCHES[template], CATEGORIES[MATCHES[template].category]
    labels = [entity.label for entity in graph.schema.entities if graph.of_type(entity.label)]
    time: str | int | None = None
    if row.category == "time":
        time = CURRENT if template.endswith("current") else 0
    for types in product(labels, repeat=len(category.nodes)):
        if row.category == "comparison" and types[0] != types[1]:
            continue
        named = dict(zip(category.nodes, types, strict=True))
        choices = []
        for (start, end), way in zip(category.shape, row.directions, strict=True):
            ends = (named[start], named[end]) if way == "→" else (named[end], named[start])
            choices.append(
                [
                    relation.label
                    for relation in graph.schema.relations
                    if (relation.subject, relation.object) == ends
                    and (time is None or {START, END} <= {p.name for p in relation.properties})
                ]
            )
        for relations in product(*choices):
            if _exchanged(template, types, relations):
                continue
            yield MatchPattern(template, tuple(map(PatternNode, types)), relations, time)


def _exchanged(template: str, types: Sequence[str], relations: Sequence[str]) -> bool:
    """Whether exchanging the two edges of a pattern gives one that comes before it."""
    row = MATCHES[template]
    alike = len(set(row.directions)) == 1 and len(row.directions) == 2
    if not alike or row.category not in ("(n)=(m0)", "(n)-(m0*),(n)-(m1*)", "union"):
        return False
    return (relations[1], types[-1]) < (relations[0], types[1])


class Instances:
    """Fixes the nodes of patterns.

    Args:
        graph: The graph.
        seed: Which of them come first.
        wanted: Triples of ids around which patterns are looked for, where that is asked for.
    """

    def __init__(self, graph: PropertyGraph, seed: int, wanted: Iterable[Triple] = ()) -> None:
        self._graph = graph
        self._seed = seed
        self._wanted: dict[str, list[tuple[int, int]]] = {}
        for subject, relation, object_ in sorted(wanted):
            ends = graph.positions[subject], graph.positions[object_]
            self._wanted.setdefault(relation, []).append(ends)

    def wants(self, bare: MatchPattern) -> bool:
        """Whether patterns can be looked for around triples that are wanted."""
        return bool(bare.category.fixed) and not self._wanted.keys().isdisjoint(bare.relations)

    def of(self, bare: MatchPattern, around: bool = False) -> Iterator[MatchPattern]:
        """The ways to fix a pattern's nodes so that it has a match.

        Candidates come in the order of their hashes; where two nodes are fixed, so do the n that join them.
        Neither of these may have all n of the other, of a union as of a conjunction.

        Args:
            bare: One of `bare_patterns`.
            around: Whether only matches of triples that are wanted are looked for.
        """
        fixed = bare.category.fixed
        if not fixed:
            if self._has(bare):
                yield bare
        elif len(fixed) == 1:
            some: Iterable[int] = (
                self._around_wanted(bare, fixed[0]) if around else self._ordered(bare, fixed[0])
            )
            near = [edge for edge in bare.edges if fixed[0] in (edge.subject, edge.object)]
            tried: set[int] = set()
            for at in some:
                if at in tried or not all(self._ends(edge, fixed[0], at) for edge in near):
                    continue
                tried.add(at)
                made = _fix(self._graph, bare, {fixed[0]: at})
                if isinstance(made.time, int):
                    yield from self._in_a_year(made)
                elif self._has(made):
                    yield made
        elif bare.category is CATEGORIES["comparison"]:
            order = self._ordered(bare, "n")
            for one, other in pairwise(order):
                if self._graph.nodes[one].name != self._graph.nodes[other].name:
                    yield _fix(self._graph, bare, {"n": one, "m0": other})
        else:
            yield from self._joined(bare, around)

    def _joined(self, bare: MatchPattern, around: bool) -> Iterator[MatchPattern]:
        """Two fixed nodes that an n joins; from each n, the first pair that is new and not idle."""
        seen: set[tuple[int, int]] = set()
        ways, types = MATCHES[bare.template].directions, {node.type for node in bare.nodes[1:]}
        alike = len(set(ways)) == len(set(bare.relations)) == len(types) == 1
        for n, given in self._wanted_n(bare) if around else self._every_n(bare):
            if not all(self._ends(edge, "n", n) for edge in bare.edges):
                continue
            ends = [
                self._neighbors(bare, n, number) if end is None else [end]
                for number, end in enumerate(given)
            ]
            for one, other in islice(product(*ends), _PAIRS_TRIED):
                pair = (min(one, other), max(one, other)) if alike else (one, other)
                if self._graph.nodes[one].name == self._graph.nodes[other].name or pair in seen:
                    continue
                seen.add(pair)
                if self._each_counts(bare, pair):
                    yield _fix(self._graph, bare, {"m0": pair[0], "m1": pair[1]})
                    break

    def _every_n(self, bare: MatchPattern) -> Iterator[tuple[int, _Far]]:
        """The first n, without m0 and m1."""
        return ((n, (None, None)) for n in self._ordered(bare, "n")[:_LOOKED_AT])

    def _wanted_n(self, bare: MatchPattern) -> Iterator[tuple[int, _Far]]:
        """The n at an end of a triple that is wanted, with its other end as m0 or m1."""
        for number, ends in self._wanted_ends(bare):
            n, far = ends["n"], ends[f"m{number}"]
            yield n, (far, None) if number == 0 else (None, far)

    def _around_wanted(self, bare: MatchPattern, variable: str) -> Iterator[int]:
        """The nodes to fix so that a match has a triple that is wanted."""
        for number, ends in self._wanted_ends(bare):
            for other in bare.edges:
                if variable in ends:
                    break
                near, far = (other.subject, other.object)[:: 1 if other.subject in ends else -1]
                found = {end for _, end in self._ends(other, near, ends[near])} - {*ends.values()}
                type_ = bare.named[far].type
                fits = [end for end in found if self._graph.nodes[end].type == type_]
                if other is not bare.edges[number] and fits:
                    ends[far] = self._by_hash(bare, fits)[0]
            if variable in ends:
                yield ends[variable]

    def _wanted_ends(self, bare: MatchPattern) -> Iterator[tuple[int, dict[str, int]]]:
        """Each triple that is wanted as an edge of a pattern: the edge's number, its variables' nodes."""
        nodes = self._graph.nodes
        turns = []
        for number, edge in enumerate(bare.edges):
            types = bare.named[edge.subject].type, bare.named[edge.object].type
            pairs = [
                pair
                for pair in self._wanted.get(edge.relation, ())
                if (nodes[pair[0]].type, nodes[pair[1]].type) == types
            ]
            key = {pair: self._hash(bare, f"{number} {pair}") for pair in pairs}
            pairs.sort(key=key.__getitem__)
            ends = [{edge.subject: pair[0], edge.object: pair[1]} for pair in pairs]
            turns.append([(number, one) for one in ends])
        return in_turn(*turns)

    def _neighbors(self, bare: MatchPattern, n: int, number: int) -> list[int]:
        edge, type_ = bare.edges[number], bare.named[f"m{number}"].type
        ends = {end for _, end in self._ends(edge, "n", n)}
        return self._by_hash(bare, {end for end in ends if self._graph.nodes[end].type == type_})

    def _ends(self, edge: PatternEdge, variable: str, at: int) -> tuple[tuple[int, int], ...]:
        """The edges of a node that stands for one end of a pattern's edge, with their other ends."""
        graph = self._graph
        joined = graph.leading_out if edge.subject == variable else graph.leading_in
        return joined(at, edge.relation)

    def _each_counts(self, bare: MatchPattern, pair: tuple[int, int]) -> bool:
        """Whether neither of two fixed nodes has all n of the other."""
        arms = []
        for number, (edge, at) in enumerate(zip(bare.edges, pair, strict=True)):
            ends = {end for _, end in self._ends(edge, f"m{number}", at)}
            type_ = bare.nodes[0].type
            arms.append({end for end in ends if self._graph.nodes[end].type == type_})
        return not (arms[0] <= arms[1] or arms[1] <= arms[0])

    def _in_a_year(self, match: MatchPattern) -> Iterator[MatchPattern]:
        """A pattern in a year in which one of its edges begins."""
        years: set[int] = set()
        for row in bindings(
            self._graph, replace(match, template=match.template.removesuffix(" in year"), time=None)
        ):
            start = self._graph.edges[row.edges["r0"]].properties.get(START)
            if isinstance(start, int):
                years.add(start)
        if years:
            first = min(years, key=lambda year: self._hash(match, str(year)))
            yield replace(match, time=first)

    def _has(self, match: MatchPattern) -> bool:
        return any(True for _ in bindings(self._graph, match, together=True))

    def _ordered(self, bare: MatchPattern, variable: str) -> list[int]:
        return self._by_hash(bare, self._graph.of_type(bare.named[variable].type))

    def _by_hash(self, bare: MatchPattern, some: Sequence[int] | set[int]) -> list[int]:
        nodes, start = self._graph.nodes, self._start(bare)

        def key(at: int) -> tuple[bytes, int]:
            hashed = start.copy()
            hashed.update(nodes[at].id.encode())
            return hashed.digest(), at

        return sorted(some, key=key)

    def _hash(self, bare: MatchPattern, what: str) -> bytes:
        hashed = self._start(bare)
        hashed.update(what.encode())
        return hashed.digest()

    def _start(self, bare: MatchPattern) -> "hashlib.blake2b":
        """The hash of what the hashes of one pattern have in common."""
        types = (node.type for node in bare.nodes)
        key = "\x1f".join((str(self._seed), bare.template, *types, *bare.relations, ""))
        return hashlib.blake2b(key.encode(), digest_size=16)


def in_turn(*some: Iterable[_T]) -> Iterator[_T]:
    """One of each in turn, as long as there are."""
    turns = [iter(one) for one in some]
    while turns:
        for turn in list(turns):
            try:
                yield next(turn)
            except StopIteration:
                turns.remove(turn)


def _fix(graph: PropertyGraph, bare: MatchPattern, at: dict[str, int]) -> MatchPattern:
    nodes = (
        anchored(graph, at[variable]) if variable in at else node
        for variable, node in bare.named.items()
    )
    return replace(bare, nodes=tuple(nodes))
