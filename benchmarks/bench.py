"""Times and peak memory of mining and of every stage of a build, each as a whole process of its own.

    python benchmarks/bench.py [--runs 3] [--only TEXT] [--amie-jar JAR | --rdfrules-jar JAR]
                               [--old CHECKOUT] [--save]

Prints a Markdown table: CPU seconds (user + system), wall seconds and peak resident memory, start-up
included, as median (least – most) of the runs; compared with ``results.json``, where a median CPU time
of more than 1.2 times the one kept there is flagged. ``--save`` keeps the new figures. With a jar of
the original AMIE, each mining row is run by it too, in turn with ours, and the ratio is printed. With
another checkout of this project, in which ``make jar`` was run, so are builds after mining and their checks.
Rows whose data set is not on this machine are left out and named.

With the jar of RDFRules that has its batch module (``http_2.13-….jar``; its other jars lie beside it, or are
in it), the mining rows are run by that instead. It takes the same graph and thresholds, but has no option for
four things, so ours does them as it does: different variables stand for different entities, every atom may
have the same relation, no rule is left out for a shorter one (the skyline), and rules with a PCA confidence
of 1 are extended. Ours cannot do the first with constants, so that row is left out. Where the other miner
finds another number of rules, the row has both: of four atoms RDFRules has rules with each relation twice,
most of which ours leaves out, as AMIE does.
"""

import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import threading
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from rulemine.builder.pipeline import STAGES
from rulemine.datasets.registry import find_files
from rulemine.kg.graph import KnowledgeGraph
from rulemine.mining import AmieJar, MiningOptions, Resources
from rulemine.mining.java_home import find_java
from rulemine.mining.jvm import heap_size

RESULTS = Path(__file__).with_name("results.json")
REGRESSION = 1.2
LIMIT = 1800
"""Wall seconds after which another miner is stopped; the row then gives the least it would have needed."""

PAPER = (0.1, 0.3, 0.4)
DEFAULTS = (0.01, 0.1, 0.1)
"""Head coverage, standard and PCA confidence: those of the BRINK paper, and AMIE's own."""

MINING = (
    ("family", 3, PAPER, False),
    ("family", 4, PAPER, False),
    ("family", 3, DEFAULTS, False),
    ("family", 3, DEFAULTS, True),
    ("umls", 4, PAPER, False),
    ("fb15k237", 3, PAPER, False),
    ("fb15k237", 4, PAPER, False),
)
"""Data set, atoms, thresholds, and whether rules may name entities."""

AS_RDFRULES = """
import json, sys
from rulemine.datasets.registry import load_kg
from rulemine.mining import MiningOptions, mine
from rulemine.mining.options import Search
options = MiningOptions(**json.loads(sys.argv[2]), injective=True)
search = Search(max_recursion=options.max_atoms, skyline=False, perfect_pruning=False)
print(len(mine(load_kg(sys.argv[1]), options, search=search)), "rules")
"""
"""Our miner with what RDFRules always does; it writes no rules."""

STEPS = (*(stage for stage in STAGES[1:] if stage != "verbalize"), "verify")
"""`rulemine mine` is a command of its own kind, so the first step of a build does both. No recipe here asks
a model, so none has the stage ``verbalize``."""

RECIPES = {
    "demo": ("demo",),
    "family": ("family",),
    "fb15k237": ("fb15k237", "fb15k237-all", "fb15k237-labels"),
}

AFTER_MINING = {
    **RECIPES,
    "structures-fb15k237": RECIPES["fb15k237"],
    "subgraphs-fb15k237": RECIPES["fb15k237"],
}

MINE = (
    "import sys; from pathlib import Path; from rulemine.builder.pipeline import Build; "
    "from rulemine.recipe.loading import load_recipe; "
    "Build(load_recipe(sys.argv[1], []), Path(sys.argv[2])).run('mine')"
)


@dataclass(frozen=True)
class RdfRules:
    """The jar of RDFRules 1.9 that has its batch module (Zeman, Kliegr and Svátek, Semantic Web 2021)."""

    path: Path

    def command(
        self, kg: KnowledgeGraph, options: MiningOptions, resources: Resources, folder: Path
    ) -> list[str]:
        """Writes a graph and a task for it, and returns the words of the command that runs the task."""
        np.savetxt(folder / "kg.tsv", kg.triples, "e%d\tr%d\te%d")
        thresholds = {
            "MinHeadSize": options.min_initial_support,
            "MinHeadCoverage": options.min_head_coverage,
            "MaxRuleLength": options.max_atoms,
        }
        mine = {
            "thresholds": [{"name": name, "value": least} for name, least in thresholds.items()],
            "constraints": [{"name": "WithoutConstants"}],
            "parallelism": resources.threads,
        }
        std = {"name": "StandardConfidence", "min": options.min_std_confidence}
        pca = {"name": "PcaConfidence", "min": options.min_pca_confidence}
        names = (
            "LoadGraph",
            "Index",
            "Mine",
            "ComputeConfidence",
            "ComputeConfidence",
            "RulesetSize",
        )
        each = ({"path": "kg.tsv"}, {}, mine, std, pca, {})
        task = [{"name": n, "parameters": p} for n, p in zip(names, each, strict=True)]
        (folder / "task.json").write_text(json.dumps(task), "utf-8")
        return [
            str(find_java()), f"-Xmx{heap_size(resources.heap)}", f"-Drdfrules.workspace.path={folder}",
            "-cp", f"{self.path}{os.pathsep}{self.path.parent / '*'}",
            "com.github.propi.rdfrules.http.Main", str(folder / "task.json"),
        ]  # fmt: skip


@dataclass(frozen=True)
class Usage:
    """What one process used, and the rules it reported (0 when it reports none)."""

    cpu: float
    wall: float
    peak: float
    rules: int


def run(
    command: list[str], limit: float | None = None, checkout: Path | None = None
) -> Usage | None:
    """Runs a command to its end, or None when it took longer than the limit, in wall seconds.

    Args:
        command: The command.
        limit: The limit.
        checkout: The checkout whose code runs; None: this one.
    """
    timer = None
    started = os.times().elapsed
    with tempfile.TemporaryFile() as output:
        paths = {**os.environ, "PYTHONPATH": str((checkout or Path(__file__).parents[1]).resolve())}
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=paths)
        if limit is not None:
            timer = threading.Timer(limit, process.kill)
            timer.start()
        _, status, used = os.wait4(process.pid, 0)
        wall = os.times().elapsed - started
        if timer is not None:
            timer.cancel()
        output.seek(0)
        text = output.read().decode(errors="replace")
    if os.WIFSIGNALED(status):
        return None
    if status:
        sys.exit(f"{' '.join(command)}: exit {os.waitstatus_to_exitcode(status)}\n{text}")
    found = re.findall(r"[\d,]+(?= rules)|^\d+$", text, re.MULTILINE)
    rules = int(found[-1].replace(",", "")) if found else 0
    return Usage(used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024, rules)


def ours(*arguments: str) -> list[str]:
    """The command of this package."""
    return [sys.executable, "-m", "rulemine", *arguments]


def mining_command(
    data: str, atoms: int, thresholds: tuple[float, float, float], constants: bool
) -> list[str]:
    """Our command for a mining row; the rules go nowhere."""
    coverage, std, pca = map(str, thresholds)
    return ours(
        "mine", data, "--max-atoms", str(atoms), "--min-head-coverage", coverage,
        "--min-std-confidence", std, "--min-pca-confidence", pca, "-o", os.devnull,
        *(["--constants"] if constants else []),
    )  # fmt: skip


def mining_as_rdfrules(data: str, atoms: int, thresholds: tuple[float, float, float]) -> list[str]:
    """Our command for a mining row that RDFRules has, too."""
    names = ("min_head_coverage", "min_std_confidence", "min_pca_confidence")
    options = {"max_atoms": atoms, **dict(zip(names, thresholds, strict=True))}
    return [sys.executable, "-c", AS_RDFRULES, data, json.dumps(options)]


def spread(values: list[float], digits: int) -> str:
    """Median (least – most)."""
    low, high = min(values), max(values)
    return f"{statistics.median(values):.{digits}f} ({low:.{digits}f} – {high:.{digits}f})"


class Table:
    """Rows as they are measured, compared with those kept."""

    def __init__(self, runs: int, other: AmieJar | RdfRules | None) -> None:
        self.runs = runs
        self.other = other
        kept = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {"rows": {}}
        self.kept: dict[str, dict[str, float]] = kept["rows"]
        self.rows: dict[str, dict[str, object]] = {}
        print(
            "| work | rules | CPU s | wall s | peak MiB | kept CPU s | other or old CPU s | ratio |"
        )
        print("|---|--:|--:|--:|--:|--:|--:|--:|", flush=True)

    def add(self, name: str, usages: list[Usage], others: list[Usage | None]) -> None:
        """Prints and remembers a row."""
        cpu = [u.cpu for u in usages]
        median = statistics.median(cpu)
        before = self.kept.get(name, {}).get("cpu")
        flag = " ▲ slower" if before and median > REGRESSION * before else ""
        kept = f"{before:.2f}{flag}" if before else ""
        whole = [u for u in others if u is not None]
        theirs = spread([u.cpu for u in whole], 1) if whole else f"> {LIMIT}" * bool(others)
        rules = dict.fromkeys(str(u.rules) for u in (usages[0], *whole) if u.rules)
        ratio = ""
        if others:
            least = statistics.median([u.cpu for u in whole]) if whole else LIMIT
            ratio = f"{'' if whole else '> '}{least / median:.1f}×"
        print(
            f"| {name} | {'; theirs '.join(rules)} | {spread(cpu, 2)} | "
            f"{spread([u.wall for u in usages], 2)} | {spread([u.peak for u in usages], 0)} | {kept} | "
            f"{theirs} | {ratio} |",
            flush=True,
        )
        self.rows[name] = {
            "cpu": median,
            "wall": statistics.median(u.wall for u in usages),
            "peak_mib": statistics.median(u.peak for u in usages),
            "rules": usages[0].rules,
            "runs": [asdict(u) for u in usages],
            "theirs": [asdict(u) if u else None for u in others],
        }


def measure(table: Table, name: str, command: list[str], other: list[str] | None = None) -> None:
    """Measures a row: ours and another miner in turn, so that both meet the same noise."""
    usages: list[Usage] = []
    others: list[Usage | None] = []
    for _ in range(table.runs):
        usage = run(command)
        assert usage is not None
        usages.append(usage)
        if other and None not in others:
            others.append(run(other, LIMIT))
            if others[-1] is not None and not others[-1].rules:
                sys.exit(
                    f"{' '.join(other)}: ended without its number of rules; is it the right jar?"
                )
    table.add(name, usages, others)


def mining_rows(table: Table, only: str) -> None:
    """All mining rows whose data are here."""
    for data, atoms, thresholds, constants in MINING:
        marks = "" if thresholds == PAPER else ", AMIE's default thresholds"
        marks += ", constants" * constants
        as_rdfrules = isinstance(table.other, RdfRules)
        marks += ", as RDFRules mines" * as_rdfrules
        name = f"mine {data}, {atoms} atoms{marks}"
        if only not in name:
            continue
        paths = find_files(data)
        if None in paths:
            print(f"| {name} | data set not on this machine | | | | | | |")
            continue
        if constants and as_rdfrules:
            print(f"| {name} | ours has no constants with `--injective` | | | | | | |")
            continue
        with tempfile.TemporaryDirectory() as folder:
            other = None
            if table.other is not None and paths[0] is not None:
                kg = KnowledgeGraph.read(paths[0])
                options = MiningOptions(atoms, *thresholds, constants=constants)
                threads = Resources(threads=os.cpu_count())
                other = table.other.command(kg, options, threads, Path(folder))
            command = (
                mining_as_rdfrules(data, atoms, thresholds)
                if as_rdfrules
                else mining_command(data, atoms, thresholds, constants)
            )
            measure(table, name, command, other)


def stage(name: str, recipe: str, out: str) -> list[str]:
    """The command that builds as far as a stage; the last one is the whole build."""
    return ours("build", "--until", name, recipe, "-o", out)


def build_rows(table: Table, only: str) -> None:
    """Every stage of every recipe whose data are here, each run in a folder of its own."""
    for recipe, needed in RECIPES.items():
        names = [f"{recipe}: {'mine and ' * (step == STEPS[0])}{step}" for step in STEPS]
        if not any(only in name for name in names):
            continue
        if any(None in find_files(data) for data in needed):
            print(f"| {recipe} | data set not on this machine | | | | | | |")
            continue
        usages: dict[str, list[Usage]] = {name: [] for name in names}
        for _ in range(table.runs):
            with tempfile.TemporaryDirectory() as folder:
                out = str(Path(folder) / recipe)
                for step, name in zip(STEPS, names, strict=True):
                    command = ours(step, out) if step == "verify" else stage(step, recipe, out)
                    usage = run(command)
                    assert usage is not None
                    usages[name].append(usage)
        for name in names:
            table.add(name, usages[name], [])


def after_mining_rows(table: Table, only: str, old: Path | None) -> None:
    """Builds after mining, each as one process, and their checks; in turn with another checkout."""
    for recipe, needed in AFTER_MINING.items():
        names = [f"{recipe}, build after mining", f"{recipe}, verify"]
        if not any(only in name for name in names) or None in map(find_files, needed):
            continue
        usages: dict[tuple[str, Path | None], list[Usage]] = {}
        for _ in range(table.runs):
            for checkout in (None, old) if old else (None,):
                with tempfile.TemporaryDirectory() as folder:
                    out = str(Path(folder) / recipe)
                    run([sys.executable, "-c", MINE, recipe, out], None, checkout)
                    commands = ours("build", recipe, "-o", out), ours("verify", out)
                    for name, command in zip(names, commands, strict=True):
                        usage = run(command, None, checkout)
                        assert usage is not None
                        usages.setdefault((name, checkout), []).append(usage)
        for name in names:
            table.add(name, usages[name, None], [*usages.get((name, old), [])] if old else [])


def machine() -> dict[str, object]:
    """What the figures were measured on."""
    model = ""
    if Path("/proc/cpuinfo").exists():
        found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
        model = found[1] if found else ""
    return {
        "processor": model or platform.processor(),
        "cores": os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def main() -> None:
    """Measures what is asked for."""
    parser = argparse.ArgumentParser(description="times and peak memory, as whole processes")
    parser.add_argument("--runs", type=int, default=3, help="runs of each row (3)")
    parser.add_argument("--only", default="", help="only rows whose name holds this text")
    jars = parser.add_mutually_exclusive_group()
    jars.add_argument("--amie-jar", help="a jar of the original AMIE, to run beside ours")
    jars.add_argument("--rdfrules-jar", type=Path, help="a jar of RDFRules, to run beside ours")
    parser.add_argument(
        "--old", type=Path, help="another checkout, to build and verify with beside this"
    )
    parser.add_argument("--save", action="store_true", help="keep the figures in results.json")
    given = parser.parse_args()
    other = AmieJar.open(given.amie_jar) if given.amie_jar else None
    table = Table(given.runs, RdfRules(given.rdfrules_jar) if given.rdfrules_jar else other)
    mining_rows(table, given.only)
    build_rows(table, given.only)
    after_mining_rows(table, given.only, given.old)
    facts = machine()
    print("\n" + ", ".join(f"{key}: {value}" for key, value in facts.items()))
    if given.save:
        old = json.loads(RESULTS.read_text("utf-8"))["rows"] if RESULTS.exists() else {}
        text = json.dumps({"machine": facts, "rows": {**old, **table.rows}}, indent=1)
        RESULTS.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
