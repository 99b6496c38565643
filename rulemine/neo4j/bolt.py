"""Asks a Neo4j, or what else speaks Bolt, within limits."""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rulemine.cypher.rows import Failed, ResultTable
from rulemine.errors import ConfigError, EndpointError
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.schema import EntityType, RelationType
from rulemine.neo4j.loading import Statement, property_graph_statements, triple_statements

__all__ = ["Bolt", "connected", "is_bolt"]

_EXAMPLE = "bolt://127.0.0.1:7687"
_URL = re.compile(r"((?:bolt|neo4j)(?:\+s|\+ssc)?://[^/]*)(?:/([^/?#]*))?")


class Bolt:
    """A connection.

    Args:
        driver: The driver of the package neo4j.
        database: The name of the database; None: the server's own choice.

    Attributes:
        database: See above.
    """

    def __init__(self, driver: Any, database: str | None = None) -> None:
        self._driver, self.database = driver, database

    def rows(self, query: str, seconds: float = 30.0, most: int = 100_000) -> ResultTable | Failed:
        """Runs a query that must not write.

        Args:
            query: The query, in Cypher.
            seconds: Seconds after which the server ends it.
            most: Rows; more are a failure.
        """
        from neo4j import Query
        from neo4j.exceptions import Neo4jError

        with self._reading() as session:
            try:
                result = session.run(Query(query, timeout=seconds))
                rows = [tuple(row.values()) for row in result.fetch(most + 1)]
            except Neo4jError as problem:
                return Failed(str(problem.code), " ".join(str(problem.message).split()))
            if len(rows) > most:
                return Failed("TooManyRows", f"more than {most:,} rows")
            return ResultTable(tuple(result.keys()), rows)

    def stream(self, query: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a query that must not write, as they come; neither time nor rows are limited.

        Raises:
            EndpointError: The server refuses it, or the connection breaks.
        """
        from neo4j.exceptions import Neo4jError

        with self._reading() as session:
            try:
                for row in session.run(query):
                    yield tuple(row.values())
            except Neo4jError as problem:
                raise EndpointError(
                    f"Neo4j refuses {query!r} ({problem.code}: {problem.message}). Check the name of the "
                    "database, and what its user may read."
                ) from None

    @contextmanager
    def _reading(self) -> Iterator[Any]:
        from neo4j import READ_ACCESS
        from neo4j.exceptions import DriverError

        with self._driver.session(
            database=self.database, default_access_mode=READ_ACCESS
        ) as session:
            try:
                yield session
            except DriverError as problem:
                raise EndpointError(
                    f"Neo4j: the connection broke off: {problem}. Start the server again."
                ) from None

    def load(self, kg: KnowledgeGraph, *, replace: bool = False) -> None:
        """Writes a graph, see `rulemine.neo4j.loading`.

        Args:
            kg: The graph.
            replace: Whether what the database holds is deleted first.

        Raises:
            ConfigError: The database is not empty, and nothing is to be replaced.
        """
        self._write(triple_statements(kg.entities, kg.labeled()), replace)

    def load_properties(self, graph: PropertyGraph, *, replace: bool = False) -> None:
        """Writes a property graph, see `rulemine.neo4j.loading`.

        Args:
            graph: The graph.
            replace: See `load`.

        Raises:
            ConfigError: See `load`; or a property of the schema is called ``id``.
        """
        schema = graph.schema
        types: list[EntityType | RelationType] = [*schema.entities, *schema.relations]
        for row in types:
            if any(own.name == "id" for own in row.properties):
                raise ConfigError(
                    f"schema {schema.name!r}: {row.label} has a property 'id', as which Neo4j gets the ids "
                    "of nodes and edges. Call it otherwise."
                )
        self._write(property_graph_statements(graph), replace)

    def clear(self) -> None:
        """Deletes what the database holds."""
        self._write((), replace=True)

    def _write(self, statements: Iterable[Statement], replace: bool) -> None:
        with self._driver.session(database=self.database) as session:
            held = session.run("MATCH (n) RETURN count(n) AS n").single()["n"]
            if held and not replace:
                raise ConfigError(
                    f"the database holds {held:,} nodes. Name an empty one, or have them deleted: --replace."
                )
            if held:
                session.run(
                    "MATCH (n) CALL { WITH n DETACH DELETE n } IN TRANSACTIONS OF 10000 ROWS"
                ).consume()
            for query, rows in statements:
                session.run(query, rows=rows).consume()


def is_bolt(source: str) -> bool:
    """Whether a source of a graph is the address of a server that speaks Bolt."""
    return _URL.fullmatch(source) is not None


@contextmanager
def connected(url: str, database: str | None = None) -> Iterator[Bolt]:
    """Connects to a server; user and password from ``NEO4J_USERNAME`` and ``NEO4J_PASSWORD``, if set.

    Args:
        url: An address such as ``bolt://127.0.0.1:7687``, maybe with ``/`` and the name of a database.
        database: The name of the database; None: that of the address, or the server's own choice.

    Raises:
        EndpointError: Nothing answers there.
        ConfigError: The package neo4j is not installed, or the address is none.
    """
    try:
        from neo4j import GraphDatabase
        from neo4j.exceptions import DriverError, Neo4jError
    except ImportError:
        raise ConfigError("Bolt needs the package neo4j: pip install 'rulemine[neo4j]'.") from None
    shown = re.sub("//.*@", "//", url)  # without a password
    if (found := _URL.fullmatch(url)) is None:  # the driver takes others for servers of queries
        raise ConfigError(f"{shown}: no address of a Neo4j. Expected one such as {_EXAMPLE}.")
    user, password = (os.environ.get(f"NEO4J_{name}", "") for name in ("USERNAME", "PASSWORD"))
    try:
        driver = GraphDatabase.driver(
            found[1], auth=(user, password) if user else None, notifications_min_severity="OFF"
        )
    except (DriverError, ValueError) as problem:
        raise ConfigError(
            f"{shown}: no address of a Neo4j: {problem}. Expected one such as {_EXAMPLE}."
        ) from None
    with driver:
        try:
            driver.verify_connectivity()
        except (DriverError, Neo4jError, OSError) as problem:
            reason = " ".join(str(problem).replace(url, shown).split())
            raise EndpointError(
                f"{shown}: no Neo4j answers ({reason}). Start one: rulemine data neo4j start."
            ) from None
        yield Bolt(driver, database or found[2] or None)
