"""Texts of queries over several relations: clauses, nouns, sentences."""

import json
import random
import re
from dataclasses import replace

import pytest

from rulemine.errors import QueryError
from rulemine.phrasing.clauses import (
    PERSON,
    SOMEONE,
    SOMETHING,
    either_noun,
    may_be_same,
    shared_noun,
)
from rulemine.phrasing.compose import compose, reads_well, ways_of
from rulemine.phrasing.descriptions import read_description
from rulemine.phrasing.templates import Templates, load_templates
from rulemine.query.links import expanded, linked, parts_of
from rulemine.query.parser import parse
from rulemine.query.structures import structure_of
from rulemine.query.tree import Projection, Union

ASKED = {
    ("genre", "subject"): "Which films belong to the genre {topic}?",
    ("genre", "object"): "To which genre does the film {topic} belong?",
    ("genre", "objects"): "To which genres does the film {topic} belong?",
}
DESCRIBED = """
genre    : film/films | that belongs/belong to [the genre {topic}]
         : genre/genres | to which [the film {topic}] belongs
acted    : actor/actors | who acted in [the film {topic}]
         : film/films | in which {topic} acted
directed : person/people | who directed [the film {topic}]
         : film/films | that was/were directed by {topic}
won      : person/people | who won [the {topic}]
         : award/awards | that was/were won by {topic}
aired    : TV program/programs | that was/were aired by {topic}
         : network/networks | that aired {topic}
mother   : person/people | whose mother is {topic}
         : person/people | who is/are mother/mothers of {topic}
friends  : person/people | whose friends include {topic}
         : person/people | who is/are a/- friend/friends of {topic}
married  : person/people | who is/are married to {topic}
         : person/people | who is/are married to {topic}
influenced: person/people | who was/were influenced by {topic}
         : person/people | who influenced {topic}
mentioned: person/people | who was/were mentioned in [the film {topic}]
         : film/films | in which {topic} was mentioned
spin     : film/films | whose spins include [the film {topic}]
         : spin/spins | that comes/come from [the film {topic}]
named    : school/schools | that named [the award {topic}] | namer of [the award {topic}]
         : award/awards | that was/were won by [the school {topic}]
"""
TEXTS = """
(p "genre" "Up")
To which genres does the film Up belong?
(p "directed" (p- "won" "Palme"))
Which films were directed by someone who won the Palme?
(p "acted" (p- "won" "Palme"))
In which films did an actor who won the Palme act?
(p- "won" (p "won" "Ann"))
Who won an award won by Ann?
(p- "acted" (p "directed" (p- "won" "Palme")))
Who acted in a film directed by someone who won the Palme?
(and (p- "genre" "Drama") (p "directed" "Bob"))
Which films were directed by Bob and belong to the genre Drama?
(and (p- "genre" "Drama") (p "acted" "Ann"))
In which films belonging to the genre Drama did Ann act?
(and (p- "genre" "Drama") (p- "genre" "War"))
Which films belong to the genres Drama and War?
(and (p "acted" "Ann") (p "acted" "Bob"))
In which films did both Ann and Bob act?
(and (p "genre" "Up") (p "genre" "Jaws"))
To which genres do the films Jaws and Up belong?
(and (p- "mother" "Ann") (p- "mother" "Bea"))
Who has Ann as their mother and has Bea as their mother?
(and (p- "acted" "Up") (p- "won" "Palme"))
Who acted in the film Up and won the Palme?
(and (p- "genre" "Drama") (p "directed" "Bob") (p- "genre" "War"))
Which films were directed by Bob and belong to the genres Drama and War?
(and (p- "genre" "Drama") (p "directed" "Bob") (p "acted" "Ann"))
In which films directed by Bob and belonging to the genre Drama did Ann act?
(and (p- "won" "X") (p- "won" "Y") (p- "won" "Z"))
Who won the X, the Y, and the Z?
(p- "acted" (and (p- "genre" "Drama") (p "directed" "Bob")))
Who acted in a film directed by Bob and belonging to the genre Drama?
(p- "mother" (and (p- "won" "Palme") (p- "directed" "Up")))
Whose mother is someone who directed the film Up and who won the Palme?
(p- "mother" (and (p- "won" "Palme") (p- "mother" "Bea")))
Whose mother is someone who won the Palme and whose mother is Bea?
(p- "mother" (or (p- "mother" "Ann") (p- "mother" (p- "won" "X"))))
Whose mother is someone whose mother is either Ann or someone who won the X?
(p- "mother" (and (p- "mother" "Ann") (p- "mother" "Bea")))
Whose mother is someone whose mother is Ann and whose mother is Bea?
(and (p "directed" (p- "won" "Palme")) (p- "genre" "Drama"))
Which films belong to the genre Drama and were directed by someone who won the Palme?
(and (p "acted" (p- "won" "Palme")) (p- "genre" "Drama"))
In which films belonging to the genre Drama did an actor who won the Palme act?
(and (p- "won" (p "won" "Ann")) (p- "won" "X") (p- "directed" "Up"))
Who directed the film Up and won both the X and an award won by Ann?
(and (p "won" "Ann") (p "aired" "X"))
What aired X and was won by Ann?
(or (p- "genre" "Drama") (p "directed" "Bob"))
Which films were directed by Bob or belong to the genre Drama?
(or (p "acted" "Ann") (p "acted" "Bob"))
In which films did Ann or Bob act?
(or (p- "genre" "Drama") (p "acted" "Ann"))
What are the films that belong to the genre Drama or in which Ann acted?
(or (p- "acted" "Up") (p- "won" "Palme"))
Who acted in the film Up or won the Palme?
(or (p "directed" "Bob") (p- "aired" "CBS"))
Which films or TV programs were directed by Bob or were aired by CBS?
(p- "acted" (or (p- "genre" "Drama") (p "directed" "Bob")))
Who acted in a film directed by Bob or belonging to the genre Drama?
(p- "won" (p "won" (or "Ann" (p "married" "Bob"))))
Who won an award won by either Ann or someone married to Bob?
(p "aired" (or (p "directed" "Bob") (p- "aired" "CBS")))
Which networks aired a work directed by Bob or a TV program aired by CBS?
(and (p "directed" "Bob") (or (p- "genre" "Drama") (p "acted" "Ann")))
What are the films that were directed by Bob and either that belong to the genre Drama or in which Ann acted?
(p- "acted" (and (p- "genre" "Drama") (p "directed" "Bob") (p- "aired" "CBS")))
Who acted in a film directed by Bob, aired by CBS, and belonging to the genre Drama?
(p- "won" (p "won" (and (p- "mother" (p- "won" "X")) (p- "married" (p- "won" "Y")))))
Who won an award won by someone who both is married to someone who won the Y, and has as their mother someone who won the X?
(count (p "acted" "Ann"))
In how many films did Ann act?
(count (p- "genre" "Drama"))
How many films belong to the genre Drama?
(count (p- "won" (p "won" "Ann")))
How many people won an award won by Ann?
(count (p- "eats" "Ann"))
How many things eat Ann?
(minus (p "directed" "Bob") (p- "genre" "Drama"))
Which films were directed by Bob but do not belong to the genre Drama?
(count (minus (p "directed" "Bob") (p- "genre" "Drama")))
How many films were directed by Bob but do not belong to the genre Drama?
(minus (p "acted" "Ann") (p "directed" "Bob"))
What are the films in which Ann acted but that were not directed by Bob?
(minus (p "directed" "Bob") (p "acted" "Ann"))
Which films were directed by Bob but are not ones in which Ann acted?
(minus (p- "won" "X") (p- "acted" "Up"))
Who won the X but did not act in the film Up?
(minus (p- "mother" "Ann") (p- "friends" "Bob"))
Who has Ann as their mother but does not have Bob among their friends?
(minus (and (p- "acted" "Up") (p- "won" "X")) (p- "won" "Y"))
Who acted in the film Up and won the X, but did not win the Y?
(p- "acted" (minus (p "directed" "Bob") (p- "genre" "Drama")))
Who acted in a film that was directed by Bob but does not belong to the genre Drama?
"""  # noqa: E501
IN_THE_SINGULAR = """
(p "won" (and (p- "influenced" "Ann") (p- "won" "X")))
Which award was won by someone who was influenced by Ann and who won the X?
(p "won" (and (p "friends" "Ann") (p- "won" "X")))
Which award was won by someone who is a friend of Ann and who won the X?
(p "won" (p "friends" "Ann"))
Which award was won by a friend of Ann?
(p "named" (p- "named" "X"))
Which award shares a namer with the award X?
(and (p "won" "Ann") (p "named" "Bern"))
Which award was won by both the school Bern and Ann?
(p- "friends" (and (p- "friends" "Ann") (p- "friends" (p- "friends" "Bob"))))
Whose friends include someone whose friends include both Ann and someone whose friends include Bob?
(and (p- "won" "A, B") (p- "won" "C") (p- "won" "D"))
Who won the A, B; the C; and the D?
(and (p- "won" "A, B") (p- "directed" "C") (p- "influenced" "D"))
Who directed the film C, was influenced by D, and won the A, B?
(or (p- "won" "Lead or Support") (p- "won" "C"))
Who won either the C or the Lead or Support?
(p- "friends" (p- "friends" (p- "won" "C")))
Whose friends include someone whose friends include someone who won the C?
(and (p "acted" "Ann") (p "mentioned" "Bob"))
In which film did Ann act and was Bob mentioned?
(count (p "acted" "Ann"))
In how many films did Ann act?
"""
DECIDED = """
(p "genre" "Up")
To which genre does the film Up belong?
(p- "genre" "Drama")
Which films belong to the genre Drama?
(and (p- "genre" "Drama") (p "directed" "Bob"))
Which film was directed by Bob and belongs to the genre Drama?
(or (p "directed" "Bob") (p "directed" "Bea"))
Which films were directed by Bea or Bob?
(p "genre" (p "directed" "Bob"))
To which genre does a film directed by Bob belong?
(p "genre" (p- "genre" "Drama"))
To which genres does a film belonging to the genre Drama belong?
(p- "genre" (p "genre" "Up"))
Which films belong to a genre to which the film Up belongs?
(minus (p "directed" "Bob") (p- "genre" "Drama"))
Which film was directed by Bob but does not belong to the genre Drama?
(minus (p- "genre" "Drama") (p "directed" "Bob"))
Which films belong to the genre Drama but were not directed by Bob?
(count (p "directed" "Bob"))
How many films were directed by Bob?
"""
"""Texts where of a film's genre and of what somebody directed there is one."""
BY, WITH, DRAMA = '(p "directed" "Bob")', '(p "acted" "Ann")', '(p- "genre" "Drama")'


@pytest.fixture(scope="module")
def templates(tmp_path_factory):
    lines, text = iter(DESCRIBED.strip().splitlines()), ""
    for subject, object_ in zip(lines, lines, strict=True):
        name, one = re.split(" *: ", subject, maxsplit=1)
        other, both = object_.strip(": "), name == "married"
        asks = {"subject": f"Who {name} {{topic}}?", "object": f"Whom {name} {{topic}}?"}
        asks |= {end: ask for (relation, end), ask in ASKED.items() if relation == name}
        asks |= {"subject": asks["object"]} if both else {}
        text += f'[{name}]\nstatement = "{{subject}} {name} {{object}}"\n'
        text += "".join(f'ask_{end} = "{ask}"\n' for end, ask in asks.items())
        text += f'describe_subject = "{one}"\ndescribe_object = "{other}"\n'
        text += "symmetric = true\n" * both
    path = tmp_path_factory.mktemp("file") / "mine.toml"
    path.write_text(text)
    return load_templates(path, [*re.findall(r"^\[(\w+)\]$", text, re.M), "eats", "boss/of|[it]"])


def in_the_singular(templates, *ends):
    """The templates where of these ends of relations there is one answer; of all, where none is named."""
    every = [(row.relation, end) for row in templates.rows for end in ("subject", "object")]
    return replace(templates, single=frozenset(ends or every))


def pairs(block):
    lines = iter(block.strip().splitlines())
    return list(zip(lines, lines, strict=True))


def wrong(block, templates):
    """What a table of queries and texts says otherwise."""
    texts = [(query, compose(parse(query), templates), text) for query, text in pairs(block)]
    return [found for found in texts if found[1] != found[2]]


def test_texts(templates):
    assert wrong(TEXTS, templates) == []


def test_who_did_what_stays_clear(templates):
    assert wrong(IN_THE_SINGULAR, in_the_singular(templates)) == []


def test_the_relations_decide_on_singular_and_plural(templates):
    of_one = in_the_singular(templates, ("genre", "object"), ("directed", "object"))
    assert wrong(DECIDED, of_one) == []
    assert wrong(DECIDED, Templates.from_plain(of_one.to_plain())) == []


def test_derived_descriptions(templates):
    eaten, by = '(p "eats" "Ann")', '(p "boss/of|[it]" "Ann")'
    assert compose(parse(f'(p "eats" {eaten})'), templates) == (
        "What does something that Ann eats eat?"
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
    title = "/organization/role/leaders./organization/leadership/organization"
    parts = f'(p- "{title}" "A") (p- "{title}" "B")'
    said = load_templates("fb15k237", [title])
    for op, times in (("and", 2), ("or", 1)):  # a leader of A and one of B, perhaps nobody of both
        assert compose(parse(f"({op} {parts})"), said).count("by a leader of") == times


def test_what_happened_in_a_place_happened_in_its_county_and_what_a_film_is_in_stands_with_it():
    born, county = "/people/person/place_of_birth", "/location/hud_county_place/county"
    said = load_templates("fb15k237", [born, county, "/film/film/genre", "/film/director/film"])
    found = compose(parse(f'(p "{county}" (p "{born}" "A"))'), said, intermediates=1)
    assert found == "In which counties was A born?"
    asked = '(and (p- "/film/film/genre" "drama") (p "/film/director/film" "A"))'
    assert compose(parse(asked), said) == "Which films in the drama genre were directed by A?"


def test_names_are_put_in_verbatim_and_with_their_article(templates):
    query = parse('(and (p- "aired" "United Kingdom") (p- "aired" "{a/b} [|]"))')
    assert compose(query, templates, articles=True) == (
        "Which TV programs were aired by both the United Kingdom and {a/b} [|]?"
    )
    assert "by both United Kingdom" in compose(query, templates)


def test_what_has_no_words(templates):
    for query in (
        '"Up"',
        '(and "Up" (p "acted" "Ann"))',
        '(minus (p "acted" "Ann") "Up")',
        '(count "Up")',
    ):
        with pytest.raises(QueryError, match="cannot be put into words"):
            compose(parse(query), templates)


def test_long_chains_are_made_in_time(templates):
    query = '(p "genre" ' * 60 + '"Up"' + ")" * 60
    text = compose(parse(query), templates)
    assert text.count("genre") == 60


def test_every_anchor_is_named_once_and_no_mark_is_left(templates):
    draw = random.Random(3)
    relations = [row.relation for row in templates.rows if row.relation not in ("spin", "named")]
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


SOME = ("won", "directed", "mother", "acted", "genre", "eats")


def test_different_queries_have_different_texts(templates):
    draw = random.Random(5)
    seen = {}
    for _ in range(1500):
        query = parse(_random_query(draw, SOME, (draw.choice("AB") for _ in range(100)), 3))
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


def friends(number):
    """A query for friends of friends of … of somebody who won a prize."""
    return parse('(p- "friends" ' * number + '(p- "won" "X")' + ")" * number)


DEFINITE = """
(p "genre" (p "directed" "Bob"))
To which genres does the film directed by Bob belong?
(p "directed" (p- "acted" "Up"))
Whom directed the actor who acted in the film Up?
(p- "friends" (p- "mother" "Ann"))
Who friends the person whose mother is Ann?
(p "won" (p "friends" "Ann"))
Whom won the friend of Ann?
(and (p- "won" "X") (p- "acted" (p "directed" "Bob")))
Who won the X and acted in the film directed by Bob?
(p "genre" (and (p "directed" "Bob") (p- "aired" "CBS")))
To which genres does the film directed by Bob and aired by CBS belong?
"""


def test_the_only_one_of_its_kind_is_named_as_such(templates):
    texts = [
        (query, compose(parse(query), templates, intermediates=1), text)
        for query, text in pairs(DEFINITE)
    ]
    assert [found for found in texts if found[1] != found[2]] == []
    two = '(p- "acted" (or (p "directed" "Ann") (p "directed" "Bob")))'
    for number, text in ((0, "a film"), (1, "films"), (2, "films"), (3, "films")):
        assert f"Who acted in {text} directed by" in compose(
            parse(two), templates, intermediates=number
        )


def test_what_is_easy_to_read(templates):
    easy = (
        '(p "acted" (p- "won" "X"))',
        f"(and {WITH} {BY})",
        '(p- "acted" (p "acted" (p- "won" "X")))',
        f'(p "genre" {WITH})',
    )
    clash = (f'(and {DRAMA} (p- "won" "X"))', f'(p- "acted" (minus {BY} (p- "mother" "Ann")))')
    assert all(reads_well(query, templates) for query in [*map(parse, easy), friends(2)])
    assert not any(reads_well(query, templates) for query in [*map(parse, clash), friends(3)])


def test_people_who_are_not_the_subject_are_asked_for_with_who():
    derived = load_templates("", ["child_of", "married_to", "sibling_of", "lives_in"])
    child = parse('(p "child_of" (p- "lives_in" "Rome"))')
    assert compose(child, derived) == ("Who is someone who lives in Rome a child of?")
    both = parse('(and (p "child_of" "Ann") (p "sibling_of" "Bob"))')
    assert compose(both, derived) == ("Which people is Ann a child of and is Bob a sibling of?")


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


def test_ways_for_one():
    for text, way, said in WAYS:
        description = read_description(text)
        found = getattr(ways_of(description, description.noun[0] == "person"), way)
        cut = found if way == "name" or found is None else found[0]
        assert (cut.with_topics("A") if cut else None) == said, (text, way)


def test_ways_for_several():
    ways = ways_of(read_description("film/films | for which {topic} was nominated"), people=False)
    asked = ways.asked[1].with_topics("A and B")
    assert (ways.gap, asked, ways.many) == (
        "for which",
        "were A and B nominated",
        " were nominated",
    )
    cast = read_description("film/films | whose cast/casts includes/include {topic}")
    assert ways_of(cast, people=False).predicate[1].with_topics("A") == "have A in their casts"


PEOPLE = frozenset({"actor", "musician", "artist"})


def noun(word):
    known = {"person": PERSON, "someone": SOMEONE, "something": SOMETHING}
    return known.get(word, (word, f"{word}s"))


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


def test_what_all_are_and_what_any_is():
    for table, common in ((SHARED, shared_noun), (EITHER, either_noun)):
        for nouns, expected in table:
            assert common([noun(word) for word in nouns.split(", ")], PEOPLE)[0] == expected, nouns


def test_no_person_is_a_film():
    assert not may_be_same(PERSON, noun("film"), PEOPLE)
    assert may_be_same(PERSON, noun("actor"), PEOPLE)
    assert may_be_same(noun("artist"), noun("musical group"), PEOPLE)
    assert may_be_same(PERSON, noun("subject"), PEOPLE)
    assert may_be_same(SOMEONE, noun("film"), PEOPLE)
