"""Splits questions into train, validation and test.

Guarantees: in mode ``group`` no group of `rulemine.release.groups` is in two splits, so that no question
gives away an answer of another split, and no (topic, relation, direction), no removed triple and no
unordered pair of topic entity and hard answer is in two splits; a group that is larger than its split should
be is in train. Within that, sizes are near the ratios; relations with their directions, types
of rules and the core are distributed as in the whole, and relations and types of the core as in the core.
Where test is to have so many questions of the core, the core has ratios of its own (`core_shares`).
Mode ``random`` splits single questions at random, by sizes exact to one question; mode ``none`` puts all
into test. No split is empty but in mode ``none``. What the kind ``structures`` drew for a split stays there
in mode ``group``; of the kind ``variants``, seed texts are dealt (`rulemine.kinds.variants.ask`).
Nothing depends on the order of the questions.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from dataclasses import replace

from rulemine.errors import UserError, counted
from rulemine.kinds.registry import kind_named
from rulemine.release.groups import groups_of
from rulemine.release.overlap import compare_splits
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import SPLITS, Question, Unseen
from rulemine.seeds import stream

__all__ = ["deal", "explain_lopsided", "split", "with_unseen"]

TRAIN, TEST = SPLITS.index("train"), SPLITS.index("test")

FAR = 0.1
"""How much farther from the whole than at random is worth a warning, as a total variation distance."""

SIZE_WEIGHT = 10.0
"""Of the size of a split against one stratum. On FB15k-237 it brings sizes within half a percent of the
ratios; with 100, relations are up to twice as far from the whole."""

CORE_WEIGHT = 100.0
"""Of its part of the core likewise: test has what is asked for, to a few questions."""


def split(
    asked: QuestionSet,
    mode: str,
    ratios: Sequence[int],
    seed: int,
    test_core: int = 0,
    max_facts: int | None = None,
) -> QuestionSet:
    """Assigns a split to every question, and says what it has that no training question has.

    Args:
        asked: The questions.
        mode: ``group``, ``random`` or ``none``.
        ratios: Three integers ≥ 1: sizes of train, validation and test relative to each other.
        seed: Seed of the random choices.
        test_core: In mode ``group``, how many questions of the core test should have; 0: its share.
        max_facts: In mode ``group``, most hard answers of a validation or test question of one link; groups
            with others are in train. None: any number.

    Returns:
        The same questions in the same order, with `Question.split` and `Question.unseen`. In mode
        ``none``, where there is nothing to train on, nothing is called unseen.

    Raises:
        UserError: There are fewer groups than splits, or fewer than two that need not be in train.
    """
    questions = sorted(asked.questions, key=lambda q: q.id)
    if mode == "none":
        chosen = [TEST] * len(questions)
    elif mode == "group" and questions and all(q.split for q in questions):
        chosen = [SPLITS.index(q.split) for q in questions]
    else:
        groups = groups_of(questions) if mode == "group" else [[i] for i in range(len(questions))]
        many = {
            g
            for g, group in enumerate(groups)
            if mode == "group"
            and max_facts is not None
            and any(len(questions[i].hard) > max_facts for i in group)
        }
        if len(groups) < len(SPLITS) or len(groups) - len(many) < len(SPLITS) - 1:
            raise UserError(
                f"{counted(len(questions), 'question')} form {counted(len(groups), 'group')} that must "
                "stay together"
                + f", {len(many)} in train for more than {max_facts} hard answers"
                * bool(many)
                + f"; {len(SPLITS)} splits need at least {len(SPLITS)}. Set questions.split to none, or "
                "build from a larger graph or with more rules."
            )
        if mode == "group":
            core = [q.core for q in questions]
            shares = core_shares(sum(core), ratios, test_core)
            strata = [kind_named(q.kind).splits.dealt_by(q) for q in questions]
            dealt = _Deal(strata, groups, ratios, seed, core, shares, many).made()
        else:
            dealt = draw_splits(len(questions), ratios, seed)
        chosen = [0] * len(questions)
        for group, number in zip(groups, dealt, strict=True):
            for i in group:
                chosen[i] = number
    of = {q.id: SPLITS[number] for q, number in zip(questions, chosen, strict=True)}
    made = [replace(q, split=of[q.id]) for q in asked.questions]
    return replace(asked, questions=tuple(with_unseen(made)))


def explain_lopsided(questions: Sequence[Question], ratios: Sequence[int]) -> str:
    """Says how far validation and test are from the whole, if groups are too large to be split well.

    Args:
        questions: The questions, with their splits of mode ``group``.
        ratios: As for `split`.

    Returns:
        A sentence; "" if no group is larger than a split should be, and relations are at most `FAR`
        farther from the whole than those of questions drawn at random.
    """
    sizes = sorted(map(len, groups_of(questions)), reverse=True)
    rows = [row for row in compare_splits(questions) if row.split != "train"]
    large = sum(size > len(questions) * min(ratios) / sum(ratios) for size in sizes)
    far = any(row.distances["relation"] > row.at_random["relation"] + FAR for row in rows)
    if not large and not far:
        return ""
    largest = ", ".join(map(str, sizes[:3]))
    figures = "; ".join(
        f"{row.split}: {counted(row.questions, 'question')}, distance of its relations from the whole "
        f"{row.distances['relation']:.2f}, at random {row.at_random['relation']:.2f}"
        for row in rows
    )
    return (
        f"the largest groups of questions that must stay together have {largest} of {len(questions):,}"
        + f"; {large:,} larger than a split should be: all in train" * bool(large)
        + f". {figures}. For rows at random, where training gives away answers of test, set "
        "questions.split to random."
    )


def with_unseen(questions: Sequence[Question]) -> list[Question]:
    """The questions with what they have that no training question has; their splits are known."""
    train = [q for q in questions if q.split == "train"]
    rules = {rule for q in train for rule in q.rules}
    relations = {relation for q in train for relation in q.relations}
    answers = {None, *(answer for q in train for answer in q.hard_answers)}
    return [
        replace(
            q,
            unseen=Unseen(
                rule=bool(train) and not rules.issuperset(q.rules),
                relation=bool(train) and not relations.issuperset(q.relations),
                answer=bool(train) and q.hard_answer not in answers,
            ),
        )
        for q in questions
    ]


def core_shares(core: int, ratios: Sequence[int], test_core: int) -> list[float]:
    """The fraction of the core that each split gets.

    Test gets `test_core` questions, but at most a third of the core, validation a third as many, each of them
    no less than by the ratios, and train the rest.

    Args:
        core: The number of questions of the core.
        ratios: As for `split`.
        test_core: As for `split`.
    """
    shares = [ratio / sum(ratios) for ratio in ratios]
    if test_core and core:
        test = max(shares[TEST], min(test_core, core // 3) / core)
        validation = max(shares[1], min(test_core, core // 3) / 3 / core)
        shares = [1 - validation - test, validation, test]
    return shares


def deal(
    strata: Sequence[tuple[Hashable, ...]],
    groups: Sequence[Sequence[int]],
    ratios: Sequence[int],
    seed: int,
    core: Sequence[bool] = (),
    core_shares: Sequence[float] = (),
) -> list[int]:
    """The index of the split of every group, so that each split is near its share of every stratum.

    Args:
        strata: The strata of each question, pairs of a name and a value; the same names for all.
        groups: Positions of the questions of each group; at least as many groups as ratios.
        ratios: Sizes of the splits relative to each other, ≥ 1; the first is train, which takes what is
            larger than its split should be.
        seed: Seed of the random choices.
        core: Whether each question is of the core; empty: none is.
        core_shares: The fraction of the core that each split gets; empty: as the ratios say.
    """
    return _Deal(strata, groups, ratios, seed, core, core_shares).made()


def draw_splits(n: int, ratios: Sequence[int], seed: int) -> list[int]:
    """The index of the split of every one of `n` things, at random, by sizes exact to one."""
    wanted = [n * ratio / sum(ratios) for ratio in ratios]
    sizes = [max(1, int(size)) for size in wanted]
    while (lack := n - sum(sizes)) > 0:
        sizes[max(range(len(sizes)), key=lambda k: (wanted[k] - sizes[k], k))] += 1
    if lack < 0:
        sizes[sizes.index(max(sizes))] += lack
    numbers = [k for k, size in enumerate(sizes) for _ in range(size)]
    chosen = [0] * n
    for i, number in zip(stream(seed, "split").permutation(n).tolist(), numbers, strict=True):
        chosen[i] = number
    return chosen


class _Deal:
    """Deals groups to splits, so that each split is near its share of every stratum.

    What is made small is the sum, over splits and strata, of (questions − wanted)² / wanted; the size is
    a stratum too. Largest groups first, each to the split where it adds least; then single groups move
    as long as one helps.

    Args:
        of_each: The strata of each question.
        groups: Their groups, at least as many as splits.
        ratios: As for `split`.
        seed: As for `split`; among groups of one size, the draw says which is dealt first.
        core: Whether each question is of the core; empty: none is.
        core_shares: The fraction of the core that each split gets; empty: as the ratios say.
        for_train: Positions of the groups that must be in train; at least two need not.
    """

    def __init__(
        self,
        of_each: Sequence[tuple[Hashable, ...]],
        groups: Sequence[Sequence[int]],
        ratios: Sequence[int],
        seed: int,
        core: Sequence[bool] = (),
        core_shares: Sequence[float] = (),
        for_train: Collection[int] = (),
    ) -> None:
        self.splits = range(len(ratios))
        shares = [ratio / sum(ratios) for ratio in ratios]
        core = core or [False] * len(of_each)
        core_shares = core_shares or shares
        whole = Counter(stratum for row in of_each for stratum in row)
        size = ("size", len(of_each))
        # Strata that the smallest split should have less than one question of are one: no split can
        # have its share of each, but it can have its share of all of them.
        name = {
            s: s if n * min(shares) >= 1 else (s[0], "rare")  # type: ignore[index]
            for s, n in whole.items()
        }
        merged = [[*(name[s] for s in row), size] for row in of_each]
        numbers: dict[Hashable, int] = {}
        for row in merged:
            for stratum in row:
                numbers.setdefault(stratum, len(numbers))
        self.counts = [
            list(Counter(numbers[s] for i in group for s in merged[i]).items()) for group in groups
        ]
        totals = Counter(numbers[s] for row in merged for s in row)
        in_core = Counter(
            numbers[s] for row, is_core in zip(merged, core, strict=True) if is_core for s in row
        )
        self.wanted = [
            [totals[s] * share + in_core[s] * (own - share) for s in range(len(numbers))]
            for share, own in zip(shares, core_shares, strict=True)
        ]
        own: dict[Hashable, float] = {size: SIZE_WEIGHT, ("core", True): CORE_WEIGHT}
        self.weights = [own.get(stratum, 1.0) for stratum in numbers]
        self.off = [[-wanted for wanted in row] for row in self.wanted]
        sizes = [len(group) for group in groups]
        fits = [wanted[numbers[size]] for wanted in self.wanted]
        self.for_train = for_train
        self.allowed = [
            [k for k in self.splits if k == TRAIN or (n <= fits[k] and g not in for_train)]
            for g, n in enumerate(sizes)
        ]
        order = stream(seed, "split").permutation(len(groups)).tolist()
        self.order = sorted(order, key=lambda g: -sizes[g])
        self.dealt = [-1] * len(groups)
        self.groups_in = [0] * len(shares)

    def made(self) -> list[int]:
        """The index of the split of every group."""
        for group in self.order:
            self._put(group, min(self.allowed[group], key=lambda k: (self._cost(group, k), -k)))
        for k in self.splits:
            if not self.groups_in[k]:
                free = [g for g in reversed(self.order) if k == TRAIN or g not in self.for_train]
                having = Counter(self.dealt[g] for g in free)
                giver = max(self.splits, key=lambda j: (having[j], -j))
                self._put(next(g for g in free if self.dealt[g] == giver), k)
        while sum(map(self._improve, self.order)):
            pass  # another round
        return self.dealt

    def _improve(self, group: int) -> bool:
        """Moves a group to the split where it costs least; whether that is another one than before."""
        now = self.dealt[group]
        if self.groups_in[now] == 1:
            return False
        self._take(group)
        costs = {k: self._cost(group, k) for k in self.allowed[group]}
        best = min(costs, key=lambda k: (costs[k], -k))
        better = now not in costs or costs[best] < costs[now] - 1e-9
        self._put(group, best if better else now)
        return better

    def _cost(self, group: int, k: int) -> float:
        """What a group that is in no split adds to the sum in split `k`."""
        off, wanted, weights = self.off[k], self.wanted[k], self.weights
        return sum(weights[s] * (2 * off[s] + n) * n / wanted[s] for s, n in self.counts[group])

    def _put(self, group: int, k: int) -> None:
        self._take(group)
        self.dealt[group] = k
        self.groups_in[k] += 1
        for s, n in self.counts[group]:
            self.off[k][s] += n

    def _take(self, group: int) -> None:
        if (k := self.dealt[group]) >= 0:
            self.dealt[group] = -1
            self.groups_in[k] -= 1
            for s, n in self.counts[group]:
                self.off[k][s] -= n
