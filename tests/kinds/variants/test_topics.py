"""Topics: from a file, by answer before relation, or derived from the types that cover most entities."""

import pytest

from rulemine.errors import InputError
from rulemine.kg.entity_types import types_of
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.variants.topics import OTHER, Topics

KG = KnowledgeGraph.from_triples(
    [
        ("ann", "/people/person/born_in", "rome"),
        ("bob", "/people/person/born_in", "nice"),
        ("ann", "/film/actor/film", "m1"),
        ("m1", "/film/film/country", "italy"),
        ("rome", "/location/place/in", "italy"),
        ("nice", "/location/place/in", "france"),
        ("eve", "/people/person/born_in", "rome"),
        ("italy", "/location/country/capital", "rome"),
        ("france", "/location/country/capital", "nice"),
    ]
)
TYPES = types_of(KG)


def topics(tmp_path, text):
    (tmp_path / "t.toml").write_text(text)
    return Topics.load(tmp_path / "t.toml", KG, TYPES)


def test_the_answer_decides_before_the_relations_and_the_first_topic_wins(tmp_path):
    made = topics(
        tmp_path,
        'places = ["/location"]\nfilms = ["/film/film"]\nbirths = ["/people/person/born_in"]\n',
    )
    ids = KG.entity_ids
    assert made.topic(ids["rome"], ["/people/person/born_in"]) == "places"
    assert made.topic(ids["m1"], ["/film/actor/film"]) == "films"
    assert made.topic(ids["ann"], ["/film/actor/film", "/people/person/born_in"]) == "births"
    assert made.topic(ids["ann"], ["/film/actor/film"]) == OTHER


def test_a_domain_ends_at_a_separator(tmp_path):
    with pytest.raises(
        InputError, match="'films': no type and no relation of the graph is of /fil"
    ):
        topics(tmp_path, 'films = ["/fil"]')
    assert topics(tmp_path, 'films = ["/film/"]').names == ("films",)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "holds no topic"),
        ('films = "/film"', "expected TOPIC = "),
        ("films = []", "expected TOPIC = "),
        ('films = ["/film", 3]', "has 3; expected a name"),
        ('["films"]\na = ["/film"]', "expected TOPIC = "),
    ],
)
def test_files_that_are_no_topics_are_refused(tmp_path, text, told):
    with pytest.raises(InputError, match=told):
        topics(tmp_path, text)


def test_derived_topics_cover_most_entities_and_the_rest_is_other():
    made = Topics.derived(TYPES)
    assert made.names == ("location", "people", "film")  # four entities, three, then one is left
    found = {name: made.topic(i, ()) for name, i in KG.entity_ids.items()}
    assert found["rome"] == "location"
    assert found["ann"] == "people"
    assert found["m1"] == "film"


def test_there_are_six_classes_at_most():
    triples = [(f"s{r}{i}", f"r{r}", f"o{r}{i}") for r in range(9) for i in range(9 - r)]
    kg = KnowledgeGraph.from_triples(triples)
    types = types_of(kg)
    made = Topics.derived(types)
    assert len(made.names) == 5
    found = {made.topic(i, ()) for i in range(len(kg.entities))}
    assert len(found) == 6
    assert OTHER in found
