"""Keeps questions of a structure from being about the same few anchors, relations and answers.

Guarantee: of the questions that are left, at most max(1, ⌊share · questions left⌋) have one in common.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from rulemine.release.records import Question

__all__ = ["apportioned", "most_sharing", "shared_by", "within_limit"]


def shared_by(question: Question) -> Iterator[str]:
    """What no more than a fraction of the questions may share; each with a letter for what it is."""
    yield from (f"e{name}" for name in question.anchors)
    yield from (f"r{name}" for name in question.relations)
    yield from (f"a{name}" for name in question.answers)


def most_sharing(share: float, size: int) -> int:
    """The most questions, of so many, that may share something."""
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
