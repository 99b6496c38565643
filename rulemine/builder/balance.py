"""Limits how many questions share a hard answer, a relation, or a type of rule.

The limits are fractions of the questions that are left. They hold in the core by itself, so that scores on
the core need no other set, and in the whole: the core is chosen first, and what is outside it may use what
the core leaves of the limits.

Guarantees: in the core and in the whole at most max(1, ⌊fraction · questions left⌋) questions share one of
them; the choice is drawn with the seed and depends on the questions alone, not on their order. A largest
such set is hard to find (matching in three dimensions); this one is near it: on FB15k-237 as large as the
bound of the linear program, under each of six combinations of limits.

`balance_as_published` is Algorithm 1 of arXiv 2508.08344: for every entity at most max(1, ⌊τ·|Q|⌋)
questions stay, where |Q| is the number of questions before balancing.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Question, Rejection
from rulemine.seeds import stream

Ints = npt.NDArray[np.int64]

__all__ = ["Limits", "balance", "balance_as_published", "explain_few"]

RARE_TYPE = 300
"""A type of rule with no more questions than this goes before others where a limit chooses, so that it
stays large enough to be reported by itself."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Largest fractions of the questions that may share something, each in (0, 1]; 1: off.

    Attributes:
        answer: The hard answer.
        relation: The relation asked about.
        rule_type: The type and sub-type of the certificate's rule.
    """

    answer: float = 1.0
    relation: float = 1.0
    rule_type: float = 1.0


class _Limit(NamedTuple):
    option: str
    share: float
    shared: Callable[[Question], Hashable]
    reason: str
    verb: str


PARTS = ((True, "core questions"), (False, "questions outside the core"))
"""`Question.core` and what texts call the part, in the order in which they are chosen."""

FEW = 3
"""A part of which less than one in so many is left is worth a warning."""

SAME_ANSWER = "its hard answer is that of too many questions"


def _active(limits: Limits) -> list[_Limit]:
    """Those that are on, in the order in which a question's rejection names the first that it meets."""
    found = [
        _Limit(
            "questions.max_answer_share",
            limits.answer,
            lambda q: q.hard_answer,
            SAME_ANSWER,
            "share a hard answer",
        ),
        _Limit(
            "questions.max_relation_share",
            limits.relation,
            lambda q: q.rules.relation,
            "its relation is that of too many questions",
            "ask about one relation",
        ),
        _Limit(
            "selection.per_type",
            limits.rule_type,
            _type,
            "its rule is of a type that too many questions have",
            "have rules of one type",
        ),
    ]
    return [limit for limit in found if limit.share < 1]


def _type(question: Question) -> tuple[str, str]:
    return question.rules.rule_type, question.rules.rule_subtype


def balance(asked: QuestionSet, limits: Limits, seed: int) -> QuestionSet:
    """Drops questions until no more than the given fractions of those left share something.

    Args:
        asked: The questions.
        limits: The fractions.
        seed: Seed of the choice of the questions that stay.

    Returns:
        The questions that stay, with their ids, and the others as rejections.
    """
    active = _active(limits)
    if not active:
        return asked
    rejected: dict[str, Rejection] = {}
    chosen: list[Question] = []
    for core, name in PARTS:
        part = sorted((q for q in asked.questions if q.core == core), key=lambda q: q.id)
        met = _largest(part, chosen, active, seed, name)
        chosen += [q for q, number in zip(part, met, strict=True) if number is None]
        left = f"{len(chosen):,} {name if core else 'questions'} left"
        for question, number in zip(part, met, strict=True):
            if number is not None:
                limit = active[number]
                detail = (
                    f"at most {_most(limit.share, len(chosen)):,} of the {left} may {limit.verb}"
                )
                rejected[question.id] = _rejection(question, limit.reason, detail)
    return asked.keep(
        [q for q in asked.questions if q.id not in rejected],
        [rejected[q.id] for q in asked.questions if q.id in rejected],
    )


def explain_few(before: QuestionSet, after: QuestionSet) -> str:
    """Says which limits leave few questions.

    Args:
        before: The input of `balance`.
        after: Its output.

    Returns:
        Sentences, or "" if a third of each part is left.
    """
    option_of = {limit.reason: limit.option for limit in _active(Limits(0.5, 0.5, 0.5))}
    reasons = {r.question: r.reason for r in after.rejections[len(before.rejections) :]}
    found = []
    for core, name in PARTS:
        part = [q.id for q in before.questions if q.core == core]
        met = Counter(option_of[reasons[i]] for i in part if i in reasons)
        left = len(part) - met.total()
        if left * FEW < len(part):
            by = ", ".join(f"{n:,} by {key}" for key, n in met.most_common())
            found.append(f"{left:,} of {len(part):,} {name} are left ({by})")
    if not found:
        return ""
    return (
        f"{'; '.join(found)}. A limit p keeps many only where more than 1/p answers, relations or types have "
        "many questions; raise it, or turn it off with 1."
    )


def balance_as_published(asked: QuestionSet, max_answer_share: float, seed: int) -> QuestionSet:
    """Drops questions until no hard answer has too large a fraction of those there were (Algorithm 1).

    The draw for one entity does not depend on the others.

    Args:
        asked: The questions.
        max_answer_share: τ, 0 < τ ≤ 1; 1 changes nothing.
        seed: Seed of the draw of the questions that stay.

    Returns:
        As `balance`.
    """
    most = _most(max_answer_share, len(asked.questions))
    by_answer: dict[str | None, list[Question]] = {}
    for question in asked.questions:
        by_answer.setdefault(question.hard_answer, []).append(question)
    dropped: set[str] = set()
    for answer, questions in by_answer.items():
        if len(questions) > most:
            order = stream(seed, "balance", str(answer)).permutation(len(questions)).tolist()
            dropped.update(questions[i].id for i in order[most:])
    detail = f"at most {most} of {len(asked.questions)} questions may share a hard answer"
    return asked.keep(
        [q for q in asked.questions if q.id not in dropped],
        [_rejection(q, SAME_ANSWER, detail) for q in asked.questions if q.id in dropped],
    )


def _rejection(question: Question, reason: str, detail: str) -> Rejection:
    block = question.rules
    return Rejection(
        "balance", reason, question.id, block.removed, block.direction, block.rule, detail
    )


def _most(share: float, questions: int) -> int:
    # The decimal as written, not its binary approximation: 0.29 of 100 is 29.
    return max(1, math.floor(Fraction(repr(float(share))) * questions))


def _largest(
    questions: Sequence[Question],
    chosen: Sequence[Question],
    limits: Sequence[_Limit],
    seed: int,
    name: str,
) -> list[int | None]:
    """A large set of questions that, with those chosen before, is within the limits.

    The limits depend on how many are left. So a number is assumed, from the largest that each limit alone
    allows downward, and questions are taken as long as the limits that go with it allow, those first that
    compete with the fewest. If as many are left as were assumed, they are within the limits; if not, as
    many as were left are assumed next.

    Returns:
        For every question the index of the limit that it met, or None if it stays.
    """
    if not questions:
        return []
    columns: list[Ints] = []
    counts: list[Ints] = []
    used: list[Ints] = []
    for limit in limits:
        numbers: dict[Hashable, int] = {}
        of_each = [numbers.setdefault(limit.shared(q), len(numbers)) for q in questions]
        before = Counter(map(limit.shared, chosen))
        columns.append(np.array(of_each))
        counts.append(np.bincount(of_each))
        used.append(np.array([before[value] for value in numbers]))
    types = Counter(map(_type, questions))
    common = np.array([types[_type(q)] > RARE_TYPE for q in questions], bool)
    draw = stream(seed, "balance", name).permutation(len(questions))
    assumed = len(questions)
    while True:
        most = [_most(limit.share, len(chosen) + assumed) for limit in limits]
        rooms = [m - u for m, u in zip(most, used, strict=True)]
        bound = min(int(np.minimum(n, r).sum()) for n, r in zip(counts, rooms, strict=True))
        if bound < assumed:
            assumed = bound
            continue
        crowd = np.zeros(len(questions))
        for n, room, column in zip(counts, rooms, columns, strict=True):
            # Without room the place in the order does not matter.
            crowd += np.maximum(n / np.maximum(room, 1), 1.0)[column]
        order = np.lexsort((draw, crowd, common))
        met = _take(order.tolist(), columns, rooms)
        left = met.count(None)
        if left >= assumed:
            return met
        assumed = left


def _take(order: Sequence[int], columns: Sequence[Ints], rooms: Sequence[Ints]) -> list[int | None]:
    """Takes questions in order while there is room; for each the limit that it met, or None."""
    room: list[list[int]] = [numbers.tolist() for numbers in rooms]
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    met: list[int | None] = [None] * len(order)
    for i in order:
        full = [k for k, value in enumerate(rows[i]) if not room[k][value]]
        if full:
            met[i] = full[0]
            continue
        for k, value in enumerate(rows[i]):
            room[k][value] -= 1
    return met
