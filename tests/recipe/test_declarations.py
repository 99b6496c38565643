"""Which declarations a build has: those of its templates, or else those found in its graph."""

import json

import pytest

from rulemine.builder.pipeline import Build
from rulemine.evaluation.reporting.files import to_text
from rulemine.evaluation.reporting.made import summary_of
from rulemine.recipe.inputs import Inputs
from rulemine.recipe.loading import load_recipe
from rulemine.release.reader import Release
from rulemine.verify import verify

TEMPLATES = """
[boss]
statement = "{subject} leads {object}"
ask_subject = "Who leads {topic}?"
ask_object = "Whom does {topic} lead?"
"""


@pytest.fixture
def graph(tmp_path):
    """Sixty couples, who live where their spouses do."""
    lines = []
    for i in range(60):
        lines += [f"a{i}\tmarried\tb{i}", f"b{i}\tmarried\ta{i}"]
        lines += [f"{who}{i}\tlives_in\ttown{i % 9}" for who in "ab"]
    path = tmp_path / "my.tsv"
    path.write_text("\n".join([*lines, "a0\tboss\ta1", ""]))
    return path


def inputs(graph, **questions):
    settings = [(("questions", key), str(value)) for key, value in questions.items()]
    return Inputs(load_recipe(str(graph), settings))


def test_without_templates_what_the_graph_bears_out_is_declared(graph):
    templates = graph.with_name("templates.toml")
    templates.write_text(TEMPLATES)
    file = graph.with_name("declaring.toml")
    file.write_text("[boss]\nsymmetric = true\n")
    for chosen, declared in (
        ({}, ["married"]), ({"templates": templates}, []), ({"templates": file}, ["boss"])
    ):  # fmt: skip
        made = inputs(graph, **chosen)
        assert list(made.templates.declarations.readings) == declared
        assert bool(made.about("").get("found")) == (declared == ["married"])


def test_what_is_found_is_named_and_verified(graph, tmp_path):
    recipe = load_recipe(
        str(graph), [(("mining", "min_head_coverage"), 0.01), (("selection", "max_prior"), 0.5)]
    )
    Build(recipe, tmp_path / "made").run()
    release = Release.open(tmp_path / "made")
    (row,) = release.manifest["kg"]["found"]
    assert row == {
        "relation": "married", "other": "married", "looks": "symmetric", "counts": [[120, 120]]
    }  # fmt: skip
    assert "`married` symmetric (120 of 120)" in (release.path / "README.md").read_text()
    assert verify(release.path).problems == ()
    text = to_text(summary_of(release))
    assert "1 declaration found in the graph and made" in text
    assert '  ["married"]\n  symmetric = true  # states 120 of 120' in text
    manifest = release.path / "manifest.json"
    for change in (
        {"counts": [[119, 120]]}, {"looks": "same"},
        {"relation": "boss", "other": "boss", "counts": [[0, 1]]},
        {"other": "lives_in", "looks": "inverse", "counts": [[0, 120], [0, 120]]}
    ):  # fmt: skip
        changed = json.loads(manifest.read_text())
        changed["kg"]["found"] = [row | change]
        before = manifest.read_text()
        manifest.write_text(json.dumps(changed))
        assert {p.invariant for p in verify(release.path).problems} == {"found declarations"}
        manifest.write_text(before)
