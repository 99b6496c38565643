"""A real model on this machine writes questions for seed texts of the demo, and judges them.

Run by ``make writers``. How many pairs of so small a model are accepted is luck, mostly none; that each one
is counted by its reason, and that a release, if there is one, verifies and replays to the same bytes, is not.
"""

import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from checks.isolated.try_model import EXAMPLES, ROOT, replies

SECONDS = 200
"""For the build at most."""

BUILD = [
    "build", "variants-demo", "--model", "local", "--set", "endpoint.concurrency=1",
    "--set", "endpoint.timeout=200", "--set", "variants.texts=", "--set", "variants.questions=3",
    "--set", "variants.pairs=1", "--set", 'variants.judges=["local"]',
    "--set", "questions.split=none", "--set", "verbalizer.prompt=prompts.toml",
]  # fmt: skip


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs a command."""
    command = [sys.executable, "-m", "rulemine", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS)


def prompts_for_pairs() -> str:
    """The packaged prompt file with the example's section ``pairs``."""
    packaged = (ROOT / "rulemine" / "kinds" / "written" / "written.toml").read_text("utf-8")
    pairs = (EXAMPLES / "local_model_pairs.toml").read_text("utf-8")
    return re.sub(r"(?ms)^\[pairs\]$.*?(?=^#|^\[|\Z)", lambda _: pairs, packaged)


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
        (folder / "prompts.toml").write_text(prompts_for_pairs(), "utf-8")
        try:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            if not url:
                sys.exit("examples/local_model.py did not start; run it to see why")
            done = run(folder, *BUILD, "--set", f"endpoint.base_url={url}", "-o", "out")
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
        took = f"{time.monotonic() - started:.0f} s"
        if done.returncode == 2 and "no question is left" in done.stderr:
            print(f"{done.stderr.strip()}\n{took}")
            return 0
        if done.returncode:
            sys.exit(f"{done.returncode}\n{done.stdout}{done.stderr}")
        again = [*BUILD, "--replay", "out", "-o", "again"]
        for words in (["verify", "out"], again):
            ended = run(folder, *words)
            if ended.returncode:
                sys.exit(f"{' '.join(words)}: {ended.returncode}\n{ended.stdout}{ended.stderr}")
        counts = json.loads((folder / "out" / "manifest.json").read_text())["counts"]["sampling"]
        for file in (folder / "out").rglob("*"):
            other = folder / "again" / file.relative_to(folder / "out")
            assert file.is_dir() or file.read_bytes() == other.read_bytes(), file
    print(json.dumps(counts["variants"], indent=1, ensure_ascii=False))
    print(f"verified, and replayed; {took}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
