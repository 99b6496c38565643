"""Samples questions of each structure: how many of each, and none about the same few things.

The questions of a structure are spread evenly over its splits, by their ratios, and over how many links
their hard answers miss. Draws are for the split that lacks most, and there for the highest number of missing
links first: these questions are scarce, and must find the relations that they need below their limit. A
number for which `PATIENCE` draws in a row gave nothing is given up; what the graph does not give of it, the
others of the same split give.

Guarantees: at most `StructureSection.max_share` of the questions of a structure, but at least one, share an
anchor, a relation or an answer; anchors of different splits are disjoint; the same inputs and seed give the
same questions.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NamedTuple

from rulemine.builder.structures.checking import QueryChecker, Reason
from rulemine.builder.structures.drawing import LINKS, Drawer
from rulemine.builder.structures.edges import Draws
from rulemine.builder.structures.options import StructureSection
from rulemine.builder.structures.sharing import most_sharing, shared_by, within_limit
from rulemine.release.records import Rejection, StructureQuestion
from rulemine.seeds import stream

__all__ = ["PATIENCE", "Pool", "Sampled", "sample"]

PATIENCE = 500
"""Draws in a row without a question after which a number of missing links is given up in a split; those of
`CHEAP` count less."""

CHEAP = {Reason.AGAIN: 0.1, Reason.EARLIER: 0.1, Reason.SHARED: 0.1}
"""What draws that take little time count."""

MOST_REFUSED = 1000
"""Refused texts that are kept."""


class Pool(NamedTuple):
    """Where anchors are drawn from.

    Attributes:
        split: The split of the questions; "": none yet.
        ratio: How many questions are wanted relative to the other pools.
    """

    split: str
    ratio: int


@dataclass(eq=False)
class Sampled:
    """What was sampled of one structure.

    Attributes:
        name: The structure.
        questions: The questions, with text and split, without id, in the order drawn.
        refused: Queries whose text was refused.
        drawn: The number of draws.
        reasons: Why the others are not asked: reason → how many.
        wanted: How many questions were wanted.
    """

    name: str
    wanted: int
    questions: list[StructureQuestion] = field(default_factory=list)
    refused: list[Rejection] = field(default_factory=list)
    drawn: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    def to_plain(self) -> dict[str, Any]:
        """The counts, for the manifest."""
        return {
            "wanted": self.wanted,
            "questions": len(self.questions),
            "drawn": self.drawn,
            "rejected": dict(sorted(self.reasons.items())),
        }


Texts = Callable[[StructureQuestion], StructureQuestion | Rejection]
"""Gives the text of a question; or the rejection if it names what it must not, or another has it."""


def sample(
    name: str,
    drawer: Drawer,
    checker: QueryChecker,
    texts: Texts,
    pools: Sequence[Pool],
    options: StructureSection,
    seed: int,
    owners: dict[str, int],
    on_question: Callable[[], None] = lambda: None,
) -> Sampled:
    """Samples the questions of a structure.

    Args:
        name: The structure.
        drawer: Draws queries; its pools are those of `pools`.
        checker: Decides which are asked.
        texts: Makes their texts.
        pools: Where anchors are drawn from.
        options: The section of the recipe.
        seed: The seed.
        owners: Answer → the pool of the questions that have it, of all structures; extended.
        on_question: Called after each question.
    """
    return _Sampling(name, drawer, checker, texts, pools, options, seed, owners).run(on_question)


class _Sampling:
    """The sampling of one structure; arguments as of `sample`."""

    def __init__(
        self,
        name: str,
        drawer: Drawer,
        checker: QueryChecker,
        texts: Texts,
        pools: Sequence[Pool],
        options: StructureSection,
        seed: int,
        owners: dict[str, int],
    ) -> None:
        self.drawer, self.checker, self.texts = drawer, checker, texts
        self.pools, self.options = pools, options
        self.made = Sampled(name, options.per_structure)
        self.wanted = _apportioned(options.per_structure, [pool.ratio for pool in pools])
        numbers: list[int | None] = [None]
        if options.missing != "any":
            numbers = list(range(LINKS[name] + 1))
        if options.missing == "full":
            numbers = numbers[-1:]
        self.open = {(pool, number) for pool in range(len(pools)) for number in numbers}
        self.failed = dict.fromkeys(self.open, 0.0)
        self.counts: Counter[tuple[int, int | None]] = Counter()
        self.shared: Counter[str] = Counter()
        self.most = most_sharing(options.max_share, options.per_structure)
        self.seen: set[str] = set()
        self.owners = owners
        self.draws = {
            key: Draws(stream(seed, "structures", name, *map(str, key))) for key in self.open
        }

    def run(self, on_question: Callable[[], None]) -> Sampled:
        """All draws."""
        key = self._next()
        while key is not None:
            self.made.drawn += 1
            reason = self._try(*key)
            if reason is None:
                on_question()
            else:
                self.made.reasons[reason] += 1
                self.failed[key] += CHEAP.get(reason, 1)
                if self.failed[key] < PATIENCE:
                    continue
                self.open.discard(key)
            key = self._next()
        made = self.made
        kept = within_limit(made.questions, self.options.max_share)
        made.reasons[Reason.SHARED] += len(made.questions) - len(kept)
        made.questions = kept
        made.reasons = +made.reasons
        return made

    def _next(self) -> tuple[int, int | None] | None:
        """The pool that lacks most, and in it the highest number of missing links that lacks questions."""
        sums = Counter[int]()
        for (pool, _), count in self.counts.items():
            sums[pool] += count
        lacking = [key for key in self.open if sums[key[0]] < self.wanted[key[0]]]
        return min(
            lacking,
            key=lambda key: (
                sums[key[0]] / self.wanted[key[0]],
                key[0],
                self.counts[key] >= math.floor(self._quota(key[0])),
                -(key[1] or 0),
            ),
            default=None,
        )

    def _quota(self, pool: int) -> float:
        """How many questions of each number of missing links are wanted of a pool."""
        numbers = [number for at, number in self.open if at == pool]
        given = sum(
            count
            for (at, number), count in self.counts.items()
            if at == pool and number not in numbers
        )
        return (self.wanted[pool] - given) / max(1, len(numbers))

    def _try(self, pool: int, number: int | None) -> str | None:
        """Draws once; returns why there is no question, if there is none."""
        made, options = self.made, self.options
        drawn = self.drawer.draw(made.name, number, pool, self.draws[pool, number])
        if drawn is None:
            return Reason.NOWHERE
        if drawn.query.text in self.seen:
            return Reason.AGAIN
        labels, links = self.drawer.steps.kg.entities, self.drawer.steps.links
        known = [f"e{labels[i]}" for i in drawn.anchors] + [f"r{links[i][0]}" for i in drawn.links]
        if any(self.shared[one] >= self.most for one in known):
            return Reason.SHARED
        quota = math.ceil(self._quota(pool))

        def is_open(missing: int) -> bool:
            if number is None:
                return True
            if options.missing == "full":
                return missing == number
            return self.counts[pool, missing] < quota

        question = self.checker.check(made.name, drawn, is_open)
        if isinstance(question, str):
            return question
        if any(self.shared[one] >= self.most for one in shared_by(question)):
            return Reason.SHARED
        if options.disjoint_answers and any(
            self.owners.get(answer, pool) != pool for answer in question.answers
        ):
            return Reason.SPLIT
        self.seen.add(question.query)
        worded = self.texts(question)
        if isinstance(worded, Rejection):
            if len(made.refused) < MOST_REFUSED:
                made.refused.append(worded)
            return Reason.TEXT
        self.shared.update(shared_by(question))
        self.owners.update(dict.fromkeys(question.answers, pool))
        key = (pool, number if number is None else question.missing)
        self.counts[key] += 1
        self.failed[key] = 0
        made.questions.append(replace(worded, split=self.pools[pool].split))
        return None


def _apportioned(size: int, ratios: Iterable[int]) -> list[int]:
    """A number in parts with given ratios; what is left over goes to the largest remainders."""
    parts = (
        [Fraction(size * ratio, sum(ratios)) for ratio in ratios] if (ratios := [*ratios]) else []
    )
    sizes = [int(part) for part in parts]
    order = sorted(range(len(parts)), key=lambda i: (sizes[i] - parts[i], i))
    for i in order[: size - sum(sizes)]:
        sizes[i] += 1
    return sizes
