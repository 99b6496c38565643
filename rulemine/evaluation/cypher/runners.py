"""Where predicted Cypher is run: what a runner is, the one that asks a server, and the one that needs none.

A query that may not be run (it would write, read a file, call a procedure or ask the server about itself) is
refused before it is sent, and counts as failed. A query that a runner does not take is `NotRun`, which says
nothing about it.
"""

import re
from typing import TYPE_CHECKING, Protocol

from rulemine.cypher.interpreter.running import run
from rulemine.cypher.interpreter.values import EvaluationError, ExhaustedError
from rulemine.cypher.language.parser import parse
from rulemine.cypher.language.syntax import CypherError, UnsupportedError
from rulemine.cypher.rows import Failed, NotRun, ResultTable
from rulemine.kg.property_graph.graph import PropertyGraph

if TYPE_CHECKING:
    from rulemine.neo4j.bolt import Bolt

__all__ = [
    "MOST_ROWS",
    "REFUSED",
    "SECONDS",
    "TIMED_OUT",
    "BoltRunner",
    "InMemoryRunner",
    "Runner",
    "refusal",
]

SECONDS = 120.0
"""How long a query may take, as of CypherBench (arXiv 2412.18702, section 5.1)."""

MOST_ROWS = 1_000_000
"""Rows above which a result is a failure: ten times what a gold query may have."""

REFUSED = "refused"
"""What the code of the failure of a refused query begins with."""

TIMED_OUT = "TimedOut"
"""What the code of the failure of a query that took too long has in it, in memory as on a server."""

_KINDS = ("write", "load", "procedure", "graph")

_APART = re.compile(
    r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`(?:[^`]|``)*`|//[^\n]*|/\*.*?\*/", re.DOTALL
)
_FORBIDDEN = {
    "load": re.compile(r"\bLOAD\s+CSV\b", re.IGNORECASE),
    "procedure": re.compile(r"\bCALL\s+(?=[\w`])[^({]*(?:\(|$)", re.IGNORECASE),
    "graph": re.compile(r"^\s*(?:USE|SHOW)\b", re.IGNORECASE),
}
"""What is refused of queries that are not read to their end. Writing is what the server refuses."""


class Runner(Protocol):
    """Runs queries on one graph."""

    def rows(self, query: str) -> ResultTable | Failed | NotRun:
        """The result of a query, or why there is none.

        Raises:
            EndpointError: The server does not answer any more.
        """
        ...


class BoltRunner:
    """Runs queries on a server, in transactions that may only read.

    Args:
        bolt: The connection.
        seconds: After how many the server ends a query.
    """

    def __init__(self, bolt: "Bolt", seconds: float = SECONDS) -> None:
        self._bolt, self._seconds = bolt, seconds

    def rows(self, query: str) -> ResultTable | Failed | NotRun:
        """See `Runner`. A query that our parser cannot read is run: the server may read it."""
        return refusal(query) or self._bolt.rows(query, self._seconds, MOST_ROWS)


class InMemoryRunner:
    """Runs queries on a property graph without a database.

    Args:
        graph: The graph.
        seconds: Seconds that a query may take.
        most: Rows; more are a failure.
    """

    def __init__(
        self, graph: PropertyGraph, seconds: float = SECONDS, most: int = MOST_ROWS
    ) -> None:
        self._graph, self._seconds, self._most = graph, seconds, most

    def rows(self, query: str) -> ResultTable | Failed | NotRun:
        """See `Runner`. Cypher that the interpreter does not support is not run."""
        if refused := refusal(query):
            return refused
        try:
            return run(self._graph, query, seconds=self._seconds, most=self._most)
        except UnsupportedError as problem:
            return NotRun(str(problem))
        except CypherError as problem:
            return Failed("SyntaxError", str(problem))
        except (EvaluationError, ExhaustedError) as problem:
            return Failed(problem.code, str(problem))


def refusal(query: str) -> Failed | None:
    """Why a query may not be run; None: it may, as far as it can be read.

    Example:
        >>> refusal("MATCH (n) DETACH DELETE n").code
        'refused.write'
    """
    try:
        parse(query)
    except CypherError as problem:
        if problem.kind in _KINDS:
            return Failed(f"{REFUSED}.{problem.kind}", str(problem))
        bare = _APART.sub("``", query)
        for kind, pattern in _FORBIDDEN.items():
            if found := pattern.search(bare):
                return Failed(f"{REFUSED}.{kind}", f"the query has {found[0].strip()!r}")
    return None
