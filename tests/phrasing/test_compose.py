"""Texts of queries over several relations."""

import json
import random
import re
from dataclasses import replace

import pytest

from rulemine.errors import QueryError
from rulemine.phrasing.compose import compose, goes_together
from rulemine.phrasing.templates import Templates, load_templates
from rulemine.query.links import expanded, linked, parts_of
from rulemine.query.parser import parse
from rulemine.query.structures import structure_of
from rulemine.query.tree import Projection, Union
from tests.phrasing.test_templates import write

FILE = """
[genre]
statement = "{subject} is a film of the genre {object}"
ask_subject = "Which films belong to the genre {topic}?"
ask_object = "To which genre does the film {topic} belong?"
ask_objects = "To which genres does the film {topic} belong?"
describe_subject = "film/films | that belongs/belong to [the genre {topic}]"
describe_object = "genre/genres | to which [the film {topic}] belongs"

[acted]
statement = "{subject} acted in the film {object}"
ask_subject = "Who acted in the film {topic}?"
ask_object = "In which film did {topic} act?"
describe_subject = "actor/actors | who acted in [the film {topic}]"
describe_object = "film/films | in which {topic} acted"

[directed]
statement = "{subject} directed the film {object}"
ask_subject = "Who directed the film {topic}?"
ask_object = "Which film did {topic} direct?"
describe_subject = "person/people | who directed [the film {topic}]"
describe_object = "film/films | that was/were directed by {topic}"

[won]
statement = "{subject} won the {object}"
ask_subject = "Who won the {topic}?"
ask_object = "Which award did {topic} win?"
describe_subject = "person/people | who won [the {topic}]"
describe_object = "award/awards | that was/were won by {topic}"

[aired]
statement = "{subject} was aired by {object}"
ask_subject = "Which TV programs were aired by {topic}?"
ask_object = "Who aired {topic}?"
describe_subject = "TV program/programs | that was/were aired by {topic}"
describe_object = "network/networks | that aired {topic}"

[mother]
statement = "{subject} has the mother {object}"
ask_subject = "Who has the mother {topic}?"
ask_object = "Who is the mother of {topic}?"
describe_subject = "person/people | whose mother is {topic}"
describe_object = "person/people | who is/are mother/mothers of {topic}"

[friends]
statement = "{subject} has the friend {object}"
ask_subject = "Who has the friend {topic}?"
ask_object = "Who is a friend of {topic}?"
describe_subject = "person/people | whose friends include {topic}"
describe_object = "person/people | who is/are a/- friend/friends of {topic}"

[married]
statement = "{subject} is married to {object}"
ask_subject = "Who is married to {topic}?"
ask_object = "Who is married to {topic}?"
describe_subject = "person/people | who is/are married to {topic}"
describe_object = "person/people | who is/are married to {topic}"
symmetric = true
"""

RELATIONS = ("won", "directed", "mother", "acted", "genre", "eats")
DRAMA, UP, ANN, BOB = '(p- "genre" "Drama")', '"Up"', '"Ann"', '"Bob"'
BY = '(p "directed" "Bob")'
WITH = '(p "acted" "Ann")'

EXPECTED = (
    ('(p "genre" "Up")', "To which genres does the film Up belong?"),
    ('(p "directed" (p- "won" "Palme"))', "Which films were directed by someone who won the Palme?"),
    ('(p "acted" (p- "won" "Palme"))', "In which films did actors who won the Palme act?"),
    ('(p- "won" (p "won" "Ann"))', "Who won an award won by Ann?"),
    (
        '(p- "acted" (p "directed" (p- "won" "Palme")))',
        "Who acted in a film directed by someone who won the Palme?",
    ),
    (f"(and {DRAMA} {BY})", "Which films were directed by Bob and belong to the genre Drama?"),
    (f"(and {DRAMA} {WITH})", "In which films belonging to the genre Drama did Ann act?"),
    (f'(and {DRAMA} (p- "genre" "War"))', "Which films belong to the genres Drama and War?"),
    (f'(and {WITH} (p "acted" "Bob"))', "In which films did both Ann and Bob act?"),
    ('(and (p "genre" "Up") (p "genre" "Jaws"))', "To which genres do the films Jaws and Up belong?"),
    (
        '(and (p- "mother" "Ann") (p- "mother" "Bea"))',
        "Who has Ann as their mother and has Bea as their mother?",
    ),
    ('(and (p- "acted" "Up") (p- "won" "Palme"))', "Who acted in the film Up and won the Palme?"),
    (
        f'(and {DRAMA} {BY} (p- "genre" "War"))',
        "Which films were directed by Bob and belong to the genres Drama and War?",
    ),
    (
        f"(and {DRAMA} {BY} {WITH})",
        "In which films directed by Bob and belonging to the genre Drama did Ann act?",
    ),
    ('(and (p- "won" "X") (p- "won" "Y") (p- "won" "Z"))', "Who won the X, the Y, and the Z?"),
    (
        f'(p- "acted" (and {DRAMA} {BY}))',
        "Who acted in a film directed by Bob and belonging to the genre Drama?",
    ),
    (
        '(p- "mother" (and (p- "won" "Palme") (p- "directed" "Up")))',
        "Whose mother is someone who directed the film Up and who won the Palme?",
    ),
    (
        '(p- "mother" (and (p- "won" "Palme") (p- "mother" "Bea")))',
        "Whose mother is someone who won the Palme and whose mother is Bea?",
    ),
    (
        '(p- "mother" (or (p- "mother" "Ann") (p- "mother" (p- "won" "X"))))',
        "Whose mother is someone whose mother is either Ann or someone who won the X?",
    ),
    (
        '(p- "mother" (and (p- "mother" "Ann") (p- "mother" "Bea")))',
        "Whose mother is someone whose mother is Ann and whose mother is Bea?",
    ),
    (
        f'(and (p "directed" (p- "won" "Palme")) {DRAMA})',
        "Which films belong to the genre Drama and were directed by someone who won the Palme?",
    ),
    (
        f'(and (p "acted" (p- "won" "Palme")) {DRAMA})',
        "In which films belonging to the genre Drama did actors who won the Palme act?",
    ),
    (
        '(and (p- "won" (p "won" "Ann")) (p- "won" "X") (p- "directed" "Up"))',
        "Who directed the film Up and won both the X and an award won by Ann?",
    ),
    ('(and (p "won" "Ann") (p "aired" "X"))', "What aired X and was won by Ann?"),
    (f"(or {DRAMA} {BY})", "Which films were directed by Bob or belong to the genre Drama?"),
    (f'(or {WITH} (p "acted" "Bob"))', "In which films did Ann or Bob act?"),
    (f"(or {DRAMA} {WITH})", "What are the films that belong to the genre Drama or in which Ann acted?"),
    ('(or (p- "acted" "Up") (p- "won" "Palme"))', "Who acted in the film Up or won the Palme?"),
    (
        f'(or {BY} (p- "aired" "CBS"))',
        "Which films or TV programs were directed by Bob or were aired by CBS?",
    ),
    (
        f'(p- "acted" (or {DRAMA} {BY}))',
        "Who acted in a film directed by Bob or belonging to the genre Drama?",
    ),
    (
        f'(p- "won" (p "won" (or {ANN} (p "married" {BOB}))))',
        "Who won an award won by either Ann or someone married to Bob?",
    ),
    (
        f'(p "aired" (or {BY} (p- "aired" "CBS")))',
        "Which networks aired a work directed by Bob or a TV program aired by CBS?",
    ),
    (
        f"(and {BY} (or {DRAMA} {WITH}))",
        "What are the films that were directed by Bob and either that belong to the genre Drama or in which "
        "Ann acted?",
    ),
    (
        f'(p- "acted" (and {DRAMA} {BY} (p- "aired" "CBS")))',
        "Who acted in a film directed by Bob, aired by CBS, and belonging to the genre Drama?",
    ),
    (
        '(p- "won" (p "won" (and (p- "mother" (p- "won" "X")) (p- "married" (p- "won" "Y")))))',
        "Some people are married to someone who won the Y, and have as their mother someone who won the X. "
        "Who won an award won by one of these people?",
    ),
    (f"(count {WITH})", "In how many films did Ann act?"),
    (f"(count {DRAMA})", "How many films belong to the genre Drama?"),
    ('(count (p- "won" (p "won" "Ann")))', "How many people won an award won by Ann?"),
    ('(count (p- "eats" "Ann"))', "How many things eat Ann?"),
    (f"(minus {BY} {DRAMA})", "Which films were directed by Bob but do not belong to the genre Drama?"),
    (
        f"(count (minus {BY} {DRAMA}))",
        "How many films were directed by Bob but do not belong to the genre Drama?",
    ),
    (f"(minus {WITH} {BY})", "What are the films in which Ann acted but that were not directed by Bob?"),
    (f"(minus {BY} {WITH})", "Which films were directed by Bob but are not ones in which Ann acted?"),
    ('(minus (p- "won" "X") (p- "acted" "Up"))', "Who won the X but did not act in the film Up?"),
    (
        '(minus (p- "mother" "Ann") (p- "friends" "Bob"))',
        "Who has Ann as their mother but does not have Bob among their friends?",
    ),
    (
        '(minus (and (p- "acted" "Up") (p- "won" "X")) (p- "won" "Y"))',
        "Who acted in the film Up and won the X, but did not win the Y?",
    ),
    (
        f'(p- "acted" (minus {BY} {DRAMA}))',
        "Who acted in a film that was directed by Bob but does not belong to the genre Drama?",
    ),
)  # fmt: skip


@pytest.fixture(scope="module")
def templates(tmp_path_factory):
    path = write(tmp_path_factory.mktemp("file"), FILE)
    relations = [*re.findall(r"^\[(\w+)\]$", FILE, re.MULTILINE), "eats", "boss/of|[it]"]
    return load_templates(path, relations)


@pytest.mark.parametrize(("query", "text"), EXPECTED, ids=[text for _, text in EXPECTED])
def test_texts(templates, query, text):
    assert compose(parse(query), templates) == text


def in_the_singular(templates, *ends):
    """The templates where of these ends of relations there is one answer; of all, where none is named."""
    every = [(row.relation, end) for row in templates.rows for end in ("subject", "object")]
    return replace(templates, single=frozenset(ends or every))


DECIDED = (
    ('(p "genre" "Up")', "To which genre does the film Up belong?"),
    (DRAMA, "Which films belong to the genre Drama?"),
    (f"(and {DRAMA} {BY})", "Which film was directed by Bob and belongs to the genre Drama?"),
    (f'(or {BY} (p "directed" "Bea"))', "Which films were directed by Bea or Bob?"),
    (f'(p "genre" {BY})', "To which genre does a film directed by Bob belong?"),
    (f'(p "genre" {DRAMA})', "To which genres does a film belonging to the genre Drama belong?"),
    ('(p- "genre" (p "genre" "Up"))', "Which films belong to a genre to which the film Up belongs?"),
    (f"(minus {BY} {DRAMA})", "Which film was directed by Bob but does not belong to the genre Drama?"),
    (f"(minus {DRAMA} {BY})", "Which films belong to the genre Drama but were not directed by Bob?"),
    (f"(count {BY})", "How many films were directed by Bob?"),
)  # fmt: skip
"""Texts where of a film's genre and of what somebody directed there is one."""


@pytest.mark.parametrize(("query", "text"), DECIDED, ids=[text for _, text in DECIDED])
def test_the_relations_decide_on_singular_and_plural(templates, query, text):
    of_one = in_the_singular(templates, ("genre", "object"), ("directed", "object"))
    assert compose(parse(query), of_one) == text
    assert compose(parse(query), Templates.from_plain(of_one.to_plain())) == text


def test_derived_descriptions(templates):
    eaten, by = '(p "eats" "Ann")', '(p "boss/of|[it]" "Ann")'
    assert compose(parse(f'(p "eats" {eaten})'), templates) == (
        "There are things that Ann eats. What does one of these things eat?"
    )
    assert compose(parse(f'(and {eaten} (p- "eats" "X"))'), templates) == (
        "Which things that eat X does Ann eat?"
    )
    assert compose(parse(f'(p- "eats" {by})'), templates) == (
        "What eats something to which the relation “boss/of|[it]” leads from Ann?"
    )


def test_all_statements_of_a_fact_are_one_clause(templates):
    asked = expanded(parse('(p- "won" (p "won" (p "married" "Bob")))'), templates.declarations)
    assert compose(asked, templates) == "Who won an award won by someone married to Bob?"


def test_what_lies_between_is_not_the_same_for_two_topics():
    group = "/music/performance_role/regular_performances./music/group_membership/group"
    packaged = load_templates("fb15k237", [group])
    parts = f'(p- "{group}" "A") (p- "{group}" "B")'
    played = "played by a member of the group"
    both, either = (compose(parse(f"({op} {parts})"), packaged) for op in ("and", "or"))
    assert both.count(played) == 2  # one of A and one of B, perhaps nobody of both
    assert either.count(played) == 1


def test_names_are_put_in_verbatim_and_with_their_article(templates):
    query = parse('(and (p- "aired" "United Kingdom") (p- "aired" "{a/b} [|]"))')
    assert compose(query, templates, articles=True) == (
        "Which TV programs were aired by both the United Kingdom and {a/b} [|]?"
    )
    assert "by both United Kingdom" in compose(query, templates)


@pytest.mark.parametrize(
    "query",
    ['"Up"', '(and "Up" (p "acted" "Ann"))', '(minus (p "acted" "Ann") "Up")', '(count "Up")'],
)
def test_what_has_no_words(templates, query):
    with pytest.raises(QueryError, match="cannot be put into words"):
        compose(parse(query), templates)


def test_long_chains_are_made_in_time(templates):
    query = '(p "genre" ' * 60 + UP + ")" * 60
    text = compose(parse(query), templates)
    assert text.startswith("There are genres to which the film Up belongs. To which genres does a")
    assert text.count("genre") == 61
    nested = WITH
    for _ in range(30):
        nested = f'(p "acted" (or (and {nested} {DRAMA}) (p- "aired" "CBS")))'
    assert compose(parse(nested), templates).count("CBS") == 30


def test_ends_of_different_kinds_do_not_join(templates):
    assert goes_together(
        templates, ("directed", True), ("won", True)
    )  # films directed by a person who won
    assert not goes_together(
        templates, ("genre", True), ("won", True)
    )  # genres of a film that is a winner
    assert goes_together(templates, ("eats", True), ("won", True))
    assert goes_together(templates, ("acted", True), ("won", True))
    assert not goes_together(templates, ("acted", False), ("won", True))


def test_every_anchor_is_named_once_and_no_mark_is_left(templates):
    draw = random.Random(3)
    relations = [row.relation for row in templates.rows]
    for _ in range(600):
        names = iter(f"E{i}" for i in range(100))
        text = _random_query(draw, relations, names, 3)
        query = parse(text)
        asked = compose(query, draw.choice((templates, in_the_singular(templates))))
        for anchor in structure_of(query).anchors:
            assert len(re.findall(rf"\b{anchor}\b", asked)) == 1, (text, asked)
        assert not re.search(r"[][{}|/]|  | [?,]", asked.replace("boss/of|[it]", "")), asked
        assert asked[0].isupper()
        assert asked.endswith("?")


def test_different_queries_have_different_texts(templates):
    draw = random.Random(5)
    seen = {}
    for _ in range(1500):
        query = parse(_random_query(draw, RELATIONS, (draw.choice("AB") for _ in range(100)), 3))
        if query.size <= 4:
            asked = _normal(linked(query, templates.declarations))
            text = compose(query, templates)
            assert seen.setdefault(text, asked) == asked, text
    assert len(seen) > 300


def _normal(query):
    """A query in which no relation leads on from a union: the union of what it leads to is the same."""
    if isinstance(query, Projection):
        of = _normal(query.of)
        some = of.parts if isinstance(of, Union) else (of,)
        return Union.of(Projection(query.relation, query.inverse, part) for part in some)
    parts = [_normal(part) for part in parts_of(query)]
    return type(query).of(parts) if parts else query


def _random_query(draw, relations, names, depth):
    """The text of a random query without an entity as a branch."""
    kind = draw.choice(("p", "p", "and", "or")) if depth > 1 else "p"
    if kind == "p":
        inner = (
            _random_query(draw, relations, names, depth - 1)
            if depth > 1
            else json.dumps(next(names))
        )
        if draw.random() < 0.3:
            inner = json.dumps(next(names))
        return f"({draw.choice(('p', 'p-'))} {json.dumps(draw.choice(relations))} {inner})"
    parts = (
        _random_query(draw, relations, names, depth - 1) for _ in range(draw.choice((2, 2, 3)))
    )
    return f"({kind} {' '.join(parts)})"
