"""What a query asks of what it matches, in a form in which two queries can be compared.

A condition is one of those that AND joins, a property in braces, an ORDER BY, SKIP or LIMIT; variables and
ways of writing aside, so ``(n {size: 3})`` asks what ``WHERE 3 = n.size`` asks.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from rulemine.cypher.language.syntax import (
    Clause,
    Match,
    ProjectionClause,
    Statement,
    SubqueryClause,
    Term,
)

__all__ = ["Condition", "Look", "conditions_of", "properties_of"]


class Look(NamedTuple):
    """A name that is looked for.

    Attributes:
        how: ``=`` (also for IN), ``contains``, ``starts``, ``ends`` or ``=~``.
        name: The text.
        folded: Whether capitals do not count: it is compared with ``toLower(n.name)`` or ``toUpper``.
    """

    how: str
    name: str
    folded: bool


class Condition(NamedTuple):
    """A condition.

    Attributes:
        text: What it says, without variables.
        properties: The properties that it reads.
        looks: The names that it looks for.
    """

    text: str
    properties: frozenset[str] = frozenset()
    looks: tuple[Look, ...] = ()

    @property
    def of_names(self) -> bool:
        """Whether it looks for names and does nothing else."""
        return bool(self.looks) and self.properties == {"name"}

    @property
    def masked(self) -> str:
        """Its text with a mark in place of its properties."""
        words = (("?" if word in self.properties else word) for word in self.text.split(" "))
        return " ".join(words)


def conditions_of(statement: Statement) -> list[Condition]:
    """The conditions of a query, in the order of its text; those in subqueries of expressions aside.

    Example:
        >>> from rulemine.cypher.language.parser import parse
        >>> query = "MATCH (o:Sea) WHERE o.name IN ['Black Sea'] AND 5 < o.depth RETURN o.name LIMIT 2"
        >>> [condition.text for condition in conditions_of(parse(query))]
        ['name = Black Sea', 'depth > 5', 'LIMIT 2']
    """
    return [condition for arm in statement.arms for condition in _of_clauses(arm)]


_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "="}
_LOOKS = ("=", "in", "contains", "starts", "ends", "=~")
_FOLDING = ("tolower", "toupper")


def _of_clauses(clauses: Sequence[Clause]) -> Iterator[Condition]:
    for clause in clauses:
        if isinstance(clause, Match):
            for path in clause.paths:
                for thing in (*path.nodes, *path.relations):
                    if thing.properties is not None and thing.properties.kind == "map":
                        for key, value in thing.properties.parts:
                            got = Term("get", (Term("variable", ("",)), key))
                            yield _condition(Term("=", (got, value)))
                    yield from _joined(thing.where)
            yield from _joined(clause.where)
        elif isinstance(clause, ProjectionClause):
            meant = {item.alias: item.expression.term for item in clause.items if item.alias}
            for key in clause.order:
                term = meant.get(key.expression.variable, key.expression.term)
                way = "DESC" if key.descending else "ASC"
                yield Condition(f"ORDER BY {_text_of(term)} {way}", frozenset(properties_of(term)))
            for word, number in (("SKIP", clause.skip), ("LIMIT", clause.limit)):
                if number is not None:
                    yield Condition(f"{word} {_text_of(number)}")
            yield from _joined(clause.condition)
        elif isinstance(clause, SubqueryClause):
            for arm in clause.arms:
                yield from _of_clauses(arm)


def _joined(term: Term | None) -> Iterator[Condition]:
    """The conditions that must all hold."""
    if term is None:
        return
    if term.kind == "and":
        for part in term.parts:
            yield from _joined(part)
    else:
        yield _condition(term)


def _condition(term: Term) -> Condition:
    return Condition(_text_of(term), frozenset(properties_of(term)), tuple(_looks(term)))


def _text_of(part: Any) -> str:
    """A term as words, without variables."""
    if isinstance(part, tuple):
        return " ".join(filter(None, map(_text_of, part)))
    if not isinstance(part, Term):
        return part if isinstance(part, str) else ""
    kind, parts = part.kind, part.parts
    if kind == "value":
        return str(parts[0])
    if kind == "variable":
        return ""
    if kind in _TURNED and not any(properties_of(parts[0])) and any(properties_of(parts[1])):
        kind, parts = _TURNED[kind], parts[::-1]
    if kind == "in" and parts[1].kind == "list" and len(parts[1].parts) == 1:
        kind, parts = "=", (parts[0], parts[1].parts[0])
    if kind == "call":
        return f"{parts[0]} ( {_text_of(parts[1:])} )"
    texts = list(filter(None, map(_text_of, parts)))
    if kind in ("get", "list"):
        return " ".join(texts)
    return f" {kind} ".join(texts) if len(texts) > 1 else " ".join([*texts, kind])


def properties_of(part: Any) -> Iterator[str]:
    """The properties of variables that a term, or terms, read."""
    if isinstance(part, Term):
        if part.kind == "get" and part.parts[0].kind == "variable":
            yield part.parts[1]
        elif part.kind != "value":
            for inner in part.parts:
                yield from properties_of(inner)
    elif isinstance(part, tuple):
        for inner in part:
            yield from properties_of(inner)


def _looks(term: Term) -> Iterator[Look]:
    """The names that a condition looks for, but for those that it excludes."""
    if term.kind in ("or", "xor", "and"):
        for part in term.parts:
            yield from _looks(part)
    if term.kind not in _LOOKS:
        return
    left, right = term.parts
    if term.kind == "=" and not any(properties_of(left)):
        left, right = right, left
    left, folded = _unfolded(left)
    if left.kind != "get" or left.parts[0].kind != "variable" or left.parts[1] != "name":
        return
    for value in right.parts if right.kind == "list" else (right,):
        value = _unfolded(value)[0]
        if value.kind == "value" and isinstance(value.parts[0], str):
            yield Look("=" if term.kind == "in" else term.kind, value.parts[0], folded)


def _unfolded(term: Term) -> tuple[Term, bool]:
    """What ``toLower`` or ``toUpper`` is of, and whether it is there."""
    if term.kind == "call" and term.parts[0] in _FOLDING and term.parts[2]:
        return term.parts[2][0], True
    return term, False
