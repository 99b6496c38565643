"""Phrase books: what they say can be asked, and which graphs they are used for."""

from pathlib import Path

import pytest

from rulemine.errors import ConfigError
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph
from rulemine.phrasing.books import Book, clause_templates, folded, packaged_books
from rulemine.phrasing.template_file import PLACEHOLDERS, table_problems, template_problems
from rulemine.phrasing.templates import load_templates

DATA_SETS = {
    name: relations.split("|")
    for line in Path(__file__).with_name("relations_of_data_sets.txt").read_text().splitlines()
    for name, relations in [line.split(": ", 1)]
}
CODEX_M, WN18RR = DATA_SETS["codex-m"], DATA_SETS["wn18rr"]


def of_sizes(sizes):
    triples = [(f"s{i}", relation, "o") for relation in sizes for i in range(sizes[relation])]
    return KnowledgeGraph.from_triples(triples)


def sources(relations, **more):
    return [row.source for row in load_templates("", relations, **more).rows]


@pytest.mark.parametrize("book", packaged_books(), ids=[book.name for book in packaged_books()])
def test_all_that_a_book_says_of_a_relation_can_be_asked_and_described(book):
    tables = {relation: book.table(relation) for relation in book.rows}
    assert table_problems(tables, Declarations()) == []
    for table in tables.values():
        assert template_problems(table, PLACEHOLDERS) == []
        assert table.describe_subject
        assert table.describe_object
        assert (table.symmetric, table.inverse_of, table.same_as) == (False, (), ())
        assert table.statement[0] in "{abcdefghijklmnopqrstuvwxyz"
    owners = {}
    for relation, row in book.rows.items():
        for name in (relation, *row.get("names", ())):
            assert owners.setdefault(folded(name), relation) == relation, name
    for row in load_templates("", book.rows).rows:
        assert row.source == "book"
        for text in (row.ask_subject, row.ask_subjects, row.ask_object, row.ask_objects):
            assert text[0].isupper()
            assert text.endswith("?")
            assert "  " not in text


def test_every_relation_of_a_known_data_set_is_in_a_book():
    for name, relations in DATA_SETS.items():
        assert set(sources(relations)) == {"book"}, name


def test_a_relation_is_known_by_each_way_of_writing_it():
    for start in ("http://www.wikidata.org/prop/direct/", "wdt:"):
        assert set(sources([f"{start}{p}" for p in CODEX_M])) == {"book"}
    for name in ("Place of Birth", "placeOfBirth", "place-of-birth", "PLACE_OF_BIRTH"):
        (row,) = (r for r in load_templates("", [*CODEX_M[3:], name]).rows if r.relation == name)
        assert row.ask_object == "Where was {topic} born?"
    for name in ("born in", "BornIn", "born_in", "born-in", "x:bornIn", "http://x.org/a#born_in"):
        assert folded(name) == "bornin"
    assert sources(["<http://www.wikidata.org/prop/direct/P57>"]) == ["book"]


def test_a_label_says_what_a_code_means():
    called = ("director", "sibling", "spouse", "employer", "occupation")
    labels = {f"r{i}": label for i, label in enumerate(called)}
    assert set(sources(labels)) == {"derived"}
    assert set(sources(labels, names=labels)) == {"book"}
    assert load_templates("", labels, names=labels)["r0"].ask_object == "Who directed {topic}?"


def test_a_book_is_used_where_it_knows_most_relations_or_triples():
    known, others = ["P19", "P20", "P26", "P40", "P57"], [f"x{i}" for i in range(5)]
    assert sources([*known, *others[:3]])[:5] == ["book"] * 5  # five of eight
    assert set(sources([*known, *others])) == {"derived"}  # five of ten
    sizes = dict.fromkeys(known, 6) | dict.fromkeys(others, 4)
    assert sources([*known, *others], kg=of_sizes(sizes)) == ["book"] * 5 + ["derived"] * 5
    assert set(sources([*known, *others], kg=of_sizes(sizes | {"x0": 5}))) == {"derived"}
    assert set(sources(known[:4])) == {"derived"}  # too few to tell the vocabulary


def test_of_two_books_the_one_that_knows_more_relations_words_them():
    shared = ["author", "genre", "leader", "location", "manufacturer"]
    assert load_templates("", shared)["author"].ask_object == "Who wrote {topic}?"  # dbpedia
    more = load_templates("", [*shared, "affiliation", "homeLocation"])  # of schema alone
    assert more["author"].ask_object == "Who is the author of {topic}?"


def test_an_iri_of_the_vocabulary_is_taken_alone(tmp_path: Path):
    assert sources(["knows", "wdt:P57"]) == ["derived", "book"]
    iri, file = "http://www.w3.org/2004/02/skos/core#broader", tmp_path / "own.nt"
    file.write_text(
        f"<http://x/a> <{iri}> <http://x/b> .\n<http://x/a> <http://x/knows> <http://x/b> .\n"
    )
    kg = KnowledgeGraph.read(file)
    assert kg.relations == ("broader", "knows")
    assert sources(kg.relations, kg=kg) == ["book", "derived"]


def test_two_relations_that_a_book_words_alike_are_not_asked_alike():
    templates = load_templates("", ["P19", "place of birth", "P20", "P26", "P40", "P57"])
    assert templates["P19"].source == "book"
    assert templates["place of birth"].source == "derived"
    texts = [row.ask_object for row in templates.rows]
    assert len(set(texts)) == len(texts)


def test_relations_that_state_the_same_are_asked_in_the_same_words(tmp_path: Path):
    path = tmp_path / "own.toml"
    path.write_text(
        '[born]\nstatement = "{subject} is from {object}"\nask_subject = "Who is from {topic}?"\n'
        'ask_object = "Whence is {topic}?"\nsame_as = ["dbo:birthPlace", "schema:birthPlace"]\n'
    )
    templates = load_templates(path, ["dbo:birthPlace", "schema:birthPlace"])
    assert {row.ask_object for row in templates.rows} == {"Where was {topic} born?"}


def test_own_templates_come_first_and_no_book_asks_in_their_words(tmp_path: Path):
    own = tmp_path / "own.toml"
    own.write_text(
        '[P57]\nstatement = "{object} shot {subject}"\nask_subject = "What did {topic} shoot?"\n'
        'ask_object = "Where was {topic} born?"\n'
    )
    templates = load_templates(own, ["P19", "P20", "P26", "P40", "P57"])
    assert [row.source for row in templates.rows] == ["derived", "book", "book", "book", "written"]
    assert templates.written == 1
    assert templates.derived == 1


def test_ends_that_a_book_closes_are_not_asked_for_and_places_are_places():
    templates = load_templates("", CODEX_M)
    assert ("P27", "subject") in templates.unasked
    assert ("P27", "object") not in templates.unasked
    assert "P30" in templates.places
    assert not templates.declarations.readings


QUESTIONS = """
P54 object For which sports team has {topic} played? For which sports teams has {topic} played?
P57 object Who directed {topic}? Who directed {topic}?
P57 subject What did {topic} direct? What did {topic} direct?
P19 object Where was {topic} born? Where was {topic} born?
_hypernym object What is {topic} a kind of? What is {topic} a kind of?
_hypernym subject What is a kind of {topic}? What are kinds of {topic}?
"""


def test_questions_of_books():
    for line in QUESTIONS.strip().splitlines():
        relation, end, asked = line.split(" ", 2)
        row = load_templates("", CODEX_M if relation[0] == "P" else WN18RR)[relation]
        assert " ".join(row.asks(end)) == asked


def test_a_clause_gives_questions_and_descriptions_of_both_ends():
    keys = clause_templates("{subject} was born in [the city of {object}]", "person", "city")
    assert keys == {
        "statement": "{subject} was born in the city of {object}",
        "ask_subject": "Who was born in the city of {topic}?",
        "ask_subjects": "Who was born in the city of {topic}?",
        "ask_object": "In which city was {topic} born?",
        "ask_objects": "In which cities was {topic} born?",
        "describe_subject": "person/people | who was/were born in [the city of {topic}]",
        "describe_object": "city/cities | in which {topic} was born",
    }


CLAUSES = (
    ("{object} wrote {subject}", "book", "person", "Which book did {topic} write?",
     "book/books | that was/were written by {topic}"),
    ("{object} treats {subject}", "disease", "drug", "Which disease does {topic} treat?",
     "disease/diseases | that is/are treated by {topic}"),
    ("{object} has lived in {subject}", "place", "person", "Where has {topic} lived?",
     "place/places | in which {topic} has lived"),
    ("{object} is a/- pupil/pupils of {subject}", "person", "person", "Of whom is {topic} a pupil?",
     "person/people | of whom {topic} is a pupil"),
    ("{object} has been mayor of {subject}", "city", "person", "Of which city has {topic} been mayor?",
     "city/cities | of which {topic} has been mayor"),
    ("{object} is or was/were a fan of {subject}", "team", "person",
     "Of which team is or was {topic} a fan?", "team/teams | of which {topic} is or was a fan"),
    ("{object} eats {subject}", "food", "animal", "Which food does {topic} eat?",
     "food/foods | that is/are eaten by {topic}"),
    ("{object} consists of {subject}", "something", "something", "What does {topic} consist of?",
     "something/things | of which {topic} consists"),
)  # fmt: skip


def test_the_end_that_is_not_the_subject_of_a_clause():
    for clause, subject, object_, asks, described in CLAUSES:
        keys = clause_templates(clause, subject, object_)
        assert (keys["ask_subject"], keys["describe_subject"]) == (asks, described)


def test_what_is_wrong_with_a_relation_of_a_book_is_named():
    eats = {"clause": "{subject} eats {object}"}
    for row, problem in (
        ({"clause": "{subject} knows"}, "begins with one end and has the other"),
        ({"clause": "{subject} zorbed {object}"}, "base form of 'zorbed'"),
        (eats | {"word": "x"}, "word"),
    ):
        with pytest.raises((ConfigError, ValueError), match=problem):
            Book("own", (), {"a": row}).table("a")
