"""Agreement of judges: Fleiss' kappa with an interval, and raw agreement beside it.

Each subject is rated by the same number of judges (Fleiss, Psychological Bulletin 76, 1971). Raw agreement P
is the share of pairs of judges that agree; chance agreement P_e is the sum of the squared shares of the
categories; kappa = (P − P_e) / (1 − P_e). Where all ratings are equal, P_e = 1 and kappa is undefined,
however well the judges agree. The interval is a percentile interval over resamples of the subjects, without
those in which kappa is undefined.

Guarantee: sums are of integers, so that no order of summation or processor changes a bit.
"""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.seeds import stream

__all__ = ["Agreement", "agreement_of"]

Ints = npt.NDArray[np.int64]

RESAMPLES = 1000
CONFIDENCE = 0.95

DRAWS_AT_ONCE = 1 << 20
"""About how many subjects are drawn at once, to bound memory."""


class Agreement(NamedTuple):
    """How far judges agree.

    Attributes:
        subjects: Subjects rated.
        raw: Share of pairs of judges that agree; None without a subject.
        kappa: Fleiss' kappa, at most 1; None where it is undefined.
        low: Lower bound of its 95 % interval; None where there is none.
        high: Upper bound.
    """

    subjects: int
    raw: float | None
    kappa: float | None
    low: float | None
    high: float | None


def agreement_of(ratings: Sequence[Sequence[Hashable]], seed: int, name: str) -> Agreement:
    """How far judges agree.

    Args:
        ratings: For each subject what each judge said; all of one length, 2 or more.
        seed: Of the resamples.
        name: What was rated; names the stream of random numbers.
    """
    if not ratings:
        return Agreement(0, None, None, None, None)
    values = dict.fromkeys(value for row in ratings for value in row)
    table = np.array([[row.count(value) for value in values] for row in map(list, ratings)])
    judges, subjects = len(ratings[0]), len(ratings)
    raw = int((table * (table - 1)).sum()) / (subjects * judges * (judges - 1))
    kappa = float(_kappas(table, np.ones((1, subjects), np.int64))[0])
    if np.isnan(kappa):
        return Agreement(subjects, raw, None, None, None)
    if subjects == 1:
        return Agreement(subjects, raw, kappa, None, None)
    random = stream(seed, "agreement", name)
    step = max(1, DRAWS_AT_ONCE // subjects)
    found = []
    for start in range(0, RESAMPLES, step):
        size = min(step, RESAMPLES - start), subjects
        picked = (random.uniform(size[0] * subjects) * subjects).astype(np.int64)
        picked += np.repeat(np.arange(size[0]) * subjects, subjects)
        drawn = np.bincount(picked, minlength=len(picked)).reshape(size)
        found.append(_kappas(table, drawn))
    rest = (1 - CONFIDENCE) / 2
    low, high = map(float, np.nanquantile(np.concatenate(found), [rest, 1 - rest]))
    return Agreement(subjects, raw, kappa, low, high)


def _kappas(table: Ints, weights: Ints) -> npt.NDArray[np.float64]:
    """Kappa of weighted subjects, shape (resamples,); NaN where all ratings are equal."""
    judges = int(table[0].sum())
    agreeing = weights @ (table * (table - 1)).sum(axis=1)
    ratings = weights.sum(axis=1) * judges
    by_chance = ((weights @ table) ** 2).sum(axis=1)
    raw = agreeing / (ratings * (judges - 1))
    whole = ratings**2
    with np.errstate(invalid="ignore", divide="ignore"):
        kappa = (raw * whole - by_chance) / (whole - by_chance)
    return np.where(whole == by_chance, np.nan, kappa)
