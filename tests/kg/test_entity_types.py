from rulemine.kg.entity_types import EntityTypes, types_of
from rulemine.kg.graph import KnowledgeGraph


def types(*triples: str) -> tuple[KnowledgeGraph, EntityTypes]:
    kg = KnowledgeGraph.from_triples(tuple(line.split()) for line in triples)
    return kg, types_of(kg)


def of(kg: KnowledgeGraph, found: EntityTypes, entity: str) -> tuple[str, ...]:
    return found.labels(found.of(kg.entity_ids[entity]))


def test_types_that_the_graph_states() -> None:
    kg, found = types(
        "ann rdf:type Person", "ann rdf:type Painter", "bo rdf:type Person", "cy rdf:type Person"
    )
    assert found.source == "stated, induced"
    assert of(kg, found, "ann") == ("Painter", "Person")
    assert found.labels(found.shared([kg.entity_ids["ann"], kg.entity_ids["bo"]])) == ("Person",)
    # What has no stated type gets an induced one.
    assert of(kg, found, "Person") == ("object of rdf:type",)


def test_a_relation_that_types_few_does_not_count() -> None:
    kg, found = types("ann type Person", "bo knows cy", "cy knows dee", "dee knows eve")
    assert found.source == "induced"
    assert of(kg, found, "ann") == ("subject of type",)


def test_types_in_the_names_of_freebase() -> None:
    kg, found = types(
        "ann /people/person/nationality italy",
        "ann /film/actor/film./film/performance/film heat",
        "heat /film/film/country italy",
        "italy /location/country/capital rome",
        "rome /common/topic/webpage./common/webpage/category home",
    )
    assert found.source == "names, induced"
    assert of(kg, found, "ann") == ("/film/actor", "/people/person")
    assert of(kg, found, "heat") == ("/film/film",)
    # Everything may be a topic, so that says nothing.
    assert all("/common/topic" not in name.split() for name in found.names)
    assert of(kg, found, "home") == ("object of /common/topic/webpage./common/webpage/category",)


def test_subjects_and_objects_with_mostly_the_same_members_are_one_type() -> None:
    kg, found = types(
        "ann lives_in rome", "bo lives_in rome", "cy lives_in oslo", "dee lives_in oslo",
        "ann born_in rome", "bo born_in rome", "cy born_in rome", "dee born_in bern",
        "eve born_in bern", "ann knows zoe",
    )  # fmt: skip
    assert found.source == "induced"
    assert of(kg, found, "ann") == ("subject of born_in", "subject of knows")
    assert of(kg, found, "eve") == ("subject of born_in",)
    # One of three cities is in both: two types.
    assert of(kg, found, "rome") == ("object of born_in", "object of lives_in")
    assert of(kg, found, "zoe") == ("object of knows",)


def test_nothing_is_shared_by_nobody() -> None:
    kg, found = types("a r b", "c q d")
    assert found.shared([]) == frozenset()
    assert found.shared([kg.entity_ids["a"], kg.entity_ids["d"]]) == frozenset()
    assert found.labels(found.shared([kg.entity_ids["a"]])) == ("subject of r",)


def test_types_depend_on_the_triples_alone() -> None:
    lines = [f"e{i % 7} r{i % 3} e{(5 * i + 1) % 9}" for i in range(30)]
    kg, one = types(*lines)
    _, two = types(*reversed(lines))
    assert one.names == two.names
    assert [one.of(i) for i in range(len(kg.entities))] == [
        two.of(i) for i in range(len(kg.entities))
    ]
    assert all(one.of(i) for i in range(len(kg.entities)))


def test_entities_that_have_all_of_some_types() -> None:
    kg, found = types("ann type painter", "ann type king", "bo type king", "cy type painter")
    number = {name: i for i, name in enumerate(found.names)}
    for wanted, expected in (("king", "ann bo"), ("king painter", "ann"), ("painter", "ann cy")):
        some = found.having(number[name] for name in wanted.split())
        assert " ".join(kg.entities[i] for i in some.tolist()) == expected
