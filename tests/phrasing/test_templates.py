import re
from pathlib import Path

import pytest

from rulemine.errors import InputError
from rulemine.phrasing.templates import (
    PLACEHOLDERS,
    Templates,
    load_templates,
    read_templates,
    template_problems,
)
from rulemine.text.template import fill

PACKAGED = ("demo", "family", "fb15k237")

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
    assert templates["aunt"].ask("subject", "72") == "Who is the aunt of 72?"
    assert templates["aunt"].ask("object", "7") == "Who is 7 the aunt of?"


@pytest.mark.parametrize("name", ["?x", "{topic}", "{0}", "=>", "100 %s", "}{", "a\\b", "{{"])
def test_names_are_put_in_verbatim(name):
    assert fill("Who is {topic} of {{x}}?", {"topic": name}) == f"Who is {name} of {{x}}?"


@pytest.mark.parametrize("name", PACKAGED)
def test_packaged_files_are_whole(name):
    templates = load_templates(name, read_phrases_of(name))
    assert templates.derived == 0
    assert len(
        {p.ask_subject for p in templates.rows} | {p.ask_object for p in templates.rows}
    ) == (2 * len(templates.rows))


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
        ("ask_subject", "ask_subjects", "unknown key 'ask_subjects'; did you mean 'ask_subject'"),
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
        read_templates(path)
    assert str(path) in str(raised.value)


def test_an_unquoted_dot_is_pointed_out(tmp_path):
    path = write(tmp_path, GOOD.replace("[aunt]", "[family.aunt]"))
    with pytest.raises(InputError, match="needs quotes"):
        read_templates(path)


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
            "birthPlace",
            "birth_place",
        ],
    )
    asked = [t for row in templates.rows for t in (row.ask_subject, row.ask_object)]
    assert len(set(asked)) == len(asked)
    assert templates["/tv/tv_program/genre"].ask("object", "X") == (
        "What is the genre of the tv program X?"
    )
    assert templates["birth_place"].ask("object", "X").endswith("(relation “birth_place”)?")
    assert not any(template_problems(row, PLACEHOLDERS) for row in templates.rows)


def test_phrases_survive_their_table():
    templates = load_templates("family", ["aunt", "a{topic}b", "Treats"])
    assert Templates.from_plain(templates.to_plain()).rows == templates.rows
