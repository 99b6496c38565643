"""What is too much for one sentence, and what is too much for two."""

import pytest

from rulemine.phrasing.compose import compose, reads_well
from rulemine.phrasing.templates import load_templates
from rulemine.query.parser import parse
from tests.phrasing.test_compose import BY, DRAMA, FILE, WITH
from tests.phrasing.test_templates import write


@pytest.fixture(scope="module")
def templates(tmp_path_factory):
    relations = ["acted", "directed", "friends", "genre", "mother", "won"]
    return load_templates(write(tmp_path_factory.mktemp("file"), FILE), relations)


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
