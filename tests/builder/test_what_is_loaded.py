"""What a build of each kind loads, and what those load who open, show and score its release."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rulemine.kinds.registry import BUILT, KINDS

BUILD = """
import json, sys
from pathlib import Path
from rulemine.builder.pipeline import Build
from rulemine.recipe.loading import load_recipe
settings = [(tuple(key.split(".")), value) for key, value in json.loads(sys.argv[3])]
Build(load_recipe(sys.argv[1], settings), Path(sys.argv[2])).run()
"""

READ = """
import sys
from rulemine.evaluation import evaluate
from rulemine.evaluation.answerers.registry import answer
from rulemine.release.reader import Release
from rulemine.release.show import show
release = Release.open(sys.argv[1])
assert show(release, release.questions("test")[0].id)
assert evaluate(release, answer(release, "prior")).rows
"""

LOADED = "\nprint(json.dumps(sorted(sys.modules)) if (json := __import__('json')) else '')"

USUAL = {"rulemine.kinds.rules.kind"}
"""What lists the keys of a recipe, which are those of the usual kind."""

HEAVY = {"jpype", "openai", "pyoxigraph", "pyarrow", "rulemine.builder"}

NO_SPLIT = {"questions.split": "none", "selection.mode": "none"}

FEW = {
    "rules": {"selection.per_rule": 1},
    "structures": {**NO_SPLIT, "structures.per_structure": 2},
    "subgraphs": {**NO_SPLIT, "subgraphs.questions": 6},
    "variants": {**NO_SPLIT, "variants.questions": 6},
    "cypher": {**NO_SPLIT, "cypher.per_template": 1},
}


def loaded(code: str, *arguments: str) -> set[str]:
    """The modules that a process has at its end."""
    made = subprocess.run(
        [sys.executable, "-c", code + LOADED, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    return set(json.loads(made.stdout.splitlines()[-1]))


def others(modules: set[str], kind: str) -> set[str]:
    """What of other kinds is there; what a model writes has a package that two kinds share."""
    shared = {"written"} if kind in ("subgraphs", "variants") else set()
    return {
        name
        for name in modules
        if name.startswith(
            tuple(f"rulemine.kinds.{k}." for k in {*KINDS, "written"} - shared - {kind})
        )
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", BUILT)
def test_a_kind_is_built_and_read_without_another(kind: str, tmp_path: Path) -> None:
    recipe, place = "demo" if kind == "rules" else f"{kind}-demo", str(tmp_path / "made")
    few = json.dumps(list(FEW[kind].items()))
    assert others(loaded(BUILD, recipe, place, few), kind) <= USUAL
    read = loaded(READ, place)
    assert others(read, kind) == set()
    assert read & HEAVY == set()
