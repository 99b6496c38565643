"""Nouns for entities with several descriptions."""

import pytest

from rulemine.phrasing.nouns import (
    PERSON,
    SOMEONE,
    SOMETHING,
    either_noun,
    may_be_same,
    shared_noun,
)

PEOPLE = frozenset({"actor", "musician", "artist"})


def noun(word):
    return {"person": PERSON, "someone": SOMEONE, "something": SOMETHING}.get(
        word, (word, f"{word}s")
    )


SHARED = (
    ("film", "film"),
    ("person, actor", "actor"),
    ("someone, person", "person"),
    ("musician, actor", "musician"),
    ("something, film", "film"),
    ("place, city", "city"),
    ("city, country", "place"),
    ("academic field, field", "academic field"),
    ("film, place", "film"),
    ("genre, instrument", "something"),
    ("person, company", "company"),
    ("person, subject", "person"),
    ("artist, musical group", "musical group"),
    ("concept, anatomical concept, disease", "something"),
)
EITHER = (
    ("actor, person", "person"),
    ("actor, musician", "person"),
    ("film, work", "work"),
    ("film, country", "film or country"),
    ("academic field, field", "field"),
    ("something, film", "something"),
    ("concept, disease", "concept"),
)


@pytest.mark.parametrize(("nouns", "expected"), SHARED)
def test_what_all_are(nouns, expected):
    assert shared_noun([noun(word) for word in nouns.split(", ")], PEOPLE)[0] == expected


@pytest.mark.parametrize(("nouns", "expected"), EITHER)
def test_what_any_is(nouns, expected):
    assert either_noun([noun(word) for word in nouns.split(", ")], PEOPLE)[0] == expected


def test_no_person_is_a_film():
    assert not may_be_same(PERSON, noun("film"), PEOPLE)
    assert may_be_same(PERSON, noun("actor"), PEOPLE)
    assert may_be_same(noun("artist"), noun("musical group"), PEOPLE)
    assert may_be_same(PERSON, noun("subject"), PEOPLE)
    assert may_be_same(SOMEONE, noun("film"), PEOPLE)
