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
from rulemine.recipe.loading import load_recipe
from rulemine.recipe.relation_filter import excluded_relations, load_filter
from rulemine.rules.implied import load_implied, with_implied
from tests import ROOT

DATA = Path(os.environ.get("RULEMINE_DATA") or ROOT.parent / "shared" / "data")
IMPLIED = ROOT / "rulemine/datasets/fb15k237/implied.txt"


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


def test_dull_relations_are_dropped(kg: KnowledgeGraph) -> None:
    chosen = load_recipe("fb15k237", []).questions
    listed = load_filter(chosen.filter, kg.relations).drop
    dropped = excluded_relations(kg, listed, chosen.max_end_share, chosen.max_median_answers)
    assert len(dropped) == 88
    assert {"/people/person/gender", "/tv/tv_program/languages"} <= dropped.keys() - listed.keys()


@pytest.mark.slow
def test_what_is_implied_links_what_is_linked(kg: KnowledgeGraph) -> None:
    reference = load_kg("fb15k237-all")
    declared = load_templates("fb15k237", kg.relations).declarations
    rules = load_implied("fb15k237", kg.relations)
    assert len(rules) == sum("⇒" in line for line in read_lines(IMPLIED))
    wider = with_implied(kg, reference, rules, declared)
    known, found = set(reference.labeled()), set(wider.labeled())
    implied = found - known
    assert len(implied) == 6148
    official = "/location/country/official_language"
    spoken = "/language/human_language/countries_spoken_in"
    spoken_in = {(o, spoken, s) for s, r, o in known if r == official}
    assert spoken_in <= found
    assert spoken_in & implied
    linked = {frozenset((s, o)) for s, _, o in known}
    assert all(frozenset((s, o)) in linked for s, _, o in implied)


def test_no_two_entities_have_one_label(kg: KnowledgeGraph, labels: dict[str, str]) -> None:
    corrections = read_lines(ROOT / "rulemine/datasets/fb15k237/labels.tsv")
    corrected = dict(line.split("\t") for line in corrections)
    assert corrected.items() <= labels.items()
    assert labels.keys() >= set(kg.entities)
    assert len(set(labels.values())) == len(labels)
    assert labels["/m/02hrh1q"] == "Actor"


STUDENTS = "/education/educational_institution/students_graduates./education/education/student"
STATED = [
    ("George Gershwin", "/people/person/place_of_birth", "Brooklyn", "s was born in o"),
    ("Rock music", "/music/genre/artists", "Shania Twain", "o makes music of the genre s"),
    ("Harvard University", STUDENTS, "Joshua Redman", "o studied at s"),
    ("Stargate", "/film/film/written_by", "Dean Devlin", "o wrote the film s"),
    (
        "Philadelphia", "/location/location/contains", "Curtis Institute of Music", "o is located in s",
    ),
    ("Pneumonia", "/people/cause_of_death/people", "Red Skelton", "o died of s"),
]  # fmt: skip


def test_statements_say_the_triple_the_right_way_round(kg, labels):
    named = {(labels.get(s), r, labels.get(o)) for s, r, o in kg.labeled()}
    templates = load_templates("fb15k237", [relation for _, relation, *_ in STATED])
    for *triple, sentence in STATED:
        assert tuple(triple) in named
        assert templates[triple[1]].state("s", "o") == sentence


def test_standards_of_proof_name_relations_of_the_graph(kg: KnowledgeGraph) -> None:
    tables = read_toml(ROOT / "rulemine/datasets/fb15k237/filter.toml")
    classes = tables["classes"]
    lists = ("head", "head_not", "body_only", "body_any")
    named = {name for row in tables["standards"] for key in lists for name in row.get(key, ())}
    assert named - classes.keys() <= {*kg.relations}
    assert {relation for members in classes.values() for relation in members} <= {*kg.relations}
    assert classes.keys() <= named, "a class without a standard"
    assert len(load_filter("fb15k237", kg.relations).standards) == len(tables["standards"])
