"""Incompleteness levels: fewer removals, and nested levels of them.

Both cut one order of the removed triples, which depends on the selection and the seed alone.
Guarantees: every prefix of the order holds each rule's triples in proportion, up to one triple per
rule; what is removed at a level is removed at every higher one; the triples of ``thin(s, 0.2, seed)``
are those of level 20 of ``with_levels(s, [20], seed)``; at least one triple is left. Fewer removals
break no certificate.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from rulemine.builder.removal.selection import Selection
from rulemine.errors import ConfigError
from rulemine.seeds import stream

__all__ = ["thin", "with_levels"]

Ints = npt.NDArray[np.int64]


def thin(selection: Selection, share: float, seed: int) -> Selection:
    """A selection that removes only a share of the triples.

    Args:
        selection: The selection; its levels are discarded.
        share: 0 < share ≤ 1, the share of the removed triples that are still removed; rounded to the
            nearest number of triples, at least one.
        seed: Seed of the order.

    Returns:
        The rows of the triples that are still removed, in their order, all at level 100.

    Raises:
        ConfigError: The share is out of its range.
    """
    if not 0 < share <= 1:
        raise ConfigError(
            f"share: found {share}; expected a number above 0 and at most 1. Change it."
        )
    removed = _order(selection, seed)[: _part(len(selection.removed), share)]
    keep = np.isin(selection.head, removed)
    names = (
        "head",
        "rule",
        "body",
        "selected_by",
        "level",
        "directions",
        "prior",
        "core",
        "proofs",
        "shortest",
    )
    return replace(selection, **{name: getattr(selection, name)[keep] for name in names})


def with_levels(selection: Selection, levels: Sequence[int], seed: int) -> Selection:
    """A selection with nested levels of removal.

    Args:
        selection: The selection.
        levels: Percentages of its removed triples, 1 … 100, ascending; 100 is added where it is not
            the last. Each is rounded to the nearest number of triples, at least one.
        seed: Seed of the order.

    Returns:
        The same rows; a row's level is the smallest at which its head is removed.

    Raises:
        ConfigError: The levels are not ascending whole percentages.
    """
    wanted = list(levels)
    whole = all(type(v) is int and 1 <= v <= 100 for v in wanted)
    if not whole or wanted != sorted(set(wanted)):
        raise ConfigError(
            f"levels: found {wanted}; expected ascending whole percentages from 1 to 100, "
            "e.g. 20,40,60,80,100. Change them."
        )
    if wanted[-1:] != [100]:
        wanted.append(100)
    order = _order(selection, seed)
    level = np.empty(len(order), np.int16)
    for percent in reversed(wanted):
        level[: _part(len(order), percent / 100)] = percent
    by_row = np.argsort(order)
    position = by_row[np.searchsorted(order[by_row], selection.head)]
    return replace(selection, level=level[position])


def _part(total: int, share: float) -> int:
    return min(total, max(1, round(total * share)))


def _order(selection: Selection, seed: int) -> Ints:
    """The removed triples in the order in which levels take them.

    The triples of each rule are shuffled and spread evenly over the order, from a random offset. A
    triple with several rows belongs to the rule of its first row.
    """
    removed, first = np.unique(selection.head, return_index=True)
    rule = selection.rule[first]
    due = np.empty(len(removed), np.float64)
    for number in np.unique(rule).tolist():
        own = np.flatnonzero(rule == number)
        draws = stream(seed, "levels", selection.rules[number].id)
        offset = draws.uniform(1)[0]
        due[own] = (draws.permutation(len(own)) + offset) / len(own)
    tie = np.array([rule.id for rule in selection.rules])[rule]
    order: Ints = removed[np.lexsort((removed, tie, due))]
    return order
