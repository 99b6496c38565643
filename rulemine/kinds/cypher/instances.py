"""Patterns of a graph: each MATCH template with the types, relations and names that it can have.

Guarantee: what is found depends on the graph, the seed and the template, not on what else is looked for;
every pattern has a match.
"""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from heapq import heapify, heappop
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
from rulemine.kg.property_graph.schema import RelationType

__all__ = ["MOST_ROWS", "Instances", "bare_patterns", "in_turn"]

MOST_ROWS = 100_000
"""Rows that a pattern may match, as CypherBench has it."""

_LOOKED_AT = 20_000
"""Nodes that both edges of a pattern meet, from which two to fix are looked for."""

_PAIRS_TRIED = 64
"""Pairs of neighbors of one n that are looked at."""

_T = TypeVar("_T")

Signature = tuple[str, str, str]
"""A relation between two types: that of its subjects, the relation, that of its objects."""

_Far = tuple[int | None, int | None]
"""m0 and m1, as far as they are given."""


MOST_SIGNATURES = 300
"""Of more relations between types, those with the most edges are joined: pairs grow with their square."""

MOST_PATTERNS = 1000
"""Of more combinations of types and relations, so many are taken: each is matched with the graph."""

_Combination = tuple[tuple[str, ...], tuple[str, ...]]
"""The types of the nodes of a pattern, and its relations."""


def bare_patterns(
    graph: PropertyGraph, template: str, wanted: Collection[Signature] = ()
) -> Iterator[MatchPattern]:
    """A template with each combination of types and relations that the schema allows; no node is fixed.

    Where two edges can be exchanged, one of the two ways is given. Templates about time have the relations
    that the schema gives a start and an end year; that of a year has the year 0. Of more than
    `MOST_SIGNATURES` relations between types, patterns with two edges have those that are wanted and then
    those with the most edges; of more than `MOST_PATTERNS` combinations, half are such with one that is
    wanted, as far as there are, and those that are taken lie evenly among all.

    Args:
        graph: The graph.
        template: The template.
        wanted: Relations between types that come first where there are too many.
    """
    row, category = MATCHES[template], CATEGORIES[MATCHES[template].category]
    labels = [entity.label for entity in graph.schema.entities if graph.of_type(entity.label)]
    time: str | int | None = None
    if row.category == "time":
        time = CURRENT if template.endswith("current") else 0
    between: dict[tuple[str, str], list[str]] = {}
    usable: Sequence[RelationType] = graph.schema.relations
    if len(category.shape) > 1 and len(usable) > MOST_SIGNATURES:
        ranks = [
            (row.signature not in wanted, -len(graph.of_signature(*row.signature)[0]))
            for row in usable
        ]
        first = sorted(range(len(usable)), key=ranks.__getitem__)[:MOST_SIGNATURES]  # stable
        usable = [usable[at] for at in sorted(first)]
    for relation in usable:
        if time is None or {START, END} <= {p.name for p in relation.properties}:
            between.setdefault((relation.subject, relation.object), []).append(relation.label)
    ends = [
        tuple(map(category.nodes.index, pair[:: 1 if way == "→" else -1]))
        for pair, way in zip(category.shape, row.directions, strict=True)
    ]
    typed: list[tuple[str, ...]] = [()]
    for place in range(len(category.nodes)):
        joins = [(s, o) for s, o in ends if max(s, o) == place]
        typed = [
            types
            for before in typed
            for types in ((*before, label) for label in labels)
            if all((types[s], types[o]) in between for s, o in joins)
        ]
    found = [
        (types, relations)
        for types in typed
        if row.category != "comparison" or types[0] == types[1]
        for relations in product(*(between[types[s], types[o]] for s, o in ends))
        if not _exchanged(template, types, relations)
    ]
    if len(found) > MOST_PATTERNS:
        is_wanted = [
            any(
                (types[s], relation, types[o]) in wanted
                for (s, o), relation in zip(ends, relations, strict=True)
            )
            for types, relations in found
        ]
        found = _spread(found, is_wanted)
    for types, relations in found:
        yield MatchPattern(template, tuple(map(PatternNode, types)), relations, time)


def _spread(found: Sequence[_Combination], is_wanted: Sequence[bool]) -> list[_Combination]:
    """`MOST_PATTERNS` combinations that lie evenly among all, in their order; half are wanted ones."""
    first = [at for at, wanted in enumerate(is_wanted) if wanted]
    others = [at for at, wanted in enumerate(is_wanted) if not wanted]
    most = min(len(first), max(MOST_PATTERNS // 2, MOST_PATTERNS - len(others)))
    taken = [
        some[number * len(some) // size]
        for some, size in ((first, most), (others, MOST_PATTERNS - most))
        for number in range(size)
    ]
    return [found[at] for at in sorted(taken)]


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

    Attributes:
        signatures: The relations of these triples, each between their types.
    """

    def __init__(self, graph: PropertyGraph, seed: int, wanted: Iterable[Triple] = ()) -> None:
        self._graph = graph
        self._seed = seed
        self._ids = [node.id.encode() for node in graph.nodes]
        self._wanted: dict[str, list[tuple[int, int]]] = {}
        for subject, relation, object_ in sorted(wanted):
            ends = graph.positions[subject], graph.positions[object_]
            self._wanted.setdefault(relation, []).append(ends)
        self.signatures = {
            (graph.nodes[subject].type, relation, graph.nodes[object_].type)
            for relation, pairs in self._wanted.items()
            for subject, object_ in pairs
        }

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
            if matched(self._graph, bare, together=True).rows:
                yield bare
        elif len(fixed) == 1:
            in_a_year = isinstance(bare.time, int)
            matching = _at_any_time(bare) if in_a_year else bare
            fit = set(matched(self._graph, matching, fixed[0], together=True).nodes.tolist())
            some = self._around_wanted(bare, fixed[0]) if around else self._by_hash(bare, fit)
            tried: set[int] = set()
            for at in some:
                if at in tried or at not in fit:
                    continue
                tried.add(at)
                made = _fix(self._graph, bare, {fixed[0]: at})
                if in_a_year:
                    yield from self._in_a_year(made)
                else:
                    yield made
        elif bare.category is CATEGORIES["comparison"]:
            for one, other in pairwise(self._by_hash(bare, self._of_type(bare, "n"))):
                if self._graph.nodes[one].name != self._graph.nodes[other].name:
                    yield _fix(self._graph, bare, {"n": one, "m0": other})
        else:
            yield from self._joined(bare, around)

    def _joined(self, bare: MatchPattern, around: bool) -> Iterator[MatchPattern]:
        """Two fixed nodes that an n joins; from each n, the first pair that is new and not idle."""
        seen: set[tuple[int, int]] = set()
        ways, types = MATCHES[bare.template].directions, {node.type for node in bare.nodes[1:]}
        alike = len(set(ways)) == len(set(bare.relations)) == len(types) == 1
        fit = set(matched(self._graph, bare, together=True).nodes.tolist())
        for n, given in self._wanted_n(bare) if around else self._every_n(bare, fit):
            if n not in fit:
                continue
            ends = [
                self._by_hash(bare, self._beside(bare, number, "n", n)) if end is None else (end,)
                for number, end in enumerate(given)
            ]
            for one, other in islice(product(*ends), _PAIRS_TRIED):
                pair = (min(one, other), max(one, other)) if alike else (one, other)
                if self._graph.nodes[one].name == self._graph.nodes[other].name or pair in seen:
                    continue
                seen.add(pair)
                if bare.category.form == "union" and alike and self._joined_together(bare, pair):
                    continue  # the siblings of Ada or Bo, who are siblings
                if self._each_counts(bare, pair):
                    yield _fix(self._graph, bare, {"m0": pair[0], "m1": pair[1]})
                    break

    def _every_n(self, bare: MatchPattern, fit: Iterable[int]) -> Iterator[tuple[int, _Far]]:
        """The first n that fit, without m0 and m1."""
        return ((n, (None, None)) for n in islice(self._by_hash(bare, fit), _LOOKED_AT))

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
                if other is not bare.edges[number]:
                    fits = self._beside(bare, bare.edges.index(other), near, ends[near])
                    if fits := fits - {*ends.values()}:
                        ends[far] = next(self._by_hash(bare, fits))
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

    def _beside(self, bare: MatchPattern, number: int, variable: str, at: int) -> frozenset[int]:
        """The nodes at the other end of one of a pattern's edges from a node at this one."""
        edge = bare.edges[number]
        far = edge.object if edge.subject == variable else edge.subject
        type_, outward = bare.named[far].type, edge.subject == variable
        return self._graph.beside(at, edge.relation, type_, outward=outward)

    def _each_counts(self, bare: MatchPattern, pair: tuple[int, int]) -> bool:
        """Whether neither of two fixed nodes has all n of the other."""
        one, other = (self._beside(bare, i, f"m{i}", at) for i, at in enumerate(pair))
        return not (one <= other or other <= one)

    def _joined_together(self, bare: MatchPattern, pair: tuple[int, int]) -> bool:
        """Whether one of two fixed nodes is an n of the other."""
        one, other = pair
        return other in self._beside(bare, 0, "m0", one) or one in self._beside(
            bare, 1, "m1", other
        )

    def _in_a_year(self, match: MatchPattern) -> Iterator[MatchPattern]:
        """A pattern in a year in which one of its edges begins."""
        years: set[int] = set()
        for row in bindings(self._graph, _at_any_time(match)):
            start = self._graph.edges[row.edges["r0"]].properties.get(START)
            if isinstance(start, int):
                years.add(start)
        if years:
            first = min(years, key=lambda year: self._hash(match, str(year)))
            yield replace(match, time=first)

    def _of_type(self, bare: MatchPattern, variable: str) -> tuple[int, ...]:
        return self._graph.of_type(bare.named[variable].type)

    def _by_hash(self, bare: MatchPattern, some: Iterable[int]) -> Iterator[int]:
        """Nodes in the order of their hashes; often only the first few are asked for."""
        keys = self._keys(bare, some)
        heapify(keys)
        while keys:
            yield heappop(keys)[1]

    def _keys(self, bare: MatchPattern, some: Iterable[int]) -> list[tuple[bytes, int]]:
        ids, start = self._ids, self._start(bare)
        found = []
        for at in some:
            hashed = start.copy()
            hashed.update(ids[at])
            found.append((hashed.digest(), at))
        return found

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


def _at_any_time(match: MatchPattern) -> MatchPattern:
    """A pattern in a year without the year."""
    return replace(match, template=match.template.removesuffix(" in year"), time=None)


def _fix(graph: PropertyGraph, bare: MatchPattern, at: dict[str, int]) -> MatchPattern:
    nodes = (
        anchored(graph, at[variable]) if variable in at else node
        for variable, node in bare.named.items()
    )
    return replace(bare, nodes=tuple(nodes))
