"""Candidates: the groundings that may select a fact, and those of them that may select for the core."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.removal.setting import Setting
from rulemine.rules.decoration import Decorations
from rulemine.rules.grounding import Groundings

__all__ = ["Candidates", "candidates_of"]

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Candidates:
    """The groundings that may select a fact.

    Attributes:
        groundings: Them, in canonical order; heads and bodies are rows of ``kg.triples``.
        facts: The same with the facts that these rows state.
        core: bool, shape (n,): whether the grounding may select for the core: nothing in its body joins
            the two ends of its head, every fact between them has such a candidate, and one of them gives a
            question with priors that are low enough.
        beyond: bool, shape (n,): whether it may select beyond the core, one fact by itself.
        restated: How many facts that could be asked about are left because others join their two entities;
            −1: none is left for that.
    """

    groundings: Groundings
    facts: Groundings
    core: Bools
    beyond: Bools
    restated: int


def candidates_of(setting: Setting, groundings: Groundings) -> Candidates:
    """The undecorated groundings whose head is removable.

    A fact about which there is no question is removed for the core alone, to clear a pair of entities.
    """
    decorations = Decorations(setting.kg, groundings.rules, setting.facts)
    fine = setting.removable[groundings.head]
    starts = np.searchsorted(groundings.rule, np.arange(len(groundings.rules) + 1))
    for number in distinct(groundings.rule[fine]).tolist():
        own = slice(starts[number], starts[number + 1])
        fine[own] &= decorations.without(number, groundings.head[own], groundings.body[own])
    found = _only(groundings, fine)
    core = _for_the_core(setting, found)
    asked = setting.askable()[found.head]
    alone = setting.restated | setting.alone()[found.head]
    useful = core | (asked & alone)
    wanted, left = (distinct(setting.facts[found.head[some]]) for some in (core | asked, useful))
    restated = -1 if setting.restated else len(wanted) - len(left)
    found, core, beyond = _only(found, useful), core[useful], alone[useful]
    facts = replace(
        found,
        head=setting.facts[found.head].astype(np.int64),
        body=np.where(found.body < 0, -1, setting.facts[found.body]).astype(np.int64),
    )
    return Candidates(found, facts, core, beyond, restated)


def _only(groundings: Groundings, keep: Bools) -> Groundings:
    columns = ("rule", "head", "body")
    return replace(groundings, **{name: getattr(groundings, name)[keep] for name in columns})


def _for_the_core(setting: Setting, found: Groundings) -> Bools:
    pair = setting.pairs[found.head]
    inside = np.where(found.body < 0, -1, setting.pairs[found.body])
    apart: Bools = (inside != pair[:, None]).all(axis=1)
    proved = np.zeros(len(setting.kg), bool)
    proved[setting.facts[found.head[apart]]] = True
    pairs = int(setting.pairs.max(initial=-1)) + 1
    whole, some = np.ones(pairs, bool), np.zeros(pairs, bool)
    whole[setting.pairs[~proved[setting.facts]]] = False
    some[setting.pairs[setting.guarded() & setting.askable()]] = True
    return apart & (whole & some)[pair]
