"""What results come from is compared, with the two worked cases of the paper on a graph of our own."""

from rulemine.cypher import (
    MatchPattern,
    PatternNode,
    PatternQuery,
    ReturnClause,
    evaluate,
    provenance_of,
)
from rulemine.evaluation.cypher.judging import provenance_similarity, published_provenance
from rulemine.evaluation.cypher.results import execution_match
from rulemine.kg.property_graph.graph import GraphEdge, GraphNode, PropertyGraph
from rulemine.kg.property_graph.schema import EntityType, Property, RelationType, Schema

SCHEMA = Schema(
    "towns",
    (EntityType("Town", (Property("founded", "int"),)), EntityType("River")),
    (RelationType("liesOn", "Town", "River"),),
)
GRAPH = PropertyGraph(
    SCHEMA,
    [GraphNode(f"t{at}", "Town", f"Town {at}", {"founded": 1200 + at}) for at in range(4)]
    + [GraphNode(f"r{at}", "River", f"River {at}") for at in range(2)],
    [GraphEdge(f"e{at}", "liesOn", f"t{at}", f"r{int(at == 3)}") for at in range(4)],
)
TOWN = PatternNode("Town")
ISE, EMS = (PatternNode("River", f"River {at}") for at in range(2))
ON_ISE = MatchPattern("(n)->(m0*)", (TOWN, ISE), ("liesOn",))


def scores(gold: PatternQuery, predicted: PatternQuery) -> tuple[bool, float, float]:
    """EX, PSJS of nodes, PSJS of edges."""
    wanted, found = provenance_of(GRAPH, gold), provenance_of(GRAPH, predicted)
    return (
        execution_match(evaluate(GRAPH, gold).rows, evaluate(GRAPH, predicted).rows),
        provenance_similarity(wanted.nodes, found.nodes),
        provenance_similarity(wanted.edges, found.edges),
    )


def test_the_two_cases_of_the_paper():
    """One arm of a union gets its share of the nodes; an extra column leaves the provenance whole."""
    either = MatchPattern("(n)->(m0*) or (n)->(m1*)", (TOWN, ISE, EMS), ("liesOn", "liesOn"))
    gold, one = (
        PatternQuery(either, ReturnClause("union_name")), PatternQuery(ON_ISE, ReturnClause("n_name")),
    )  # fmt: skip
    assert scores(gold, one) == (False, 4 / 6, 3 / 4)
    wider = PatternQuery(ON_ISE, ReturnClause("n_name_prop", property="founded"))
    assert scores(one, wider) == (False, 1.0, 1.0)


def test_nothing_bound_scores_nothing_and_what_the_gold_does_not_bind_counts_against_a_query():
    assert provenance_similarity([], []) == provenance_similarity(["a"], []) == 0.0
    assert provenance_similarity(["a", "a"], ["a"]) == 1.0
    assert provenance_similarity(["a"], ["a", "b", "c", "d"]) == 1 / 4


def of_nodes(*variables: str) -> str:
    ids = " + ".join(f"collect(DISTINCT elementId({v}))" for v in variables) or "[]"
    return f"\nWITH {ids} AS ids\nUNWIND ids AS id RETURN id"


PROVENANCE = [
    ("MATCH (n:A) RETURN n", "MATCH (n:A)" + of_nodes("n")),
    ("MATCH (b:A)-[:R]->(:A {x: 1}) RETURN 1",
     "MATCH (b:A)-[edge_0:R]->(node_0:A {x: 1})" + of_nodes("b", "node_0")),
    ("MATCH (n:A) WITH DISTINCT n WHERE n.x > 1 RETURN n",
     "MATCH (n:A) WITH * WHERE n.x > 1" + of_nodes("n")),
    ("MATCH (n:A) WITH n, count(*) AS c MATCH (n)-->(m) RETURN m", "MATCH (n:A)" + of_nodes("n")),
    ("MATCH (n:A) WITH n ORDER BY n.x MATCH (m:A) RETURN m", "MATCH (n:A)" + of_nodes("n")),
    ("MATCH (n:A) OPTIONAL MATCH (n)-->(m:B) RETURN n",
     "MATCH (n:A) OPTIONAL MATCH (n)-->(m:B)" + of_nodes("m", "n")),
    ("MATCH (n {x: 1})-->() RETURN n", "MATCH (n {x: 1})-->()" + of_nodes()),
    ("MATCH (:A2) RETURN 1", "MATCH (:A2)" + of_nodes()),
    ("MATCH (n:A) SET n.x = 1", "MATCH (n:A)" + of_nodes("n")),
    ("MATCH (n:A) RETURN n UNION MATCH (m:B) RETURN m",
     "MATCH (n:A)" + of_nodes("n") + "\nUNION\nMATCH (m:B)" + of_nodes("m")),
    ("CALL { MATCH (n:A) RETURN n UNION ALL MATCH (n:B) RETURN n } RETURN n",
     "MATCH (n:A)" + of_nodes("n")),
    ("CALL { MATCH (n:A) RETURN n }", None),
    ("OPTIONAL MATCH (n:A) RETURN n", None),
    ("match (n:A) return n", None),
    ("", None),
]  # fmt: skip


def test_what_the_public_program_takes_for_the_provenance():
    assert [(query, published_provenance(query)) for query, _ in PROVENANCE] == PROVENANCE
