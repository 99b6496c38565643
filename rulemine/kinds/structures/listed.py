"""What a list of joins (see `rulemine.recipe.joins`) allows the steps of one structure, for draws."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from rulemine.kinds.structures.edges import Steps
from rulemine.kinds.structures.plans import Hop, Meet, first_of
from rulemine.recipe.joins import Joins

__all__ = ["MOST_AKIN", "Listing"]

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int32]

MOST_AKIN = 10
"""The most entities that a link may lead to together for them to be akin."""


class Listing:
    """What may be joined in a structure; links are given by their numbers in `Steps.links`.

    Args:
        steps: The steps of the graph.
        joins: The joins.
        name: The structure.

    Attributes:
        after: bool, shape (links, links): whether the second goes on from what the first leads to.
        together: bool, likewise: whether both may give one entity.
        leaves: bool, shape (links,): which links may start from an anchor.
    """

    def __init__(self, steps: Steps, joins: Joins, name: str) -> None:
        self._steps, number = steps, {link: i for i, link in enumerate(steps.links)}
        size = len(number)
        self.after, self.together = np.zeros((2, size, size), bool)
        after = {"3p": joins.chains, "up": joins.after_unions}.get(name, joins.after)
        together = joins.beside_chains if name == "pi" else joins.together
        for table, some in ((self.after, after), (self.together, together)):
            for one, other in some:
                if one in number and other in number:
                    table[number[one], number[other]] = True
        is_union = name in ("2u", "up")
        self.leaves = np.array([not is_union or link in joins.unions for link in steps.links])
        akin = joins.akin or frozenset(steps.links)
        self._leads_to_akin = np.array([link in akin for link in steps.links])
        self.akin = cache(self._akin)
        self.allowed = cache(self._allowed)

    def _allowed(self, above: int | None, beside: tuple[int, ...]) -> bytes:
        """For each link, whether it may give an entity: 1 or 0.

        Args:
            above: The link that goes on from it, if one does.
            beside: The links that give it already.
        """
        allowed = np.ones(len(self.after), bool)
        if above is not None:
            allowed &= self.after[:, above]
        for link in beside:
            allowed &= self.together[link]
        return allowed.tobytes()

    def _akin(self, link: int, source: int) -> Ints:
        """The steps of a link from the entities that are akin to one, ascending by entity."""
        steps = self._steps
        some = steps.entering(source)
        near = self._leads_to_akin[steps.link[some]] & (steps.fan[some] <= MOST_AKIN)
        reached = [steps.reached(step) for step in some[near].tolist()]
        others = {int(one) for some in reached for one in some} - {source}
        found = [steps.leaving(link, other) for other in sorted(others)]
        return np.concatenate(found) if found else np.empty(0, np.int32)

    def joined(self, at: Ints, step: Hop, root: Meet | None, of: Callable[[Hop], Ints]) -> Ints:
        """Of the steps chosen for one of a plan, those that can be joined to some for each that it needs.

        Args:
            at: int32, ascending: the steps.
            step: The one of the plan.
            root: The intersection whose answer it leads to, if it is drawn first.
            of: Gives what is chosen for another one.
        """
        below, source, target = step.below, self._steps.source, self._steps.target
        if below is None:
            at = at[self.leaves[self._steps.link[at]]]
        else:
            parts = below.parts if isinstance(below, Meet) else (first_of(below),)
            for hop in dict.fromkeys(parts):
                at = self._beside(at, source, of(hop), self.after)
        others = [] if root is None else [*root.parts]
        if others:
            others.remove(step)
        for hop in dict.fromkeys(others):
            at = self._beside(at, target, of(hop), self.together)
        return at

    def _beside(self, at: Ints, ends: Ints, some: Ints, pairs: Bools) -> Ints:
        """The steps to whose end one of some steps leads, with a link that pairs with their own."""
        steps, keep = self._steps, np.zeros(len(at), bool)
        targets = self._by_link(steps.link[some], steps.target[some])
        places = self._by_link(steps.link[at], np.arange(len(at)))
        fits = np.zeros(len(steps.kg.entities), bool)
        for own, where in enumerate(places):
            if len(where):
                reached = [targets[link] for link in pairs[:, own].nonzero()[0].tolist()]
                for entities in reached:
                    fits[entities] = True
                keep[where] = fits[ends[at[where]]]
                for entities in reached:
                    fits[entities] = False
        return at[keep]

    def _by_link(self, links: Ints, values: npt.NDArray[np.integer[Any]]) -> list[Any]:
        """The values at each link, by its number."""
        ends = np.bincount(links, minlength=len(self.after)).cumsum()
        return np.split(values[np.argsort(links, kind="stable")], ends[:-1])
