import re
from pathlib import Path

import pytest

from rulemine.errors import InputError
from rulemine.kg.facts import Declarations
from rulemine.phrasing.tables import template_problems
from rulemine.phrasing.template_file import PLACEHOLDERS
from rulemine.phrasing.templates import Templates, load_templates
from rulemine.query import parse
from rulemine.text.template import fill

PACKAGED = ("demo", "family", "fb15k237", "umls")

GOOD = """
[aunt]
statement = "{subject} is the aunt of {object}"
ask_subject = "Who is the aunt of {topic}?"
ask_object = "Who is {topic} the aunt of?"
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_subject_plays_the_role_in_family():
    templates = load_templates("family", ["aunt"])
    assert templates["aunt"].state("7", "72") == "7 is the aunt of 72"
    assert templates.ask("aunt", "subject", "72") == "Who are the aunts of 72?"
    assert templates.ask("aunt", "object", "7") == "Who is 7 the aunt of?"


def test_what_holds_both_ways_is_asked_alike_at_both_ends():
    row = load_templates("", ["married to"], Declarations.of(symmetric=["married to"]))[
        "married to"
    ]
    assert row.asks("subject") == row.asks("object") == ("Who is {topic} married to?",) * 2


@pytest.mark.parametrize("name", ["?x", "{topic}", "{0}", "=>", "100 %s", "}{", "a\\b", "{{"])
def test_names_are_put_in_verbatim(name):
    assert fill("Who is {topic} of {{x}}?", {"topic": name}) == f"Who is {name} of {{x}}?"


@pytest.mark.parametrize("name", PACKAGED)
def test_packaged_files_are_whole(name):
    templates = load_templates(name, read_phrases_of(name))
    assert templates.derived == 0


def read_phrases_of(name: str) -> list[str]:
    return list(load_templates(name, []).unused)


def test_family_has_its_twelve_relations():
    assert " ".join(read_phrases_of("family")) == (
        "aunt brother daughter father husband mother nephew niece sister son uncle wife"
    )


def test_what_the_file_lacks_is_derived_and_counted(tmp_path):
    templates = load_templates(str(write(tmp_path, GOOD)), ["aunt", "Treats"])
    assert (templates.written, templates.derived, templates.unused) == (1, 1, ())
    assert templates["Treats"].source == "derived"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
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
    ],
)
def test_a_malformed_file_is_a_clear_error(tmp_path, old, new, message):
    assert old in GOOD
    path = write(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(InputError, match=re.escape(message)) as raised:
        load_templates(path, [])
    assert str(path) in str(raised.value)


def test_an_unquoted_dot_is_pointed_out(tmp_path):
    path = write(tmp_path, GOOD.replace("[aunt]", "[family.aunt]"))
    with pytest.raises(InputError, match="needs quotes"):
        load_templates(path, [])


def test_a_misspelled_relation_is_found(tmp_path):
    path = write(tmp_path, GOOD.replace("[aunt]", "[aumt]"))
    with pytest.raises(InputError, match="'aumt' is not in the graph; did you mean 'aunt'"):
        load_templates(path, ["aunt"])
    assert load_templates(path, ["wife"]).unused == ("aumt",)


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


def test_phrases_survive_their_table():
    templates = load_templates("family", ["aunt", "a{topic}b", "Treats"])
    assert Templates.from_plain(templates.to_plain()).rows == templates.rows


def declared(tmp_path: Path, **keys: str) -> Path:
    """A file with a relation for each keyword, and these further lines."""
    return write(
        tmp_path,
        "\n".join(
            f'["{name}"]\nstatement = "{{subject}} {name} {{object}}"\n'
            f'ask_subject = "Who {name} {{topic}}?"\nask_object = "Whom does {{topic}} {name}?"\n{line}\n'
            for name, line in keys.items()
        ),
    )


def test_declarations_are_read_and_survive_their_table(tmp_path):
    path = declared(
        tmp_path,
        child='inverse_of = "parent"',
        knows="symmetric = true\nplace = true",
        met='same_as = ["knows"]',
        parent="",
        sees="",
    )
    templates = load_templates(path, ["child", "knows", "met", "parent", "sees"])
    assert templates.declarations == Declarations.of(
        ["knows"], [("child", "parent")], [("met", "knows")]
    )
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


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ('(p "citizen_of" "ann")', True),
        ('(p- "citizen_of" "norway")', False),
        ('(p "has_citizen" "norway")', False),  # the same fact, seen from the country
        ('(p- "citizen_of" (p "borders" "sweden"))', False),
        ('(p "knows" (p- "citizen_of" "norway"))', True),
        ('(and (p "knows" "bob") (p- "citizen_of" "norway"))', True),
        ('(and (p- "citizen_of" "norway") (p "has_citizen" "sweden"))', True),
        ('(count (and (p- "citizen_of" "norway") (p- "knows" "bob")))', True),
        ('(or (p "knows" "bob") (p- "citizen_of" "norway"))', False),
        ('(minus (p- "citizen_of" "norway") (p "knows" "bob"))', False),
        ('(count (p- "citizen_of" "norway"))', False),
    ],
)
def test_an_end_that_is_not_asked_for_only_narrows(tmp_path, query, asked):
    path = write(tmp_path, CITIZENS)
    templates = load_templates(path, ["citizen_of", "has_citizen", "knows", "borders"])
    assert templates.asks(parse(query)) == asked
    assert Templates.from_plain(templates.to_plain()).asks(parse(query)) == asked
    ends = [row["ask"] for row in templates.to_plain()]
    assert ends == ["both", "object", "subject", "both"]


def test_neither_end_may_be_asked_for(tmp_path):
    path = write(tmp_path, CITIZENS.replace('ask = "object"', 'ask = "none"'))
    templates = load_templates(path, ["citizen_of", "has_citizen"])
    for known in (templates, Templates.from_plain(templates.to_plain())):
        for query in ('(p "citizen_of" "ann")', '(p- "citizen_of" "norway")'):
            assert not known.asks(parse(query))
        assert known.asks(parse('(and (p "citizen_of" "ann") (p "citizen_of" "bob"))'))


def test_tables_of_releases_without_the_column_ask_for_both_ends(tmp_path):
    templates = load_templates(write(tmp_path, CITIZENS), ["citizen_of"])
    rows = [{k: v for k, v in row.items() if k != "ask"} for row in templates.to_plain()]
    assert Templates.from_plain(rows).asks(parse('(p- "citizen_of" "norway")'))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('ask_reason = "nobody can name the citizens of a country"', "", "needs an ask_reason"),
        ('"object"\nask_reason', '"objects"\nask_reason', 'expected "subject", "object", "both" or "none"'),
        ('inverse_of = "citizen_of"', 'same_as = "citizen_of"\nsymmetric = true', "no end is asked"),
    ],
)  # fmt: skip
def test_an_end_is_left_out_for_a_reason_and_never_both(tmp_path, old, new, message):
    assert old in CITIZENS
    with pytest.raises(InputError, match=message):
        load_templates(write(tmp_path, CITIZENS.replace(old, new)), ["citizen_of", "has_citizen"])


def test_what_is_declared_about_relations_that_the_graph_lacks_holds_between_the_others(tmp_path):
    path = declared(
        tmp_path, a='inverse_of = "b"', b="", c='inverse_of = "b"', d='same_as = "e"', e=""
    )
    templates = load_templates(path, ["a", "c", "d"])
    assert templates.declarations == Declarations.of(same=[("a", "c")])


def test_all_wrong_declarations_are_reported_at_once(tmp_path):
    path = declared(
        tmp_path, parent='inverse_of = ["chidl", "qqqqqqq"]', child='same_as = 3\nsymmetric = "yes"'
    )
    with pytest.raises(InputError, match="same_as is 3; expected a list") as raised:
        load_templates(path, [])
    assert "symmetric is 'yes'; expected true or false" in str(raised.value)
    path = declared(tmp_path, parent='inverse_of = ["chidl", "qqqqqqq"]', child="")
    with pytest.raises(
        InputError, match="'chidl', which is unknown; did you mean 'child'"
    ) as raised:
        load_templates(path, [])
    assert "inverse_of names 'qqqqqqq', which is unknown" in str(raised.value)


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


def test_one_wording_needs_one_meaning(tmp_path):
    with pytest.raises(InputError, match="relation 'spouse': asks for both ends") as raised:
        load_templates(write(tmp_path, SAME), ["spouse"])
    assert "'spouse' and 'married_to': both ask 'To whom is {topic} married?'" in str(raised.value)
    one = SAME.replace("[married_to]", "symmetric = true\n[married_to]")
    with pytest.raises(InputError, match="both ask"):
        load_templates(write(tmp_path, one), ["spouse"])
    both = one + 'same_as = "spouse"\n'
    templates = load_templates(write(tmp_path, both), ["spouse", "married_to"])
    assert templates["spouse"].source == templates["married_to"].source == "written"


def test_one_name_needs_one_meaning(tmp_path):
    named = 'describe_subject = "person/people | who {} {{topic}} | fan of {{topic}}"\n'
    text = "".join(GOOD.replace("aunt", verb) + named.format(verb) for verb in ("adores", "cheers"))
    with pytest.raises(InputError, match=r"both ask 'fan of \{topic\}'"):
        load_templates(write(tmp_path, text), ["adores", "cheers"])


def test_a_plural_names_its_topic_too(tmp_path):
    text = GOOD + 'ask_subjects = "Who are the aunts of {topic}?"\n'
    with pytest.raises(InputError, match=r"key ask_subjects: .* 0 times"):
        load_templates(write(tmp_path, text.replace("aunts of {topic}", "aunts")), ["aunt"])


def test_derived_templates_of_relations_that_state_the_same_may_be_equal(tmp_path):
    names = ["dbo:eyeShade", "dbp:eyeShade"]
    path = declared(tmp_path, has_eyes=f"same_as = {names}")
    one, other = (load_templates(path, names).ask(name, "object", "X") for name in names)
    assert one == other == "What are the eye shades of X?"
