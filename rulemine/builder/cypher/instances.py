"""Patterns of a graph: each MATCH template with the types, relations and names that it can have.

Guarantee: what is found depends on the graph, the seed and the template, not on what else is looked for;
every pattern has a match.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, product

from rulemine.cypher.evaluator import bindings
from rulemine.cypher.pattern import CURRENT, END, START, MatchPattern, PatternNode, anchored
from rulemine.cypher.templates import CATEGORIES, MATCHES
from rulemine.kg.property_graph.graph import PropertyGraph

__all__ = ["MOST_ROWS", "Instances", "bare_patterns"]

MOST_ROWS = 100_000
"""Rows that a pattern may match, as CypherBench has it."""

_LOOKED_AT = 20_000
"""Nodes from which a pattern with two fixed nodes is looked for; some signatures have no match at all."""


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
    """

    def __init__(self, graph: PropertyGraph, seed: int) -> None:
        self._graph = graph
        self._seed = seed

    def of(self, bare: MatchPattern) -> Iterator[MatchPattern]:
        """The ways to fix a pattern's nodes so that it has a match.

        Candidates come in the order of their hashes; where two nodes are fixed, so do the n that join them.
        Both arms of a union have to be there, and neither to contain the other's n.

        Args:
            bare: One of `bare_patterns`.
        """
        fixed = bare.category.fixed
        if not fixed:
            if self._has(bare):
                yield bare
        elif len(fixed) == 1:
            for at in self._ordered(bare, fixed[0]):
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
            yield from self._joined(bare)

    def _joined(self, bare: MatchPattern) -> Iterator[MatchPattern]:
        """Two fixed nodes that an n joins; from each n, the first pair that is new."""
        seen: set[tuple[int, int]] = set()
        ways, types = MATCHES[bare.template].directions, {node.type for node in bare.nodes[1:]}
        alike = len(set(ways)) == len(set(bare.relations)) == len(types) == 1
        for n in self._ordered(bare, "n")[:_LOOKED_AT]:
            ends = [self._neighbors(bare, n, number) for number in (0, 1)]
            for one, other in product(*ends):
                pair = (min(one, other), max(one, other)) if alike else (one, other)
                if self._graph.nodes[one].name == self._graph.nodes[other].name or pair in seen:
                    continue
                seen.add(pair)
                made = _fix(self._graph, bare, {"m0": pair[0], "m1": pair[1]})
                if bare.category.form != "union" or self._each_arm_counts(made):
                    yield made
                break

    def _neighbors(self, bare: MatchPattern, n: int, number: int) -> list[int]:
        edge, far = bare.edges[number], f"m{number}"
        joined = self._graph.leading_out if edge.subject == "n" else self._graph.leading_in
        type_ = bare.named[far].type
        found = {end for _, end in joined(n, edge.relation) if self._graph.nodes[end].type == type_}
        return self._by_hash(bare, found)

    def _each_arm_counts(self, match: MatchPattern) -> bool:
        arms: dict[str, set[int]] = {"r0": set(), "r1": set()}
        for row in bindings(self._graph, match):
            for arm in row.edges:
                arms[arm].add(row.nodes["n"])
        return not (arms["r0"] <= arms["r1"] or arms["r1"] <= arms["r0"])

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


def _fix(graph: PropertyGraph, bare: MatchPattern, at: dict[str, int]) -> MatchPattern:
    nodes = (
        anchored(graph, at[variable]) if variable in at else node
        for variable, node in bare.named.items()
    )
    return replace(bare, nodes=tuple(nodes))
