"""What is too much for one sentence, and what is too much for two."""

import re

import pytest

from rulemine.phrasing.compose import compose, reads_well
from rulemine.phrasing.templates import load_templates
from rulemine.query.parser import parse
from tests.phrasing.test_compose import BY, DRAMA, FILE, WITH, in_the_singular
from tests.phrasing.test_templates import write

MORE = """
[influenced]
statement = "{subject} was influenced by {object}"
ask_subject = "Who was influenced by {topic}?"
ask_object = "Who influenced {topic}?"
describe_subject = "person/people | who was/were influenced by {topic}"
describe_object = "person/people | who influenced {topic}"

[mentioned]
statement = "{subject} was mentioned in the film {object}"
ask_subject = "Who was mentioned in the film {topic}?"
ask_object = "In which films was {topic} mentioned?"
describe_subject = "person/people | who was/were mentioned in [the film {topic}]"
describe_object = "film/films | in which {topic} was mentioned"

[spin]
statement = "the film {object} is a spin-off of the film {subject}"
ask_subject = "Of which film is {topic} a spin-off?"
ask_object = "Which films are spin-offs of {topic}?"
describe_subject = "film/films | whose spins include [the film {topic}]"
describe_object = "spin/spins | that comes/come from [the film {topic}]"

[named]
statement = "the school {subject} named the award {object}"
ask_subject = "Which schools named the award {topic}?"
ask_object = "Which awards did the school {topic} name?"
describe_subject = "school/schools | that named [the award {topic}] | namer of [the award {topic}]"
describe_object = "award/awards | that was/were won by [the school {topic}]"
"""

TEXTS = (
    (
        '(p "won" (and (p- "influenced" "Ann") (p- "won" "X")))',
        "Which award was won by someone who was influenced by Ann and who won the X?",
    ),
    (
        '(p "won" (and (p "friends" "Ann") (p- "won" "X")))',
        "Which award was won by someone who is a friend of Ann and who won the X?",
    ),
    ('(p "won" (p "friends" "Ann"))', "Which award was won by a friend of Ann?"),
    ('(p "named" (p- "named" "X"))', "Which award was won by a namer of the award X?"),
    ('(and (p "won" "Ann") (p "named" "Bern"))', "Which award was won by both the school Bern and Ann?"),
    (
        '(p- "friends" (and (p- "friends" "Ann") (p- "friends" (p- "friends" "Bob"))))',
        "Whose friends include someone whose friends include both Ann and someone whose friends include Bob?",
    ),
    ('(and (p- "won" "A, B") (p- "won" "C") (p- "won" "D"))', "Who won the A, B; the C; and the D?"),
    (
        '(and (p- "won" "A, B") (p- "directed" "C") (p- "influenced" "D"))',
        "Who directed the film C, was influenced by D, and won the A, B?",
    ),
    ('(or (p- "won" "Lead or Support") (p- "won" "C"))', "Who won either the C or the Lead or Support?"),
    (
        '(p- "friends" (p- "friends" (p- "won" "C")))',
        "Whose friends include someone whose friends include someone who won the C?",
    ),
    (
        '(and (p- "friends" (p- "friends" "Ann")) (p- "won" "C"))',
        "Who won the C and has a friend whose friends include Ann?",
    ),
    (f'(and {WITH} (p "mentioned" "Bob"))', "In which film did Ann act and was Bob mentioned?"),
    (
        '(and (p- "friends" (p- "influenced" "Ann")) (p- "won" "C"))',
        "Who won the C and has a friend influenced by Ann?",
    ),
    ('(p- "spin" (p "spin" "A"))', "Which film has a spin that comes from the film A?"),
    (f"(count {WITH})", "In how many films did Ann act?"),
)  # fmt: skip


@pytest.fixture(scope="module")
def templates(tmp_path_factory):
    relations = re.findall(r"^\[(\w+)\]$", FILE + MORE, re.MULTILINE)
    return load_templates(write(tmp_path_factory.mktemp("file"), FILE + MORE), relations)


@pytest.mark.parametrize(("query", "text"), TEXTS)
def test_who_did_what_stays_clear(templates, query, text):
    assert compose(parse(query), in_the_singular(templates)) == text


def friends(number):
    """A query for friends of friends of … of somebody who won a prize."""
    return parse('(p- "friends" ' * number + '(p- "won" "X")' + ")" * number)


def test_what_is_too_much_for_one_sentence_is_said_in_two(templates):
    assert compose(friends(2), templates) == (
        "Whose friends include someone whose friends include someone who won the X?"
    )
    assert compose(friends(3), templates) == (
        "Some people have a friend whose friends include someone who won the X. "
        "Whose friends include one of these people?"
    )


def test_what_is_easy_to_read(templates):
    easy = (
        '(p "acted" (p- "won" "X"))',
        f"(and {WITH} {BY})",
        '(p- "acted" (p "acted" (p- "won" "X")))',
        f'(p "genre" {WITH})',
    )
    clash = (f'(and {DRAMA} (p- "won" "X"))', f'(p- "acted" (minus {BY} (p- "mother" "Ann")))')
    assert all(reads_well(query, templates) for query in [*map(parse, easy), friends(5)])
    assert not any(reads_well(query, templates) for query in [*map(parse, clash), friends(7)])


def test_people_who_are_not_the_subject_are_asked_for_with_who():
    derived = load_templates("", ["child_of", "married_to", "sibling_of", "lives_in"])
    child = parse('(p "child_of" (p- "lives_in" "Rome"))')
    assert compose(child, derived) == (
        "Some people live in Rome. Who is one of these people a child of?"
    )
    both = parse('(and (p "child_of" "Ann") (p "sibling_of" "Bob"))')
    assert compose(both, derived) == ("Which people is Ann a child of and is Bob a sibling of?")
