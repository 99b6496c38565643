"""Times and peak memory of the stages of a build, each stage in a process of its own.

Usage: python benchmarks/stages.py RECIPE [RECIPE …]. Figures are of the whole process, start-up
included: CPU seconds (user + system), wall seconds, peak resident memory.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

STAGES = ("mine", "ground", "select", "ask", "balance", "split", "release")


def measure(command: list[str]) -> tuple[float, float, float]:
    """CPU seconds, wall seconds and peak MiB of a command."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr
    messages = process.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)}: exit {os.waitstatus_to_exitcode(status)}\n{messages}")
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - started, usage.ru_maxrss / 1024


def main(recipes: list[str]) -> None:
    """Prints one row per stage."""
    print(f"{'recipe':10} {'stage':10} {'CPU s':>8} {'wall s':>8} {'peak MiB':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for recipe in recipes:
            out = str(Path(folder) / recipe)
            for stage in STAGES:
                row = measure([sys.executable, "-m", "rulemine", stage, recipe, "-o", out])
                print(
                    f"{recipe:10} {stage:10} {row[0]:8.2f} {row[1]:8.2f} {row[2]:9.0f}", flush=True
                )
            row = measure([sys.executable, "-m", "rulemine", "verify", out])
            print(
                f"{recipe:10} {'verify':10} {row[0]:8.2f} {row[1]:8.2f} {row[2]:9.0f}", flush=True
            )


if __name__ == "__main__":
    main(sys.argv[1:] or ["demo"])
