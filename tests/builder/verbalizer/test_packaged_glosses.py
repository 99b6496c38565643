"""The gloss files that come with the package fit the graphs of their recipes."""

import os
from collections import defaultdict
from pathlib import Path

import pytest

from rulemine.builder.phrases import Phrases, load_phrases
from rulemine.builder.verbalizer.gloss import PACKAGED, Glosses, contradictions, load_glosses
from rulemine.datasets import load_kg
from rulemine.kg import KnowledgeGraph
from rulemine.recipe import load_recipe, named_recipes

ROOT = Path(__file__).parents[3]
DATA = Path(os.environ.get("RULEMINE_DATA") or ROOT.parent / "shared" / "data")

Packaged = tuple[KnowledgeGraph, Phrases, Glosses]


@pytest.fixture(scope="module", params=PACKAGED)
def packaged(request: pytest.FixtureRequest) -> Packaged:
    recipe = load_recipe(request.param, [])
    if recipe.kg != "demo" and not (DATA / recipe.kg).is_dir():
        pytest.skip(f"no {recipe.kg} at {DATA}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RULEMINE_DATA", str(DATA))
        kg = load_kg(recipe.kg)
    phrases = load_phrases(recipe.questions.phrases, kg.relations)
    return kg, phrases, load_glosses(recipe.verbalizer.glosses, phrases)


def test_every_packaged_recipe_names_glosses_that_come_with_the_package() -> None:
    for name in named_recipes():
        recipe = load_recipe(name, [])
        assert recipe.verbalizer.glosses in PACKAGED
        assert recipe.verbalizer.glosses == recipe.questions.phrases


def test_every_relation_has_a_gloss_written_by_hand(packaged: Packaged) -> None:
    kg, _, glosses = packaged
    assert [row.relation for row in glosses.rows] == sorted(kg.relations)
    assert [row.relation for row in glosses.rows if row.source != "written"] == []


def test_no_gloss_has_its_relation_the_wrong_way_round(packaged: Packaged) -> None:
    _, phrases, glosses = packaged
    assert contradictions(glosses, phrases) == []


def test_no_two_relations_are_stated_or_asked_for_alike(packaged: Packaged) -> None:
    _, _, glosses = packaged
    said = defaultdict(set)
    for row in glosses.rows:
        for template in (row.statement, row.subjects, row.objects):
            said[template].add(row.relation)
    assert [names for names in said.values() if len(names) > 1] == []


def test_either_end_is_asked_for_alike_only_where_the_relation_holds_both_ways(
    packaged: Packaged,
) -> None:
    kg, _, glosses = packaged
    both = {row.relation for row in glosses.rows if row.subjects == row.objects}
    for relation in both:
        triples = {(s, o) for s, r, o in kg.labelled() if r == relation}
        mirrored = sum((o, s) in triples for s, o in triples)
        assert mirrored > len(triples) / 2, relation


def test_releases_of_templates_say_nothing_of_glosses() -> None:
    for name in named_recipes():
        recipe = load_recipe(name, [])
        assert recipe.verbalizer.name == "template"
        assert recipe.portable()["verbalizer"]["glosses"] == ""
