"""What relations say, in words: read off descriptions, statements and names."""

import pytest

from rulemine.kinds.cypher.words.relations import RelationWords, relation_words
from rulemine.phrasing.templates import RelationTemplates, load_templates


def said(subject: str, object_: str, statement: str = "") -> RelationWords:
    """The words of a relation with these descriptions of its ends."""
    return relation_words(
        RelationTemplates("P1", statement, *["Who?"] * 4, "book", subject, object_)
    )


@pytest.mark.parametrize(
    ("relation", "doers", "others"),
    [
        ("receivesAward", "receive X", ("", "X receives")),
        ("memberOfSportsTeam", "are members of X", ("of", "X is a member")),
        ("composer", "are composers of X", ("of", "X is a composer")),
        ("aunt", "point by “aunt” to X", ("to", "X points by “aunt”")),
        ("borders", "border X", ("", "X borders")),
    ],
)
def test_names_say_their_direction(relation: str, doers: str, others: tuple[str, str]) -> None:
    words = relation_words(load_templates("", [relation])[relation])
    assert words.forward is (relation != "composer")
    assert words.of_doer("X", True) == doers
    assert words.of_other("X", False) == others


@pytest.mark.parametrize(
    ("subject", "object_", "statement", "doers"),
    [
        (
            "film/films | that was/were written by {topic}",
            "",
            "{object} wrote {subject}",
            "were written by X",
        ),
        (
            "person/people | who is/are or was/were in love with {topic}",
            "",
            "",
            "are in love with X",
        ),
        (
            "thing/things | to which {topic} leads",
            "",
            "{subject} comes or came from {object}",
            "come or came from X",
        ),
        (
            "film/films | whose makers include {topic}",
            "film/films | in which",
            "",
            "have X as a maker",
        ),
        (
            "film/films | whose maker is {topic}",
            "",
            "the maker of {subject} is {object}",
            "have X as a maker",
        ),
        (
            "film/films | in which {topic} acted",
            "actor/actors | who acted in {topic}",
            "",
            "acted in X",
        ),
    ],
)
def test_what_a_doer_does(subject: str, object_: str, statement: str, doers: str) -> None:
    other = object_ if "{topic}" in object_ else "thing/things | from which {topic} came"
    assert said(subject, other, statement).of_doer("X", True) == doers


def test_what_has_been_done_is_asked_for_in_the_perfect() -> None:
    gap = "thing/things | from which {topic} came"
    assert said("a/b | who has/have lived in {topic}", gap).asked("X", False) == "has X lived in"
    assert said("a/b | who has/have had {topic}", gap).asked("X", False) == "has X had"
    assert said("a/b | who has/have {topic}", gap).asked("X", True) == "do X have"


def test_nouns_and_what_stands_before_a_name() -> None:
    field = said(
        "person/people | who works/work in [the field of {topic}]", "x/y | in which {topic} works"
    )
    assert (field.before[0], field.kind, field.doer) == ("in", "the field of ", None)
    kin = said(
        "person/people | who is/are an/- aunt/aunts or uncle/uncles of {topic}",
        "person/people | who is/are a/- niece/nieces or nephew/nephews of {topic}",
    )
    assert kin.doer == ("aunt or uncle", "aunts and uncles")
    assert kin.other == ("niece or nephew", "nieces and nephews")
    assert kin.of_doer("X", True) == "are aunts or uncles of X"
    assert (
        said("x/y | that is/are part of {topic}", "x/y | that includes/include {topic}").doer
        is None
    )
