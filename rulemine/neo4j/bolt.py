"""Asks a Neo4j, or what else speaks Bolt, within limits."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rulemine.cypher.rows import Failed, ResultTable
from rulemine.errors import ConfigError, EndpointError
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.schema import EntityType, RelationType
from rulemine.kg.property_graph.values import Value

__all__ = ["Bolt", "connected"]

_EXAMPLE = "bolt://127.0.0.1:7687"

_ROWS = 5000
"""Nodes or relationships that are made at once."""


class Bolt:
    """A connection.

    Args:
        driver: The driver of the package neo4j.
        database: The name of the database; None: the server's own choice.
    """

    def __init__(self, driver: Any, database: str | None = None) -> None:
        self._driver, self._database = driver, database

    def rows(self, query: str, seconds: float = 30.0, most: int = 100_000) -> ResultTable | Failed:
        """Runs a query that must not write.

        Args:
            query: The query, in Cypher.
            seconds: Seconds after which the server ends it.
            most: Rows; more are a failure.
        """
        from neo4j import READ_ACCESS, Query
        from neo4j.exceptions import DriverError, Neo4jError

        with self._driver.session(
            database=self._database, default_access_mode=READ_ACCESS
        ) as session:
            try:
                result = session.run(Query(query, timeout=seconds))
                rows = [tuple(row.values()) for row in result.fetch(most + 1)]
                if len(rows) > most:
                    return Failed("TooManyRows", f"more than {most:,} rows")
                return ResultTable(tuple(result.keys()), rows)
            except Neo4jError as problem:
                return Failed(str(problem.code), " ".join(str(problem.message).split()))
            except DriverError as problem:
                raise EndpointError(
                    f"Neo4j: the connection broke: {problem}. Start it again."
                ) from None

    def stream(self, query: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a query that must not write, as they come; neither time nor rows are limited.

        Raises:
            EndpointError: The server refuses it, or the connection breaks.
        """
        from neo4j import READ_ACCESS
        from neo4j.exceptions import DriverError, Neo4jError

        with self._driver.session(
            database=self._database, default_access_mode=READ_ACCESS
        ) as session:
            try:
                for row in session.run(query):
                    yield tuple(row.values())
            except Neo4jError as problem:
                raise EndpointError(
                    f"Neo4j refuses {query!r} ({problem.code}: {problem.message}). Check the name of the "
                    "database, and what its user may read."
                ) from None
            except DriverError as problem:
                raise EndpointError(
                    f"Neo4j: {query!r} broke off: {problem}. Start the server again."
                ) from None

    def load(self, kg: KnowledgeGraph, *, replace: bool = False) -> None:
        """Writes a graph: nodes ``(:Entity {name})``, relationships typed by the relations.

        Args:
            kg: The graph.
            replace: Whether what the database holds is deleted first.

        Raises:
            ConfigError: The database is not empty, and nothing is to be replaced.
        """
        with self._emptied(replace) as session:
            session.run(
                "CREATE INDEX entity_name IF NOT EXISTS FOR (e:Entity) ON (e.name)"
            ).consume()
            session.run("CALL db.awaitIndexes()").consume()
            _create(session, "UNWIND $rows AS name CREATE (:Entity {name: name})", kg.entities)
            for number, relation in enumerate(kg.relations):
                own = kg.triples[kg.triples[:, 1] == number].tolist()
                query = (
                    "UNWIND $rows AS row MATCH (s:Entity {name: row[0]}), (o:Entity {name: row[1]}) "
                    f"CREATE (s)-[:{_quoted(relation)}]->(o)"
                )
                _create(session, query, [[kg.entities[s], kg.entities[o]] for s, _, o in own])

    def load_properties(self, graph: PropertyGraph, *, replace: bool = False) -> None:
        """Writes a property graph: nodes with their type as label, relationships, all with their properties.

        A node has ``id`` and ``name`` besides, a relationship ``id``.

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
        with self._emptied(replace) as session:
            for type_ in schema.entities:
                label = _quoted(type_.label)
                for key in ("id", "name"):
                    session.run(
                        f"CREATE INDEX IF NOT EXISTS FOR (n:{label}) ON (n.{key})"
                    ).consume()
            session.run("CALL db.awaitIndexes()").consume()
            for type_ in schema.entities:
                nodes = (graph.nodes[at] for at in graph.of_type(type_.label))
                _create(
                    session,
                    f"UNWIND $rows AS row CREATE (n:{_quoted(type_.label)}) SET n = row",
                    [{**_sent(n.properties), "id": n.id, "name": n.name} for n in nodes],
                )
            groups: dict[tuple[str, str, str], list[Any]] = {}
            for edge in graph.edges:
                ends = graph.node(edge.subject).type, graph.node(edge.object).type
                stated = [edge.subject, edge.object, {**_sent(edge.properties), "id": edge.id}]
                groups.setdefault((ends[0], edge.type, ends[1]), []).append(stated)
            for signature, edges in groups.items():
                subject, relation, object_ = map(_quoted, signature)
                query = (
                    f"UNWIND $rows AS row MATCH (s:{subject} {{id: row[0]}}) "
                    f"MATCH (o:{object_} {{id: row[1]}}) "
                    f"CREATE (s)-[r:{relation}]->(o) SET r = row[2]"
                )
                _create(session, query, edges)

    def clear(self) -> None:
        """Deletes what the database holds."""
        with self._emptied(replace=True):
            pass

    @contextmanager
    def _emptied(self, replace: bool) -> Iterator[Any]:
        """A session with an empty database."""
        with self._driver.session(database=self._database) as session:
            held = session.run("MATCH (n) RETURN count(n) AS n").single()["n"]
            if held and not replace:
                raise ConfigError(
                    f"the database holds {held:,} nodes. Name an empty one, or have them deleted: --replace."
                )
            if held:
                session.run(
                    "MATCH (n) CALL { WITH n DETACH DELETE n } IN TRANSACTIONS OF 10000 ROWS"
                ).consume()
            yield session


@contextmanager
def connected(url: str, database: str | None = None) -> Iterator[Bolt]:
    """Connects to a server; user and password from ``NEO4J_USERNAME`` and ``NEO4J_PASSWORD``, if set.

    Raises:
        EndpointError: Nothing answers there.
        ConfigError: The package neo4j is not installed, or the address is none.
    """
    try:
        from neo4j import GraphDatabase
        from neo4j.exceptions import DriverError, Neo4jError
    except ImportError:
        raise ConfigError("Bolt needs the package neo4j: pip install 'rulemine[neo4j]'.") from None
    if not re.match(
        r"(bolt|neo4j)(\+s|\+ssc)?://", url
    ):  # the driver takes others for servers of queries
        raise ConfigError(f"{url}: no address of a Neo4j. Expected one such as {_EXAMPLE}.")
    shown = re.sub("//.*@", "//", url)  # without a password
    user, password = (os.environ.get(f"NEO4J_{name}", "") for name in ("USERNAME", "PASSWORD"))
    try:
        driver = GraphDatabase.driver(
            url, auth=(user, password) if user else None, notifications_min_severity="OFF"
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
        yield Bolt(driver, database)


def _create(session: Any, query: str, rows: Sequence[Any]) -> None:
    for first in range(0, len(rows), _ROWS):
        session.run(query, rows=list(rows[first : first + _ROWS])).consume()


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"


def _sent(properties: Mapping[str, Value]) -> dict[str, Any]:
    """Properties as the driver takes them; -0.0 as 0.0, which Neo4j has equal to it and yet above it."""
    return {
        name: list(value) if isinstance(value, tuple) else value + 0.0 if isinstance(value, float) else value
        for name, value in properties.items()
    }  # fmt: skip
