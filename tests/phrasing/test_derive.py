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
        # verbs
        ("Treats", "What treats {topic}?", "What does {topic} treat?"),
        ("interact_with", "What interacts with {topic}?", "What does {topic} interact with?"),
        ("works_at", "Who works at {topic}?", "What does {topic} work at?"),
        ("graduatedFrom", "Who graduated from {topic}?", "What is it that {topic} graduated from?"),
        # passives, adjectives, roles
        ("isLocatedIn", "What is located in {topic}?", "What is {topic} located in?"),
        ("Adjacent_to", "What is adjacent to {topic}?", "What is {topic} adjacent to?"),
        ("Part_of", "What is part of {topic}?", "What is {topic} part of?"),
        (
            "Ingredient_of",
            "What is an ingredient of {topic}?",
            "What is {topic} an ingredient of?",
        ),
        ("isa", "What is a kind of {topic}?", "What is {topic} a kind of?"),
        # something had
        ("hasChild", "What has {topic} as child?", "Who does {topic} have as child?"),
        (
            "place_of_birth",
            "What has {topic} as place of birth?",
            "What is the place of birth of {topic}?",
        ),
        # Freebase: the object plays the role
        (
            "/people/person/place_of_birth",
            "For which person is {topic} the place of birth?",
            "What is the place of birth of {topic}?",
        ),
        (
            "/film/film/estimated_budget./measurement_unit/dated_money_value/currency",
            "For which film is {topic} the currency of the estimated budget?",
            "What is the currency of the estimated budget of {topic}?",
        ),
        (
            "/people/person/spouse_s./people/marriage/spouse",
            "For which person is {topic} the spouse?",
            "Who is the spouse of {topic}?",
        ),
        ("/location/location/contains", "What contains {topic}?", "What does {topic} contain?"),
        (
            "/organization/organization_member/member_of./organization/organization_membership/organization",
            "What is member of the organization {topic}?",
            "Which organization is {topic} member of?",
        ),
    ],
)
def test_readings(relation, ask_subject, ask_object):
    wording = derive(relation)
    assert (wording.ask_subject, wording.ask_object) == (ask_subject, ask_object)


@pytest.mark.parametrize(
    "relation", ["aunt", "birthPlace", "P19", "member_of_party", "exports", "=>", "родственник"]
)
def test_a_bare_noun_takes_no_side(relation):
    # "x aunt y" may mean that x is the aunt or that y is.
    wording = derive(relation)
    assert wording.statement.startswith("{subject} is linked to {object} by “")
    assert wording.ask_subject.startswith("What is linked to {topic} by “")
    assert wording.ask_object.startswith("What is {topic} linked to by “")


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
    words += [
        "is",
        "has",
        "was",
        "{",
        "}",
        "{x}",
        "{topic}",
        "GDP",
        "日本",
        "-",
        "2",
        "by",
        "/",
        "%s",
    ]
    joins = ["_", " ", "-", "", "/", ".", "./", ":"]
    for _ in range(3000):
        join = joins[draw.below(len(joins))]
        name = join.join(words[draw.below(len(words))] for _ in range(1 + draw.below(5)))
        for typed in (False, True):
            found = derive(name, typed=typed)
            template = RelationTemplates(name, *found, *found[1:], source="derived")
            assert template_problems(template, PLACEHOLDERS) == [], (name, template)
