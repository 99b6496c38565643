"""Types of entities: stated, read off the names of relations, or induced."""

from rulemine.kg.entity_types import EntityTypes, types_of
from rulemine.kg.graph import KnowledgeGraph
from tests import each


def types(*triples: str) -> tuple[KnowledgeGraph, EntityTypes]:
    kg = KnowledgeGraph.from_triples(tuple(line.split()) for line in triples)
    return kg, types_of(kg)


STATED = ("ann rdf:type Person", "ann rdf:type Painter", "bo rdf:type Person", "cy rdf:type Person")
FREEBASE = (
    "ann /people/person/nationality italy", "ann /film/actor/film./film/performance/film heat",
    "heat /film/film/country italy", "italy /location/country/capital rome",
    "rome /common/topic/webpage./common/webpage/category home",
)  # fmt: skip
TOWNS = (
    "ann lives_in rome", "bo lives_in rome", "cy lives_in oslo", "dee lives_in oslo", "ann born_in rome",
    "bo born_in rome", "cy born_in rome", "dee born_in bern", "eve born_in bern", "ann knows zoe",
)  # fmt: skip
CASES: list[tuple[tuple[str, ...], str, dict[str, set[str]]]] = [
    # What has no stated type gets an induced one.
    (STATED, "stated, induced", {"ann": {"Painter", "Person"}, "Person": {"object of rdf:type"}}),
    # A relation that types few does not count.
    (("ann type P", "bo knows cy", "cy knows dee", "dee knows eve"), "induced",
     {"ann": {"subject of type"}}),
    # Everything may be a topic, so that says nothing.
    (FREEBASE, "names, induced", {
        "ann": {"/film/actor", "/people/person"}, "heat": {"/film/film"},
        "home": {"object of /common/topic/webpage./common/webpage/category"},
    }),
    # Subjects and objects with mostly the same members are one type; one of three cities is in both: two.
    (TOWNS, "induced", {
        "ann": {"subject of born_in", "subject of knows"}, "eve": {"subject of born_in"},
        "rome": {"object of born_in", "object of lives_in"}, "zoe": {"object of knows"},
    }),
]  # fmt: skip


@each(("triples", "source", "expected"), CASES)
def test_what_types_entities_have(
    triples: tuple[str, ...], source: str, expected: dict[str, set[str]]
) -> None:
    kg, found = types(*triples)
    assert found.source == source
    for entity, names in expected.items():
        assert found.labels(found.of(kg.entity_ids[entity])) == tuple(sorted(names))
    assert all("/common/topic" not in name.split() for name in found.names)


def test_types_depend_on_the_triples_alone() -> None:
    lines = [f"e{i % 7} r{i % 3} e{(5 * i + 1) % 9}" for i in range(30)]
    (kg, one), (_, two) = types(*lines), types(*reversed(lines))
    assert one.names == two.names
    every = range(len(kg.entities))
    assert [one.of(i) for i in every] == [two.of(i) for i in every]
    assert all(one.of(i) for i in every)


def test_types_that_entities_share_and_entities_that_have_all_of_some_types() -> None:
    kg, found = types("ann type painter", "ann type king", "bo type king", "cy type painter")
    number = {name: i for i, name in enumerate(found.names)}
    for wanted, expected in (("king", "ann bo"), ("king painter", "ann"), ("painter", "ann cy")):
        some = found.having(number[name] for name in wanted.split())
        assert " ".join(kg.entities[i] for i in some.tolist()) == expected
    ann, bo, cy = (kg.entity_ids[name] for name in ("ann", "bo", "cy"))
    assert found.labels(found.shared([ann, bo])) == ("king",)
    assert found.shared([]) == found.shared([bo, cy]) == frozenset()
