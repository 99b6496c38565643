"""The whole pipeline on synthetic graphs of growing size: CPU, wall time and peak memory per step.

Usage: python benchmarks/scale.py [TRIPLES …]   (100000 1000000 5000000 20000000)

Every step is a process of its own, start-up, reading of the graph (from the cache, except in the first
step that reads) and digests included: CPU seconds (user + system), wall seconds, peak resident memory.
The last line of each step tells by which power of the number of triples its CPU seconds grow, from the
smallest to the largest graph. Prints Markdown; --keep FOLDER leaves the files there.
"""

import argparse
import contextlib
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

SIZES = (100_000, 1_000_000, 5_000_000, 20_000_000)
RELATIONS = 200
SEED = 1
STEPS = ("generate", "read", "read again", "mine", "ground", "select", "ask", "balance", "split",
         "release", "verify")  # fmt: skip
READ = (
    "import sys; from rulemine.datasets.registry import load_kg; print(len(load_kg(sys.argv[1])))"
)


class Cost(NamedTuple):
    """What a step took."""

    cpu: float
    wall: float
    peak: float


def measure(command: list[str], environment: dict[str, str]) -> Cost:
    """CPU seconds, wall seconds and peak MiB of a command; ends the program when it fails."""
    started = time.perf_counter()
    with tempfile.TemporaryFile() as messages:
        process = subprocess.Popen(
            command, stdout=messages, stderr=messages, env={**os.environ, **environment}
        )
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            messages.seek(0)
            sys.exit(f"{' '.join(command)}: {status}\n{messages.read().decode(errors='replace')}")
    wall = time.perf_counter() - started
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024)


def commands(folder: Path, triples: int) -> dict[str, list[str]]:
    """Step → its command."""
    rulemine = [sys.executable, "-m", "rulemine"]
    graph, rules, out = (str(folder / name) for name in ("kg.tsv", "rules.jsonl", "release"))
    read = [sys.executable, "-c", READ, graph]
    synthetic = [f"--triples={triples}", f"--relations={RELATIONS}", f"--seed={SEED}"]
    thresholds = ["--max-atoms=3", "--min-head-coverage=0.1", "--min-std-confidence=0.3",
                  "--min-pca-confidence=0.4"]  # fmt: skip
    found = {
        "generate": [*rulemine, "data", "generate", "synthetic", *synthetic, "-o", graph],
        "read": read,
        "read again": read,
        "mine": [*rulemine, "mine", graph, *thresholds, "-o", rules],
    }
    for step in STEPS[4:-1]:
        found[step] = [*rulemine, "build", "--until", step, graph, "--rules", rules, "-o", out]
    return {**found, "verify": [*rulemine, "verify", out]}


def exponent(costs: dict[int, Cost]) -> str:
    """By which power of the triples the CPU seconds grow, from the first size to the last."""
    low, high = min(costs), max(costs)
    if low == high:
        return ""
    return f"{math.log(costs[high].cpu / costs[low].cpu) / math.log(high / low):.2f}"


def main() -> None:
    """Runs everything and prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("triples", nargs="*", type=int, default=SIZES, help="sizes of the graphs")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="leave the files there")
    arguments = parser.parse_args()
    costs: dict[str, dict[int, Cost]] = {step: {} for step in (*STEPS, "all after generate")}
    for triples in sorted(arguments.triples):
        with contextlib.ExitStack() as stack:
            folder = (
                arguments.keep / str(triples)
                if arguments.keep
                else Path(stack.enter_context(tempfile.TemporaryDirectory()))
            )
            folder.mkdir(parents=True, exist_ok=True)
            environment = {"XDG_CACHE_HOME": str(folder / "cache")}
            for step, command in commands(folder, triples).items():
                cost = costs[step][triples] = measure(command, environment)
                print(f"{triples:>11,} {step:10} {cost.cpu:8.1f} s CPU {cost.wall:8.1f} s wall "
                      f"{cost.peak:8.0f} MiB", file=sys.stderr, flush=True)  # fmt: skip
        steps = [costs[step][triples] for step in STEPS[1:]]
        costs["all after generate"][triples] = Cost(
            sum(c.cpu for c in steps), sum(c.wall for c in steps), max(c.peak for c in steps)
        )
    sizes = sorted(arguments.triples)
    print("| step | " + " | ".join(f"{n:,} triples" for n in sizes) + " | exponent |")
    print("|---|" + "---:|" * (len(sizes) + 1))
    for step, found in costs.items():
        cells = [f"{c.cpu:.1f} s, {c.peak / 1024:.2f} GiB" for c in map(found.get, sizes) if c]
        print(f"| {step} | " + " | ".join(cells) + f" | {exponent(found)} |")


if __name__ == "__main__":
    main()
