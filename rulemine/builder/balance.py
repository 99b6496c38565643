"""Limits how many questions share a hard answer (Algorithm 1 of arXiv 2508.08344).

Guarantee: for every entity at most max(1, ⌊τ·|Q|⌋) questions stay, drawn with the seed, where |Q| is
the number of questions before balancing; τ = 1 changes nothing. The draw for one entity does not depend
on the others.
"""

import math
from fractions import Fraction

from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Question, Rejection
from rulemine.seeds import stream

__all__ = ["balance"]

TOO_MANY = "its hard answer is that of too many questions"


def balance(asked: QuestionSet, max_answer_share: float, seed: int) -> QuestionSet:
    """Drops questions until no hard answer has too large a fraction of them.

    Args:
        asked: The questions.
        max_answer_share: τ, 0 < τ ≤ 1.
        seed: Seed of the draw of the questions that stay.

    Returns:
        The questions that stay, with their ids, and the others as rejections.
    """
    # The decimal as written, not its binary approximation: 0.29 of 100 is 29.
    limit = max(1, math.floor(Fraction(repr(float(max_answer_share))) * len(asked.questions)))
    by_answer: dict[str, list[Question]] = {}
    for question in asked.questions:
        by_answer.setdefault(question.hard_answer or "", []).append(question)
    dropped: set[str] = set()
    for answer, questions in by_answer.items():
        if len(questions) > limit:
            order = stream(seed, "balance", answer).permutation(len(questions)).tolist()
            dropped.update(questions[i].id for i in order[limit:])
    detail = f"at most {limit} of {len(asked.questions)} questions may share a hard answer"
    return asked.keep(
        [q for q in asked.questions if q.id not in dropped],
        [
            Rejection(
                "balance", TOO_MANY, q.id, q.rules.removed, q.rules.direction, q.rules.rule, detail
            )
            for q in asked.questions
            if q.id in dropped
        ],
    )
