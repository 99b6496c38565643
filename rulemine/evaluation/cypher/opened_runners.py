"""Opens what queries are run with: memory, a Neo4j of our own, or a server that runs already."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rulemine.cypher.rows import ResultTable
from rulemine.errors import ConfigError
from rulemine.evaluation.cypher.runners import SECONDS, BoltRunner, InMemoryRunner, Runner
from rulemine.kg.property_graph.graph import PropertyGraph

__all__ = ["opened_runner"]


@contextmanager
def opened_runner(
    graph: PropertyGraph | None,
    *,
    url: str | None = None,
    neo4j: bool = False,
    seconds: float = SECONDS,
    note: Callable[[str], None] = lambda _text: None,
) -> Iterator[Runner]:
    """A runner for as long as a block runs.

    Args:
        graph: The graph; None: what the server at `url` has, unseen.
        url: The address of a server that has the graph; None: there is none.
        neo4j: Whether a Neo4j is started for the block and loaded with the graph.
        seconds: How long a query may take.
        note: Called with sentences about what takes long.

    Raises:
        ConfigError: The server has another number of nodes or edges than the graph; or both are asked for; or
            there are no seconds.
        EndpointError: No server answers at `url`.
        JavaError: Neo4j cannot be fetched or started.
    """
    if not seconds > 0:
        raise ConfigError(f"--seconds: {seconds:g}; expected more than 0.")
    if url is not None and neo4j:
        raise ConfigError("--neo4j starts a Neo4j, and --url names one that runs. Leave one out.")
    if url is None and graph is None:
        raise ConfigError("there is no graph to run queries on. Name one: --graph, or --url.")
    if url is None and not neo4j and graph is not None:
        yield InMemoryRunner(graph, seconds)
        return
    from rulemine.neo4j.bolt import connected
    from rulemine.neo4j.server import temporary

    if url is not None:
        with connected(url) as bolt:
            runner = BoltRunner(bolt, seconds)
            if graph is not None:
                _check(runner, graph, url)
            yield runner
    elif graph is not None:
        with temporary(note=note) as address, connected(address) as bolt:
            bolt.load_properties(graph)
            yield BoltRunner(bolt, seconds)


def _check(runner: Runner, graph: PropertyGraph, url: str) -> None:
    """Refuses a server that cannot have the graph."""
    wanted = len(graph.nodes), len(graph.edges)
    counts = [runner.rows(f"MATCH {what} RETURN count(*)") for what in ("(n)", "()-[r]->()")]
    found = tuple(each.rows[0][0] for each in counts if isinstance(each, ResultTable))
    if found != wanted:
        nodes, edges = (f"{number:,}" for number in wanted)
        has = " nodes and ".join(f"{number:,}" for number in found)
        raise ConfigError(
            f"{url}: has {has} edges; the graph has {nodes} nodes and {edges} edges. Load the graph "
            "there, or let one be started: --neo4j."
        )
