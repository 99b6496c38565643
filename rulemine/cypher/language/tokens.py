"""The words and signs of a query in Cypher, taken one after the other."""

import re
from collections.abc import Callable
from typing import NamedTuple, NoReturn, TypeVar

from rulemine.cypher.language.syntax import CypherError, UnsupportedError

__all__ = ["RESERVED", "Tokens", "place_of"]

_TOKEN = re.compile(
    r"""(?P<space>(?:\s|//[^\n]*|/\*.*?\*/)+)
    |(?P<string>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
    |(?P<quoted>`(?:[^`]|``)*`)
    |(?P<parameter>\$(?:\w+|`(?:[^`]|``)*`))
    |(?P<name>[^\W\d]\w*)
    |(?P<sign>\.\.|<=|>=|<>|=~|::|\|\||\+=|(?!\.\d)[-+*/%^=<>.,;:|&!()\[\]{}])
    |(?P<number>0x[\da-fA-F_]+|0o[0-7_]+
        |\d[\d_]*\.\d+(?:[eE][-+]?\d+)?|\d[\d_]*[eE][-+]?\d+|\d[\d_]*|\.\d+(?:[eE][-+]?\d+)?)""",
    re.VERBOSE | re.DOTALL,
)
RESERVED = frozenset(
    (
        "MATCH",
        "OPTIONAL",
        "RETURN",
        "WITH",
        "WHERE",
        "UNWIND",
        "UNION",
        "LIMIT",
        "SKIP",
        "ORDER",
        "AND",
        "OR",
        "XOR",
        "NOT",
        "IN",
        "AS",
        "THEN",
        "ELSE",
        "WHEN",
    )
)
"""Words that are no variables unless they are in backquotes."""

_LONGEST = 50_000
"""Characters of a query: more than anybody asks, fewer than take long to read."""

_DEPTH = 40
"""Expressions and subqueries within one another: more than queries have, fewer than Python's stack holds."""

_CLOSING = {"(": ")", "[": "]", "{": "}"}

_T = TypeVar("_T")


class _Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int
    key: str  # a word in upper case, a sign; of other things nothing

    @property
    def word(self) -> str:
        return self.key if self.kind == "name" else ""


def place_of(text: str, at: int) -> tuple[int, int]:
    """Line and column, from 1, of a place in a text."""
    before = text[:at]
    return before.count("\n") + 1, at - before.rfind("\n")


class Tokens:
    """A query and the place up to which it is read.

    Args:
        text: The query.

    Raises:
        CypherError: It has a sign that Cypher has not, or a string, name or comment without end.
    """

    def __init__(self, text: str) -> None:
        self.text, self.at, self.depth = text, 0, 0
        self.variables: list[tuple[int, int, str]] = []
        self.bound: list[str] = []
        self.absent: set[tuple[str, int]] = set()
        self.listed = 0
        self.signed = self.joined = False  # whether labels had & | ! %, or two colons
        self.tokens: list[_Token] = []
        place = 0
        if len(text) > _LONGEST:
            raise UnsupportedError(f"a query of more than {_LONGEST:,} characters.", 1, 1)
        while place < len(text):
            found = _TOKEN.match(text, place)
            if found is None or (text.startswith("/*", place) and found.lastgroup == "sign"):
                what = {"'": "a string", '"': "a string", "`": "a name", "/": "a comment"}
                sign = text[place]
                known = f"{what[sign]} without end." if sign in what else ""
                self.fail(known or f"{sign!r} is no sign of Cypher.", place)
            kind, spelled = str(found.lastgroup), found[0]
            if kind != "space":
                key = spelled.upper() if kind == "name" else spelled if kind == "sign" else ""
                self.tokens.append(_Token(kind, spelled, place, found.end(), key))
            place = found.end()
        self.tokens.append(_Token("end", "", len(text.rstrip()), len(text), ""))

    def fail(self, message: str, place: int | None = None, kind: str = "syntax") -> NoReturn:
        """Refuses the query, at the next token or at a place."""
        start = self.here.start if place is None else place
        raise CypherError(message, *place_of(self.text, start), kind)

    def unsupported(self, what: str, place: int | None = None) -> NoReturn:
        """Says that something may be Cypher and is not taken, at the next token or at a place.

        A query whose brackets do not match is no Cypher, whatever else it has.
        """
        self._check_brackets()
        raise UnsupportedError(
            f"{what}.", *place_of(self.text, self.here.start if place is None else place)
        )

    def _check_brackets(self) -> None:
        """Refuses a query with a bracket that is not closed, or closes nothing."""
        opened: list[_Token] = []
        for token in self.tokens:
            if token.key in _CLOSING:
                opened.append(token)
            elif token.key in _CLOSING.values() and (
                not opened or _CLOSING[opened.pop().key] != token.key
            ):
                self.fail(f"{token.text!r} closes nothing.", token.start)
        if opened:
            self.fail(f"{opened[-1].text!r} is not closed.", opened[-1].start)

    def expected(self, what: str) -> NoReturn:
        """Refuses what is found, naming what was expected."""
        found = f"{self.here.text[:40]!r} found" if self.here.text else "the query ends"
        self.fail(f"{found}, {what} expected.")

    @property
    def here(self) -> _Token:
        """The next token."""
        return self.tokens[self.at]

    def peek(self, *wanted: str, ahead: int = 0) -> bool:
        """Whether words (upper case) or signs come next."""
        first = self.at + ahead
        return [token.key for token in self.tokens[first : first + len(wanted)]] == [*wanted]

    def take(self, *wanted: str) -> bool:
        """Takes words or signs if they come next; whether they did."""
        if self.peek(*wanted):
            self.at += len(wanted)
            return True
        return False

    def need(self, *wanted: str) -> None:
        """Takes words or signs, which must come next."""
        if not self.take(*wanted):
            self.expected(" ".join(wanted))

    def one_or_more(self, read: Callable[[], _T], sign: str = ",") -> list[_T]:
        """Reads things between signs."""
        found = [read()]
        while self.take(sign):
            found.append(read())
        return found

    @property
    def end(self) -> int:
        """Where the last token that was taken ends."""
        return self.tokens[self.at - 1].end

    def name(self, what: str) -> str:
        """Takes a name, without backquotes."""
        token = self.here
        if token.kind not in ("name", "quoted"):
            self.expected(what)
        self.at += 1
        return token.text[1:-1].replace("``", "`") if token.kind == "quoted" else token.text

    def variable(self, *, new: bool = False) -> str:
        """Takes a variable and notes its place; where it is a new one, any word may be."""
        token = self.here
        if token.word in RESERVED and not new and not self.declared(token.text):
            self.expected("a variable")
        name = self.name("a variable")
        self.variables.append((token.start, token.end, name))
        return name

    def declared(self, name: str) -> bool:
        """Whether a variable of the name stood before."""
        return any(name == other for _, _, other in self.variables)

    def named(self) -> bool:
        """Whether a name comes next."""
        return self.here.kind in ("name", "quoted")

    def deeper(self, read: Callable[[], _T]) -> _T:
        """Reads something that may hold others of its kind."""
        self.depth += 1
        if self.depth > _DEPTH:
            self.fail(f"more than {_DEPTH} levels within one another.")
        found = read()
        self.depth -= 1
        return found
