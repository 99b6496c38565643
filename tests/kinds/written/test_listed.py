"""Whether chains of queries join links as a list has it."""

import pytest

from rulemine.kg.facts import Declarations
from rulemine.kinds.written.scripted import has_listed_chains
from rulemine.query.parser import parse
from rulemine.recipe.joins import Joins

BORN, LIES, MADE, STARS = ("born_in", False), ("lies_in", False), ("made", False), ("stars", True)

JOINS = Joins(
    after=frozenset([(BORN, LIES), (MADE, STARS), (STARS, BORN)]),
    chains=frozenset([(MADE, STARS), (STARS, BORN)]),
    after_unions=frozenset(),
    together=frozenset(),
    beside_chains=frozenset(),
    unions=frozenset(),
    akin=frozenset(),
)


@pytest.mark.parametrize(
    ("query", "listed"),
    [
        ('(p "made" "ann")', True),
        ('(p "lies_in" (p "born_in" "ann"))', True),
        ('(p "born_in" (p "lies_in" "oslo"))', False),
        ('(p- "lies_in" (p "born_in" "ann"))', False),
        ('(p "born_in" (p- "stars" (p "made" "ann")))', True),
        # Allowed after another, but not in a chain of three.
        ('(p "lies_in" (p "born_in" (p- "stars" "f1")))', False),
        ('(and (p "made" "ann") (p- "stars" "bo"))', True),
        ('(and (p "made" "ann") (p "made" "bo"))', True),
        ('(and (p "made" "ann") (p- "stars" (p "lies_in" "oslo")))', False),
        ('(p "lies_in" (and (p "born_in" "ann") (p "made" "bo")))', False),
    ],
)
def test_links_that_follow_each_other_are_joined_as_the_list_has_it(
    query: str, listed: bool
) -> None:
    assert has_listed_chains(parse(query), JOINS, Declarations()) == listed
