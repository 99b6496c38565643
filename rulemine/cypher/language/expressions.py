"""Expressions and paths of Cypher, as trees, with the variables in them noted.

They are taken a little more freely than Neo4j does, which has the last word on them.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TypeVar

from rulemine.cypher.language.syntax import (
    Clause,
    CypherError,
    Expression,
    NodePattern,
    PathElement,
    RelationPattern,
    Term,
)
from rulemine.cypher.language.tokens import RESERVED, Tokens

__all__ = ["AGGREGATES", "Expressions", "unescaped"]

_LARGEST = 2**63

_CONSTANTS = {
    "TRUE": True, "FALSE": False, "NULL": None, "NAN": float("nan"),
} | dict.fromkeys(("INF", "INFINITY"), float("inf"))  # fmt: skip


AGGREGATES = frozenset(
    [
        "avg",
        "collect",
        "count",
        "max",
        "min",
        "percentilecont",
        "percentiledisc",
        "stdev",
        "stdevp",
        "sum",
    ]
)

_T = TypeVar("_T")

_LEVELS = {
    "OR": 1, "XOR": 2, "AND": 3,
    "=": 5, "<>": 5, "<": 5, "<=": 5, ">": 5, ">=": 5,
    "=~": 6, "IN": 6, "STARTS": 6, "ENDS": 6, "CONTAINS": 6, "IS": 6, "::": 6,
    "+": 7, "-": 7, "||": 7, "*": 8, "/": 8, "%": 8, "^": 9,
}  # fmt: skip
"""How strongly operators bind; NOT has 4."""

_NOT, _COMPARED, _TESTED = 4, 5, 6

_ESCAPE = re.compile(r"\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{8})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


class Expressions(Tokens, ABC):
    """Reads expressions, and paths: nodes, relations and their labels.

    Args:
        text: The query.
    """

    @abstractmethod
    def subquery(self) -> tuple[tuple[tuple[Clause, ...], ...], bool]:
        """Reads what stands in EXISTS { }: a query, or a pattern with a condition; as its arms."""

    def expression(self) -> Expression:
        """Reads an expression."""
        start = self.here.start
        term = self.term()
        variable = term.parts[0] if term.kind == "variable" else ""
        text = self.text[start : self.end]
        return Expression(start, text, "" if text.startswith("(") else variable, term)

    def term(self) -> Term:
        """Reads an expression as a tree."""
        return self.deeper(lambda: self.operands(0))

    def operands(self, least: int) -> Term:
        """Reads operands and the operators between them that bind at least so strongly."""
        place = self.here.start
        if least <= _NOT and self.take("NOT"):
            negated = 1
            while self.take("NOT"):
                negated += 1
            found = self.operands(_COMPARED)
            for _ in range(negated):
                found = Term("not", (found,), place)
        else:
            found = self.operand()
        most = max(_LEVELS.values())
        while True:
            token = self.here
            sign = token.word or (token.text if token.kind == "sign" else "")
            level = _LEVELS.get(sign, -1)
            if level < least or level > most:
                return found
            most = level - (level == _TESTED)
            self.at += 1
            if level == _COMPARED:
                found = self.compared(found, sign)
            elif sign in ("IS", "::"):
                found = self.tested(found, sign)
            else:
                if sign in ("STARTS", "ENDS"):
                    self.need("WITH")
                other = self.operands(level + 1)
                kind = sign.lower()
                parts = found.parts if found.kind == kind and level < _NOT else (found,)
                found = Term(kind, (*parts, other), place)

    def compared(self, first: Term, sign: str) -> Term:
        """Reads the rest of ``a < b <= c``, which says ``a < b AND b <= c``."""
        pairs = []
        while True:
            second = self.operands(_TESTED)
            pairs.append(Term(sign, (first, second), first.place))
            if self.here.kind != "sign" or _LEVELS.get(self.here.text) != _COMPARED:
                return pairs[0] if len(pairs) == 1 else Term("and", tuple(pairs), pairs[0].place)
            first, sign = second, self.here.text
            self.at += 1

    def tested(self, operand: Term, sign: str) -> Term:
        """Reads what stands behind IS."""
        negated = sign == "IS" and self.take("NOT")
        if sign == "::" or self.take("::") or self.take("TYPED"):
            self.one_or_more(lambda: self.name("a type"), "|")
            self.take("NOT", "NULL")
            return Term("unknown", ("tests of types",), operand.place)
        if self.here.word in ("NFC", "NFD", "NFKC", "NFKD", "NORMALIZED"):
            self.at += not self.peek("NORMALIZED")
            self.need("NORMALIZED")
            return Term("unknown", ("IS NORMALIZED",), operand.place)
        self.need("NULL")
        return Term("is not null" if negated else "is null", (operand,), operand.place)

    def operand(self) -> Term:
        """Reads an operand with its sign, properties and indices."""
        place = self.here.start
        if self.take("-"):
            if self.here.kind == "number" and not self.peek(".", ahead=1):
                value = self.number(negative=True)
                return Term("value", (value, type(value)), place)
            return Term("minus", (self.read_on(self.atom()),), place)
        if self.take("+"):
            return Term("plus", (self.read_on(self.atom()),), place)
        return self.read_on(self.atom())

    def read_on(self, found: Term) -> Term:
        """Reads the properties, indices and labels behind an operand."""
        while True:
            place = self.here.start
            if self.take("."):
                found = Term("get", (found, self.name("a property")), found.place)
            elif self.take("["):
                first = None if self.peek("..") else self.term()
                if self.take(".."):
                    last = None if self.peek("]") else self.term()
                    found = Term("slice", (found, first, last), place)
                else:
                    found = Term("at", (found, first), place)
                self.need("]")
            elif self.peek(":") and self.labelled():
                self.at += 1
                # in [x IN y WHERE x:A | x.b] the bar ends the condition
                found = Term("is", (found, self.labels(bars=not self.listed)), place)
            else:
                return found

    def labelled(self) -> bool:
        """Whether a label expression follows a colon."""
        following = self.tokens[self.at + 1]
        return following.kind in ("name", "quoted") or self.peek(":", "!") or self.peek(":", "(")

    def atom(self) -> Term:
        """Reads an operand alone."""
        token, place = self.here, self.here.start
        if token.kind == "string":
            self.at += 1
            return Term("value", (unescaped(token.text[1:-1]), str), place)
        if token.kind == "number":
            value = self.number()
            return Term("value", (value, type(value)), place)
        if token.kind == "parameter":
            self.at += 1
            return Term("parameter", (token.text[1:],), place)
        if self.peek("("):
            path = self.tried(self.related)
            if path is not None:
                return Term("path", (path,), place)
            self.at += 1
            found = self.term()
            self.need(")")
            return found
        if self.take("["):
            return self.list(place)
        if self.peek("{"):
            return self.map()
        if not self.named() or (token.word in RESERVED and not self.declared(token.text)):
            self.expected("an expression")
        if token.word == "CASE" and not self.peek(".", ahead=1):
            self.at += 1
            return self.cases(place)
        if token.word in ("EXISTS", "COUNT", "COLLECT") and self.peek("{", ahead=1):
            self.at += 2
            arms = self.deeper(self.subquery)
            self.need("}")
            return Term(token.word.lower(), arms, place)
        if token.word in _CONSTANTS:
            self.at += 1
            constant = _CONSTANTS[token.word]
            return Term("value", (constant, type(constant)), place)
        called = self.function()
        if called is not None:
            return called
        variable = Term("variable", (self.variable(),), place)
        return self.map(of=variable) if self.peek("{") else variable

    def tried(self, read: Callable[[], _T]) -> _T | None:
        """Reads something if it is there."""
        key = read.__name__, self.at
        if key in self.absent:  # else nested ones take exponential time
            return None
        state = self.at, len(self.variables), self.depth, self.listed
        bound, self.bound = self.bound, []
        try:
            return read()
        except CypherError:
            self.absent.add(key)
            self.at, number, self.depth, self.listed = state
            del self.variables[number:]
            return None
        finally:
            self.bound = bound

    def related(self) -> PathElement:
        """Reads a path with at least one relation."""
        start = self.here.start
        nodes, relations = self.chain()
        if not relations:
            self.expected("a relation")
        return PathElement(start, "", nodes, relations)

    def list(self, place: int) -> Term:
        """Reads the rest of a list or of a comprehension."""
        if self.take("]"):
            return Term("list", (), place)
        comprehension = self.tried(self.comprehension)
        if comprehension is not None:
            return comprehension
        if self.named() and self.peek("IN", ahead=1):
            self.listed += 1
            name, items, where = self.within()
            self.listed -= 1
            result = self.term() if self.take("|") else None
            found = Term("each", (name, items, where, result), place)
        else:
            found = Term("list", tuple(self.one_or_more(self.term)), place)
        self.need("]")
        return found

    def comprehension(self) -> Term:
        """The rest of ``[(n)-->(m) WHERE … | m.name]``."""
        start, variable = self.here.start, ""
        if self.named() and self.peek("=", ahead=1):
            variable = self.variable()
            self.at += 1
        path = self.related()
        self.listed += 1
        where = self.term() if self.take("WHERE") else None
        self.listed -= 1
        self.need("|")
        result = self.term()
        self.need("]")
        path = PathElement(start, variable, path.nodes, path.relations)
        return Term("paths", (path, where, result), start)

    def map(self, *, of: Term | None = None) -> Term:
        """Reads a map; as a projection of a variable, also ``.name`` and variables."""
        place = self.here.start
        self.need("{")

        def entry() -> tuple[str, str | Term | None]:
            if of is not None and self.take("."):
                return ("*", None) if self.take("*") else (".", self.name("a property"))
            if of is not None and not self.peek(":", ahead=1):
                start, name = self.here.start, self.variable()
                return name, Term("variable", (name,), start)
            name = self.name("a key")
            self.need(":")
            return name, self.term()

        entries = () if self.peek("}") else tuple(self.one_or_more(entry))
        self.need("}")
        return Term("map", entries, place) if of is None else Term("project", (of, entries), place)

    def cases(self, place: int) -> Term:
        """Reads the rest of CASE."""
        subject = None if self.peek("WHEN") else self.term()
        pairs = []
        self.need("WHEN")
        while True:
            if subject is not None and (self.here.text in _LEVELS or self.peek("IS")):
                self.unsupported("operators behind WHEN are not read")
            wanted = self.one_or_more(self.term)
            self.need("THEN")
            result = self.term()
            pairs += [(one, result) for one in wanted]
            if not self.take("WHEN"):
                break
        rest = self.term() if self.take("ELSE") else None
        self.need("END")
        return Term("case", (subject, tuple(pairs), rest), place)

    def function(self) -> Term | None:
        """Reads a function with its arguments, if one is there."""
        last, place = self.at, self.here.start
        names = ("name", "quoted")
        while self.tokens[last + 1].text == "." and self.tokens[last + 2].kind in names:
            last += 2
        if not self.peek("(", ahead=last + 1 - self.at):
            return None
        parts = [token.text for token in self.tokens[self.at : last + 1]]
        name = "".join(part.strip("`") for part in parts).lower()
        self.at = last + 2
        if self.take(")"):
            return Term("call", (name, False, ()), place)
        if self.take("*", ")"):
            return Term("call", (name, False, None), place)
        found = None
        if name in ("shortestpath", "allshortestpaths"):
            self.tried(self.related)
            found = Term("unknown", ("shortest paths",), place)
        elif name == "reduce":
            total = self.variable()
            self.need("=")
            first = self.term()
            self.need(",")
            item, items, _ = self.within()
            self.need("|")
            found = Term("reduce", (total, first, item, items, self.term()), place)
        elif name in ("all", "any", "none", "single") and self.peek("IN", ahead=1):
            found = Term(name, self.within(), place)
        else:
            distinct = self.take("DISTINCT")
            found = Term("call", (name, distinct, tuple(self.one_or_more(self.term))), place)
        self.need(")")
        return found

    def within(self) -> tuple[str, Term, Term | None]:
        """Reads ``x IN list WHERE condition``."""
        name = self.variable(new=True)
        self.need("IN")
        return name, self.term(), self.term() if self.take("WHERE") else None

    def path(self) -> PathElement:
        """Reads a path of a MATCH."""
        start, variable = self.here.start, ""
        if self.named() and self.peek("=", ahead=1):
            variable = self.variable()
            self.bound.append(variable)
            self.need("=")
        shortest = self.here.word in ("SHORTESTPATH", "ALLSHORTESTPATHS")
        if shortest:
            self.at += 1
            self.need("(")
        elif self.here.word in ("SHORTEST", "ANY", "ALL"):
            self.unsupported("SHORTEST, ANY and ALL paths are not read")
        nodes, relations = self.chain()
        if shortest:
            self.need(")")
        return PathElement(start, variable, nodes, relations, shortest)

    def chain(self) -> tuple[tuple[NodePattern, ...], tuple[RelationPattern, ...]]:
        """Nodes and the relations between them."""
        nodes, relations = [self.node()], []
        while self.peek("-") or self.peek("<", "-"):
            relations.append(self.relation())
            nodes.append(self.node())
        return tuple(nodes), tuple(relations)

    def node(self) -> NodePattern:
        """Reads a node, in parentheses."""
        start = self.here.start
        self.need("(")
        if self.peek("("):
            self.unsupported("paths in parentheses are not read")
        variable, labels, _, properties, where = self.filled()
        self.need(")")
        if self.peek("("):
            self.unsupported("paths in parentheses are not read")
        return NodePattern(start, self.end, variable, labels, properties, where)

    def relation(self) -> RelationPattern:
        """Reads a relation with its dashes."""
        start, left = self.here.start, self.take("<")
        self.need("-")
        variable, labels, length, properties, where = "", None, None, None, None
        if self.take("["):
            variable, labels, length, properties, where = self.filled(related=True)
            self.need("]")
        self.need("-")
        direction = self.take(">") - left
        if self.peek("+") or self.peek("*") or self.peek("{"):
            self.unsupported("quantified relationships are not read")
        filled = variable, labels, properties, where
        return RelationPattern(start, self.end, *filled, direction, length)

    def filled(
        self, *, related: bool = False
    ) -> tuple[str, Term | None, tuple[int, int | None] | None, Term | None, Term | None]:
        """What stands within a node or a relation."""
        variable, labels, length, properties = "", None, None, None
        if self.named() and self.here.word not in ("IS", "WHERE"):
            variable = self.variable(new=True)
            self.bound.append(variable)
        if self.take(":") or self.take("IS"):
            labels = self.labels(related=related)
        if related and self.take("*"):
            if labels is not None and not _plain(labels):
                self.fail("types of several relations may only be joined by |.", self.end)
            least = self.count()
            if self.take(".."):
                length = 1 if least is None else least, self.count()
            else:
                length = (1, None) if least is None else (least, least)
        if self.peek("{") or self.here.kind == "parameter":
            properties = self.atom()
        where = self.term() if self.take("WHERE") else None
        return variable, labels, length, properties, where

    def count(self) -> int | None:
        """Reads a number of relations, if one is there."""
        if self.here.kind != "number":
            return None
        found = self.number()
        if not isinstance(found, int):
            self.fail("a whole number expected.", self.end)
        return found

    def number(self, *, negative: bool = False) -> int | float:
        """Takes a number; gives its negative if asked to."""
        text, place = self.here.text.replace("_", ""), self.here.start
        self.at += 1
        if text[:2] in ("0x", "0o"):
            whole = int(text, 0)
        elif not text.isdigit():
            return -float(text) if negative else float(text)
        else:
            whole = int(text)
        if whole >= _LARGEST + negative:
            self.fail("integer is too large.", place)
        return -whole if negative else whole

    def labels(self, *, bars: bool = True, related: bool = False) -> Term:
        """Reads labels or types with ``& | !``; without bars, a bar ends them."""
        place, found = self.here.start, [self.labels_together()]
        while bars and (self.take("|", ":") or self.take("|")):
            self.signed |= not related
            found.append(self.labels_together())
        return found[0] if len(found) == 1 else Term("|", tuple(found), place)

    def labels_together(self) -> Term:
        """Reads labels of which all must be there."""
        place, found = self.here.start, [self.label()]
        while self.peek("&") or self.peek(":"):
            self.signed |= self.peek("&")
            self.joined |= self.peek(":")
            self.at += 1
            found.append(self.label())
        if self.signed and self.joined:
            self.unsupported("A:B beside labels with & | ! % is not read", place)
        return found[0] if len(found) == 1 else Term("&", tuple(found), place)

    def label(self) -> Term:
        """Reads one label."""
        place = self.here.start
        self.signed |= self.peek("!") or self.peek("%")
        if self.take("!"):
            return Term("!", (self.deeper(self.label),), place)
        if self.take("("):
            found = self.deeper(self.labels)
            self.need(")")
            return found
        if self.take("%"):
            return Term("%", (), place)
        return Term("label", (self.name("a label or type"),), place)


def _plain(types: Term) -> bool:
    return types.kind == "label" or (types.kind == "|" and all(map(_plain, types.parts)))


def unescaped(text: str) -> str:
    """The text that a string stands for."""

    def read(found: re.Match[str]) -> str:
        code = found[1] or found[2]
        return chr(int(code, 16)) if code else _ESCAPED.get(found[3], found[3])

    return _ESCAPE.sub(read, text)
