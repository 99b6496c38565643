"""Keeps what one split needs out of what an earlier one gives away, see `rulemine.release.leakage`.

Test is drawn first, then validation, then training; each question is held against what the splits that were
drawn before it need.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.recipe.recipe import Recipe
from rulemine.release.leakage import Fact, RemovedFacts
from rulemine.release.records import Question
from rulemine.removal.selection import Selection

__all__ = ["DRAWN", "LockReason", "Locks", "RememberedFacts", "removed_facts", "splitting"]

DRAWN = ("test", "validation", "train")
"""The splits in the order in which they are drawn."""


class LockReason:
    """Why a question cannot be in a split."""

    GIVES = "it gives away what a test or validation question asks for"
    MANY = "its hard answers need too many removed facts for a test or validation question"
    ENOUGH = "its split needs its share of the removed facts already, and it needs another one"


class RememberedFacts(RemovedFacts):
    """The facts of each query are found once; of questions with the same query, those of the first."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        super().__init__(triples)
        self._needed: dict[str, frozenset[Fact]] = {}
        self._given: dict[str, frozenset[Fact]] = {}

    def needed_by(self, question: Question) -> frozenset[Fact]:
        """See `RemovedFacts`."""
        if question.query not in self._needed:
            self._needed[question.query] = super().needed_by(question)
        return self._needed[question.query]

    def given_by(self, question: Question) -> frozenset[Fact]:
        """See `RemovedFacts`."""
        if question.query not in self._given:
            self._given[question.query] = super().given_by(question)
        return self._given[question.query]


def removed_facts(kg: KnowledgeGraph, selection: Selection) -> RememberedFacts:
    """The facts that a selection removes from a graph."""
    return RememberedFacts(kg.labeled(selection.head))


def splitting(recipe: Recipe) -> dict[str, Any]:
    """What questions depend on that are asked for their splits, as plain JSON values."""
    chosen = recipe.questions
    grouped = {"ratios": list(chosen.ratios), "max_facts": chosen.max_facts}
    return {
        "split": chosen.split,
        "test_core": chosen.test_core,
        **(grouped if chosen.split == "group" else {}),
    }


class Locks:
    """The facts that questions drawn so far need.

    Args:
        facts: The removed facts.
        max_facts: See `rulemine.recipe.options.QuestionSection.max_facts`.
        shares: Split → the largest fraction of the removed facts that its questions may need; empty: any.
    """

    def __init__(
        self, facts: RemovedFacts, max_facts: int, shares: Mapping[str, float] | None = None
    ) -> None:
        self.facts, self.max_facts = facts, max_facts
        self._most = {split: int(share * len(facts.all)) for split, share in (shares or {}).items()}
        self._needed: dict[str, set[Fact]] = {}

    def objection(self, question: Question, split: str) -> str | None:
        """Why a question cannot be in a split, of `LockReason`; None: it can."""
        needed = self.facts.needed_by(question) if split != "train" else frozenset[Fact]()
        if len(needed) > self.max_facts:
            return LockReason.MANY
        if needed and len(needed | self._needed.get(split, set())) > self._most.get(
            split, math.inf
        ):
            return LockReason.ENOUGH
        given = self.facts.given_by(question)
        if not all(map(given.isdisjoint, self._before(split))):
            return LockReason.GIVES
        return None

    def left_out(self, split: str) -> frozenset[Fact]:
        """The facts that no further question of a split may need."""
        return self.facts.all - self._needed.get(split, set())

    def barred(self, split: str) -> frozenset[Fact]:
        """The facts that no question of a split may give away."""
        return frozenset().union(*self._before(split))

    def _before(self, split: str) -> list[set[Fact]]:
        """The facts that the questions of each split need that is drawn before one."""
        return [self._needed.get(one, set()) for one in DRAWN[: DRAWN.index(split)]]

    def add(self, question: Question, split: str) -> None:
        """Locks what a question of a split needs."""
        if split != "train":
            self._needed.setdefault(split, set()).update(self.facts.needed_by(question))
