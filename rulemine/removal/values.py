"""Which values of a property graph are removed: a share of those that another fact determines.

Guarantees: the certificate of a removed value names triples and a value that are left when everything is
removed, so no two values prove each other; in the graph without them its rule still says the removed value;
names and end years stay; the same graph, rules and seed remove the same values, in whatever order they come.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set

from rulemine.cypher.questions.pattern import END
from rulemine.kg.graph import Triple
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.values import to_plain
from rulemine.release.values import RemovedValue, ValueCertificate
from rulemine.removal.levels import part_of
from rulemine.rules.values.value_rules import ValueRule, inferred_values, paths_from
from rulemine.seeds import stream

__all__ = ["remove_values"]

_Place = tuple[int, str]
"""A node and a property."""


def remove_values(
    graph: PropertyGraph,
    removed: Collection[Triple],
    rules: Iterable[ValueRule],
    share: float,
    seed: int,
) -> list[RemovedValue]:
    """Values to remove beside the triples.

    Args:
        graph: The complete graph.
        removed: Its triples that are removed, at whatever level.
        rules: What may determine a value. Where several do, the certificate has the most certain one, of
            equals the one with the shorter path.
        share: The share of the values of each property of a type that a rule determines without `removed`,
            0 … 1, rounded to the nearest number. Fewer are removed where they are needed for one another.
        seed: Seed of the choice and of the levels.

    Returns:
        The values, sorted by node and property. Up to level L go L percent of them, of each property in
        proportion.
    """
    triples = {(edge.subject, edge.type, edge.object) for edge in graph.edges}
    kept = triples.difference(removed)
    proofs = _Proofs(graph, kept, rules)
    places: dict[tuple[str, str], list[_Place]] = defaultdict(list)
    for node, name in proofs.places():
        places[graph.nodes[node].type, name].append((node, name))
    wanted = {key: round(share * len(some)) for key, some in places.items()}
    chosen: dict[_Place, ValueCertificate] = {}
    needed: set[_Place] = set()
    taken: dict[tuple[str, str], list[_Place]] = defaultdict(list)
    for key, place in _spread(places, seed, "removed values"):
        if len(taken[key]) == wanted[key] or place in needed:
            continue
        if (proof := proofs.first(place, chosen)) is not None:
            chosen[place], source = proof
            needed.add(source)
            taken[key].append(place)
    last = [part_of(len(chosen), percent / 100) for percent in range(1, 101)]
    found = []
    level = 1
    for before, (_, (node, name)) in enumerate(_spread(taken, seed, "levels of values")):
        while last[level - 1] <= before:
            level += 1
        row = graph.nodes[node]
        value = to_plain(row.properties[name])
        found.append(RemovedValue(row.id, name, value, level, chosen[node, name]))
    return sorted(found, key=lambda one: (one.node, one.property))


def _spread(
    places: Mapping[tuple[str, str], Sequence[_Place]], seed: int, purpose: str
) -> list[tuple[tuple[str, str], _Place]]:
    """All places in random order, such that every beginning has of each property its share."""
    due = []
    for (label, name), some in places.items():
        draws = stream(seed, purpose, label, name)
        offset = draws.uniform(1)[0]
        for place, rank in zip(sorted(some), draws.permutation(len(some)).tolist(), strict=True):
            due.append(((rank + offset) / len(some), (label, name), place))
    return [(key, place) for _, key, place in sorted(due)]


class _Proofs:
    """What determines values without the removed triples."""

    def __init__(self, graph: PropertyGraph, kept: Set[Triple], rules: Iterable[ValueRule]) -> None:
        self._graph = graph
        self._kept = kept
        self._rules: dict[_Place, list[ValueRule]] = defaultdict(list)
        distinct = {rule.id: rule for rule in rules}.values()
        for rule in sorted(distinct, key=lambda r: (-r.confidence, len(r.path), -r.support, r.id)):
            if rule.property == END:
                continue
            for node, value in inferred_values(graph, rule):
                if graph.value(node, rule.property) == value:
                    self._rules[node, rule.property].append(rule)

    def places(self) -> list[_Place]:
        """The values that are determined, by position."""
        return sorted(place for place in self._rules if self.first(place, ()) is not None)

    def first(
        self, place: _Place, gone: Collection[_Place]
    ) -> tuple[ValueCertificate, _Place] | None:
        """The best certificate of a value that needs none of the values that are gone, and its source."""
        node, _ = place
        for rule in self._rules[place]:
            for *edges, end in paths_from(self._graph, rule, node):
                source = end, rule.source
                path = tuple(map(self._triple, edges))
                if source in gone or self._graph.value(*source) is None:
                    continue
                if self._kept >= set(path):
                    at = self._graph.nodes[end].id
                    return ValueCertificate(rule.id, path, at, rule.source), source
        return None

    def _triple(self, edge: int) -> Triple:
        row = self._graph.edges[edge]
        return row.subject, row.type, row.object
