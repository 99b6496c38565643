"""Paths of Cypher: nodes, relations and their labels, as trees."""

from abc import ABC, abstractmethod

from rulemine.cypher.language.syntax import NodePattern, PathElement, RelationPattern, Term
from rulemine.cypher.language.tokens import Tokens

__all__ = ["PathSyntax"]

_LARGEST = 2**63


class PathSyntax(Tokens, ABC):
    """Reads paths.

    Args:
        text: The query.
    """

    @abstractmethod
    def term(self) -> Term:
        """Reads an expression as a tree."""

    @abstractmethod
    def atom(self) -> Term:
        """Reads an operand alone."""

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
        self.need("(")
        if self.peek("("):
            self.unsupported("paths in parentheses are not read")
        variable, labels, _, properties, where = self.filled()
        self.need(")")
        if self.peek("("):
            self.unsupported("paths in parentheses are not read")
        return NodePattern(variable, labels, properties, where)

    def relation(self) -> RelationPattern:
        """Reads a relation with its dashes."""
        left = self.take("<")
        self.need("-")
        variable, labels, length, properties, where = "", None, None, None, None
        if self.take("["):
            variable, labels, length, properties, where = self.filled(related=True)
            self.need("]")
        self.need("-")
        direction = self.take(">") - left
        if self.peek("+") or self.peek("*") or self.peek("{"):
            self.unsupported("quantified relationships are not read")
        return RelationPattern(variable, labels, properties, where, direction, length)

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
