"""What keeps a question out of a split.

`Locks` keep what one split needs out of what an earlier one gives away, see `rulemine.release.proof_triples`:
test is drawn first, then validation, then training; each question is held against what the splits that were
drawn before it need. By `Patterns`, two entities are asked for from one end within a split: where an answer
of one question is the topic of another that asks the same the other way, names in questions tell what is
missing. And no rule proves more than 2 % of the core of test, or five questions where that is more; in graphs
of 50 relations or more no relation is in the bodies of the rules of more than 30 % of it.
"""

import json
import math
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from itertools import permutations
from typing import Any

from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.recipe.recipe import Recipe
from rulemine.release.proof_triples import Fact, RemovedFacts
from rulemine.release.records import Question
from rulemine.removal.selection import Selection
from rulemine.rules.rule import Rule

__all__ = [
    "DRAWN",
    "LockReason",
    "Locks",
    "Patterns",
    "RememberedFacts",
    "removed_facts",
    "splitting",
]

DRAWN = ("test", "validation", "train")
"""The splits in the order in which they are drawn."""


class LockReason:
    """Why a question cannot be in a split."""

    MIRRORED = "another question asks for its topic from its answer"
    RULE = "its rule proves too many of the core of test"
    RELATION = "its proof needs a relation that too many of the core of test need"
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


class Patterns:
    """What the questions that are in validation and test so far ask for, and what proves them.

    Args:
        facts: The removed facts.
        bodies: Rule id → the relations of its body that are bounded.
        size: How many questions of the core test has, which says how many may have a rule or a relation.
        texts: Entity → its name in a row, where that is a property.
    """

    def __init__(
        self,
        facts: RemovedFacts,
        bodies: Mapping[str, Collection[str]],
        size: int,
        texts: Mapping[str, str] | None = None,
    ) -> None:
        self._facts, self._bodies, self._texts = facts, bodies, texts or {}
        self._most = {
            LockReason.MIRRORED: 0,
            LockReason.RULE: max(5, size // 50),
            LockReason.RELATION: max(1, 3 * size // 10),
        }
        self._times: Counter[Hashable] = Counter()

    @classmethod
    def of(
        cls,
        kg: KnowledgeGraph,
        rules: Iterable[Rule],
        facts: RemovedFacts,
        size: int = 0,
        texts: Mapping[str, str] | None = None,
    ) -> "Patterns":
        """Those of a graph, rules and what is removed, without questions."""
        bounded = len(kg.relations) >= 50  # with fewer, any of them is in many bodies
        bodies = {rule.id: {atom.relation for atom in rule.body if bounded} for rule in rules}
        return cls(facts, bodies, size, texts)

    def anew(self, size: int) -> "Patterns":
        """The same without questions, for another size."""
        return Patterns(self._facts, self._bodies, size, self._texts)

    def objection(self, split: str, *questions: Question) -> str | None:
        """Why some questions cannot be in a split together, of `LockReason`; None: they can."""
        marks = [mark for question in questions for mark in self._marks(question, split)]
        own = Counter(mark for _, mark, _ in marks)
        return next((w for w, _, m in marks if self._times[m] + own[m] > self._most[w]), None)

    def add(self, split: str, *questions: Question) -> None:
        """Puts questions into a split."""
        self._times.update(mark for q in questions for _, mark, _ in self._marks(q, split))

    def _marks(self, question: Question, split: str) -> Iterator[tuple[str, Hashable, Hashable]]:
        """What counts: a reason, the mark of a question, and the mark that may not be there too often."""
        answers = "\0".join(("", *question.hard_answers, ""))  # entities, or rows of JSON with some
        for fact in self._facts.needed_by(question) if split != "train" else ():
            for end, other in permutations(fact):
                if f"\0{end}\0" in answers or any(
                    json.dumps(name, ensure_ascii=False) in answers
                    for name in (end, self._texts.get(end, end))
                ):
                    yield LockReason.MIRRORED, (split, fact, end), (split, fact, other)
        if split == "test" and question.core:
            for rule in {*question.rules}:
                yield LockReason.RULE, rule, rule
            for one in {one for rule in question.rules for one in self._bodies[rule]}:
                yield LockReason.RELATION, (one,), (one,)


class Locks:
    """The facts that questions drawn so far need.

    Args:
        facts: The removed facts.
        max_facts: See `rulemine.recipe.options.QuestionSection.max_facts`.
        patterns: What else keeps a question out of a split.
        shares: Split → the largest fraction of the removed facts that its questions may need; empty: any.
    """

    def __init__(
        self,
        facts: RemovedFacts,
        max_facts: int,
        patterns: Patterns,
        shares: Mapping[str, float] | None = None,
    ) -> None:
        self.facts, self.max_facts, self._patterns = facts, max_facts, patterns
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
        return self._patterns.objection(split, question)

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
        self._patterns.add(split, question)
        if split != "train":
            self._needed.setdefault(split, set()).update(self.facts.needed_by(question))
