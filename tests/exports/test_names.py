"""Names that other programs see: ids and labels of clients, and those of the graph's source."""

from types import SimpleNamespace

from rulemine.evaluation.metrics_of_others.projects import normalize
from rulemine.exports.client_names import ClientNames, domain_of, relation_names
from rulemine.exports.iris import SourceNames
from rulemine.kg.entity_names import EntityNames
from rulemine.query.parser import parse
from rulemine.query.sparql import to_sparql
from tests import each

LABELS = {
    "The Wall": "The Wall (m.e00000)", "wall!": "wall! (m.e00001)", "1984": "1984 (m.e00002)",
    "NaN": "NaN (m.e00003)", "Null": "Null (m.e00004)", "!!!": "!!! (m.e00005)", "m.A.A.d": "m .A.A.d",
    "g. b.": "g . b.", "Ann": "Ann", "Anna": "Anna", "1e5": "1e5 (m.e00010)",
}  # fmt: skip
"""Names that programs confuse or drop, and two that they do not → their labels."""

RELATIONS = {
    "/people/person/place_of_birth": "people.person_place_of_birth_2",
    "/people/person/place.of_birth": "people.person_place_of_birth",
    "/film/actor/film./film/performance/film": "film.actor_film__film_performance_film",
    "mother of": "toy.mother_of_2", "http://xmlns.com/foaf/0.1/knows": "foaf.0_1_knows",
    **dict.fromkeys(("/common/topic/webpage", "/type/object/name", "/base/trip/from", "owl/sameAs")),
    **dict.fromkeys(("Mother-of", "kg", "出生地", "???", "!!!")),
}  # fmt: skip
"""Relation → its name, where that is all it could be."""


def named(texts: list[str]) -> list[EntityNames]:
    return [EntityNames(f"e{i:05d}", f"Q{i}", text) for i, text in enumerate(texts)]


def test_ids_are_those_of_freebase_and_never_labels():
    entities = named([*LABELS])
    for naming in ("private", "entity", "text"):
        client = ClientNames.of(entities, naming, RELATIONS, "toy")
        ids = [e.id for e in client.entities]
        assert ids == [f"m.e{i:05d}" for i in range(len(LABELS))]
        assert not set(ids) & {e.label for e in client.entities}
        assert client.id[entities[3].name_in(naming)] == "m.e00003"
    private = ClientNames.of(entities, "private", [], "toy")
    assert (private.label["e00003"], private.relabeled) == ("e00003", ())


def test_labels_that_programs_confuse_or_drop_are_changed_and_listed():
    client = ClientNames.of(named([*LABELS]), "text", [], "toy")
    assert {e.name: e.label for e in client.entities} == LABELS
    assert {e.name for e in client.relabeled} == {n for n, label in LABELS.items() if n != label}
    for texts in ([*LABELS], ["NA", "NA me00000", "na (M.E00000)"]):  # which look like made labels
        labels = [e.label for e in ClientNames.of(named(texts), "text", [], "toy").entities]
        apart = {normalize(label) for label in labels}
        assert len(apart) == len({label.lower() for label in labels}) == len(texts)


def test_relations_have_two_parts_and_stay_apart():
    names = relation_names(RELATIONS, "toy")
    assert names == relation_names(reversed(RELATIONS), "toy")
    assert {r: name for r, name in RELATIONS.items() if name}.items() <= names.items()
    assert names.keys() == RELATIONS.keys()
    assert len({name.lower() for name in names.values()}) == len(RELATIONS)
    for name in names.values():
        first, second = name.split(".")
        assert first.lower() not in ("kg", "common", "freebase", "type")
        assert all(part.replace("_", "x").isalnum() for part in (first, second))
        assert "sameas" not in name.lower()
        assert second not in ("from", "to")


def test_a_domain_is_a_data_set_or_a_file():
    given = ("family", "/data/My graph.tsv.gz", "")
    assert [*map(domain_of, given)] == ["family", "My_graph", "graph"]


# Names of the source

YAGO = "http://yago-knowledge.org/resource/"
FREEBASE = "http://rdf.freebase.com/ns/"


def source(
    entities: dict[str, str], relations: list[str], naming: str = "text", **iris: str
) -> SourceNames:
    """The names of entities, by name in the source → label, and of relations, of some with an IRI."""
    made = [EntityNames(f"e{n}", name, text) for n, (name, text) in enumerate(entities.items())]
    given = SimpleNamespace(
        naming=naming,
        release=SimpleNamespace(entities=made, manifest={"kg": {"relation_iris": iris}}),
        client=ClientNames.of(made, naming, relations, "graph"),
    )
    return SourceNames.of(given)


def test_an_iri_of_the_source_is_kept():
    taxa = {f"{YAGO}Pecora": "Pecora", f"{YAGO}Suina": "Suina"}
    found = source(taxa, ["schema:parentTaxon", "near"])
    assert found.entity == {text: iri for iri, text in taxa.items()}
    assert found.entity_id == {"Pecora": "Pecora", "Suina": "Suina"}
    assert found.iris([("Pecora", "schema:parentTaxon", "Suina")]) == [
        [f"{YAGO}Pecora", "http://schema.org/parentTaxon", f"{YAGO}Suina"]
    ]
    assert found.relation["near"] == f"{FREEBASE}graph.near"  # the source has no IRI of it
    known = source(taxa, ["near"], near="http://a.org/near_to")
    assert known.relation == {"near": "http://a.org/near_to"}
    assert known.relation_id == {"near": "near_to"}
    urn = source({"urn:isbn:1": "A book"}, ["near"], near="urn:near")
    assert urn.iris([("A book", "near", "A book")]) == [["urn:isbn:1", "urn:near", "urn:isbn:1"]]


def test_ids_of_wikidata_are_prefixed_names_in_queries():
    found = source({"Q38": "Italy", "Q220": "Rome"}, ["P36"])
    assert found.ids([("Italy", "P36", "Rome")]) == [["Q38", "P36", "Q220"]]
    assert found.sparql(to_sparql(parse('(p "P36" "Italy")'))) == (
        "SELECT DISTINCT ?answer WHERE { wd:Q38 wdt:P36 ?answer . }"
    )
    assert found.entity["Italy"] == "http://www.wikidata.org/entity/Q38"


def test_ids_of_freebase_are_its_iris_and_private_names_stay_private():
    found = source({"/m/0f8l9c": "France"}, ["/location/country/capital"])
    assert found.entity == {"France": f"{FREEBASE}m.0f8l9c"}
    assert found.relation_id == {"/location/country/capital": "location.country.capital"}
    found = source({"Q38": "Italy"}, ["P36"], naming="private")
    assert found.entity == {"e0": f"{FREEBASE}m.e0"}
    assert found.relation == {"P36": f"{FREEBASE}graph.P36"}


@each("naming", ["text", "entity"])
def test_ids_that_two_have_are_iris(naming):
    found = source({"http://a.org/x": "one", "http://b.org/x": "two"}, ["r"], naming)
    assert sorted(found.entity_id.values()) == ["http://a.org/x", "http://b.org/x"]
