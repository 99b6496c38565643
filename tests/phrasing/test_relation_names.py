import pytest

from rulemine.phrasing.relation_names import readable_name, words_of
from rulemine.text.template import escape


@pytest.mark.parametrize(
    ("relation", "words"),
    [
        ("isLocatedIn", ["is", "located", "in"]),
        ("place_of_birth", ["place", "of", "birth"]),
        ("works-at", ["works", "at"]),
        ("Co-occurs_with", ["co-occurs", "with"]),
        ("http://dbpedia.org/ontology/birthPlace", ["birth", "place"]),
        ("<http://example.org/x#partOf>", ["part", "of"]),
        ("rdfs:subClassOf", ["sub", "class", "of"]),
        ("INTERACTS_WITH", ["interacts", "with"]),
        ("officialGDPRank", ["official", "GDP", "rank"]),
        ("=>", ["=>"]),
    ],
)
def test_names_are_split_into_words(relation, words):
    assert words_of(relation) == words


def test_what_is_quoted_is_readable_or_the_name_itself():
    assert readable_name("birthPlace") == "birth place"
    assert readable_name("CtD") == "CtD"
    assert readable_name("P19") == "P19"


def test_braces_are_doubled():
    assert escape("a{topic}b") == "a{{topic}}b"
