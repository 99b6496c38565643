"""Questions of the templates as trees: what is matched, and what is returned.

Guarantee: a tree that was made has the nodes, relations and fields that its templates take; whether a graph
has its names is not checked, and what it lacks matches nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache

from rulemine.cypher.questions.templates import CATEGORIES, MATCHES, RETURNS, Category
from rulemine.errors import ConfigError, did_you_mean, list_problems
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.values import Scalar

__all__ = [
    "CURRENT", "END", "START", "MatchPattern", "PatternEdge", "PatternNode", "PatternQuery", "ReturnClause",
    "anchored",
]  # fmt: skip

CURRENT = "current"
START, END = "start_year", "end_year"
"""The properties of relations that hold for a time; an edge without an end year still holds."""

_COMPARED = ("=", "<>", "<", ">", "<=", ">=")
_MEMBER = ("IN", "NOT IN")
_OVER_VALUES = ("count distinct", "min", "max", "avg")


@dataclass(frozen=True, slots=True)
class PatternNode:
    """A node of a pattern.

    Attributes:
        type: Its type.
        name: The name that it must have; None: any.
        id: The id that it must have, where its name is not its alone; then the name is for people.
    """

    type: str
    name: str | None = None
    id: str | None = None

    @property
    def fixed(self) -> bool:
        """Whether it must have a name or an id."""
        return self.name is not None or self.id is not None


def anchored(graph: PropertyGraph, position: int) -> PatternNode:
    """A node of a graph as a pattern has it: by its name, or by its id if others share the name."""
    node = graph.nodes[position]
    shared = len(graph.named(node.type, node.name)) > 1
    return PatternNode(node.type, node.name, node.id if shared else None)


@dataclass(frozen=True, slots=True)
class PatternEdge:
    """An edge of a pattern, from a subject to an object; both are variables."""

    variable: str
    subject: str
    relation: str
    object: str


@dataclass(frozen=True)
class MatchPattern:
    """What is matched.

    Attributes:
        template: The id of the template, one of `rulemine.cypher.questions.templates.MATCHES`.
        nodes: n, m0 and m1, as far as the template has them.
        relations: The labels of r0 and r1, as far as the template has them.
        time: Of templates of the category ``time``: `CURRENT`, or the year.

    Raises:
        ConfigError: They are not what the template takes.
    """

    template: str
    nodes: tuple[PatternNode, ...]
    relations: tuple[str, ...] = ()
    time: str | int | None = None

    def __post_init__(self) -> None:
        if self.template not in MATCHES:
            raise ConfigError(
                f"MATCH template {self.template!r} is unknown; {did_you_mean(self.template, MATCHES)}"
            )
        given, wanted = (
            f"{nodes} nodes and {relations} relations"
            for nodes, relations in (
                (len(self.nodes), len(self.relations)),
                (len(self.category.nodes), len(self.category.shape)),
            )
        )
        if given != wanted:
            raise ConfigError(f"MATCH template {self.template!r}: {given}; expected {wanted}.")
        of_year = self.template.endswith("in year")
        expected = CURRENT if self.template.endswith("current") else None
        if not (type(self.time) is int if of_year else self.time == expected):
            when = "a year" if of_year else repr(expected)
            raise ConfigError(
                f"MATCH template {self.template!r}: time is {self.time!r}; expected {when}."
            )

    @property
    def category(self) -> Category:
        """What the template has in common with others."""
        return CATEGORIES[MATCHES[self.template].category]

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables of the nodes."""
        return self.category.nodes

    @property
    def edges(self) -> tuple[PatternEdge, ...]:
        """r0 and r1, as far as there are."""
        return _edges(self.template, self.relations)

    @cached_property
    def named(self) -> Mapping[str, PatternNode]:
        """Variable → node."""
        return dict(zip(self.variables, self.nodes, strict=True))


@lru_cache(4096)
def _edges(template: str, relations: tuple[str, ...]) -> tuple[PatternEdge, ...]:
    row = MATCHES[template]
    found = []
    for number, (start, end) in enumerate(CATEGORIES[row.category].shape):
        ends = (start, end) if row.directions[number] == "→" else (end, start)
        found.append(PatternEdge(f"r{number}", ends[0], relations[number], ends[1]))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class ReturnClause:
    """What is returned; which fields are needed, `rulemine.cypher.questions.templates.RETURNS` says.

    Attributes:
        template: The id of the template.
        property: The property p of n (and m0).
        key: The property by whose values n are grouped.
        operator: Of a condition: ``= <> < > <= >=``, or ``IN`` and ``NOT IN`` for a value in a list.
        bound: What p is compared with.
        aggregate: ``count`` (of n), or over p ``count distinct``, ``min``, ``max``, ``avg``.
        year: Whether it is about the year of a date p.
        descending: Whether the greatest value comes first.
        known: Whether only n with a value count where the value is returned, sorted or grouped by. As
            CypherBench published them it is False: absent values are returned as null, and are the greatest.

    Raises:
        ConfigError: A field is missing, or is not for this template.
    """

    template: str
    property: str = ""
    key: str = ""
    operator: str = ""
    bound: Scalar | None = None
    aggregate: str = ""
    year: bool = False
    descending: bool = False
    known: bool = True

    def __post_init__(self) -> None:
        if self.template not in RETURNS:
            raise ConfigError(
                f"RETURN template {self.template!r} is unknown; {did_you_mean(self.template, RETURNS)}"
            )
        row = RETURNS[self.template]
        given = {each.name for each in fields(self) if getattr(self, each.name) != each.default}
        given -= {"template", "known"}
        aggregates, operators = ("", "count", *_OVER_VALUES), ("", *_COMPARED, *_MEMBER)
        wants = "takes no" if self.property else "needs a"
        unknown = sorted(given - {*row.takes, *row.may_take})
        problems = [
            *(f"{name} is missing" for name in row.takes if name not in given),
            *(f"{name} is not for it" for name in unknown),
            *[f"operator {self.operator!r}; one of {' '.join(operators[1:])}"]
            * (self.operator not in operators),
            *[f"aggregate {self.aggregate!r}; one of {', '.join(aggregates[1:])}"]
            * (self.aggregate not in aggregates),
            *[f"{self.aggregate} {wants} property"]
            * (bool(self.aggregate) and (self.aggregate == "count") == bool(self.property)),
        ]
        if problems:
            raise ConfigError(
                list_problems(f"RETURN template {self.template!r}", problems, "Correct it.")
            )


@dataclass(frozen=True, slots=True)
class PatternQuery:
    """A question: what is matched, and what is returned.

    Attributes:
        match: What is matched.
        result: What is returned.

    Raises:
        ConfigError: The RETURN template does not go with the MATCH template.
    """

    match: MatchPattern
    result: ReturnClause

    def __post_init__(self) -> None:
        row, category = RETURNS[self.result.template], self.match.category
        label = MATCHES[self.match.template].category
        fits_ = label in row.matches if row.matches else category.basic
        if not fits_ or (row.named is not None and row.named != ("n" in category.fixed)):
            raise ConfigError(
                f"RETURN template {row.id!r} does not go with MATCH template {self.match.template!r}."
            )
