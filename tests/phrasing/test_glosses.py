"""Relation descriptions: files, those made from templates, and those that come with the package."""

import os
import random
from collections import defaultdict
from pathlib import Path

import pytest

from rulemine.datasets.registry import load_kg
from rulemine.errors import InputError
from rulemine.phrasing.glosses import (
    PLACEHOLDERS,
    Gloss,
    Glosses,
    gloss_of,
    load_glosses,
    read_glosses,
)
from rulemine.phrasing.template_file import template_problems
from rulemine.phrasing.templates import RelationTemplates, Templates, load_templates
from rulemine.recipe.loading import load_recipe, named_recipes
from rulemine.text.template import fill
from tests import ROOT

AUNT = """
[aunt]
statement = "{subject} is the aunt of {object}"
subjects = "the aunts of {topic}"
objects = "the nieces and nephews of {topic}"
"""
FAMILY = load_templates("family", ["aunt", "uncle"])


def written(folder, text):
    path = folder / "glosses.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def template(relation, statement):
    return RelationTemplates(relation, statement, *("Who {topic}?", "Whom {topic}?") * 2, "written")


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


SAID = (
    ("{object} is by {subject}", "b is by X", "X is by b"),
    ("{subject} {{subject}} {object}", "X {subject} b", "b {subject} X"),
    ("{subject} {{{{ {object} }}", "X {{ b }", "b {{ X }"),
)


def test_a_gloss_made_from_a_template_says_what_that_says():
    for statement, *both in SAID:
        gloss = gloss_of(template("r", statement))
        assert template_problems(gloss, PLACEHOLDERS) == []
        made = [fill(text, {"topic": "b"}) for text in (gloss.subjects, gloss.objects)]
        assert made == [f"every X such that “{said}”" for said in both]


def test_what_is_written_is_read_back_the_same(tmp_path):
    rng = random.Random(3)
    signs = "a \"'\\{}[]#=.\u2028é\x7f\x01\t\U0001f600"

    def text():
        return "".join(rng.choice(signs) for _ in range(rng.randrange(1, 8)))

    names = sorted({text() for _ in range(200)})
    templates = Templates(tuple(template(name, "{subject} “{object}”") for name in names))
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


WRONG = (
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
)  # fmt: skip


def test_what_is_wrong_with_a_gloss_file_is_said(tmp_path):
    for text, found in WRONG:
        with pytest.raises(InputError) as caught:
            load_glosses(written(tmp_path, text), FAMILY)
        assert found in str(caught.value)
        assert "glosses.toml" in str(caught.value)


def test_all_problems_are_in_one_message(tmp_path):
    uncle = AUNT.replace("[aunt]", "[uncle]").replace("objects", "o")
    with pytest.raises(InputError) as caught:
        read_glosses(Path(written(tmp_path, AUNT.replace("of {topic}", "of") + uncle)))
    assert str(caught.value).count("\n  relation") == 4


PACKAGED = ("demo", "family", "fb15k237")
DATA = Path(os.environ.get("RULEMINE_DATA") or ROOT.parent / "shared" / "data")


def test_every_packaged_recipe_names_glosses_that_come_with_the_package():
    files = (ROOT / "rulemine" / "datasets").glob("*/glosses.toml")
    assert sorted(path.parent.name for path in files) == list(PACKAGED)
    for name in named_recipes():
        recipe = load_recipe(name, [])
        templates = recipe.questions.templates
        assert recipe.verbalizer.glosses == (templates if templates in PACKAGED else "")
        assert recipe.verbalizer.name == "template"
        assert recipe.portable()["verbalizer"]["glosses"] == ""


@pytest.mark.parametrize("name", PACKAGED)
def test_packaged_glosses_are_written_and_differ_unless_they_state_the_same(name):
    templates = load_templates(name, load_templates(name, []).unused)
    glosses, said = load_glosses(name, templates), defaultdict(set)
    assert len(glosses.rows) > 10
    for row in glosses.rows:
        assert row.source == "written", row
        assert template_problems(gloss_of(templates[row.relation]), PLACEHOLDERS) == []
        for template in (row.statement, row.subjects, row.objects):
            said[template].add(templates.declarations[row.relation].fact)
    assert [facts for facts in said.values() if len(facts) > 1] == []


@pytest.mark.parametrize("name", PACKAGED)
def test_packaged_glosses_fit_their_graph(name, monkeypatch):
    monkeypatch.setenv("RULEMINE_DATA", str(DATA))
    named = load_recipe(name, []).kg
    if named != "demo" and not (DATA / named).is_dir():
        pytest.skip(f"no {named} at {DATA}")
    kg = load_kg(named)
    rows = load_glosses(name, load_templates(name, load_templates(name, []).unused)).rows
    assert [row.relation for row in rows] == sorted(kg.relations)
    both, ends = {row.relation for row in rows if row.subjects == row.objects}, defaultdict(set)
    for s, r, o in kg.labeled():
        if r in both:
            ends[r].add((s, o))
    assert ends.keys() == both
    for relation, triples in ends.items():
        mirrored = sum((o, s) in triples for s, o in triples)
        assert mirrored > len(triples) / 2, relation
