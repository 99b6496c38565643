"""What the rows of a query are sorted by, as columns of another query.

Rows with equal keys may come in any order, and of those that share the first place of a query for the
greatest any one is right. Both show only if the keys are known.
"""

import itertools
from dataclasses import dataclass

from rulemine.cypher.language.syntax import ProjectionClause, Statement
from rulemine.cypher.language.tokens import Tokens
from rulemine.cypher.questions.render import quoted_name

__all__ = ["KeyedQuery", "keyed_query"]

_LIMITING = ("SKIP", "OFFSET", "LIMIT")

_TIES = 10_000
"""How many rows are looked at for those that share the first place."""


@dataclass(frozen=True, slots=True)
class KeyedQuery:
    """A query with its keys.

    Attributes:
        text: The query; its last columns are the keys.
        keys: How many columns these are.
        first: Whether the query itself asks for the first row alone (LIMIT 1); then this one gives more.
    """

    text: str
    keys: int
    first: bool


def keyed_query(statement: Statement) -> KeyedQuery | None:
    """A query that returns what another one is sorted by, behind its columns.

    Args:
        statement: The query.

    Returns:
        None if its order is not asked for: no ORDER BY in the RETURN of a query without UNION.

    Example:
        >>> from rulemine.cypher.language.parser import parse
        >>> query = "MATCH (n:City) RETURN n.name ORDER BY n.population DESC LIMIT 1"
        >>> print(keyed_query(parse(query)).text)
        MATCH (n:City) RETURN n.name, n.population AS `key 0` ORDER BY n.population DESC LIMIT 10000
    """
    last = statement.arms[-1][-1]
    if not statement.ordered or not isinstance(last, ProjectionClause):
        return None
    text = statement.text
    outer = _outer_words(text, last.start, last.end)
    order = outer[0][0]
    keys = _keys(statement, last, order)
    columns = "".join(f", {key} AS {quoted_name(f'key {at}')}" for at, key in enumerate(keys))
    tail = text[order : last.end]
    limits = [start for start, _ in outer[1:]]
    first = len(limits) == 1 and text[limits[0] : last.end].split()[1:] == ["1"]
    if first:
        tail = f"{text[order : limits[0]]}LIMIT {_TIES}"
    return KeyedQuery(f"{text[:order].rstrip()}{columns} {tail}", len(keys), first)


def _keys(statement: Statement, last: ProjectionClause, order: int) -> list[str]:
    """The keys, in terms of what is known where columns are stated: their new names are not."""
    meant = {item.alias: item.expression.text for item in last.items if item.alias}
    found, place = [], order
    for key in last.order:
        written = key.expression.text
        start = statement.text.index(written, place)
        place = start + len(written)
        text, at = "", start
        for first, end, name in sorted(set(statement.variables)):
            if start <= first < place and name in meant:
                text += f"{statement.text[at:first]}({meant[name]})"
                at = end
        found.append(text + statement.text[at:place])
    return found


def _outer_words(text: str, start: int, end: int) -> list[tuple[int, str]]:
    """What a clause says of order and limits outside of brackets: words with their places, from ORDER on."""
    found: list[tuple[int, str]] = []
    depth, before, tokens = 0, "", Tokens(text).tokens
    for token, following in itertools.pairwise(tokens):
        if token.kind == "sign":
            depth += (token.text in "([{") - (token.text in ")]}")
        word = token.word if before != "." and start <= token.start < end and not depth else ""
        if (word == "ORDER" and following.word == "BY") or (found and word in _LIMITING):
            found.append((token.start, word))
        before = token.text
    return found
