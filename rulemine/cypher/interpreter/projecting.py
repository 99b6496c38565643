"""WITH and RETURN: columns, groups and their aggregates, order, limits and conditions."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from itertools import islice
from operator import itemgetter
from typing import Any, TypeVar

from rulemine.cypher.interpreter.compiler import Compiler, Row, Scope, aggregated, list_kind
from rulemine.cypher.interpreter.matching import names_in
from rulemine.cypher.interpreter.values import EvaluationError, fits, grouped, kind_of, sorting_key
from rulemine.cypher.language.syntax import Expression, ProjectionClause, Term

__all__ = ["Projector", "distinct"]


class Gathered:
    """The values of an aggregating function in one group; null is left out.

    Args:
        name: The function, in lower case.
        distinct: Whether equal values count once.
    """

    __slots__ = ("_distinct", "_name", "_number", "_seen", "_values")

    def __init__(self, name: str, distinct: bool) -> None:
        self._name, self._distinct, self._number = name, distinct, 0
        self._seen: set[Any] = set()
        self._values: list[Any] = []

    def add(self, value: Any) -> None:
        """Adds a value."""
        if value is None:
            return
        if self._distinct:
            key = grouped(value)
            if key in self._seen:
                return
            fits(len(self._seen))
            self._seen.add(key)
        self._number += 1
        if self._name == "count":
            return
        if self._name in ("min", "max") and self._values:
            least = sorting_key(value) < sorting_key(self._values[0])
            if least == (self._name == "min"):
                self._values = [value]
            return
        fits(len(self._values))
        self._values.append(value)

    def result(self, share: Any = None) -> Any:
        """What the function gives.

        Args:
            share: Of percentiles: which.
        """
        if self._name == "count":
            return self._number
        if self._name in _OF_NUMBERS:
            for value in self._values:
                if type(value) not in (int, float):
                    raise EvaluationError("TypeError", f"{self._name}() of a {kind_of(value)}.")
            return _OF_NUMBERS[self._name](self._values, share)
        if self._name == "collect":
            return list(self._values)
        return self._values[0] if self._values else None  # the least, or the greatest


def _sum(values: Sequence[Any]) -> int | float:
    total: int | float = 0
    for value in values:
        total += value
        if type(total) is int and not -(2**63) <= total < 2**63:
            total = float(total)
    return total


def _deviation(values: Sequence[Any], *, sample: bool) -> float:
    if len(values) < 2:
        return 0.0
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - sample))


def _percentile(values: Sequence[Any], share: Any, *, between: bool) -> Any:
    """A percentile; one that falls between two values is between them, or else the one below it."""
    if not values:
        return None
    if type(share) not in (int, float) or not 0 <= share <= 1:
        raise EvaluationError("ArgumentError", "a percentile is a number from 0 to 1.")
    values = sorted(values)
    if between:
        place = float(share) * (len(values) - 1)
        low, high = values[math.floor(place)], values[math.ceil(place)]
        if place == math.floor(place):
            return low
        return low * (math.ceil(place) - place) + high * (place - math.floor(place))
    place = share * len(values)
    at = int(place) - (place > 0 and place == int(place))
    return values[min(at, len(values) - 1)]


_OF_NUMBERS: dict[str, Callable[[Sequence[Any], Any], Any]] = {
    "sum": lambda values, _: _sum(values),
    "avg": lambda values, _: math.fsum(values) / len(values) if values else None,
    "stdev": lambda values, _: _deviation(values, sample=True),
    "stdevp": lambda values, _: _deviation(values, sample=False),
    "percentilecont": lambda values, share: _percentile(values, share, between=True),
    "percentiledisc": lambda values, share: _percentile(values, share, between=False),
}


_Rows = Iterator[Row]
_T = TypeVar("_T")


def distinct(
    rows: Iterable[_T], columns: Sequence[str], of: Callable[[_T], Any] = lambda row: row
) -> Iterator[_T]:
    """The rows, or what has them, without those whose columns all equal those of one before."""
    seen: set[Any] = set()
    for one in rows:
        row = of(one)
        key = tuple(grouped(row[name]) for name in columns)
        if key not in seen:
            seen.add(key)
            fits(len(seen))
            yield one


class Projector:
    """Makes a function of a WITH or RETURN.

    Args:
        compiler: What makes functions of expressions.
        clause: The clause.
        before: The variables that are bound before.

    Attributes:
        scope: The variables that are bound then, in order: the columns.
    """

    def __init__(self, compiler: Compiler, clause: ProjectionClause, before: Scope) -> None:
        self._compiler, self._clause, self._before = compiler, clause, before
        self._items = self._columns()
        self._keys = [(name, term) for name, term in self._items if not any(aggregated(term))]
        self._groups = len(self._keys) < len(self._items)
        self._gathering: list[Term] = []
        self._hidden: Scope = {}
        self._runs: list[tuple[str, Callable[[Row], Any]]] = []
        if self._groups:
            scope, self._make = self._grouping()
        else:
            self._behind()
            codes = [(name, compiler.term(term, before)) for name, term in self._items]
            scope = {name: code.kind for name, code in codes}
            runs = self._runs = [(name, code.run) for name, code in codes]
            self._make = lambda rows: (
                (row, {name: run(row) for name, run in runs}) for row in rows
            )
        # WITH of every variable as it is: rows pass.
        named = {
            name for name, term in self._items if term.kind == "variable" and term.parts == (name,)
        }
        self._passes = not clause.final and named == set(before) and len(named) == len(self._items)
        self.scope: Scope = scope

    def _columns(self) -> list[tuple[str, Term]]:
        clause, fail = self._clause, self._compiler.fail
        found = [(name, Term("variable", (name,))) for name in sorted(self._before) if clause.every]
        if clause.every and clause.final and not self._before:
            fail("RETURN * without any variable.")
        for item in clause.items:
            name = item.alias or _own_name(item.expression) or item.expression.text * clause.final
            if not name:
                fail("an expression in WITH needs a name: AS.", item.expression.term)
            found.append((name, item.expression.term))
        if len({name for name, _ in found}) < len(found):
            fail("two columns have the same name.")
        return found

    def _grouping(self) -> tuple[Scope, Callable[[Iterable[Row]], Iterator[tuple[Row, Row]]]]:
        compiler, before = self._compiler, self._before
        keys = [(name, compiler.term(term, before)) for name, term in self._keys]
        scope = {name: "" for name, _ in self._items} | {name: code.kind for name, code in keys}
        later = [(name, term) for name, term in self._items if any(aggregated(term))]
        # In such a column, what is no aggregate must be a key: a variable, or a property of one.
        simple = {term: f"\0{name}" for name, term in self._keys if _simple(term)}
        inner = {f"\0{name}": code.kind for name, code in keys}
        whole = {term.parts[0] for _, term in self._keys if term.kind == "variable"}
        rewritten = []
        for name, term in later:
            one = self._replaced(term, simple)
            loose = (names_in(one) & before.keys()) - whole - _bound_inside(one)
            if loose:
                compiler.fail(f"{sorted(loose)[0]} is neither grouped by nor aggregated.", term)
            rewritten.append((name, one))
        self._behind()
        gathered = [self._gathered(term) for term in self._gathering]
        self._hidden = {f"\0a{number}": kind for number, (_, kind) in enumerate(gathered)}
        held = {**{name: before[name] for name in whole}, **inner, **self._hidden}
        runs = [(name, compiler.term(term, held)) for name, term in rewritten]
        scope |= {name: code.kind for name, code in runs}
        makers = [maker for maker, _ in gathered]

        def make(rows: Iterable[Row]) -> Iterator[tuple[Row, Row]]:
            groups: dict[Any, tuple[list[Any], list[Any]]] = {}
            firsts = [code.run for _, code in keys]
            for row in rows:
                values = [run(row) for run in firsts]
                key = tuple(map(grouped, values))
                group = groups.get(key)
                if group is None:
                    fits(len(groups))
                    group = groups[key] = values, [maker() for maker in makers]
                for add, _ in group[1]:
                    add(row)
            if not keys and not groups:
                groups[()] = [], [maker() for maker in makers]
            for values, own in groups.values():
                row = {f"\0{name}": value for (name, _), value in zip(keys, values, strict=True)}
                row |= {f"\0a{number}": result() for number, (_, result) in enumerate(own)}
                for (_, term), value in zip(self._keys, values, strict=True):
                    if term.kind == "variable":
                        row[term.parts[0]] = value
                new = {name: row[f"\0{name}"] for name, _ in keys}
                new |= {name: code.run(row) for name, code in runs}
                yield row, {name: new[name] for name, _ in self._items}

        return scope, make

    def _behind(self) -> None:
        """Reads ORDER BY and WHERE."""
        self._orders = [self._rewritten(key.expression.term) for key in self._clause.order]
        condition = self._clause.condition
        self._conditions = [] if condition is None else [self._rewritten(condition)]

    def _gathered(self, term: Term) -> tuple[Callable[[], Any], str]:
        """What makes a group's own pair: add a row, return the result."""
        name, only, parts = term.parts
        step = self._compiler.limits.step
        if parts is None:
            if name != "count":
                self._compiler.fail(f"{name}(*) is no function.", term)

            def counting() -> Any:
                number = 0

                def add(_row: Row) -> None:
                    nonlocal number
                    step()
                    number += 1

                return add, lambda: number

            return counting, "Integer"
        wanted = 2 if name.startswith("percentile") else 1
        if len(parts) != wanted:
            self._compiler.fail(f"{name}() takes {wanted} arguments, not {len(parts)}.", term)
        if any(aggregated(parts)):
            self._compiler.fail("an aggregate within an aggregate.", term)
        codes = [self._compiler.term(part, self._before) for part in parts]
        numeric = name not in ("count", "collect", "min", "max")
        self._compiler.check(codes[0], "Integer Float" * numeric, parts[0])
        run, share = codes[0].run, codes[-1].run

        def gathering() -> Any:
            own, last = Gathered(name, only), Row()

            def add(row: Row) -> None:
                nonlocal last
                step()
                own.add(run(row))
                last = row

            return add, lambda: own.result(share(last) if wanted == 2 and last else None)

        kind = "Integer|Float|Duration" if numeric else codes[0].kind
        return gathering, {"count": "Integer", "collect": list_kind([kind])}.get(name, kind)

    def _replaced(self, term: Any, known: dict[Term, str]) -> Any:
        """A term with aggregates, and terms that are known, as variables."""
        if isinstance(term, tuple):
            return tuple(self._replaced(part, known) for part in term)
        if not isinstance(term, Term):
            return term
        if term in known:
            return Term("variable", (known[term],), term.place)
        if self._groups and next(aggregated(term), None) is term:
            if term not in self._gathering:
                self._gathering.append(term)
            return Term("variable", (f"\0a{self._gathering.index(term)}",), term.place)
        return Term(term.kind, self._replaced(term.parts, known), term.place)

    def _rewritten(self, term: Term) -> Term:
        """A term behind the columns: what equals a column is the column."""
        columns = {own: name for name, own in self._items if own.kind != "value"}
        found: Term = self._replaced(term, columns)
        return found

    def prepared(self) -> Callable[[Iterable[Row]], _Rows]:
        """The function: from rows to rows of the columns."""
        clause, compiler = self._clause, self._compiler
        if self._groups or clause.distinct:
            scope: Scope = {**self._hidden, **self.scope}
        else:
            scope = {**self._before, **self.scope}
        for term in (*self._orders, *self._conditions):
            if any(aggregated(term)):
                compiler.fail("an aggregate, where no column has one.", term)
        orders = [
            (compiler.term(term, scope).run, key.descending)
            for term, key in zip(self._orders, clause.order, strict=True)
        ]
        tests = [compiler.condition(term, scope) for term in self._conditions]
        skip, limit = self._number(clause.skip), self._number(clause.limit)
        make, columns = self._make, [name for name, _ in self._items]
        plain = not orders and not tests
        counted = compiler.limits.counted
        every_row = not (self._groups or clause.distinct or orders or skip) and limit is None

        def run(rows: Iterable[Row]) -> _Rows:
            if every_row and self._passes:
                return reduce(lambda some, test: filter(test, some), tests, iter(rows))
            if every_row and plain:
                return ({name: run(row) for name, run in self._runs} for row in rows)
            pairs: Iterator[tuple[Row, Row]] = make(rows)
            if clause.distinct:
                pairs = distinct(pairs, columns, itemgetter(1))
            if plain:
                return _some((new for _, new in pairs), skip, limit)
            both = ({**old, **new} for old, new in pairs)
            if orders:
                kept = list(counted(both))
                for key, descending in reversed(orders):
                    _sort(kept, key, descending)
                both = iter(kept)  # type: ignore[assignment]
            some: _Rows = _some(both, skip, limit)
            return (
                {name: row[name] for name in columns}
                for row in some
                if all(test(row) for test in tests)
            )

        return run

    def _number(self, term: Term | None) -> int | None:
        """The number of SKIP or LIMIT."""
        if term is None:
            return None
        if names_in(term):
            self._compiler.fail("SKIP and LIMIT take no variables.", term)
        value = self._compiler.check(self._compiler.term(term, {}), "Integer", term).run({})
        if type(value) is not int or value < 0:
            raise EvaluationError("ArgumentError", f"SKIP or LIMIT {value}: no number of rows.")
        return value


def _own_name(column: Expression) -> str:
    """The name of a column that is a variable, or a map of one."""
    projected = column.term.kind == "project"
    return str(column.term.parts[0].parts[0]) if projected else column.variable


def _simple(term: Term) -> bool:
    return term.kind == "variable" or (term.kind == "get" and _simple(term.parts[0]))


def _bound_inside(term: Any) -> set[str]:
    """The variables that comprehensions of a term bind themselves."""
    found: set[str] = set()
    if isinstance(term, tuple):
        for part in term:
            found |= _bound_inside(part)
    elif isinstance(term, Term):
        if term.kind in ("each", "all", "any", "none", "single"):
            found.add(term.parts[0])
        if term.kind == "reduce":
            found |= {term.parts[0], term.parts[2]}
        found |= _bound_inside(term.parts)
    return found


def _some(rows: _Rows, skip: int | None, limit: int | None) -> _Rows:
    return islice(rows, skip or 0, None if limit is None else (skip or 0) + limit)


def _sort(rows: list[Row], key: Callable[[Row], Any], descending: bool) -> None:
    values = [key(row) for row in rows]
    kinds = {kind_of(value) for value in values} - {"Null"}
    numbers = kinds <= {"Integer", "Float"} and not any(value != value for value in values)
    if numbers or (len(kinds) == 1 and kinds <= {"String", "Date", "Boolean"}):
        keys = [(value is None, 0 if value is None else value) for value in values]
    else:
        keys = [sorting_key(value) for value in values]
    order = sorted(range(len(rows)), key=keys.__getitem__, reverse=descending)
    rows[:] = [rows[at] for at in order]
