"""Runs read-only Cypher on a property graph in memory.

Guarantee: what is run gives the rows that Neo4j 5.26 gives, and fails where it fails; what is not taken is
refused with `UnsupportedError`, never run otherwise. An order that Neo4j leaves open is the same every time.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, reduce
from typing import Any

from rulemine.cypher.interpreter.compiler import Arms, Compiler, Row, Scope, either, item_kind
from rulemine.cypher.interpreter.matching import PathMatcher, names_in
from rulemine.cypher.interpreter.projecting import Projector, distinct
from rulemine.cypher.interpreter.values import ExhaustedError, RunLimits, StoredGraph, stored
from rulemine.cypher.language.parser import parse
from rulemine.cypher.language.syntax import (
    Clause,
    Match,
    PathElement,
    ProjectionClause,
    Statement,
    SubqueryClause,
    Term,
    UnsupportedError,
    Unwind,
)
from rulemine.cypher.rows import ResultTable
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.schema import Schema

__all__ = ["projected", "run"]

_Step = Callable[[Iterable[Row]], Iterator[Row]]


def run(
    graph: PropertyGraph, query: str | Statement, *, seconds: float = 30.0, most: int = 100_000
) -> ResultTable:
    """The rows of a query.

    Args:
        graph: The graph. Its nodes and edges have their ids as a property ``id``.
        query: The query.
        seconds: Seconds that it may take.
        most: Rows that it may give.

    Returns:
        Columns and rows. Lists are lists, dates Python's; nodes, relations and paths are objects of
        `rulemine.cypher.interpreter.values`.

    Raises:
        CypherError: It is no Cypher, or not read-only.
        UnsupportedError: It has something that is not taken here; nothing is known of its result.
        EvaluationError: Neo4j would not run it to its end either.
        ExhaustedError: It took too long, gave too many rows or had to keep too much.

    Example:
        >>> from rulemine.datasets.property_graphs import load_property_graph
        >>> run(load_property_graph("demo"), "MATCH (p:Person) RETURN count(*) > 0 AS some")
        ResultTable(columns=('some',), rows=[(True,)])
    """
    statement = parse(query) if isinstance(query, str) else query
    limits = RunLimits(seconds)
    try:
        columns, rows = _Engine(stored(graph), statement, limits).statement()
        table: list[tuple[object, ...]] = []
        for row in rows:
            limits.step()
            if len(table) == most:
                raise ExhaustedError("TooManyRows", f"more than {most:,} rows.")
            table.append(tuple(row[name] for name in columns))
        return ResultTable(columns, table)
    except NotImplementedError as problem:
        raise UnsupportedError(f"{problem}: not taken here.", 1, 1) from None
    except RecursionError:
        raise UnsupportedError("an expression too deep.", 1, 1) from None


_NO_GRAPH = StoredGraph(PropertyGraph(Schema("", (), ()), (), ()))


@lru_cache(1024)
def projected(
    text: str, names: tuple[str, ...]
) -> Callable[[Iterable[Row]], list[tuple[Any, ...]]]:
    """What clauses that match nothing make of rows; they are compiled once for many graphs.

    Args:
        text: The clauses, from WITH, UNWIND or RETURN on.
        names: The variables of the rows; what they hold are nodes, but for ``number``.

    Returns:
        From rows to rows of the columns, however many they are and however long it takes.
    """
    engine = _Engine(_NO_GRAPH, parse(text), RunLimits(math.inf))
    return engine.projected({name: "Integer" if name == "number" else "Node" for name in names})


class _Engine:
    def __init__(self, graph: StoredGraph, statement: Statement, limits: RunLimits) -> None:
        self._statement, self._limits = statement, limits
        self._compiler = Compiler(
            graph, limits, statement.text, lambda *query: self._arms(*query)[1], self._matched
        )

    def statement(self) -> tuple[tuple[str, ...], Iterator[Row]]:
        columns, run = self._arms(self._statement.arms, self._statement.every, {}, final=True)
        return tuple(columns), run({})

    def projected(self, scope: Scope) -> Callable[[Iterable[Row]], list[tuple[Any, ...]]]:
        columns, run = self._arm(self._statement.arms[0], scope, True)
        return lambda rows: [tuple(row[name] for name in columns) for row in run(rows)]

    def _matched(
        self, paths: tuple[PathElement, ...], where: Term | None, scope: Scope
    ) -> tuple[Callable[[Row], Iterator[Row]], Scope]:
        matcher = PathMatcher(self._compiler, paths, where, scope)
        return matcher.rows(), matcher.scope

    def _arms(
        self, arms: Arms, every: bool, scope: Scope, *, final: bool = False
    ) -> tuple[Scope, Callable[[Row], Iterator[Row]]]:
        """Columns of a query, and its rows for a row of its scope."""
        made = [self._arm(arm, scope, final) for arm in arms]
        columns = made[0][0]
        if any(own.keys() != columns.keys() for own, _ in made):
            self._compiler.fail("the arms of UNION have other columns.")
        if len(made) == 1:
            return columns, lambda row: made[0][1]([row])

        names = list(columns)
        kinds = {name: either(own[name] for own, _ in made) for name in names}

        def union(row: Row) -> Iterator[Row]:
            rows = (found for _, run in made for found in run([row]))
            return rows if every else distinct(rows, names)

        return kinds, union

    def _arm(self, clauses: Sequence[Clause], scope: Scope, final: bool) -> tuple[Scope, _Step]:
        steps: list[_Step] = []
        last: Clause | None = None
        for last in clauses:
            step, scope = self._clause(last, scope)
            steps.append(step)
        returned = isinstance(last, ProjectionClause) and last.final
        if final and not returned:
            self._compiler.fail("a query ends with RETURN.")

        def run(rows: Iterable[Row]) -> Iterator[Row]:
            return reduce(lambda before, step: step(before), steps, iter(rows))

        return (scope if returned else {}), run

    def _clause(self, clause: Clause, scope: Scope) -> tuple[_Step, Scope]:
        if isinstance(clause, Match):
            return self._match(clause, scope)
        if isinstance(clause, ProjectionClause):
            projector = Projector(self._compiler, clause, scope)
            return projector.prepared(), projector.scope
        if isinstance(clause, Unwind):
            return self._unwind(clause, scope)
        return self._call(clause, scope)

    def _match(self, clause: Match, scope: Scope) -> tuple[_Step, Scope]:
        matcher = PathMatcher(self._compiler, clause.paths, clause.where, scope)
        found, new = matcher.rows(), matcher.new

        def match(rows: Iterable[Row]) -> Iterator[Row]:
            for row in rows:
                lacks = clause.optional
                for more in found(row):
                    lacks = False
                    yield more
                if lacks:
                    yield row | dict.fromkeys(new)

        return match, matcher.scope

    def _unwind(self, clause: Unwind, scope: Scope) -> tuple[_Step, Scope]:
        name, step = clause.variable, self._limits.step
        self._new(name, scope)
        code = self._compiler.term(clause.items, scope)
        listed, kind = code.run, item_kind(code.kind)

        def unwind(rows: Iterable[Row]) -> Iterator[Row]:
            for row in rows:
                items = listed(row)
                for item in (
                    items if isinstance(items, list | tuple) else () if items is None else (items,)
                ):
                    step()
                    yield {**row, name: item}

        return unwind, {**scope, name: kind}

    def _new(self, name: str, scope: Scope) -> None:
        if name in scope:
            self._compiler.fail(f"variable {name} is there already.")

    def _call(self, clause: SubqueryClause, scope: Scope) -> tuple[_Step, Scope]:
        arms, imported = clause.arms, clause.imported
        if imported is None:
            names: set[str] = set()
            arms = tuple(self._imported(arm, scope, names) for arm in arms)
        else:
            names = set(imported)
        if lacking := sorted(names - scope.keys()):
            self._compiler.fail(f"variable {lacking[0]} is not defined.")
        inner = {name: scope[name] for name in names}
        columns, found = self._arms(arms, clause.every, inner, final=True)
        for name in columns:
            self._new(name, scope)
        own = sorted(names)

        def call(rows: Iterable[Row]) -> Iterator[Row]:
            for row in rows:
                for more in found({name: row[name] for name in own}):
                    yield {**row, **more}

        return call, {**scope, **columns}

    def _imported(
        self, arm: tuple[Clause, ...], scope: Scope, names: set[str]
    ) -> tuple[Clause, ...]:
        """The arm of a subquery without the WITH that imports variables, which are noted."""
        first = arm[0]
        if not isinstance(first, ProjectionClause) or first.final:
            return arm
        asked = names_in(tuple(item.expression.term for item in first.items))
        if not first.every and not asked & scope.keys():
            return arm
        bare = not (first.distinct or first.order or first.condition) and first.plain
        if not bare:
            self._compiler.fail("the WITH that imports variables only names them.")
        names |= set(scope) if first.every else asked
        return arm[1:]
