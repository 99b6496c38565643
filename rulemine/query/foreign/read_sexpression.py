"""Reads S-expressions, as GrailQA has them, into query trees; see `rulemine.query.foreign.pattern`.

``(JOIN r X)`` is a projection to subjects, ``(JOIN (R r) X)`` one to objects, ``AND`` an intersection and
``OR`` a union. Qualifiers: ``lt le gt ge`` with what they compare, ``ARGMAX ARGMIN`` and WebQSP's ``TC``
with what they compare by, and a class beside ``AND`` or below ``COUNT ARGMAX ARGMIN TC``. A name below
``JOIN`` is an entity or a literal, both constants; elsewhere only one that begins with ``m.`` or ``g.`` is.
"""

import re
from collections.abc import Collection
from typing import Any

from rulemine.errors import NoTreeError, QueryError, did_you_mean
from rulemine.query.foreign.pattern import TYPE_RELATIONS, Translation
from rulemine.query.tree import (
    MOST_DEPTH,
    Anchor,
    Count,
    Intersection,
    Projection,
    Query,
    Union,
)

__all__ = ["tree_of_sexpression"]

_WORD = re.compile(r'\s*([()]|"(?:[^"\\]|\\.)*"(?:\^\^[^\s()]+)?|[^\s()"]+|\Z|")', re.DOTALL)

_UNCLOSED = {"": "a closing parenthesis", '"': "a closing double quote"}

_ENTITY = re.compile(r"[mg]\.")
"""How a machine id of Freebase begins."""

_OPERANDS = {
    **dict.fromkeys(("JOIN", "lt", "le", "gt", "ge", "ARGMAX", "ARGMIN"), 2),
    "AND": None,
    "OR": None,
    "COUNT": 1,
    "TC": 3,
}
"""Operator → number of operands; None: two or more."""


def tree_of_sexpression(text: str, types: Collection[str] = TYPE_RELATIONS) -> Translation:
    """The tree of an S-expression.

    Args:
        text: The expression.
        types: The relations that lead from an entity to its class; ``(JOIN r class)`` is dropped.

    Raises:
        NoTreeError: Nothing is left of it without qualifiers.
        QueryError: It is no such expression, or too deep or too large.

    Example:
        >>> tree_of_sexpression("(AND film.film (JOIN film.film.directed_by m.03_gd))")
        Translation(query=<query (p- "film.film.directed_by" "m.03_gd")>, dropped=('type',))
    """
    reader = _Reader(types)
    query = reader.query(_parsed(text))
    if query is None:
        raise NoTreeError("no entity is named")
    return Translation(query, tuple(reader.dropped))


def _parsed(text: str) -> Any:
    """The expression as nested lists of its words."""
    whole: list[Any] = []
    lists = [whole]
    for match in _WORD.finditer(text):
        word, expected = match[1], ""
        if len(lists) == 1:
            expected = "the end" if whole else "" if word == "(" else "an opening parenthesis"
            if whole and not word:
                break
        elif word in _UNCLOSED:
            expected = _UNCLOSED[word]
        if expected or len(lists) > MOST_DEPTH:
            found = f"found {word[:40] or 'the end'}, expected {expected}."
            deep = f"nested more than {MOST_DEPTH} deep. Ask less at once."
            raise QueryError(f"query: column {match.start(1) + 1}: {found if expected else deep}")
        if word == "(":
            lists[-1].append([])
            lists.append(lists[-1][-1])
        elif word == ")":
            lists.pop()
        else:
            lists[-1].append(word)
    return whole[0]


class _Reader:
    def __init__(self, types: Collection[str]) -> None:
        self._types = types
        self.dropped: list[str] = []

    def query(self, node: Any) -> Query | None:
        """The tree of an operand; None where qualifiers alone restrict it."""
        if isinstance(node, str):
            if _ENTITY.match(node):
                return Anchor(node)
            self.dropped.append("type")
            return None
        operator, operands = self._checked(node)
        if operator == "JOIN":
            return self._projection(*operands)
        if operator == "COUNT":
            counted = self.query(operands[0])
            return None if counted is None else Count(counted)
        if operator not in ("AND", "OR"):
            self.dropped.append(operator)
            return None if operator.islower() else self.query(operands[0])
        parts = [self.query(operand) for operand in operands]
        found = [part for part in parts if part is not None]
        if operator == "OR" and len(found) < len(parts):
            raise NoTreeError("a part of OR that names no entity")
        if not found:
            return None
        return Intersection.of(found) if operator == "AND" else Union.of(found)

    def _checked(self, node: list[Any]) -> tuple[str, list[Any]]:
        """Operator and operands."""
        operator = node[0] if node and isinstance(node[0], str) else ""
        if operator not in _OPERANDS:
            found = f"the operator {operator}" if operator else "no operator"
            raise QueryError(
                f"query: found {found[:60]} after a parenthesis; {did_you_mean(operator, _OPERANDS)}"
            )
        expected, number = _OPERANDS[operator], len(node) - 1
        if number != expected and (expected or number < 2):
            raise QueryError(
                f"query: {operator} has {number} operands, expected {expected or 'two or more'}."
            )
        return operator, node[1:]

    def _projection(self, relation: Any, operand: Any) -> Query | None:
        inverse = isinstance(relation, str)
        if not inverse:
            if len(relation) != 2 or relation[0] != "R" or not isinstance(relation[1], str):
                raise QueryError("query: JOIN: expected a relation, or one in (R …).")
            relation = relation[1]
        if not isinstance(operand, str):
            of = self.query(operand)
            return None if of is None else Projection(relation, inverse, of)
        if inverse and relation in self._types:
            self.dropped.append("type")
            return None
        return Projection(relation, inverse, Anchor(operand))
