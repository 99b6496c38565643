"""What a query in Cypher consists of: clauses, patterns and expressions, each with its place in the text."""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from rulemine.errors import QueryError

__all__ = [
    "Clause",
    "CypherError",
    "Expression",
    "Item",
    "Match",
    "NodePattern",
    "PathElement",
    "ProjectionClause",
    "RelationPattern",
    "Sorting",
    "Statement",
    "SubqueryClause",
    "Term",
    "UnsupportedError",
    "Unwind",
    "joined_by_and",
    "parts_of",
]


class CypherError(QueryError):
    """A query that is no read-only Cypher.

    Attributes:
        line: Line at which it is not, from 1.
        column: Column, from 1.
        kind: ``syntax``; or what a reader may not do: ``write``, ``procedure``, ``load``, ``graph``;
            or ``ways``: its subqueries have too many combinations of arms.
    """

    def __init__(self, message: str, line: int, column: int, kind: str = "syntax") -> None:
        self.line, self.column, self.kind = line, column, kind
        super().__init__(f"query, line {line}, column {column}: {message}")


class UnsupportedError(CypherError):
    """A query that may well be Cypher, and has what is not taken here; ``kind`` is ``unsupported``."""

    def __init__(self, message: str, line: int, column: int, _kind: str = "") -> None:
        super().__init__(message, line, column, "unsupported")


@dataclass(frozen=True, slots=True)
class Term:
    """A part of an expression, or of a label expression.

    Parts are terms, unless stated otherwise; None stands for one that is left out.

    | kind | parts |
    |---|---|
    | `value` | the value, its Python type |
    | `parameter`, `variable` | the name |
    | `get`, `at`, `slice` | of what, and the property's name · the index · first and last |
    | `not` `minus` `plus` `is null` `is not null` | the operand |
    | `or` `xor` `and` | two operands or more |
    | `=` `<>` `<` `<=` `>` `>=` `=~` `in` `starts` `ends` `contains` | two operands |
    | `+` `-` `*` `/` `%` `^` `||` | two operands |
    | `is` | of what, and a label expression: `label` with a name, `!`, `&`, `|`, `%` |
    | `list`, `map` | the items · pairs of key and term |
    | `project` | a variable, and pairs: ``.`` and a name, ``*`` and None, key and term |
    | `case` | what is compared; pairs of condition and result; the rest |
    | `each` | variable's name, list, condition, result |
    | `all` `any` `none` `single` | variable's name, list, condition |
    | `reduce` | name, first value, variable's name, list, next value |
    | `call` | the function in lower case, whether DISTINCT, the arguments; None: ``*`` |
    | `path`, `paths` | a `PathElement` · one, condition, result |
    | `exists` `count` `collect` | the arms of a subquery, whether UNION ALL joins them |
    | `unknown` | what is recognized and no more |

    Attributes:
        kind: What it is.
        parts: What it consists of.
        place: Where it stands in the text; equal terms may stand anywhere.
    """

    kind: str
    parts: tuple[Any, ...]
    place: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Expression:
    """A column or what rows are sorted by.

    Attributes:
        start: Where it begins in the text.
        text: As it is written.
        variable: The variable, if it is no more than one; else empty.
        term: What it says.
    """

    start: int = field(compare=False)
    text: str
    variable: str
    term: Term


@dataclass(frozen=True, slots=True)
class NodePattern:
    """A node of a path.

    Attributes:
        start: Where it begins in the text; of a relation its first dash or ``<``.
        end: Where it ends.
        variable: Its variable, or empty.
        labels: What its labels must be, or None.
        properties: What its properties must be: a map or a parameter, or None.
        where: A condition, or None.
    """

    start: int = field(compare=False)
    end: int = field(compare=False)
    variable: str
    labels: Term | None
    properties: Term | None
    where: Term | None


@dataclass(frozen=True, slots=True)
class RelationPattern(NodePattern):
    """A relation of a path; its labels are types.

    Attributes:
        direction: 1: from the node before it to the one behind it, −1: the other way, 0: either.
        length: Least and greatest number of relations in its place (None: no bound), or None: one.
    """

    direction: int
    length: tuple[int, int | None] | None


@dataclass(frozen=True, slots=True)
class PathElement:
    """A path of a MATCH.

    Attributes:
        start: Where it begins in the text, its variable included.
        variable: The variable of the whole path, or empty.
        nodes: Its nodes.
        relations: The relations between them.
        shortest: Whether it is in ``shortestPath()`` or ``allShortestPaths()``.
    """

    start: int = field(compare=False)
    variable: str
    nodes: tuple[NodePattern, ...]
    relations: tuple[RelationPattern, ...]
    shortest: bool = False


@dataclass(frozen=True, slots=True)
class Match:
    """MATCH or OPTIONAL MATCH, with its WHERE.

    Attributes:
        start: Where it begins in the text.
        end: Where it ends.
        paths: Its paths.
        variables: The variables of its paths, nodes and relations.
        optional: Whether it is OPTIONAL MATCH.
        where: Its condition, or None.
    """

    start: int
    end: int
    paths: tuple[PathElement, ...]
    variables: tuple[str, ...]
    optional: bool
    where: Term | None


@dataclass(frozen=True, slots=True)
class Item:
    """A column of WITH or RETURN.

    Attributes:
        expression: What it holds.
        alias: Its name after AS, or empty.
    """

    expression: Expression
    alias: str


@dataclass(frozen=True, slots=True)
class Sorting:
    """What rows are sorted by.

    Attributes:
        expression: The key.
        descending: Whether the greatest comes first.
    """

    expression: Expression
    descending: bool


@dataclass(frozen=True, slots=True)
class ProjectionClause:
    """WITH or RETURN.

    Attributes:
        start: Where it begins in the text.
        end: Where it ends.
        final: Whether it is RETURN.
        distinct: Whether equal rows are one.
        every: Whether it has ``*``.
        items: Its columns, without those of ``*``.
        sorting: Where ORDER BY begins, if there is one.
        order: What rows are sorted by, most important first; empty: no order.
        limiting: Where SKIP or LIMIT begin, if there are some.
        skip: How many rows are left out first, or None.
        limit: How many rows are kept, or None.
        where: Where the condition of WITH begins, behind the word WHERE; −1: it has none.
        condition: This condition, or None.
    """

    start: int
    end: int
    final: bool
    distinct: bool
    every: bool
    items: tuple[Item, ...]
    sorting: int
    order: tuple[Sorting, ...]
    limiting: int
    skip: Term | None
    limit: Term | None
    where: int
    condition: Term | None

    @property
    def plain(self) -> bool:
        """Whether it hands variables on as they are, every row, and nothing else."""
        kept = all(
            item.expression.variable and item.alias in ("", item.expression.variable)
            for item in self.items
        )
        return kept and self.skip is None and self.limit is None


@dataclass(frozen=True, slots=True)
class Unwind:
    """UNWIND.

    Attributes:
        start: Where it begins in the text.
        end: Where it ends.
        variable: What each element is called.
        items: The list.
    """

    start: int
    end: int
    variable: str
    items: Term


@dataclass(frozen=True, slots=True)
class SubqueryClause:
    """A subquery in CALL { }.

    Attributes:
        start: Where it begins in the text.
        end: Where it ends.
        imported: The variables of ``CALL (n, m) { }``; None: it has no such list.
        arms: Its arms.
        every: Whether they are joined by UNION ALL.
    """

    start: int
    end: int
    imported: tuple[str, ...] | None
    arms: "tuple[tuple[Clause, ...], ...]"
    every: bool = False


Clause = Match | ProjectionClause | Unwind | SubqueryClause


@dataclass(frozen=True, slots=True)
class Statement:
    """A read-only query.

    Attributes:
        text: The query.
        arms: The clauses of each arm of UNION; one without UNION.
        variables: Start, end and name of each place where a variable stands, in the order of the text.
        every: Whether the arms are joined by UNION ALL.
    """

    text: str
    arms: tuple[tuple[Clause, ...], ...]
    variables: tuple[tuple[int, int, str], ...]
    every: bool = False

    @property
    def ordered(self) -> bool:
        """Whether the order of rows is asked for: ORDER BY in the RETURN of a query without UNION."""
        last = self.arms[-1][-1]
        return len(self.arms) == 1 and isinstance(last, ProjectionClause) and bool(last.order)


def parts_of(part: Any) -> Iterator[Any]:
    """A part of a query, and all parts of it."""
    if isinstance(part, tuple):
        for inner in part:
            yield from parts_of(inner)
    elif is_dataclass(part):
        yield part
        for each in fields(part):
            yield from parts_of(getattr(part, each.name))


def joined_by_and(term: Term | None) -> Iterator[Term]:
    """The conditions that must all hold."""
    if term is not None and term.kind == "and":
        for part in term.parts:
            yield from joined_by_and(part)
    elif term is not None:
        yield term
