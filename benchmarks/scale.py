"""The whole pipeline on synthetic graphs of growing size: CPU seconds, peak memory, and what comes out.

Usage: python benchmarks/scale.py [TRIPLES …] [--shape even|wikidata] [--kind KIND …] [--whole]

First `rulemine build` of a recipe as one process, from the file of the graph to the release, with an empty
cache; the same again, which finds all stages finished; and `rulemine verify`. Then each stage as a process of
its own, start-up, reading of the graph (from the cache, except in the first that reads) and digests included;
--whole leaves these out. With --kind the same recipe for other kinds of questions, from the rules mined.
Prints a page of Markdown: the command, the machine and the day, a table of costs (CPU seconds, user + system,
and peak resident memory; the last column tells by which power of the triples the seconds grow, from the
smallest to the largest graph), and one of counts. --keep FOLDER leaves the files there.
"""

import argparse
import contextlib
import json
import math
import os
import shlex
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

SIZES = (100_000, 1_000_000, 5_000_000, 20_000_000)
RELATIONS = {"even": 200, "wikidata": 1000}
SYNTHETIC = str(Path(__file__).with_name("synthetic.py"))
STAGES = ("read", "read again", "mine", "ground", "select", "ask", "balance", "split", "release")
COUNTS = {
    "rules": "rules",
    "removed triples": "triples_removed",
    "questions": "questions",
    "of the core": "core",
}
RECIPE = """\
name = "scale"
kg = "kg.tsv"
[mining]
max_atoms = 3
min_head_coverage = 0.1
min_std_confidence = 0.3
min_pca_confidence = 0.4
"""
THRESHOLDS = ("--max-atoms=3", "--min-head-coverage=0.1", "--min-std-confidence=0.3",
              "--min-pca-confidence=0.4")  # fmt: skip
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


def commands(folder: Path, triples: int, shape: str, kinds: list[str]) -> dict[str, list[str]]:
    """Step → its command; all of them write below the folder."""
    rulemine = [sys.executable, "-m", "rulemine"]
    graph, rules, out = (str(folder / name) for name in ("kg.tsv", "rules.jsonl", "stages"))
    whole = [*rulemine, "build", str(folder / "recipe.toml"), "-o", str(folder / "release")]
    read = [sys.executable, "-c", READ, graph]
    found = {
        "generate": [sys.executable, SYNTHETIC, str(triples), graph, f"--shape={shape}",
                     f"--relations={RELATIONS[shape]}"],
        "build": whole,
        "build again": whole,
        "verify": [*rulemine, "verify", str(folder / "release")],
        "read": read,
        "read again": read,
        "mine": [*rulemine, "mine", graph, *THRESHOLDS, "-o", rules],
    }  # fmt: skip
    mined = str(folder / "release" / "rules.jsonl")
    for kind in kinds:
        target = str(folder / kind)
        own = [*rulemine, "build", str(folder / "recipe.toml"), "--kind", kind, "-o", target]
        found[f"build, {kind}"] = [*own, "--rules", mined]
        found[f"verify, {kind}"] = [*rulemine, "verify", target]
    for step in STAGES[3:]:
        found[step] = [*rulemine, "build", "--until", step, graph, "--rules", rules, "-o", out]
    return found


def exponent(costs: dict[int, Cost]) -> str:
    """By which power of the triples the CPU seconds grow, from the first size to the last."""
    low, high = min(costs), max(costs)
    if low == high:
        return ""
    return f"{math.log(costs[high].cpu / costs[low].cpu) / math.log(high / low):.2f}"


def counts_of(folder: Path) -> dict[str, int]:
    """The counts of the release that `commands` builds."""
    counts = json.loads((folder / "release" / "manifest.json").read_text("utf-8"))["counts"]
    return {name: counts[key] for name, key in COUNTS.items()}


def machine() -> str:
    """The processor and the memory of this machine."""
    lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return f"{len(models)} cores of {models[0]}, {pages * size / 2**30:.0f} GiB"


def main() -> None:
    """Runs everything and prints the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("triples", nargs="*", type=int, default=SIZES, help="sizes of the graphs")
    parser.add_argument("--shape", choices=RELATIONS, default="even", help="of the graphs (even)")
    parser.add_argument("--kind", nargs="*", default=[], help="other kinds to build")
    parser.add_argument("--whole", action="store_true", help="no stage as a process of its own")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="leave the files there")
    arguments = parser.parse_args()
    costs: dict[str, dict[int, Cost]] = {}
    counts: dict[int, dict[str, int]] = {}
    for triples in sorted(arguments.triples):
        with contextlib.ExitStack() as stack:
            folder = (
                arguments.keep / str(triples)
                if arguments.keep
                else Path(stack.enter_context(tempfile.TemporaryDirectory()))
            )
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "recipe.toml").write_text(RECIPE, "utf-8")
            steps = commands(folder, triples, arguments.shape, arguments.kind)
            for step, command in steps.items():
                if arguments.whole and step in STAGES:
                    continue
                # One cache for the build in one process, another one for the stages.
                cache = folder / ("cache-of-stages" if step in STAGES else "cache")
                cost = measure(command, {"XDG_CACHE_HOME": str(cache)})
                costs.setdefault(step, {})[triples] = cost
                print(f"{triples:>11,} {step:20} {cost.cpu:8.1f} s CPU {cost.wall:8.1f} s wall "
                      f"{cost.peak:8.0f} MiB", file=sys.stderr, flush=True)  # fmt: skip
            counts[triples] = counts_of(folder)
    sizes = sorted(arguments.triples)
    command = shlex.join(["python", *sys.argv])
    print(f"`{command}`, {machine()}, {datetime.now(UTC).date()}:\n")
    print("| step | " + " | ".join(f"{n:,} triples" for n in sizes) + " | exponent |")
    print("|---|" + "---:|" * (len(sizes) + 1))
    for step, found in costs.items():
        cells = [f"{c.cpu:.1f} s, {c.peak / 1024:.2f} GiB" for c in map(found.get, sizes) if c]
        print(f"| {step} | " + " | ".join(cells) + f" | {exponent(found)} |")
    print("\n| what comes out | " + " | ".join(f"{n:,} triples" for n in sizes) + " |")
    print("|---|" + "---:|" * len(sizes))
    for name in COUNTS:
        print(f"| {name} | " + " | ".join(f"{counts[n][name]:,}" for n in sizes) + " |")


if __name__ == "__main__":
    main()
