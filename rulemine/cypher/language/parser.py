"""Reads read-only Cypher, as models write it.

Guarantee: what Neo4j 5 reads is read, or refused with line and column; what would change a graph, load a file
or call a procedure is refused by name. Quantified and SHORTEST paths, hints (USING), ``CALL (*)``, OPTIONAL
CALL, EXPLAIN and PROFILE are not read; their error is another one than that of what is no Cypher.
"""

from functools import lru_cache
from typing import NoReturn

from rulemine.cypher.language.expressions import Expressions
from rulemine.cypher.language.syntax import (
    Clause,
    Item,
    Match,
    ProjectionClause,
    Sorting,
    Statement,
    SubqueryClause,
    Unwind,
)

__all__ = ["StatementParser", "parse"]

_WRITING = frozenset(
    (
        "CREATE",
        "MERGE",
        "SET",
        "DELETE",
        "DETACH",
        "NODETACH",
        "REMOVE",
        "FOREACH",
        "DROP",
        "ALTER",
        "INSERT",
        "GRANT",
        "DENY",
        "REVOKE",
    )
)

_NOT_READ = frozenset(("EXPLAIN", "PROFILE", "CYPHER", "OPTIONAL", "FINISH"))


@lru_cache(maxsize=64)
def parse(text: str) -> Statement:
    """Reads a query.

    Args:
        text: One query; it may end with a semicolon.

    Raises:
        CypherError: It cannot be read, or is not read-only.
        UnsupportedError: One of these: it may be Cypher, and has what is not read here.

    Example:
        >>> statement = parse("match (c:City) return c.name order by c.population desc")
        >>> *_, last = statement.arms[0]
        >>> statement.ordered, [key.expression.text for key in last.order]
        (True, ['c.population'])
    """
    return StatementParser(text).statement()


class StatementParser(Expressions):
    """Reads a query.

    Args:
        text: The query.

    Raises:
        CypherError: See `parse`.
    """

    def statement(self) -> Statement:
        """The query, read to its end."""
        arms, every = self.arms()
        self.take(";")
        if self.here.kind != "end":
            self.clause_refused()
        return Statement(self.text, arms, tuple(self.variables), every)

    def arms(self, *, loose: bool = False) -> tuple[tuple[tuple[Clause, ...], ...], bool]:
        """The arms of a query, and whether UNION ALL joins them."""
        arms, ways = [self.arm(loose)], set()
        while self.take("UNION"):
            ways.add(self.take("ALL"))
            self.take("DISTINCT")
            arms.append(self.arm(loose))
            if len(ways) > 1:
                self.fail("UNION and UNION ALL in one query.", self.end)
        return tuple(arms), True in ways

    def arm(self, loose: bool) -> tuple[Clause, ...]:
        """The clauses of an arm; a loose one may end without RETURN."""
        clauses: list[Clause] = []
        while not (loose and clauses and (self.peek("}") or self.peek("UNION"))):
            start = self.here.start
            if self.take("OPTIONAL", "MATCH"):
                clauses.append(self.match(start, True))
            elif self.take("MATCH"):
                clauses.append(self.match(start, False))
            elif self.take("UNWIND"):
                items = self.term()
                self.need("AS")
                variable = self.variable(new=True)
                clauses.append(Unwind(start, self.end, variable, items))
            elif self.take("WITH"):
                clauses.append(self.projection(start, final=False))
            elif self.take("RETURN"):
                clauses.append(self.projection(start, final=True))
                return tuple(clauses)
            elif self.take("CALL"):
                clauses.append(self.call(start))
            else:
                self.clause_refused()
        return tuple(clauses)

    def clause_refused(self) -> NoReturn:
        """Refuses what is no clause that may stand here."""
        word = self.here.word
        if word in _WRITING:
            self.fail(f"{word} would change the graph, which may only be read.", kind="write")
        if word in ("LOAD", "USE", "SHOW"):
            reads = (
                "reads a file; only the graph may be asked"
                if word == "LOAD"
                else "asks more than the graph"
            )
            self.fail(f"{word} {reads}.", kind="load" if word == "LOAD" else "graph")
        if word in _NOT_READ:
            self.unsupported(f"{word} is not read here")
        self.expected("a clause (MATCH, WITH, UNWIND, CALL, RETURN) that may stand here")

    def match(self, start: int, optional: bool) -> Match:
        """The rest of MATCH."""
        self.bound = []
        paths = tuple(self.one_or_more(self.path))
        variables = tuple(dict.fromkeys(self.bound))
        if self.peek("USING"):
            self.unsupported("hints (USING) are not read")
        where = self.term() if self.take("WHERE") else None
        return Match(start, self.end, paths, variables, optional, where)

    def projection(self, start: int, *, final: bool) -> ProjectionClause:
        """The rest of WITH or RETURN."""
        distinct, every = self.take("DISTINCT"), self.take("*")
        items = self.one_or_more(self.item) if not every or self.take(",") else []
        sorting = self.here.start
        order = self.one_or_more(self.sorting) if self.take("ORDER", "BY") else []
        limiting = self.here.start
        skip = self.term() if self.take("SKIP") or self.take("OFFSET") else None
        limit = self.term() if self.take("LIMIT") else None
        where, condition = -1, None
        if not final and self.take("WHERE"):
            where, condition = self.end, self.term()
        sorted_by = sorting, tuple(order), limiting
        return ProjectionClause(
            start,
            self.end,
            final,
            distinct,
            every,
            tuple(items),
            *sorted_by,
            skip,
            limit,
            where,
            condition,
        )

    def item(self) -> Item:
        """A column."""
        expression = self.expression()
        return Item(expression, self.variable(new=True) if self.take("AS") else "")

    def sorting(self) -> Sorting:
        """A key of ORDER BY."""
        expression = self.expression()
        descending = self.take("DESCENDING") or self.take("DESC")
        if not descending and not self.take("ASCENDING"):
            self.take("ASC")
        return Sorting(expression, descending)

    def call(self, start: int) -> SubqueryClause:
        """The rest of CALL."""
        if self.named():
            names = [self.name("a procedure")]
            while self.take("."):
                names.append(self.name("a procedure"))
            named = f"the procedure {'.'.join(names)} is called"
            self.fail(f"{named}; only the graph may be asked.", start, "procedure")
        imported: tuple[str, ...] | None = None
        if self.take("("):
            if self.peek("*"):
                self.unsupported("CALL (*) is not read; name the variables")
            imported = () if self.peek(")") else tuple(self.one_or_more(self.variable))
            self.need(")")
        self.need("{")
        arms, every = self.deeper(self.arms)
        self.need("}")
        if self.peek("IN", "TRANSACTIONS"):
            self.fail("IN TRANSACTIONS is for queries that write.", kind="write")
        return SubqueryClause(start, self.end, imported, arms, every)

    def subquery(self) -> tuple[tuple[tuple[Clause, ...], ...], bool]:
        """A query or a pattern in braces, with a scope of its own."""
        bound, self.bound = self.bound, []
        bare = self.peek("(")
        arms, every = (
            (((self.match(self.here.start, False),),), False) if bare else self.arms(loose=True)
        )
        self.bound = bound
        return arms, every
