from checks.oracles.patterns import differs, expected, same
from checks.oracles.random_patterns import pairs, random_graph, random_queries
from rulemine.cypher import evaluate, parse, provenance_of, provenance_query, to_cypher
from rulemine.cypher.interpreter.running import run
from rulemine.cypher.questions.render import columns_of


def test_every_pair_of_templates_is_tried() -> None:
    tried = {(q.match.template, q.result.template) for q in random_queries(random_graph(1), 1)}
    assert tried == set(pairs())
    assert len(tried) == 157


def test_rows_and_provenance_are_those_of_brute_force() -> None:
    filled = 0
    for seed in range(5):
        graph = random_graph(seed)
        for query in random_queries(graph, seed):
            text = to_cypher(query)
            wanted, rows, bound = (
                expected(graph, query),
                evaluate(graph, query),
                provenance_of(graph, query),
            )
            assert not differs(rows, wanted), text
            found = run(graph, text)
            assert found.columns == rows.columns == columns_of(query.result)
            assert same(found.rows, rows.rows) or found.rows[0] in rows.tied, text
            assert (list(bound.nodes), list(bound.edges)) == (wanted.nodes, wanted.edges)
            asked = run(graph, provenance_query(parse(text), "id") or "").rows
            names = [("node", id_) for id_ in wanted.nodes] + [
                ("edge", id_) for id_ in wanted.edges
            ]
            assert sorted(asked) == sorted(names), text
            filled += bool(rows.rows)
    assert filled > 300
