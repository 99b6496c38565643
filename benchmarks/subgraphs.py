"""Times the sampling of subgraphs around triples.

    python benchmarks/subgraphs.py [--kg NAME] [--subgraphs 10000]

Prints a Markdown table: seconds of CPU time for all of them, mean nodes and triples, how many different
subgraphs, and the median degree of their nodes beside that of the graph.
"""

import argparse
import resource
import time
from pathlib import Path

import numpy as np

from rulemine.datasets.registry import find_files
from rulemine.kg import KnowledgeGraph
from rulemine.kinds.subgraphs.drawing import Sampler, asked_rows
from rulemine.seeds import stream


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description="sampling of subgraphs")
    parser.add_argument("--kg", default="fb15k237", help="a data set or a TSV file (fb15k237)")
    parser.add_argument("--subgraphs", type=int, default=10_000, help="how many (10000)")
    given = parser.parse_args()
    paths = find_files(given.kg) if not Path(given.kg).exists() else (Path(given.kg),)
    if None in paths:
        print(f"subgraphs: data set {given.kg} not on this machine")
        return
    kg = KnowledgeGraph.read(*(path for path in paths if path is not None))
    degrees = np.bincount(kg.triples[:, [0, 2]].ravel())
    started = time.process_time()
    rows, random = asked_rows(kg), stream(0, "subgraphs")
    sampler = Sampler(kg, rows)
    first = [int(rows[random.below(len(rows))]) for _ in range(given.subgraphs)]
    drawn = [sampler.around([row], random) for row in first]
    seconds = time.process_time() - started
    nodes = [node for one in drawn for node in one.nodes]
    triples = sum(len(one.rows) for one in drawn)
    print(
        "| CPU s | nodes | triples | different | median degree |\n|--:|--:|--:|--:|--:|\n"
        f"| {seconds:.1f} | {len(nodes) / len(drawn):.2f} | {triples / len(drawn):.2f} "
        f"| {len({frozenset(one.rows) for one in drawn}):,} | {np.median(degrees[nodes]):.0f} |"
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"\n{given.kg}: {len(kg):,} triples, {given.subgraphs:,} subgraphs; median "
        f"degree of the graph {np.median(degrees):.0f}; {peak:.0f} MiB at most, start-up included"
    )


if __name__ == "__main__":
    main()
