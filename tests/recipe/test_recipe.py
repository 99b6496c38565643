"""A recipe is named, a file, or a graph with the defaults; settings of the command line win."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from rulemine.config import option, parse_setting
from rulemine.errors import ConfigError, InputError
from rulemine.kinds.kind import Kind, KindOptions
from rulemine.kinds.registry import KINDS
from rulemine.recipe.loading import build_recipe, load_recipe, named_recipes
from rulemine.recipe.recipe import Recipe, keys_with
from tests import each


def load(name, *settings):
    return load_recipe(name, [parse_setting(text) for text in settings])


@each("name", named_recipes())
def test_every_named_recipe_is_valid_and_survives_plain(name):
    recipe = load(name)
    assert recipe.name == name
    assert build_recipe(recipe.plain(), "again") == recipe


def test_settings_win_and_the_last_one_most():
    recipe = load("demo", "seed=3", "mining.max_atoms=4", "seed=5", "selection.levels=[50,100]")
    assert (recipe.seed, recipe.mining.max_atoms, recipe.selection.levels) == (5, 4, (50, 100))
    assert recipe.mining.min_initial_support == load("demo").mining.min_initial_support


def test_a_graph_is_built_with_the_defaults(tmp_path):
    recipe = load(str(tmp_path / "my graph, v2.tsv.gz"))
    assert (recipe.name, recipe.kg) == ("my-graph-v2", str(tmp_path / "my graph, v2.tsv.gz"))
    assert load("東京.tsv").name == "kg"
    assert load("umls") == Recipe(name="umls", kg="umls")


@each("file", ["triples.tsv.gz", "train.txt", "facts.tsv", "graph.nt"])
def test_a_file_whose_name_says_nothing_is_called_as_its_folder(tmp_path, file):
    folder = tmp_path / "my films"
    folder.mkdir()
    (folder / file).write_bytes(b"")
    assert load(str(folder / file)).name == "my-films"
    (folder / "cast.tsv").touch()
    assert load(str(folder / "cast.tsv")).name == "cast"


def test_paths_in_a_file_are_relative_to_it(tmp_path):
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


@each(
    ("setting", "expected"), [
    ("selection.mode=best", "selection.mode is 'best'; expected maximal, given, brink or none"),
    ("selection.share=inf", "selection.share is inf; expected a number from 0 to 1"),
    ("selection.levels=[20,40]", "the last one 100"), ("selection.levels=[40,20,100]", "ascending"),
    ("selection.levels=[20,20,100]", "ascending"), ("selection.levels=[0,100]", "ascending percentages"),
    ("questions.ratios=[8,1]", "three integers"), ("questions.ratios=[8,0,1]", "three integers"),
    ("naming=number", "naming is 'number'; expected private, entity, text or numeric"),
    ("verbalizer.temperature=-inf", "temperature is -inf; expected a number at most 2"),
    ("verbalizer.name=openai", "verbalizer.model is ''; expected the name of a model"),
    ("verbalizer.language=", "verbalizer.language is ''; expected the name of a language"),
    ("endpoint.base_url=http://", "endpoint.base_url is …; expected an address"),
    ("endpoint.api_key_variable=sk-1", "endpoint.api_key_variable is …; expected the name of"),
    ("name=a/b", "name is 'a/b'; expected letters"), ("name=", "name is ''"), ("kg=", "kg is ''"),
    ("about.title=\udcff", "expected UTF-8 text"), ("rules=a\udcff", "expected UTF-8 text"),
    ("seed=1.5", "seed is 1.5; expected a whole number from 0 to 9223372036854775807"),
    ("seed=9223372036854775808", "seed is 9223372036854775808; expected a whole number from 0"),
    ("mining.max_atms=3", "unknown key 'mining.max_atms'; did you mean 'max_atoms'?"),
    ("minning.max_atoms=3", "unknown key 'minning'; did you mean 'mining'?"),
    ("mining.threads=3", "unknown key 'mining.threads'"),
    ("mining=3", "mining is 3; expected a table, [mining] and its keys below")]
)  # fmt: skip
def test_a_wrong_value_is_refused(setting, expected):
    with pytest.raises(ConfigError) as caught:
        load("demo", setting)
    assert expected in str(caught.value)


@each(
    ("setting", "expected"), [("subgraphs.startt=0", "unknown key 'subgraphs.startt'; did you mean 'start'?"),
    ("test_share=0", "unknown key 'test_share'; did you mean 'subgraphs.test_share'?"),
    ("subgraphs=3", "subgraphs is 3; expected a table, [subgraphs] and its keys below"),
    ("variants=3", "unknown key 'variants'; it is for the kind variants only. Leave it out, or set kind = "),
    ("kind=subgraph", "kind is 'subgraph'; expected rules, structures, subgraphs, variants, cypher"),
    ("own=3", "unknown key 'own'")]
)  # fmt: skip
def test_a_wrong_value_of_the_section_of_a_kind_is_refused(setting, expected):
    with pytest.raises(ConfigError) as caught:
        load("subgraphs-demo", setting)
    assert expected in str(caught.value)


@each(
    ("name", "expected"), [("famly", "no such recipe, data set or file; did you mean 'family'?"),
    ("zzzzz", "known: codex-l, codex-labels, codex-m")]
)  # fmt: skip
def test_an_unknown_recipe_gets_a_suggestion(name, expected):
    with pytest.raises(ConfigError) as caught:
        load(name)
    assert expected in str(caught.value)
    with pytest.raises(InputError, match="no such file"):
        load("none/at/all.toml")


def test_a_recipe_needs_a_name_and_a_graph(tmp_path):
    (tmp_path / "my.toml").write_text("seed = 1\n")
    with pytest.raises(ConfigError, match=r"my\.toml:\n  name is missing\n  kg is missing"):
        load(str(tmp_path / "my.toml"))
    assert load(str(tmp_path / "my.toml"), "name=a", "kg=umls").kg == "umls"


def test_a_recipe_holds_nothing_that_cannot_change_bytes():
    def keys(plain):
        inner = [keys(v) for v in plain.values() if isinstance(v, dict)]
        return set(plain).union(*inner)

    assert not keys(load("demo").plain()) & {"threads", "heap", "output", "o", "progress"}


@each("setting", [("questions", "max_relation_share"), ("selection", "per_type")])
def test_the_published_procedure_refuses_limits_that_it_does_not_have(setting):
    with pytest.raises(ConfigError, match="for selection maximal"):
        load_recipe("family-brink", [(setting, 0.1)])
    load_recipe("family-brink", [(("questions", "max_answer_share"), 0.1)])
    load_recipe("family", [(setting, 0.1)])


@each(("name", "kg"), [("family-brink", "family"), ("fb15k237-brink", "fb15k237")])
def test_the_recipes_of_the_paper_do_all_of_its_steps(name, kg):
    recipe = load_recipe(name, [])
    assert (recipe.name, recipe.kg, recipe.selection.mode) == (name, kg, "brink")
    assert (recipe.questions.max_answer_share, recipe.questions.split) == (0.01, "random")
    assert (recipe.questions.ratios, recipe.mining.max_atoms) == ((8, 1, 1), 3)
    grouped = load_recipe("family-brink-grouped", [])
    assert (grouped.questions.max_answer_share, grouped.questions.split) == (1.0, "group")


def test_a_named_recipe_finds_the_files_beside_it():
    assert Path(load_recipe("family-brink", []).rules).is_file()
    assert load_recipe("family-brink", []).portable()["rules"] == "rules-brink.amie.txt"


@each(
    ("kind", "setting", "told"), [
    ("variants", "judge_model", "judges of the kind variants are variants.judges, one model or"),
    ("variants", "rewriter_model", "no model but verbalizer.model writes")]
)  # fmt: skip
def test_options_that_a_kind_does_not_have_are_refused(kind, setting, told):
    with pytest.raises(ConfigError, match=rf"verbalizer\.{setting}: for the kinds .*{told}"):
        load_recipe(f"{kind}-demo", [(("verbalizer", setting), "some")])


def test_groups_of_subgraphs_have_no_ratios():
    given = [(("questions", "ratios"), (2, 1, 1))]
    with pytest.raises(ConfigError, match=r"questions\.ratios: .* sized by subgraphs\.test_share"):
        load_recipe("subgraphs-demo", given)
    load_recipe("subgraphs-demo", [*given, (("questions", "split"), "random")])


@dataclass(frozen=True, slots=True)
class OtherSection(KindOptions):
    """Options.

    Attributes:
        size: A size.
    """

    size: int = option(3, least=1)


class OtherKind(Kind):
    name = "other"
    Options = OtherSection


def test_a_kind_of_another_package_has_its_section(monkeypatch):
    monkeypatch.setattr(KINDS, "own", {**KINDS.own, "other": OtherKind()})
    recipe = load("demo", "kind=other", "other.size=7")
    assert recipe.own == OtherSection(7)
    assert recipe.portable()["other"] == {"size": 7}
    assert build_recipe(recipe.plain(), "again") == recipe
    assert [key.name for key in keys_with("other") if key.name.startswith("other")] == [
        "other.size"
    ]
    for settings, told in (
        (["kind=other", "other.siz=7"], "unknown key 'other.siz'; did you mean 'size'?"),
        (["kind=other", "other.size=0"], "other.size is 0; expected a whole number ≥ 1"),
        (["other.size=7"], 'it is for the kind other only. Leave it out, or set kind = "other"'),
        (["kind=other", "questions.max_answers=1"], "questions.max_answers: for the kind rules only")
    ):  # fmt: skip
        with pytest.raises(ConfigError) as caught:
            load("demo", *settings)
        assert told in str(caught.value)


class BareKind(Kind):
    name = "bare"


def test_a_kind_without_options_has_an_empty_section(monkeypatch):
    monkeypatch.setattr(KINDS, "own", {**KINDS.own, "bare": BareKind()})
    recipe = load("demo", "kind=bare")
    assert recipe.portable()["bare"] == recipe.plain()["bare"] == {}
    assert build_recipe(recipe.plain(), "again") == recipe
    with pytest.raises(ConfigError, match=r"unknown key 'bare\.size'"):
        load("demo", "kind=bare", "bare.size=1")
    assert load("demo").portable()["rules"] == "", "a file, and no section"
