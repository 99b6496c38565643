"""A recipe is named, a file, or a graph with the defaults; settings of the command line win."""

from pathlib import Path
from typing import Any

import pytest

from rulemine.builder.recipe import Recipe, load_recipe, named_recipes
from rulemine.config import build, parse_setting, to_plain
from rulemine.errors import ConfigError


def load(name: str, *settings: str) -> Recipe:
    return load_recipe(name, [parse_setting(text) for text in settings])


@pytest.mark.parametrize("name", named_recipes())
def test_every_named_recipe_is_valid_and_survives_plain(name: str) -> None:
    recipe = load(name)
    assert recipe.name == name
    assert build(Recipe, to_plain(recipe), "again") == recipe


def test_the_family_recipe_is_that_of_the_paper() -> None:
    mining = load("family").mining
    assert (mining.max_atoms, mining.min_initial_support) == (3, 100)
    thresholds = (mining.min_head_coverage, mining.min_std_confidence, mining.min_pca_confidence)
    assert thresholds == (0.1, 0.3, 0.4)


def test_settings_win_and_the_last_one_most() -> None:
    recipe = load("demo", "seed=3", "mining.max_atoms=4", "seed=5", "selection.levels=[50,100]")
    assert (recipe.seed, recipe.mining.max_atoms, recipe.selection.levels) == (5, 4, (50, 100))
    assert recipe.mining.min_initial_support == load("demo").mining.min_initial_support


def test_a_graph_is_built_with_the_defaults(tmp_path: Path) -> None:
    recipe = load(str(tmp_path / "my graph, v2.tsv.gz"))
    assert (recipe.name, recipe.kg) == ("my-graph-v2", str(tmp_path / "my graph, v2.tsv.gz"))
    assert load("東京.tsv").name == "kg"
    assert load("umls") == Recipe(name="umls", kg="umls")


def test_paths_in_a_file_are_relative_to_it(tmp_path: Path) -> None:
    folder = tmp_path / "there"
    folder.mkdir()
    for name in ("kg.tsv", "rules.txt", "templates.toml"):
        (folder / name).write_text("x")
    file = folder / "my.toml"
    file.write_text(
        'name = "my"\nkg = "kg.tsv"\nrules = "rules.txt"\nreference = "family"\n'
        '[questions]\ntemplates = "templates.toml"\n'
    )
    recipe = load(str(file))
    assert (recipe.kg, recipe.rules) == (str(folder / "kg.tsv"), str(folder / "rules.txt"))
    assert recipe.questions.templates == str(folder / "templates.toml")
    assert recipe.reference == "family"


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("selection.mode=best", "mode is 'best'; expected maximal or brink"),
        ("selection.per_rule=0", "per_rule is 0"),
        ("selection.share=0", "share is 0.0; expected a number above 0"),
        ("selection.share=1.01", "share is 1.01"),
        ("selection.share=nan", "share is nan"),
        ("selection.share=inf", "share is inf"),
        ("selection.levels=[20,40]", "the last one 100"),
        ("selection.levels=[40,20,100]", "ascending"),
        ("selection.levels=[20,20,100]", "ascending"),
        ("selection.levels=[0,100]", "ascending percentages"),
        ("selection.groundings_per_rule=-1", "groundings_per_rule is -1"),
        ("questions.max_answer_share=0", "max_answer_share is 0.0"),
        ("questions.split=rows", "split is 'rows'; expected group, random, none"),
        ("questions.ratios=[8,1]", "three integers"),
        ("questions.ratios=[8,0,1]", "three integers"),
        ("naming=number", "naming is 'number'; expected private, entity, text, numeric"),
        ("verbalizer.temperature=-inf", "temperature is -inf; expected a number up to 2"),
        ("endpoint.price_input=inf", "price_input is inf; expected 0 or more"),
        ("endpoint.budget_tokens=-1", "budget_tokens is -1; expected 0 or more"),
        ("name=a/b", "name is 'a/b'; expected letters"),
        ("name=", "name is ''"),
        ("kg=", "kg is ''"),
        ("seed=-1", "seed is -1; expected an integer ≥ 0"),
        ("seed=1.5", "seed must be an integer; found 1.5"),
        ("mining.max_atms=3", "unknown key 'mining.max_atms'; did you mean 'max_atoms'?"),
        ("minning.max_atoms=3", "unknown key 'minning'; did you mean 'mining'?"),
        ("mining.max_atoms=three", "mining.max_atoms must be an integer; found 'three'"),
        ("mining=3", "mining is a table; found 3"),
    ],
)
def test_a_wrong_value_is_refused(setting: str, expected: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load("demo", setting)
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("famly", "no such recipe, data set or file; did you mean 'family'?"),
        ("zzzzz", "known: demo, family"),
        ("none/at/all.toml", "no such file"),
    ],
)
def test_an_unknown_recipe_gets_a_suggestion(name: str, expected: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(name)
    assert expected in str(caught.value)


def test_a_recipe_needs_a_name_and_a_graph(tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text("seed = 1\n")
    with pytest.raises(ConfigError, match=r"my\.toml: name and kg missing"):
        load(str(tmp_path / "my.toml"))
    assert load(str(tmp_path / "my.toml"), "name=a", "kg=b").kg == "b"


def test_a_recipe_holds_nothing_that_cannot_change_bytes() -> None:
    def keys(plain: dict[str, Any]) -> set[str]:
        inner = [keys(v) for v in plain.values() if isinstance(v, dict)]
        return set(plain).union(*inner)

    assert not keys(to_plain(load("demo"))) & {"threads", "heap", "output", "o", "progress"}


def test_a_named_recipe_finds_the_files_beside_it() -> None:
    assert Path(load_recipe("family-brink", []).rules).is_file()
    assert load_recipe("family-brink", []).portable()["rules"] == "rules-brink.amie.txt"
