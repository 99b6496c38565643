"""Questions of the templates as trees: what is matched, and what is returned.

Guarantee: a tree that was made has the nodes, relations and fields that its templates take; whether a
schema has its names is checked by `check`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from rulemine.cypher.questions.templates import CATEGORIES, MATCHES, RETURNS, Category
from rulemine.errors import ConfigError, did_you_mean, list_problems
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.schema import NAME, Property, Schema
from rulemine.kg.property_graph.values import Scalar, fits, is_list

__all__ = [
    "CURRENT", "END", "START", "MatchPattern", "PatternEdge", "PatternNode", "PatternQuery", "ReturnClause",
    "anchored", "check",
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
        wanted = len(self.category.nodes), len(self.category.shape)
        if (len(self.nodes), len(self.relations)) != wanted:
            raise ConfigError(
                f"MATCH template {self.template!r}: {len(self.nodes)} nodes and {len(self.relations)} "
                f"relations; expected {wanted[0]} and {wanted[1]}."
            )
        year = isinstance(self.time, int) and not isinstance(self.time, bool)
        if self.template.endswith("current"):
            known, expected = self.time == CURRENT, f"{CURRENT!r}"
        elif self.template.endswith("in year"):
            known, expected = year, "a year"
        else:
            known, expected = self.time is None, "None"
        if not known:
            raise ConfigError(
                f"MATCH template {self.template!r}: time is {self.time!r}; expected {expected}."
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
        given = {
            name
            for name in ("property", "key", "operator", "aggregate", "year", "descending")
            if getattr(self, name)
        }
        given |= {"bound"} if self.bound is not None else set()
        problems = [f"{name} is missing" for name in row.takes if name not in given]
        problems += [
            f"{name} is not for it" for name in sorted(given - {*row.takes, *row.may_take})
        ]
        if self.operator and self.operator not in (*_COMPARED, *_MEMBER):
            problems.append(f"operator {self.operator!r}; one of {' '.join(_COMPARED + _MEMBER)}")
        if self.aggregate and self.aggregate not in ("count", *_OVER_VALUES):
            problems.append(
                f"aggregate {self.aggregate!r}; one of count, {', '.join(_OVER_VALUES)}"
            )
        if self.aggregate and (self.aggregate == "count") == bool(self.property):
            problems.append(
                f"{self.aggregate} {'takes no' if self.property else 'needs a'} property"
            )
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


def check(schema: Schema, query: PatternQuery) -> None:
    """Checks a question against a schema.

    Raises:
        ConfigError: It names what the schema lacks, fixes a node that the template leaves open or the other
            way round, or compares what cannot be compared; one message lists all of it.
    """
    if problems := list(_problems(schema, query)):
        raise ConfigError(
            list_problems(f"question over {schema.name!r}", problems, "Correct the question.")
        )


def _problems(schema: Schema, query: PatternQuery) -> Iterator[str]:
    match = query.match
    labels = {row.label for row in schema.entities}
    for variable, node in match.named.items():
        if node.type not in labels:
            yield f"{variable}: type {node.type!r} is unknown; {did_you_mean(node.type, labels)}"
        if node.fixed != (variable in match.category.fixed):
            yield f"{variable}: {'no name was' if node.fixed else 'a name was'} expected"
    for edge in match.edges:
        ends = match.named[edge.subject].type, match.named[edge.object].type
        relation = schema.relation(ends[0], edge.relation, ends[1])
        if relation is None:
            yield f"{edge.variable}: no relation {ends[0]} {edge.relation} {ends[1]}"
        elif match.time is not None:
            years = {row.name for row in relation.properties if row.datatype == "int"}
            yield from (
                f"{edge.variable}: {edge.relation} has no {name} that is an int"
                for name in (START, END)
                if name not in years
            )
    if match.template == "(n*),(m0*)" and match.nodes[0].type != match.nodes[1].type:
        yield "n and m0 are of two types; one was expected"
    if match.nodes[0].type in labels:
        own = {row.name: row for row in schema.entity(match.nodes[0].type).properties}
        yield from _unfit(query.result, own)


def _unfit(result: ReturnClause, own: Mapping[str, Property]) -> Iterator[str]:
    for name in filter(None, (result.property, result.key)):
        if name not in own:
            about = f"; {did_you_mean(name, own)}" if own else ""
            yield f"n has no property {name!r}{about if name != NAME else ''}"
            return
    if result.key and is_list(own[result.key].datatype):
        yield f"{result.key} is a list; groups need single values"
    if not result.property:
        return
    datatype = own[result.property].datatype
    allowed = RETURNS[result.template].datatypes
    if result.aggregate:
        allowed = {"avg": ("int", "float"), "count distinct": ()}.get(
            result.aggregate, ("int", "float", "date")
        )
    if allowed and datatype not in allowed:
        yield f"{result.property} is {datatype}; expected {' or '.join(allowed)}"
    if result.year and (datatype != "date" or result.aggregate in ("avg", "count distinct")):
        yield f"{result.property}: no year can be taken here"
    if result.operator:
        yield from _condition(result, datatype)


def _condition(result: ReturnClause, datatype: str) -> Iterator[str]:
    wanted = "int" if result.year else datatype[5:-1] if is_list(datatype) else datatype
    if (result.operator in _MEMBER) != is_list(datatype):
        yield f"{result.property} is {datatype}; {result.operator} does not fit"
    elif result.operator not in ("=", "<>", *_MEMBER) and wanted in ("str", "bool"):
        yield f"{result.property} is {datatype}; only = and <> fit"
    if not fits(result.bound, wanted):
        yield f"bound {result.bound!r}; expected {wanted}"
