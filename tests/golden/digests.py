"""Whether releases are, byte for byte, what they were when their digests were written down.

    python -m tests.golden.digests [--write] [NAME ...]

Each is built anew, in a folder of its own: packaged recipes; a demo that asks nothing of an earlier one; the
demo in every naming; each kind in a scripted model's words, as a replay of its journal. NAMEs are patterns;
'*demo*' and '*model' need no data set. What differs is said by release and file, with status 1. Releases hold
no times and no paths, so no file is left out.
"""

import argparse
import json
import logging
import os
import subprocess
import sys
import tempfile
import time
from fnmatch import fnmatch
from pathlib import Path

from rulemine.kg.cache import VARIABLE
from tests import ROOT
from tests.builder.test_build_with_model import EVERYTHING
from tests.chat_server import KEY, ChatServer, Says
from tests.command_line import FACTS, RULES
from tests.golden import WRITTEN, differences, digests
from tests.kinds.cypher import test_by_a_model as cypher
from tests.kinds.structures import test_by_a_model as structures
from tests.kinds.variants import test_by_a_model as variants

RECIPES = (
    "demo", "structures-demo", "subgraphs-demo", "variants-demo", "cypher-demo", "cypher-geography",
    "family", "family-brink", "fb15k237", "structures-fb15k237", "subgraphs-fb15k237", "variants-fb15k237",
)  # fmt: skip
NAMINGS = {f"demo-{naming}": naming for naming in ("private", "entity", "text", "numeric")}
MODEL = ["--model", "writer"]
FEW = [
    "--set",
    "subgraphs.questions=20",
    "--set",
    "verbalizer.judge_model=judge",
    "--set",
    "verbalizer.rewriter_model=rewriter",
]
BY_MODEL: dict[str, tuple[list[str], Says | None]] = {
    "rules-by-model": (["kg.tsv", "--rules", "rules.txt", "--model", "fake", *EVERYTHING], None),
    "structures-demo-by-model": (["structures-demo", *structures.FEW, *structures.MODELS], structures.says),
    "subgraphs-demo-by-model": (["subgraphs-demo", *FEW], None),
    "variants-demo-by-model": (["variants-demo", *variants.FEW], None),
    "cypher-demo-by-model": (["cypher-demo", "--set", "cypher.per_template=1", *cypher.MODELS], cypher.says),
}  # fmt: skip
"""What is built, and what the scripted model says; None: what `FakeModel` says."""

NAMES = (*RECIPES, *NAMINGS, "demo-not-in", *BY_MODEL)


def run(folder: Path, *words: str | Path) -> None:
    """Runs a command in a folder, without caches; it has to succeed."""
    command = [sys.executable, "-m", "rulemine", *map(str, words)]
    own = {**os.environ, VARIABLE: "off", "OPENAI_API_KEY": KEY}
    ended = subprocess.run(command, cwd=folder, env=own, capture_output=True, text=True)
    if ended.returncode:
        sys.exit(f"{' '.join(command)}: {ended.returncode}\n{ended.stdout}{ended.stderr}")


def build(name: str, release: Path) -> None:
    """Builds the release of a name; what it needs comes beside it."""
    here, other = release.parent, release.with_name("other")
    if name in NAMINGS:
        run(here, "build", "demo", "-o", other)
        run(here, "rename", other, "--naming", NAMINGS[name], "-o", release)
    elif name == "demo-not-in":
        run(here, "build", "demo", "--seed", "1", "-o", other)
        run(here, "build", "demo", "--not-in", other, "-o", release)
    elif name in BY_MODEL:
        (here / "kg.tsv").write_text(FACTS)
        (here / "rules.txt").write_text(RULES)
        recipe, says = BY_MODEL[name]
        with ChatServer(says) as server:
            run(
                here,
                "build",
                *MODEL,
                *recipe,
                "--set",
                f"endpoint.base_url={server.url}",
                "-o",
                other,
            )
        run(here, "build", *MODEL, *recipe, "--replay", other, "-o", release)
    else:
        run(here, "build", name, "-o", release)


def main() -> int:
    """Builds, and compares or writes down."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden.digests")
    parser.add_argument("names", nargs="*", default=["*"], metavar="NAME", help="all if none")
    parser.add_argument("--write", action="store_true", help="write the digests down instead")
    chosen = parser.parse_args()
    names = [name for name in NAMES if any(fnmatch(name, each) for each in chosen.names)]
    if not names:
        parser.error(f"expected patterns of {', '.join(NAMES)}")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    data = Path(os.environ.get("RULEMINE_DATA") or ROOT.parent / "shared" / "data")
    failed = False
    for name in names:
        needed = [data / each for each in ("family", "fb15k237") if each in name]
        if needed and not needed[0].is_dir():
            sys.stdout.write(f"{name}: left out, as {needed[0]} is not there; set RULEMINE_DATA\n")
            continue
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            release = Path(folder, "release")
            build(name, release)
            if chosen.write:
                written = json.loads(WRITTEN.read_text("utf-8")) | {name: digests(release)}
                WRITTEN.write_text(json.dumps(written, indent=1, sort_keys=True) + "\n", "utf-8")
            found = differences(name, release)
        failed |= bool(found)
        end = f"{name}: {'differs' if found else 'as written down'}, {time.monotonic() - started:.0f} s"
        sys.stdout.write("\n".join([*found, end, ""]))
        sys.stdout.flush()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
