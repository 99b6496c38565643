"""A draft says what a build does by itself, in files that count from their first edit on."""

import json
import shutil

import pytest

import rulemine
from rulemine.config import read_toml
from rulemine.errors import ConfigError
from rulemine.recipe.inputs import Inputs
from rulemine.recipe.loading import is_untouched, load_recipe, sealed
from tests.command_line import run_here
from tests.draft.test_drafting import folder

__all__ = ["folder"]

FILES = ("filter.toml", "recipe.toml", "templates.toml")


@pytest.fixture
def drafted(folder, tmp_path):
    """A folder with a graph, and its draft."""
    if not (folder / "my").exists():
        assert draft(folder, "my.tsv", "-o", "my").status == 0
    shutil.copy(folder / "my.tsv", tmp_path)
    shutil.copytree(folder / "my", tmp_path / "my")
    return tmp_path


def draft(folder, *words):
    """Drafts in a folder."""
    return run_here(folder, ["build", *words, "--until", "draft"])


def contents(folder):
    """File → content."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_a_draft_builds_the_same_bytes_as_its_graph(drafted, folder):
    assert sorted(path.name for path in (drafted / "my").iterdir()) == sorted(FILES)
    assert run_here(drafted, ["build", "my", "-o", "again"]).status == 0
    assert contents(drafted / "again") == contents(folder / "plain")


def test_a_draft_from_python_is_that_of_the_command(drafted, monkeypatch):
    monkeypatch.chdir(drafted)
    lines = rulemine.draft_recipe("my.tsv", "py")
    assert contents(drafted / "py") == contents(drafted / "my")
    assert sorted(lines) == [f"py/{name}: written" for name in FILES]
    assert rulemine.draft_recipe("my.tsv", "py") == []
    rulemine.draft_recipe("my.tsv", "other", {"questions.max_answers": 7})
    assert read_toml(drafted / "other/recipe.toml")["questions"]["max_answers"] == 7
    with pytest.raises(ConfigError, match="demo: is a recipe"):
        rulemine.draft_recipe("demo", "demo")


def test_every_choice_has_a_comment_and_every_relation_an_example(drafted):
    lines = (drafted / "my" / "recipe.toml").read_text().splitlines()
    chosen = [line for line in lines if " = " in line and not line.startswith(("name", "kg", "#"))]
    assert len(chosen) > 12
    assert [line for line in chosen if "  # " not in line] == []
    text = (drafted / "my" / "templates.toml").read_text()
    relations = read_toml(drafted / "my" / "templates.toml")
    assert len(relations) == text.count(" triples, as [") + text.count(" triple, as [") > 10


@pytest.mark.slow
def test_an_edited_file_counts(drafted):
    path = drafted / "my" / "templates.toml"
    before = load_recipe(str(drafted / "my"), [])
    assert (before.questions.templates, before.questions.filter) == ("", "found")
    text = path.read_text()
    relation = next(iter(read_toml(path)))
    path.write_text(text.replace('ask_object = "', 'ask_object = "Well, ', 1))
    after = load_recipe(str(drafted / "my"), [])
    assert after.questions.templates == str(path)
    assert run_here(drafted, ["build", "my", "-o", "again"]).status == 0
    rows = (drafted / "again" / "relations.tsv").read_text().splitlines()
    sources = {row.split("\t")[0]: row.split("\t") for row in rows}
    assert "written" in sources[relation]
    assert sum("written" in row for row in sources.values()) == 1
    manifest = json.loads((drafted / "again" / "manifest.json").read_text())
    assert manifest["config"]["questions"]["templates"] == "templates.toml"
    rebuilt = run_here(drafted, ["verify", "again", "--rebuild", "--set", "kg=my.tsv"])
    assert rebuilt.status == 0


def test_declarations_and_the_filter_are_edited_in_their_files(drafted):
    templates, filter_file = (drafted / "my" / f"{n}.toml" for n in ("templates", "filter"))
    table = '["speaks"]\n'
    templates.write_text(templates.read_text().replace(table, f"{table}symmetric = true\n"))
    filter_file.write_text(filter_file.read_text() + 'speaks = "dull"\n')
    inputs = Inputs(load_recipe(str(drafted / "my"), []))
    assert inputs.templates.declarations["speaks"].symmetric
    assert inputs.excluded["speaks"] == "dull"


@pytest.mark.slow
def test_a_draft_replaces_no_file_that_was_edited(drafted):
    templates, filter_file = (drafted / "my" / f"{n}.toml" for n in ("templates", "filter"))
    templates.write_text(templates.read_text() + "# mine\n")
    fresh = filter_file.read_text()
    filter_file.write_text(sealed("# of yesterday\n", "Which relations are not asked about"))
    updated = draft(drafted, "my.tsv", "-o", "my")
    assert updated.status == 0
    assert "-# mine" in updated.out
    assert "kept, because it may have been edited" in updated.out
    assert templates.read_text().endswith("# mine\n")
    assert "-# of yesterday" in updated.out
    assert filter_file.read_text() == fresh


def test_what_was_given_stands_in_the_draft(folder):
    options = ("--seed", "7", "--set", "mining.max_atoms=3", "--naming", "entity")
    (folder / "t.toml").write_text("[married_to]\nsymmetric = true\n")
    own = ("--set", "questions.templates=t.toml")
    assert draft(folder, "my.tsv", "-o", "deep/given", *options, *own).status == 0
    text = (folder / "deep" / "given" / "recipe.toml").read_text()
    assert "seed = 7  # as given" in text
    assert "max_atoms = 3  # as given" in text
    assert 'kg = "../../my.tsv"' in text
    assert 'templates = "../../t.toml"  # as given' in text
    assert not (folder / "deep" / "given" / "templates.toml").exists()


def test_a_recipe_is_no_graph(tmp_path):
    ended = draft(tmp_path, "demo", "-o", "my")
    assert ended.status == 2
    assert "nothing is left to choose. Give a graph" in ended.err


def test_one_changed_letter_is_an_edit(tmp_path):
    path = tmp_path / "filter.toml"
    path.write_text(sealed("[drop]\n", "Which relations are not asked about"))
    assert is_untouched(path)
    path.write_text(path.read_text().replace("[drop]", "[drop] "))
    assert not is_untouched(path)
    path.write_text("[drop]\n")
    assert not is_untouched(path)
