"""What is sent to a server, and what is made of its answers; `checks.isolated.try_neo4j` asks a real one."""

import pytest

from rulemine.cypher.rows import Failed, ResultTable
from rulemine.errors import ConfigError
from rulemine.kg.graph import KnowledgeGraph
from rulemine.neo4j.bolt import Bolt


class Server:
    """A driver, its session and its results in one, of a server with so many nodes that gives so many rows.

    Attributes:
        asked: The queries that were run.
    """

    def __init__(self, nodes=0, rows=0):
        self.nodes, self.given, self.asked = nodes, rows, list[str]()

    def session(self, **_):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        pass

    def run(self, query, **_):
        self.asked.append(getattr(query, "text", query))
        return self

    def single(self):
        return {"n": self.nodes}

    def consume(self):
        pass

    def keys(self):
        return ["x"]

    def fetch(self, most):
        return [{"x": n} for n in range(min(most, self.given))]


def test_a_result_has_no_more_rows_than_are_allowed():
    whole = Bolt(Server(rows=3)).rows("MATCH (n) RETURN n.x AS x", most=3)
    assert whole == ResultTable(("x",), [(0,), (1,), (2,)])
    assert Bolt(Server(rows=4)).rows("RETURN 1", most=3) == Failed(
        "TooManyRows", "more than 3 rows"
    )


def test_names_are_quoted_in_statements():
    server = Server()
    Bolt(server).load(KnowledgeGraph.from_triples([("a", "born`in", "b")]))
    assert server.asked[-1].endswith("CREATE (s)-[:`born``in`]->(o)")


def test_a_database_that_holds_something_is_left_alone_unless_it_is_to_be_replaced():
    graph = KnowledgeGraph.from_triples([("a", "r", "b")])
    server = Server(nodes=2)
    with pytest.raises(ConfigError, match="holds 2 nodes"):
        Bolt(server).load(graph)
    assert len(server.asked) == 1, "how many there are was asked, and nothing written"
    Bolt(server).load(graph, replace=True)
    assert any("DETACH DELETE" in query for query in server.asked)
