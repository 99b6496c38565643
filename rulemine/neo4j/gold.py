"""The gold of a release on a real Neo4j, for `rulemine.verify`, which needs none."""

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

from rulemine.cypher.rows import Failed, row_text
from rulemine.errors import ConfigError
from rulemine.kg.property_graph.simplekg import simplekg_of
from rulemine.neo4j.bolt import Bolt, connected
from rulemine.neo4j.server import cached_jars, temporary

__all__ = ["database_for"]

_SECONDS = 120.0
_MOST = 1_000_000

Rows = tuple[Sequence[str], Sequence[str]]
"""Columns and rows, as text."""


def database_for(
    url: str | None, stack: ExitStack
) -> Callable[[Mapping[str, Any]], Callable[[str], Rows | str]] | None:
    """A database for the gold, on a server that is started or reached when it is first needed.

    Args:
        url: An address; ``none``; or None: one of its own, if Neo4j was fetched before.
        stack: What ends a server of its own, and leaves the database of an address empty.

    Returns:
        A function that loads a graph (the JSON of SimpleKG) in place of the one before, and returns a
        function from a query to its rows, or to the reason why it has none. It raises a `UserError` if the
        server cannot be started or reached, or its database is not empty at first. None: no database is
        wanted, or there is none without a fetch.

    Raises:
        ConfigError: An address is given and the package neo4j is not installed.
    """
    driver = importlib.util.find_spec("neo4j") is not None
    if url == "none" or (url is None and not (driver and cached_jars())):
        return None
    if not driver:
        raise ConfigError("--neo4j: needs the package neo4j: pip install 'rulemine[neo4j]'.")
    bolt: Bolt | None = None

    def loaded(plain: Mapping[str, Any]) -> Callable[[str], Rows | str]:
        nonlocal bolt
        graph, first = simplekg_of(dict(plain), "the property graph"), bolt is None
        bolt = bolt or stack.enter_context(connected(url or stack.enter_context(temporary())))
        bolt.load_properties(graph, replace=not first)
        if first:
            stack.callback(bolt.clear)
        return partial(_rows, bolt)

    return loaded


def _rows(bolt: Bolt, query: str) -> Rows | str:
    found = bolt.rows(query, _SECONDS, _MOST)
    if isinstance(found, Failed):
        return f"{found.code}: {found.text}"
    return found.columns, [row_text(row) for row in found.rows]
