"""Splits of the kind ``variants``: by seed text, as in Dynamic-KGQA; training gives away nothing test needs.

Seed texts are dealt to splits by their places, before anything is asked. Of the questions that are written
about them, near duplicates are left out; then test is filled first, then validation, then training, each
without questions that give away what the earlier ones need.

Guarantees: all questions of a seed text are in one split; which questions are kept depends on the questions
written so far and their order alone.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from rulemine.errors import UserError, counted
from rulemine.kinds.locks import DRAWN, Locks, RememberedFacts
from rulemine.kinds.near_duplicates import NEAR_DUPLICATE, NearDuplicates
from rulemine.kinds.split import draw_splits
from rulemine.kinds.variants.pairs import PairReason
from rulemine.kinds.variants.seed_texts import SeedSet, splits_of_sets
from rulemine.recipe.recipe import Recipe
from rulemine.release.records import SPLITS, Question

__all__ = ["Dealt", "SeedSplits"]

MOST_SPENT = 3
"""Times as many seed sets are asked about for the hard questions of a split as for its size, at most."""

HARD_SHARE = 0.6
"""The part of test and validation that should have a hard answer, where a core is asked for."""


class Dealt(NamedTuple):
    """What is kept of the questions written so far.

    Attributes:
        kept: The questions, in the order in which they were written, with their splits if texts have any.
        refused: The others, each with the reason.
        lacking: Split → how many questions it lacks.
        lacking_hard: Split → how many questions it lacks with a hard answer, or of the core.
    """

    kept: list[Question]
    refused: list[tuple[Question, str]]
    lacking: Counter[str]
    lacking_hard: Counter[str]


class SeedSplits:
    """Says which seed sets are asked about next, and which questions about them are kept.

    Args:
        recipe: The recipe.
        sets: The seed sets.
        facts: The removed facts.
        near: Holds near duplicates together.
    """

    def __init__(
        self,
        recipe: Recipe,
        sets: Sequence[SeedSet],
        facts: RememberedFacts,
        near: NearDuplicates,
    ) -> None:
        self._recipe, self._facts = recipe, facts
        self._near = near
        self._seen = 0
        options, chosen = recipe.own, recipe.questions
        splits = splits_of_sets(recipe, len(sets))
        self._split_of = {one.id: split for one, split in zip(sets, splits, strict=True)}
        self._waiting: dict[str, list[SeedSet]] = {split: [] for split in (*DRAWN, "")}
        for one in reversed(sets):
            self._waiting[self._split_of[one.id]].append(one)
        self._sizes = Counter({"": options.questions})
        if any(splits):
            numbers = draw_splits(options.questions, chosen.ratios, recipe.seed)
            self._sizes = Counter(SPLITS[number] for number in numbers)
        self._asked: Counter[str] = Counter()
        self._full: dict[str, int] = {}

    def split_of(self, seed_set: str) -> str:
        """The split of a seed set, by its id; "": texts have none."""
        return self._split_of[seed_set]

    def next(self, dealt: Dealt, most: int, fewest: int) -> list[SeedSet]:
        """The seed sets to ask about next, by what their splits lack; none: it is enough.

        Args:
            dealt: What is kept so far.
            most: Their number at most.
            fewest: Their number at least, if more than one lack questions.
        """
        for split in self._waiting:
            if not dealt.lacking[split]:
                self._full.setdefault(split, self._asked[split])
        lacks = Counter({s: n for s, n in self.lacks(dealt).items() if self._waiting[s]})
        whole = lacks.total()
        size = min(most, max(fewest, -(-whole // self._recipe.own.pairs)))
        found = []
        for split in (*DRAWN, ""):
            number = -(-size * lacks[split] // whole) if lacks[split] else 0
            waiting = self._waiting[split]
            some = [waiting.pop() for _ in range(min(number, len(waiting)))]
            self._asked[split] += len(some)
            found += some
        return found

    def lacks(self, dealt: Dealt) -> Counter[str]:
        """How many questions each split lacks: by its size, and for some time of those that are hard."""
        lacks: Counter[str] = Counter()
        for split in self._waiting:
            spent = self._asked[split] >= MOST_SPENT * self._full.get(split, self._asked[split] + 1)
            hard = 0 if spent else dealt.lacking_hard[split]
            lacks[split] = max(dealt.lacking[split], hard)
        return lacks

    def deal(self, questions: Sequence[Question]) -> Dealt:
        """What is kept of all questions written so far, in the order in which they were.

        Raises:
            ValueError: There are fewer than before.
        """
        if len(questions) < self._seen:
            raise ValueError("questions that were written are gone")
        for question in questions[self._seen :]:
            self._near.add(question)
        self._seen = len(questions)
        chosen = self._recipe.questions
        staying = [q for q in questions if self._near.stays(q)]
        reasons = dict.fromkeys((q.query for q in questions), NEAR_DUPLICATE)
        locks = Locks(self._facts, chosen.max_facts)
        third = sum(q.core for q in staying) // 3
        wanted = {"test": chosen.test_core, "validation": chosen.test_core // 3}
        lacking, lacking_hard = Counter(self._sizes), Counter[str]()
        split_of: dict[str, str] = {}
        for split in [split for split in (*DRAWN, "") if split in self._sizes]:
            own = [q for q in staying if self.split_of(q.block.seed_text) == split]
            size = self._sizes[split]
            core = min(size, wanted.get(split, 0))
            hard = math.ceil(HARD_SHARE * size) if core else 0
            most = min(core, third if split == "test" else third // 3)
            kept, refused = self._filled(own, split, size, most, hard, locks)
            split_of |= dict.fromkeys((q.query for q in kept), split)
            reasons |= refused
            lacking[split] = size - len(kept)
            more = (core - sum(q.core for q in kept), hard - sum(bool(q.hard) for q in kept))
            lacking_hard[split] = max(0, *more)
        return Dealt(
            [replace(q, split=split_of[q.query]) for q in questions if q.query in split_of],
            [(q, reasons[q.query]) for q in questions if q.query not in split_of],
            lacking,
            lacking_hard,
        )

    def _filled(
        self,
        questions: Sequence[Question],
        split: str,
        size: int,
        core: int,
        hard: int,
        locks: Locks,
    ) -> tuple[list[Question], dict[str, str]]:
        """The questions of a split: first so many of the core, then so many hard ones, then any.

        Returns:
            The questions, and why the others are none.
        """
        times: Counter[str] = Counter()
        kept: list[Question] = []
        refused: dict[str, str] = {}
        in_turn = [
            *((q, core) for q in questions if q.core),
            *((q, hard) for q in questions if q.hard),
            *((q, size) for q in questions),
        ]
        done: set[str] = set()
        for question, most in in_turn:
            if question.query in done or (most < size and len(kept) >= most):
                continue
            done.add(question.query)
            text = question.block.seed_text
            reason = None
            if len(kept) == size:
                reason = PairReason.ENOUGH
            elif times[text] == self._recipe.own.pairs:
                reason = PairReason.MANY
            elif split:
                reason = locks.objection(question, split)
            if reason is None:
                times[text] += 1
                kept.append(question)
            else:
                refused[question.query] = reason
        for question in kept if split else ():
            locks.add(question, split)
        return kept, refused

    def check(self, dealt: Dealt) -> None:
        """Checks that no split is empty.

        Raises:
            UserError: One is.
        """
        for split in SPLITS:
            if self._sizes[split] and dealt.lacking[split] == self._sizes[split]:
                texts = sum(split == other for other in self._split_of.values())
                raise UserError(
                    f"no question for the split {split}: {counted(texts, 'seed text')} of "
                    f"{len(self._split_of):,} are for it. Set questions.split to none, or give more seed "
                    "texts."
                )
