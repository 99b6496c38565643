"""What a query in Cypher consists of: clauses, patterns and expressions, each with its place in the text."""

from dataclasses import dataclass

from rulemine.errors import QueryError

__all__ = [
    "Clause",
    "CypherError",
    "Expression",
    "Item",
    "Match",
    "PathElement",
    "ProjectionClause",
    "Statement",
    "SubqueryClause",
    "Unwind",
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


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression.

    Attributes:
        text: As it is written.
        variable: The variable, if it is no more than one; else empty.
        aggregates: Whether it has an aggregating function.
    """

    text: str
    variable: str
    aggregates: bool


@dataclass(frozen=True, slots=True)
class PathElement:
    """A path of a MATCH.

    Attributes:
        start: Where it begins in the text, its variable included.
        variable: The variable of the whole path, or empty.
    """

    start: int
    variable: str


@dataclass(frozen=True, slots=True)
class Match:
    """MATCH or OPTIONAL MATCH, with its WHERE.

    Attributes:
        start: Where it begins in the text.
        end: Where it ends.
        paths: Its paths.
        variables: The variables of its paths, nodes and relations.
        optional: Whether it is OPTIONAL MATCH.
    """

    start: int
    end: int
    paths: tuple[PathElement, ...]
    variables: tuple[str, ...]
    optional: bool


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
class ProjectionClause:
    """WITH or RETURN.

    Attributes:
        start: Where it begins in the text.
        end: Where it ends.
        final: Whether it is RETURN.
        distinct: Whether equal rows are one.
        every: Whether it has ``*``.
        items: Its columns, without those of ``*``.
        order: What rows are sorted by, most important first; empty: no order.
        limited: Whether it has SKIP or LIMIT.
        where: Where the condition of WITH begins, behind the word WHERE; −1: it has none.
    """

    start: int
    end: int
    final: bool
    distinct: bool
    every: bool
    items: tuple[Item, ...]
    order: tuple[Expression, ...]
    limited: bool
    where: int

    @property
    def plain(self) -> bool:
        """Whether it hands variables on as they are, every row, and nothing else."""
        kept = all(
            item.expression.variable and item.alias in ("", item.expression.variable)
            for item in self.items
        )
        return kept and not self.limited


@dataclass(frozen=True, slots=True)
class Unwind:
    """UNWIND.

    Attributes:
        start: Where it begins in the text.
        end: Where it ends.
        variable: What each element is called.
    """

    start: int
    end: int
    variable: str


@dataclass(frozen=True, slots=True)
class SubqueryClause:
    """A subquery in CALL { }.

    Attributes:
        start: Where it begins in the text.
        end: Where it ends.
        imported: The variables of ``CALL (n, m) { }``; None: it has no such list.
        arms: Its arms.
    """

    start: int
    end: int
    imported: tuple[str, ...] | None
    arms: "tuple[tuple[Clause, ...], ...]"


Clause = Match | ProjectionClause | Unwind | SubqueryClause


@dataclass(frozen=True, slots=True)
class Statement:
    """A read-only query.

    Attributes:
        text: The query.
        arms: The clauses of each arm of UNION; one without UNION.
        variables: Start, end and name of each place where a variable stands, in the order of the text.
    """

    text: str
    arms: tuple[tuple[Clause, ...], ...]
    variables: tuple[tuple[int, int, str], ...]

    @property
    def ordered(self) -> bool:
        """Whether the order of rows is asked for: ORDER BY in the RETURN of a query without UNION."""
        last = self.arms[-1][-1]
        return len(self.arms) == 1 and isinstance(last, ProjectionClause) and bool(last.order)
