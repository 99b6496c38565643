"""Texts of questions, as patterns with placeholders for names, and what relations say in words."""

from pathlib import Path
from typing import cast

import pytest

from rulemine.cypher import MatchPattern, PatternQuery, ReturnClause
from rulemine.kg.property_graph.graph import GraphNode, PropertyGraph
from rulemine.kinds.cypher.graph import node_names
from rulemine.kinds.cypher.realism import Realism, draft_characteristics
from rulemine.kinds.cypher.words.phrases import fixed_nodes
from rulemine.kinds.cypher.words.relations import RelationWords, relation_words
from rulemine.kinds.cypher.words.texts import QuestionTexts
from rulemine.phrasing.templates import RelationTemplates, load_templates
from rulemine.recipe.inputs import Inputs
from rulemine.text.articles import in_sentence
from rulemine.text.template import fill
from tests import each
from tests.kinds.cypher.graphs import graph_of, pattern, schema_of


def _world() -> PropertyGraph:
    """People, lands and tongues, with a property of every kind."""
    schema = schema_of(
        "Person(birth_date date, height_m float, hand str, plays list[str], marks list[int], "
        "takes_snuff bool) Land(area_km2 float, latitude float degree, founded_year int, letters int) Tongue",
        "spokenIn Tongue Land, borders Land Land, lives_in Person Land, worked_for Person Person, "
        "hasCapital Land Land",
    )
    nodes = {
        "Person": {"p0": "Ada", "p1": "Bo"}, "Land": {"l0": "Arden", "l1": "Bree"},
        "Tongue": {"g0": "Bree", "g1": "Elvish"},
    }  # fmt: skip
    edges = "g1 spokenIn l0, l0 borders l1, g0 spokenIn l0, g0 spokenIn l0"
    return graph_of(schema, nodes, edges)


def _all(template: str, types: str, relations: str = "") -> MatchPattern:
    return pattern(template, types, relations, Bree="l1" if "Land:Bree" in types else "g0")


_LANDS, _ADEN = _all("(n)", "Land"), _all("(n*)", "Land:Arden")
_IN = _all("(n)->(m0*)", "Person Land:Arden", "lives_in")
_ADA, _BOTH = _all("(n*)", "Person:Ada"), _all("(n*),(m0*)", "Land:Arden Land:Bree")
_NAME, _COUNTS = ReturnClause("n_name"), ReturnClause("n_m0_group_by_count")
_ASKED = [
    (_LANDS, _NAME),
    (_IN, _NAME),
    (_LANDS, ReturnClause("n_name_prop", "area_km2")),
    (_IN, ReturnClause("n_name_prop", "plays")),
    (_IN, ReturnClause("n_name_prop", "hand", known=False)),
    (_IN, ReturnClause("n_name_prop", "takes_snuff")),
    (_ADEN, ReturnClause("n_prop", "area_km2")),
    (_all("(n*)", "Land:Bree"), ReturnClause("n_prop", "latitude")),
    (_ADEN, ReturnClause("n_prop", "letters")),
    (_ADA, ReturnClause("n_prop", "plays")),
    (_ADA, ReturnClause("n_prop", "takes_snuff")),
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
    (_all("(n)<-(m0)", "Land Person", "lives_in"), _NAME),
    (_all("(n)->(m0)->(m1*)", "Person Land Land:Arden", "lives_in borders"), _NAME),
    (_all("(n)->(m0)<-(m1*)", "Tongue Land Tongue:Elvish", "spokenIn spokenIn"), _NAME),
    (_all("(n)->(m0)<-(m1*)", "Tongue Land Tongue:Bree", "spokenIn spokenIn"), _NAME),
    (_all("(n)<-(m0)->(m1*)", "Land Land Land:Arden", "borders borders"), _NAME),
    (_all("(n)->(m0),(n)<-(m0)", "Land Land", "borders hasCapital"), _NAME),
    (_all("(n)->(m1*) optional (n)->(m0)", "Tongue Land Land:Arden", "spokenIn spokenIn"), _COUNTS),
    (_all("(n)<-(m0)->(m1*) by n", "Land Tongue Land:Bree", "spokenIn spokenIn"), _COUNTS),
    (_all("(n)->(m0)->(m1*) by n", "Tongue Land Land:Arden", "spokenIn borders"), _COUNTS),
    (_BOTH, ReturnClause("comparison_argmax", "area_km2")),
    (_BOTH, ReturnClause("comparison_arithmetic", "area_km2")),
    (_all("(n)->(m0*) or (n)<-(m1*)", "Land Land:Arden Person:Ada", "borders lives_in"),
     ReturnClause("union_count")),
]  # fmt: skip


def test_texts_say_what_the_query_says() -> None:
    texts = QuestionTexts(_world(), Realism({}))
    made = [texts.question(PatternQuery(match, result)) for match, result in _ASKED]
    assert made == Path(__file__).with_name("texts.txt").read_text("utf-8").splitlines()


@pytest.fixture(scope="module")
def graph() -> PropertyGraph:
    """Towns of a country; two of them have one name, one has braces."""
    nodes = {
        "Town": {"t0": ("Bree", {"motto": "{topic}"}), "t2": "{Carn}"}, "Country": {"c0": "Amber Isles"},
    }  # fmt: skip
    schema = schema_of("Town(motto str) Country", "part_of Town Country")
    made = graph_of(schema, nodes, "t0 part_of c0, t2 part_of c0")
    hill = GraphNode("t1", "Town", "Bree", description="on the hill")
    return PropertyGraph(schema, [*made.nodes, hill], made.edges)


@pytest.fixture(scope="module")
def texts(graph: PropertyGraph) -> QuestionTexts:
    return QuestionTexts(graph, Realism(draft_characteristics(graph)))


def test_names_are_placeholders_in_the_order_of_the_private_ids(graph, texts):
    match = pattern("(n*),(m0*)", "Town:Bree Town:{Carn}", Bree="t1")
    query = PatternQuery(match, ReturnClause("comparison_boolean", "motto"))
    ids = fixed_nodes(graph, query.match)
    assert ids == {"n": "t1", "m0": "t2"}
    for private, first, second in (
        ({"t1": "e0", "t2": "e1"}, "topic1", "topic2"),
        ({"t1": "e1", "t2": "e0"}, "topic2", "topic1"),
    ):
        made = texts.pattern(query, private)
        assert made.index(f"{{{first}}}") < made.index(f"{{{second}}}")
        assert texts.names(ids.values(), private) == {first: "Bree (on the hill)", second: "{Carn}"}
        filled = fill(made, texts.names(ids.values(), private), in_sentence)
        assert filled == texts.question(query)
        assert "Bree (on the hill) and {Carn} have" in filled


def test_braces_of_values_are_no_placeholders_and_articles_follow_the_naming(texts):
    match = pattern("(n)->(m0*)", "Town Country:Amber_Isles", "part_of")
    query = PatternQuery(match, ReturnClause("n_where", "motto", operator="=", bound="{topic}"))
    made = texts.pattern(query, {"c0": "e00001"})
    assert "“{{topic}}”" in made
    assert "part of e00001" in fill(made, {"topic": "e00001"}, in_sentence)
    assert "part of the Amber Isles" in texts.question(query)
    assert texts.pattern(PatternQuery(pattern("(n)", "Town"), _NAME), {}) == "List all towns."


def _countries() -> PropertyGraph:
    """Neighbors with what they have; two capitals are called as their countries."""
    schema = schema_of(
        "Country(population int, iso_code str) City(population int) Currency TimeZone",
        "borders Country Country, hasCapital Country City, hasCurrency Country Currency, "
        "locatedIn City Country, followsTimeZone City TimeZone",
    )
    nodes = {
        "Country": {"c0": ("Luxembourg", {"population": 600_000}), "c1": "France", "c2": "Monaco"},
        "City": {"t3": "Monaco", "t0": "Luxembourg", "t1": "Paris", "t2": "Lyon"},
        "Currency": {"m0": "Euro"}, "TimeZone": {"z0": "Europe/Paris"},
    }  # fmt: skip
    edges = (
        "c0 borders c1, c1 borders c0, c1 borders c2, c2 borders c1, c0 hasCapital t0, c1 hasCapital t1, "
        "c2 hasCapital t3, c0 hasCurrency m0, c1 hasCurrency m0, t0 locatedIn c0, t1 locatedIn c1, "
        "t2 locatedIn c1, t1 followsTimeZone z0"
    )
    return graph_of(schema, nodes, edges)


@each(
    ("template", "types", "relations", "text"),
    [
        ("(n)<-(m0*)", "City Country:France", "hasCapital", "What is the capital of France?"),
        ("(n)<-(m0)<-(m1*)", "City Country Country:France", "hasCapital borders",
         "What are the capitals of the countries that border France?"),
        ("(n)->(m0*)", "Country Currency:Euro", "hasCurrency",
         "Which countries have the Euro as their currency?"),
        ("(n)->(m0)<-(m1*)", "Country Currency Country:France", "hasCurrency hasCurrency",
         "Which other countries have the same currency as France?"),
        ("(n)->(m0)->(m1*)", "Country City TimeZone:Europe/Paris", "hasCapital followsTimeZone",
         "List the countries whose capital is in the time zone Europe/Paris."),
        ("(n)<-(m0*)", "Country City:Lyon", "locatedIn", "In which country is Lyon located?"),
        ("(n)<-(m0)", "City Country", "hasCapital", "List all capitals."),
        ("(n)->(m0*) or (n)->(m1*)", "Country Country:France Country:Luxembourg", "borders borders",
         "Which countries border France or Luxembourg?"),
        ("(n)<-(m0*),(n)<-(m1*)", "Country City:Lyon City:Paris", "locatedIn locatedIn",
         "List the countries in which both Lyon and Paris are located."),
        ("(n)->(m0*),(n)->(m1*)", "City Country:France TimeZone:Europe/Paris", "locatedIn followsTimeZone",
         "Which cities are located in France and in the time zone Europe/Paris?"),
    ],
)  # fmt: skip
def test_templates_of_relations_give_nouns_and_verbs(template, types, relations, text):
    graph = _countries()
    templates = load_templates("geography", {row.label for row in graph.schema.relations})
    texts = QuestionTexts(graph, Realism(draft_characteristics(graph)), templates)
    returned = ReturnClause("union_name" if " or " in template else "n_name")
    assert texts.question(PatternQuery(pattern(template, types, relations), returned)) == text


def test_the_type_of_the_fewest_nodes_keeps_the_name() -> None:
    graph = _countries()
    names = node_names(cast(Inputs, {"source_graph": graph}), graph.triples())
    found = [names[node] for node in ("c0", "t0", "c2", "t3")]
    assert found == ["Luxembourg", "Luxembourg (city)", "Monaco", "Monaco (city)"]
    texts = QuestionTexts(graph, Realism({}))
    names = texts.names(["c0", "t0"], {"c0": "e0", "t0": "e1"})
    assert names == {"topic1": "Luxembourg", "topic2": "Luxembourg (city)"}


# What relations say.


def said(subject: str, object_: str, statement: str = "") -> RelationWords:
    """The words of a relation with these descriptions of its ends."""
    asked = ["Who?"] * 4
    return relation_words(RelationTemplates("P1", statement, *asked, "book", subject, object_))


@each(
    ("relation", "doers", "others"),
    [
        ("receivesAward", "receive X", ("", "X receives")),
        ("memberOfSportsTeam", "are members of X", ("of", "X is a member")),
        ("composer", "are composers of X", ("of", "X is a composer")),
        ("aunt", "point by “aunt” to X", ("to", "X points by “aunt”")),
        ("borders", "border X", ("", "X borders")),
    ],
)
def test_names_say_their_direction(relation: str, doers: str, others: tuple[str, str]) -> None:
    words = relation_words(load_templates("", [relation])[relation])
    assert words.forward is (relation != "composer")
    assert words.of_doer("X", True) == doers
    assert words.of_other("X", False) == others


_GAP = "thing/things | from which {topic} came"


@each(
    ("subject", "object_", "statement", "doers"),
    [
        ("film/films | that was/were written by {topic}", _GAP, "{object} wrote {subject}",
         "were written by X"),
        ("person/people | who is/are or was/were in love with {topic}", _GAP, "", "are in love with X"),
        ("thing/things | to which {topic} leads", _GAP, "{subject} comes or came from {object}",
         "come or came from X"),
        ("film/films | whose makers include {topic}", _GAP, "", "have X as a maker"),
        ("film/films | whose maker is {topic}", _GAP, "the maker of {subject} is {object}",
         "have X as a maker"),
        ("film/films | in which {topic} acted", "actor/actors | who acted in {topic}", "", "acted in X"),
    ],
)  # fmt: skip
def test_what_a_doer_does(subject: str, object_: str, statement: str, doers: str) -> None:
    assert said(subject, object_, statement).of_doer("X", True) == doers


def test_what_has_been_done_is_asked_for_in_the_perfect() -> None:
    assert said("a/b | who has/have lived in {topic}", _GAP).asked("X", False) == "has X lived in"
    assert said("a/b | who has/have had {topic}", _GAP).asked("X", False) == "has X had"
    assert said("a/b | who has/have {topic}", _GAP).asked("X", True) == "do X have"


def test_nouns_and_what_stands_before_a_name() -> None:
    works = "person/people | who works/work in [the field of {topic}]"
    field = said(works, "x/y | in which {topic} works")
    assert (field.before[0], field.kind, field.doer) == ("in", "the field of ", None)
    kin = said(
        "person/people | who is/are an/- aunt/aunts or uncle/uncles of {topic}",
        "person/people | who is/are a/- niece/nieces or nephew/nephews of {topic}",
    )
    assert kin.doer == ("aunt or uncle", "aunts and uncles")
    assert kin.other == ("niece or nephew", "nieces and nephews")
    assert kin.of_doer("X", True) == "are aunts or uncles of X"
    part = said("x/y | that is/are part of {topic}", "x/y | that includes/include {topic}")
    assert part.doer is None
