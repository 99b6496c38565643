"""What it costs to write millions of rules: CPU and peak memory of `rulemine mine` on dense graphs.

    python benchmarks/mine_output.py [RELATIONS …]   (400; 1000 gives 32 million rules, 13 GB of text)

The graph has 10 triples of each relation, drawn uniformly over 50 entities. Every row is a process of
its own: the search alone, then the whole command with either format. The last column is the CPU that
the command took above the search, by rule. Prints Markdown.
"""

import argparse
import random
import sys
import tempfile
from pathlib import Path

from bench import Usage, ours, run

ENTITIES, TRIPLES = 50, 10
LOOSE = ("--min-initial-support", "5")
SEARCH = """
import sys
from rulemine.datasets.registry import load_kg
from rulemine.mining import MiningOptions, mine
print(len(mine(load_kg(sys.argv[1]), MiningOptions(min_initial_support=5))), "rules")
"""


def write_dense(path: Path, relations: int) -> None:
    """Writes a graph in which every relation has the same few triples to make rules of."""
    rng = random.Random(7)
    lines: list[str] = []
    for relation in range(relations):
        pairs: set[tuple[int, int]] = set()
        while len(pairs) < TRIPLES:
            pairs.add((rng.randrange(ENTITIES), rng.randrange(ENTITIES)))
        lines += [f"e{s}\tr{relation}\te{o}\n" for s, o in sorted(pairs)]
    path.write_text("".join(lines))


def main() -> None:
    """Measures every graph that is asked for."""
    parser = argparse.ArgumentParser(description="CPU and memory of writing rules")
    parser.add_argument("relations", nargs="*", type=int, default=[400])
    print("| relations | work | rules | CPU s | wall s | peak MiB | µs a rule |")
    print("|--:|---|--:|--:|--:|--:|--:|", flush=True)
    for relations in parser.parse_args().relations:
        with tempfile.TemporaryDirectory() as folder:
            graph = Path(folder) / "kg.tsv"
            write_dense(graph, relations)
            commands = {"search": [sys.executable, "-c", SEARCH, str(graph)]}
            for form in ("jsonl", "amie"):
                out = str(Path(folder) / f"rules.{form}")
                commands[form] = ours("mine", str(graph), *LOOSE, "--format", form, "-o", out)
            search: Usage | None = None
            for work, command in commands.items():
                usage = run(command)
                assert usage is not None
                search = search or usage
                each = f"{1e6 * (usage.cpu - search.cpu) / usage.rules:.1f}"
                print(
                    f"| {relations} | {work} | {usage.rules:,} | {usage.cpu:.1f} | {usage.wall:.1f} | "
                    f"{usage.peak:.0f} | {each if usage is not search else ''} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
