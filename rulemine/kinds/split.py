"""Splits questions into train, validation and test.

In mode ``group`` no group of `rulemine.release.groups` is in two splits, so that no question gives away an
answer of another split, and no (topic, relation, direction), no removed triple and no unordered pair of topic
entity and hard answer is in two splits; a group that is larger than its split should be, or has a question
with too many hard answers, is in train. Sizes are near the ratios, and relations with their directions are
spread evenly, in the core as outside. What was dealt when it was asked stays in its split. Mode ``random``
splits single questions at random, by sizes exact to one question; mode ``none`` puts all into test. No split
is empty but in mode ``none``. Nothing depends on the order of the questions.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

import numpy as np

from rulemine.errors import UserError, counted
from rulemine.kinds.bounds import Bounds
from rulemine.kinds.dealing import DRAWN, Dealable, Share, deal, fill_empty
from rulemine.kinds.registry import kind_named
from rulemine.release.groups import groups_of
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import SPLITS, Question, Rejection, Unseen
from rulemine.removal.levels import spread
from rulemine.seeds import stream

__all__ = [
    "draw_splits",
    "left_out",
    "split",
    "with_unseen",
    "within_bounds",
]


def split(
    questions: Sequence[Question],
    mode: str,
    ratios: Sequence[int],
    seed: int,
    test_core: int = 0,
    max_facts: int | None = None,
    bounds: Callable[[int], Bounds] = lambda _core: Bounds(),
) -> list[Question]:
    """Assigns a split to every question, and says what it has that no training question has.

    Args:
        questions: The questions.
        mode: ``group``, ``random`` or ``none``.
        ratios: Three integers ≥ 1: sizes of train, validation and test relative to each other.
        seed: Seed of the random choices.
        test_core: In mode ``group``, how many questions of the core test should have, at most a third of
            them; validation gets a third as many; each of them no less than by the ratios.
        max_facts: In mode ``group``, most hard answers of a validation or test question of one link; groups
            with others are in train. None: any number.
        bounds: In mode ``group``, what validation and test may have, given how many questions of the core
            test should have.

    Returns:
        The same questions in the same order, with `Question.split` and `Question.unseen`. In mode
        ``none``, where there is nothing to train on, nothing is called unseen.

    Raises:
        UserError: There are fewer groups than splits, or fewer than two that need not be in train.
    """
    ordered = sorted(questions, key=lambda q: q.id)
    if mode == "none":
        of = {q.id: "test" for q in ordered}
    elif mode == "random":
        of = _of_groups([[q] for q in ordered], ratios, seed)
    elif ordered and all(q.split for q in ordered):
        of = {q.id: q.split for q in ordered}
    else:
        groups = [[ordered[i] for i in own] for own in groups_of(ordered)]
        of = _of_groups(groups, ratios, seed, test_core, max_facts, bounds)
    return with_unseen([replace(q, split=of[q.id]) for q in questions])


def _of_groups(
    groups: Sequence[Sequence[Question]],
    ratios: Sequence[int],
    seed: int,
    test_core: int = 0,
    max_facts: int | None = None,
    bounds: Callable[[int], Bounds] = lambda _core: Bounds(),
) -> dict[str, str]:
    """The split of each question, by its id; arguments as of `split`."""
    questions = [q for own in groups for q in own]
    few = [max_facts is None or all(len(q.hard) <= max_facts for q in own) for own in groups]
    if min(sum(few) + 1, len(groups)) < len(SPLITS):
        raise UserError(
            f"{counted(len(questions), 'question')} form {counted(len(groups), 'group')} that must "
            "stay together"
            + f", {few.count(False)} in train for more than {max_facts} hard answers"
            * (not all(few))
            + f"; {len(SPLITS)} splits need at least {len(SPLITS)}. Set questions.split to none, or "
            "build from a larger graph or with more rules."
        )
    strata = [_likeness(own[0]) for own in groups]
    order = _spread(strata, min(ratios) / sum(ratios), seed)
    candidates = [
        Dealable(
            "", "", frozenset(), frozenset(), sum(q.core for q in groups[g]),
            DRAWN if few[g] else ("train",), len(groups[g]),
        )
        for g in order
    ]  # fmt: skip
    core = sum(q.core for q in questions)
    asked, plan = min(test_core, core // 3), dict[str, Share]()
    for split, own in (("test", asked), ("validation", asked / 3)):
        share = ratios[SPLITS.index(split)] / sum(ratios)
        of_core = max(core * share, own)
        size = round((len(questions) - core) * share + of_core)
        plan[split] = Share({"": size}, size, round(of_core))
    plan["train"] = Share({"": len(questions)}, len(questions))
    held = bounds(plan["test"].core)

    def take(i: int, split: str) -> str | None:
        if split == "train":
            return None
        if (why := held.objection(split, *groups[order[i]])) is None:
            held.add(split, *groups[order[i]])
        return why

    split_of, _ = deal(candidates, plan, take)
    fill_empty(candidates, split_of)
    return {q.id: split_of[i] for i, g in enumerate(order) for q in groups[g]}


def left_out(question: Question, reason: str) -> Rejection:
    """The rejection of a question that fits no split."""
    removed, direction, rule, query = kind_named(question.kind).wording.about(question)
    return Rejection("split", reason, question.id, removed, direction, rule, "", query=query)


def within_bounds(
    asked: QuestionSet,
    bounds: Callable[[int], Bounds],
    seed: int,
    kept: Callable[[QuestionSet], QuestionSet],
    note: Callable[[str], object],
) -> QuestionSet:
    """Leaves out of validation and test what tells answers, outside the core first.

    Args:
        asked: Questions with their splits.
        bounds: What validation and test may have, given how many questions of the core test has.
        seed: Seed of the choice.
        kept: Applies the limits of the kind, which depend on how many questions are left.
        note: Told how many are left out, and why.

    Returns:
        The questions that are left; rejections of the others, of the stage ``split``.
    """
    before = len(asked.rejections)
    while True:
        told = sorted((q for q in asked.questions if q.split != "train"), key=lambda q: q.id)
        left, why = bounds(sum(q.core and q.split == "test" for q in told)), dict[str, str]()
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


def _likeness(q: Question) -> Hashable:
    """Relation, direction, and whether it is in the core: each split has its share of all that are alike."""
    return q.core, q.relations, bool(q.removed) and q.removed[0][0] == q.hard_answer


def _spread(strata: Sequence[Hashable], least: float, seed: int) -> list[int]:
    """Places in an order in which those of each stratum are spread evenly; rare strata are one."""
    size = Counter(strata)
    of = [stratum if size[stratum] * least >= 1 else None for stratum in strata]
    numbers: dict[Hashable, int] = {}
    due = spread(
        np.array([numbers.setdefault(stratum, len(numbers)) for stratum in of], np.int64),
        lambda number: stream(seed, "split", str(number)),
    )
    return [int(place) for place in np.argsort(due, kind="stable")]


def draw_splits(n: int, ratios: Sequence[int], seed: int) -> list[int]:
    """The index of the split of every one of `n` things, at random, by sizes exact to one."""
    sizes = [round(n * ratio / sum(ratios)) for ratio in ratios[1:]]
    sizes = [max(size, n >= len(SPLITS)) for size in sizes]
    numbers = np.repeat(range(len(SPLITS)), [n - sum(sizes), *sizes])
    return [int(numbers[i]) for i in stream(seed, "split").permutation(n)]
