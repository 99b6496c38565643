"""The candidates for questions over a property graph: what they need and give away, and what stays together.

Guarantee: a pool depends on the candidates, options and seed, not on the order of candidates.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rulemine.cypher.questions.pattern import PatternQuery
from rulemine.errors import UserError, counted
from rulemine.kinds.cypher.options import SPLIT_WAYS
from rulemine.release.proof_triples import Fact, RemovedFacts
from rulemine.release.records import SPLITS, Question
from rulemine.removal.levels import spread
from rulemine.seeds import stream

__all__ = ["DEALS", "CandidatePool", "Wanted", "signature_of"]

_RESERVED = 0.15
"""Of the facts at most this share is kept for templates of which training would have too few questions."""

_CORE_DEALT = 2
"""Test is dealt so many times as many candidates of the core as are wanted."""

_EVENLY = 0.75
"""This share of the questions of a template has its RETURN templates in equal numbers."""

DEALS = 4
"""So often groups are dealt at most, until no split is too small."""

_STEP = 24
"""Each time validation and test are dealt a fraction of one in so many more."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is wanted of the questions.

    Attributes:
        ratios: Three integers ≥ 1: sizes of train, validation and test relative to each other.
        per_template: Questions of each MATCH template.
        changed: The fraction of them with other rows once everything is removed.
        by: What stays together, one of `SPLIT_WAYS`.
        test_core: See `rulemine.recipe.options.QuestionSection`.
        max_facts: Likewise.
        late: Queries of candidates that are drawn where there are no others.
    """

    ratios: Sequence[int]
    per_template: int
    changed: float
    by: str
    test_core: int = 0
    max_facts: int = 5
    late: frozenset[str] = frozenset()


def signature_of(query: PatternQuery) -> str:
    """The type signature of what is matched, whichever node is asked for: its relations with their types.

    Example:
        >>> from rulemine.cypher import MatchPattern, PatternNode, ReturnClause
        >>> town, person = PatternNode("Town"), PatternNode("Person", "Bo")
        >>> match = MatchPattern("(n)<-(m0*)", (town, person), ("livesIn",))
        >>> signature_of(PatternQuery(match, ReturnClause("n_name")))
        'Person livesIn Town'
    """
    match = query.match
    edges = [
        f"{match.named[edge.subject].type} {edge.relation} {match.named[edge.object].type}"
        for edge in match.edges
    ]
    return ", ".join(sorted(edges)) or match.nodes[0].type


class CandidatePool:
    """The candidates, what they need and give away, and their groups."""

    def __init__(
        self,
        questions: list[Question],
        groups: list[list[int]],
        dealt: list[str],
        facts: RemovedFacts,
        wanted: Wanted,
        seed: int,
    ) -> None:
        self.wanted, self.groups, self.dealt = wanted, groups, dealt
        self.group = [0] * len(questions)
        for number, some in enumerate(groups):
            for i in some:
                self.group[i] = number
        self.template = [question.shape for question in questions]
        self.changed = [question.block.changed for question in questions]
        self.core = [question.core for question in questions]
        self.needs = [facts.needed_by(question) for question in questions]
        self.gives = [facts.given_by(question) for question in questions]
        self.givers: dict[Fact, list[int]] = {}
        for i, given in enumerate(self.gives):
            for fact in given:
                self.givers.setdefault(fact, []).append(i)
        self.kept: set[Fact] = set()
        self.owner: dict[int, str] = {}
        self.order = self._ordered(questions, seed)
        shares = [ratio / sum(wanted.ratios) for ratio in wanted.ratios]
        self.share = dict(zip(SPLITS, shares, strict=True))

    def _ordered(self, questions: Sequence[Question], seed: int) -> list[int]:
        """The core first, then the rest, those late last: in random order, some of each RETURN first."""
        order: list[int] = stream(seed, "cypher", "draw").permutation(len(questions)).tolist()
        kinds = [(question.shape, question.block.returns) for question in questions]
        returns = Counter(template for template, _ in dict.fromkeys(kinds))
        seen, place = Counter[tuple[str, str]](), dict[int, tuple[bool, bool, int]]()
        order.sort(key=lambda i: questions[i].query in self.wanted.late)  # stable
        for i in order:
            most = round(_EVENLY * self.wanted.per_template / returns[kinds[i][0]])
            late = questions[i].query in self.wanted.late
            place[i] = late, not self.core[i], min(seen[kinds[i]], most)
            seen[kinds[i]] += 1
        return sorted(order, key=place.__getitem__)

    @classmethod
    def of(
        cls,
        candidates: Sequence[tuple[Question, PatternQuery]],
        facts: RemovedFacts,
        wanted: Wanted,
        seed: int,
        attempt: int,
    ) -> "CandidatePool":
        """The pool of candidates in order; each attempt deals less to training."""
        key_of: dict[str, Callable[[PatternQuery], object]] = {
            "signature": signature_of, "domain": lambda query: query.match.nodes[0].type,
            "question": lambda query: query.match,
        }  # fmt: skip
        groups: dict[object, list[int]] = {}
        for i, (_, query) in enumerate(candidates):
            key = key_of[wanted.by](query)
            groups.setdefault(key, []).append(i)
        if len(groups) < len(SPLITS):
            raise UserError(
                f"{counted(len(candidates), 'question')} have {counted(len(groups), wanted.by)}; "
                f"{len(SPLITS)} splits need at least {len(SPLITS)}. Set cypher.split_by to another of "
                f"{', '.join(SPLIT_WAYS)}, or questions.split to none."
            )
        questions = [question for question, _ in candidates]
        strata = [(q.core, q.block.changed, q.shape) for q in questions]
        train, *others = wanted.ratios
        ratios = [train * _STEP, *(ratio * (_STEP + attempt) for ratio in others)]
        core = [question.core for question in questions]
        sizes = sizes_of_splits(core, ratios, _CORE_DEALT * wanted.test_core)
        dealt = deal(strata, list(groups.values()), sizes, seed ^ attempt, core)
        names = [SPLITS[number] for number in dealt]
        return cls(questions, list(groups.values()), names, facts, wanted, seed)

    def shares(self) -> dict[str, Counter[str]]:
        """Split → template → how many questions it should have."""
        want = {split: Counter[str]() for split in SPLITS}
        n, before, owed = self.wanted.per_template, 0, Counter[str]()
        for template, number in sorted(Counter(self.template).items()):
            left = min(number, n)  # where there are fewer, it is training that has fewer
            for split in ("test", "validation"):
                share = self.share[split]
                size = round((before + n) * share) - round(before * share) + owed[split]
                size = min(number // 3, size)
                owed[split] = max(0, size - left)  # the next template makes up for it
                want[split][template] = size - owed[split]
                left -= want[split][template]
            want["train"][template] = left
            before += n
        return want

    def reserve(self, lacking: Counter[str]) -> bool:
        """Keeps facts out of what test and validation need, so that training has some of each template.

        What matches all that a relation joins can be a training question only if none of it is asked for.

        Returns:
            Whether anything was reserved.
        """
        if self.wanted.by != "question":
            return False  # a group has most of what a relation joins
        most, before = _RESERVED * len(self.givers), len(self.owner)
        for template, number in sorted(lacking.items()):
            own = [
                i
                for i in self.order
                if self.template[i] == template and self.group[i] not in self.owner
            ]
            for _ in range(number):
                i = min(own, key=lambda i: len(self.gives[i] - self.kept), default=None)
                if i is None or len(self.kept | self.gives[i]) > most:
                    break
                self.kept |= self.gives[i]
                self.owner[self.group[i]] = "train"
                own.remove(i)
        return len(self.owner) > before

    @cached_property
    def core_wanted(self) -> dict[str, int]:
        """Split → how many questions of the core are drawn first."""
        by_template = Counter(
            template for template, core in zip(self.template, self.core, strict=True) if core
        )
        most = round(self.wanted.per_template * self.wanted.changed)
        test = min(
            self.wanted.test_core, sum(min(most, n) for n in by_template.values()) // len(SPLITS)
        )
        validation = test // len(SPLITS)
        return {"test": test, "validation": validation, "train": 2 * test - validation}


TRAIN, VALIDATION, TEST = map(SPLITS.index, ("train", "validation", "test"))


def sizes_of_splits(
    core: Sequence[bool], ratios: Sequence[int], test_core: int
) -> list[tuple[float, float]]:
    """How many questions outside the core, and of the core, each split should have.

    Test gets `test_core` questions of the core, but at most a third of them, validation a third as many, each
    of them no less than by the ratios, and train the rest.

    Args:
        core: Whether each question is of the core.
        ratios: As for `split`.
        test_core: As for `split`.
    """
    n, shares = sum(core), [ratio / sum(ratios) for ratio in ratios]
    asked = min(test_core, n // 3)
    test, validation = max(n * shares[TEST], asked), max(n * shares[VALIDATION], asked / 3)
    of_core = (n - validation - test, validation, test)
    return [((len(core) - n) * share, own) for share, own in zip(shares, of_core, strict=True)]


def deal(
    strata: Sequence[Hashable],
    groups: Sequence[Sequence[int]],
    wanted: Sequence[tuple[float, float]],
    seed: int,
    core: Sequence[bool],
    fits: Callable[[int, str], bool] | None = None,
) -> list[int]:
    """The index of the split of every group: test is filled first, then validation, and the rest is train.

    Args:
        strata: What each question is like; every split has its share of each.
        groups: Positions of the questions of each group; two at least.
        wanted: How many questions outside the core, and of the core, each split should have.
        seed: Seed of the random choices.
        core: Whether each question is of the core.
        fits: Puts a group into a split unless it does not fit; then it is in train, but where the core of
            test is not full without it. None: all fit.
    """
    sizes = [(len(own) - (n := sum(core[i] for i in own)), n) for own in groups]
    order = _spread(strata, groups, min(map(sum, wanted)) / max(1, len(strata)), seed)
    dealt = [TRAIN] * len(groups)
    room = {k: [*wanted[k]] for k in (TEST, VALIDATION)}
    for check in (fits, None) if fits else (None,):
        for g in order:
            for k, left in room.items() if dealt[g] == TRAIN else ():
                after = [r - n for r, n in zip(left, sizes[g], strict=True)]
                fills = sum(after) >= -0.5 and sum(map(abs, after)) <= sum(map(abs, left))
                if fills and (check is None or check(g, SPLITS[k])):
                    dealt[g], room[k] = k, after
                    break
    for k in [k for k in (VALIDATION, TEST, TRAIN) if k not in dealt]:
        number = Counter(dealt)
        spare = [g for g in order if number[dealt[g]] > 1] or [g for g in order if not dealt[g]]
        for g in sorted(spare, key=lambda g: sum(sizes[g]))[:1]:
            dealt[g] = k
    return dealt


def _spread(
    strata: Sequence[Hashable], groups: Sequence[Sequence[int]], least: float, seed: int
) -> list[int]:
    """The groups in an order in which those of each stratum are spread evenly; rare strata are one."""
    size = Counter(strata)
    of = [strata[own[0]] if size[strata[own[0]]] * least >= 1 else None for own in groups]
    numbers: dict[Hashable, int] = {}
    due = spread(
        np.array([numbers.setdefault(stratum, len(numbers)) for stratum in of], np.int64),
        lambda number: stream(seed, "split", str(number)),
    )
    return [int(group) for group in np.argsort(due, kind="stable")]
