"""What questions of a split share with the training questions, and how far a split is from the whole.

Guarantees: the figures depend on the questions alone, not on their order or the naming; fractions and
distances are in [0, 1].
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from math import exp, floor, lgamma

from rulemine.release.records import SPLITS, Question, RuleQuestion

__all__ = [
    "Distances",
    "Overlap",
    "SplitFigures",
    "compare_splits",
    "distance",
    "distance_at_random",
]


@dataclass(frozen=True, slots=True)
class Overlap:
    """The fraction of the questions of a split of which something occurs in a training question.

    Attributes:
        topic: A topic entity, as a topic entity.
        answer: The hard answer, as a hard answer: one asked for, or another that the question has.
        pair: Topic entity and hard answer, in either role: 0 where splits keep groups together.
        relation: The relation asked about, in either direction.
        rule: The rule of the certificate.
    """

    topic: float
    answer: float
    pair: float
    relation: float
    rule: float


@dataclass(frozen=True, slots=True)
class Distances:
    """Total variation distances of a split from all questions: half the sum of differences of fractions.

    Attributes:
        relation: Of the distribution of relations.
        direction: Of relations with the direction asked for.
        rule_type: Of types of rules with their sub-types.
        core: Of the core and the others.
    """

    relation: float
    direction: float
    rule_type: float
    core: float


@dataclass(frozen=True, slots=True)
class SplitFigures:
    """Figures of a split.

    Attributes:
        split: Its name.
        questions: Its questions, ≥ 1.
        core: How many of them are in the core.
        unseen_rule: How many have a rule that no training question has.
        unseen_relation: Likewise a relation.
        unseen_answer: Likewise a hard answer.
        overlap: With train; None for train itself, and without training questions.
        distances: From the whole.
        at_random: The distances that as many questions drawn at random have on average.
    """

    split: str
    questions: int
    core: int
    unseen_rule: int
    unseen_relation: int
    unseen_answer: int
    overlap: Overlap | None
    distances: Distances
    at_random: Distances


def _direction(question: Question) -> Hashable:
    own = question.rules.direction if isinstance(question, RuleQuestion) else ""
    return question.relations, own


def _type(question: Question) -> Hashable:
    if not isinstance(question, RuleQuestion):
        return question.structure
    return question.rules.rule_type, question.rules.rule_subtype


_STRATA: dict[str, Callable[[Question], Hashable]] = {
    "relation": lambda q: q.relations,
    "direction": _direction,
    "rule_type": _type,
    "core": lambda q: q.core,
}


def compare_splits(questions: Sequence[Question]) -> tuple[SplitFigures, ...]:
    """Compares the splits with train and with the whole.

    Args:
        questions: All questions of a release, with their splits.

    Returns:
        One row for every split that has questions, in the order of `SPLITS`.
    """
    whole = {name: Counter(map(of, questions)) for name, of in _STRATA.items()}
    train = [q for q in questions if q.split == "train"]
    seen: tuple[set[Hashable], ...] = tuple(set() for _ in range(5))
    for question in train:
        for known, own in zip(seen, _features(question, question.hard_answers), strict=True):
            known.update(own)
    rows = []
    for name in SPLITS:
        part = [q for q in questions if q.split == name]
        if not part:
            continue
        overlap = None
        if train and name != "train":
            asked_for = [_features(q, (q.hard_answer,)) for q in part]
            overlap = Overlap(
                *(
                    sum(not seen[k].isdisjoint(row[k]) for row in asked_for) / len(part)
                    for k in range(5)
                )
            )
        rows.append(
            SplitFigures(
                name,
                len(part),
                sum(q.core for q in part),
                sum(q.unseen.rule for q in part),
                sum(q.unseen.relation for q in part),
                sum(q.unseen.answer for q in part),
                overlap,
                Distances(**{n: distance(map(of, part), whole[n]) for n, of in _STRATA.items()}),
                Distances(**{n: distance_at_random(whole[n], len(part)) for n in _STRATA}),
            )
        )
    return tuple(rows)


def _features(
    question: Question, answers: tuple[str | None, ...]
) -> tuple[tuple[Hashable, ...], ...]:
    """What may overlap, in the order of the fields of `Overlap`, with these of its hard answers."""
    return (
        question.anchors,
        answers,
        tuple(frozenset((anchor, answer)) for anchor in question.anchors for answer in answers),
        question.relations,
        question.rule_ids,
    )


def distance(part: Iterable[Hashable], whole: Counter[Hashable]) -> float:
    """The total variation distance of the distribution of a part from that of the whole.

    Args:
        part: The value of every question of the part; at least one, each also in the whole.
        whole: How often each value occurs in the whole.
    """
    counts = Counter(part)
    n, total = counts.total(), whole.total()
    # Whole numbers until the end: the sum does not depend on the order.
    return sum(abs(counts[v] * total - of_all * n) for v, of_all in whole.items()) / (2 * n * total)


def distance_at_random(whole: Counter[Hashable], n: int) -> float:
    """The expected `distance` of `n` questions drawn from the whole without replacement."""
    total = whole.total()
    return sum(sorted(_mean_deviation(total, k, n) for k in whole.values())) / (2 * n)


def _mean_deviation(total: int, marked: int, n: int) -> float:
    """The mean absolute deviation of the number of marked ones among `n` drawn (Ramasubban, 1958)."""
    m = floor(n * marked / total) + 1
    if not max(0, n - (total - marked)) <= m <= min(marked, n):
        return 0.0
    log_p = _log_choose(marked, m) + _log_choose(total - marked, n - m) - _log_choose(total, n)
    return 2 * m * (total - marked - n + m) / total * exp(log_p)


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
