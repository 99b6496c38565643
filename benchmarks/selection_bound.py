"""How close the default selection comes to an upper bound.

Usage: python benchmarks/selection_bound.py KG RULES [--per-rule 30] [--sample N] [--lp]

Two bounds on the number of removed triples, neither of which any selection can exceed:
- flow: maximum flow from rules (capacity: the quota) to their heads (capacity 1), which forgets that
  bodies must survive;
- LP (slow): fractional certificates y ≥ 0, x(t) = sum of y over the groundings with head t, with
  Σ y ≤ quota per rule, x ≤ 1, and Σ{y of head h with t in the body} + x(t) ≤ 1.
Needs scipy.
"""

import argparse
import time
from pathlib import Path

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_flow

from rulemine.kg.graph import KnowledgeGraph
from rulemine.removal.maximal import candidates_of, choose
from rulemine.removal.setting import Setting
from rulemine.rules.formats import read_rules
from rulemine.rules.grounding import Groundings, ground


def flow_bound(groundings: Groundings, quota: int) -> int:
    """The most heads that rules can share out among them."""
    rules = len(groundings.rules)
    pairs = np.unique(np.column_stack((groundings.rule, groundings.head)), axis=0)
    heads, head = np.unique(pairs[:, 1], return_inverse=True)
    source, sink = rules + len(heads), rules + len(heads) + 1
    start = np.concatenate((np.full(rules, source), pairs[:, 0], rules + np.arange(len(heads))))
    end = np.concatenate((np.arange(rules), rules + head, np.full(len(heads), sink)))
    room = np.concatenate((np.full(rules, quota), np.ones(len(pairs) + len(heads))))
    network = csr_matrix((room.astype(np.int32), (start, end)), shape=(sink + 1, sink + 1))
    return int(maximum_flow(network, source, sink).flow_value)


def lp_bound(groundings: Groundings, quota: int) -> float:
    """The value of the linear programme."""
    n, rules = len(groundings), len(groundings.rules)
    heads, head = np.unique(groundings.head, return_inverse=True)
    grounding = np.repeat(np.arange(n), groundings.body.shape[1])
    part = groundings.body.ravel()
    at = np.minimum(np.searchsorted(heads, part), len(heads) - 1)
    provable = (part >= 0) & (heads[at] == part)
    grounding, part = grounding[provable], at[provable]
    clash, row = np.unique(head[grounding] * len(heads) + part, return_inverse=True)
    needs = np.unique(np.column_stack((row, grounding)), axis=0)
    # Rows: quotas, then clashes; columns: y, then x.
    rows = np.concatenate((groundings.rule, rules + needs[:, 0], rules + np.arange(len(clash))))
    columns = np.concatenate((np.arange(n), needs[:, 1], n + clash % len(heads)))
    size = (rules + len(clash), n + len(heads))
    upper = csr_matrix((np.ones(len(rows)), (rows, columns)), shape=size)
    limits = np.concatenate((np.full(rules, quota), np.ones(len(clash))))
    signs = np.concatenate((np.ones(n), -np.ones(len(heads))))
    sums = np.concatenate((head, np.arange(len(heads))))
    equal = csr_matrix((signs, (sums, np.arange(n + len(heads)))), shape=(len(heads), size[1]))
    cost = np.concatenate((np.zeros(n), -np.ones(len(heads))))
    solved = linprog(
        cost, upper, limits, equal, np.zeros(len(heads)), bounds=(0, 1), method="highs-ipm"
    )
    return float(-solved.fun)


def main() -> None:
    """Prints what the selection reaches, and the bounds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kg")
    parser.add_argument("rules")
    parser.add_argument("--per-rule", type=int, default=30)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--lp", action="store_true", help="also the linear programme: minutes")
    given = parser.parse_args()
    kg, rules = KnowledgeGraph.read(given.kg), read_rules(Path(given.rules))
    groundings = ground(kg, rules, sample=given.sample)
    print(groundings.describe())
    setting = Setting.of(kg)
    started = time.process_time()
    found = choose(setting, groundings, per_rule=given.per_rule)
    covered = len(np.unique(found.rule))
    print(f"{len(found):,} triples, {covered:,} rules, {time.process_time() - started:.2f} s CPU")
    groundings = candidates_of(setting, groundings).groundings
    bound = flow_bound(groundings, given.per_rule)
    print(f"flow bound: {bound:,} triples; reached {len(found) / bound:.2%}")
    bound = flow_bound(groundings, 1)
    print(f"flow bound: {bound:,} rules; reached {covered / bound:.2%}")
    if given.lp:
        value = lp_bound(groundings, given.per_rule)
        print(f"LP bound: {value:,.1f} triples; reached {len(found) / value:.2%}")


if __name__ == "__main__":
    main()
