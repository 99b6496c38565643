"""Reads the text of a query; see `rulemine.query.tree`.

Guarantees: a canonical text gives a tree with that text, any other the tree of its canonical form; errors
name the column; the depth is checked before it is descended, so no text exhausts the stack.
"""

import json
import re
from collections.abc import Callable
from functools import lru_cache

from rulemine.errors import QueryError, did_you_mean
from rulemine.query.tree import (
    MOST_ATOMS,
    MOST_DEPTH,
    Anchor,
    Count,
    Difference,
    Intersection,
    Projection,
    Query,
    Union,
)

__all__ = ["parse"]

_TOKEN = re.compile(r'\s*([()]|"(?:[^"\\]|\\.)*"|[^\s()"]+|\Z|")', re.DOTALL)

_unquoted: Callable[[str], str] = lru_cache(maxsize=1 << 16)(json.loads)

_SHOWN = 40
"""Characters of the text that a message shows."""


_Token = re.Match[str]
"""Its text is the first group."""


@lru_cache(maxsize=1 << 14)  # a query is read for its SPARQL, its figures and in each naming
def parse(text: str) -> Query:
    """The query of a text.

    Raises:
        QueryError: The text is no query, or the query is too deep or too large.

    Example:
        >>> parse('(and (p "genre" "e7") (p- "directed_by" "e2"))').text
        '(and (p "genre" "e7") (p- "directed_by" "e2"))'
    """
    return _Parser(text).whole()


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _TOKEN.finditer(text)
        self._left = {"atoms": MOST_ATOMS, "entities": MOST_ATOMS}

    def whole(self) -> Query:
        query = self._query(0, self._next())
        rest = self._next()
        if rest[1]:
            raise self._problem(rest, "the end of the query")
        return query

    def _next(self) -> _Token:
        found = next(self._tokens)
        if found[1] == '"':
            raise self._problem(found, "a closing double quote")
        return found

    def _problem(self, token: _Token, expected: str, hint: str = "") -> QueryError:
        rest = self._text[token.start(1) :]
        shown = " ".join(rest[:_SHOWN].split()) + "…" * (len(rest) > _SHOWN) if rest else "the end"
        return QueryError(
            f"query: column {token.start(1) + 1}: found {shown}, expected {expected}"
            f"{f'; {hint}' if hint else '.'}"
        )

    def _query(self, depth: int, token: _Token) -> Query:
        if token[1].startswith('"'):
            self._use(token, "entities")
            return Anchor(self._name(token))
        if token[1] != "(":
            expected = 'a query, which begins with ( or "'
            raise self._problem(token, expected, "names stand in double quotes.")
        if depth == MOST_DEPTH:
            raise QueryError(
                f"query: column {token.start(1) + 1}: nested more than {MOST_DEPTH} deep. Ask less at once."
            )
        word = self._next()
        read = _READERS.get(word[1])
        if read is None:
            known = "and, or, p, p-, minus or count"
            hint = did_you_mean(word[1], _READERS) if word[1][:1] not in ("", "(", ")", '"') else ""
            raise self._problem(word, known, hint if hint.startswith("did") else "")
        try:
            query = read(self, depth + 1)
        except QueryError as problem:
            if ": column " in str(problem):
                raise
            place = f"query: column {token.start(1) + 1}: "
            raise QueryError(str(problem).replace("query: ", place, 1)) from None
        return query

    def _use(self, token: _Token, what: str) -> None:
        self._left[what] -= 1
        if self._left[what] < 0:
            raise QueryError(
                f"query: column {token.start(1) + 1}: more than {MOST_ATOMS:,} {what}. Ask less at once."
            )

    def _close(self) -> None:
        token = self._next()
        if token[1] != ")":
            raise self._problem(token, "a closing parenthesis")

    def _name(self, token: _Token) -> str:
        try:
            return _unquoted(token[1])
        except ValueError:
            raise self._problem(token, "a JSON string") from None

    def _projection(self, depth: int, inverse: bool) -> Query:
        token = self._next()
        if not token[1].startswith('"'):
            raise self._problem(token, "the name of a relation in double quotes")
        self._use(token, "atoms")
        relation = self._name(token)
        of = self._query(depth, self._next())
        self._close()
        return Projection(relation, inverse, of)

    def _parts(self, depth: int) -> list[Query]:
        parts = [self._query(depth, self._next()) for _ in range(2)]
        while (token := self._next())[1] != ")":
            parts.append(self._query(depth, token))
        return parts

    def _difference(self, depth: int) -> Query:
        of = self._query(depth, self._next())
        minus = self._query(depth, self._next())
        self._close()
        return Difference(of, minus)

    def _count(self, depth: int) -> Query:
        of = self._query(depth, self._next())
        self._close()
        return Count(of)


_READERS: dict[str, Callable[[_Parser, int], Query]] = {
    "and": lambda parser, depth: Intersection.of(parser._parts(depth)),
    "or": lambda parser, depth: Union.of(parser._parts(depth)),
    "p": lambda parser, depth: parser._projection(depth, False),
    "p-": lambda parser, depth: parser._projection(depth, True),
    "minus": _Parser._difference,
    "count": _Parser._count,
}
"""Word after an opening parenthesis → reads the rest, up to the closing one."""
