"""Splits questions into train, validation and test.

Guarantees: in mode ``group`` no (topic, relation, direction) and no removed triple is in two splits,
neither as the source of a question nor among its hard answers (otherwise a training question would list
the answer of a test question); no split is empty; sizes are as close to the ratios as moving and
swapping groups can get them. Mode ``random`` splits single questions at random; mode ``none`` puts all
into test.
"""

from collections.abc import Sequence
from dataclasses import replace

from rulemine.errors import UserError, counted
from rulemine.release.groups import groups_of
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import SPLITS
from rulemine.seeds import stream

__all__ = ["split"]


def split(asked: QuestionSet, mode: str, ratios: Sequence[int], seed: int) -> QuestionSet:
    """Assigns a split to every question.

    Args:
        asked: The questions.
        mode: ``group``, ``random`` or ``none``.
        ratios: Three integers ≥ 1: sizes of train, validation and test relative to each other.
        seed: Seed of the random choices.

    Returns:
        The same questions in the same order, with their splits.

    Raises:
        UserError: There are fewer groups than splits.
    """
    questions = asked.questions
    if mode == "none":
        chosen = [SPLITS.index("test")] * len(questions)
    else:
        groups = groups_of(questions) if mode == "group" else [[i] for i in range(len(questions))]
        if len(groups) < len(SPLITS):
            raise UserError(
                f"{counted(len(questions), 'question')} form {counted(len(groups), 'group')} that must "
                f"stay together; {len(SPLITS)} splits need at least {len(SPLITS)}. Set questions.split to "
                "none, or build from a larger graph or with more rules."
            )
        chosen = [0] * len(questions)
        for group, number in zip(groups, _deal(groups, ratios, seed), strict=True):
            for i in group:
                chosen[i] = number
    made = tuple(
        replace(q, split=SPLITS[number]) for q, number in zip(questions, chosen, strict=True)
    )
    return replace(asked, questions=made)


def _deal(groups: Sequence[Sequence[int]], ratios: Sequence[int], seed: int) -> list[int]:
    """The index of the split of every group."""
    sizes = [len(group) for group in groups]
    wanted = [sum(sizes) * ratio / sum(ratios) for ratio in ratios]
    have = [0] * len(ratios)
    dealt = [0] * len(groups)
    order: list[int] = stream(seed, "split").permutation(len(groups)).tolist()
    for group in order:
        # In random order, each to the split that lacks most, so that large groups reach all splits.
        number = max(range(len(ratios)), key=lambda k: (1 - have[k] / wanted[k], k))
        dealt[group] = number
        have[number] += sizes[group]
    _Deal(sizes, wanted, dealt, order).improve()
    return dealt


class _Deal:
    """Moves and swaps groups until the sizes get no closer to the ratios."""

    def __init__(
        self, sizes: Sequence[int], wanted: Sequence[float], dealt: list[int], order: list[int]
    ) -> None:
        self.sizes, self.wanted, self.dealt = sizes, wanted, dealt
        # Split → size → its groups of that size; the last one moves first.
        self.stock: list[dict[int, list[int]]] = [{} for _ in wanted]
        for group in reversed(order):
            self.stock[dealt[group]].setdefault(sizes[group], []).append(group)

    def improve(self) -> None:
        """Applies the best change as long as one helps; each brings sizes closer, so this ends."""
        self._fill_empty()
        while True:
            have = self._have()
            best = min(self._changes(have), default=None)
            if best is None or best[0] > -1e-9:
                return
            _, giver, taker, give, take = best
            self._move(giver, taker, give)
            if take:
                self._move(taker, giver, take)

    def _have(self) -> list[int]:
        return [sum(size * len(groups) for size, groups in s.items()) for s in self.stock]

    def _count(self, number: int) -> int:
        return sum(len(groups) for groups in self.stock[number].values())

    def _fill_empty(self) -> None:
        for number in range(len(self.stock)):
            if not self._count(number):
                giver = max(range(len(self.stock)), key=lambda k: (self._count(k), -k))
                self._move(giver, number, min(self.stock[giver]))

    def _changes(self, have: Sequence[int]) -> list[tuple[float, int, int, int, int]]:
        """All changes: (gain, giver, taker, size given, size taken back or 0)."""
        found = []
        numbers = range(len(self.stock))
        for giver in numbers:
            for taker in numbers:
                if giver == taker:
                    continue
                off = [have[k] - self.wanted[k] for k in (giver, taker)]
                for give in self.stock[giver]:
                    for take in (0, *self.stock[taker]):
                        by = give - take
                        if by <= 0 or (take == 0 and self._count(giver) == 1):
                            continue
                        gain = (off[0] - by) ** 2 + (off[1] + by) ** 2 - off[0] ** 2 - off[1] ** 2
                        found.append((gain, giver, taker, give, take))
        return found

    def _move(self, giver: int, taker: int, size: int) -> None:
        groups = self.stock[giver][size]
        group = groups.pop()
        if not groups:
            del self.stock[giver][size]
        self.dealt[group] = taker
        self.stock[taker].setdefault(size, []).append(group)
