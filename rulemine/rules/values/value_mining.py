"""Finds the rules that say what a property is (`rulemine.rules.values.value_rules`).

Guarantee: every rule that the schema allows is looked at and counted exactly on the whole graph; the same
graph and thresholds give the same rules in the same order.
"""

from collections import Counter
from collections.abc import Callable, Iterator

from rulemine.errors import ConfigError
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.schema import Schema
from rulemine.kg.property_graph.values import Value
from rulemine.rules.values.value_rules import (
    FUNCTIONS,
    ValueRule,
    ValueStep,
    joins,
    measured,
    value_rule,
)

__all__ = ["mine_value_rules"]

MOST_STEPS = 2
"""Longer paths are rarely what a reader would look along."""


def mine_value_rules(
    graph: PropertyGraph,
    *,
    min_confidence: float = 1.0,
    min_support: int = 20,
    min_lift: float = 2.0,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[ValueRule, ...]:
    """The rules of a graph.

    Args:
        graph: The complete graph.
        min_confidence: Least share of the nodes where a rule is right, of those with a value of which it
            says one.
        min_support: Least number of nodes where it is right.
        min_lift: Confidence over prior at least, so that naming the most common value is no rule.
        progress: Called with (types and paths done, all).

    Returns:
        By type and property; then the most certain first, the shorter path first.

    Raises:
        ConfigError: A threshold is out of its range.
    """
    if not (0 < min_confidence <= 1 and min_support >= 1 and min_lift >= 1):
        raise ConfigError(
            f"value rules: found confidence {min_confidence:g}, support {min_support}, lift {min_lift:g}; "
            "expected a confidence above 0 and at most 1, and support and lift of at least 1. Change them."
        )
    schema = graph.schema
    tasks = [
        (row.label, path)
        for row in schema.entities
        if row.properties
        for path in _paths(schema, row.label)
    ]
    # A rule that is wrong more often is not certain enough even if it speaks of every node.
    most_wrong = {
        row.label: int((1 - min_confidence) * len(graph.of_type(row.label)) + 1)
        for row in schema.entities
    }
    vocabulary = _Vocabulary(graph)
    found: list[ValueRule] = []
    for done, (label, path) in enumerate(tasks, 1):
        end = path[-1].type if path else label
        for source, function, target in _candidates(schema, label, path):
            most = vocabulary.most_right((end, source, function), (label, target, "same"))
            if most < min_support:
                continue
            rule = value_rule(label, target, path, source, function)
            counted = measured(graph, rule, most_wrong[label])
            if (
                counted is not None
                and counted.support >= min_support
                and counted.confidence >= min_confidence
                and counted.confidence >= min_lift * counted.prior
            ):
                found.append(counted)
        if progress:
            progress(done, len(tasks))
    return tuple(
        sorted(
            found,
            key=lambda r: (r.type, r.property, -r.confidence, len(r.path), -r.support, r.text),
        )
    )


def _paths(schema: Schema, label: str) -> Iterator[tuple[ValueStep, ...]]:
    """The paths that the schema allows from a type, the empty one first."""
    longest: list[tuple[ValueStep, ...]] = [()]
    for _ in range(MOST_STEPS + 1):
        yield from longest
        longest = [
            (*path, step)
            for path in longest
            for step in _steps(schema, path[-1].type if path else label)
        ]


def _steps(schema: Schema, label: str) -> Iterator[ValueStep]:
    for row in schema.relations:
        if row.subject == label:
            yield ValueStep(row.label, True, row.object)
        if row.object == label:
            yield ValueStep(row.label, False, row.subject)


class _Vocabulary:
    """Which values there are: a rule can only be right where its source has the same value somewhere."""

    def __init__(self, graph: PropertyGraph) -> None:
        self._graph = graph
        self._values: dict[tuple[str, str, str], Counter[Value]] = {}

    def most_right(self, source: tuple[str, str, str], target: tuple[str, str, str]) -> int:
        """How often a source (type, property, function) may be right about a target at most."""
        inferred = self._counts(*source)
        return sum(number for value, number in self._counts(*target).items() if value in inferred)

    def _counts(self, label: str, name: str, function: str) -> Counter[Value]:
        key = label, name, function
        if key not in self._values:
            made, graph = FUNCTIONS[function], self._graph
            values = (graph.value(at, name) for at in graph.of_type(label))
            results = (made(value) for value in values if value is not None)
            self._values[key] = Counter(value for value in results if value is not None)
        return self._values[key]


def _candidates(
    schema: Schema, label: str, path: tuple[ValueStep, ...]
) -> Iterator[tuple[str, str, str]]:
    """Source property, function, and the property that they may say."""
    own = {p.name: p.datatype for p in schema.entity(label).properties}
    end = schema.entity(path[-1].type if path else label)
    for source, datatype in ((p.name, p.datatype) for p in end.properties):
        for function in FUNCTIONS:
            for name, result in own.items():
                if joins(datatype, function, result) and (path or name != source):
                    yield source, function, name
