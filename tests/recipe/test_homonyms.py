from rulemine.kg.graph import KnowledgeGraph
from rulemine.phrasing.templates import load_templates
from rulemine.recipe.inputs import nouns_of, tell_apart

TRIPLES = [
    *[(f"p{n}", "type", "planet") for n in range(4)], *[(f"g{n}", "type", "god") for n in range(4)],
    ("p0", "crater", "c1"), ("g0", "crater", "c2"), ("p0", "in", "space"), ("g0", "in", "space"),
    ("x1", "next_to", "x2")
]  # fmt: skip
LABELS = {
    "p0": "Mercury", "g0": "Mercury", "planet": "Planet", "god": "God", "c1": "Caloris", "space": "Space",
    "x1": "Rome", "x2": "Rome", "p1": "Venus",
}  # fmt: skip


def test_homonyms_get_the_commonest_word_that_the_others_lack():
    kg = KnowledgeGraph.from_triples(TRIPLES)
    assert tell_apart(kg, LABELS, kg.entities) == {"p0": "Mercury (Planet)", "g0": "Mercury (God)"}
    assert tell_apart(
        kg.renamed({e: e for e in kg.entities}), LABELS, [*kg.entities][::-1]
    ) == {"p0": "Mercury (Planet)", "g0": "Mercury (God)"}  # fmt: skip


def test_types_come_before_neighbors_where_homonyms_differ_in_them():
    kg = KnowledgeGraph.from_triples(TRIPLES)
    types = dict.fromkeys(kg.entities, "thing") | {"g0": "deity"}
    assert tell_apart(kg, LABELS, ["p0", "g0"], types) == {
        "p0": "Mercury (thing)", "g0": "Mercury (deity)",
    }  # fmt: skip
    types["g0"] = "thing"
    assert tell_apart(kg, LABELS, ["p0", "g0"], types) == tell_apart(kg, LABELS, ["p0", "g0"])


def test_a_gender_tells_nobody_apart():
    kg = KnowledgeGraph.from_triples(
        [("a", "gender", "Male"), ("b", "gender", "Female"), ("a", "born", "x"), ("b", "born", "y")]
    )
    labels = {"a": "Ann", "b": "Ann", "Male": "Male", "Female": "Female", "x": "X", "y": "Y"}
    assert tell_apart(kg, labels, kg.entities, mute={"gender"}) == {"a": "Ann (X)", "b": "Ann (Y)"}


def test_a_type_that_is_called_like_the_homonyms_says_nothing():
    kg = KnowledgeGraph.from_triples([("m1", "near", "sun"), ("m2", "near", "mars")])
    labels = {"m1": "Mercury", "m2": "Mercury"}
    assert tell_apart(kg, labels, kg.entities, {"m1": "Mercury"}) == {}


def test_a_label_that_exists_is_not_given_again():
    kg = KnowledgeGraph.from_triples(TRIPLES)
    labels = {**LABELS, "p2": "Mercury (Planet)"}
    assert tell_apart(kg, labels, kg.entities) == {"p0": "Mercury (Caloris)", "g0": "Mercury (God)"}


def test_what_most_triples_of_a_relation_share_says_nothing():
    kg = KnowledgeGraph.from_triples(
        [*((f"p{n}", "type", "planet") for n in range(4)), ("g0", "is", "god")]
    )
    assert tell_apart(kg, {**LABELS, "god": "God"}, kg.entities) == {}


def test_entities_outside_the_graph_are_homonyms_too():
    kg = KnowledgeGraph.from_triples(TRIPLES)
    labels = {"p1": "Venus", "star": "Venus", "planet": "Planet"}
    assert tell_apart(kg, labels, [*kg.entities, "star"]) == {"p1": "Venus (Planet)"}


def test_entities_that_are_their_own_labels_are_never_homonyms():
    kg = KnowledgeGraph.from_triples(TRIPLES)
    assert tell_apart(kg, {}, kg.entities) == {}


def test_what_templates_call_their_ends_tells_homonyms_apart():
    triples = [("p1", "P27", "c1"), ("c1", "P530", "c2"), ("f1", "P161", "p1"), ("p2", "P27", "c2")]
    kg = KnowledgeGraph.from_triples(triples)
    labels = {"c1": "Georgia", "f1": "Georgia", "c2": "Peru", "p1": "Ann", "p2": "Bo"}
    nouns = nouns_of(kg, labels, load_templates("", ["P27", "P530", "P161", "P40", "P26"]))
    assert nouns == {"c1": "country", "f1": "film or show"}
    assert tell_apart(kg, labels, kg.entities, nouns) == {
        "c1": "Georgia (country)", "f1": "Georgia (film or show)"
    }  # fmt: skip
