import random
from pathlib import Path

import pytest

from rulemine.errors import InputError
from rulemine.phrasing.glosses import (
    PLACEHOLDERS,
    Gloss,
    Glosses,
    gloss_of,
    load_glosses,
    read_glosses,
)
from rulemine.phrasing.tables import template_problems
from rulemine.phrasing.templates import (
    RelationTemplates,
    Templates,
    load_templates,
)
from rulemine.text.template import fill

AUNT = """
[aunt]
statement = "{subject} is the aunt of {object}"
subjects = "the aunts of {topic}"
objects = "the nieces and nephews of {topic}"
"""
FAMILY = load_templates("family", ["aunt", "uncle"])


def written(folder: Path, text: str) -> str:
    path = folder / "glosses.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def template(relation: str, statement: str, source: str = "written") -> RelationTemplates:
    return RelationTemplates(relation, statement, *("Who {topic}?", "Whom {topic}?") * 2, source)


def test_without_a_file_the_phrases_say_what_relations_mean():
    glosses = load_glosses("", FAMILY)
    assert [row.relation for row in glosses.rows] == ["aunt", "uncle"]
    aunt = glosses["aunt"]
    assert aunt.statement == "{subject} is the aunt of {object}"
    assert fill(aunt.subjects, {"topic": "72"}) == "every X such that “X is the aunt of 72”"
    assert fill(aunt.objects, {"topic": "7"}) == "every X such that “7 is the aunt of X”"
    assert aunt.source == "template"


def test_a_relation_that_holds_both_ways_asks_for_either_end_alike():
    assert gloss_of(FAMILY["aunt"], symmetric=True).objects == gloss_of(FAMILY["aunt"]).subjects
    rows = load_glosses("", FAMILY, symmetric={"uncle"})
    assert rows["uncle"].subjects == rows["uncle"].objects
    assert rows["aunt"].subjects != rows["aunt"].objects


def test_a_phrase_that_only_quotes_a_relation_still_says_which_end_is_asked_for():
    row = load_templates("", ["P171"])["P171"]
    assert row.statement == "the relation “P171” leads from {subject} to {object}"
    gloss = gloss_of(row)
    assert gloss.subjects == "every X such that “the relation “P171” leads from X to {topic}”"
    assert gloss.objects == "every X such that “the relation “P171” leads from {topic} to X”"


def test_a_file_goes_before_the_phrases(tmp_path):
    glosses = load_glosses(written(tmp_path, AUNT), FAMILY)
    assert glosses["aunt"].subjects == "the aunts of {topic}"
    assert glosses["aunt"].source == "written"
    assert glosses["uncle"].source == "template"


@pytest.mark.parametrize(
    ("statement", "subjects", "objects"),
    [
        ("{object} is by {subject}", "every X such that “b is by X”", "every X such that “X is by b”"),
        (
            "{subject} {{subject}} {object}",
            "every X such that “X {subject} b”",
            "every X such that “b {subject} X”",
        ),
        ("{subject} {{{{ {object} }}", "every X such that “X {{ b }”", "every X such that “b {{ X }”"),
    ],
)  # fmt: skip
def test_a_gloss_made_from_a_phrase_says_what_the_phrase_says(statement, subjects, objects):
    gloss = gloss_of(template("r", statement))
    assert template_problems(gloss, PLACEHOLDERS) == []
    assert fill(gloss.subjects, {"topic": "b"}) == subjects
    assert fill(gloss.objects, {"topic": "b"}) == objects


def test_packaged_phrases_make_sound_glosses():
    for name in ("family", "demo", "fb15k237"):
        templates = load_templates(name, ["nothing"])
        rows = load_templates(name, templates.unused).rows
        assert len(rows) > 10
        for row in rows:
            assert template_problems(gloss_of(row), PLACEHOLDERS) == []


def test_what_is_written_is_read_back_the_same(tmp_path):
    rng = random.Random(3)
    signs = "a \"'\\{}[]#=.\u2028é\x7f\x01\t\U0001f600"

    def text() -> str:
        return "".join(rng.choice(signs) for _ in range(rng.randrange(1, 8)))

    names = sorted({text() for _ in range(200)})
    templates = Templates(tuple(template(name, "{subject} “" + "{object}”") for name in names))
    rows = []
    for number, name in enumerate(names):
        words = " ".join(text().split()).replace("{", "{{").replace("}", "}}")
        gloss = Gloss(
            name, f"{{subject}} {words} {{object}}", f"{words} {{topic}}", "x {topic}", "model"
        )
        rows.append(gloss if number % 3 else gloss_of(templates[name]))
    glosses = Glosses(tuple(rows))
    path = written(tmp_path, glosses.to_toml())
    assert load_glosses(path, templates) == glosses
    assert load_glosses(path, templates).to_toml() == glosses.to_toml()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("aunt = 3", "relation 'aunt': is 3; a table was expected"),
        (AUNT.replace("subjects", "subject"), "unknown key 'subject'; did you mean 'subjects'?"),
        (AUNT.replace('objects = "', 'objets = "'), "unknown key 'objets'"),
        ("[aunt]\nstatement = 'x'", "subjects is missing"),
        (AUNT.replace('"the aunts of {topic}"', "3"), "subjects is 3; expected text"),
        (AUNT.replace("aunts of {topic}", "aunts"), "has {topic} 0 times"),
        (AUNT.replace("aunts of {topic}", "aunts of {subject}"), "has {subject}; known: topic"),
        (AUNT.replace("of {object}", "of{object}"), "{object} touches a letter"),
        (AUNT.replace("{object}", "{object} {"), "has a single '{'"),
        (AUNT + 'source = "modle"', "source is 'modle'; expected written, model or template"),
        ("[a.b]\nstatement = 'x'", "a relation with a dot needs quotes"),
        ("", "is empty"),
        ("[", "is not valid TOML"),
        (AUNT.replace("[aunt]", "[unkle]"), "relation 'unkle' is not in the graph; did you mean 'uncle'?"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_gloss_file_is_said(tmp_path, text, found):
    with pytest.raises(InputError) as caught:
        load_glosses(written(tmp_path, text), FAMILY)
    assert found in str(caught.value)
    assert "glosses.toml" in str(caught.value)


def test_all_problems_are_in_one_message(tmp_path):
    text = AUNT.replace("of {topic}", "of") + AUNT.replace("[aunt]", "[uncle]").replace(
        "objects", "o"
    )
    with pytest.raises(InputError) as caught:
        read_glosses(Path(written(tmp_path, text)))
    assert str(caught.value).count("\n  relation") == 4
