"""Incompleteness levels: fewer removals, and nested levels of them.

Both cut one order of what is removed, which depends on the choice and the seed alone. What has to go
together (the triples between two entities, the statements of a fact) is a unit of that order.
Guarantees: every prefix of the order holds each rule's units in proportion, up to one unit per rule; what
is removed at a level is removed at every higher one; the triples of ``thin(c, 0.2, seed)`` are those whose
level is at most 20 in ``levels_of(c, seed)``; at least one triple is left. Fewer removals break no proof.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.errors import ConfigError
from rulemine.removal.selection import RemovalPlan
from rulemine.seeds import Stream, stream

__all__ = ["levels_of", "part_of", "spread", "thin"]

Ints = npt.NDArray[np.int64]


def thin(choice: RemovalPlan, share: float, seed: int) -> RemovalPlan:
    """A choice that removes only a share of the triples.

    Args:
        choice: The choice.
        share: 0 < share ≤ 1, the share of the removed triples that are still removed; rounded to the
            nearest number of triples, at least one, and up to a whole unit.
        seed: Seed of the order.

    Returns:
        The rows that are still removed, in their order.

    Raises:
        ConfigError: The share is out of its range.
    """
    if not 0 < share <= 1:
        raise ConfigError(
            f"share: found {share}; expected a number above 0 and at most 1. Change it."
        )
    return choice.only(_before(choice, seed) < part_of(int(choice.size.sum()), share))


def levels_of(choice: RemovalPlan, seed: int) -> npt.NDArray[np.int16]:
    """The level of each row of a choice: the percentage of the removal at which it goes.

    Args:
        choice: The choice.
        seed: Seed of the order.

    Returns:
        int16, shape (rows,), 1 … 100, the same in a unit. Up to level L go L percent of the removed
        triples, rounded as in `thin`.
    """
    parts = [part_of(int(choice.size.sum()), percent / 100) for percent in range(1, 101)]
    return (1 + np.searchsorted(parts, _before(choice, seed), "right")).astype(np.int16)


def part_of(total: int, share: float) -> int:
    """A share of a number of removed things: the nearest number, at least one of them."""
    return min(total, max(1, round(total * share)))


def spread(strata: npt.NDArray[Any], draws: Callable[[int], Stream]) -> npt.NDArray[np.float64]:
    """When each item is due, between 0 and 1, so that those of each stratum are spread evenly.

    Args:
        strata: int, shape (items,): the stratum of each.
        draws: Gives the random stream of a stratum, by which its items are shuffled.
    """
    due = np.empty(len(strata), np.float64)
    for number in distinct(strata).tolist():
        own = np.flatnonzero(strata == number)
        stream_of = draws(number)
        offset = stream_of.uniform(1)[0]
        due[own] = (stream_of.permutation(len(own)) + offset) / len(own)
    return due


def _before(choice: RemovalPlan, seed: int) -> Ints:
    """How many triples go before the unit of each row, which belongs to the rule of its first row."""
    units, first, which = np.unique(choice.unit, return_index=True, return_inverse=True)
    size = np.bincount(which, choice.size).astype(np.int64)
    rule = choice.rule[first]
    due = spread(rule, lambda number: stream(seed, "levels", choice.rules[number].id))
    order = np.lexsort((units, np.array([rule.id for rule in choice.rules])[rule], due))
    return (np.cumsum(size[order]) - size[order])[np.argsort(order)][which]
