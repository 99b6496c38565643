"""Operators, properties and indices as functions of a row."""

from abc import ABC
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from rulemine.cypher.interpreter.code import Code, ExpressionCode, Row, Scope, item_kind
from rulemine.cypher.interpreter.operators import ARITHMETIC, COMPARISONS, at, get, sliced, wrong
from rulemine.cypher.interpreter.values import EdgeValue, EvaluationError, NodeValue
from rulemine.cypher.language.syntax import Term

__all__ = ["Operations"]

_NUMBER = "Integer Float"
_OPERANDS = {
    "||": ("String List", "String List"),
    "=~": ("String", "String"),
    "in": ("", "List"),
} | dict.fromkeys("-*/%^", (_NUMBER, _NUMBER))  # fmt: skip
"""Operator → the kinds of its operands."""


class Operations(ExpressionCode, ABC):
    """Makes functions of operators, properties and indices; a method for each kind of term."""

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

        def negated(row: Row) -> bool | None:
            value = run(row)
            return None if value is None else not value

        return Code(negated, "Boolean")

    def _null(self, term: Term, scope: Scope) -> Code:
        run = self.term(term.parts[0], scope).run
        if term.kind == "is null":
            return Code(lambda row: run(row) is None, "Boolean")
        return Code(lambda row: run(row) is not None, "Boolean")

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
        decisive = term.kind == "or"

        def joined(row: Row) -> bool | None:
            found: bool | None = not decisive
            for run in runs:
                value = run(row)
                if value is decisive:
                    return decisive
                if value is None:
                    found = None
            return found

        return Code(joined, "Boolean")

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
        left = codes[0].run
        if len(codes) > 2:
            runs = [code.run for code in codes[1:]]

            def folded(row: Row) -> Any:
                value = left(row)
                for run in runs:
                    value = do(value, run(row))
                return value

            return Code(
                folded, "Boolean" if term.kind in COMPARISONS else _result(term.kind, codes)
            )
        right = codes[1].run
        kind = "Boolean" if term.kind in COMPARISONS else _result(term.kind, codes)
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
