"""Nodes and numbers of rows without making the rows, beside the rows themselves."""

from dataclasses import replace

from checks.oracles.random_patterns import random_graph, random_queries
from rulemine.cypher.questions.evaluator import bindings
from rulemine.cypher.questions.joins import m0_counts, matched
from rulemine.cypher.questions.pattern import PatternNode
from tests import each, some_seeds


def _patterns(graph, seed):
    """Random patterns, each with its nodes fixed and left open."""
    for query in random_queries(graph, seed):
        match = query.match
        yield match
        yield replace(match, nodes=tuple(PatternNode(node.type) for node in match.nodes))


@each("seed", some_seeds(12))
def test_nodes_and_numbers_are_those_of_the_rows(seed):
    graph = random_graph(seed)
    counted = 0
    for match in _patterns(graph, seed):
        for together in (False, True):
            rows = list(bindings(graph, match, together=together))
            for variable in match.variables:
                if variable != "n" and not together and match.category.form != "match":
                    continue  # not every row binds it
                found = matched(graph, match, variable, together=together)
                assert found.rows == len(rows)
                assert found.nodes.tolist() == sorted({row.nodes[variable] for row in rows})
        if match.category.form == "optional" or match.template.endswith("by n"):
            groups: dict[int, set[int]] = {}
            for row in bindings(graph, match):
                m0 = {at for name, at in row.nodes.items() if name == "m0"}
                groups.setdefault(row.nodes["n"], set()).update(m0)
            expected = {n: len(groups[n]) for n in sorted(groups)}
            assert list(m0_counts(graph, match).items()) == list(expected.items())
            counted += len(expected) > 0
    assert counted
