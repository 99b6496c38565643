"""Ids, dates, addresses, images and the like are known by name and by objects; things stay."""

from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.recipe.inputs import Inputs
from rulemine.recipe.loading import load_recipe
from rulemine.recipe.relation_filter import found_filter
from tests import each

THINGS = [(f"person {i}", "knows", f"person {(7 * i + 1) % 90}") for i in range(90)]


def with_relation(name, triples=3):
    """A graph with a relation between persons who know one another."""
    return KnowledgeGraph.from_triples(
        [*THINGS, *((f"person {i}", name, f"person {i + 40}") for i in range(triples))]
    )


@each(
    "name", ["birth date", "dateOfBirth", "release_year", "publication date", "inception", "IMDb ID",
    "http://www.wikidata.org/prop/VIAF_identifier", "postal code", "image", "coat of arms image",
    "locator map", "homepage", "official website", "sex or gender", "gender", "native label", "given name",
    "family_name", "schema:description", "owl:sameAs", "rdfs:seeAlso", "topic's main category", "population",
    "runtime"]
)  # fmt: skip
def test_a_name_says_that_a_relation_is_not_asked_about(name):
    assert list(found_filter(with_relation(name)).drop) == [name]


@each(
    "name", ["sibling", "record label", "has_genre", "country of citizenship", "named after", "located in",
    "located in time zone", "genus", "sexual partner", "mayor", "image processor", "place of birth",
    "award category", "P3373", "r17"]
)  # fmt: skip
def test_other_relations_stay(name):
    assert found_filter(with_relation(name)).drop == {}


@each(
    ("value", "why"), [("19{:02}", "numbers"), ("{}.5 kg", "numbers"), ("2001-03-{}", "dates"),
    ("https://example.org/{}.html", "addresses")]
)  # fmt: skip
def test_objects_that_look_like_literals_are_not_asked_for(value, why):
    rows: list[Triple] = [(f"person {i}", "has", value.format(i % 20)) for i in range(60)]
    assert found_filter(KnowledgeGraph.from_triples([*THINGS, *rows])).drop == {
        "has": f"its objects are {why}"
    }


def test_a_graph_whose_entities_are_numbers_keeps_its_relations():
    rows = [(str(i), "aunt", str((7 * i + 1) % 90)) for i in range(90)]
    assert found_filter(KnowledgeGraph.from_triples(rows)).drop == {}


def test_values_of_one_thing_each_are_not_asked_for():
    rows = [(f"person {i}", "r", f"value {i}") for i in range(60)]
    found = found_filter(KnowledgeGraph.from_triples([*THINGS, *rows]))
    assert found.drop == {"r": "nothing else is known of its objects: values of one thing each"}


def test_a_phrase_book_knows_what_is_not_asked_about():
    rows = [(f"person {i}", "P21", f"person {i % 9}") for i in range(60)]
    names = ("P19", "P22", "P25", "P26", "P40")
    rows += [(f"person {i}", name, f"person {i + 5}") for name in names for i in range(60)]
    assert [*found_filter(KnowledgeGraph.from_triples(rows)).drop] == ["P21"]


def test_what_is_found_is_left_out_and_an_empty_filter_finds_nothing(tmp_path):
    with_relation("birth date").write(tmp_path / "kg.tsv")
    given = (("questions", "filter"), "found")
    assert [*Inputs(load_recipe(str(tmp_path / "kg.tsv"), [given])).excluded] == ["birth date"]
    assert Inputs(load_recipe(str(tmp_path / "kg.tsv"), [])).excluded == {}


def test_a_relation_is_known_by_what_it_is_called():
    kg = with_relation("r12")
    assert found_filter(kg).drop == {}
    assert [*found_filter(kg, {"r12": "date of birth"}).drop] == ["r12"]
