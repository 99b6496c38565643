"""Patterns and expressions of Cypher: recognized, with the variables in them noted.

They are taken a little more freely than Neo4j does, which has the last word on them.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable

from rulemine.cypher.syntax import CypherError, Expression, PathElement
from rulemine.cypher.tokens import RESERVED, Tokens

__all__ = ["AGGREGATES", "Expressions"]

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
_SIGNS = frozenset(["+", "-", "*", "/", "%", "^", "=", "<>", "<", ">", "<=", ">=", "=~", "||"])
_WORDS = frozenset(("AND", "OR", "XOR", "IN", "CONTAINS"))


class Expressions(Tokens, ABC):
    """Reads patterns and expressions.

    Args:
        text: The query.
    """

    @abstractmethod
    def subquery(self) -> None:
        """Reads what stands in EXISTS { }: a query, or a pattern with a condition."""

    def path(self) -> PathElement:
        """Reads a path of a MATCH."""
        start, variable = self.here.start, ""
        if self.named() and self.peek("=", ahead=1):
            variable = self.variable()
            self.bound.append(variable)
            self.need("=")
        if self.here.word in ("SHORTESTPATH", "ALLSHORTESTPATHS"):
            self.at += 1
            self.need("(")
            self.chain()
            self.need(")")
        else:
            self.chain()
        return PathElement(start, variable)

    def chain(self) -> int:
        """Nodes and the relations between them; how many relations."""
        self.node()
        number = 0
        while self.peek("-") or self.peek("<", "-"):
            self.relation()
            self.node()
            number += 1
        return number

    def node(self) -> None:
        """Reads a node, in parentheses."""
        self.need("(")
        self.filled()
        self.need(")")

    def relation(self) -> None:
        """Reads a relation with its dashes."""
        self.take("<")
        self.need("-")
        if self.take("["):
            self.filled(related=True)
            self.need("]")
        self.need("-")
        self.take(">")

    def filled(self, *, related: bool = False) -> None:
        """What stands within a node or a relation."""
        if self.named() and self.here.word not in ("IS", "WHERE"):
            self.bound.append(self.variable())
        if self.take(":") or self.take("IS"):
            self.labels()
        if related and self.take("*"):
            self.number()
            if self.take(".."):
                self.number()
        if self.peek("{"):
            self.map()
        elif self.here.kind == "parameter":
            self.at += 1
        if self.take("WHERE"):
            self.expression()

    def number(self) -> None:
        """Reads a number, if one is there."""
        self.at += self.here.kind == "number"

    def labels(self, *, bars: bool = True) -> None:
        """Reads labels or types with ``& | !``; without bars, a bar ends them."""
        while True:
            while self.take("!"):
                pass
            if self.take("("):
                self.deeper(self.labels)
                self.need(")")
            elif not self.take("%"):
                self.name("a label or type")
            if bars and (self.take("|", ":") or self.take("|")):
                continue
            if not (self.take("&") or self.take(":")):
                return

    def expression(self) -> Expression:
        """Reads an expression."""
        start, first, seen = self.here.start, self.at, self.aggregates
        self.deeper(self.operands)
        token = self.tokens[first]
        single = self.at == first + 1 and token.kind in ("name", "quoted")
        variable = "" if not single else token.text if token.kind == "name" else token.text[1:-1]
        if variable.lower() in ("true", "false", "null") and token.kind == "name":
            variable = ""
        return Expression(self.text[start : self.end], variable, self.aggregates > seen)

    def operands(self) -> None:
        """Reads operands and the operators between them."""
        self.operand()
        while True:
            token = self.here
            if token.word in _WORDS or (token.kind == "sign" and token.text in _SIGNS):
                self.at += 1
            elif not (self.take("STARTS", "WITH") or self.take("ENDS", "WITH")):
                if not self.take("IS"):
                    return
                self.take("NOT")
                if self.take("::") or self.take("TYPED"):
                    self.one_or_more(lambda: self.name("a type"), "|")
                    self.take("NOT", "NULL")
                else:
                    self.take("NFC")
                    if not self.take("NORMALIZED"):
                        self.need("NULL")
                continue
            self.operand()

    def operand(self) -> None:
        """Reads an operand with its signs, properties and indices."""
        while self.take("NOT") or self.take("-") or self.take("+"):
            pass
        self.atom()
        while True:
            if self.take("."):
                self.name("a property")
            elif self.take("["):
                if not self.peek(".."):
                    self.expression()
                if self.take("..") and not self.peek("]"):
                    self.expression()
                self.need("]")
            elif self.peek(":") and self.labelled():
                self.at += 1
                self.labels(
                    bars=not self.listed
                )  # in [x IN y WHERE x:A | x.b] the bar ends the condition
            else:
                return

    def labelled(self) -> bool:
        """Whether a label expression follows a colon."""
        following = self.tokens[self.at + 1]
        return following.kind in ("name", "quoted") or self.peek(":", "!") or self.peek(":", "(")

    def atom(self) -> None:
        """Reads an operand alone."""
        token = self.here
        if token.kind in ("string", "number", "parameter"):
            self.at += 1
        elif self.peek("("):
            if not self.tried(self.related):
                self.at += 1
                self.expression()
                self.need(")")
        elif self.take("["):
            self.list()
        elif self.peek("{"):
            self.map()
        elif not self.named() or token.word in RESERVED:
            self.expected("an expression")
        elif token.word == "CASE":
            self.at += 1
            self.cases()
        elif token.word in ("EXISTS", "COUNT", "COLLECT") and self.peek("{", ahead=1):
            self.at += 2
            self.deeper(self.subquery)
            self.need("}")
        elif token.word in ("TRUE", "FALSE", "NULL"):
            self.at += 1
        elif not self.function():
            self.variable()
            if self.peek("{"):
                self.map(projection=True)

    def tried(self, read: Callable[[], object]) -> bool:
        """Reads something if it is there."""
        key = read.__name__, self.at
        if key in self.absent:  # else nested ones take exponential time
            return False
        state = self.at, len(self.variables), self.aggregates, self.depth, self.listed
        bound, self.bound = self.bound, []
        try:
            read()
        except CypherError:
            self.absent.add(key)
            self.at, number, self.aggregates, self.depth, self.listed = state
            del self.variables[number:]
            return False
        finally:
            self.bound = bound
        return True

    def related(self) -> None:
        """Reads a path with at least one relation."""
        if not self.chain():
            self.expected("a relation")

    def list(self) -> None:
        """Reads the rest of a list or of a comprehension."""
        if self.take("]"):
            return
        if self.tried(self.comprehension):
            return
        if self.named() and self.peek("IN", ahead=1):
            self.listed += 1
            self.within()
            self.listed -= 1
            if self.take("|"):
                self.expression()
        else:
            self.one_or_more(self.expression)
        self.need("]")

    def comprehension(self) -> None:
        """The rest of ``[(n)-->(m) WHERE … | m.name]``."""
        if self.named() and self.peek("=", ahead=1):
            self.at += 2
        self.related()
        self.listed += 1
        if self.take("WHERE"):
            self.expression()
        self.listed -= 1
        self.need("|")
        self.expression()
        self.need("]")

    def map(self, *, projection: bool = False) -> None:
        """Reads a map; as a projection, also ``.name`` and variables."""
        self.need("{")
        if self.take("}"):
            return

        def entry() -> None:
            if projection and self.take("."):
                if not self.take("*"):
                    self.name("a property")
            elif projection and not self.peek(":", ahead=1):
                self.variable()
            else:
                self.name("a key")
                self.need(":")
                self.expression()

        self.one_or_more(entry)
        self.need("}")

    def cases(self) -> None:
        """Reads the rest of CASE."""
        if not self.peek("WHEN"):
            self.expression()
        self.need("WHEN")
        while True:
            self.one_or_more(self.expression)
            self.need("THEN")
            self.expression()
            if not self.take("WHEN"):
                break
        if self.take("ELSE"):
            self.expression()
        self.need("END")

    def function(self) -> bool:
        """Reads a function with its arguments; whether one is there."""
        last = self.at
        names = ("name", "quoted")
        while self.tokens[last + 1].text == "." and self.tokens[last + 2].kind in names:
            last += 2
        following = self.tokens[last + 1]
        if following.kind != "sign" or following.text != "(":
            return False
        name = self.text[self.here.start : self.tokens[last].end].lower()
        self.at = last + 2
        self.aggregates += name in AGGREGATES
        if self.take(")") or self.take("*", ")"):
            return True
        if name in ("shortestpath", "allshortestpaths"):
            self.tried(self.related)
        elif name == "reduce":
            self.variable()
            self.need("=")
            self.expression()
            self.need(",")
            self.within()
            self.need("|")
            self.expression()
        elif name in ("all", "any", "none", "single") and self.peek("IN", ahead=1):
            self.within()
        else:
            self.take("DISTINCT")
            self.one_or_more(self.expression)
        self.need(")")
        return True

    def within(self) -> None:
        """Reads ``x IN list WHERE condition``."""
        self.variable()
        self.need("IN")
        self.expression()
        if self.take("WHERE"):
            self.expression()
