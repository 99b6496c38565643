"""Template files, what they declare, descriptions of ends, and templates of whole graphs."""

import pytest

from rulemine.errors import InputError
from rulemine.kg.facts import Declarations, FoundDeclaration, declared_by
from rulemine.phrasing.derive import derive
from rulemine.phrasing.descriptions import (
    derive_descriptions,
    description_problem,
    read_description,
)
from rulemine.phrasing.template_file import PLACEHOLDERS, found_lines, template_problems
from rulemine.phrasing.templates import Templates, load_templates
from rulemine.query import parse
from rulemine.text.template import fill

GOOD = """
[aunt]
statement = "{subject} is the aunt of {object}"
ask_subject = "Who is the aunt of {topic}?"
ask_object = "Who is {topic} the aunt of?"
"""


@pytest.fixture
def load(tmp_path):
    """Called with the text of a template file and relations."""

    def loaded(text, relations=()):
        path = tmp_path / "mine.toml"
        path.write_text(text, encoding="utf-8")
        return load_templates(path, relations)

    return loaded


def refusal(load, text, relations=()):
    with pytest.raises(InputError) as raised:
        load(text, relations)
    return str(raised.value)


def test_the_subject_plays_the_role_in_family():
    templates = load_templates("family", ["aunt"])
    assert templates["aunt"].state("7", "72") == "7 is the aunt of 72"
    assert templates.ask("aunt", "subject", "72") == "Who are the aunts of 72?"
    assert templates.ask("aunt", "object", "7") == "Who is 7 the aunt of?"


def test_what_holds_both_ways_is_asked_alike_at_both_ends():
    declared = Declarations.of(symmetric=["married to"])
    row = load_templates("", ["married to"], declared)["married to"]
    assert row.asks("subject") == row.asks("object") == ("Who is {topic} married to?",) * 2


def test_names_are_put_in_verbatim():
    for name in ("?x", "{topic}", "{0}", "=>", "100 %s", "}{", "a\\b", "{{"):
        assert fill("Who is {topic} of {{x}}?", {"topic": name}) == f"Who is {name} of {{x}}?"


def test_packaged_files_are_whole():
    for name in ("demo", "family", "fb15k237", "umls"):
        relations = load_templates(name, []).unused
        templates = load_templates(name, relations)
        assert templates.derived == 0
        for row in templates.rows if name != "fb15k237" else ():
            texts = row.describe_subject, row.describe_object
            assert not any(text.startswith(("something", "someone")) for text in texts), row
    assert " ".join(load_templates("family", []).unused) == (
        "aunt brother daughter father husband mother nephew niece sister son uncle wife"
    )


def test_what_the_file_lacks_is_derived_and_counted(load):
    templates = load(GOOD, ["aunt", "Treats"])
    assert (templates.written, templates.derived, templates.unused) == (1, 1, ())
    assert templates["Treats"].source == "derived"


MALFORMED = (
    ("ask_subject", "ask_subjekt", "unknown key 'ask_subjekt'; did you mean 'ask_subject'"),
    ('ask_object = "Who is {topic} the aunt of?"', "", "ask_object is missing"),
    ("{topic} the", "{topick} the", "has {topick}; did you mean 'topic'"),
    ("of {topic}?", "of them?", "has {topic} 0 times"),
    ("of {topic}?", "of {topic} or {topic}?", "has {topic} 2 times"),
    ("of {topic}?", "of {topic}s?", "touches"),
    ("of {topic}?", "of {topic?", "single '{'"),
    ('"Who is {topic} the aunt of?"', "3", "ask_object is 3; expected text"),
    ("[aunt]", "[aunt", "is not valid TOML"),
    ('"Who is the', '"Who is\\tthe', "a tab or a line break"),
    ("[aunt]", "[family.aunt]", "needs quotes"),
    ("of?\"", "of?\"\nask_subjects = \"Who are aunts?\"", "key ask_subjects: "),
)  # fmt: skip


def test_a_malformed_file_is_a_clear_error(load):
    for old, new, message in MALFORMED:
        said = refusal(load, GOOD.replace(old, new, 1))
        assert message in said
        assert "mine.toml" in said


def test_a_misspelled_relation_is_found(load):
    text = GOOD.replace("[aunt]", "[aumt]")
    assert "'aumt' is not in the graph; did you mean 'aunt'" in refusal(load, text, ["aunt"])
    assert load(text, ["wife"]).unused == ("aumt",)


def test_no_two_relations_ask_the_same():
    templates = load_templates(
        "",
        [
            "/film/film/genre",
            "/tv/tv_program/genre",
            "/olympics/olympic_games/sports",
            "/user/jg/default_domain/olympic_games/sports",
            *("birthPlace", "birth_place", "hasPoint", "isPointOf"),
        ],
    )
    rows = templates.rows
    asked = [t for row in rows for end in ("subject", "object") for t in {*row.asks(end)}]
    assert len(set(asked)) == len(asked)
    assert templates.ask("/tv/tv_program/genre", "object", "X") == (
        "What are the genres of the tv program X?"
    )
    assert templates.ask("birth_place", "object", "X").endswith("(relation “birth_place”)?")
    assert not any(template_problems(row, PLACEHOLDERS) for row in templates.rows)


def test_templates_survive_their_table():
    templates = load_templates("family", ["aunt", "a{topic}b", "Treats"])
    assert Templates.from_plain(templates.to_plain()).rows == templates.rows


def declared(**keys):
    """The text of a file with a relation for each keyword, and these further lines."""
    return "".join(
        f'["{name}"]\nstatement = "{{subject}} {name} {{object}}"\n'
        f'ask_subject = "Who {name} {{topic}}?"\nask_object = "Whom does {{topic}} {name}?"\n{line}\n'
        for name, line in keys.items()
    )


def test_declarations_are_read_and_survive_their_table(load):
    keys = {"knows": "symmetric = true\nplace = true", "met": 'same_as = ["knows"]', "parent": ""}
    text = declared(child='inverse_of = "parent"', **keys, sees="")
    templates = load(text, ["child", "knows", "met", "parent", "sees"])
    found = Declarations.of(["knows"], [("child", "parent")], [("met", "knows")])
    assert templates.declarations == found
    assert templates.declarations["parent"] == ("child", True, False)
    assert templates.declarations["met"] == ("knows", False, True)
    rows = templates.to_plain()
    assert [row["fact"] for row in rows] == ["child", "knows", "knows", "child", "sees"]
    assert [row["reversed"] for row in rows] == ["", "", "", "yes", ""]
    assert [row["symmetric"] for row in rows] == ["", "yes", "yes", "", ""]
    assert [row["place"] for row in rows] == ["", "yes", "yes", "", ""]
    assert Templates.from_plain(rows) == templates


CITIZENS = """
[citizen_of]
statement = "{subject} is a citizen of {object}"
ask_subject = "Who is a citizen of {topic}?"
ask_object = "Of which country is {topic} a citizen?"
ask = "object"
ask_reason = "nobody can name the citizens of a country"
[has_citizen]
statement = "{object} is a citizen of {subject}"
ask_subject = "Of which country is {topic} a citizen?"
ask_object = "Who is a citizen of {topic}?"
inverse_of = "citizen_of"
"""


ASKED = {
    '(p "citizen_of" "ann")': True,
    '(p- "citizen_of" "norway")': False,
    '(p "has_citizen" "norway")': False,  # the same fact, seen from the country
    '(p- "citizen_of" (p "borders" "sweden"))': False,
    '(p "knows" (p- "citizen_of" "norway"))': True,
    '(and (p "knows" "bob") (p- "citizen_of" "norway"))': True,
    '(and (p- "citizen_of" "norway") (p "has_citizen" "sweden"))': True,
    '(count (and (p- "citizen_of" "norway") (p- "knows" "bob")))': True,
    '(or (p "knows" "bob") (p- "citizen_of" "norway"))': False,
    '(minus (p- "citizen_of" "norway") (p "knows" "bob"))': False,
    '(count (p- "citizen_of" "norway"))': False,
}


def test_an_end_that_is_not_asked_for_only_narrows(load):
    templates = load(CITIZENS, ["citizen_of", "has_citizen", "knows", "borders"])
    again = Templates.from_plain(templates.to_plain())
    for query, asked in ASKED.items():
        assert templates.asks(parse(query)) == again.asks(parse(query)) == asked, query
    ends = [row["ask"] for row in templates.to_plain()]
    assert ends == ["both", "object", "subject", "both"]


def test_neither_end_may_be_asked_for(load):
    text = CITIZENS.replace('ask = "object"', 'ask = "none"')
    templates = load(text, ["citizen_of", "has_citizen"])
    for known in (templates, Templates.from_plain(templates.to_plain())):
        for query in ('(p "citizen_of" "ann")', '(p- "citizen_of" "norway")'):
            assert not known.asks(parse(query))
        assert known.asks(parse('(and (p "citizen_of" "ann") (p "citizen_of" "bob"))'))


def test_tables_of_releases_without_the_column_ask_for_both_ends(load):
    rows = [
        {key: value for key, value in row.items() if key != "ask"}
        for row in load(CITIZENS, ["citizen_of"]).to_plain()
    ]
    assert Templates.from_plain(rows).asks(parse('(p- "citizen_of" "norway")'))


NO_REASON = (
    ('ask_reason = "nobody can name the citizens of a country"', "", "needs an ask_reason"),
    ('"object"\nask_reason', '"objects"\nask_reason', 'expected "subject", "object", "both" or "none"'),
    ('inverse_of = "citizen_of"', 'same_as = "citizen_of"\nsymmetric = true', "no end is asked"),
)  # fmt: skip


def test_an_end_is_left_out_for_a_reason_and_never_both(load):
    for old, new, message in NO_REASON:
        text = CITIZENS.replace(old, new)
        assert message in refusal(load, text, ["citizen_of", "has_citizen"])


def test_what_is_declared_about_relations_that_the_graph_lacks_holds_between_the_others(load):
    keys = {
        "a": 'inverse_of = "b"',
        "b": "",
        "c": 'inverse_of = "b"',
        "d": 'same_as = "e"',
        "e": "",
    }
    assert load(declared(**keys), ["a", "c", "d"]).declarations == Declarations.of(
        same=[("a", "c")]
    )


def test_all_wrong_declarations_are_reported_at_once(load):
    unknown = 'inverse_of = ["chidl", "qqqqqqq"]'
    said = refusal(load, declared(parent=unknown, child='same_as = true\nsymmetric = "yes"'))
    assert "same_as is true; expected a list" in said
    assert "symmetric is 'yes'; expected true or false" in said
    said = refusal(load, declared(parent=unknown, child=""))
    assert "'chidl', which is unknown; did you mean 'child'" in said
    assert "inverse_of names 'qqqqqqq', which is unknown" in said


SAME = """
[spouse]
statement = "{subject} is married to {object}"
ask_subject = "To whom is {topic} married?"
ask_object = "To whom is {topic} married?"

[married_to]
statement = "{subject} is married to {object}"
ask_subject = "Who is married to {topic}?"
ask_object = "Who was {topic} married to?"
ask_objects = "To whom is {topic} married?"
"""


def test_one_wording_needs_one_meaning(load):
    said = refusal(load, SAME, ["spouse"])
    assert "relation 'spouse': asks for both ends" in said
    assert "'spouse' and 'married_to': both ask 'To whom is {topic} married?'" in said
    one = SAME.replace("[married_to]", "symmetric = true\n[married_to]")
    assert "both ask" in refusal(load, one, ["spouse"])
    templates = load(one + 'same_as = "spouse"\n', ["spouse", "married_to"])
    assert templates["spouse"].source == templates["married_to"].source == "written"


def test_one_name_needs_one_meaning(load):
    named = 'describe_subject = "person/people | who {} {{topic}} | fan of {{topic}}"\n'
    text = "".join(GOOD.replace("aunt", verb) + named.format(verb) for verb in ("adores", "cheers"))
    assert "both ask 'fan of {topic}'" in refusal(load, text, ["adores", "cheers"])


def test_derived_templates_of_relations_that_state_the_same_may_be_equal(load):
    names = ["dbo:eyeShade", "dbp:eyeShade"]
    templates = load(declared(has_eyes=f"same_as = {names}"), names)
    assert {templates.ask(name, "object", "X") for name in names} == {
        "What are the eye shades of X?"
    }


FRIENDS = ["buddy", "child", "father", "knows", "meets", "parent", 'the "one"']
FOUND = (
    FoundDeclaration("buddy", "knows", "same", ((39, 40), (39, 39))),
    FoundDeclaration("buddy", "meets", "same", ((38, 40), (38, 39))),
    FoundDeclaration("child", "parent", "inverse", ((1139, 1139), (1139, 1140))),
    FoundDeclaration("father", "parent", "narrower", ((36, 36),)),
    FoundDeclaration("knows", "knows", "symmetric", ((38, 39),)),
    FoundDeclaration('the "one"', 'the "one"', "symmetric", ((50, 50),)),
)


def test_what_is_found_reads_as_a_file_that_declares_it(load):
    lines = found_lines(FOUND)
    assert '["child"]' in lines
    assert 'inverse_of = "parent"  # states 1,139 of 1,139, 1,139 of 1,140' in lines
    assert lines[-1] == '# not declared: "parent" states 36 of 36 triples of "father"'
    templates = load("\n".join(lines) + GOOD.replace("aunt", "father"), FRIENDS)
    assert templates.declarations == declared_by(FOUND)
    assert (templates.written, templates["child"].source) == (1, "derived")


def test_what_is_wrong_with_declarations_is_named(load):
    assert "'knowz' is not in the graph; did you mean 'knows'" in refusal(
        load, "[knowz]\nsymmetric = true", FRIENDS
    )
    assert "'parnet', which is unknown; did you mean 'parent'" in refusal(
        load, '[child]\ninverse_of = "parnet"', FRIENDS
    )


WRONG = (
    ("person/people who knows {topic}", "has 0 single |"),
    ("person | people | who knows {topic}", "has 2 single |"),
    ("{topic} | who knows them", "{topic} right of |"),
    ("a/b/c | who knows {topic}", "a single /"),
    ("film/films | that won [the {topic}", "one pair of brackets around it"),
    ("film/films | that won [the] {topic}", "one pair of brackets around it"),
    ("| that won {topic}", "no noun"),
    ("film/films | that {topic} won", "write which or whom"),
    ("film/films | won {topic}", "begins with 'won'"),
    ("film/films | that won", "has {topic} 0 times"),
    ("film/films | that won {topic}s", "touches a letter"),
    ("film/films | that won {prize}", "has {prize}"),
    ("film/films | that\twon {topic}", "a tab"),
    ("person/people | who won [the {topic}] | winner of {topic}", "the brackets of the clause"),
    ("person/people | who won [the {topic}] | winner", "the brackets of the clause"),
    ("person/people | who won {topic} | {topic}", "expected a noun"),
)


def test_wrong_descriptions():
    for text, problem in WRONG:
        assert problem in (description_problem(text) or ""), text


def test_a_description_in_both_numbers():
    read = read_description(
        "TV program/programs | that was/were won by [the {{x//y}} {topic} {{]]}}]"
    )
    assert read.noun == ("TV program", "TV programs")
    assert read.forms[0] == ("that was won by ", "the {x/y} ", " {]}", "")
    assert read.forms[1].before == "that were won by "
    assert read.subject
    assert not read.who


def test_a_dash_is_no_word():
    one, many = read_description("person/people | who is/are a/- friend/friends of {topic}").forms
    assert (one.before, many.before) == ("who is a friend of ", "who are friends of ")


def test_a_name_by_the_topic_entity():
    text = "person/people | who directed [the film {topic}] | director of [the film {topic}]"
    assert read_description(text).name == ("director of ", "")
    assert description_problem(text) is None


def test_a_bare_which_reads_as_that():
    read = read_description("film/films | which {topic} directed")
    assert not read.subject
    assert (read.forms[0].before, read.forms[0].after) == ("that ", " directed")


DERIVED = """
Affects
something/things | that affects/affect {topic}
something/things | which {topic} affects
works_at
someone/people | who works/work at {topic}
place/places | which {topic} works at
/people/person/place_of_birth
person/people | whose place of birth is {topic}
place/places | that is/are the place/places of birth of {topic}
/tv/tv_program/languages
tv program/programs | whose languages include {topic}
language/languages | that is/are a/- language/languages of {topic}
hasChild
person/people | whose children include {topic}
person/people | who is/are a/- child/children of {topic}
child_of
someone/people | who is/are a/- child/children of {topic}
someone/people | whom {topic} is a child of
_hypernym
something/things | whose hypernyms include {topic}
something/things | that is/are a/- hypernym/hypernyms of {topic}
a/[b]
something/things | from which the relation “a//[[b]]” leads to {topic}
something/things | to which the relation “a//[[b]]” leads from {topic}
"""


def test_read_off_derived_templates():
    lines = iter(DERIVED.strip().splitlines())
    for relation, subject, object_ in zip(lines, lines, lines, strict=True):
        made = derive(relation)
        assert (made.describe_subject, made.describe_object) == (subject, object_)


WRITTEN = (
    (
        ("{subject} acted in the film {object}", "Who acted in the film {topic}?", "…"),
        "someone/people | who acted in [the film {topic}]",
        "film/films | which {topic} acted in",
    ),
    (
        ("the music of {subject} is on {object}", "Whose music is on {topic}?", "What has it?"),
        "someone/people | whose music is on {topic}",
        "something/things | which the music of {topic} is on",
    ),
    (
        ("the film {subject} quickly outshines {object}", "What …?", "What …?"),
        "film/films | that quickly outshines/outshine {topic}",
        "something/things | which [the film {topic}] quickly outshines",
    ),
)


def test_read_off_written_templates():
    for templates, *both in WRITTEN:
        assert derive_descriptions("r", *templates) == tuple(both)


def test_what_cannot_be_read_names_the_relation():
    for statement in (
        "{subject}'s boss is {object}",
        "{subject} and {object} met, once",
        "{subject} {object}",
    ):
        subject, object = derive_descriptions("r", statement, "What?", "What?")
        assert subject == "something/things | from which the relation “r” leads to {topic}"
        assert object == "something/things | to which the relation “r” leads from {topic}"


def test_derived_descriptions_of_different_facts_differ():
    templates = load_templates("", ["birthPlace", "birth_place", "isMarriedTo", "MarriedTo"])
    texts = [text for row in templates.rows for text in (row.describe_subject, row.describe_object)]
    assert len(set(texts)) == len(texts)
    assert not any(map(description_problem, texts))


def test_a_description_that_is_wrong_says_where(load):
    text = GOOD + 'describe_object = "film/films, that won {topic}"\n'
    assert "relation 'aunt': key describe_object: " in refusal(load, text, ["aunt"])
    ends = ("subject", "object")
    same = "".join(f'describe_{end} = "film/films | that won {{topic}}"\n' for end in ends)
    said = refusal(load, GOOD + same, ["aunt"])
    assert "relation 'aunt': asks for both ends with 'film/films" in said
