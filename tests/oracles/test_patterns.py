from rulemine.cypher import evaluate, provenance_of, to_cypher
from tests.oracles.patterns import differs, expected
from tests.oracles.random_patterns import pairs, random_graph, random_queries


def test_every_pair_of_templates_is_tried() -> None:
    tried = {(q.match.template, q.result.template) for q in random_queries(random_graph(1), 1)}
    assert tried == set(pairs())
    assert len(tried) == 157


def test_rows_and_provenance_are_those_of_brute_force() -> None:
    filled = 0
    for seed in range(5):
        graph = random_graph(seed)
        for query in random_queries(graph, seed):
            wanted, rows, bound = (
                expected(graph, query),
                evaluate(graph, query),
                provenance_of(graph, query),
            )
            assert not differs(rows, wanted), to_cypher(query)
            assert (list(bound.nodes), list(bound.edges)) == (wanted.nodes, wanted.edges)
            filled += bool(rows.rows)
    assert filled > 300
