import random
from dataclasses import replace

from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.property_graph.faults import Faults
from rulemine.kg.property_graph.observed import from_triples
from rulemine.kg.property_graph.schema import EntityType

TRIPLES = [
    ("ann", "lives_in", "rome"), ("bo", "lives_in", "rome"), ("cy", "lives_in", "oslo"),
    ("ann", "2 knows/of", "bo"), ("rome", "twin", "oslo"),
]  # fmt: skip
KG = KnowledgeGraph.from_triples(TRIPLES)


def test_a_draft_has_every_signature_and_what_the_triples_call_it() -> None:
    schema = from_triples(KG, "towns").schema
    assert {row.label: row.sources for row in schema.entities} == {
        "ObjectOfLivesIn": ("object of lives_in",),
        "SubjectOfLivesIn": ("subject of lives_in",),
    }
    assert [(row.signature, row.sources) for row in schema.relations] == [
        (("ObjectOfLivesIn", "twin", "ObjectOfLivesIn"), ()),
        (("SubjectOfLivesIn", "lives_in", "ObjectOfLivesIn"), ()),
        (("SubjectOfLivesIn", "relation_2_knows_of", "SubjectOfLivesIn"), ("2 knows/of",)),
    ]


def test_the_order_of_triples_does_not_matter() -> None:
    shuffled = random.Random(1).sample(TRIPLES, len(TRIPLES))
    one = from_triples(KG, "towns")
    other = from_triples(KnowledgeGraph.from_triples(shuffled), "towns")
    assert (one.nodes, one.edges, one.schema) == (other.nodes, other.edges, other.schema)
    assert one.triples().labeled() == sorted(
        (s, r.replace("2 knows/of", "relation_2_knows_of"), o) for s, r, o in TRIPLES
    )


def test_an_edited_draft_renames_merges_and_leaves_out() -> None:
    draft = from_triples(KG, "towns").schema
    thing = EntityType("Thing", sources=tuple(s for row in draft.entities for s in row.sources))
    twin = replace(
        draft.relations[0], label="twinOf", subject="Thing", object="Thing", sources=("twin",)
    )
    left_out = Faults()
    graph = from_triples(
        KG, "", replace(draft, entities=(thing,), relations=(twin,)), {"ann": "Ann"}, left_out
    )
    assert [(node.id, node.type, node.name) for node in graph.nodes][:2] == [
        ("ann", "Thing", "Ann"), ("bo", "Thing", "bo"),
    ]  # fmt: skip
    assert [edge.id for edge in graph.edges] == ["twinOf#rome#oslo"]
    assert left_out.counts == {"edges of signatures not in the schema": 4}


def test_stated_types_are_no_edges_and_classes_no_nodes() -> None:
    kg = KnowledgeGraph.from_triples(
        [("ann", "type", "Person"), ("bo", "type", "Person"), ("bo", "type", "Actor"),
         ("cy", "type", "Person"), ("ann", "knows", "bo"), ("oslo", "type", "Town")]
    )  # fmt: skip
    graph = from_triples(kg, "people")
    assert [(node.id, node.type) for node in graph.nodes] == [
        ("ann", "Person"), ("bo", "Person"), ("cy", "Person"), ("oslo", "Town"),
    ]  # fmt: skip
    assert [edge.type for edge in graph.edges] == ["knows"]


def test_types_are_what_most_relations_of_an_entity_call_it() -> None:
    triples = [(f"p{i}", "born in", f"t{i % 5}") for i in range(20)]
    triples += [(f"p{i}", "works as", f"job{i % 6}") for i in range(20)]
    triples += [
        ("f1", "cast", "p0"),
        ("f2", "cast", "p0"),
        ("f3", "cast", "p0"),
        ("f1", "about", "x"),
    ]
    nouns = {
        ("born in", "subject"): "person",
        ("born in", "object"): "place",
        ("works as", "subject"): "person",
        ("works as", "object"): "occupation",
        ("cast", "object"): "actor",
        ("cast", "subject"): "film",
    }
    kg = KnowledgeGraph.from_triples(triples)
    types = {node.id: node.type for node in from_triples(kg, "people", nouns=nouns).nodes}
    assert (
        types["p0"] == types["p1"] == "Person"
    )  # an actor in three films has two relations of people
    assert (types["t0"], types["job3"], types["f2"], types["x"]) == (
        "Place",
        "Occupation",
        "Film",
        "Thing",
    )


def test_a_word_that_few_entities_have_is_given_up_for_another() -> None:
    triples = [(f"p{i}", "born in", f"t{i % 9}") for i in range(100)]
    triples += [("p0", "knighted by", "p1"), ("p0", "knighted in", "t0")]
    nouns = {
        ("born in", "subject"): "person",
        ("born in", "object"): "place",
        ("knighted by", "subject"): "knight",
        ("knighted in", "subject"): "knight",
    }
    kg = KnowledgeGraph.from_triples(triples)
    types = {node.id: node.type for node in from_triples(kg, "people", nouns=nouns).nodes}
    assert types["p0"] == "Person"


def test_without_words_for_most_entities_types_are_induced_and_an_older_draft_still_holds() -> None:
    kg = KnowledgeGraph.from_triples(
        [("ann", "r1", "rome"), ("bo", "r1", "rome"), ("rome", "r2", "lazio")]
    )
    few = from_triples(kg, "towns", nouns={("r2", "object"): "region"})
    assert {node.type for node in few.nodes} == {
        node.type for node in from_triples(kg, "towns").nodes
    }
    every = {("r1", "subject"): "person", ("r1", "object"): "town", ("r2", "object"): "region"}
    older = from_triples(kg, "towns").schema
    assert len(from_triples(kg, "towns", older, nouns=every).nodes) == len(kg.entities)


def test_edges_between_types_that_a_relation_hardly_ever_joins_are_left_out_and_counted() -> None:
    triples = [(f"p{i}", "born in", f"t{i % 9}") for i in range(300)]
    triples += [("p0", "born in", "p1"), *((f"p{i}", "lives in", f"t{i % 9}") for i in range(20))]
    nouns = {
        (r, e): n
        for r in ("born in", "lives in")
        for e, n in (("subject", "person"), ("object", "place"))
    }
    left_out = Faults()
    kg = KnowledgeGraph.from_triples(triples)
    graph = from_triples(kg, "people", left_out=left_out, nouns=nouns)
    assert len(graph.edges) == len(triples) - 1
    assert "edges between types that their relation hardly ever joins: 1" in left_out.summary()
    assert len(
        from_triples(kg, "people", from_triples(kg, "people").schema, nouns=nouns).edges
    ) == len(triples)
