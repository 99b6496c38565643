"""Expressions of Cypher as functions of a row.

What Neo4j finds wrong before it runs a query is found here, too: variables that are not there, functions that
are unknown, aggregates in the wrong place, and values whose kind is known and wrong.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, NoReturn

from rulemine.cypher.interpreter.operators import (
    ARITHMETIC,
    COMPARISONS,
    FUNCTIONS,
    at,
    get,
    sliced,
    truth,
    wrong,
)
from rulemine.cypher.interpreter.values import (
    EdgeValue,
    EvaluationError,
    NodeValue,
    RunLimits,
    StoredGraph,
    decided,
    kind_of,
)
from rulemine.cypher.language.expressions import AGGREGATES
from rulemine.cypher.language.syntax import Clause, PathElement, Term, UnsupportedError
from rulemine.cypher.language.tokens import place_of

__all__ = [
    "Arms",
    "Code",
    "Compiler",
    "Row",
    "Scope",
    "aggregated",
    "either",
    "item_kind",
    "list_kind",
]

Row = dict[str, Any]
"""Variable → value."""

Scope = Mapping[str, str]
"""Variable → the kind of its values, such as ``Node``, ``List<Node>``, ``Integer|Float``.

Empty: not known; ``property``: what a property may be.
"""

Arms = Sequence[Sequence[Clause]]

_STRUCTURES = frozenset(("Node", "Relationship", "Path", "Map"))


class Code(NamedTuple):
    """An expression that can be run.

    Attributes:
        run: Its value for a row.
        kind: The kind of its values, as in a scope.
    """

    run: Callable[[Row], Any]
    kind: str = ""


def either(kinds: Iterable[str]) -> str:
    """The kind of what may be of one of several kinds; null may be anything."""
    known = set(kinds)
    if known & {"", "Null"}:
        return ""
    if len(known) == 1:
        return known.pop()
    return "|".join(sorted({part for kind in known for part in kind.partition("<")[0].split("|")}))


def item_kind(kind: str) -> str:
    """The kind of a list's items."""
    return kind[5:-1] if kind.startswith("List<") else ""


def list_kind(kinds: Iterable[str]) -> str:
    """The kind of a list of items of some kinds; null may be anything."""
    known = set(kinds)
    return f"List<{known.pop()}>" if len(known) == 1 and not known & {"", "Null"} else "List"


def aggregated(thing: Any) -> Iterator[Term]:
    """The aggregating functions in an expression, but not in its subqueries."""
    if isinstance(thing, Term):
        if thing.kind == "call" and thing.parts[0] in AGGREGATES:
            yield thing
        elif thing.kind not in ("exists", "count", "collect"):
            yield from aggregated(thing.parts)
    elif isinstance(thing, tuple):
        for part in thing:
            yield from aggregated(part)


_NUMBER = "Integer Float"
_OPERANDS = {
    "||": ("String List", "String List"),
    "=~": ("String", "String"),
    "in": ("", "List"),
} | dict.fromkeys("-*/%^", (_NUMBER, _NUMBER))  # fmt: skip
"""Operator → the kinds of its operands."""


_METHODS = {
    "is null": "null",
    "is not null": "null",
    "minus": "signed",
    "plus": "signed",
    "or": "logical",
    "xor": "logical",
    "and": "logical",
    **dict.fromkeys((*ARITHMETIC, *COMPARISONS), "operator"),
    **dict.fromkeys(("all", "any", "none", "single"), "quantified"),
}
"""Kind of term → what is done with it, where that is called otherwise."""


class Compiler:
    """Makes functions of expressions; a method for each kind of term.

    Args:
        graph: The graph that is asked.
        limits: What the run may use.
        text: The query.
        query: What makes a function of the arms of a subquery that sees every variable.
        match: What makes a function of paths: the rows that they match for a row, and their scope.
    """

    def __init__(
        self,
        graph: StoredGraph,
        limits: RunLimits,
        text: str,
        query: Callable[[Arms, bool, Scope], Callable[[Row], Iterator[Row]]],
        match: Callable[
            [tuple[PathElement, ...], Term | None, Scope],
            tuple[Callable[[Row], Iterator[Row]], Scope],
        ],
    ) -> None:
        self.graph, self.limits, self.text = graph, limits, text
        self.query, self.match = query, match
        self._names = 0

    def fresh(self) -> str:
        """A name that no variable has."""
        self._names += 1
        return f"\0{self._names}"

    def fail(self, message: str, term: Term | None = None) -> NoReturn:
        """Refuses the query with the error that Neo4j gives before it runs it."""
        place = (
            "" if term is None else "line {}, column {}: ".format(*place_of(self.text, term.place))
        )
        raise EvaluationError("SyntaxError", place + message)

    def unsupported(self, what: str, place: int) -> NoReturn:
        """Refuses what the interpreter does not support."""
        raise UnsupportedError(f"{what}: not taken here.", *place_of(self.text, place))

    def check(self, code: Code, kinds: str, term: Term) -> Code:
        """Refuses an expression whose kind is known and none of some."""
        kind = code.kind.partition("<")[0]
        if not kinds or kind in ("", "Null"):
            return code
        allowed = kinds.split()
        for one in kind.split("|"):
            if one in allowed or (one == "property" and not _STRUCTURES.issuperset(allowed)):
                return code
        self.fail(f"a {kind} where {' or '.join(allowed)} is expected.", term)

    def condition(self, term: Term, scope: Scope) -> Callable[[Row], bool | None]:
        """A condition as a function."""
        code = self.path(term, scope) if term.kind == "path" else self.term(term, scope)
        run = self.check(code, "Boolean", term).run
        if term.kind in COMPARISONS or term.kind in ("is null", "is not null", "is", "exists"):
            return run
        return lambda row: truth(run(row))

    def labels(self, term: Term) -> Callable[[str], bool]:
        """What a label expression says of a node's only label, or an edge's type."""
        if term.kind == "label":
            name = term.parts[0]
            return lambda label: label == name
        if term.kind == "%":
            return lambda label: True
        inner = [self.labels(part) for part in term.parts]
        if term.kind == "!":
            return lambda label: not inner[0](label)
        test = all if term.kind == "&" else any
        return lambda label: test(one(label) for one in inner)

    def term(self, term: Term, scope: Scope) -> Code:
        """An expression as a function."""
        self.limits.step()
        name = "_" + _METHODS.get(term.kind, term.kind)
        made: Code = getattr(self, name)(term, scope)
        return made

    def _unknown(self, term: Term, _scope: Scope) -> Code:
        self.unsupported(term.parts[0], term.place)

    def _value(self, term: Term, _scope: Scope) -> Code:
        value = term.parts[0]
        return Code(lambda row: value, kind_of(value))

    def _parameter(self, term: Term, _scope: Scope) -> Code:
        raise EvaluationError("ParameterMissing", f"the parameter ${term.parts[0]} has no value.")

    def _variable(self, term: Term, scope: Scope) -> Code:
        name = term.parts[0]
        if name not in scope:
            self.fail(f"variable {name} is not defined.", term)
        return Code(lambda row: row[name], scope[name])

    def _list(self, term: Term, scope: Scope) -> Code:
        codes = [self.term(part, scope) for part in term.parts]
        runs = [code.run for code in codes]
        return Code(lambda row: [run(row) for run in runs], list_kind(code.kind for code in codes))

    def _map(self, term: Term, scope: Scope) -> Code:
        runs = [(key, self.term(part, scope).run) for key, part in term.parts]
        return Code(lambda row: {key: run(row) for key, run in runs}, "Map")

    def _project(self, term: Term, scope: Scope) -> Code:
        of, entries = term.parts
        run = self.check(self.term(of, scope), "Node Relationship Map", of).run
        keys: list[tuple[str, Any]] = [
            (key, name if key in ".*" else self.term(name, scope).run) for key, name in entries
        ]

        def projected(row: Row) -> Any:
            thing = run(row)
            if thing is None:
                return None
            if not isinstance(thing, dict | NodeValue | EdgeValue):
                raise wrong("project", thing)
            found: dict[str, Any] = {}
            for key, what in keys:
                if key == "*":
                    found |= thing if isinstance(thing, dict) else thing.properties
                elif key == ".":
                    found[what] = get(thing, what)
                else:
                    found[key] = what(row)
            return found

        return Code(projected, "Map")

    def _get(self, term: Term, scope: Scope) -> Code:
        of, name = term.parts
        code = self.check(self.term(of, scope), "Node Relationship Map Date Duration String", of)
        if code.kind == "String":
            self.fail("a String has no properties.", of)
        run = code.run
        if of.kind == "variable" and code.kind in ("Node", "Relationship"):
            variable = of.parts[0]

            def own(row: Row) -> Any:
                thing = row[variable]
                return None if thing is None else thing.properties.get(name)

            return Code(own, "property")
        known = code.kind in ("Node", "Relationship")
        kind = "property" if known else "Integer" if code.kind == "Date" else ""
        return Code(lambda row: get(run(row), name), kind)

    def _at(self, term: Term, scope: Scope) -> Code:
        of, index = term.parts
        code = self.check(self.term(of, scope), "List Map Node Relationship Date", of)
        key = self.term(index, scope)
        listed = code.kind.startswith("List")
        self.check(key, "Integer" if listed else "Integer String", index)
        if code.kind in ("Map", "Node", "Relationship"):
            self.check(key, "String", index)
        run, place = code.run, key.run
        return Code(lambda row: at(run(row), place(row)), item_kind(code.kind))

    def _slice(self, term: Term, scope: Scope) -> Code:
        code = self.check(self.term(term.parts[0], scope), "List", term.parts[0])
        of, kind = code.run, code.kind or "List"
        first, last = (
            (lambda row, _value=value: _value)
            if part is None
            else self.check(self.term(part, scope), "Integer", part).run
            for part, value in zip(term.parts[1:], (0, 2**62), strict=True)
        )
        return Code(lambda row: sliced(of(row), first(row), last(row)), kind)

    def _not(self, term: Term, scope: Scope) -> Code:
        run = self.condition(term.parts[0], scope)

        return Code(lambda row: None if (held := run(row)) is None else not held, "Boolean")

    def _null(self, term: Term, scope: Scope) -> Code:
        run, wanted = self.term(term.parts[0], scope).run, term.kind == "is null"
        return Code(lambda row: (run(row) is None) == wanted, "Boolean")

    def _signed(self, term: Term, scope: Scope) -> Code:
        code = self.check(self.term(term.parts[0], scope), _NUMBER, term.parts[0])
        run, subtract, add = code.run, ARITHMETIC["-"], ARITHMETIC["+"]
        if term.kind == "minus":
            return Code(lambda row: subtract(0, run(row)), code.kind)

        def plus(row: Row) -> Any:
            value = run(row)
            if isinstance(value, str | list | tuple | bool):
                raise wrong("add", value)
            return add(0, value)

        return Code(plus, code.kind)

    def _logical(self, term: Term, scope: Scope) -> Code:
        runs = [self._operand(part, scope) for part in term.parts]
        if term.kind == "xor":

            def xor(row: Row) -> bool | None:
                found: bool | None = False
                for run in runs:
                    value = run(row)
                    found = None if value is None or found is None else found != value
                return found

            return Code(xor, "Boolean")
        either_one = term.kind == "or"
        return Code(lambda row: decided((run(row) for run in runs), either_one), "Boolean")

    def _operand(self, term: Term, scope: Scope) -> Callable[[Row], bool | None]:
        """A condition that is joined with others."""
        run = self.condition(term, scope)

        def careful(row: Row) -> bool | None:
            try:
                return run(row)
            except EvaluationError:  # where it does not matter, Neo4j may not notice
                raise NotImplementedError(
                    "an operand of AND, OR or XOR that is no condition"
                ) from None

        return run if term.kind not in ("get", "at", "variable", "call", "case") else careful

    def _operator(self, term: Term, scope: Scope) -> Code:
        kinds = _OPERANDS.get(term.kind, ("", ""))
        first = self.term(term.parts[0], scope)
        codes = [first, *(self.term(part, scope) for part in term.parts[1:])]
        for number, (code, part) in enumerate(zip(codes, term.parts, strict=True)):
            self.check(code, kinds[number > 0], part)
        for one, other in pairwise(codes):
            self._check_sum(term, one.kind, other.kind)
        do = ARITHMETIC.get(term.kind) or COMPARISONS[term.kind]
        kind = "Boolean" if term.kind in COMPARISONS else _result(term.kind, codes)
        left = codes[0].run
        if len(codes) > 2:
            runs = [code.run for code in codes[1:]]

            def folded(row: Row) -> Any:
                value = left(row)
                for run in runs:
                    value = do(value, run(row))
                return value

            return Code(folded, kind)
        right = codes[1].run
        return Code(lambda row: do(left(row), right(row)), kind)

    def _check_sum(self, term: Term, one: str, other: str) -> None:
        """What may not be added, unless it is put into a list, or nothing is known of the other."""
        if term.kind != "+":
            return
        for kind, beside in ((one, other), (other, one)):
            open_ = beside in ("", "property", "Null") or "List" in kind + beside
            if kind in ("Boolean", "Date", "Node", "Relationship", "Path", "Map") and not open_:
                self.fail(f"a {one} and a {other} cannot be added.", term)

    def _is(self, term: Term, scope: Scope) -> Code:
        of, labels = term.parts
        run = self.check(self.term(of, scope), "Node Relationship", of).run
        holds = self.labels(labels)

        def labelled(row: Row) -> bool | None:
            thing = run(row)
            if thing is None:
                return None
            if not isinstance(thing, NodeValue | EdgeValue):
                raise wrong("see a label of", thing)
            return holds(thing.type)

        return Code(labelled, "Boolean")

    def _case(self, term: Term, scope: Scope) -> Code:
        subject, pairs, rest = term.parts
        otherwise = self.term(rest, scope) if rest else Code(lambda row: None, "Null")
        results = [self.term(result, scope) for _, result in pairs]
        kind = either(code.kind for code in (*results, *([otherwise] if rest else [])))
        runs = [code.run for code in results]
        if subject is None:
            tests = [self.condition(test, scope) for test, _ in pairs]
            choices = list(zip(tests, runs, strict=True))

            def chosen(row: Row) -> Any:
                return next((run for test, run in choices if test(row)), otherwise.run)(row)

            return Code(chosen, kind)
        of = self.term(subject, scope).run
        values = [self.term(value, scope).run for value, _ in pairs]
        same, options = COMPARISONS["="], list(zip(values, runs, strict=True))

        def switched(row: Row) -> Any:
            value = of(row)
            return next((run for own, run in options if same(value, own(row))), otherwise.run)(row)

        return Code(switched, kind)

    def items(self, term: Term, scope: Scope) -> tuple[Callable[[Row], Sequence[Any] | None], str]:
        """A list as a function, and the kind of its items; a single value is a list of one."""
        code = self.check(self.term(term, scope), "List", term)
        run = code.run

        def listed(row: Row) -> Sequence[Any] | None:
            found = run(row)
            return found if found is None or isinstance(found, list | tuple) else (found,)

        return listed, item_kind(code.kind)

    def _each(self, term: Term, scope: Scope) -> Code:
        name, items, where, result = term.parts
        listed, kind = self.items(items, scope)
        inner = {**scope, name: kind}
        test = self.condition(where, inner) if where else None
        made = self.term(result, inner) if result else None
        run = made.run if made else None
        counted = self.limits.counted

        def each(row: Row) -> list[Any] | None:
            some = listed(row)
            if some is None:
                return None
            own, found = dict(row), []
            for item in counted(some):
                own[name] = item
                if test is None or test(own):
                    found.append(item if run is None else run(own))
            return found

        return Code(each, list_kind([made.kind if made else kind]))

    def _quantified(self, term: Term, scope: Scope) -> Code:
        name, items, where = term.parts
        if where is None:
            self.fail(f"{term.kind}() needs WHERE.", term)
        listed, own_kind = self.items(items, scope)
        test = self.condition(where, {**scope, name: own_kind})
        counted, kind = self.limits.counted, term.kind

        def quantified(row: Row) -> bool | None:
            some = listed(row)
            if some is None:
                return None
            own, holds = dict(row), {True: 0, False: 0, None: 0}
            for item in counted(some):
                own[name] = item
                holds[test(own)] += 1
            if kind == "all":
                return False if holds[False] else None if holds[None] else True
            if kind == "single":
                return False if holds[True] > 1 else None if holds[None] else holds[True] == 1
            found = True if holds[True] else None if holds[None] else False
            return found if kind == "any" or found is None else not found

        return Code(quantified, "Boolean")

    def _reduce(self, term: Term, scope: Scope) -> Code:
        total, first, name, items, result = term.parts
        start, (listed, kind) = self.term(first, scope).run, self.items(items, scope)
        run = self.term(result, {**scope, total: "", name: kind}).run
        counted = self.limits.counted

        def reduced(row: Row) -> Any:
            some = listed(row)
            if some is None:
                return None
            own = dict(row)
            own[total] = start(row)
            for item in counted(some):
                own[name] = item
                own[total] = run(own)
            return own[total]

        return Code(reduced)

    def _call(self, term: Term, scope: Scope) -> Code:
        name, distinct, parts = term.parts
        if name in AGGREGATES:
            self.fail(f"{name}() may not stand here.", term)
        if name == "exists" and parts is not None and [part.kind for part in parts] == ["path"]:
            return self.path(parts[0], scope)
        if name == "coalesce" and parts and not distinct:
            codes = [self.term(part, scope) for part in parts]
            runs = [code.run for code in codes]
            return Code(
                lambda row: next((v for run in runs if (v := run(row)) is not None), None),
                either(code.kind for code in codes),
            )
        function = FUNCTIONS.get(name)
        if function is None or distinct or parts is None:
            if "." in name or name in _OTHERS:
                self.unsupported(f"{name}()", term.place)
            self.fail(f"there is no function {name}() that takes this.", term)
        least = len(function.takes) if function.least < 0 else function.least
        if not least <= len(parts) <= len(function.takes):
            self.fail(f"{name}() takes {len(function.takes)} arguments, not {len(parts)}.", term)
        codes = [
            self.check(self.term(part, scope), kinds, part)
            for part, kinds in zip(parts, function.takes, strict=False)
        ]
        allowed = [frozenset(kinds.split()) for kinds in function.takes]
        do, nulls = function.do, function.nulls

        def called(row: Row) -> Any:
            values = []
            for code, kinds in zip(codes, allowed, strict=False):
                value = code.run(row)
                if value is None and not nulls:
                    return None
                if kinds and kind_of(value) not in kinds:
                    raise EvaluationError("TypeError", f"{name}() takes no {kind_of(value)}.")
                values.append(value)
            return do(*values)

        kind = function.gives
        if name in ("head", "last"):
            kind = item_kind(codes[0].kind)
        elif name in ("tail", "reverse"):
            kind = codes[0].kind
        return Code(called, kind)

    def _path(self, term: Term, _scope: Scope) -> Code:
        self.fail("a path may only be tested for being there.", term)

    def path(self, term: Term, scope: Scope) -> Code:
        """Whether a path is there, as a function."""
        path: PathElement = term.parts[0]
        for thing in (*path.nodes, *path.relations):
            if thing.variable and thing.variable not in scope:
                self.fail(f"a path in a condition binds no new variable: {thing.variable}.", term)
        rows, _ = self.match((path,), None, scope)
        return Code(lambda row: next(rows(row), None) is not None, "Boolean")

    def _paths(self, term: Term, scope: Scope) -> Code:
        path, where, result = term.parts
        rows, inner = self.match((path,), where, scope)
        made = self.term(result, inner)
        run, counted = made.run, self.limits.counted
        return Code(lambda row: [run(own) for own in counted(rows(row))], list_kind([made.kind]))

    def _exists(self, term: Term, scope: Scope) -> Code:
        rows = self.query(term.parts[0], term.parts[1], scope)
        return Code(lambda row: next(rows(row), None) is not None, "Boolean")

    def _count(self, term: Term, scope: Scope) -> Code:
        rows = self.query(term.parts[0], term.parts[1], scope)
        return Code(lambda row: sum(1 for _ in rows(row)), "Integer")

    def _collect(self, term: Term, scope: Scope) -> Code:
        rows = self.query(term.parts[0], term.parts[1], scope)
        return Code(
            lambda row: [next(iter(own.values())) for own in self.limits.counted(rows(row))], "List"
        )


def _result(sign: str, codes: list[Code]) -> str:
    """The kind of a sum, a difference and so on."""
    kinds = {code.kind for code in codes}
    if sign == "^":
        return "Float"
    if kinds <= {"Integer", "Float"}:
        return "Float" if "Float" in kinds else "Integer"
    if sign not in ("+", "||"):
        return "Integer|Float|Date|Duration"
    lists = {kind for kind in kinds if kind.startswith("List")}
    if lists:
        return lists.pop() if lists == kinds and len(lists) == 1 else "List"
    return "String" if kinds <= {"String", "Integer", "Float"} else "property"


_OTHERS = frozenset((
    "acos", "asin", "atan", "atan2", "cos", "cosh", "cot", "coth", "degrees", "haversin", "isnan", "pi",
    "radians", "sin", "sinh", "tan", "tanh", "e", "exp", "datetime", "duration", "localdatetime",
    "localtime", "time", "timestamp", "rand", "randomuuid", "point", "valuetype", "normalize",
    "tobooleanlist", "tobooleanornull", "tofloatlist", "tofloatornull", "tointegerlist", "tointegerornull",
    "tostringlist", "tostringornull", "linenumber", "file", "vector",
))  # fmt: skip
"""Functions of Neo4j that are not supported here."""
