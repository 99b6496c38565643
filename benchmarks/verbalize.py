"""What putting questions into a model's words costs: the whole stage, and what builds on its replies.

    python benchmarks/verbalize.py [--recipe family] [--latency-ms 50] [--concurrency 64] [--runs 3] […]

The "model" is `examples/fake_endpoint.py` in a process of its own, over real HTTP: no model, but answers
after the latency. Options that are not known here go to `rulemine`, e.g. ``--set verbalizer.paraphrases=2``,
``--set verbalizer.judge_model=judge`` or ``--set selection.per_rule=110`` (6,433 questions on Family).

Prints Markdown: of every step, a process of its own with start-up and reading included, the calls it made,
wall seconds, CPU seconds (user + system) and peak resident memory, as median (least – most) of the runs.
``verbalize`` is prompts, calls, checks and journal; the stages before it are made first and not counted.
"""

import argparse
import contextlib
import json
import statistics
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from scale import Cost, measure

FAKE = Path(__file__).parents[1] / "examples" / "fake_endpoint.py"
KEY = {"OPENAI_API_KEY": "none-is-needed"}


@contextlib.contextmanager
def endpoint(latency_ms: float) -> Iterator[str]:
    """The address of a fake endpoint that runs as long as the context."""
    command = [sys.executable, str(FAKE), "--port", "0", "--latency-ms", str(latency_ms)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().split()[0]
        finally:
            server.terminate()


def requests_to(url: str) -> int:
    """How many requests a fake endpoint has had."""
    with urllib.request.urlopen(url.removesuffix("/v1") + "/counts") as answer:
        return int(json.load(answer)["requests"])


def run(given: argparse.Namespace, options: list[str], folder: Path) -> dict[str, tuple[int, Cost]]:
    """Runs every step once: name → calls made and cost."""
    rulemine = [sys.executable, "-m", "rulemine"]
    release, again = folder / "release", folder / "again"
    model = [given.recipe, "--model", "fake", *options]
    for target in (release, again):
        measure([*rulemine, "build", "--until", "balance", *model, "-o", str(target)], {})
    with endpoint(given.latency_ms) as url:
        asking = [
            *model,
            "--set",
            f"endpoint.base_url={url}",
            "--set",
            f"endpoint.concurrency={given.concurrency}",
        ]
        steps = {
            "verbalize": ["build", "--until", "verbalize", *asking, "-o", str(release)],
            "split and release": ["build", *asking, "-o", str(release)],
            "verify": ["verify", str(release)],
            "build again by --replay": [
                "build",
                *model,
                "--replay",
                str(release),
                "-o",
                str(again),
            ],
            "rename": ["rename", str(release), "--naming", "entity", "-o", str(folder / "renamed")],
        }
        found: dict[str, tuple[int, Cost]] = {}
        for name, step in steps.items():
            before = requests_to(url)
            cost = measure([*rulemine, *step], KEY)
            found[name] = requests_to(url) - before, cost
    return found


def spread(values: list[float], digits: int) -> str:
    """Median (least – most)."""
    low, high = min(values), max(values)
    return f"{statistics.median(values):,.{digits}f} ({low:,.{digits}f} – {high:,.{digits}f})"


def main() -> None:
    """Runs everything and prints the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--recipe", default="family")
    parser.add_argument("--latency-ms", type=float, default=50)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--runs", type=int, default=3)
    given, options = parser.parse_known_args()
    runs = []
    for _ in range(given.runs):
        with tempfile.TemporaryDirectory() as folder:
            runs.append(run(given, options, Path(folder)))
    print("| step | calls | wall s | CPU s | peak MiB |")
    print("|---|--:|--:|--:|--:|")
    for name in runs[0]:
        costs = [found[name][1] for found in runs]
        print(
            f"| {name} | {runs[0][name][0]:,} | {spread([c.wall for c in costs], 2)} | "
            f"{spread([c.cpu for c in costs], 2)} | {spread([c.peak for c in costs], 0)} |"
        )


if __name__ == "__main__":
    main()
