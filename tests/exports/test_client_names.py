from rulemine.evaluation.metrics_of_others.projects import normalize
from rulemine.exports.client_names import ClientNames, domain_of, relation_names
from rulemine.kg.entity_names import EntityNames

TEXTS = [
    "The Wall",
    "wall!",
    "1984",
    "NaN",
    "Null",
    "!!!",
    "m.A.A.d",
    "g. b.",
    "Ann",
    "Anna",
    "1e5",
]
ENTITIES = [EntityNames(f"e{i:05d}", f"Q{i}", text) for i, text in enumerate(TEXTS)]
RELATIONS = [
    "/people/person/place_of_birth",
    "/people/person/place.of_birth",
    "/film/actor/film./film/performance/film",
    "/common/topic/webpage",
    "/type/object/name",
    "/base/trip/from",
    "owl/sameAs",
    "mother of",
    "Mother-of",
    "kg",
    "出生地",
    "???",
    "!!!",
    "http://xmlns.com/foaf/0.1/knows",
]


def test_ids_are_those_of_freebase_and_never_labels() -> None:
    for naming in ("private", "entity", "text"):
        client = ClientNames.of(ENTITIES, naming, RELATIONS, "toy")
        ids = [e.id for e in client.entities]
        assert ids == [f"m.e{i:05d}" for i in range(len(TEXTS))]
        assert not set(ids) & {e.label for e in client.entities}
        assert client.id[ENTITIES[3].name_in(naming)] == "m.e00003"
    assert ClientNames.of(ENTITIES, "private", [], "toy").label["e00003"] == "e00003"
    assert not ClientNames.of(ENTITIES, "private", [], "toy").relabeled


def test_labels_that_programs_confuse_or_drop_are_changed_and_listed() -> None:
    client = ClientNames.of(ENTITIES, "text", [], "toy")
    assert [e.label for e in client.entities] == [
        "The Wall (m.e00000)",
        "wall! (m.e00001)",
        "1984 (m.e00002)",
        "NaN (m.e00003)",
        "Null (m.e00004)",
        "!!! (m.e00005)",
        "m .A.A.d",
        "g . b.",
        "Ann",
        "Anna",
        "1e5 (m.e00010)",
    ]
    assert [e.name for e in client.relabeled] == [*TEXTS[:8], "1e5"]
    assert len({normalize(e.label) for e in client.entities}) == len(TEXTS)


def test_a_name_that_looks_like_a_made_label_stays_apart() -> None:
    texts = ["NA", "NA me00000", "na (M.E00000)"]
    names = [EntityNames(f"e{i:05d}", text, text) for i, text in enumerate(texts)]
    labels = [e.label for e in ClientNames.of(names, "text", [], "toy").entities]
    assert len({normalize(label) for label in labels}) == len({x.lower() for x in labels}) == 3


def test_relations_have_two_parts_and_stay_apart() -> None:
    names = relation_names(RELATIONS, "toy")
    assert set(names) == set(RELATIONS)
    assert len({name.lower() for name in names.values()}) == len(RELATIONS)
    for name in names.values():
        first, second = name.split(".")
        assert first.lower() not in ("kg", "common", "freebase", "type")
        assert all(part.replace("_", "x").isalnum() for part in (first, second))
        assert "sameas" not in name.lower()
        assert second not in ("from", "to")
    same = {names["/people/person/place_of_birth"], names["/people/person/place.of_birth"]}
    assert same == {"people.person_place_of_birth", "people.person_place_of_birth_2"}
    assert (
        names["/film/actor/film./film/performance/film"] == "film.actor_film__film_performance_film"
    )
    assert names["mother of"] == "toy.mother_of_2"
    assert names["http://xmlns.com/foaf/0.1/knows"] == "foaf.0_1_knows"


def test_the_order_of_relations_does_not_matter() -> None:
    assert relation_names(RELATIONS, "toy") == relation_names(reversed(RELATIONS), "toy")


def test_a_domain_is_a_data_set_or_a_file() -> None:
    assert domain_of("family") == "family"
    assert domain_of("/data/My graph.tsv.gz") == "My_graph"
    assert domain_of("") == "graph"
