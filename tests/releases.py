"""Small releases that many tests read: each is built once and kept for all processes and runs.

They lie below `FOLDER`, by a digest of what they depend on: the package with the miner, the builders in
`tests/*.py`, and the pinned versions. Whoever changes one, copies it first: what is not as it was built is
built again by the next process.
"""

import atexit
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

from rulemine.builder.pipeline import Build
from rulemine.datasets.registry import load_kg
from rulemine.mining import MiningOptions, mine
from rulemine.recipe.loading import load_recipe
from rulemine.rules.formats import write_rules
from tests import ROOT
from tests.cypher_releases import RULES, build_coast, simplekg

FOLDER = ROOT / ".pytest_cache" / "releases"

COAST: dict[str, dict[str, Any]] = {
    "structures": {"structures.names": ["1p", "2p", "2i"], "structures.per_structure": 12},
    "subgraphs": {"subgraphs.questions": 12},
    "variants": {"variants.questions": 12, "questions.split": "group"},
}
"""What a release of the coast has of the kinds that ask a graph for entities."""


def _build_demo(folder: Path) -> None:
    Build(load_recipe("demo", []), folder / "demo").run()


def _mine_demo(folder: Path) -> None:
    """The rules that the demo's recipe mines."""
    write_rules(folder / "rules.jsonl", mine(load_kg("demo"), MiningOptions(3, 0.1, 0.3, 0.4, 30)))


def build_small(kind: str, folder: Path, *settings: tuple[tuple[str, ...], Any]) -> Path:
    """Builds some questions of any kind but ``rules`` over the coast, as ``release``, without mining."""
    if kind == "cypher":
        return build_coast(folder, *settings)
    whole = simplekg()
    names = {node["eid"]: node["name"] for node in whole["entities"]}
    edges = {
        f"{names[e['subj_id']]}\t{e['label']}\t{names[e['obj_id']]}\n" for e in whole["relations"]
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kg.tsv").write_text("".join(sorted(edges)))
    (folder / "rules.tsv").write_text(RULES)
    options = {
        "kind": kind, "rules": str(folder / "rules.tsv"), "selection.levels": [50, 100],
        "selection.per_rule": 14, "selection.max_prior": 1.0, "questions.split": "random",
    } | COAST[kind]  # fmt: skip
    given = [(tuple(key.split(".")), value) for key, value in options.items()]
    Build(load_recipe(str(folder / "kg.tsv"), [*given, *settings]), folder / "release").run()
    return folder / "release"


BUILDERS: dict[str, Callable[[Path], object]] = {
    "demo": _build_demo,
    "demo-rules": _mine_demo,
    "coast": partial(build_small, "cypher"),
    "coast-declared": lambda folder: build_coast(
        folder, (("cypher", "per_template"), 1), (("naming",), "entity"), declared=True
    ),
    **{f"coast-{kind}": partial(build_small, kind) for kind in COAST},
}
"""What there is, and what writes it into an empty folder: of ``demo`` a release of that name with its stages;
of ``coast…`` one of the name ``release`` beside its graph; ``demo-rules`` is the file ``rules.jsonl``."""

# Where they lie.


@cache
def built(name: str) -> Path:
    """The folder that one of `BUILDERS` has written, now or before; not to be changed."""
    place = _home() / name
    whole, new = place.with_name(f"{name}.digest"), place.with_name(f"{name}.new")
    with place.with_name(f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if whole.exists() and whole.read_text() == _digest_of(place, place.rglob("*")):
            return place
        for old in (new, place):
            shutil.rmtree(old, ignore_errors=True)
        new.mkdir()
        # In a process of its own: this one may have patched what is built with.
        subprocess.run([sys.executable, "-m", "tests.releases", name, new], cwd=ROOT, check=True)
        if _digest_of_sources() != KEY:  # edited meanwhile: nobody else may have it
            own = Path(tempfile.mkdtemp(prefix="rulemine-tests-"))
            atexit.register(shutil.rmtree, own, ignore_errors=True)
            return new.rename(own / name)
        new.rename(place)
        whole.write_text(_digest_of(place, place.rglob("*")))
        return place


@cache
def _home() -> Path:
    """The folder of these sources; those of others that nobody has touched for a day are deleted."""
    home = FOLDER / KEY
    home.mkdir(parents=True, exist_ok=True)
    os.utime(home)
    for old in FOLDER.iterdir():
        if time.time() - old.stat().st_mtime > 24 * 3600:
            shutil.rmtree(old, ignore_errors=True)
    return home


def _digest_of_sources() -> str:
    package = (path for path in (ROOT / "rulemine").rglob("*") if path.suffix != ".pyc")
    return _digest_of(ROOT, [*package, *(ROOT / "tests").glob("*.py"), ROOT / "constraints.txt"])


def _digest_of(folder: Path, paths: Iterator[Path] | list[Path]) -> str:
    whole = hashlib.sha256()
    for path in sorted(path for path in paths if path.is_file()):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        whole.update(f"{path.relative_to(folder)} {content}\n".encode())
    return whole.hexdigest()[:20]


KEY = _digest_of_sources()
"""Of the sources as they were when this process began to load them."""

if __name__ == "__main__":
    BUILDERS[sys.argv[1]](Path(sys.argv[2]))
