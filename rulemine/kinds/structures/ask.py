"""Makes the questions of the kind ``structures``: samples queries of each structure, with their texts.

Test is drawn first, of all structures, then validation, then training, each by its ratio: what a question
gives away, none of an earlier split needs (`rulemine.kinds.locks`). The questions of a structure and split
are spread evenly over how many links their hard answers miss, those that miss most first: they are scarce,
and must find the relations that they need below their limit. As long as a number lacks questions of the
core, their removed links are drawn from the core. A number for which `PATIENCE` draws in a row gave nothing
is given up, its questions of the core before the others; what the graph does not give of it, the others of
the same split give. Of candidates for a number, the less contrived are asked (`rulemine.kinds.contrived`).
Before a number is given up, twice as many of its candidates are asked and get another `PATIENCE` draws, as
often as some are left out; then what it gives takes no place of another number. When all numbers of a split
are given up, all candidates are asked. All this is done with queries over the joins that people make, where
there is a list of them, and, for a split that still lacks questions, again with all queries.

Guarantees: questions are as `rulemine.kinds.structures.checking` says; no two have the same query or text,
or are near duplicates; at most `StructureSection.max_share` of the questions of a structure, but at least
one, share an anchor, a relation or an answer; in mode ``group``, anchors of different splits are disjoint,
and training gives away no removed fact that validation or test needs, validation none that test needs;
questions are in canonical order, by structure, then by query; the same inputs and seed give the same ones.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.errors import UserError, counted
from rulemine.kinds.asking import Asking
from rulemine.kinds.contrived import KEPT, LessContrived
from rulemine.kinds.locks import DRAWN, Locks, Patterns
from rulemine.kinds.structures.checking import QueryChecker, Reason
from rulemine.kinds.structures.drawing import Drawer
from rulemine.kinds.structures.edges import Draws, Steps
from rulemine.kinds.structures.plans import LINKS
from rulemine.phrasing.compose import goes_together
from rulemine.query.structures import STRUCTURES
from rulemine.release.records import SPLITS, Question, Rejection
from rulemine.seeds import stream
from rulemine.text.naming_rules import ANCHOR_TELLS

__all__ = ["drafts"]

Bools = npt.NDArray[np.bool_]


def shared_by(question: Question) -> Iterator[str]:
    """What no more than a fraction of the questions may share; each with a letter for what it is."""
    yield from (f"e{name}" for name in question.anchors)
    yield from (f"r{name}" for name in question.relations)
    yield from (f"a{name}" for name in question.answers)


def most_sharing(share: float, size: int) -> int:
    """The most questions, of so many, that may share an anchor, a relation or an answer."""
    return max(1, int(Fraction(str(share)) * size))


def within_limit(questions: Sequence[Question], max_share: float) -> list[Question]:
    """Drops questions of a structure until no more than a fraction of those left share something.

    Which set is the largest is a hard problem; this is greedy, and stops at the highest number that may share
    something for which it finds enough questions.

    Args:
        questions: Questions of one structure.
        max_share: See `StructureSection.max_share`.

    Returns:
        Those that stay, in the order given.
    """
    shared = [tuple(shared_by(question)) for question in questions]
    most = most_sharing(max_share, len(questions))
    while True:
        left = _with_at_most(shared, most)
        allowed = most_sharing(max_share, len(left))
        if most <= allowed:
            return [questions[i] for i in left]
        most = min(most - 1, allowed)  # fewer may share, so no more are left


def _with_at_most(shared: Sequence[tuple[str, ...]], most: int) -> list[int]:
    """Questions of which no more than so many share something; those that share most with others go first."""
    counts = Counter(one for some in shared for one in some)
    owners: dict[str, list[int]] = {one: [] for one, count in counts.items() if count > most}
    for i, some in enumerate(shared):
        for one in some:
            if one in owners:
                owners[one].append(i)
    over = [sum(one in owners for one in some) for some in shared]
    gone: list[int] = []
    while (i := max(range(len(shared)), key=lambda i: (over[i], i), default=-1)) >= 0 and over[
        i
    ] > 0:
        gone.append(i)
        over[i] = -1
        for one in shared[i]:
            counts[one] -= 1
            if counts[one] == most and one in owners:
                for other in owners[one]:
                    over[other] -= over[other] > 0
    dropped = set(gone)
    for i in sorted(gone):  # some fit again, now that others are gone
        if all(counts[one] < most for one in shared[i]):
            counts.update(shared[i])
            dropped.discard(i)
    return [i for i in range(len(shared)) if i not in dropped]


def apportioned(size: int, ratios: Iterable[int]) -> list[int]:
    """A number in parts with given ratios; what is left over goes to the largest remainders."""
    parts = (
        [Fraction(size * ratio, sum(ratios)) for ratio in ratios] if (ratios := [*ratios]) else []
    )
    sizes = [int(part) for part in parts]
    order = sorted(range(len(parts)), key=lambda i: (sizes[i] - parts[i], i))
    for i in order[: size - sum(sizes)]:
        sizes[i] += 1
    return sizes


PATIENCE = 500
"""Draws in a row without a question after which a number of missing links is given up in a split; those of
`CHEAP` count less."""

CHEAP = {
    Reason.AGAIN: 0.1,
    Reason.BROAD: 0.1,
    Reason.CONTRIVED: 0.1,
    Reason.EARLIER: 0.1,
    Reason.NOWHERE: 0.5,
    Reason.SHARED: 0.1,
}
"""What draws that take little time count."""

FEWER = {"3p": 0.15, "up": 0.15}
"""The fraction of the candidates of a structure that is asked where fewer are worth it."""

FEWER_TOPICS = 4
"""How many times fewer questions than a relation an anchor may have where there is a list of joins."""

MOST_REFUSED = 1000
"""Refused texts that are kept."""

Key = tuple[int, int]
"""A pool, and how many links the hard answer misses."""


class Pool(NamedTuple):
    """Where anchors are drawn from.

    Attributes:
        split: The split of the questions; "": none yet.
        ratio: How many questions are wanted relative to the other pools.
        core: How many of each structure should be of the core.
    """

    split: str
    ratio: int
    core: int = 0


@dataclass(eq=False)
class Sampled:
    """What was sampled of one structure.

    Attributes:
        name: The structure.
        questions: The questions, with text and split, without id, in the order drawn.
        refused: Queries whose text was refused.
        drawn: The number of draws.
        better: The candidates that were compared.
        reasons: Why the others are not asked: reason → how many.
        wanted: How many questions were wanted.
        unlisted: The queries of those that were drawn without regard to the list of joins;
            None: there is none.
    """

    name: str
    wanted: int
    questions: list[Question] = field(default_factory=list)
    refused: list[Rejection] = field(default_factory=list)
    drawn: int = 0
    better: LessContrived = field(default_factory=LessContrived)
    reasons: Counter[str] = field(default_factory=Counter)
    unlisted: set[str] | None = None

    def to_plain(self) -> dict[str, Any]:
        """The counts, for the manifest."""
        return {
            "wanted": self.wanted,
            "questions": len(self.questions),
            "drawn": self.drawn,
            "rejected": dict(sorted(self.reasons.items())),
            "contrived": self.better.to_plain(sorted(self.asked)),
            **({} if (some := self.unlisted) is None else {"unlisted": len(some & self.asked)}),
        }

    @property
    def asked(self) -> set[str]:
        """The queries of the questions."""
        return {question.query for question in self.questions}


def sample(
    asking: Asking, drawer: Drawer, pools: Sequence[Pool], locks: Locks | None
) -> list[Sampled]:
    """Samples the questions of all structures that the recipe names.

    Args:
        asking: The build.
        drawer: Draws queries; its pools are those of `pools`.
        pools: Where anchors are drawn from.
        locks: What earlier splits need; extended. None where there are no splits yet.

    Returns:
        What was sampled of each structure.
    """
    checker, options = QueryChecker(asking), asking.options
    full = set[int]()
    samplings = [
        _Sampling(name, asking, drawer, checker, pools, locks, full)
        for name in STRUCTURES
        if name in options.names
    ]
    wanted, done = len(samplings) * options.per_structure, count(1)

    def on_question() -> None:
        if (number := next(done)) % 16 == 0:
            asking.progress(number, wanted)

    splits = [pool.split for pool in pools]
    for pool in map(splits.index, DRAWN) if locks else range(len(pools)):
        if locks:
            drawer.bar(pool, locks.barred(splits[pool]))
        for sampling in samplings:
            sampling.run(pool, on_question)
        drawer.forget(pool)
    asking.progress(wanted, wanted)
    return [sampling.finished() for sampling in samplings]


class _Sampling:
    """The sampling of one structure; arguments as of `sample`.

    All structures have the same `full`: the pools whose questions may need no further facts.
    """

    def __init__(
        self,
        name: str,
        asking: Asking,
        drawer: Drawer,
        checker: QueryChecker,
        pools: Sequence[Pool],
        locks: Locks | None,
        full: set[int],
    ) -> None:
        self.drawer, self.checker, self.texts = drawer, checker, asking.texts
        self.pools, self.options, self.near = pools, asking.options, asking.near
        self.locks, self.full = locks, full
        options = self.options
        listed = drawer.listed.get(name)
        better = LessContrived(KEPT if listed else FEWER.get(name, KEPT))
        self.made = Sampled(name, options.per_structure, better=better)
        self.wanted = apportioned(options.per_structure, [pool.ratio for pool in pools])
        self.numbers = numbers = list(range(LINKS[name] + 1))
        self.open = {(pool, number) for pool in range(len(pools)) for number in numbers}
        self.failed = dict.fromkeys(self.open, 0.0)
        self.counts: Counter[Key] = Counter()
        self.core: Counter[Key] = Counter()
        self.without_core: set[Key] = set()
        self.shared: Counter[str] = Counter()
        self.drawn_pools: list[int] = []
        self.listing = listed
        self.made.unlisted = None if self.listing is None else set()
        self.beyond: set[int] = set()
        self.core_beyond: set[Key] = set()  # its core is sought without regard to the list
        self.most = 0
        self.seen: set[str] = set()
        self.draws = {
            key: Draws(stream(asking.seed, "structures", name, *map(str, key))) for key in self.open
        }

    def run(self, pool: int, on_question: Callable[[], None]) -> None:
        """All draws for a pool."""
        self.drawn_pools.append(pool)
        most = most_sharing(self.options.max_share, self.options.per_structure)
        # A split uses its part of what may be shared, so that some is left for the next one.
        part = Fraction(sum(self.wanted[one] for one in self.drawn_pools), sum(self.wanted))
        self.most = max(1, int(most * part))
        key = self._next(pool)
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
                if self._core_lacking(key):
                    beyond = self.listing is None or key in self.core_beyond
                    (self.without_core if beyond else self.core_beyond).add(key)
                    self.failed[key] = 0
                elif self.made.better.widen(self._stratum(key)):
                    self.failed[key] = 0
                else:
                    self.open.discard(key)
            key = self._next(pool) or self._reopened(pool)

    def finished(self) -> Sampled:
        """What was sampled, after all pools."""
        made = self.made
        different = [q for q in made.questions if self.near.stays(q)]
        made.reasons[Reason.NEAR] += len(made.questions) - len(different)
        kept = within_limit(different, self.options.max_share)
        made.reasons[Reason.SHARED] += len(different) - len(kept)
        made.questions = kept
        made.reasons = +made.reasons
        return made

    def _next(self, pool: int) -> Key | None:
        """Of a pool that lacks questions, the highest number of missing links that does."""
        if self._is_enough(pool):
            return None
        return min(
            (key for key in self.open if key[0] == pool),
            key=lambda key: (self.counts[key] >= math.floor(self._quota(pool)), -key[1]),
            default=None,
        )

    def _is_enough(self, pool: int) -> bool:
        """Whether a pool has all questions that are wanted."""
        given = sum(count for (at, _), count in self.counts.items() if at == pool)
        return given >= self.wanted[pool]

    def _reopened(self, pool: int) -> Key | None:
        """Has all candidates asked of a pool that lacks questions although every number is given up."""
        if self._is_enough(pool):
            return None
        lifted = [n for n in self.numbers if self.made.better.lift(self._stratum((pool, n)))]
        if not lifted and self.listing is not None and pool not in self.beyond:
            self.beyond.add(pool)
            lifted = self.numbers
        for number in lifted:
            self.open.add((pool, number))
            self.failed[pool, number] = 0
        return self._next(pool)

    def _is_shared(self, one: str) -> bool:
        """Whether enough questions have an anchor (of which a list gives many), a relation or an answer."""
        most = self.most if self.listing is None or one[0] != "e" else self.most // FEWER_TOPICS
        return self.shared[one] >= max(1, most)

    def _stratum(self, key: Key) -> tuple[int, int, bool]:
        """What the candidates of a key are compared within: those on the list of joins, or all."""
        return (*key, self._is_beyond(key))

    def _is_beyond(self, key: Key) -> bool:
        """Whether the draws of a key have no regard to the list of joins."""
        return key[0] in self.beyond or (key in self.core_beyond and self._core_lacking(key) > 0)

    def _quota(self, pool: int) -> float:
        """How many questions of each number of missing links are wanted of a pool."""
        numbers = [number for at, number in self.open if at == pool]
        given = sum(
            count
            for (at, number), count in self.counts.items()
            if at == pool and number not in numbers
        )
        return (self.wanted[pool] - given) / max(1, len(numbers))

    def _core_lacking(self, key: Key) -> int:
        """How many more questions of the core are wanted of a pool and number of missing links."""
        pool, number = key
        wanted = self.pools[pool].core
        if number == 0 or key in self.without_core or not wanted:
            return 0
        if number > 1:
            # Each number gives as many; what the others do not give, the last one does.
            wanted = math.ceil(wanted / sum(bool(one) for one in self.numbers))
            return max(0, wanted - self.core[key])
        return max(0, wanted - sum(n for (at, _), n in self.core.items() if at == pool))

    def _try(self, pool: int, number: int) -> str | None:
        """Draws once; returns why there is no question, if there is none."""
        made, split = self.made, self.pools[pool].split
        lacking = self._core_lacking((pool, number))
        stratum = self._stratum((pool, number))
        narrow = not made.better.is_lifted(stratum)
        draws = self.draws[pool, number]
        core, beyond = lacking > 0, self._is_beyond((pool, number))
        listing = None if beyond else self.listing
        drawn = self.drawer.draw(made.name, number, pool, draws, core, narrow, listing)
        if drawn is None:
            return Reason.NOWHERE
        if drawn.query.text in self.seen:
            return Reason.AGAIN
        labels, links = self.drawer.steps.kg.entities, self.drawer.steps.links
        known = [f"e{labels[i]}" for i in drawn.anchors] + [f"r{links[i][0]}" for i in drawn.links]
        if any(map(self._is_shared, known)):
            return Reason.SHARED
        quota = math.ceil(self._quota(pool))

        def is_open(missing: int) -> bool:
            if made.better.is_widened(stratum):
                return missing == number
            return self.counts[pool, missing] < quota

        def is_fit(points: int) -> bool:
            return made.better.has(stratum, drawn.query, points)

        question = self.checker.check(made.name, drawn, is_open, is_fit)
        if isinstance(question, str):
            return question
        if any(map(self._is_shared, shared_by(question))):
            return Reason.SHARED
        if lacking and not question.core and self.counts[pool, number] + lacking >= quota:
            return Reason.CORE
        locks = self.locks
        if locks and (objection := locks.objection(question, split)) is not None:
            if objection == Reason.ENOUGH and pool not in self.full:
                self.full.add(pool)
                self.drawer.bar(pool, locks.left_out(split), stated_too=False)
            return objection
        self.seen.add(question.query)
        worded = self.texts.from_template(question)
        if isinstance(worded, Rejection):
            if worded.reason == ANCHOR_TELLS:
                return ANCHOR_TELLS
            if len(made.refused) < MOST_REFUSED:
                made.refused.append(worded)
            return Reason.TEXT
        self.near.add(question)
        if not self.near.stays(question):
            return Reason.NEAR
        if locks:
            locks.add(question, split)
        self.shared.update(shared_by(question))
        key = (pool, question.missing)
        self.counts[key] += 1
        self.core[key] += question.core
        self.failed[key] = 0
        made.questions.append(replace(worded, split=split))
        if made.unlisted is not None and beyond:
            made.unlisted.add(question.query)
        return None


MOST_SHOWN = 3
"""Reasons that are given for a structure without questions."""


def drafts(asking: Asking) -> Iterator[Question | Rejection]:
    """The questions that are sampled; with splits where these are held apart.

    Then entities are dealt to splits, and all anchors of a question are from its split. Test should have
    ``questions.test_core`` questions of the core, as many of each structure; validation a third of them.

    Raises:
        UserError: There is no question, or none for a split.
    """
    kg, options, chosen = asking.kg, asking.options, asking.recipe.questions
    removed, inputs = asking.removed, asking.inputs
    steps = Steps.of(
        kg,
        removed.place >= 0,
        removed.allowed,
        removed.core,
        asking.declarations,
        inputs.excluded,
    )
    degree = np.bincount(kg.triples[:, [0, 2]].reshape(-1), minlength=len(kg.entities))
    fit: Bools = degree > 0
    pools, masks, locks = [Pool("", 1)], [fit], None
    if chosen.split == "group":
        core = {"test": chosen.test_core, "validation": -(-chosen.test_core // 3)}
        pools = [
            Pool(split, ratio, -(-core.get(split, 0) // len(options.names)))
            for split, ratio in zip(SPLITS, chosen.ratios, strict=True)
        ]
        masks = _dealt(fit, chosen.ratios, asking.seed)
        shares = {pool.split: pool.ratio / sum(chosen.ratios) for pool in pools}
        patterns = Patterns.of(kg, asking.selection.rules, asking.facts, chosen.test_core)
        locks = Locks(asking.facts, chosen.max_facts, patterns, shares)
    together = partial(goes_together, asking.templates)
    most = options.max_answers, options.max_evidence
    drawer = Drawer(steps, inputs.types, masks, *most, together, inputs["joins"])
    samples = sample(asking, drawer, pools, locks)
    made = [question for some in samples for question in sorted(some.questions, key=_by_query)]
    if not made:
        raise UserError(_explain_none(samples, fit))
    if empty := [pool.split for pool in pools if pool.split not in {q.split for q in made}]:
        raise UserError(
            f"{counted(len(made), 'question')} could be drawn, none of them for {' and '.join(empty)}. Set "
            "questions.split to random or none, raise structures.per_structure, or build from a larger graph."
        )
    asking.sampling = {some.name: some.to_plain() for some in samples}
    yield from made
    for some in samples:
        yield from some.refused


def _by_query(question: Question) -> str:
    return question.query


def _dealt(fit: Bools, ratios: Sequence[int], seed: int) -> list[Bools]:
    """The anchors of each split, all different, in numbers near the ratios."""
    ids = np.flatnonzero(fit)
    order = ids[stream(seed, "structures", "anchors").permutation(len(ids))]
    ends = np.cumsum(ratios) * len(ids) // sum(ratios)
    masks = []
    for some in np.split(order, ends[:-1]):
        mask = np.zeros(len(fit), bool)
        mask[some] = True
        masks.append(mask)
    return masks


def _explain_none(samples: Sequence[Sampled], fit: Bools) -> str:
    """Says why there is no question at all."""
    found = []
    for some in samples:
        reasons = ", ".join(f"{n:,} {why}" for why, n in some.reasons.most_common(MOST_SHOWN))
        found.append(f"{some.name}: {counted(some.drawn, 'draw')} ({reasons})")
    return (
        f"no question is left. Anchors may be {counted(int(fit.sum()), 'entity', 'entities')}. "
        f"{'; '.join(found)}. Give another graph or other structures (structures.names), or loosen the other "
        "options of the section structures."
    )
