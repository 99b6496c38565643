"""The kind ``structures`` through all stages, on the demo world with given rules (so without Java)."""

from collections import Counter
from pathlib import Path

import pytest

from rulemine.builder.pipeline import Build
from rulemine.errors import ConfigError
from rulemine.kinds.registry import KINDS
from rulemine.recipe.loading import load_recipe, named_recipes
from rulemine.release.publish import rename
from rulemine.release.reader import Release
from rulemine.verify import verify
from tests import each
from tests.builder.test_pipeline import digests, rules  # noqa: F401

SMALL = [
    (("structures", "names"), ["1p", "2p", "2i", "2u", "up"]),
    (("structures", "per_structure"), 14),
]


def made(rules: Path, target: Path, *settings: tuple[tuple[str, ...], object]) -> Build:  # noqa: F811
    given = [(("rules",), str(rules)), (("selection", "per_rule"), 60), *SMALL, *settings]
    return Build(load_recipe("structures-demo", given), target)


@pytest.fixture(scope="module")
def release(rules: Path, tmp_path_factory: pytest.TempPathFactory) -> Release:  # noqa: F811
    folder = tmp_path_factory.mktemp("structures") / "made"
    made(rules, folder).run()
    return Release.open(folder)


def test_recipes_of_a_kind_are_named_after_it() -> None:
    assert {"structures-demo", "structures-umls", "subgraphs-demo"} <= named_recipes().keys()
    for name in named_recipes():
        recipe = load_recipe(name, [])
        first = name.split("-")[0]
        assert (recipe.name, recipe.kind) == (name, first if first in KINDS else "rules")


def test_it_verifies_in_every_naming(release: Release, tmp_path: Path) -> None:
    assert verify(release.path).problems == ()
    rename(release, tmp_path / "private", "private")
    assert verify(tmp_path / "private").problems == ()
    rename(Release.open(tmp_path / "private"), tmp_path / "back", release.naming)
    assert digests(tmp_path / "back") == digests(release.path)


def test_the_release_has_splits_types_and_counts(release: Release) -> None:
    questions = release.questions()
    assert Counter(q.structure for q in questions)["1p"] == 14
    assert {q.split for q in questions} == {"train", "validation", "test"}
    assert release.manifest["kg"]["types"] == "induced"
    assert release.manifest["counts"]["sampling"]["2p"]["wanted"] == 14
    assert not any(q.unseen.answer for q in questions if q.hard_answer is None)


@each("mode", ["none", "random"])
def test_other_splits(rules: Path, tmp_path: Path, mode: str) -> None:  # noqa: F811
    made(rules, tmp_path / "made", (("questions", "split"), mode)).run()
    release = Release.open(tmp_path / "made")
    counts = Counter(q.missing for q in release.questions() if q.structure == "1p")
    assert 13 <= counts.total() <= release.manifest["counts"]["sampling"]["1p"]["wanted"] == 14
    assert counts[1] > 1
    assert verify(release.path).problems == ()
    splits = {q.split for q in release.questions()}
    assert splits == ({"test"} if mode == "none" else {"train", "validation", "test"})


def test_a_build_stops_before_a_stage_that_it_does_not_have(rules: Path, tmp_path: Path) -> None:  # noqa: F811
    with pytest.raises(ConfigError, match="balance: this recipe has no such step"):
        made(rules, tmp_path / "made").run("balance")
