"""Recipes that say only what differs from another one."""

import pytest

from rulemine.errors import ConfigError
from rulemine.recipe.loading import load_recipe
from rulemine.release.reader import Release
from tests import each

BASE = """
name = "one"
kg = "kg.tsv"
rules = "rules.txt"
[selection]
per_rule = 7
levels = [50, 100]
[questions]
max_answer_share = 0.5
test_core = 9
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "below").mkdir()
    for name in ("kg.tsv", "rules.txt"):
        (tmp_path / "below" / name).write_text("")
    (tmp_path / "below/one.toml").write_text(BASE)
    return tmp_path


def test_tables_are_merged_and_lists_replaced(folder):
    (folder / "two.toml").write_text(
        'name = "two"\nbase = "below/one.toml"\n[selection]\nlevels = [20, 40, 100]\n'
    )
    recipe = load_recipe("two.toml", [(("questions", "test_core"), 4)])
    assert (recipe.name, recipe.selection.levels) == ("two", (20, 40, 100))
    assert (recipe.selection.per_rule, recipe.questions.max_answer_share) == (7, 0.5)
    assert recipe.questions.test_core == 4
    assert (recipe.kg, recipe.rules) == ("below/kg.tsv", "below/rules.txt")


def test_a_base_may_have_a_base_and_be_a_packaged_recipe(folder):
    (folder / "a.toml").write_text('base = "demo"\n[selection]\nper_rule = 5\n')
    (folder / "b.toml").write_text('base = "a.toml"\nname = "b"\n')
    recipe, demo = load_recipe("b.toml", []), load_recipe("demo", [])
    assert (recipe.name, recipe.selection.per_rule) == ("b", 5)
    assert recipe.mining == demo.mining
    assert recipe.questions == demo.questions


@each("on_the_command_line", [False, True])
def test_what_only_the_kind_of_the_base_has_is_left_out(folder, on_the_command_line):
    kind = "" if on_the_command_line else 'kind = "structures"\n'
    (folder / "a.toml").write_text(f'base = "below/one.toml"\n{kind}')
    settings = [(("kind",), "structures")] if on_the_command_line else []
    recipe = load_recipe("a.toml", settings)
    assert (
        recipe.kind, recipe.questions.test_core, recipe.selection.per_rule
    ) == ("structures", 9, 7)  # fmt: skip
    assert recipe.questions.max_answer_share == 1.0
    (folder / "b.toml").write_text('base = "structures-demo"\nname = "b"\nkind = "rules"\n')
    assert load_recipe("b.toml", []).kind == "rules"


@each(
    ("text", "expected"), [
    ('base = "dmeo"', r"a\.toml: base is 'dmeo', which is no recipe and no .*; did you mean 'demo'"),
    ('base = "below/none.toml"', "base is 'below/none.toml', which is no recipe"),
    ("base = 3", "base is 3, which is no recipe"), ('base = ""', "base is '', which is no recipe"),
    ('base = "a.toml"', r"a\.toml: base leads back to itself: a\.toml → a\.toml\."),
    ('base = "b.toml"', r"b\.toml: base leads back to itself: a\.toml → b\.toml → \S*a\.toml\."),
    ('base = "below/one.toml"\nseed = -1', r"a\.toml on below/one\.toml: seed is -1; expected"),
    ('base = "below/one.toml"\nselection = 3', r"a\.toml on below/one\.toml: selection is 3")]
)  # fmt: skip
def test_an_error_says_where(folder, text, expected):
    (folder / "a.toml").write_text(text)
    (folder / "b.toml").write_text('base = "a.toml"')
    with pytest.raises(ConfigError, match=expected):
        load_recipe("a.toml", [])


def test_the_manifest_has_the_merged_recipe(here, command):
    (here / "one.toml").write_text('name = "one"\nkg = "kg.tsv"\nrules = "rules.txt"\nseed = 3\n')
    (here / "two.toml").write_text('base = "one.toml"\n[selection]\nper_rule = 7\n')
    assert command("build", "two.toml", "-o", "out").status == 0
    config = Release.open(here / "out").manifest["config"]
    assert (config["name"], config["seed"], config["selection"]["per_rule"]) == ("one", 3, 7)
    assert "base" not in config
    assert command("build", "--keys", "recipe").out.startswith("  base\n")
