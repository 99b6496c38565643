"""Limits how many questions share a hard answer, a relation, or a type of rule.

The limits are fractions of the questions that are left. The core is chosen first, and what is outside it
may use what the core leaves of the limits.

Guarantees: in the whole at most max(1, ⌊fraction · questions left⌋) questions share one of them; and in the
core by itself, for hard answers and relations, so that scores on the core need no other set. The choice is
drawn with the seed and depends on the questions alone, not on their order. A largest such set is hard to
find (matching in three dimensions); this one is near it: with the limits of its recipe the core of FB15k-237
is 1 % smaller than the bound of the linear program, for the sake of scarce types of rules.

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


@dataclass(frozen=True, slots=True)
class Limits:
    """Largest fractions of the questions that may share something, each in (0, 1]; 1: off.

    Attributes:
        answer: The hard answer.
        relation: The relation asked about.
        rule_type: The type and sub-type of the certificate's rule. A limit in the whole alone: in the
            core, one type may well prevail.
        questions: How many questions there may be; 0: off.
    """

    answer: float = 1.0
    relation: float = 1.0
    rule_type: float = 1.0
    questions: int = 0


class _Limit(NamedTuple):
    option: str
    share: float
    core_too: bool
    shared: Callable[[Question], Hashable]
    reason: str
    verb: str
    number: int = 0  # in place of a share

    def most(self, questions: int) -> int:
        """How many of so many questions may share something."""
        return self.number or _most(self.share, questions)


PARTS = ((True, "core questions"), (False, "questions outside the core"))
"""`Question.core` and what texts call the part, in the order in which they are chosen."""

FEW = 3
"""A part of which less than one in so many is left is worth a warning."""

TOO_MANY = "there are more questions than wanted"

SAME_ANSWER = "its hard answer is that of too many questions"


def _active(limits: Limits) -> list[_Limit]:
    """Those that are on, in the order in which a question's rejection names the first that it meets."""
    found = [
        _Limit(
            "questions.max_answer_share",
            limits.answer,
            True,
            lambda q: q.hard_answer,
            SAME_ANSWER,
            "share a hard answer",
        ),
        _Limit(
            "questions.max_relation_share",
            limits.relation,
            True,
            lambda q: q.relations,
            "its relation is that of too many questions",
            "ask about one relation",
        ),
        _Limit(
            "selection.per_type",
            limits.rule_type,
            False,
            _type,
            "its rule is of a type that too many questions have",
            "have rules of one type",
        ),
        _Limit(
            "questions.max_questions",
            1.0,
            False,
            lambda _: None,
            TOO_MANY,
            "are wanted",
            limits.questions,
        ),
    ]
    return [limit for limit in found if limit.share < 1 or limit.number]


def _type(question: Question) -> tuple[str, str]:
    return question.block.rule_type, question.block.rule_subtype


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
    everything = asked.questions
    parts = [
        sorted((q for q in everything if q.core == core), key=lambda q: q.id) for core, _ in PARTS
    ]
    total = len(asked.questions)
    while True:
        chosen: list[Question] = []
        met: list[list[int | None]] = []
        for part, (_, name) in zip(parts, PARTS, strict=True):
            met.append(_largest(part, chosen, active, total, seed, name))
            chosen += [q for q, number in zip(part, met[-1], strict=True) if number is None]
        if len(chosen) >= total or all(limit.core_too or limit.number for limit in active):
            break
        total = len(chosen)
    rejected: dict[str, Rejection] = {}
    for part, numbers, (core, name) in zip(parts, met, PARTS, strict=True):
        for question, number in zip(part, numbers, strict=True):
            if number is not None:
                limit = active[number]
                own = core and limit.core_too
                left = numbers.count(None) if own else len(chosen)
                detail = (
                    f"at most {limit.most(left):,} of the {left:,} "
                    f"{name if own else 'questions'} left {'' if limit.number else 'may '}{limit.verb}"
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
        met = Counter(option_of[reasons[i]] for i in part if reasons.get(i) in option_of)
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
    given = asked.questions
    by_answer: dict[str | None, list[Question]] = {}
    for question in given:
        by_answer.setdefault(question.hard_answer, []).append(question)
    dropped: set[str] = set()
    for answer, questions in by_answer.items():
        if len(questions) > most:
            order = stream(seed, "balance", str(answer)).permutation(len(questions)).tolist()
            dropped.update(questions[i].id for i in order[most:])
    detail = f"at most {most} of {len(asked.questions)} questions may share a hard answer"
    return asked.keep(
        [q for q in asked.questions if q.id not in dropped],
        [_rejection(q, SAME_ANSWER, detail) for q in given if q.id in dropped],
    )


def _rejection(question: Question, reason: str, detail: str) -> Rejection:
    direction, rule = question.block.direction, question.rules[0]
    return Rejection("balance", reason, question.id, question.removed[0], direction, rule, detail)


def _most(share: float, questions: int) -> int:
    # The decimal as written, not its binary approximation: 0.29 of 100 is 29.
    return max(1, math.floor(Fraction(repr(float(share))) * questions))


def _largest(
    questions: Sequence[Question],
    chosen: Sequence[Question],
    limits: Sequence[_Limit],
    total: int,
    seed: int,
    name: str,
) -> list[int | None]:
    """A large set of questions that, with those chosen before, is within the limits.

    A limit depends on how many are left. For a limit in the whole alone these are `total`. For the others
    a number is assumed, from the largest that each limit alone allows downward, and questions are taken
    as long as the limits that go with it allow, those first that compete with the fewest. If as many are
    left as were assumed, they are within the limits; if not, as many as were left are assumed next.

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
    names: dict[Hashable, int] = {}
    types = np.array([names.setdefault(_type(q), len(names)) for q in questions])
    # Scarce types go before others, so that the limits leave them large enough to be reported. Half the
    # weight of a limit: with the full one the core of FB15k-237 loses 2 % more questions. (A product and
    # roots, not logarithms: their last bits are the same on every machine.)
    scarce = np.sqrt(np.bincount(types)[types])
    draw = stream(seed, "balance", name).permutation(len(questions))
    assumed = len(questions)
    while True:
        now = len(chosen) + assumed
        most = [limit.most(now if limit.core_too else total) for limit in limits]
        rooms = [m - u for m, u in zip(most, used, strict=True)]
        bound = min(int(np.minimum(n, r).sum()) for n, r in zip(counts, rooms, strict=True))
        if bound < assumed:
            assumed = bound
            continue
        crowd = scarce.copy()
        for n, room, column in zip(counts, rooms, columns, strict=True):
            # Without room the place in the order does not matter.
            crowd *= np.maximum(n / np.maximum(room, 1), 1.0)[column]
        order = np.lexsort((draw, crowd))
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
