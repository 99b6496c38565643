"""Releases of the core alone, of every kind."""

from pathlib import Path
from typing import Any

import pytest

from rulemine.builder.pipeline import Build
from rulemine.errors import ConfigError
from rulemine.kinds.graded import Unaskable
from rulemine.recipe.loading import load_recipe
from rulemine.release.reader import Release
from rulemine.verify import verify
from tests.releases import built
from tests.verify.tampering import change_manifest

CORE_ONLY = (("questions", "core_only"), True)

# Of the written kinds, which refuse in one place, the quicker one.
SMALL: dict[str, dict[tuple[str, ...], Any]] = {
    "structures": {
        ("structures", "per_structure"): 10,
        ("structures", "names"): ["1p", "2p", "2i"],
    },
    "variants": {("variants", "questions"): 12},
    "cypher": {("cypher", "per_template"): 1},
}


@pytest.fixture
def rules() -> str:
    """The rules of the demo graph."""
    return str(built("demo-rules") / "rules.jsonl")


@pytest.mark.parametrize("kind", ["rules", *SMALL])
def test_other_questions_are_refused_before_sizes_are_reached(
    kind: str, tmp_path: Path, rules: str
) -> None:
    recipe = "demo" if kind == "rules" else f"{kind}-demo"
    settings = [CORE_ONLY, (("selection", "share"), 0.3), *SMALL.get(kind, {}).items()]
    if kind != "cypher":
        settings.append((("rules",), rules))
    Build(load_recipe(recipe, settings), tmp_path / "x").run()
    release = Release.open(tmp_path / "x")
    assert release.questions()
    assert all(q.core for q in release.questions())
    assert Unaskable.EASY in str(release.manifest["counts"])
    assert "Only questions of the core were released" in (tmp_path / "x/README.md").read_text()
    if kind == "structures":
        assert sum(q.structure == "1p" for q in release.questions()) == 10


def test_the_verifier_knows_that_all_are_of_the_core(tmp_path: Path, rules: str) -> None:
    settings = [(("rules",), rules), (("selection", "share"), 0.2)]
    Build(load_recipe("demo", settings), tmp_path / "x").run()
    config = Release.open(tmp_path / "x").manifest["config"]
    asked = config["questions"] | {"core_only": True}
    change_manifest(tmp_path / "x", config=config | {"questions": asked})
    found = [p for p in verify(tmp_path / "x").problems if p.invariant == "core"]
    assert len(found) == sum(not q.core for q in Release.open(tmp_path / "x").questions()) > 0


@pytest.mark.parametrize(
    ("recipe", "settings"),
    [
        ("family-brink", [CORE_ONLY]),
        ("structures-demo", [CORE_ONLY, (("selection", "mode"), "none")]),
    ],
)
def test_a_release_without_a_core_refuses(recipe: str, settings: list) -> None:
    with pytest.raises(ConfigError, match=r"questions\.core_only"):
        load_recipe(recipe, settings)
