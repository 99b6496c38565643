"""Property graphs of triples: induced types, words for types, drafts of schemas."""

import random
from dataclasses import replace

from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.property_graph.faults import Faults
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.observed import from_triples
from rulemine.kg.property_graph.schema import EntityType

TRIPLES = [
    ("ann", "lives_in", "rome"), ("bo", "lives_in", "rome"), ("cy", "lives_in", "oslo"),
    ("ann", "2 knows/of", "bo"), ("rome", "twin", "oslo"),
]  # fmt: skip
KG = KnowledgeGraph.from_triples(TRIPLES)
DRAFT = from_triples(KG, "towns").schema


def graph(*triples: tuple[str, str, str], **more: object) -> PropertyGraph:
    return from_triples(KnowledgeGraph.from_triples(triples), "people", **more)  # type: ignore[arg-type]


def types(found: PropertyGraph) -> dict[str, str]:
    return {node.id: node.type for node in found.nodes}


def test_a_draft_has_every_signature_and_what_the_triples_call_it() -> None:
    assert {row.label: row.sources for row in DRAFT.entities} == {
        "ObjectOfLivesIn": ("object of lives_in",), "SubjectOfLivesIn": ("subject of lives_in",),
    }  # fmt: skip
    assert [(" ".join(row.signature), row.sources) for row in DRAFT.relations] == [
        ("ObjectOfLivesIn twin ObjectOfLivesIn", ()),
        ("SubjectOfLivesIn lives_in ObjectOfLivesIn", ()),
        ("SubjectOfLivesIn relation_2_knows_of SubjectOfLivesIn", ("2 knows/of",)),
    ]
    one, other = from_triples(KG, "towns"), graph(*random.Random(1).sample(TRIPLES, 5))
    assert (one.nodes, one.edges) == (other.nodes, other.edges)
    assert len(one.edges) == 5


def test_an_edited_draft_renames_merges_and_leaves_out() -> None:
    thing = EntityType("Thing", sources=tuple(s for row in DRAFT.entities for s in row.sources))
    ends = {"subject": "Thing", "object": "Thing"}
    twin = replace(DRAFT.relations[0], label="twinOf", sources=("twin",), **ends)
    left_out = Faults()
    schema = replace(DRAFT, entities=(thing,), relations=(twin,))
    found = from_triples(KG, "", schema, {"ann": "Ann"}, left_out)
    assert {*types(found).values()} == {"Thing"}
    assert [node.name for node in found.nodes[:2]] == ["Ann", "bo"]
    assert [edge.id for edge in found.edges] == ["twinOf#rome#oslo"]
    assert left_out.counts == {"edges of signatures not in the schema": 4}


def test_stated_types_are_no_edges_and_classes_no_nodes() -> None:
    stated = (
        ("ann", "Person"),
        ("bo", "Person"),
        ("bo", "Actor"),
        ("cy", "Person"),
        ("oslo", "Town"),
    )
    found = graph(*((who, "type", what) for who, what in stated), ("ann", "knows", "bo"))
    assert types(found) == {"ann": "Person", "bo": "Person", "cy": "Person", "oslo": "Town"}
    assert [edge.type for edge in found.edges] == ["knows"]


BORN = {("born in", "subject"): "person", ("born in", "object"): "place"}


def test_types_are_what_most_relations_of_an_entity_call_it() -> None:
    triples = [(f"p{i}", "born in", f"t{i % 5}") for i in range(20)]
    triples += [(f"p{i}", "works as", f"job{i % 6}") for i in range(20)]
    triples += [(f"f{i}", "cast", "p0") for i in (1, 2, 3)] + [("f1", "about", "x")]
    nouns = BORN | {
        ("works as", "subject"): "person", ("works as", "object"): "occupation",
        ("cast", "object"): "actor", ("cast", "subject"): "film",
    }  # fmt: skip
    found = types(graph(*triples, nouns=nouns))
    # An actor in three films has two relations of people.
    assert [found[one] for one in ("p0", "p1", "t0")] == ["Person", "Person", "Place"]
    assert [found[one] for one in ("job3", "f2", "x")] == ["Occupation", "Film", "Thing"]
    triples = [(f"p{i}", "born in", f"t{i % 9}") for i in range(100)]
    triples += [("p0", "knighted by", "p1"), ("p0", "knighted in", "t0")]
    rare = {(f"knighted {end}", "subject"): "knight" for end in ("by", "in")}
    assert types(graph(*triples, nouns=BORN | rare))["p0"] == "Person"


def test_without_words_for_most_entities_types_are_induced_and_an_older_draft_still_holds() -> None:
    triples = [("ann", "r1", "rome"), ("bo", "r1", "rome"), ("rome", "r2", "lazio")]
    older = graph(*triples)
    assert types(graph(*triples, nouns={("r2", "object"): "region"})) == types(older)
    every = {("r1", "subject"): "person", ("r1", "object"): "town", ("r2", "object"): "region"}
    assert len(graph(*triples, schema=older.schema, nouns=every).nodes) == 4


def test_edges_between_types_that_a_relation_hardly_ever_joins_are_left_out_and_counted() -> None:
    triples = [(f"p{i}", "born in", f"t{i % 9}") for i in range(300)]
    triples += [("p0", "born in", "p1"), *((f"p{i}", "lives in", f"t{i % 9}") for i in range(20))]
    nouns = BORN | {("lives in", end): noun for (_, end), noun in BORN.items()}
    left_out = Faults()
    assert len(graph(*triples, left_out=left_out, nouns=nouns).edges) == len(triples) - 1
    assert left_out.counts == {"edges between types that their relation hardly ever joins": 1}
    draft = graph(*triples).schema
    assert len(graph(*triples, schema=draft, nouns=nouns).edges) == len(triples)
