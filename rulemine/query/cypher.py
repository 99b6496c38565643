"""Queries in Cypher (Neo4j 4.1 and later), on one line.

The graph is expected as nodes ``(:Entity {name: …})`` with relationships typed by the relations. Each atom
is a MATCH of its own: within one, Cypher would use no relationship twice.
"""

from itertools import count

from rulemine.query.tree import (
    Anchor,
    Count,
    Intersection,
    Projection,
    Query,
    Union,
    quoted,
)

__all__ = ["to_cypher"]


def to_cypher(query: Query) -> str:
    """The query in Cypher; the column is ``answer``, of a count ``value``.

    Example:
        >>> from rulemine.query import parse
        >>> print(to_cypher(parse('(p "directed" "e1")')))
        MATCH (:Entity {name: "e1"})-[:`directed`]->(answer) RETURN DISTINCT answer.name AS answer
    """
    counts = isinstance(query, Count)
    result = "count(DISTINCT answer) AS value" if counts else "DISTINCT answer.name AS answer"
    return f"{_Writer().clauses(query, 'answer')} RETURN {result}"


class _Writer:
    def __init__(self) -> None:
        self._number = count(1)

    def _variable(self) -> str:
        return f"v{next(self._number)}"

    def clauses(self, query: Query, variable: str, bound: bool = False) -> str:
        """The clauses that bind a variable to the entities of a query, or restrict a bound one to them."""
        if isinstance(query, Anchor):
            return f"MATCH ({variable}{_entity(query)})"
        if isinstance(query, Projection):
            below, start = "", _entity(query.of) if isinstance(query.of, Anchor) else ""
            if not start:
                start = self._variable()
                below = self.clauses(query.of, start) + " "
            relation = f"-[:`{query.relation.replace('`', '``')}`]-"
            arrow = f"<{relation}" if query.inverse else f"{relation}>"
            return f"{below}MATCH ({start}){arrow}({variable})"
        if isinstance(query, Intersection):
            return " ".join(
                self.clauses(part, variable, bound or number > 0)
                for number, part in enumerate(query.parts)
            )
        if isinstance(query, Union):
            name = self._variable() if bound else variable
            arms = (f"{self.clauses(part, name)} RETURN {name}" for part in query.parts)
            same = f" WITH * WHERE {variable} = {name}" if bound else ""
            return f"CALL {{ {' UNION '.join(arms)} }}{same}"
        if isinstance(query, Count):
            return self.clauses(query.of, variable)
        inner, taken = self._variable(), self._variable()
        return (
            f"{self.clauses(query.of, variable, bound)} CALL {{ {self.clauses(query.minus, inner)} RETURN "
            f"collect(DISTINCT {inner}) AS {taken} }} WITH * WHERE NOT {variable} IN {taken}"
        )


def _entity(query: Anchor) -> str:
    return f":Entity {{name: {quoted(query.entity)}}}"
