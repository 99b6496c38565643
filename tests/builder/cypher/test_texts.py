"""Texts of questions, as patterns with placeholders for names."""

import pytest

from rulemine.builder.cypher.realism import Realism, draft_characteristics
from rulemine.builder.cypher.texts import QuestionTexts, fixed_nodes
from rulemine.cypher import MatchPattern, PatternNode, PatternQuery, ReturnClause
from rulemine.kg.property_graph.graph import GraphEdge, GraphNode, PropertyGraph
from rulemine.kg.property_graph.schema import EntityType, Property, RelationType, Schema
from rulemine.text.articles import in_sentence
from rulemine.text.template import fill


@pytest.fixture(scope="module")
def graph() -> PropertyGraph:
    """Towns of a country; two of them have one name, one has braces."""
    schema = Schema(
        "towns",
        (EntityType("Town", (Property("motto", "str"),)), EntityType("Country")),
        (RelationType("part_of", "Town", "Country"),),
    )
    nodes = [
        GraphNode("t0", "Town", "Bree", {"motto": "{topic}"}),
        GraphNode("t1", "Town", "Bree", description="on the hill"),
        GraphNode("t2", "Town", "{Carn}"),
        GraphNode("c0", "Country", "Amber Isles"),
    ]
    edges = [GraphEdge(f"e{n}", "part_of", f"t{n}", "c0") for n in range(3)]
    return PropertyGraph(schema, nodes, edges)


@pytest.fixture(scope="module")
def texts(graph: PropertyGraph) -> QuestionTexts:
    return QuestionTexts(graph, Realism(draft_characteristics(graph)))


def test_names_are_placeholders_in_the_order_of_the_private_ids(
    graph: PropertyGraph, texts: QuestionTexts
) -> None:
    towns = PatternNode("Town", "Bree", "t1"), PatternNode("Town", "{Carn}")
    query = PatternQuery(
        MatchPattern("(n*),(m0*)", towns), ReturnClause("comparison_boolean", "motto")
    )
    ids = fixed_nodes(graph, query.match)
    assert ids == {"n": "t1", "m0": "t2"}
    for private, first, second in (
        ({"t1": "e0", "t2": "e1"}, "topic1", "topic2"),
        ({"t1": "e1", "t2": "e0"}, "topic2", "topic1"),
    ):
        pattern = texts.pattern(query, private)
        assert pattern.index(f"{{{first}}}") < pattern.index(f"{{{second}}}")
        assert texts.names(ids.values(), private) == {first: "Bree (on the hill)", second: "{Carn}"}
        filled = fill(pattern, texts.names(ids.values(), private), in_sentence)
        assert filled == texts.question(query)
        assert "Bree (on the hill) and {Carn} have" in filled


def test_braces_of_values_are_no_placeholders_and_articles_follow_the_naming(
    graph: PropertyGraph, texts: QuestionTexts
) -> None:
    match = MatchPattern(
        "(n)->(m0*)", (PatternNode("Town"), PatternNode("Country", "Amber Isles")), ("part_of",)
    )
    query = PatternQuery(match, ReturnClause("n_where", "motto", operator="=", bound="{topic}"))
    pattern = texts.pattern(query, {"c0": "e00001"})
    assert "“{{topic}}”" in pattern
    assert "part of {topic}" in pattern
    assert "part of e00001" in fill(pattern, {"topic": "e00001"}, in_sentence)
    assert "part of the Amber Isles" in texts.question(query)
    bare = PatternQuery(MatchPattern("(n)", match.nodes[:1]), ReturnClause("n_name"))
    assert texts.pattern(bare, {}) == "Name all towns."
