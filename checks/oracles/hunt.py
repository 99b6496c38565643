"""The miner against the oracle on random graphs, and the smallest case that still tells them apart.

    python -m checks.oracles.hunt --graphs 10000 --seed 0

Each seed is a case (see `random_graphs`). A failing one is printed as it is, reduced to the triples it needs,
and kept in `found/`, where the tests replay it for good. Exit status 1 if any case failed.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from random import Random

import numpy as np

from checks.oracles import say
from checks.oracles.amie_oracle import OracleResult, RuleKey, canonical, oracle_rules, show
from checks.oracles.random_graphs import Case, Options, Triple, random_case, random_variant
from rulemine.kg.graph import KnowledgeGraph
from rulemine.mining import MiningOptions, Resources, Rules, mine
from rulemine.mining.options import Search
from rulemine.rules.rule import Rule, sort_rules

FOUND = Path(__file__).with_name("found")

Counts = tuple[int, int, int, int, int]
"""Support, body size, PCA body size, head size, functional variable."""


@cache
def expected(case: Case) -> OracleResult:
    """What the oracle makes of a case; slow, and asked of the same cases by several tests."""
    return oracle_rules(case.triples, **asdict(case.options))


def mined(case: Case, triples: Iterable[Triple] | None = None, threads: int = 1) -> Rules:
    """What the miner makes of a case, or of other triples under its options."""
    kg = KnowledgeGraph.from_triples(case.triples if triples is None else triples)
    options, search = split(case.options)
    return mine(kg, options, Resources(threads), search=search)


def split(options: Options) -> tuple[MiningOptions, Search]:
    """What users choose of the options of a case, and the rest."""
    plain = asdict(options)
    search = Search(*(plain.pop(name) for name in Search._fields))
    return MiningOptions(**plain), search


def differences(case: Case, oracle: OracleResult | None = None) -> list[str]:
    """What the miner does otherwise than the oracle: a line each, none if they agree."""
    oracle = expected(case) if oracle is None else oracle
    problems: list[str] = []
    if not oracle.must <= oracle.ours <= oracle.may:
        problems.append("the definition leaves the band of what AMIE may print")
    rules = mined(case)
    if rules != sort_rules(rules):
        problems.append("the rules are not in canonical order")
    if any(rule != rule.canonical() for rule in rules):
        problems.append("a rule is not in canonical form")
    counts: dict[RuleKey, Counts] = {}
    for rule in rules:
        key = _key(rule)
        if key in counts:
            problems.append(f"twice: {show(key)}")
        counts[key] = _counts(rule)
    for key in sorted(oracle.ours - counts.keys()):
        problems.append(f"missing: {oracle.explain(key)}")
    for key in sorted(counts.keys() - oracle.ours):
        problems.append(f"too many: {counts[key]}, {oracle.explain(key)}")
    for key in sorted(oracle.ours & counts.keys()):
        rule_ = oracle.space[key]
        correct = (
            *(rule_.support, rule_.body_size, rule_.pca_body_size),
            *(rule_.head_size, rule_.functional_variable),
        )
        if counts[key] != correct:
            problems.append(f"counted as {counts[key]}, not {correct}: {show(key)}")
    return problems


def instabilities(case: Case) -> list[str]:
    """What changes the miner's rules although it must not: a line each, none if nothing does.

    Tried are two threads, another order of lines, and a graph out of which triples were taken
    (so that it has entities and a relation without a triple).
    """
    rules = mined(case)
    problems: list[str] = []
    if mined(case, threads=2) != rules:
        problems.append("two threads find other rules than one")
    rng = Random(case.name)
    if mined(case, rng.sample(case.triples, len(case.triples))) != rules:
        problems.append("the order of the lines changes the rules")
    present = set(case.triples)
    entities = sorted({entity for s, _, o in present for entity in (s, o)} | {"a", "z"})
    relations = sorted({relation for _, relation, _ in present} | {"gone"})
    extra = {
        (rng.choice(entities), rng.choice(relations), rng.choice(entities)) for _ in range(6)
    } - present
    larger = KnowledgeGraph.from_triples([*case.triples, *sorted(extra)])
    rows = np.array([i for i, t in enumerate(larger.labeled()) if t in extra], np.int64)
    options, search = split(case.options)
    if mine(larger.without(rows), options, Resources(1), search=search) != rules:
        problems.append("triples that were taken out of the graph change the rules")
    return problems


def shrink(case: Case, fails: Callable[[Case], bool]) -> Case:
    """A part of a failing case that still fails, and does not if any one triple is taken away."""
    smaller = True
    while smaller:
        smaller = False
        for atoms in range(2, case.options.max_atoms):
            attempt = replace(case, options=replace(case.options, max_atoms=atoms))
            if fails(attempt):
                case = attempt
                break
        for triple in case.triples:
            rest = tuple(kept for kept in case.triples if kept != triple)
            attempt = replace(case, triples=rest)
            if rest and fails(attempt):
                case, smaller = attempt, True
    return case


def _key(rule: Rule) -> RuleKey:
    """The oracle's name of a mined rule, made without the miner's own canonical form."""
    if (rule.head.subject, rule.head.object) != (0, 1):
        raise AssertionError(f"head variables are not 0 and 1: {rule!r}")
    body = []
    for subject, relation, object_ in rule.body:
        if not (isinstance(subject, int) and isinstance(object_, int)):
            raise AssertionError(f"a constant in {rule!r}")
        body.append((relation, subject, object_))
    return rule.head.relation, canonical(body)


def _counts(rule: Rule) -> Counts:
    sizes = (rule.support, rule.body_size, rule.pca_body_size)
    return *sizes, rule.known.head_size, rule.known.functional


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
        say(f"\n{title}: {shown.options}\n{shown.to_tsv()}" + "\n".join(lines[:10]))


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
            say(
                f"{number}/{chosen.graphs} graphs, {rules} rules, order matters on {torn}, "
                f"{failed} failed, {said - started:.0f} s"
            )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
