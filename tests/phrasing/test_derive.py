"""Templates derived from the names of relations, and from what a graph shows of them."""

import re
from dataclasses import replace

import pytest

from rulemine.kg.graph import KnowledgeGraph
from rulemine.phrasing.derive import derive
from rulemine.phrasing.descriptions import description_problem
from rulemine.phrasing.lexicon import ACTIVE_PAST, LEMMAS, PEOPLE, PREPOSITIONS, VERBS
from rulemine.phrasing.relation_names import named_inverses, readable_name, words_of
from rulemine.phrasing.template_file import PLACEHOLDERS, template_problems
from rulemine.phrasing.templates import graph_ends, load_templates
from rulemine.seeds import stream
from rulemine.text.template import escape

EXPECTED = """
treats: What treats X? What does X treat?
Compound–treats–Disease: Which compounds treat the disease X? Which diseases does X treat?
CtD: From what does the relation “CtD” lead to X? To what does the relation “CtD” lead from X?
regulates: What regulates X? What does X regulate?
interacts with: What interacts with X? What does X interact with?
drug_protein: What is associated with the protein X? Which proteins is X associated with?
side effect: What has X as a side effect? What are the side effects of X?
off-label use: What has X as an off-label use? What are the off-label uses of X?
gene_associated_with_condition: Which genes are associated with the condition X? Which conditions is X associated with?
_hypernym: What has X as a hypernym? What are the hypernyms of X?
_has_part: What has X as a part? What are the parts of X?
_similar_to: What is similar to X? What is X similar to?
UsedFor: What is used for X? What is X used for?
CapableOf: What is capable of X? What is X capable of?
MadeOf: What is made of X? What is X made of?
CauserOfEvent: What are the causers of the event X? Which events is X a causer of?
isMarriedTo: Who is married to X? Who is X married to?
wasBornIn: Who was born in X? Where was X born?
livesIn: Who lives in X? Where does X live?
hasWonPrize: Who has won the prize X? Which prizes has X won?
hasAcademicAdvisor: Whose academic advisors include X? Who are the academic advisors of X?
isLeaderOf: Who are the leaders of X? What is X the leader of?
graduatedFrom: Who graduated from X? What did X graduate from?
dealsWith: What deals with X? What does X deal with?
created: Who created X? What did X create?
http://dbpedia.org/ontology/birthPlace: Whose birth place is X? What are the birth places of X?
http://schema.org/alumniOf: Who are the alumni of X? What is X an alumnus of?
schema:worksFor: Who works for X? Who or what does X work for?
foaf:knows: Who knows X? Who does X know?
undergraduateDegreeFrom: What has an undergraduate degree from X? What does X have an undergraduate degree from?
aunt_or_uncle_of: Who are the aunts or uncles of X? Who is X an aunt or uncle of?
Consists_of: What consists of X? What does X consist of?
found in taxon: What was found in the taxon X? Which taxa was X found in?
country of origin: What has X as its country of origin? What are the countries of origin of X?
cast member: What has X as a cast member? Who are the cast members of X?
sibling: Whose siblings include X? Who are the siblings of X?
award received: What received the award X? What are the awards received by X?
educated at: Who was educated at X? Where was X educated?
founded by: What was founded by X? Who founded X?
named after: What was named after X? What was X named after?
shares border with: What shares a border with X? What does X share a border with?
diplomatic relation: What has a diplomatic relation with X? What does X have a diplomatic relation with?
member of sports team: What are the members of the sports team X? Which sports teams is X a member of?
product or material produced: What produced the product or material X? What are the products or materials produced by X?
P19: From what does the relation “P19” lead to X? To what does the relation “P19” lead from X?
film/film/genre: Which films have X as a genre? What are the genres of X?
concept:athleteplaysforteam: Which athletes play for the team X? Which teams does X play for?
concept:cityLocatedInCountry: Which cities are located in the country X? Which countries is X located in?
directed_by: What was directed by X? Who directed X?
starred_actors: What starred the actor X? Which actors did X star?
in_language: What is in the language X? Which languages is X in?
locatedin: What is located in X? Where is X located?
neighbor: What has X as a neighbor? What are the neighbors of X?
ACTED_IN: Who acted in X? What did X act in?
HAS_CHILD: Whose children include X? Who are the children of X?
REPORTS_TO: Who reports to X? Who does X report to?
PLAYS_FOR: Who plays for X? Which teams does X play for?
formerlyPlayedFor: Who formerly played for X? Which teams did X formerly play for?
trained by: What is trained by X? Who is X trained by?
playsInstrument: Who plays the instrument X? Which instruments does X play?
cites: What cites X? What does X cite?
recommends: What recommends X? What does X recommend?
Pre-Depends: What pre-depends on X? What does X pre-depend on?
conflicts with: What conflicts with X? What does X conflict with?
SHIPS_TO: What ships to X? What does X ship to?
doesNotAffect: What does not affect X? What does X not affect?
hasDeclaredLicense: What has X as a declared license? What are the declared licenses of X?
keywords: What has X as a keyword? What are the keywords of X?
owl:disjointWith: What is disjoint with X? What is X disjoint with?
childof: Who are the children of X? Who is X a child of?
resided_at: Who resided at X? Where did X reside?
coincidedWith: What coincided with X? What did X coincide with?
merged to form: What merged to form X? What did X merge to form?
isOrWasIncludedIn: What is or was included in X? What is or was X included in?
changed ownership through: What changed ownership through X? What did X change ownership through?
Built-Using: What was built using X? What was X built using?
shares office with: What shares an office with X? What does X share an office with?
departures: What has X as a departure? What are the departures of X?
foreman: What has X as a foreman? Who are the foremen of X?
sensor: What has X as a sensor? What are the sensors of X?
heir of: Who are the heirs of X? What is X an heir of?
made by: What is made by X? Who or what is X made by?
subsidiary_of: What are the subsidiaries of X? What is X a subsidiary of?
interact_with: What interacts with X? What does X interact with?
Adjacent_to: What is adjacent to X? What is X adjacent to?
Part_of: What is part of X? What is X part of?
Ingredient_of: What are the ingredients of X? What is X an ingredient of?
hasChild: Whose children include X? Who are the children of X?
place_of_birth: Whose place of birth is X? What are the places of birth of X?
/people/person/place_of_birth: Whose place of birth is X? What are the places of birth of X?
/film/film/estimated_budget./measurement_unit/dated_money_value/currency: Which films have X as a currency of the estimated budget? What are the currencies of the estimated budget of X?
/people/person/spouse_s./people/marriage/spouse: Whose spouse is X? Who are the spouses of X?
/location/location/contains: What contains X? What does X contain?
/organization/organization_member/member_of./organization/organization_membership/organization: What is member of the organization X? Which organization is X member of?
"""  # noqa: E501
"""Name: the questions for several subjects and for several objects that a reader expects."""


def test_a_relation_is_asked_about_as_a_reader_expects():
    for line in EXPECTED.strip().splitlines():
        relation, subjects, objects = re.fullmatch(r"(.+?): (\S.*?\?) (.*\?)", line).groups()
        made = derive(relation)
        asked = [text.replace("{topic}", "X") for text in (made.ask_subjects, made.ask_objects)]
        assert asked == [subjects, objects], relation
        for text in (made.describe_subject, made.describe_object):
            assert text is None or description_problem(text) is None, relation


NO_SIDE = (
    "aunt", "father_in_law", "P19", "exports3", "=>", "родственник", "hosts", "rangeIncludes",
    "city in subdivision", "exploitCreatedBy", "processes", "P96_by_mother",
)  # fmt: skip
"""x aunt y may mean that x is the aunt or that y is; x hosts y that y is the host."""


def test_what_says_nothing_of_its_ends_takes_no_side():
    for relation in NO_SIDE:
        made = derive(relation)
        assert re.fullmatch("the relation “.*” leads from {subject} to {object}", made.statement)
        assert re.match("From whom|From what", made.ask_subject)
        assert re.match("To whom|To what", made.ask_object)


def test_a_code_is_quoted_as_it_is():
    assert "“CtD”" in derive("CtD").ask_object
    assert "“a{{topic}}b”" in derive("a{topic}b").ask_object


def test_typed_wording_names_the_type_of_the_topic():
    found = derive("/film/film/genre", typed=True)
    assert found.ask_object == "What is the genre of the film {topic}?"


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
            assert template_problems(found, PLACEHOLDERS) == [], (name, found)


def test_names_with_placeholders_have_templates_and_descriptions():
    names = ["part {object}", "{subject}", "{{object}}", "is {subject} of", "{topic}"]
    for row in load_templates("", names).rows:
        assert template_problems(row, PLACEHOLDERS) == []
        assert not any(map(description_problem, (row.describe_subject, row.describe_object)))
    asked = load_templates("", names).ask("part {object}", "object", "X")
    assert asked == "To what does the relation “part {object}” lead from X?"


WORDS = {
    "isLocatedIn": "is located in", "place_of_birth": "place of birth", "works-at": "works at",
    "Co-occurs_with": "co-occurs with", "http://dbpedia.org/ontology/birthPlace": "birth place",
    "<http://example.org/x#partOf>": "part of", "rdfs:subClassOf": "sub class of", "=>": "=>",
    "INTERACTS_WITH": "interacts with", "officialGDPRank": "official GDP rank",
}  # fmt: skip


def test_names_are_split_into_words():
    assert {name: " ".join(words_of(name)) for name in WORDS} == WORDS
    names = ("birthPlace", "CtD", "P19")
    assert [*map(readable_name, names)] == ["birth place", "CtD", "P19"]
    assert escape("a{topic}b") == "a{{topic}}b"


MARKS = ("{}_inv", "{}_inverse", "{}_reverse", "{}-1", "{}^-1", "{}/r", "inv_{}")


@pytest.mark.parametrize("mark", MARKS)
def test_an_inverse_is_known_by_its_name_and_asked_in_the_words_of_the_other(mark):
    inverse = mark.format("works_for")
    triples = [(f"p{i}", "works_for", f"f{i % 9}") for i in range(20)]
    kg = KnowledgeGraph.from_triples([*triples, *((o, inverse, s) for s, _, o in triples[:12])])
    assert named_inverses(kg) == {inverse: "works_for"}
    row, other = (load_templates("", kg.relations, kg=kg)[r] for r in (inverse, "works_for"))
    assert row.statement == "{object} works for {subject}"
    assert row.ask_object == f"Who works for {{topic}} (relation “{inverse}”)?"
    assert row.ask_subject.startswith(other.ask_object.removesuffix("?").split(" (")[0])


def test_a_name_alone_makes_no_inverse():
    triples = [("a", "line", "b"), ("b", "line-1", "c"), ("c", "x_inv", "a"), ("a", "y", "c")]
    assert named_inverses(KnowledgeGraph.from_triples(triples)) == {}


FAMILY = [
    *((f"aunt{i}", "aunt", f"child{i + j}") for i in range(6) for j in range(3)),
    *((f"uncle{i}", "uncle", f"child{i + j}") for i in range(6) for j in range(3)),
    *((f"uncle{i}", "brother", f"aunt{i}") for i in range(6)),
]
"""The subject is the relative: aunts and uncles stand apart, children have both."""


def turned(triples):
    return [(o, r, s) for s, r, o in triples]


def read(triples, **labels):
    return graph_ends(KnowledgeGraph.from_triples(triples), {}, lambda: labels)


def ask(found, relation):
    ends, role_of = found[relation]
    made = derive(relation, ends=ends, role_of=role_of)
    return made.ask_subjects, made.ask_objects


def test_who_is_the_aunt_follows_from_aunts_and_uncles_standing_apart():
    assert ask(read(FAMILY), "aunt") == (
        "Who are the aunts of {topic}?",
        "Whose aunts include {topic}?",
    )
    assert ask(read(turned(FAMILY)), "aunt") == (
        "Whose aunts include {topic}?",
        "Who are the aunts of {topic}?",
    )


@pytest.mark.parametrize("turn", [list, turned])
def test_where_nothing_shows_who_is_the_aunt_the_question_takes_no_side(turn):
    aunts = turn([triple for triple in FAMILY if triple[1] == "aunt"])
    assert ask(read(aunts), "aunt") == (
        "From whom does the relation “aunt” lead to {topic}?",
        "To whom does the relation “aunt” lead from {topic}?",
    )


def test_the_end_of_which_everybody_has_one_plays_the_role_and_no_other_noun_follows():
    born = [(f"p{i}", "birth_place", f"c{i % 6}") for i in range(30)]
    assert ask(read(born), "birth_place") == (
        "Whose birth place is {topic}?",
        "What are the birth places of {topic}?",
    )
    other = [(f"t{i % 7}", "talisman", f"p{i}") for i in range(30)]
    found = read(turned(born) + other)
    assert found["birth_place"][1] == "subject"
    assert ask(found, "birth_place")[1] == "Whose birth place is {topic}?"
    assert found["talisman"][1] == ""


def test_many_of_one_turn_no_noun_and_give_no_type():
    spoken = [(f"c{i}", "regional language", f"l{i}.{k}") for i in range(9) for k in range(3)]
    other = [(f"c{i}", "main script", f"s{i % 5}") for i in range(9)]
    near = [(f"c{i}", "neighbor", f"c{(i + 1) % 9}") for i in range(9)]
    found = read(spoken + other + near)
    assert ask(found, "regional language")[1] == "What are the regional languages of {topic}?"
    assert ask(found, "main script")[1] == "What are the main scripts of {topic}?"
    assert ask(found, "neighbor")[1] == "What are the neighbors of {topic}?"


def test_people_are_those_who_stand_where_only_people_do():
    born = [(f"p{i}", "born_in", f"c{i}") for i in range(10)]
    influence = [(f"p{i}", "influenced_by", f"p{i + 1}") for i in range(9)]
    label = [(f"{'band' if i % 2 else 'p'}{i}", "record_label", f"l{i}") for i in range(10)]
    found = read([*born, *influence, *label])
    assert ask(found, "influenced_by") == (
        "Who was influenced by {topic}?",
        "Who influenced {topic}?",
    )
    assert ask(found, "record_label") == (
        "Who or what has {topic} as its record label?",
        "What are the record labels of {topic}?",
    )
    assert read(influence)["influenced_by"][0].subject.people is None


def test_nouns_are_stated_types_and_what_roles_name():
    films = [(f"f{i}", "shown_in", f"c{i % 6}") for i in range(12)]
    typed = [(f"f{i}", "rdf:type", "Q11424") for i in range(12)]
    homes = [(f"x{i}", "country", f"c{i % 6}") for i in range(12)]
    found = read([*films, *typed, *homes], Q11424="film")
    assert ask(found, "shown_in") == (
        "Which films are shown in {topic}?",
        "Which countries is {topic} shown in?",
    )
    assert ask(found, "country")[1] == "What are the countries of {topic}?"


def test_a_graph_whose_templates_are_written_is_not_read():
    def fails():
        raise AssertionError("was read")

    typed = [("ann", "aunt", "bo"), ("ann", "rdf:type", "woman")]
    kg = KnowledgeGraph.from_triples(typed)
    assert load_templates("family", ["aunt"], kg=kg, labels=fails).derived == 0
    with pytest.raises(AssertionError, match="was read"):
        load_templates("", ["aunt"], kg=kg, labels=fails)


def test_a_relation_is_worded_by_what_it_is_called():
    kg = KnowledgeGraph.from_triples([(f"p{i}", "P19", f"c{i % 6}") for i in range(20)])
    row = load_templates("", ["P19"], kg=kg, names={"P19": "birth town"})["P19"]
    assert row.ask_object == "What is the birth town of {topic}?"
    assert row.ask_subject == "Whose birth town is {topic}?"


def test_in_known_vocabularies_the_object_plays_the_role_whatever_the_graph_shows():
    iri = "http://dbpedia.org/ontology/aunt"
    for relation, names in (("P7", {"P7": "aunt"}), (iri, {}), ("aunt", {})):
        kg = KnowledgeGraph.from_triples([(s, relation, o) for s, r, o in FAMILY if r == "aunt"])
        kg = replace(kg, relation_iris={"aunt": iri})
        row = load_templates("", [relation], kg=kg, names=names)[relation]
        assert row.ask_object == "Who is the aunt of {topic}?"


def test_a_type_that_another_one_disputes_is_none():
    homes = [(f"x{i}", "country", f"c{i % 6}") for i in range(12)]
    shown = [(f"f{i}", "shown_in", f"c{i % 6}") for i in range(12)]
    towns = [(f"y{i}", "city", f"c{i % 3}") for i in range(12)]
    assert ask(read(homes + shown), "shown_in")[1] == "Which countries is {topic} shown in?"
    assert ask(read(homes + shown + towns), "shown_in")[1] == "What is {topic} shown in?"
