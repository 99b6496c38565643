"""Descriptions of ends: what files may say, and what is read off other templates."""

import pytest

from rulemine.errors import InputError
from rulemine.phrasing.derive import derive
from rulemine.phrasing.descriptions import (
    derive_descriptions,
    description_problem,
    read_description,
)
from rulemine.phrasing.templates import load_templates
from tests.phrasing.test_templates import write

WRONG = (
    ("person/people who knows {topic}", "has 0 single |"),
    ("person | people | who knows {topic}", "has 2 single |"),
    ("{topic} | who knows them", "{topic} right of |"),
    ("a/b/c | who knows {topic}", "a single /"),
    ("film/films | that won [the {topic}", "one pair of brackets around it"),
    ("film/films | that won [the] {topic}", "one pair of brackets around it"),
    ("| that won {topic}", "no noun"),
    ("film/films | that {topic} won", "write which or whom"),
    ("film/films | won {topic}", "begins with 'won'"),
    ("film/films | that won", "has {topic} 0 times"),
    ("film/films | that won {topic}s", "touches a letter"),
    ("film/films | that won {prize}", "has {prize}"),
    ("film/films | that\twon {topic}", "a tab"),
    ("person/people | who won [the {topic}] | winner of {topic}", "the brackets of the clause"),
    ("person/people | who won [the {topic}] | winner", "the brackets of the clause"),
    ("person/people | who won {topic} | {topic}", "expected a noun"),
)


@pytest.mark.parametrize(("text", "problem"), WRONG)
def test_wrong_descriptions(text, problem):
    assert problem in (description_problem(text) or "")


def test_a_description_in_both_numbers():
    read = read_description(
        "TV program/programs | that was/were won by [the {{x//y}} {topic} {{]]}}]"
    )
    assert read.noun == ("TV program", "TV programs")
    assert read.forms[0] == ("that was won by ", "the {x/y} ", " {]}", "")
    assert read.forms[1].before == "that were won by "
    assert read.subject
    assert not read.who


def test_a_dash_is_no_word():
    one, many = read_description("person/people | who is/are a/- friend/friends of {topic}").forms
    assert (one.before, many.before) == ("who is a friend of ", "who are friends of ")


def test_a_name_by_the_topic_entity():
    text = "person/people | who directed [the film {topic}] | director of [the film {topic}]"
    assert read_description(text).name == ("director of ", "")
    assert description_problem(text) is None


def test_a_bare_which_reads_as_that():
    read = read_description("film/films | which {topic} directed")
    assert (read.subject, read.forms[0].before, read.forms[0].after) == (
        False,
        "that ",
        " directed",
    )


DERIVED = (
    (
        "Affects",
        "something/things | that affects/affect {topic}",
        "something/things | which {topic} affects",
    ),
    (
        "works_at",
        "someone/people | who works/work at {topic}",
        "place/places | which {topic} works at",
    ),
    (
        "/people/person/place_of_birth",
        "person/people | whose place of birth is {topic}",
        "place/places | that is/are the place/places of birth of {topic}",
    ),
    (
        "/tv/tv_program/languages",
        "tv program/programs | whose languages include {topic}",
        "language/languages | that is/are a/- language/languages of {topic}",
    ),
    (
        "hasChild",
        "person/people | whose children include {topic}",
        "person/people | who is/are a/- child/children of {topic}",
    ),
    (
        "child_of",
        "someone/people | who is/are a/- child/children of {topic}",
        "someone/people | whom {topic} is a child of",
    ),
    (
        "_hypernym",
        "something/things | whose hypernyms include {topic}",
        "something/things | that is/are a/- hypernym/hypernyms of {topic}",
    ),
    (
        "a/[b]",
        "something/things | from which the relation “a//[[b]]” leads to {topic}",
        "something/things | to which the relation “a//[[b]]” leads from {topic}",
    ),
)


@pytest.mark.parametrize(("relation", "subject", "object"), DERIVED)
def test_read_off_derived_templates(relation, subject, object):
    assert derive(relation)[5:] == (subject, object)


WRITTEN = (
    (
        ("{subject} acted in the film {object}", "Who acted in the film {topic}?", "…"),
        "someone/people | who acted in [the film {topic}]",
        "film/films | which {topic} acted in",
    ),
    (
        ("the music of {subject} is on {object}", "Whose music is on {topic}?", "What has it?"),
        "someone/people | whose music is on {topic}",
        "something/things | which the music of {topic} is on",
    ),
    (
        ("the film {subject} quickly outshines {object}", "What …?", "What …?"),
        "film/films | that quickly outshines/outshine {topic}",
        "something/things | which [the film {topic}] quickly outshines",
    ),
)


@pytest.mark.parametrize(("templates", "subject", "object"), WRITTEN)
def test_read_off_written_templates(templates, subject, object):
    assert derive_descriptions("r", *templates) == (subject, object)


def test_what_cannot_be_read_names_the_relation():
    for statement in (
        "{subject}'s boss is {object}",
        "{subject} and {object} met, once",
        "{subject} {object}",
    ):
        subject, object = derive_descriptions("r", statement, "What?", "What?")
        assert subject == "something/things | from which the relation “r” leads to {topic}"
        assert object == "something/things | to which the relation “r” leads from {topic}"


def test_derived_descriptions_of_different_facts_differ():
    templates = load_templates("", ["birthPlace", "birth_place", "isMarriedTo", "MarriedTo"])
    texts = [text for row in templates.rows for text in (row.describe_subject, row.describe_object)]
    assert len(set(texts)) == len(texts)
    assert not any(map(description_problem, texts))


@pytest.mark.parametrize("name", ["demo", "family", "umls"])
def test_packaged_descriptions_are_written(name):
    relations = load_templates(name, []).unused
    for row in load_templates(name, relations).rows:
        for text in (row.describe_subject, row.describe_object):
            assert not text.startswith(("something", "someone")), (row.relation, text)


def test_a_file_that_is_wrong_says_where(tmp_path):
    table = '[r]\nstatement = "{subject} r {object}"\nask_subject = "Who r {topic}?"\n'
    table += 'ask_object = "What r {topic}?"\n'
    path = write(tmp_path, table + 'describe_object = "film/films, that won {topic}"\n')
    with pytest.raises(InputError, match=r"relation 'r': key describe_object: .* has 0 single \|"):
        load_templates(path, ["r"])
    same = "".join(
        f'describe_{end} = "film/films | that won {{topic}}"\n' for end in ("subject", "object")
    )
    with pytest.raises(InputError, match="relation 'r': asks for both ends with 'film/films"):
        load_templates(write(tmp_path, table + same), ["r"])
