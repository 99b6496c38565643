"""Splits questions into train, validation and test.

Guarantees: in mode ``group`` no group of `rulemine.release.groups` is in two splits, so that no question
gives away an answer of another split, and no (topic, relation, direction), no removed triple and no
unordered pair of topic entity and hard answer is in two splits; a group that is larger than its split should
be, or has a question with too many hard answers, is in train. Within that, sizes are near the ratios
(`sizes_of_splits`), and relations with their directions are spread evenly, in the core as outside.
Mode ``random`` splits single questions at random, by sizes exact to one question; mode ``none`` puts all
into test. No split is empty but in mode ``none``. What the kind ``structures`` drew for a split stays there
in mode ``group``; of the kind ``variants``, seed texts are dealt (`rulemine.kinds.variants.ask`).
Nothing depends on the order of the questions.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

import numpy as np

from rulemine.errors import UserError, counted
from rulemine.kinds.locks import Patterns
from rulemine.kinds.registry import kind_named
from rulemine.release.groups import groups_of
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import SPLITS, Question, Rejection, Unseen
from rulemine.removal.levels import spread
from rulemine.seeds import stream

__all__ = [
    "deal",
    "draw_splits",
    "left_out",
    "sizes_of_splits",
    "split",
    "with_unseen",
    "without_patterns",
]

TRAIN, VALIDATION, TEST = map(SPLITS.index, ("train", "validation", "test"))


def split(
    asked: QuestionSet,
    mode: str,
    ratios: Sequence[int],
    seed: int,
    test_core: int = 0,
    max_facts: int | None = None,
    patterns: Patterns | None = None,
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
        patterns: In mode ``group``, what keeps questions out of validation and test, where there are enough
            others of the core. None: nothing.

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
        most = math.inf if mode == "random" or max_facts is None else max_facts
        few = [own for own in groups if all(len(questions[i].hard) <= most for i in own)]
        if min(len(few) + 1, len(groups)) < len(SPLITS):
            raise UserError(
                f"{counted(len(questions), 'question')} form {counted(len(groups), 'group')} that must "
                "stay together"
                + f", {len(groups) - len(few)} in train for more than {max_facts} hard answers"
                * (len(few) < len(groups))
                + f"; {len(SPLITS)} splits need at least {len(SPLITS)}. Set questions.split to none, or "
                "build from a larger graph or with more rules."
            )
        if mode == "group":
            core = [q.core for q in questions]
            strata = [kind_named(q.kind).splits.dealt_by(q) for q in questions]
            wanted = sizes_of_splits(core, ratios, test_core)
            held = patterns and patterns.anew(int(wanted[TEST][1]))

            def fits(group: int, at: str) -> bool:
                own = [questions[i] for i in few[group]]
                fit = not (held and held.objection(at, *own))
                if held and fit:
                    held.add(at, *own)
                return fit

            dealt = deal(strata, few, wanted, seed, core, fits)
        else:
            dealt = draw_splits(len(questions), ratios, seed)
        chosen = [TRAIN] * len(questions)
        for group, number in zip(few, dealt, strict=True):
            for i in group:
                chosen[i] = number
    of = {q.id: SPLITS[number] for q, number in zip(questions, chosen, strict=True)}
    made = [replace(q, split=of[q.id]) for q in asked.questions]
    return replace(asked, questions=tuple(with_unseen(made)))


def left_out(question: Question, reason: str) -> Rejection:
    """The rejection of a question that fits no split."""
    removed, direction, rule, query = kind_named(question.kind).wording.about(question)
    return Rejection("split", reason, question.id, removed, direction, rule, "", query=query)


def without_patterns(
    asked: QuestionSet,
    patterns: Patterns,
    seed: int,
    kept: Callable[[QuestionSet], QuestionSet],
    note: Callable[[str], object],
) -> QuestionSet:
    """Leaves out of validation and test what tells answers, outside the core first.

    Args:
        asked: Questions with their splits.
        patterns: Without questions.
        seed: Seed of the choice.
        kept: Applies the limits of the kind, which depend on how many questions are left.
        note: Told how many are left out, and why.

    Returns:
        The questions that are left; rejections of the others, of the stage ``split``.
    """
    before = len(asked.rejections)
    while True:
        told = sorted((q for q in asked.questions if q.split != "train"), key=lambda q: q.id)
        core = sum(q.core and q.split == "test" for q in told)
        left, why = patterns.anew(core), dict[str, str]()
        for q in sorted(
            (told[i] for i in stream(seed, "patterns").permutation(len(told))),
            key=lambda q: not q.core,
        ):
            if (objection := left.objection(q.split, q)) is None:
                left.add(q.split, q)
            else:
                why[q.id] = objection
        refused = [left_out(q, why[q.id]) for q in asked.questions if q.id in why]
        made = kept(asked.keep([q for q in asked.questions if q.id not in why], refused))
        if len(made.questions) == len(asked.questions):
            break
        asked = made
    for reason, number in sorted(Counter(r.reason for r in asked.rejections[before:]).items()):
        note(f"split: {counted(number, 'question')} left out: {reason}")
    return made.keep(with_unseen(made.questions), ())


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


def draw_splits(n: int, ratios: Sequence[int], seed: int) -> list[int]:
    """The index of the split of every one of `n` things, at random, by sizes exact to one."""
    sizes = sizes_of_splits([False] * n, ratios, 0)
    return deal([None] * n, [[i] for i in range(n)], sizes, seed, [False] * n)
