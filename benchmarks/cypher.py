"""The kind ``cypher`` on ordinary graphs: CPU seconds of a build without mining.

Usage: python benchmarks/cypher.py [GRAPH …]

Without a graph: an invented one of 31,000 triples, packages of which 10,000 depend on one. Prints a line for
each graph: CPU seconds (user + system) and peak memory of what comes after the selection.
"""

import argparse
import random
import sys
import tempfile
from pathlib import Path

from scale import measure

PACKAGES, HUB, SOURCES = 10_500, 10_000, 1_500


def packages(seed: int = 1) -> list[tuple[str, str, str]]:
    """The triples of the invented graph, sorted; who maintains a package follows from its source."""
    rng = random.Random(seed)

    def some(n: int) -> int:
        """One of n, the first far more often than the last."""
        return int(n * rng.random() ** 3)

    names = [f"package-{number}" for number in range(PACKAGES)]
    found = {(name, "section", f"section {some(50)}") for name in names}
    found |= {(name, "depends on", names[0]) for name in names[1 : HUB + 1]}
    owners = [f"maintainer {some(400)}" for _ in range(SOURCES)]
    found |= {(f"source-{at}", "maintained by", owner) for at, owner in enumerate(owners)}
    for name in rng.sample(names, 2500):
        at = some(SOURCES)
        found |= {(name, "built from", f"source-{at}"), (name, "maintained by", owners[at])}
    for relation, size in (("depends on", 30_000), ("recommends", 31_000)):
        while len(found) < size:
            one, other = rng.choice(names), names[some(PACKAGES)]
            if one != other:
                found.add((one, relation, other))
    return sorted(found)


def commands(graph: Path, out: Path) -> list[list[str]]:
    """The build up to the selection, and the rest of it."""
    options = [str(graph), "--kind", "cypher", "-o", str(out)]
    build = [sys.executable, "-m", "rulemine", "build", *options]
    return [[*build, "--until", step] for step in ("select", "release")]


def main() -> None:
    """Builds each graph."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("graphs", nargs="*", type=Path, metavar="GRAPH", help="files of triples")
    graphs = parser.parse_args().graphs
    with tempfile.TemporaryDirectory() as name:
        if not graphs:
            graphs = [Path(name, "packages.tsv")]
            graphs[0].write_text("".join("\t".join(row) + "\n" for row in packages()), "utf-8")
        for number, graph in enumerate(graphs):
            select, build = commands(graph, Path(name, str(number)))
            measure(select, {})
            cost = measure(build, {})
            print(f"{graph.name}: {cost.cpu:.1f} s CPU, {cost.peak:.0f} MiB", flush=True)


if __name__ == "__main__":
    main()
