"""The long hunt for a graph on which the miner and the oracle disagree.

    python -m checks.oracles.hunt --graphs 10000 --seed 0

Each seed is a case (see `random_graphs`). A failing one is printed as it is, reduced to the
triples it needs, and kept in `found/`, where the tests replay it for good. Exit status 1 if any
case failed.
"""

import argparse
import sys
import time
from pathlib import Path

from checks.oracles.amie_oracle import OracleResult
from checks.oracles.comparison import differences, expected, instabilities, shrink
from checks.oracles.random_graphs import Case, random_case, random_variant

FOUND = Path(__file__).with_name("found")


def problems(case: Case, *, thorough: bool, oracle: OracleResult | None = None) -> list[str]:
    """All that is wrong with the miner on a case."""
    try:
        return differences(case, oracle) + (instabilities(case) if thorough else [])
    except Exception as error:  # noqa: BLE001 (whatever it is, it is a finding with a graph)
        return [f"{type(error).__name__}: {error}"]


def report(case: Case, found: list[str], folder: Path) -> None:
    """Print a failing case and its smallest part, and keep that part."""
    small = shrink(case, lambda attempt: bool(problems(attempt, thorough=True)))
    small.write(folder / f"{case.name.replace(' ', '-')}.json")
    for title, shown, lines in (
        (f"FAILED {case.name}", case, found),
        ("reduced to", small, problems(small, thorough=True)),
    ):
        _say(f"\n{title}: {shown.options}\n{shown.to_tsv()}" + "\n".join(lines[:10]))


def main(arguments: list[str] | None = None) -> int:
    """Run the hunt."""
    parser = argparse.ArgumentParser(prog="python -m checks.oracles.hunt", description=__doc__)
    parser.add_argument("--graphs", type=int, default=1000, help="how many graphs")
    parser.add_argument("--seed", type=int, default=0, help="the seed of the first one")
    parser.add_argument(
        "--thorough-every",
        type=int,
        default=10,
        help="on each such graph also compare threads, line orders, and graphs with gaps",
    )
    parser.add_argument("--variants", action="store_true", help="vary the options of the search")
    parser.add_argument("--found", type=Path, default=FOUND, help="folder for failing cases")
    chosen = parser.parse_args(arguments)
    started = said = time.monotonic()
    failed = rules = torn = 0
    for number in range(1, chosen.graphs + 1):
        make = random_variant if chosen.variants else random_case
        case = make(chosen.seed + number - 1)
        oracle = expected(case)
        rules += len(oracle.ours)
        torn += oracle.must < oracle.may
        found = problems(case, thorough=number % chosen.thorough_every == 0, oracle=oracle)
        if found:
            failed += 1
            report(case, found, chosen.found)
        if time.monotonic() - said > 5 or number == chosen.graphs:
            said = time.monotonic()
            _say(
                f"{number}/{chosen.graphs} graphs, {rules} rules, order matters on {torn}, "
                f"{failed} failed, {said - started:.0f} s"
            )
    return 1 if failed else 0


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
