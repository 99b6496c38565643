"""What a query in Cypher binds, and what it is sorted by, as other queries.

The provenance of a result is what MATCH, OPTIONAL MATCH and their conditions bind, up to the first clause
that renames, aggregates, limits or unwinds, united over the arms of UNION (Feng, Papicchio, Rahman, arXiv
2412.18702, section 5.2). A WHERE after ``WITH DISTINCT n`` counts; what stands before the first MATCH ends
nothing.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from rulemine.cypher.language.syntax import (
    Clause,
    CypherError,
    Match,
    ProjectionClause,
    Statement,
    SubqueryClause,
    Unwind,
)
from rulemine.cypher.questions.render import quoted_name

__all__ = ["KeyedQuery", "keyed_query", "provenance_query"]

_MOST_WAYS = 100

_TIES = 10_000
"""How many rows are looked at for those that share the first place."""


@dataclass(frozen=True, slots=True)
class _Reached:
    """What is kept of the clauses so far.

    Attributes:
        texts: Clauses.
        scope: Variable → its name in the clauses kept, where it may differ.
        used: All such names.
        paths: The variables of the paths.
        over: Whether no clause counts any more.
    """

    texts: tuple[str, ...] = ()
    scope: dict[str, str] = field(default_factory=dict)
    used: frozenset[str] = frozenset()
    paths: tuple[str, ...] = ()
    over: bool = False


def provenance_query(statement: Statement, identity: str = "") -> str | None:
    """A query for the nodes and edges that a query's result comes from.

    Args:
        statement: The query, as `rulemine.cypher.parse` reads it.
        identity: The property by which nodes and edges are known; empty: Neo4j's own ids of elements.

    Returns:
        A query whose rows are ``("node" or "edge", id)``, each once; None if nothing is bound. Nodes and
        edges without a variable are bound like others.

    Raises:
        CypherError: Its subqueries have more than 100 combinations of arms; kind ``ways``.

    Example:
        >>> from rulemine.cypher.language.parser import parse
        >>> query = "MATCH (n:City)-[:inCountry]->(:Country) RETURN n.name LIMIT 1"
        >>> print((provenance_query(parse(query), "id") or "").splitlines()[0])
        MATCH p = (n:City)-[:inCountry]->(:Country)
    """
    return _Rewriter(statement).query(identity)


class _Rewriter:
    def __init__(self, statement: Statement) -> None:
        self._statement = statement
        self._names = frozenset(name for _, _, name in statement.variables)

    def query(self, identity: str) -> str | None:
        read = "{}." + quoted_name(identity) if identity else "elementId({})"
        found: dict[str, None] = {}
        for arm in self._statement.arms:
            for reached in self._followed(arm, _Reached()):
                if reached.paths:
                    found["\n".join((*reached.texts, self._returned(reached, read)))] = None
        return "\nUNION\n".join(found) or None

    def _returned(self, reached: _Reached, read: str) -> str:
        one, row = (self._fresh(name, reached.used) for name in ("x", "bound"))
        lists = []
        for kind, function in (("node", "nodes"), ("edge", "relationships")):
            parts = " + ".join(f"coalesce({function}({quoted_name(p)}), [])" for p in reached.paths)
            lists.append(f'[{one} IN {parts} | ["{kind}", {read.format(one)}]]')
        return (
            f"UNWIND {' + '.join(lists)} AS {row}\nRETURN DISTINCT {row}[0] AS kind, {row}[1] AS id"
        )

    def _fresh(self, name: str, used: frozenset[str]) -> str:
        """A name that no variable has."""
        number, found = 0, name
        while found in self._names or found in used:
            number += 1
            found = f"{name}{number}"
        return found

    def _followed(self, clauses: tuple[Clause, ...], reached: _Reached) -> list[_Reached]:
        """What is reached by clauses, once for each way through the arms of subqueries."""
        ways = [reached]
        for clause in clauses:
            found: list[_Reached] = []
            for way in ways:
                if way.over:
                    found.append(way)
                elif isinstance(clause, SubqueryClause):
                    for arm in clause.arms:
                        found += self._subquery(clause, arm, way)
                else:
                    found.append(self._after(clause, way))
            if len(found) > _MOST_WAYS:
                raise CypherError(
                    f"more than {_MOST_WAYS} ways through the arms of its subqueries.", 1, 1, "ways"
                )
            ways = found
        return ways

    def _after(self, clause: Match | ProjectionClause | Unwind, reached: _Reached) -> _Reached:
        if isinstance(clause, Match):
            return self._matched(clause, reached)
        if isinstance(clause, ProjectionClause) and clause.final:
            return self._handed_on(clause, reached)
        if not reached.paths:  # binds no node yet: kept as it stands
            if isinstance(clause, Unwind):
                new, scope = [clause.variable], reached.scope
            else:
                new = [item.alias or item.expression.variable for item in clause.items]
                scope = reached.scope if clause.every else {}
            return replace(
                reached,
                texts=(*reached.texts, self._text(clause.start, clause.end, reached.scope)),
                scope=scope | {name: name for name in new},
                used=reached.used | set(new),
            )
        if isinstance(clause, Unwind):
            return replace(reached, over=True)
        after = self._handed_on(clause, reached)
        if after.over or clause.where < 0:
            return after
        condition = self._text(clause.where, clause.end, reached.scope)
        return replace(after, texts=(*after.texts, f"WITH * WHERE {condition.strip()}"))

    def _handed_on(self, clause: ProjectionClause, reached: _Reached) -> _Reached:
        if not clause.plain:
            return replace(reached, over=True)
        names = {item.expression.variable for item in clause.items}
        scope = {name: own for name, own in reached.scope.items() if clause.every or name in names}
        return replace(reached, scope=scope)

    def _matched(self, clause: Match, reached: _Reached) -> _Reached:
        scope, used = dict(reached.scope), reached.used
        for name in clause.variables:
            if name not in scope:  # one that was dropped before is another now
                scope[name] = self._fresh(name, used) if name in used else name
                used |= {scope[name]}
        paths, new = list(reached.paths), []
        for path in clause.paths:
            own = scope[path.variable] if path.variable else self._fresh("p", used)
            used |= {own}
            paths.append(own)
            new += [] if path.variable else [(path.start, f"{own} = ")]
        text = self._text(clause.start, clause.end, scope, new)
        return replace(
            reached, texts=(*reached.texts, text), scope=scope, used=used, paths=tuple(paths)
        )

    def _subquery(
        self, call: SubqueryClause, arm: tuple[Clause, ...], reached: _Reached
    ) -> list[_Reached]:
        first = arm[0]
        names: set[str] = set(call.imported or ())
        importing = (
            isinstance(first, ProjectionClause) and not first.final and call.imported is None
        )
        if importing and isinstance(first, ProjectionClause) and first.plain:
            names = {item.expression.variable for item in first.items}
            names |= set(reached.scope) if first.every else set()
            arm = arm[1:]
        scope = {name: own for name, own in reached.scope.items() if name in names}
        ways = self._followed(arm, replace(reached, scope=scope))
        return [replace(inner, scope=reached.scope | inner.scope) for inner in ways]

    def _text(
        self,
        start: int,
        end: int,
        scope: dict[str, str],
        new: list[tuple[int, str]] | None = None,
    ) -> str:
        """A part of the query, with its variables renamed and texts put in."""
        edits = [(at, at, text) for at, text in new or ()]
        edits += [
            (first, last, quoted_name(scope[name]))
            for first, last, name in self._statement.variables
            if start <= first < end and scope.get(name, name) != name
        ]
        return _edited(self._statement.text, start, end, edits)


@dataclass(frozen=True, slots=True)
class KeyedQuery:
    """A query with its keys.

    Attributes:
        text: The query; its last columns are the keys.
        keys: How many columns these are.
        first: Whether the query itself asks for the first row alone (LIMIT 1); then this one gives more.
    """

    text: str
    keys: int
    first: bool


def keyed_query(statement: Statement) -> KeyedQuery | None:
    """A query that returns what another one is sorted by, behind its columns.

    Rows with equal keys may come in any order, and of those that share the first place of a query for the
    greatest any one is right. Both show only if the keys are known.

    Args:
        statement: The query.

    Returns:
        None if its order is not asked for: no ORDER BY in the RETURN of a query without UNION.

    Example:
        >>> from rulemine.cypher.language.parser import parse
        >>> query = "MATCH (n:City) RETURN n.name ORDER BY n.population DESC LIMIT 1"
        >>> print(keyed_query(parse(query)).text)
        MATCH (n:City) RETURN n.name, n.population AS `key 0` ORDER BY n.population DESC LIMIT 10000
    """
    text, last = statement.text, statement.arms[-1][-1]
    if not statement.ordered or not isinstance(last, ProjectionClause):
        return None
    # Where columns are stated, their new names are not known.
    meant = {item.alias: f"({item.expression.text})" for item in last.items if item.alias}
    columns = ""
    for at, key in enumerate(last.order):
        begin, end = key.expression.start, key.expression.start + len(key.expression.text)
        edits = [row for row in statement.variables if begin <= row[0] < end and row[2] in meant]
        written = _edited(text, begin, end, [(a, b, meant[name]) for a, b, name in edits])
        columns += f", {written} AS {quoted_name(f'key {at}')}"
    first = last.skip is None and last.limit is not None and last.limit.parts[:1] == (1,)
    tail = (
        f"{text[last.sorting : last.limiting]}LIMIT {_TIES}"
        if first
        else text[last.sorting : last.end]
    )
    return KeyedQuery(f"{text[: last.sorting].rstrip()}{columns} {tail}", len(last.order), first)


def _edited(text: str, start: int, end: int, edits: Iterable[tuple[int, int, str]]) -> str:
    """A part of a text, with other texts put between some places of it."""
    found, place = "", start
    for first, last, put in sorted(set(edits)):
        found += text[place:first] + put
        place = last
    return found + text[place:end]
