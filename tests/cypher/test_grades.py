"""What an incomplete graph takes from rows, beside brute force over random graphs and questions."""

from collections import Counter
from dataclasses import replace
from itertools import combinations
from random import Random

import pytest

from checks.oracles.random_patterns import random_graph, random_queries
from rulemine.cypher import evaluate
from rulemine.cypher.questions.grades import grade
from rulemine.cypher.questions.pattern import MatchPattern, PatternNode, PatternQuery, ReturnClause
from rulemine.cypher.questions.pattern_text import query_of, query_text, renamed_query
from rulemine.cypher.rows import in_order, row_text
from rulemine.errors import QueryError
from rulemine.kg.property_graph.graph import GraphEdge, GraphNode, PropertyGraph
from rulemine.kg.property_graph.schema import EntityType, Property, RelationType, Schema
from tests import each

GRAPHS = 12
MOST_REMOVED = 7


def _named(seed):
    """A random graph whose nodes are called by their ids, as in a release."""
    graph = random_graph(seed)
    return graph.renamed({node.id: node.id for node in graph.nodes})


def _asked(graph, seed):
    """Random questions as releases have them: about nodes of the graph, and only those with a value count."""
    for query in random_queries(graph, seed):
        if all(node.name is None or node.name in graph.positions for node in query.match.nodes):
            yield replace(query, result=replace(query.result, known=True))


def _removed(graph, seed):
    """Some of its triples, each with the level at which it goes."""
    random = Random(f"removed {seed}")
    triples = sorted({(e.subject, e.type, e.object) for e in graph.edges})
    some = random.sample(triples, min(MOST_REMOVED, len(triples)))
    return {triple: random.choice((30, 100)) for triple in some}


def _levels(graph, removed):
    """The levels, each with its graph."""
    return [
        (level, graph.without(triple for triple, at in removed.items() if at <= level))
        for level in sorted(set(removed.values()))
    ]


def _rows(graph, query):
    """The rows, and those that a tie allows instead."""
    found = evaluate(graph, query)
    return Counter(map(row_text, found.rows)), set(map(row_text, found.tied))


@each("seed", range(GRAPHS))
def test_grades_are_those_of_brute_force(seed):
    complete = _named(seed)
    removed = _removed(complete, seed)
    levels = _levels(complete, removed)
    lost_rows = 0
    for query in _asked(complete, seed):
        found = grade(query, complete, levels, removed)
        rows, tied = _rows(complete, query)
        assert Counter(found.rows) == rows
        assert set(found.tied) == tied
        for (level, graph), change in zip(levels, found.changes, strict=True):
            there, other = _rows(graph, query)
            same = bool(tied & (there.keys() | other))
            assert change[:2] == (level, there.total())
            assert Counter(change.lost) == (Counter() if same else rows - there)
            assert Counter(change.spurious) == (Counter() if same else there - rows)
        assert [row.row for row in found.lost] == sorted(set(found.changes[-1].lost))
        for row in found.lost:
            lost_rows += 1
            needed = next(
                number
                for number in range(1, len(removed) + 1)
                for put_back in combinations(removed, number)
                if _there(query, complete, removed.keys() - put_back, row.row, rows[row.row])
            )
            by_one = query.result.template not in {
                "n_agg", "n_group_by", "n_m0_group_by_count", "union_count", "comparison_argmax",
                "comparison_boolean", "comparison_arithmetic",
            }  # fmt: skip
            assert row.missing == needed if by_one else row.missing >= needed, query_text(query)
            assert row.level == (30 if row.row in found.changes[0].lost else 100)
            assert {*row.witness} <= {*found.triples}
            assert {*found.removed} <= {*found.triples}
    assert lost_rows


def _towns(*people):
    """Towns t0, t1, … in a province p, each with its number of people, if it is known."""
    schema = Schema(
        "towns", (EntityType("Province"), EntityType("Town", (Property("people", "int"),))),
        (RelationType("part_of", "Town", "Province"),)
    )  # fmt: skip
    towns = [
        GraphNode(f"t{at}", "Town", f"t{at}", {} if many is None else {"people": many})
        for at, many in enumerate(people)
    ]
    edges = [GraphEdge(f"e{town.id}", "part_of", town.id, "p") for town in towns]
    return PropertyGraph(schema, [GraphNode("p", "Province", "p"), *towns], edges)


def _of_towns(graph, gone, result):
    removed = {(town, "part_of", "p"): level for town, level in gone.items()}
    nodes = PatternNode("Town"), PatternNode("Province", "p")
    query = PatternQuery(MatchPattern("(n)->(m0*)", nodes, ("part_of",)), result)
    return grade(query, graph, _levels(graph, removed), removed)


def test_a_row_that_comes_back_is_lost_from_the_last_level_on():
    graph = _towns(10, 20, 30, 20, 40, 0)  # on average 20, then 22, 20 again, 13.3
    result = ReturnClause("n_agg", "people", aggregate="avg", known=True)
    found = _of_towns(graph, {"t0": 20, "t2": 50, "t4": 100}, result)
    assert [bool(change.lost) for change in found.changes] == [True, False, True]
    assert [row.level for row in found.lost] == [100]


def test_another_row_is_right_where_the_first_one_is_as_great():
    result = ReturnClause("n_argmax", "people", descending=True, known=True)
    found = _of_towns(_towns(2, 2, 1), {"t0": 100}, result)
    assert found.tied == (row_text(["t0"]), row_text(["t1"]))
    assert found.rows == (row_text(["t0"]),)
    assert found.changes == ((100, 1, (), ()),)
    assert not found.lost


def _there(query, complete, removed, row, times):
    there, tied = _rows(complete.without(removed), query)
    return there[row] >= times or row in tied


def test_a_question_is_read_back_from_its_line():
    for seed in range(10):
        for query in random_queries(random_graph(seed), seed):
            assert query_of(query_text(query)) == query


def test_a_question_gets_other_names():
    graph = _named(3)
    names = {node.id: f"other {node.id}" for node in graph.nodes}
    renamed = graph.renamed(names)
    for query in _asked(graph, 3):
        other = renamed_query(query, names)
        assert len(evaluate(renamed, other).rows) == len(evaluate(graph, query).rows)
        assert renamed_query(other, {v: k for k, v in names.items()}) == query


@each("text", ["", "{}", "[1]", '{"match": "(n)", "nodes": 3, "return": "n_name"}'])
def test_what_is_no_question_is_refused(text):
    with pytest.raises(QueryError, match="no question of a template"):
        query_of(text)


def test_rows_with_equal_keys_are_sorted():
    assert in_order(["b", "c", "a"], ["1", "2", "2"]) == ["b", "a", "c"]
    assert in_order(["b", "c", "a"], []) == ["a", "b", "c"]
