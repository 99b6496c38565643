"""Reads SPARQL into query trees; rdflib parses.

Read are SELECT queries for one variable, of triple patterns, paths of ``/ ^ |``, groups, UNION, MINUS,
VALUES and sub-SELECTs; what `rulemine.query.sparql.to_sparql` writes gives the same tree again. FILTER NOT
EXISTS is a difference as MINUS is, and only COUNT(DISTINCT) is a count: COUNT(?x) counts derivations.
Literals are constants, as entities are. The answer variable becomes the root, constants the anchors, each
triple pattern an atom; branches at a variable are an intersection.

Guarantees: variables keep no names in the tree, so the order and the names in a pattern do not matter;
nothing is dropped: anything else is refused by its name, and a pattern that is no tree with the reason.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple
from urllib.parse import unquote

from rulemine.errors import NoTreeError, QueryError
from rulemine.query.foreign.sparql_parsing import parse_strictly
from rulemine.query.tree import Anchor, Count, Difference, Intersection, Projection, Query, Union

__all__ = ["Translation", "tree_of_algebra", "tree_of_sparql", "tree_with_limits"]

Rename = Callable[[Any], str]

Node = str | Anchor
"""A variable, by its name, or a constant."""


class Translation(NamedTuple):
    """A query of another language as a tree.

    Attributes:
        query: The tree.
        dropped: What the tree lacks of it, one entry each, in the order met.
    """

    query: Query
    dropped: tuple[str, ...]


def tree_of_sparql(text: str) -> Query:
    """The tree of a SPARQL query.

    Args:
        text: The query, of up to 20,000 characters and 1,000 words. IRIs ``entity:…`` and ``relation:…`` are
            names, percent-encoded; others are names as they are.

    Raises:
        NoTreeError: It was parsed, but is no tree, or has what trees lack.
        BarredQueryError: See `rulemine.query.foreign.sparql_parsing.parse_strictly`.
        QueryError: It is no SPARQL, or too long, too deep or too large.

    Example:
        >>> tree_of_sparql("SELECT ?x { <e:a> <r:s>/<r:t> ?x }")
        <query (p "r:t" (p "r:s" "e:a"))>
        >>> tree_of_sparql("SELECT ?x { <a> <r> ?x FILTER NOT EXISTS { <b> <r> ?x } }")
        <query (minus (p "r" "a") (p "r" "b"))>
    """
    return tree_of_algebra(parse_strictly(text))


def tree_of_algebra(algebra: Any) -> Query:
    """The tree of a query that was parsed strictly; as `tree_of_sparql`."""
    return _read(_Reader(), algebra).query


def tree_with_limits(algebra: Any) -> Translation:
    """As `tree_of_algebra`, without a LIMIT of the whole and FILTERs that are of ``!=`` alone.

    What is dropped may change the answers, which is for the caller to see.
    """
    return _read(_Reader(spares=True), algebra)


def _read(reader: "_Reader", algebra: Any) -> Translation:
    try:
        return reader.read(algebra)
    except RecursionError:
        raise QueryError("query: nested too deep to be read. Ask less at once.") from None


class TriplePattern(NamedTuple):
    """A triple pattern; its relation is a constant."""

    subject: Node
    relation: str
    target: Node


@dataclass
class Pattern:
    """Patterns that must hold together.

    Attributes:
        triples: Triple patterns.
        unions: Of each of these alternatives, one must hold.
        taken: None of these may hold.
        values: Variables with the constants that they may be.
    """

    triples: list[TriplePattern] = field(default_factory=list)
    unions: "list[list[Pattern]]" = field(default_factory=list)
    taken: "list[Pattern]" = field(default_factory=list)
    values: list[tuple[str, Query]] = field(default_factory=list)

    def join(self, other: "Pattern") -> None:
        """Adds what another pattern has."""
        self.triples += other.triples
        self.unions += other.unions
        self.taken += other.taken
        self.values += other.values

    def variables(self) -> set[str]:
        """All its variables, without those of `taken` alone."""
        found = {node for t in self.triples for node in (t[0], t[2]) if isinstance(node, str)}
        found.update(*(arm.variables() for arms in self.unions for arm in arms))
        return found.union(variable for variable, _ in self.values)

    def tree(self, root: str, below: Mapping[str, Query] | None = None) -> Query:
        """The tree of what a variable can be.

        Args:
            root: The variable.
            below: Trees of other variables, built from what surrounds this pattern.

        Raises:
            NoTreeError: The pattern is no tree.
            QueryError: The tree is too deep or too large.
        """
        return _Builder(self, root, below or {}).tree()


class _Select(NamedTuple):
    """A SELECT taken apart: variables, ``AS``, aggregates by their result, qualifiers, the pattern."""

    variables: list[Any]
    named: dict[Any, Any]
    aggregates: dict[Any, Any]
    kinds: list[str]
    body: Any


class _Reader:
    def __init__(self, *, spares: bool = False) -> None:
        self._spares = spares
        self._dropped: list[str] = []
        self._numbers = count(1)

    def read(self, whole: Any) -> Translation:
        algebra = whole.algebra
        if algebra.name != "SelectQuery":
            raise NoTreeError(f"a {algebra.name.removesuffix('Query').upper()} query")
        if algebra.datasetClause:
            raise _refused("FROM")
        select = _taken_apart(algebra.p)
        answer, counts = _answer(select)
        if self._spares and "LIMIT" in select.kinds:
            select.kinds.remove("LIMIT")
            self._dropped.append("LIMIT")
        _check(select)
        tree = self._pattern(select.body, _name).tree(_name(answer))
        return Translation(Count(tree) if counts else tree, tuple(self._dropped))

    def _pattern(self, node: Any, rename: Rename) -> Pattern:
        pattern = Pattern()
        name = node.name
        if name == "BGP":
            for subject, path, target in node.triples:
                self._path(pattern, _node(subject, rename), path, _node(target, rename))
        elif name == "Join":
            pattern.join(self._pattern(node.p1, rename))
            pattern.join(self._pattern(node.p2, rename))
        elif name == "Union":
            arms = [node.p2]
            while (node := node.p1).name == "Union":
                arms.append(node.p2)
            pattern.unions.append([self._pattern(arm, rename) for arm in (node, *reversed(arms))])
        elif name == "Minus":
            pattern.join(self._pattern(node.p1, rename))
            self._take(pattern, node.p2, rename)  # SPARQL takes nothing away if none is shared
        elif name == "Filter":
            pattern.join(self._pattern(node.p, rename))
            absent = _absent(node.expr)
            for graph in absent:
                self._take(pattern, graph, rename)
            if self._spares and _is_unequal(node.expr):
                self._dropped.append("FILTER !=")
            elif not absent:
                raise _refused("FILTER")
        elif name == "ToMultiSet" and node.p.name == "values":
            pattern.values += _values(node.p.res, rename)
        elif name == "ToMultiSet":
            pattern.join(self._sub_select(_taken_apart(node.p), rename))
        else:
            raise NoTreeError(_REFUSED.get(name, name))
        return pattern

    def _take(self, pattern: Pattern, graph: Any, rename: Rename) -> None:
        """Takes away what another pattern gives, by MINUS or NOT EXISTS."""
        taken = self._pattern(graph, rename)
        if not taken.variables() & pattern.variables():
            raise NoTreeError("a MINUS that does not share exactly one variable")
        pattern.taken.append(taken)

    def _sub_select(self, select: _Select, rename: Rename) -> Pattern:
        if select.aggregates:
            raise NoTreeError("a sub-SELECT that aggregates")
        number = next(self._numbers)
        outer = {select.named.get(v, v): rename(v) for v in select.variables}

        def inner(variable: Any) -> str:
            return outer.get(variable) or f"{_name(variable)}/{number}"

        _check(select)
        return self._pattern(select.body, inner)

    def _path(self, pattern: Pattern, subject: Node, path: Any, target: Node) -> None:
        from rdflib import URIRef
        from rdflib.paths import AlternativePath, InvPath, MulPath, SequencePath

        if isinstance(path, URIRef):
            name = str(path)
            if name.startswith("relation:"):
                name = unquote(name.removeprefix("relation:"))
            pattern.triples.append(TriplePattern(subject, name, target))
        elif isinstance(path, InvPath):
            self._path(pattern, target, path.arg, subject)
        elif isinstance(path, SequencePath):
            ends = [subject, *(f"?/{next(self._numbers)}" for _ in path.args[1:]), target]
            for start, step, end in zip(ends, path.args, ends[1:], strict=False):
                self._path(pattern, start, step, end)
        elif isinstance(path, AlternativePath):
            arms = [Pattern() for _ in path.args]
            for arm, step in zip(arms, path.args, strict=True):
                self._path(arm, subject, step, target)
            pattern.unions.append(arms)
        elif _is_variable(path):
            raise NoTreeError("a variable in place of a relation")
        else:
            raise NoTreeError(f"a path with {path.mod if isinstance(path, MulPath) else '!'}")


_REFUSED = {
    "LeftJoin": "an OPTIONAL",
    "Graph": "a GRAPH",
    "ServiceGraphPattern": "a SERVICE",
    "Extend": "a BIND",
    "AggregateJoin": "an aggregate",
}
"""Name in the algebra → what the tree cannot have; other names stand for themselves."""


def _taken_apart(node: Any) -> _Select:
    select = _Select([], {}, {}, [], None)
    while True:
        if node.name == "Project":
            select.variables.extend(node.PV)
        elif node.name == "Slice":
            select.kinds.extend(
                ["LIMIT"] * (node.length is not None) + ["OFFSET"] * bool(node.start)
            )
        elif node.name == "OrderBy":
            select.kinds.append("ORDER BY")
        elif node.name == "Extend":
            select.named[node.var] = node.expr
        elif node.name == "AggregateJoin":
            select.aggregates.update((a.res, a) for a in node.A)
        elif node.name == "Group":
            if node.expr:
                select.kinds.append("GROUP BY")
        elif node.name == "Filter" and node.p.name in ("Extend", "AggregateJoin"):
            select.kinds.append("FILTER")
        elif node.name not in ("Distinct", "Reduced"):
            return select._replace(body=node)
        node = node.p


def _check(select: _Select) -> None:
    """Refuses what narrows or orders the answers, and what is computed.

    Raises:
        NoTreeError: There is such a thing.
    """
    for kind in select.kinds:
        raise _refused(kind)
    unused = select.named.keys() - set(select.variables)
    if unused or not all(map(_is_variable, select.named.values())):
        raise NoTreeError("a BIND")


def _refused(kind: str) -> NoTreeError:
    return NoTreeError(f"a{'n' * (kind[0] in 'AEIOU')} {kind}")


def _absent(expression: Any) -> list[Any]:
    """The patterns that an expression says are absent; none if it says anything else."""
    name = getattr(expression, "name", "")
    if name == "ConditionalAndExpression":
        some = [_absent(part) for part in (expression.expr, *expression.other)]
        return [graph for graphs in some for graph in graphs] if all(some) else []
    return [expression.graph] if name == "Builtin_NOTEXISTS" else []


def _is_unequal(expression: Any) -> bool:
    """Whether an expression says of variables and names that they differ, and nothing else."""
    from rdflib import URIRef

    if getattr(expression, "name", "") == "ConditionalAndExpression":
        return all(map(_is_unequal, (expression.expr, *expression.other)))
    if getattr(expression, "name", "") != "RelationalExpression" or expression.op != "!=":
        return False
    ends = (expression.expr, expression.other)
    return all(_is_variable(end) or isinstance(end, URIRef) for end in ends)


def _answer(select: _Select) -> tuple[Any, bool]:
    """The variable asked for, and whether it is counted."""
    if len(select.variables) != 1:
        raise NoTreeError("several answer variables")
    answer = select.variables[0]
    answer = select.named.get(answer, answer)
    if not _is_variable(answer):
        raise NoTreeError("an answer that is computed")
    aggregate = select.aggregates.get(answer)
    if aggregate is None:
        return answer, False
    kind = aggregate.name.removeprefix("Aggregate_")
    if kind == "Count" and _is_variable(aggregate.vars) and "GROUP BY" not in select.kinds:
        if not aggregate.distinct:  # which counts derivations, not entities
            raise NoTreeError("a COUNT without DISTINCT")
        return aggregate.vars, True
    if kind != "Sample":  # of the variable that the answers are grouped by
        raise NoTreeError(f"an aggregate as the answer: {kind.upper()}")
    return aggregate.vars, False


def _values(rows: list[dict[Any, Any]], rename: Rename) -> Iterator[tuple[str, Query]]:
    variables = {variable for row in rows for variable in row}
    constants = [value for row in rows for value in row.values()]
    if len(variables) != 1 or len(constants) != len(rows) or "UNDEF" in constants:
        raise NoTreeError("a VALUES of several variables, or without values")
    yield rename(variables.pop()), Union.of(Anchor(_constant(value)) for value in constants)


def _is_variable(term: Any) -> bool:
    from rdflib import BNode, Variable

    return isinstance(term, BNode | Variable)


def _name(variable: Any) -> str:
    return f"?{variable}"


def _node(term: Any, rename: Rename) -> Node:
    return rename(term) if _is_variable(term) else Anchor(_constant(term))


def _constant(term: Any) -> str:
    """The name of an entity; a literal as SPARQL writes it."""
    from rdflib import Literal

    if isinstance(term, Literal):
        return str(term.n3())
    name = str(term)
    return unquote(name.removeprefix("entity:")) if name.startswith("entity:") else name


class _Branch(NamedTuple):
    """A triple pattern, or a union, and the variables by which it is joined to the rest."""

    variables: frozenset[str]
    what: "TriplePattern | list[Pattern]"


class _Builder:
    def __init__(self, pattern: Pattern, root: str, below: Mapping[str, Query]) -> None:
        self._root = root
        self._parts: dict[str, list[Query]] = {variable: [tree] for variable, tree in below.items()}
        for variable, tree in pattern.values:
            self._parts.setdefault(variable, []).append(tree)
        self._unions = pattern.unions
        self._taken = pattern.taken
        triples = dict.fromkeys(pattern.triples)
        branches = [_Branch(_variables(triple), triple) for triple in triples]
        self._branches = [*branches, *self._joined_unions(branches)]

    def tree(self) -> Query:
        reached = self._check()
        taken: dict[str, list[Pattern]] = {}
        for pattern in self._taken:
            shared = pattern.variables() & reached
            if len(shared) != 1:
                raise NoTreeError("a MINUS that does not share exactly one variable")
            taken.setdefault(shared.pop(), []).append(pattern)
        self._taken_at = taken
        return self._tree(self._root)

    def _joined_unions(self, branches: list[_Branch]) -> Iterator[_Branch]:
        inside = [set().union(*(arm.variables() for arm in arms)) for arms in self._unions]
        outside = {self._root, *self._parts}.union(*(branch.variables for branch in branches))
        for i, arms in enumerate(self._unions):
            others = outside.union(*inside[:i], *inside[i + 1 :])
            yield _Branch(frozenset(inside[i] & others), arms)

    def _check(self) -> set[str]:
        """Checks that all hangs together without a cycle; the variables of it."""
        reached, left = {self._root}, self._branches
        while near := [branch for branch in left if branch.variables & reached]:
            reached.update(*(branch.variables for branch in near))
            left = [branch for branch in left if branch not in near]
        if left or set(self._parts) - reached:
            raise NoTreeError("patterns that are not connected with the answer")
        loops = any(isinstance(b.what, TriplePattern) and b.what[0] == b.what[2]
                    for b in self._branches)  # fmt: skip
        if loops or sum(len(b.variables) - 1 for b in self._branches) >= len(reached):
            raise NoTreeError("a cycle")
        return reached

    def _tree(self, variable: str) -> Query:
        """The tree of a variable, from the branches that were not used on the way to it."""
        parts = self._parts.get(variable, [])[:]
        here = [branch for branch in self._branches if variable in branch.variables]
        self._branches = [branch for branch in self._branches if branch not in here]
        for joined, what in here:
            if isinstance(what, TriplePattern):
                inverse = what.subject == variable
                end = what.target if inverse else what.subject
                of = self._tree(end) if isinstance(end, str) else end
                parts.append(Projection(what.relation, inverse, of))
            else:
                parts.append(self._union(variable, joined, what))
        if not parts:
            raise NoTreeError(
                "no entity is named"
                if variable == self._root
                else "a variable that leads to no entity"
            )
        query = Intersection.of(parts)
        for taken in self._taken_at.get(variable, ()):
            query = Difference(query, taken.tree(variable))
        return query

    def _union(self, variable: str, joined: frozenset[str], arms: list[Pattern]) -> Query:
        if not all(joined <= arm.variables() for arm in arms):
            raise NoTreeError("a UNION whose parts use different variables")
        below = {v: self._tree(v) for v in sorted(joined - {variable})}
        return Union.of(arm.tree(variable, below) for arm in arms)


def _variables(triple: TriplePattern) -> frozenset[str]:
    return frozenset(end for end in (triple.subject, triple.target) if isinstance(end, str))
