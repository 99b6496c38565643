"""Deals candidates to the splits: test first, then validation, then training.

Guarantees: no candidate gives a mark that one of an earlier split needs; of a part, no split has more than
planned while it lacks others; what is dealt depends on the candidates, their order and the plan alone.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import Any, NamedTuple

__all__ = ["DRAWN", "ENOUGH", "GIVES", "Dealable", "Share", "by_ratios", "deal", "fill_empty"]

DRAWN = ("test", "validation", "train")
"""The splits in the order in which they are filled."""

COMPARED = 12
"""So many candidates that fit are compared before one is taken."""

ENOUGH = "enough questions like it are asked"
GIVES = "it shares what a test or validation question alone may have"
"""Why a candidate is in no split, where `deal` was not told otherwise. What one split alone may have are the
removed facts that its questions need, and the marks of their kind, such as topic entities."""


_PASSES = ((True, False), (True, True), (False, False), (None, False), (None, True))
"""The passes over the candidates for a split. Each takes those of the core (True), the others (False) or all
(None), and lets a part have its number of questions or, where the second value is true, twice that."""


class Dealable(NamedTuple):
    """What may become a question, or a group of questions that stay together.

    Attributes:
        part: What each split has a bounded number of, e.g. a structure.
        stratum: What it is like within its part. Strata are taken in turn, so that they come out even, and
            what one lacks the others give.
        needs: Marks that no split filled later may give: the removed facts that its hard answers need, and
            whatever only one split may have, such as its anchors.
        gives: Marks that it gives.
        core: How many of its questions are of the core.
        splits: The splits where it may be.
        size: How many questions it stands for.
    """

    part: Hashable
    stratum: Hashable
    needs: frozenset[Hashable]
    gives: frozenset[Hashable]
    core: int = 0
    splits: Collection[str] = DRAWN
    size: int = 1


class Share(NamedTuple):
    """What is planned for a split.

    Attributes:
        parts: Part → the most questions of it, but for questions that other parts lack.
        total: How many questions.
        core: How many of them are of the core, if there are enough: these are dealt first.
    """

    parts: Mapping[Hashable, int]
    total: int
    core: int = 0


def by_ratios(
    parts: Mapping[Hashable, int], candidates: Sequence[Dealable], chosen: Any
) -> dict[str, Share]:
    """Plans splits in which each part has its share.

    Test gets as many questions of the core as are asked for, but at most a third of those that there are;
    validation a third as many.

    Args:
        parts: Part → how many questions are wanted in all splits; empty: all are asked, and split later.
        candidates: What there is.
        chosen: The section ``questions`` of a recipe. If splits are not held apart, there is one, called "".
    """
    if not parts:
        return {"": Share({"": len(candidates)}, len(candidates))}
    found, core = Counter[Hashable](), 0
    for one in candidates:
        found[one.part] += one.size
        core += one.core
    few = {part: min(wanted, found[part]) for part, wanted in parts.items()}
    whole = sum(few.values())
    if chosen.split != "group":
        return {"": Share(parts, whole)}
    core = min(chosen.test_core, core // 3)
    plan = dict[str, Share]()
    _, validation, test = chosen.ratios
    for split, ratio, own in (("test", test, core), ("validation", validation, -(-core // 3))):
        share = ratio / sum(chosen.ratios)
        most = {part: math.ceil(number * share) for part, number in few.items()}
        plan[split] = Share(most, max(own, round(whole * share)), own)
    plan["train"] = Share(parts, whole)
    return plan


def deal(
    candidates: Sequence[Dealable],
    plan: Mapping[str, Share],
    take: Callable[[int, str], str | None] = lambda _i, _split: None,
) -> tuple[dict[int, str], dict[int, str]]:
    """Deals candidates.

    Of the next candidates of a stratum that fit a split, it gets the one that keeps fewest others out of the
    splits that are filled later.

    Args:
        candidates: In the order in which they are preferred.
        plan: Split → its share, in the order in which splits are filled; that of the last one counts what
            the others have of it, too.
        take: Called with a candidate's place and a split: puts it there, in words and counted, and returns
            None; or returns why it cannot be there.

    Returns:
        Place of each candidate that is dealt → its split; place of each other one → why it is not.
    """
    dealing = _Dealing(candidates, plan, take)
    for split in plan:
        dealing.fill(split)
    return dealing.split_of, {
        i: dealing.reasons.get(i, ENOUGH if dealing.needed.isdisjoint(one.gives) else GIVES)
        for i, one in enumerate(candidates)
        if i not in dealing.split_of
    }


class _Dealing:
    """What is dealt so far; arguments as of `deal`.

    Attributes:
        split_of: Place of each candidate that is dealt → its split.
        reasons: Place of each that was not taken when it was its turn → why.
        needed: The marks that validation and test need.
    """

    def __init__(
        self,
        candidates: Sequence[Dealable],
        plan: Mapping[str, Share],
        take: Callable[[int, str], str | None],
    ) -> None:
        self._candidates, self._plan, self._take = candidates, plan, take
        self._givers = Counter(mark for one in candidates for mark in one.gives)
        *_, self._last = plan
        self.split_of, self.reasons = dict[int, str](), dict[int, str]()
        self.needed, self._whole = set[Hashable](), Counter[Hashable]()

    def fill(self, split: str) -> None:
        """Fills a split, in passes."""
        free = [
            i
            for i, one in enumerate(self._candidates)
            if i not in self.split_of
            and (split in one.splits or not split)
            and self.needed.isdisjoint(one.gives)
        ]
        self._have, self._core = Counter[Hashable](), 0
        self._total = self._whole.total() if split == self._last else 0
        for of_core, twice in _PASSES if split != self._last else _PASSES[-2:-1]:
            queues: dict[tuple[Hashable, Hashable], list[int]] = {}
            for i in free:
                one = self._candidates[i]
                if i not in self.split_of and (of_core is None or of_core == (one.core > 0)):
                    queues.setdefault((one.part, one.stratum), []).append(i)
            queues = {key: queue[::-1] for key, queue in queues.items()}  # the next is at the end
            while queues:
                for queue in queues.values():
                    fits = [i for i in queue[-COMPARED:] if self._fits(i, split, of_core, twice)]
                    queue[-COMPARED:] = fits
                    if fits:
                        self._deal_one(queue, fits, split)
                queues = {key: queue for key, queue in queues.items() if queue}

    def _deal_one(self, queue: list[int], fits: list[int], split: str) -> None:
        """Deals one of the candidates that fit, unless it may not be taken.

        The one by which fewest others are kept out of later splits; for the last split, the next one.
        """
        best = fits[-1] if split == self._last else min(fits[::-1], key=self._locks)
        del queue[fits.index(best) - len(fits)]
        if (why := self._take(best, split)) is not None:
            self.reasons[best] = why
            return
        one = self._candidates[best]
        self.split_of[best] = split
        self._have[one.part] += one.size
        self._whole[one.part] += one.size
        self._total += one.size
        self._core += one.core
        if split != self._last:
            self.needed |= one.needs

    def _locks(self, i: int) -> int:
        """How many candidates later splits would lose if this one is dealt to a split before them."""
        return sum(self._givers[mark] for mark in self._candidates[i].needs - self.needed)

    def _fits(self, i: int, split: str, of_core: bool | None, twice: bool) -> bool:
        """Whether there is room for a candidate."""
        one, share = self._candidates[i], self._plan[split]
        most = share.parts.get(one.part, 0) * (1 + twice) - self._have[one.part]
        in_all = self._plan[self._last].parts.get(one.part, math.inf) - self._whole[one.part]
        size, room = one.size, share.total - self._total
        if of_core:
            size, room = one.core, share.core - self._core
        return size <= room and one.size <= min(most, in_all)


def fill_empty(candidates: Sequence[Dealable], split_of: dict[int, str]) -> None:
    """Gives each split without a candidate the smallest one that it may have of a split with several.

    For candidates that are all dealt: where groups are large, no split is empty because none is small enough.
    """
    for split in DRAWN:
        if split not in split_of.values():
            times = Counter(split_of.values())
            spare = [
                i for i, at in split_of.items() if times[at] > 1 and split in candidates[i].splits
            ]
            split_of[min(spare, key=lambda i: (candidates[i].size, i))] = split
