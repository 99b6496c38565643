"""The SPARQL in what a model wrote.

Guarantee: a query is handed on letter by letter, right or wrong. Only what stands around it is left out.
"""

import re
from collections.abc import Iterator
from typing import Any

from rulemine.text.json_reply import json_values
from rulemine.text.visible_reply import visible_reply

__all__ = ["LONGEST", "sparql_of"]

LONGEST = 30_000
"""Characters of a reply that are read."""

_FENCE = re.compile(
    r"```[ \t]*(?P<label>(?:sparql|sql)\b|\w*(?=[ \t]*\r?\n))?(?P<body>.*?)(?:```|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_BEGIN = re.compile(
    r"\b(?:PREFIX\s+[\w.-]*:\s*<|BASE\s*<|SELECT\s*(?:(?:DISTINCT|REDUCED)\b\s*)?[?$*(]"
    r"|ASK\s*(?:WHERE\s*)?\{|CONSTRUCT\s*(?:WHERE\s*)?\{|DESCRIBE\s*[?$<*])",
    re.IGNORECASE,
)
"""Where a query may begin: a word of prose such as *select* is not followed by a variable."""

_UPDATE = re.compile(
    r"(?:INSERT|DELETE|CLEAR|DROP|LOAD|CREATE|ADD|MOVE|COPY|WITH)\b", re.IGNORECASE
)
_KEYS = frozenset(("sparql", "query", "sparqlquery", "finalquery", "answer", "output"))
_SIGNS = re.compile(
    r"""<[^<>\s]*>|"(?:[^"\\\n]|\\.)*"|(?<!\w)'(?:[^'\\\n]|\\.)*'|\#[^\n]*|[{}()]"""
)
_WHERE = re.compile(r"\s*WHERE\s*(?=\{)", re.IGNORECASE)
"""What stands between the template of a CONSTRUCT and its pattern."""

_TAIL = re.compile(
    r"(?:\s|\#[^\n]*\n)*(?:(?P<pieces>(?:GROUP|ORDER)\s+BY\b|HAVING\b|VALUES\b)|(?:LIMIT|OFFSET)\s+-?\d+)",
    re.IGNORECASE,
)
"""How that begins which may stand after the last brace of a query."""

_PIECE = re.compile(
    r"[^\S\n]*(?:\#[^\n]*)?\n?[^\S\n]*(?:[?$]\w+|(?:(?:ASC|DESC)\s*)?[\w:]*(?P<opens>[({]))",
    re.IGNORECASE,
)
"""A variable, or the beginning of an expression or of values, with no empty line before it."""


def sparql_of(text: str) -> tuple[str | None, str]:
    r"""The query in what a model wrote.

    It stands in JSON under a key such as ``sparql``, in a block between ``` and ```, or bare, with words
    before and after it. Of several blocks the last that begins like a query counts. What the model thinks
    aloud is no part of it.

    Args:
        text: The reply; `LONGEST` characters of it are read.

    Returns:
        The query and "", or None and why there is none.

    Example:
        >>> sparql_of("It is:\nselect ?x where { <entity:a> <relation:r> ?x } LIMIT 5\nThis finds it.")
        ('select ?x where { <entity:a> <relation:r> ?x } LIMIT 5', '')
        >>> sparql_of("I cannot say.")
        (None, 'no block between ``` and ```, and no SELECT ?answer')
    """
    reply = visible_reply(text[:LONGEST]).strip()
    if not reply.strip("`"):
        return None, "it is empty"
    blocks = [
        ((found["label"] or "").lower(), found["body"].strip()) for found in _FENCE.finditer(reply)
    ]
    packed = [*json_values(reply)] if "{" in reply else []
    named = [query for value in packed for query in _under_keys(value)]
    for query in reversed([*(body for _, body in blocks), *named]):
        if found := _bare(query):
            return found, ""
    own = [body for label, body in blocks if body and label in ("sparql", "sql")]
    if own:
        return own[-1], ""
    if (bare := _bare(reply.replace("`", ""))) or _UPDATE.match(reply):
        return bare or reply, ""
    return None, "no block between ``` and ```, and no SELECT ?answer"


def _under_keys(value: Any) -> Iterator[str]:
    """The texts in an object under keys of queries."""
    for key, item in value.items() if isinstance(value, dict) else ():
        if isinstance(item, str) and re.sub(r"[\W_]", "", key).lower() in _KEYS:
            yield item


def _bare(text: str) -> str:
    """The query in a text, from where it begins to its last brace and what follows that; "" if none."""
    begins = [found.start() for found in _BEGIN.finditer(text)]
    if not begins:
        return ""
    # A comment before the query may speak of selecting.
    start = next((at for at in begins if not _is_comment(text, at)), begins[0])
    end = _closed(text, start, "{}")
    if end and (more := _WHERE.match(text, end)):
        end = _closed(text, more.end(), "{}")
    if not end:
        return text[start:].strip()  # a brace is missing: the query says so when it is run
    while tail := _TAIL.match(text, end):
        end = tail.end()
        while tail["pieces"] and (piece := _PIECE.match(text, end)):
            pair = {"(": "()", "{": "{}"}.get(piece["opens"])
            closed = _closed(text, piece.start("opens"), pair) if pair else piece.end()
            if not closed:
                return text[start:].strip()
            end = closed
    return text[start:end].strip()


def _is_comment(text: str, at: int) -> bool:
    return text[text.rfind("\n", 0, at) + 1 : at].lstrip().startswith("#")


def _closed(text: str, start: int, pair: str) -> int:
    """Where what is opened first from a place on is closed; 0 if nowhere."""
    depth = 0
    for sign in _SIGNS.finditer(text, start):
        if sign[0] in pair:
            depth += 1 if sign[0] == pair[0] else -1
            if depth <= 0:
                return sign.end()
    return 0
