"""What questions of a split share with the training questions, and how far a split is from the whole.

Guarantees: the figures depend on the questions alone, not on their order or the naming; fractions and
distances are in [0, 1].
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, floor, lgamma

from rulemine.kinds.kind import Values
from rulemine.kinds.registry import kind_named
from rulemine.release.leakage import RemovedFacts
from rulemine.release.records import SPLITS, Question

__all__ = [
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
        relation: A relation asked about, in either direction.
        rule: A rule of its certificates.
    """

    topic: float
    answer: float
    pair: float
    relation: float
    rule: float


@dataclass(frozen=True, slots=True)
class SplitFigures:
    """Figures of a split.

    Attributes:
        split: Its name.
        questions: Its questions, ≥ 1.
        core: How many of them are in the core.
        unseen_rule: How many have a rule that no training question has.
        unseen_relation: How many have a relation that no training question has.
        unseen_answer: How many have a hard answer that no training question has.
        overlap: With train; None for train itself, and without training questions.
        given_away: How many need a removed fact that an earlier split gives away, see
            `rulemine.release.leakage`; 0 where splits are held apart.
        relations: How many relations they ask about.
        rules: How many rules their certificates have.
        distances: From the whole: what questions differ in, of `Splits.strata` → `distance`.
        from_train: From train, in the same form; empty for train itself, and without training questions.
        at_random: The distances that as many questions drawn at random have on average.
    """

    split: str
    questions: int
    core: int
    unseen_rule: int
    unseen_relation: int
    unseen_answer: int
    overlap: Overlap | None
    given_away: int
    relations: int
    rules: int
    distances: Mapping[str, float]
    from_train: Mapping[str, float]
    at_random: Mapping[str, float]


def compare_splits(
    questions: Sequence[Question], facts: RemovedFacts | None = None
) -> tuple[SplitFigures, ...]:
    """Compares the splits with train and with the whole.

    Args:
        questions: All questions of a release, with their splits.
        facts: The removed facts; None: nothing is said of what is given away.

    Returns:
        One row for every split that has questions, in the order of `SPLITS`.
    """
    strata = kind_named(questions[0].kind).splits.strata if questions else {}
    whole = {name: _counted(questions, of) for name, of in strata.items()}
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
        overlap, sizes, from_train = None, (len(part), len(questions)), dict[str, float]()
        if train and name != "train":
            from_train = {
                n: _apart(_counted(part, of), len(part), _counted(train, of), len(train))
                for n, of in strata.items()
            }
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
                facts.leaked(questions, name) if facts and name != "train" else 0,
                len({relation for q in part for relation in q.relations}),
                len({rule for q in part for rule in q.rules}),
                {n: distance(_counted(part, of), whole[n], *sizes) for n, of in strata.items()},
                from_train,
                {n: distance_at_random(whole[n], *sizes) for n in strata},
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
        question.rules,
    )


def _counted(questions: Iterable[Question], of: Values) -> Counter[Hashable]:
    """How many questions have each value."""
    return Counter(value for question in questions for value in of(question))


def distance(part: Counter[Hashable], whole: Counter[Hashable], some: int, total: int) -> float:
    """The distance of the distribution of a part from that of the whole.

    It is the sum over the values of |a − b|, divided by that of a + b, where a and b are the fractions of
    the questions of the part and of the whole that have the value. Where every question has one value it
    is the total variation distance.

    Args:
        part: How many questions of the part have each value; each also in the whole.
        whole: The same of the whole.
        some: The questions of the part, ≥ 1.
        total: Those of the whole.
    """
    return _apart(part, some, whole, total)


def _apart(one: Counter[Hashable], some: int, other: Counter[Hashable], many: int) -> float:
    """The `distance` of two sets of questions, of which neither need have all values."""
    # Whole numbers until the end: the sum does not depend on the order.
    apart = sum(abs(one[value] * many - other[value] * some) for value in {*one, *other})
    return apart / ((one.total() * many + other.total() * some) or 1)


def distance_at_random(whole: Counter[Hashable], some: int, total: int) -> float:
    """The `distance` that questions drawn without replacement have on average, see there.

    Where questions have several values, the mean of its numerator over the mean of its denominator.
    """
    apart = sum(sorted(_mean_deviation(total, k, some) for k in whole.values()))
    return apart / (2 * some * (whole.total() / total)) if whole else 0.0


def _mean_deviation(total: int, marked: int, n: int) -> float:
    """The mean absolute deviation of the number of marked ones among `n` drawn (Ramasubban, 1958)."""
    m = floor(n * marked / total) + 1
    if not max(0, n - (total - marked)) <= m <= min(marked, n):
        return 0.0
    log_p = _log_choose(marked, m) + _log_choose(total - marked, n - m) - _log_choose(total, n)
    return 2 * m * (total - marked - n + m) / total * exp(log_p)


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
