"""Mining of large synthetic graphs: CPU, peak memory of the process and of the Java heap, and how they grow.

Usage: python benchmarks/large.py [TRIPLES …] [--shape SHAPE …]   (1000000 10000000; even wikidata)

Rules of at most 3 atoms, thresholds of the documentation. Every step is a process of its own: `read` parses
the file and fills the cache of graphs, `mine` reads from the cache. CPU seconds are user + system; GiB are
the peak of resident memory, the part of it before Java starts, and the peak of the Java heap. Then, for each
shape, the power of the triples with which CPU seconds grow (least squares over all sizes, with the residual
of each), and an EXTRAPOLATION by the power between the two largest sizes, and by the bytes per triple of the
largest. Prints Markdown; --keep FOLDER leaves the files there, and does not generate again what is there.
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

SIZES = (1_000_000, 10_000_000)
SHAPES = {"even": 200, "wikidata": 1000}
SYNTHETIC = str(Path(__file__).with_name("synthetic.py"))
BEYOND = (386_000_000, 1_500_000_000)
GIB = 2**30

READ = "import sys; from rulemine.datasets.registry import load_kg; load_kg(sys.argv[1])"
MINE = """
import json, resource, sys
from rulemine.datasets.registry import load_kg
from rulemine.mining import MiningOptions, Resources, mine
kg = load_kg(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
options = MiningOptions(3, 0.1, 0.3, 0.4)
rules = mine(kg, options, Resources(heap=sys.argv[2] or None))
from jpype import JClass
pools = JClass("java.lang.management.ManagementFactory").getMemoryPoolMXBeans()
heap = sum(int(pool.getPeakUsage().getUsed()) for pool in pools if str(pool.getType().name()) == "HEAP")
print(json.dumps({"rules": len(rules), "before": before, "heap": heap}))
"""


def run(what: str, command: list[str], environment: dict[str, str]) -> tuple[str, float, float]:
    """What a command prints, its CPU seconds and its peak GiB; ends the program when it fails."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as messages:
        process = subprocess.Popen(
            command, stdout=out, stderr=messages, env={**os.environ, **environment}
        )
        _, status, usage = os.wait4(process.pid, 0)
        for file in (out, messages):
            file.seek(0)
        if status:
            sys.exit(f"{what}: {status}\n{messages.read().decode(errors='replace')[-3000:]}")
        cpu, peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / GIB
        print(f"{what:32} {cpu:8.1f} s CPU {peak:6.2f} GiB", file=sys.stderr, flush=True)
        return out.read().decode(), cpu, peak


def measure(folder: Path, shape: str, triples: int, heap: str) -> dict[str, Any]:
    """Generates, reads and mines one graph."""
    graph = folder / f"{shape}{triples}.tsv"
    cache = {"XDG_CACHE_HOME": str(folder / "cache")}
    name = f"{shape} {triples:,}"
    generated = 0.0
    if not graph.exists():
        options = [f"--relations={SHAPES[shape]}", f"--shape={shape}"]
        command = [sys.executable, SYNTHETIC, str(triples), str(graph), *options]
        _, generated, _ = run(f"{name} generate", command, cache)
    _, read, parsed = run(f"{name} read", [sys.executable, "-c", READ, str(graph)], cache)
    said, cpu, peak = run(f"{name} mine", [sys.executable, "-c", MINE, str(graph), heap], cache)
    found = json.loads(said)
    return {
        "triples": triples, "generate": generated, "read": read, "parsed": parsed, "cpu": cpu,
        "peak": peak, "before": found["before"] * 1024 / GIB, "heap": found["heap"] / GIB,
        "rules": found["rules"],
    }  # fmt: skip


def growth(rows: list[dict[str, Any]]) -> None:
    """Prints by which power CPU seconds grow, and what that says of larger graphs."""
    triples = np.array([row["triples"] for row in rows], float)
    cpu = np.array([row["cpu"] for row in rows])
    power, factor = np.polyfit(np.log(triples), np.log(cpu), 1)
    off = [f"{100 * (one - 1):+.0f} %" for one in cpu / np.exp(factor) / triples**power]
    steep = np.log(cpu[-1] / cpu[-2]) / np.log(triples[-1] / triples[-2])
    print(f"\nCPU seconds grow with the power {power:.2f} of the triples (off by {', '.join(off)}); between "
          f"the two largest graphs with {steep:.2f}.\n")  # fmt: skip
    last = rows[-1]
    for beyond in BEYOND:
        scale = beyond / last["triples"]
        print(
            f"Extrapolated to {beyond:,} triples: {last['cpu'] * scale**steep / 3600:.1f} CPU hours, "
            f"{last['peak'] * scale:.0f} GiB, of which {last['heap'] * scale:.0f} GiB are Java's heap.\n"
        )


def main() -> None:
    """Runs everything and prints a table for each shape."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("triples", nargs="*", type=int, default=SIZES, help="sizes of the graphs")
    parser.add_argument("--shape", nargs="+", choices=SHAPES, default=list(SHAPES))
    parser.add_argument("--heap", default="", help="of Java, e.g. 8g (half of the memory)")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="leave the files there")
    arguments = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = arguments.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        for shape in arguments.shape:
            rows = [measure(folder, shape, n, arguments.heap) for n in sorted(arguments.triples)]
            print(f"\n| {shape} | generate | read | mine | process | before Java | heap | bytes a triple: "
                  "process, heap | rules |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|")  # fmt: skip
            for row in rows:
                each = (f"{row[part] * GIB / row['triples']:.0f}" for part in ("peak", "heap"))
                print(
                    f"| {row['triples']:,} | {row['generate']:.1f} s | {row['read']:.1f} s, "
                    f"{row['parsed']:.2f} GiB | {row['cpu']:.1f} s | {row['peak']:.2f} GiB | "
                    f"{row['before']:.2f} GiB | {row['heap']:.2f} GiB | {', '.join(each)} | {row['rules']} |"
                )
            if len(rows) > 1:
                growth(rows)


if __name__ == "__main__":
    main()
