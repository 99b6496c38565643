"""Rules that say what a property is: a function of one value at the end of a short path.

``City.country_code = Country.iso_code over (City)-[:locatedIn]->(Country)`` says that a city has the country
code that is the ISO code of the country in which it lies; ``Person.birth_year = year(Person.birth_date)``
needs no path. A rule speaks of a node if its paths (over nodes that all differ) lead to exactly one value.
Names are neither inferred nor read, because a release may hide them.

Guarantee: what a rule says of a node depends on the graph alone. Where a graph lacks more, a rule says the
same or nothing, as long as it says something that is one value of the larger graph's.
"""

import datetime
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.values import Value
from rulemine.rules.rule import id_of

__all__ = [
    "FUNCTIONS",
    "ValueRule",
    "ValueStep",
    "inferred_values",
    "joins",
    "measured",
    "paths_from",
    "value_rule",
]


def _year(value: Value) -> Value | None:
    return value.year if isinstance(value, datetime.date) else None


FUNCTIONS: Mapping[str, Callable[[Value], Value | None]] = {
    "same": lambda value: value,
    "year": _year,
}
"""Function → what it makes of a value; ``same`` is not written."""


@dataclass(frozen=True, slots=True)
class ValueStep:
    """An edge of a path.

    Attributes:
        relation: The relation.
        outward: Whether the edge starts from the node before; otherwise it leads to it.
        type: The type of the node that comes next.
    """

    relation: str
    outward: bool
    type: str


@dataclass(frozen=True, slots=True)
class ValueRule:
    """A rule about values.

    Attributes:
        id: The first digits of the SHA-256 of its text.
        text: The rule as it is read and written.
        type: The type of the nodes that it speaks of.
        property: Their property.
        path: The edges from such a node to the one with the source value, none to two.
        source: The property of that node.
        function: One of `FUNCTIONS`, applied to the source value.
        support: How many nodes have the value that it says.
        known: Of how many nodes that have a value it says one.
        confidence: `support` / `known`; 0 if there is none.
        prior: The share of the most common value of these nodes, 0 … 1.
    """

    id: str
    text: str
    type: str
    property: str
    path: tuple[ValueStep, ...]
    source: str
    function: str
    support: int = 0
    known: int = 0
    confidence: float = 0.0
    prior: float = 0.0


def value_rule(
    type_: str, property_: str, path: tuple[ValueStep, ...], source: str, function: str = "same"
) -> ValueRule:
    """A rule that is not measured yet; for the arguments see `ValueRule`."""
    end = f"{path[-1].type if path else type_}.{source}"
    text = f"{type_}.{property_} = {end if function == 'same' else f'{function}({end})'}"
    if path:
        steps = "".join(
            f"-[:{step.relation}]->({step.type})"
            if step.outward
            else f"<-[:{step.relation}]-({step.type})"
            for step in path
        )
        text += f" over ({type_}){steps}"
    return ValueRule(id_of(text), text, type_, property_, path, source, function)


def paths_from(graph: PropertyGraph, rule: ValueRule, node: int) -> Iterator[tuple[int, ...]]:
    """The paths of a rule from a node, each as its edges and then the node it leads to, in a fixed order."""
    return _paths(graph, rule.path, (), (node,))


def _paths(
    graph: PropertyGraph,
    path: tuple[ValueStep, ...],
    edges: tuple[int, ...],
    nodes: tuple[int, ...],
) -> Iterator[tuple[int, ...]]:
    if not path:
        yield *edges, nodes[-1]
        return
    for edge, reached in _neighbors(graph, nodes[-1], path[0]):
        if reached not in nodes:
            yield from _paths(graph, path[1:], (*edges, edge), (*nodes, reached))


def _neighbors(graph: PropertyGraph, node: int, step: ValueStep) -> Iterator[tuple[int, int]]:
    leading = graph.leading_out if step.outward else graph.leading_in
    for edge, reached in leading(node, step.relation):
        if graph.nodes[reached].type == step.type:
            yield edge, reached


def inferred_values(graph: PropertyGraph, rule: ValueRule) -> Iterator[tuple[int, Value]]:
    """The nodes of which a rule says a value, each with that value.

    Takes time in the number of the edges of each step, not of the paths.
    """
    if not rule.path:
        for node in graph.of_type(rule.type):
            if (own := _source(graph, rule, node)) is not None:
                yield node, own
        return
    # What the last step sees from a node: values, each with the first two nodes that have it. A node that is
    # no end of its own path takes one of them away at most, so two nodes and three values are enough.
    seen: dict[int, dict[Value, list[int]]] = {}
    for node in graph.of_type(rule.type):
        middles = [node]
        if len(rule.path) == 2:
            middles = [at for _, at in _neighbors(graph, node, rule.path[0]) if at != node]
        values: set[Value] = set()
        for middle in middles:
            if middle not in seen:
                seen[middle] = _ends(graph, rule, middle)
            values.update(value for value, some in seen[middle].items() if some != [node])
            if len(values) > 1:
                break
        if len(values) == 1:
            yield node, values.pop()


def _ends(graph: PropertyGraph, rule: ValueRule, middle: int) -> dict[Value, list[int]]:
    found: dict[Value, list[int]] = {}
    for _, at in _neighbors(graph, middle, rule.path[-1]):
        if at == middle or (value := _source(graph, rule, at)) is None:
            continue
        some = found.setdefault(value, [])
        if len(some) < 2 and at not in some:
            some.append(at)
        if len(found) == 3:
            break
    return found


def _source(graph: PropertyGraph, rule: ValueRule, node: int) -> Value | None:
    value = graph.value(node, rule.source)
    return None if value is None else FUNCTIONS[rule.function](value)


def measured(
    graph: PropertyGraph, rule: ValueRule, most_wrong: int | None = None
) -> ValueRule | None:
    """A rule with its counts.

    Args:
        graph: The complete graph.
        rule: The rule.
        most_wrong: How often it may be wrong; None: any number of times.

    Returns:
        None: It is wrong more often.
    """
    right = wrong = 0
    values: Counter[Value] = Counter()
    for node, value in inferred_values(graph, rule):
        own = graph.value(node, rule.property)
        if own is None:
            continue
        values[own] += 1
        if own == value:
            right += 1
        else:
            wrong += 1
            if most_wrong is not None and wrong > most_wrong:
                return None
    known = right + wrong
    share = right / known if known else 0.0
    prior = max(values.values()) / known if known else 0.0
    return replace(rule, support=right, known=known, confidence=share, prior=prior)


def joins(datatype: str, function: str, result: str) -> bool:
    """Whether a function makes values of one datatype out of another."""
    return (datatype, result) == ("date", "int") if function == "year" else datatype == result
