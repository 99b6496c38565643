"""Rules with constants: the miner against a brute-force oracle, and against AMIE on Family."""

import csv
import gzip
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from checks.oracles.constants_oracle import ConstantsOracle, Counts, Key, Node
from checks.oracles.hunt import split
from checks.oracles.random_graphs import Case, random_variant
from rulemine.kg.graph import KnowledgeGraph
from rulemine.mining import MiningOptions, Resources, Rules, mine
from rulemine.rules.formats import parse_amie_rule
from rulemine.rules.rule import sort_rules
from tests import some_seeds

BLOCK, CASES = 10, 20


def small_case(seed: int) -> Case:
    """A case of at most three atoms and a size that can be enumerated."""
    case = random_variant(seed)
    options = replace(
        case.options,
        max_atoms=min(case.options.max_atoms, 3),
        head_relations=(),
        body_relations=(),
        exclude_relations=(),
        injective=False,
    )
    return replace(case, triples=tuple(sorted(set(case.triples)))[:24], options=options)


def mined(case: Case, threads: int = 1) -> Rules:
    options, search = split(case.options)
    kg = KnowledgeGraph.from_triples(case.triples)
    return mine(kg, replace(options, constants=True), Resources(threads), search=search)


@cache
def expected(case: Case) -> dict[Key, Counts]:
    return ConstantsOracle(case).rules()


def by_key(rules: Rules) -> dict[Key, Counts]:
    found = {}
    for rule in rules:
        head, *body = ((r, s, o) for s, r, o in (rule.head, *rule.body))
        key = Node(head, tuple(body)).key
        assert key not in found
        found[key] = (rule.support, rule.body_size, rule.pca_body_size, rule.known.functional)
    return found


def differences(case: Case) -> list[str]:
    rules = mined(case)
    found, right = by_key(rules), expected(case)
    lines = [f"missing {key} {right[key]}" for key in right.keys() - found.keys()]
    lines += [f"too many {key} {found[key]}" for key in found.keys() - right.keys()]
    both = right.keys() & found.keys()
    lines += [f"{key}: {found[key]}, not {right[key]}" for key in both if right[key] != found[key]]
    if rules != sort_rules(rules) or any(rule != rule.canonical() for rule in rules):
        lines.append("not in canonical order or form")
    return lines


@pytest.mark.parametrize("first", range(0, CASES, BLOCK))
def test_random_graphs(first: int) -> None:
    for seed in some_seeds(first, first + BLOCK):
        case = small_case(seed)
        assert not differences(case), seed
        if seed % 5 == 0:
            assert mined(case, threads=2) == mined(case)


def test_a_filter_changes_nothing_else() -> None:
    for seed in some_seeds(100, 115):
        case = small_case(seed)
        every = mined(case)
        half = tuple(sorted({relation for _, relation, _ in case.triples})[::2])
        for name, keeps in {
            "head_relations": lambda rule, half=half: rule.head.relation in half,
            "body_relations": lambda rule, half=half: {a.relation for a in rule.body} <= {*half},
            "exclude_relations": lambda rule, half=half: not rule.relations & {*half},
        }.items():
            found = mined(replace(case, options=replace(case.options, **{name: half})))
            assert found == tuple(filter(keeps, every)), (seed, name)


def test_the_random_graphs_have_constants_everywhere() -> None:
    shapes = set()
    for seed in some_seeds(CASES):
        for head, body in expected(small_case(seed)):
            constants = [sum(isinstance(t, str) for t in atom[1:]) for atom in (head, *body)]
            fresh = any(2 in atom for atom in body)
            shapes.add((constants[0], tuple(sorted(constants[1:])), fresh))
    assert shapes >= {
        (0, (1, 1), False),
        (0, (0, 1), False),
        (1, (1,), False),
        (1, (1, 1), False),
        (1, (0, 0), True),
        (1, (0, 1), True),
    }


def test_the_rules_of_family_are_those_of_amie(shared: Callable[[str], Path]) -> None:
    golden = shared("../amie/golden/family-3atoms-defaults-constants.amie.tsv.gz")
    printed = {}
    with gzip.open(golden, "rt", encoding="utf-8") as lines:
        for row in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            rule = parse_amie_rule("\t".join(row))
            printed[rule.id] = (*row[4:], *map(float, row[1:4]))
    rules = mine(KnowledgeGraph.read(shared("family/facts.tsv")), MiningOptions(constants=True))
    assert len(printed) == len(rules) == 17596
    for rule in rules:
        m = rule.known
        counts = (m.support, m.body_size, m.pca_body_size)
        shares = (m.head_coverage, m.std_confidence, m.pca_confidence)
        names = (*map(str, counts), "?" + "ab"[m.functional])
        assert printed[rule.id][:4] == names, rule
        both = zip(printed[rule.id][4:], shares, strict=True)
        assert all(abs(theirs - ours) <= 1e-9 for theirs, ours in both), rule
    assert rules == sort_rules(rules)
