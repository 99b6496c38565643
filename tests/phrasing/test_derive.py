import re

import pytest

from rulemine.phrasing.derive import derive
from rulemine.phrasing.lexicon import ACTIVE_PAST, LEMMAS, PEOPLE, PREPOSITIONS, VERBS
from rulemine.phrasing.tables import template_problems
from rulemine.phrasing.template_file import PLACEHOLDERS
from rulemine.phrasing.templates import RelationTemplates
from rulemine.seeds import stream


@pytest.mark.parametrize(
    ("relation", "ask_subject", "ask_object"),
    [
        # passives, adjectives, roles
        ("interact_with", "What interacts with {topic}?", "What does {topic} interact with?"),
        ("Adjacent_to", "What is adjacent to {topic}?", "What is {topic} adjacent to?"),
        ("Part_of", "What is part of {topic}?", "What is {topic} part of?"),
        ("Ingredient_of", "What is an ingredient of {topic}?", "What is {topic} an ingredient of?"),
        # something had
        ("hasChild", "Whose children include {topic}?", "Who is the child of {topic}?"),
        ("place_of_birth", "Whose place of birth is {topic}?", "What is the place of birth of {topic}?"),
        # Freebase: the object plays the role
        ("/people/person/place_of_birth", "Whose place of birth is {topic}?",
         "What is the place of birth of {topic}?"),
        ("/film/film/estimated_budget./measurement_unit/dated_money_value/currency",
         "Which film has {topic} as a currency of the estimated budget?",
         "What is the currency of the estimated budget of {topic}?"),
        ("/people/person/spouse_s./people/marriage/spouse", "Whose spouse is {topic}?",
         "Who is the spouse of {topic}?"),
        ("/location/location/contains", "What contains {topic}?", "What does {topic} contain?"),
        ("/organization/organization_member/member_of./organization/organization_membership/organization",
         "What is member of the organization {topic}?", "Which organization is {topic} member of?"),
    ],
)  # fmt: skip
def test_readings(relation, ask_subject, ask_object):
    wording = derive(relation)
    assert (wording.ask_subject, wording.ask_object) == (ask_subject, ask_object)


@pytest.mark.parametrize(
    "relation",
    ["aunt", "father_in_law", "P19", "exports3", "=>", "родственник", "hosts", "rangeIncludes",
     "city in subdivision", "exploitCreatedBy", "processes", "P96_by_mother"],
)  # fmt: skip
def test_what_says_nothing_of_its_ends_takes_no_side(relation):
    # "x aunt y" may mean that x is the aunt or that y is; "x hosts y" that y is the host.
    wording = derive(relation)
    assert re.fullmatch("the relation “.*” leads from {subject} to {object}", wording.statement)
    assert re.match("From whom|From what", wording.ask_subject)
    assert re.match("To whom|To what", wording.ask_object)
    assert not any("linked to" in text for text in wording)


def test_a_code_is_quoted_as_it_is():
    assert "“CtD”" in derive("CtD").ask_object
    assert "“a{{topic}}b”" in derive("a{topic}b").ask_object


def test_typed_wording_names_the_type_of_the_topic():
    assert derive("/film/film/genre", typed=True).ask_object == (
        "What is the genre of the film {topic}?"
    )


def test_any_name_gives_whole_templates():
    draw = stream(1, "names of relations")
    words = sorted(PREPOSITIONS | set(VERBS) | set(LEMMAS) | ACTIVE_PAST | PEOPLE)
    words += ["is", "has", "was", "{", "}", "{x}", "{topic}", "GDP", "日本", "-", "2", "by", "/"]  # fmt: skip
    joins = ["_", " ", "-", "", "/", ".", "./", ":"]
    for _ in range(3000):
        join = joins[draw.below(len(joins))]
        name = join.join(words[draw.below(len(words))] for _ in range(1 + draw.below(5)))
        for typed in (False, True):
            found = derive(name, typed=typed)
            template = RelationTemplates(name, *found[:5], "derived", *found[5:])
            assert template_problems(template, PLACEHOLDERS) == [], (name, template)
