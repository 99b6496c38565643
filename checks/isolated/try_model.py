"""A real, very small model on this machine words questions of the demo, or writes them.

    python -m checks.isolated.try_model wording subgraphs pairs

Whether a text of so small a model passes is luck, and mostly it does not. That each is in the release,
replaced by its template, or counted by its reason, and that a journal replays to the same bytes, is not.
"""

import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
SECONDS = 200
"""For a command at most."""

CANDIDATE = '''[candidate]
system = "You write questions."
user = """
{task} From {atoms} triple, with {names}: {answer}, {sparql}.
{examples}
{facts}
{relations}
{choice}
{earlier}"""
fact = "{triple}"
relation = "{relation}: {statement}"
choice = "{choice}"
example = "Reply: {reply}"
earlier = "{text} {reason}"

'''
"""For a model of this size, which goes by examples rather than by instructions."""


def prompts_for_questions() -> str:
    """The prompt file of the example."""
    return (EXAMPLES / "local_model_prompts.toml").read_text("utf-8")


def packaged() -> str:
    """The packaged prompts for written questions."""
    return (ROOT / "rulemine" / "kinds" / "written" / "written.toml").read_text("utf-8")


def prompts_for_subgraphs() -> str:
    """The packaged prompt file with `CANDIDATE`."""
    before, _, rest = packaged().partition("[candidate]\n")
    return before + CANDIDATE + rest[rest.index("[candidate_plain]") :]


def prompts_for_pairs() -> str:
    """The packaged prompt file with the example's section ``pairs``."""
    pairs = (EXAMPLES / "local_model_pairs.toml").read_text("utf-8")
    return re.sub(r"(?ms)^\[pairs\]$.*?(?=^#|^\[|\Z)", lambda _: pairs, packaged())


class Run(NamedTuple):
    """A build, its keys and its prompts."""

    recipe: str
    keys: tuple[str, ...]
    prompts: Callable[[], str]


RUNS = {
    "wording": Run(
        "demo", ("selection.share=0.0075", "verbalizer.max_tokens=32"), prompts_for_questions
    ),
    "subgraphs": Run(
        "subgraphs-demo",
        ("subgraphs.questions=1", "questions.split=none", "verbalizer.max_tokens=70"),
        prompts_for_subgraphs,
    ),
    "pairs": Run(
        "variants-demo",
        ("variants.texts=", "variants.questions=3", "variants.pairs=1", 'variants.judges=["local"]',
         "questions.split=none"),
        prompts_for_pairs,
    ),
}  # fmt: skip


def run(folder: Path, *words: str, seconds: float = SECONDS) -> "subprocess.CompletedProcess[str]":
    """Runs a command."""
    return subprocess.run(
        [sys.executable, "-m", "rulemine", *words], cwd=folder, capture_output=True, text=True,
        timeout=seconds, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


def rulemine(folder: Path, *words: str, seconds: float = SECONDS) -> None:
    """Runs a command; it has to succeed."""
    done = run(folder, *words, seconds=seconds)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}")


def replies(journal: Path) -> int:
    """How many calls a working journal has."""
    try:
        with sqlite3.connect(journal) as database:
            return int(database.execute("SELECT COUNT(*) FROM call").fetchone()[0])
    except sqlite3.Error:
        return 0


def attempt(chosen: Run, folder: Path, url: str) -> str:
    """Builds with the model that is served, verifies and replays; says what came of it."""
    keys = (*chosen.keys, "verbalizer.prompt=prompts.toml")
    asked = (f"endpoint.base_url={url}", "endpoint.concurrency=1", "endpoint.timeout=200")
    build = ["build", chosen.recipe, "--model", "local"]
    build += [word for key in keys for word in ("--set", key)]
    (folder / "prompts.toml").write_text(chosen.prompts(), "utf-8")
    journal = folder / "out.stages" / "llm" / "journal.sqlite"
    try:
        done = run(folder, *build, *[word for key in asked for word in ("--set", key)], "-o", "out")
    except subprocess.TimeoutExpired:
        if count := replies(journal):
            return (
                f"skipped: {count} replies in {SECONDS} s, so this machine is too slow or too busy"
            )
        sys.exit(f"not one reply in {SECONDS} s")
    if done.returncode == 2 and "no question is left" in done.stderr:
        again = run(folder, *build, "--replay", "out.stages", "-o", "again")
        assert again.stderr.split("\n")[-2:] == done.stderr.split("\n")[-2:], again.stderr
        return f"{done.stderr.strip()}\n{replies(journal)} replies, replayed: the same"
    if done.returncode:
        sys.exit(f"{done.returncode}\n{done.stdout}{done.stderr}")
    rulemine(folder, "verify", "out")
    rulemine(folder, *build, "--replay", "out", "-o", "again")
    for file in (folder / "out").rglob("*"):
        other = folder / "again" / file.relative_to(folder / "out")
        assert file.is_dir() or file.read_bytes() == other.read_bytes(), file
    counts = json.loads((folder / "out" / "manifest.json").read_text())["counts"]
    shown = {key: counts.get(key) for key in ("questions_by_wording", "model_calls", "sampling")}
    return f"{json.dumps(shown, ensure_ascii=False)}\nverified, and replayed to the same bytes"


def main() -> int:
    """Serves the model, and does what was named with it."""
    for name in sys.argv[1:] or RUNS:
        started = time.monotonic()
        serve = [sys.executable, str(EXAMPLES / "local_model.py")]
        with (
            tempfile.TemporaryDirectory() as folder,
            subprocess.Popen(
                serve, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            ) as server,
        ):
            try:
                assert server.stdout is not None
                if not (url := server.stdout.readline().strip()):
                    sys.exit("examples/local_model.py did not start; run it to see why")
                print(f"{name}: {attempt(RUNS[name], Path(folder), url)}")
            finally:
                server.terminate()
        print(f"{time.monotonic() - started:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
