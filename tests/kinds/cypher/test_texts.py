"""Texts of questions, as patterns with placeholders for names."""

from pathlib import Path
from typing import cast

import pytest

from rulemine.cypher import MatchPattern, PatternNode, PatternQuery, ReturnClause
from rulemine.kg.property_graph.graph import GraphEdge, GraphNode, PropertyGraph
from rulemine.kg.property_graph.schema import EntityType, Property, RelationType, Schema
from rulemine.kinds.cypher.graph import node_names
from rulemine.kinds.cypher.realism import Realism, draft_characteristics
from rulemine.kinds.cypher.words.phrases import fixed_nodes
from rulemine.kinds.cypher.words.texts import QuestionTexts
from rulemine.phrasing.templates import load_templates
from rulemine.recipe.inputs import Inputs
from rulemine.text.articles import in_sentence
from rulemine.text.template import fill


def _world() -> PropertyGraph:
    """People, lands and tongues, with a property of every kind."""
    person = (
        Property("birth_date", "date"),
        Property("height_m", "float"),
        Property("hand", "str"),
        Property("plays", "list[str]"),
        Property("marks", "list[int]"),
        Property("takes_snuff", "bool"),
    )
    land = (
        Property("area_km2", "float"),
        Property("latitude", "float", "degree"),
        Property("founded_year", "int"),
        Property("letters", "int"),
    )
    schema = Schema(
        "world",
        (EntityType("Person", person), EntityType("Land", land), EntityType("Tongue")),
        (
            RelationType("spokenIn", "Tongue", "Land"),
            RelationType("borders", "Land", "Land"),
            RelationType("lives_in", "Person", "Land"),
            RelationType("worked_for", "Person", "Person"),
            RelationType("hasCapital", "Land", "Land"),
        ),
    )
    nodes = [
        GraphNode("p0", "Person", "Ada"),
        GraphNode("p1", "Person", "Bo"),
        GraphNode("l0", "Land", "Arden"),
        GraphNode("l1", "Land", "Bree"),
        GraphNode("g0", "Tongue", "Bree"),
        GraphNode("g1", "Tongue", "Elvish"),
    ]
    edges = [
        GraphEdge("e0", "spokenIn", "g1", "l0"),
        GraphEdge("e1", "borders", "l0", "l1"),
        GraphEdge("e2", "spokenIn", "g0", "l0"),
        GraphEdge("e3", "spokenIn", "g0", "l0"),
    ]
    return PropertyGraph(schema, nodes, edges)


def _all(
    template: str, types: str, relations: str = "", time: str | int | None = None
) -> MatchPattern:
    """A pattern; ``Land:Arden`` is a node that is fixed."""
    ids = {"Bree": "l1" if "Land:Bree" in types else "g0"}
    nodes = [
        PatternNode(type_, name or None, ids.get(name))
        for type_, _, name in (word.partition(":") for word in types.split())
    ]
    return MatchPattern(template, tuple(nodes), tuple(relations.split()), time)


_LANDS = _all("(n)", "Land")
_IN = _all("(n)->(m0*)", "Person Land:Arden", "lives_in")
_ASKED = [
    (_LANDS, ReturnClause("n_name")),
    (_IN, ReturnClause("n_name")),
    (_LANDS, ReturnClause("n_name_prop", "area_km2")),
    (_IN, ReturnClause("n_name_prop", "plays")),
    (_IN, ReturnClause("n_name_prop", "hand", known=False)),
    (_IN, ReturnClause("n_name_prop", "takes_snuff")),
    (_all("(n*)", "Land:Arden"), ReturnClause("n_prop", "area_km2")),
    (_all("(n*)", "Land:Bree"), ReturnClause("n_prop", "latitude")),
    (_all("(n*)", "Land:Arden"), ReturnClause("n_prop", "letters")),
    (_all("(n*)", "Person:Ada"), ReturnClause("n_prop", "plays")),
    (_all("(n*)", "Person:Ada"), ReturnClause("n_prop", "takes_snuff")),
    (_IN, ReturnClause("n_prop_distinct", "hand")),
    (_IN, ReturnClause("n_prop_array_distinct", "plays")),
    (_IN, ReturnClause("n_prop_array_distinct", "marks")),
    (_IN, ReturnClause("n_order_by", "birth_date", descending=True)),
    (_LANDS, ReturnClause("n_argmax", "founded_year")),
    (_LANDS, ReturnClause("n_argmax", "founded_year", known=False)),
    (_IN, ReturnClause("n_argmax", "height_m", descending=True)),
    (_IN, ReturnClause("n_where", "height_m", operator="<=", bound=1.9)),
    (_IN, ReturnClause("n_where", "hand", operator="<>", bound="left")),
    (_IN, ReturnClause("n_where", "plays", operator="NOT IN", bound="oboe")),
    (_IN, ReturnClause("n_where", "takes_snuff", operator="=", bound=False)),
    (_IN, ReturnClause("n_where", "birth_date", operator="=", bound=1900, year=True)),
    (_LANDS, ReturnClause("n_where", "founded_year", operator="<", bound=1900)),
    (_LANDS, ReturnClause("n_agg", aggregate="count")),
    (_IN, ReturnClause("n_agg", "hand", aggregate="count distinct")),
    (_IN, ReturnClause("n_agg", "height_m", aggregate="avg")),
    (_IN, ReturnClause("n_agg", "birth_date", aggregate="max", year=True)),
    (_IN, ReturnClause("n_group_by", key="hand", aggregate="count")),
    (_IN, ReturnClause("n_group_by", "height_m", key="hand", aggregate="min")),
    (_all("(n)<-(m0)", "Land Person", "lives_in"), ReturnClause("n_name")),
    (
        _all("(n)->(m0)->(m1*)", "Person Land Land:Arden", "lives_in borders"),
        ReturnClause("n_name"),
    ),
    (
        _all("(n)->(m0)<-(m1*)", "Tongue Land Tongue:Elvish", "spokenIn spokenIn"),
        ReturnClause("n_name"),
    ),
    (
        _all("(n)->(m0)<-(m1*)", "Tongue Land Tongue:Bree", "spokenIn spokenIn"),
        ReturnClause("n_name"),
    ),
    (_all("(n)<-(m0)->(m1*)", "Land Land Land:Arden", "borders borders"), ReturnClause("n_name")),
    (_all("(n)->(m0),(n)<-(m0)", "Land Land", "borders hasCapital"), ReturnClause("n_name")),
    (
        _all("(n)->(m1*) optional (n)->(m0)", "Tongue Land Land:Arden", "spokenIn spokenIn"),
        ReturnClause("n_m0_group_by_count"),
    ),
    (
        _all("(n)<-(m0)->(m1*) by n", "Land Tongue Land:Bree", "spokenIn spokenIn"),
        ReturnClause("n_m0_group_by_count"),
    ),
    (
        _all("(n)->(m0)->(m1*) by n", "Tongue Land Land:Arden", "spokenIn borders"),
        ReturnClause("n_m0_group_by_count"),
    ),
    (_all("(n*),(m0*)", "Land:Arden Land:Bree"), ReturnClause("comparison_argmax", "area_km2")),
    (_all("(n*),(m0*)", "Land:Arden Land:Bree"), ReturnClause("comparison_arithmetic", "area_km2")),
    (
        _all("(n)->(m0*) or (n)<-(m1*)", "Land Land:Arden Person:Ada", "borders lives_in"),
        ReturnClause("union_count"),
    ),
]


def test_texts_say_what_the_query_says() -> None:
    texts = QuestionTexts(_world(), Realism({}))
    made = [texts.question(PatternQuery(match, result)) for match, result in _ASKED]
    assert made == Path(__file__).with_name("texts.txt").read_text("utf-8").splitlines()


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
    assert texts.pattern(bare, {}) == "List all towns."


def _countries() -> PropertyGraph:
    """Neighbors with what they have; two capitals are called as their countries."""
    schema = Schema(
        "countries",
        (
            EntityType("Country", (Property("population", "int"), Property("iso_code", "str"))),
            EntityType("City", (Property("population", "int"),)),
            EntityType("Currency"),
            EntityType("TimeZone"),
        ),
        (
            RelationType("borders", "Country", "Country"),
            RelationType("hasCapital", "Country", "City"),
            RelationType("hasCurrency", "Country", "Currency"),
            RelationType("locatedIn", "City", "Country"),
            RelationType("followsTimeZone", "City", "TimeZone"),
        ),
    )
    nodes = [
        GraphNode("c0", "Country", "Luxembourg", {"population": 600_000}),
        GraphNode("c1", "Country", "France"),
        GraphNode("c2", "Country", "Monaco"),
        GraphNode("t3", "City", "Monaco"),
        GraphNode("t0", "City", "Luxembourg"),
        GraphNode("t1", "City", "Paris"),
        GraphNode("t2", "City", "Lyon"),
        GraphNode("m0", "Currency", "Euro"),
        GraphNode("z0", "TimeZone", "Europe/Paris"),
    ]
    stated = [
        ("borders", "c0", "c1"), ("borders", "c1", "c0"), ("borders", "c1", "c2"), ("borders", "c2", "c1"),
        ("hasCapital", "c0", "t0"), ("hasCapital", "c1", "t1"), ("hasCapital", "c2", "t3"),
        ("hasCurrency", "c0", "m0"), ("hasCurrency", "c1", "m0"), ("locatedIn", "t0", "c0"),
        ("locatedIn", "t1", "c1"), ("locatedIn", "t2", "c1"), ("followsTimeZone", "t1", "z0"),
    ]  # fmt: skip
    edges = [GraphEdge(f"e{n}", *triple) for n, triple in enumerate(stated)]
    return PropertyGraph(schema, nodes, edges)


_PHRASED = [
    ("(n)<-(m0*)", "City Country:France", "hasCapital", "What is the capital of France?"),
    ("(n)<-(m0)<-(m1*)", "City Country Country:France", "hasCapital borders",
     "What are the capitals of the countries that border France?"),
    ("(n)->(m0*)", "Country Currency:Euro", "hasCurrency",
     "Which countries have the Euro as their currency?"),
    ("(n)->(m0)<-(m1*)", "Country Currency Country:France", "hasCurrency hasCurrency",
     "List the other countries that have the same currency as France."),
    ("(n)->(m0)->(m1*)", "Country City TimeZone:Europe/Paris", "hasCapital followsTimeZone",
     "List the countries whose capital is in the time zone Europe/Paris."),
    ("(n)<-(m0*)", "Country City:Lyon", "locatedIn", "In which country is Lyon located?"),
    ("(n)<-(m0)", "City Country", "hasCapital", "Which cities are capitals of a country?"),
    ("(n)->(m0*) or (n)->(m1*)", "Country Country:France Country:Luxembourg", "borders borders",
     "Which countries border France or Luxembourg?"),
    ("(n)<-(m0*),(n)<-(m1*)", "Country City:Lyon City:Paris", "locatedIn locatedIn",
     "List the countries in which both Lyon and Paris are located."),
    ("(n)->(m0*),(n)->(m1*)", "City Country:France TimeZone:Europe/Paris", "locatedIn followsTimeZone",
     "Which cities are located in France and in the time zone Europe/Paris?"),
]  # fmt: skip
"""MATCH template, types and names, relations, and the question for the names of n."""


@pytest.mark.parametrize(("template", "types", "relations", "text"), _PHRASED)
def test_templates_of_relations_give_nouns_and_verbs(
    template: str, types: str, relations: str, text: str
) -> None:
    graph = _countries()
    templates = load_templates("geography", {row.label for row in graph.schema.relations})
    texts = QuestionTexts(graph, Realism(draft_characteristics(graph)), templates)
    nodes = [
        PatternNode(type_, name or None)
        for type_, _, name in (word.partition(":") for word in types.split())
    ]
    match = MatchPattern(template, tuple(nodes), tuple(relations.split()))
    returned = "union_name" if " or " in template else "n_name"
    assert texts.question(PatternQuery(match, ReturnClause(returned))) == text


def test_the_type_of_the_fewest_nodes_keeps_the_name() -> None:
    graph = _countries()
    names = node_names(cast(Inputs, {"source_graph": graph}), graph.triples())
    assert [names[node] for node in ("c0", "t0", "c2", "t3")] == [
        "Luxembourg", "Luxembourg (city)", "Monaco", "Monaco (city)",
    ]  # fmt: skip


def test_the_name_of_a_country_is_not_that_of_a_city() -> None:
    texts = QuestionTexts(_countries(), Realism({}))
    names = texts.names(["c0", "t0"], {"c0": "e0", "t0": "e1"})
    assert names == {"topic1": "Luxembourg", "topic2": "Luxembourg (city)"}
