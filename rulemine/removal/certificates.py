"""From a choice to a selection: levels, published certificates, remaining proofs and the core."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.removal.levels import levels_of
from rulemine.removal.plan import RemovalPlan
from rulemine.removal.selection import Selection
from rulemine.removal.setting import Setting
from rulemine.rules.decoration import Decorations
from rulemine.rules.proofs import best_proofs, remaining_proofs

__all__ = ["certify", "certify_as_chosen"]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


def certify(
    setting: Setting,
    choice: RemovalPlan,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> Selection:
    """The selection of a choice, with the best remaining proof of each fact as its certificate.

    Args:
        setting: What it was chosen from.
        choice: One row per removed fact.
        seed: Seed of the levels.
        progress: Called with (rules done, all rules), each rule twice.

    Returns:
        One row per removed triple, ascending.
    """
    rules = choice.rules
    total = 2 * len(rules)
    kg = setting.kg
    row_of = np.full(len(kg), -1, np.int64)
    row_of[setting.facts[choice.head]] = np.arange(len(choice))
    row = row_of[setting.facts]
    removed = np.flatnonzero(row >= 0)
    row = row[removed]
    del row_of
    remaining = remaining_proofs(
        kg.without(removed),
        rules,
        kg.triples[removed],
        progress and (lambda done, _: progress(done, total)),
    )
    best = best_proofs(
        kg,
        rules,
        Decorations(kg, rules, setting.facts),
        removed,
        row,
        remaining,
        progress and (lambda done, _: progress(len(rules) + done, total)),
    )
    proofs = np.zeros(len(choice), np.int64)
    np.add.at(proofs, row, remaining.count)
    shortest = np.full(len(choice), np.iinfo(np.int64).max)
    proved = remaining.shortest > 0
    np.minimum.at(shortest, row[proved], remaining.shortest[proved])
    level = levels_of(choice, seed)[row]
    return Selection(
        rules,
        removed,
        best.rule[row].astype(np.int32),
        best.body[row],
        choice.rule[row],
        level,
        setting.directions[removed],
        setting.prior[removed],
        _alone(setting, removed, level) & setting.guarded()[removed],
        proofs[row],
        shortest[row],
        choice.counts,
    )


def certify_as_chosen(setting: Setting, choice: RemovalPlan, seed: int) -> Selection:
    """The selection of a choice whose groundings are the certificates, one row for each.

    A row is of the core if nothing joins the two ends of its triple, both priors are low enough, and its
    certificate is not decorated.
    """
    kg, head = setting.kg, choice.head
    removed, of = np.unique(head, return_inverse=True)
    remaining = remaining_proofs(kg.without(removed), choice.rules, kg.triples[removed])
    decorations = Decorations(kg, choice.rules, setting.facts)
    fine = np.zeros(len(choice), bool)
    for number in distinct(choice.rule).tolist():
        own = np.flatnonzero(choice.rule == number)
        fine[own] = decorations.without(number, head[own], choice.body[own])
    level = levels_of(choice, seed)
    return Selection(
        choice.rules,
        head,
        choice.rule,
        choice.body,
        choice.rule,
        level,
        setting.directions[head],
        setting.prior[head],
        _alone(setting, head, level) & setting.guarded()[head] & fine,
        remaining.count[of],
        remaining.shortest[of],
        choice.counts,
    )


def _alone(setting: Setting, head: Ints, level: npt.NDArray[np.int16]) -> Bools:
    """Whether, at the level of each removed triple, no other triple joins its two ends."""
    at = np.full(len(setting.kg), 101, np.int16)
    at[head] = level
    last = np.zeros(int(setting.pairs.max(initial=-1)) + 1, np.int16)
    np.maximum.at(last, setting.pairs, at)
    alone: Bools = last[setting.pairs[head]] <= level
    return alone
