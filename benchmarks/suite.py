"""All data sets that are here × kinds of questions: built, verified, archived, and one table of them.

    python benchmarks/suite.py out/suite                              # everything; an hour and more
    python benchmarks/suite.py out/suite --graphs demo --kinds rules,structures

OUT/NAME-KIND is a release, OUT/NAME-KIND.tar its archive, made once it is verified, and each
line of OUT/suite.jsonl says what one was like, or why there is none. Run again, it goes on where it stopped:
a release with a line is not built again. OUT/suite.md is the table.
"""

import argparse
import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

from rulemine.datasets.property_graphs import NAMED_GRAPHS
from rulemine.datasets.registry import data_sets, find_files
from rulemine.evaluation.baselines import baselines
from rulemine.kinds.registry import BUILT
from rulemine.recipe.loading import named_recipes
from rulemine.release.reader import Release

PARTS = ("-all", "-brink-graph")
"""How data sets are called that another one holds, or that hold another one."""

SYSTEMS = (("lookup", "gold-cypher"), ("prior:k=5", "prior"), ("reasoner",))
"""The systems of the table's columns, the first that a kind has."""


HEADER = (
    "| graph | kind | triples, removed | questions | miss something | core | lookup | prior | reasoner "
    "| CPU s; rules | archive |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|\n"
)


def graphs() -> list[str]:
    """The graphs that are here, in the order of ``rulemine data list``, then those of properties alone."""
    here = [
        name
        for name, one in data_sets().items()
        if one.kind == "kg" and not name.endswith(PARTS) and all(find_files(name))
    ]
    return here + [name for name in NAMED_GRAPHS if name not in here]


def recipe_of(graph: str, kind: str) -> list[str]:
    """What ``rulemine build`` is given: the recipe of the graph and the kind, else the graph and the kind."""
    named = named_recipes()
    own = graph if kind == "rules" else f"{kind}-{graph}"
    return [own] if own in named else [graph, "--kind", kind]


def commands(graph: str, kind: str, out: Path) -> list[list[str]]:
    """The commands that mine and ground rules, make a release, verify it, and make its archive."""
    rulemine, made = [sys.executable, "-m", "rulemine"], str(out / f"{graph}-{kind}")
    build = [*rulemine, "build", *recipe_of(graph, kind), "-o", made]
    after = ([*rulemine, name, made] for name in ("verify", "archive"))
    return [[*build, "--until", "ground"], build, *after]


def measured(graph: str, kind: str, out: Path) -> dict[str, Any]:
    """Makes a release and its archive; what they are like, or why there is none."""
    found: dict[str, Any] = {"graph": graph, "kind": kind}
    before = _seconds()
    for command in commands(graph, kind, out):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            words = done.stderr.strip().splitlines() or ["no message"]
            return {**found, "failed": f"{command[3]}: exit {done.returncode}: {words[-1]}"}
        found.setdefault("rules", round(_seconds() - before, 1))
    found["seconds"] = round(_seconds() - before, 1)
    folder = out / f"{graph}-{kind}"
    release = Release.open(folder)
    counts, questions = release.manifest["counts"], release.questions(None)
    found |= {"triples": counts["triples_complete"], "removed": counts["triples_removed"]}
    found["questions"] = len(questions)
    found["missing"] = sum(bool(question.missing) for question in questions)
    found["core"] = sum(question.core for question in questions)
    found["identity"] = release.identity
    found["archive"] = Path(f"{folder}.tar.sha256").read_text().split()[0]
    table = baselines(release)
    hard, heading, scores = table.header.index("Hard F1"), "", {}
    for name, *values in table.rows:
        heading = heading if values else str(name)
        if values and heading.startswith("incomplete KG, the core"):
            scores[str(name)] = values[hard - 1]
    found["hard_f1"] = scores
    return found


def _seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def row(found: dict[str, Any]) -> str:
    """A release as a row of the table."""
    name = f"| {found['graph']} | {found['kind']} |"
    if "failed" in found:
        return f"{name} {found['failed'].replace('|', '/')} {'| ' * 9}|\n"
    scores = found["hard_f1"]
    chosen = [next((scores[one] for one in names if one in scores), None) for names in SYSTEMS]
    shown = ["–" if score is None else f"{100 * score:.1f}" for score in chosen]
    n = found["questions"]
    return (
        f"{name} {found['triples']:,}, {found['removed']:,} | {n:,} | {found['missing'] / max(n, 1):.0%} "
        f"| {found['core']:,} | {' | '.join(shown)} | {found['seconds']:.0f}; "
        f"{found['rules']:.0f} | `{found['archive'][:12]}` |\n"
    )


def main() -> None:
    """Makes what is missing, and the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("out", type=Path, help="folder for releases, archives and the table")
    parser.add_argument("--graphs", default="", help="of those that are here (all), with commas")
    parser.add_argument(
        "--kinds", default="", help="kinds of questions (all of the package), with commas"
    )
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    lines = given.out / "suite.jsonl"
    rows = [json.loads(line) for line in lines.read_text().splitlines()] if lines.exists() else []
    known = {(found["graph"], found["kind"]) for found in rows}
    chosen = given.graphs.split(",") if given.graphs else graphs()
    kinds = given.kinds.split(",") if given.kinds else list(BUILT.own)
    for graph in chosen:
        for kind in kinds:
            triples = graph in data_sets() or kind == "cypher"
            if (graph, kind) in known or not triples:
                continue
            found = measured(graph, kind, given.out)
            with lines.open("a") as file:
                file.write(json.dumps(found) + "\n")
            rows.append(found)
            print(row(found), end="", flush=True)
    order = {
        (graph, kind): n
        for n, (graph, kind) in enumerate((g, k) for g in graphs() for k in BUILT.own)
    }
    rows.sort(key=lambda found: order.get((found["graph"], found["kind"]), len(order)))
    table = HEADER + "".join(map(row, rows))
    (given.out / "suite.md").write_text(table)


if __name__ == "__main__":
    main()
