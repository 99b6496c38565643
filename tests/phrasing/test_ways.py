"""The ways to say a description, read off its clause."""

import pytest

from rulemine.phrasing.compose import ways_of
from rulemine.phrasing.descriptions import read_description

WAYS = (
    ("film/films | that was/were directed by {topic}", "reduced", "directed by A"),
    ("place/places | that is/are in [the {topic}]", "reduced", "in A"),
    ("film/films | that has/have dialogue in {topic}", "reduced", "with dialogue in A"),
    ("film/films | that features/feature {topic}", "reduced", "featuring A"),
    ("office/offices | that exists/exist or existed in {topic}", "reduced", None),
    ("person/people | who has/have lived in {topic}", "reduced", None),
    ("place/places | that is/are home to {topic}", "reduced", None),
    ("person/people | who is/are a/- sibling/siblings of {topic}", "name", "a sibling of A"),
    ("place/places | that was/were the birthplace of {topic}", "name", "the birthplace of A"),
    ("person/people | who won {topic} | winner of {topic}", "name", "a winner of A"),
    ("person/people | who won {topic}", "name", None),
    ("film/films | whose cast/casts includes/include {topic}", "predicate", "has A in its cast"),
    ("film/films | whose cast/casts includes/include {topic}", "heavy", "has in its cast A"),
    ("person/people | who played {topic} on records", "heavy", "played on records A"),
    ("person/people | who called {topic} names", "heavy", None),
    ("person/people | whose parents include {topic}", "predicate", "has A among their parents"),
    ("award/awards | whose nominees include {topic}", "reduced", None),
    ("award/awards | whose nominees have included {topic}", "predicate", "has had A among its nominees"),
    ("film/films | whose sets were designed by {topic}", "predicate", "has sets designed by A"),
    ("person/people | whose mother is {topic}", "predicate", "has A as their mother"),
    ("place/places | in which {topic} died", "predicate", "is where A died"),
    ("field/fields | in which {topic} worked", "predicate", None),
    ("field/fields | in which {topic} worked", "asked", "did A work"),
    ("film/films | for which {topic} was nominated", "asked", "was A nominated"),
    ("genre/genres | to which {topic} belongs", "asked", "does A belong"),
    ("thing/things | which {topic} eats", "asked", "does A eat"),
)  # fmt: skip


@pytest.mark.parametrize(("text", "way", "said"), WAYS)
def test_ways_for_one(text, way, said):
    description = read_description(text)
    found = getattr(ways_of(description, description.noun[0] == "person"), way)
    cut = found if way == "name" or found is None else found[0]
    assert (cut.with_topics("A") if cut else None) == said


def test_ways_for_several():
    ways = ways_of(read_description("film/films | for which {topic} was nominated"), people=False)
    assert ways.asked is not None
    assert (ways.gap, ways.asked[1].with_topics("A and B")) == (
        "for which",
        "were A and B nominated",
    )
    assert ways.many == " were nominated"
    casts = ways_of(
        read_description("film/films | whose cast/casts includes/include {topic}"), people=False
    )
    assert casts.predicate is not None
    assert casts.predicate[1].with_topics("A") == "have A in their casts"
