"""The gold of a release on a real Neo4j, for `rulemine.verify`, which needs none."""

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from rulemine.cypher.rows import Failed, row_text
from rulemine.errors import ConfigError
from rulemine.kg.property_graph.simplekg import simplekg_of
from rulemine.neo4j.bolt import Bolt, connected
from rulemine.neo4j.jars import cached_jars
from rulemine.neo4j.server import temporary

__all__ = ["GoldDatabase", "database_for"]

_SECONDS = 120.0
_MOST = 1_000_000


class GoldDatabase:
    """Loads graphs and runs queries, on a server that is started or reached when it is first needed.

    Args:
        url: Its address; "": one of its own, for as long as the stack is open.
        stack: What ends it, and leaves the database of an address empty.
    """

    def __init__(self, url: str, stack: ExitStack) -> None:
        self._url, self._stack = url, stack
        self._bolt: Bolt | None = None

    def __call__(
        self, plain: Mapping[str, Any]
    ) -> Callable[[str], tuple[Sequence[str], Sequence[str]] | str]:
        """Loads a graph in the place of the one before; returns what runs a query on it.

        Args:
            plain: The graph, the JSON of SimpleKG.

        Raises:
            UserError: The server cannot be started or reached, or its database is not empty at first.
        """
        graph = simplekg_of(dict(plain), "the property graph")
        if self._bolt is None:
            url = self._url or self._stack.enter_context(temporary())
            bolt = self._stack.enter_context(connected(url))
            bolt.load_properties(graph)
            self._bolt = bolt
            self._stack.callback(bolt.clear)
        else:
            self._bolt.load_properties(graph, replace=True)
        return self._rows

    def _rows(self, query: str) -> tuple[Sequence[str], Sequence[str]] | str:
        if self._bolt is None:
            raise AssertionError("no graph is loaded")
        found = self._bolt.rows(query, _SECONDS, _MOST)
        if isinstance(found, Failed):
            return f"{found.code}: {found.text}"
        return found.columns, [row_text(row) for row in found.rows]


def database_for(url: str | None, stack: ExitStack) -> GoldDatabase | None:
    """A database for the gold; None: none is wanted, or none is there without a fetch.

    Args:
        url: An address; ``none``; or None: one of its own, if Neo4j was fetched before.
        stack: See `GoldDatabase`.

    Raises:
        ConfigError: An address is given and the package neo4j is not installed.
    """
    driver = importlib.util.find_spec("neo4j") is not None
    if url == "none" or (url is None and not (driver and cached_jars())):
        return None
    if not driver:
        raise ConfigError("--neo4j: needs the package neo4j: pip install 'rulemine[neo4j]'.")
    return GoldDatabase(url or "", stack)
