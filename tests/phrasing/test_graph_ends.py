from dataclasses import replace

import pytest

from rulemine.kg.graph import KnowledgeGraph
from rulemine.phrasing.derive import derive
from rulemine.phrasing.ends import NOTHING_KNOWN
from rulemine.phrasing.templates import GraphEnds, graph_ends, load_templates

FAMILY = [
    *((f"aunt{i}", "aunt", f"child{i + j}") for i in range(6) for j in range(3)),
    *((f"uncle{i}", "uncle", f"child{i + j}") for i in range(6) for j in range(3)),
    *((f"uncle{i}", "brother", f"aunt{i}") for i in range(6)),
]
"""The subject is the relative: aunts and uncles stand apart, children have both."""


def turned(triples: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    return [(o, r, s) for s, r, o in triples]


def read(triples: list[tuple[str, str, str]], **labels: str) -> GraphEnds:
    return graph_ends(KnowledgeGraph.from_triples(triples), {}, lambda: labels)


def ask(found: GraphEnds, relation: str) -> tuple[str, str]:
    ends, role_of = found.of(relation)
    made = derive(relation, ends=ends, role_of=role_of)
    return made.ask_subjects, made.ask_objects


def test_who_is_the_aunt_follows_from_aunts_and_uncles_standing_apart():
    assert ask(read(FAMILY), "aunt") == (
        "Who are the aunts of {topic}?",
        "Whose aunts include {topic}?",
    )
    assert ask(read(turned(FAMILY)), "aunt") == (
        "Whose aunts include {topic}?",
        "Who are the aunts of {topic}?",
    )


@pytest.mark.parametrize("turn", [list, turned])
def test_where_nothing_shows_who_is_the_aunt_the_question_takes_no_side(turn):
    aunts = turn([triple for triple in FAMILY if triple[1] == "aunt"])
    assert ask(read(aunts), "aunt") == (
        "From whom does the relation “aunt” lead to {topic}?",
        "To whom does the relation “aunt” lead from {topic}?",
    )


def test_the_end_of_which_everybody_has_one_plays_the_role_and_no_other_noun_follows():
    born = [(f"p{i}", "birth_place", f"c{i % 6}") for i in range(30)]
    assert ask(read(born), "birth_place") == (
        "Whose birth place is {topic}?",
        "What are the birth places of {topic}?",
    )
    other = [(f"t{i % 7}", "talisman", f"p{i}") for i in range(30)]
    found = read(turned(born) + other)
    assert found.of("birth_place")[1] == "subject"
    assert ask(found, "birth_place")[1] == "Whose birth place is {topic}?"
    assert found.of("talisman")[1] == ""


def test_many_of_one_turn_no_noun_and_give_no_type():
    spoken = [(f"c{i}", "regional language", f"l{i}.{k}") for i in range(9) for k in range(3)]
    other = [(f"c{i}", "main script", f"s{i % 5}") for i in range(9)]
    near = [(f"c{i}", "neighbor", f"c{(i + 1) % 9}") for i in range(9)]
    found = read(spoken + other + near)
    assert ask(found, "regional language")[1] == "What are the regional languages of {topic}?"
    assert ask(found, "main script")[1] == "What are the main scripts of {topic}?"
    assert ask(found, "neighbor")[1] == "What are the neighbors of {topic}?"


def test_people_are_those_who_stand_where_only_people_do():
    born = [(f"p{i}", "born_in", f"c{i}") for i in range(10)]
    influence = [(f"p{i}", "influenced_by", f"p{i + 1}") for i in range(9)]
    label = [(f"{'band' if i % 2 else 'p'}{i}", "record_label", f"l{i}") for i in range(10)]
    found = read([*born, *influence, *label])
    assert ask(found, "influenced_by") == (
        "Who was influenced by {topic}?",
        "Who influenced {topic}?",
    )
    assert ask(found, "record_label") == (
        "Who or what has {topic} as its record label?",
        "What are the record labels of {topic}?",
    )
    assert read(influence).of("influenced_by")[0].subject.people is None


def test_nouns_are_stated_types_and_what_roles_name():
    films = [(f"f{i}", "shown_in", f"c{i % 6}") for i in range(12)]
    typed = [(f"f{i}", "rdf:type", "Q11424") for i in range(12)]
    homes = [(f"x{i}", "country", f"c{i % 6}") for i in range(12)]
    found = read([*films, *typed, *homes], Q11424="film")
    assert ask(found, "shown_in") == (
        "Which films are shown in {topic}?",
        "Which countries is {topic} shown in?",
    )
    assert ask(found, "country")[1] == "What are the countries of {topic}?"


def test_a_graph_whose_templates_are_written_is_not_read():
    def fails() -> dict[str, str]:
        raise AssertionError("was read")

    typed = [("ann", "aunt", "bo"), ("ann", "rdf:type", "woman")]
    kg = KnowledgeGraph.from_triples(typed)
    assert load_templates("family", ["aunt"], kg=kg, labels=fails).derived == 0
    with pytest.raises(AssertionError, match="was read"):
        load_templates("", ["aunt"], kg=kg, labels=fails)
    assert read(typed).of("none") == (NOTHING_KNOWN, "")


def test_a_relation_is_worded_by_what_it_is_called():
    kg = KnowledgeGraph.from_triples([(f"p{i}", "P19", f"c{i % 6}") for i in range(20)])
    row = load_templates("", ["P19"], kg=kg, names={"P19": "birth town"})["P19"]
    assert row.ask_object == "What is the birth town of {topic}?"
    assert row.ask_subject == "Whose birth town is {topic}?"


def test_in_known_vocabularies_the_object_plays_the_role_whatever_the_graph_shows():
    iri = "http://dbpedia.org/ontology/aunt"
    for relation, names in (("P7", {"P7": "aunt"}), (iri, {}), ("aunt", {})):
        kg = KnowledgeGraph.from_triples([(s, relation, o) for s, r, o in FAMILY if r == "aunt"])
        kg = replace(kg, relation_iris={"aunt": iri})
        row = load_templates("", [relation], kg=kg, names=names)[relation]
        assert row.ask_object == "Who is the aunt of {topic}?"


def test_a_type_that_another_one_disputes_is_none():
    homes = [(f"x{i}", "country", f"c{i % 6}") for i in range(12)]
    shown = [(f"f{i}", "shown_in", f"c{i % 6}") for i in range(12)]
    towns = [(f"y{i}", "city", f"c{i % 3}") for i in range(12)]
    assert ask(read(homes + shown), "shown_in")[1] == "Which countries is {topic} shown in?"
    assert ask(read(homes + shown + towns), "shown_in")[1] == "What is {topic} shown in?"
