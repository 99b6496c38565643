"""Six questions of the demo through a real model on this machine, from the prompt to a verified release.

Run by ``make model``. Whether a text of so small a model passes is luck; that every one is either in the
release or replaced by its template, with a journal that replays to the same bytes, is not.
"""

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
SECONDS = 150
"""For the build at most."""

EXAMPLES = ROOT / "examples"
MODEL = ["--model", "local"]
PROMPTS = EXAMPLES / "local_model_prompts.toml"
SHARE = ["--set", "selection.share=0.0075"]
BUILD = [
    "build", "demo", *SHARE, *MODEL, "--set", f"verbalizer.prompt={PROMPTS}",
    "--set", "endpoint.concurrency=1", "--set", "verbalizer.max_tokens=32",
]  # fmt: skip


def rulemine(folder: Path, *words: str, seconds: float = SECONDS) -> None:
    """Runs a command; it has to succeed."""
    command = [sys.executable, "-m", "rulemine", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=seconds
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.returncode}\n{done.stdout}{done.stderr}")


def replies(journal: Path) -> int:
    """How many calls a working journal has."""
    try:
        with sqlite3.connect(journal) as database:
            return int(database.execute("SELECT COUNT(*) FROM call").fetchone()[0])
    except sqlite3.Error:
        return 0


def main() -> int:
    """Serves the model, builds with it, verifies and replays."""
    started = time.monotonic()
    serve = [sys.executable, str(EXAMPLES / "local_model.py")]
    with (
        tempfile.TemporaryDirectory() as name,
        subprocess.Popen(
            serve, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as server,
    ):
        folder = Path(name)
        try:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            if not url:
                sys.exit("examples/local_model.py did not start; run it to see why")
            rulemine(folder, *BUILD, "--set", f"endpoint.base_url={url}", "-o", "out")
        except subprocess.TimeoutExpired:
            count = replies(folder / "out.stages" / "llm" / "journal.sqlite")
            if not count:
                sys.exit(f"not one reply in {SECONDS} s")
            print(
                f"skipped: {count} replies in {SECONDS} s, so this machine is too slow or too busy"
            )
            return 0
        finally:
            server.terminate()
        rulemine(folder, "verify", "out")
        rulemine(folder, "build", "demo", *SHARE, "--replay", "out", "-o", "again")
        for file in (folder / "out").rglob("*"):
            other = folder / "again" / file.relative_to(folder / "out")
            assert file.is_dir() or file.read_bytes() == other.read_bytes(), file
        counts = json.loads((folder / "out" / "manifest.json").read_text())["counts"]
    wording = counts["questions_by_wording"]
    print(
        f"{wording['model']} of {counts['questions']} questions in the model's words, the others by "
        f"template; {counts['model_calls']['question']} calls; verified, and replayed to the same bytes; "
        f"{time.monotonic() - started:.0f} s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
