"""The files that come with the package for FB15k-237 fit the graph."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from rulemine.config import read_toml
from rulemine.datasets.registry import load_kg, load_labels
from rulemine.files import read_lines
from rulemine.kg.graph import KnowledgeGraph
from rulemine.phrasing.templates import load_templates
from rulemine.recipe.relation_filter import load_filter
from tests import ROOT

DATA = Path(os.environ.get("RULEMINE_DATA") or ROOT.parent / "shared" / "data")


@pytest.fixture(scope="module", autouse=True)
def data() -> Iterator[None]:
    if not (DATA / "fb15k237").is_dir():
        pytest.skip(f"no FB15k-237 at {DATA}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RULEMINE_DATA", str(DATA))
        yield


@pytest.fixture(scope="module")
def kg(data: None) -> KnowledgeGraph:
    return load_kg("fb15k237")


@pytest.fixture(scope="module")
def labels(data: None) -> dict[str, str]:
    return load_labels("fb15k237-labels")


def test_phrases_and_filter_name_relations_of_the_graph(kg: KnowledgeGraph) -> None:
    templates = load_templates("fb15k237", kg.relations)
    assert templates.unused == ()
    assert templates.derived == 0
    listed = load_filter("fb15k237", kg.relations).drop
    assert (
        listed.keys() == read_toml(ROOT / "rulemine/datasets/fb15k237/filter.toml")["drop"].keys()
    )


def test_no_two_entities_have_one_label(kg: KnowledgeGraph, labels: dict[str, str]) -> None:
    corrections = read_lines(ROOT / "rulemine/datasets/fb15k237/labels.tsv")
    corrected = dict(line.split("\t") for line in corrections)
    assert corrected.items() <= labels.items()
    assert labels.keys() >= set(kg.entities)
    assert len(set(labels.values())) == len(labels)
    assert labels["/m/02hrh1q"] == "actor"


def test_standards_of_proof_name_relations_of_the_graph(kg: KnowledgeGraph) -> None:
    tables = read_toml(ROOT / "rulemine/datasets/fb15k237/filter.toml")
    classes = tables["classes"]
    lists = ("head", "head_not", "body_only", "body_any")
    named = {name for row in tables["standards"] for key in lists for name in row.get(key, ())}
    assert named - classes.keys() <= {*kg.relations}
    assert {relation for members in classes.values() for relation in members} <= {*kg.relations}
    assert classes.keys() <= named, "a class without a standard"
    assert len(load_filter("fb15k237", kg.relations).standards) == len(tables["standards"])
