"""Completes a selection (stand-in)."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rulemine.builder.removal.selection import Selection, SelectionCounts
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.priors import priors
from rulemine.rules.proofs import remaining_proofs
from rulemine.rules.rule import Rule

Ints = npt.NDArray[np.int64]


def completed(
    kg: KnowledgeGraph,
    rules: Sequence[Rule],
    head: Ints,
    rule: npt.NDArray[np.int32],
    body: Ints,
    counts: SelectionCounts,
) -> Selection:
    removed = np.unique(head)
    at = np.searchsorted(removed, head)
    found = remaining_proofs(kg.without(removed), rules, kg.triples[removed])
    prior = priors(kg)[head]
    return Selection(
        tuple(rules),
        head,
        rule,
        body,
        rule,
        np.full(len(head), 100, np.int16),
        prior <= 1,
        prior,
        prior.max(axis=1) <= 0.07,
        found.count[at],
        found.shortest[at],
        counts,
    )
