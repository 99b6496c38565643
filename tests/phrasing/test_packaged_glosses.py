"""The gloss files that come with the package fit the templates and the graphs of their recipes."""

import os
from collections import defaultdict
from pathlib import Path

import pytest

from rulemine.datasets.registry import load_kg
from rulemine.kg.graph import KnowledgeGraph
from rulemine.phrasing.glosses import Glosses, load_glosses
from rulemine.phrasing.templates import Templates, load_templates
from rulemine.recipe.loading import load_recipe, named_recipes
from tests import ROOT

PACKAGED = ("demo", "family", "fb15k237")
DATA = Path(os.environ.get("RULEMINE_DATA") or ROOT.parent / "shared" / "data")

every_packaged = pytest.mark.parametrize("name", PACKAGED)


def phrases_of(name: str) -> Templates:
    """The templates of the relations that a packaged file has."""
    return load_templates(name, load_templates(name, []).unused)


def glosses_of(name: str) -> Glosses:
    return load_glosses(name, phrases_of(name))


def graph_of(name: str) -> KnowledgeGraph:
    kg = load_recipe(name, []).kg
    if kg != "demo" and not (DATA / kg).is_dir():
        pytest.skip(f"no {kg} at {DATA}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RULEMINE_DATA", str(DATA))
        return load_kg(kg)


def test_every_packaged_recipe_names_glosses_that_come_with_the_package() -> None:
    files = (ROOT / "rulemine" / "datasets").glob("*/glosses.toml")
    assert sorted(path.parent.name for path in files) == list(PACKAGED)
    for name in named_recipes():
        recipe = load_recipe(name, [])
        templates = recipe.questions.templates
        assert recipe.verbalizer.glosses == (templates if templates in PACKAGED else "")


def test_releases_of_templates_say_nothing_of_glosses() -> None:
    for name in named_recipes():
        recipe = load_recipe(name, [])
        assert recipe.verbalizer.name == "template"
        assert recipe.portable()["verbalizer"]["glosses"] == ""


@every_packaged
def test_every_phrase_has_a_gloss_written_by_hand(name: str) -> None:
    assert [row.relation for row in glosses_of(name).rows if row.source != "written"] == []


@every_packaged
def test_relations_are_described_alike_only_if_they_state_the_same_facts(name: str) -> None:
    declared = phrases_of(name).declarations
    said = defaultdict(set)
    for row in glosses_of(name).rows:
        for template in (row.statement, row.subjects, row.objects):
            said[template].add(declared[row.relation].fact)
    assert [facts for facts in said.values() if len(facts) > 1] == []


@every_packaged
def test_every_relation_of_the_graph_has_a_gloss(name: str) -> None:
    assert [row.relation for row in glosses_of(name).rows] == sorted(graph_of(name).relations)


@every_packaged
def test_either_end_is_asked_for_alike_only_where_most_triples_hold_both_ways(name: str) -> None:
    both = {row.relation for row in glosses_of(name).rows if row.subjects == row.objects}
    ends = defaultdict(set)
    for s, r, o in graph_of(name).labeled():
        if r in both:
            ends[r].add((s, o))
    assert ends.keys() == both
    for relation, triples in ends.items():
        mirrored = sum((o, s) in triples for s, o in triples)
        assert mirrored > len(triples) / 2, relation
