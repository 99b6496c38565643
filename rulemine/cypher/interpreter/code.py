"""What expressions are compiled to, and what is refused before a query runs."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from rulemine.cypher.interpreter.limits import RunLimits
from rulemine.cypher.interpreter.operators import COMPARISONS, truth
from rulemine.cypher.interpreter.stored import StoredGraph
from rulemine.cypher.interpreter.values import EvaluationError
from rulemine.cypher.language.expressions import AGGREGATES
from rulemine.cypher.language.syntax import Clause, PathElement, Term, UnsupportedError
from rulemine.cypher.language.tokens import place_of

__all__ = [
    "Code",
    "ExpressionCode",
    "Row",
    "Scope",
    "aggregated",
    "either",
    "item_kind",
    "list_kind",
]

Row = dict[str, Any]
"""Variable → value."""

Scope = Mapping[str, str]
"""Variable → the kind of its values, such as ``Node``, ``List<Node>``, ``Integer|Float``.

Empty: not known; ``property``: what a property may be.
"""

_Arms = Sequence[Sequence[Clause]]

_STRUCTURES = frozenset(("Node", "Relationship", "Path", "Map"))


class Code(NamedTuple):
    """An expression that can be run.

    Attributes:
        run: Its value for a row.
        kind: The kind of its values, as in a scope.
    """

    run: Callable[[Row], Any]
    kind: str = ""


def either(kinds: Iterable[str]) -> str:
    """The kind of what may be of one of several kinds; null may be anything."""
    known = set(kinds)
    if known & {"", "Null"}:
        return ""
    if len(known) == 1:
        return known.pop()
    return "|".join(sorted({part for kind in known for part in kind.partition("<")[0].split("|")}))


def item_kind(kind: str) -> str:
    """The kind of a list's items."""
    return kind[5:-1] if kind.startswith("List<") else ""


def list_kind(kinds: Iterable[str]) -> str:
    """The kind of a list of items of some kinds; null may be anything."""
    known = set(kinds)
    return f"List<{known.pop()}>" if len(known) == 1 and not known & {"", "Null"} else "List"


def aggregated(thing: Any) -> Iterator[Term]:
    """The aggregating functions in an expression, but not in its subqueries."""
    if isinstance(thing, Term):
        if thing.kind == "call" and thing.parts[0] in AGGREGATES:
            yield thing
        elif thing.kind not in ("exists", "count", "collect"):
            yield from aggregated(thing.parts)
    elif isinstance(thing, tuple):
        for part in thing:
            yield from aggregated(part)


class ExpressionCode(ABC):
    """What all expressions need to become functions.

    Args:
        graph: The graph that is asked.
        limits: What the run may use.
        text: The query.
        query: What makes a function of the arms of a subquery that sees every variable.
        match: What makes a function of paths: the rows that they match for a row, and their scope.
    """

    def __init__(
        self,
        graph: StoredGraph,
        limits: RunLimits,
        text: str,
        query: Callable[[_Arms, bool, Scope], Callable[[Row], Iterator[Row]]],
        match: Callable[
            [tuple[PathElement, ...], Term | None, Scope],
            tuple[Callable[[Row], Iterator[Row]], Scope],
        ],
    ) -> None:
        self.graph, self.limits, self.text = graph, limits, text
        self.query, self.match = query, match
        self._names = 0

    @abstractmethod
    def term(self, term: Term, scope: Scope) -> Code:
        """An expression as a function."""

    @abstractmethod
    def path(self, term: Term, scope: Scope) -> Code:
        """Whether a path is there, as a function."""

    def fresh(self) -> str:
        """A name that no variable has."""
        self._names += 1
        return f"\0{self._names}"

    def fail(self, message: str, term: Term | None = None) -> NoReturn:
        """Refuses the query with the error that Neo4j gives before it runs it."""
        place = (
            "" if term is None else "line {}, column {}: ".format(*place_of(self.text, term.place))
        )
        raise EvaluationError("SyntaxError", place + message)

    def unsupported(self, what: str, place: int) -> NoReturn:
        """Refuses what the interpreter does not support."""
        raise UnsupportedError(f"{what}: not taken here.", *place_of(self.text, place))

    def check(self, code: Code, kinds: str, term: Term) -> Code:
        """Refuses an expression whose kind is known and none of some."""
        kind = code.kind.partition("<")[0]
        if not kinds or kind in ("", "Null"):
            return code
        allowed = kinds.split()
        for one in kind.split("|"):
            if one in allowed or (one == "property" and not _STRUCTURES.issuperset(allowed)):
                return code
        self.fail(f"a {kind} where {' or '.join(allowed)} is expected.", term)

    def condition(self, term: Term, scope: Scope) -> Callable[[Row], bool | None]:
        """A condition as a function."""
        code = self.path(term, scope) if term.kind == "path" else self.term(term, scope)
        run = self.check(code, "Boolean", term).run
        if term.kind in COMPARISONS or term.kind in ("is null", "is not null", "is", "exists"):
            return run
        return lambda row: truth(run(row))

    def labels(self, term: Term) -> Callable[[str], bool]:
        """What a label expression says of a node's only label, or an edge's type."""
        if term.kind == "label":
            name = term.parts[0]
            return lambda label: label == name
        if term.kind == "%":
            return lambda label: True
        inner = [self.labels(part) for part in term.parts]
        if term.kind == "!":
            return lambda label: not inner[0](label)
        test = all if term.kind == "&" else any
        return lambda label: test(one(label) for one in inner)
