"""Entities and relations as the graph's source names them."""

from types import SimpleNamespace
from typing import Any

from rulemine.exports.client_names import ClientNames
from rulemine.exports.iris import SourceNames
from rulemine.kg.entity_names import EntityNames
from rulemine.query.parser import parse
from rulemine.query.sparql import to_sparql
from tests import each

YAGO = "http://yago-knowledge.org/resource/"
FREEBASE = "http://rdf.freebase.com/ns/"


def names(
    entities: dict[str, str], relations: list[str], naming: str = "text", **iris: str
) -> SourceNames:
    """Those of entities by name in the source → label, and of relations, of some with an IRI."""
    made = [EntityNames(f"e{n}", name, text) for n, (name, text) in enumerate(entities.items())]
    given: Any = SimpleNamespace(
        naming=naming,
        release=SimpleNamespace(entities=made, manifest={"kg": {"relation_iris": iris}}),
        client=ClientNames.of(made, naming, relations, "graph"),
    )
    return SourceNames.of(given)


def test_an_iri_of_the_source_is_kept() -> None:
    found = names(
        {f"{YAGO}Pecora": "Pecora", f"{YAGO}Suina": "Suina"}, ["schema:parentTaxon", "near"]
    )
    assert found.entity == {"Pecora": f"{YAGO}Pecora", "Suina": f"{YAGO}Suina"}
    assert found.entity_id == {"Pecora": "Pecora", "Suina": "Suina"}
    assert found.iris([("Pecora", "schema:parentTaxon", "Suina")]) == [
        [f"{YAGO}Pecora", "http://schema.org/parentTaxon", f"{YAGO}Suina"]
    ]
    assert found.relation["near"] == f"{FREEBASE}graph.near"  # the source has no IRI of it
    known = names({f"{YAGO}Pecora": "Pecora"}, ["near"], near="http://a.org/near_to")
    assert known.relation == {"near": "http://a.org/near_to"}
    assert known.relation_id == {"near": "near_to"}
    urn = names({"urn:isbn:1": "A book"}, ["near"], near="urn:near")
    assert urn.iris([("A book", "near", "A book")]) == [["urn:isbn:1", "urn:near", "urn:isbn:1"]]


def test_ids_of_wikidata_are_prefixed_names_in_queries() -> None:
    found = names({"Q38": "Italy", "Q220": "Rome"}, ["P36"])
    assert found.ids([("Italy", "P36", "Rome")]) == [["Q38", "P36", "Q220"]]
    assert found.sparql(to_sparql(parse('(p "P36" "Italy")'))) == (
        "SELECT DISTINCT ?answer WHERE { wd:Q38 wdt:P36 ?answer . }"
    )
    assert found.entity["Italy"] == "http://www.wikidata.org/entity/Q38"


def test_ids_of_freebase_are_its_iris() -> None:
    found = names({"/m/0f8l9c": "France"}, ["/location/country/capital"])
    assert found.entity == {"France": f"{FREEBASE}m.0f8l9c"}
    assert found.relation_id == {"/location/country/capital": "location.country.capital"}


def test_private_names_stay_private() -> None:
    found = names({"Q38": "Italy"}, ["P36"], naming="private")
    assert found.entity == {"e0": f"{FREEBASE}m.e0"}
    assert found.relation == {"P36": f"{FREEBASE}graph.P36"}


@each("naming", ["text", "entity"])
def test_ids_that_two_have_are_iris(naming: str) -> None:
    found = names({"http://a.org/x": "one", "http://b.org/x": "two"}, ["r"], naming)
    assert sorted(found.entity_id.values()) == ["http://a.org/x", "http://b.org/x"]
