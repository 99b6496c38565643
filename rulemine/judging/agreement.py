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

__all__ = ["Agreement", "agreement_of", "fleiss_kappa"]

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


def fleiss_kappa(counts: npt.ArrayLike) -> float | None:
    """Fleiss' kappa.

    Args:
        counts: How many judges put each subject into each category, shape (subjects, categories); each
            subject has the same number of judges, 2 or more.

    Returns:
        At most 1; None where all ratings are equal, or there are none.

    Raises:
        ValueError: The subjects have different numbers of judges, or fewer than 2.
    """
    table = np.asarray(counts, np.int64)
    if not table.size:
        return None
    judges = table.sum(axis=1)
    if judges[0] < 2 or (judges != judges[0]).any():
        raise ValueError("each subject needs the same number of judges, 2 or more")
    weights = np.ones((1, len(table)), np.int64)
    kappa = _kappas(table, weights)[0]
    return None if np.isnan(kappa) else float(kappa)


def agreement_of(ratings: Sequence[Sequence[Hashable]], seed: int, name: str) -> Agreement:
    """How far judges agree.

    Args:
        ratings: For each subject what each judge said; all of one length, 2 or more.
        seed: Of the resamples.
        name: What was rated; names the stream of random numbers.
    """
    if not ratings:
        return Agreement(0, None, None, None, None)
    places: dict[Hashable, int] = {}
    for row in ratings:
        for value in row:
            places.setdefault(value, len(places))
    table = np.zeros((len(ratings), len(places)), np.int64)
    for number, row in enumerate(ratings):
        for value in row:
            table[number, places[value]] += 1
    judges, subjects = len(ratings[0]), len(ratings)
    agreeing = int((table * (table - 1)).sum())
    raw = agreeing / (subjects * judges * (judges - 1))
    kappa = fleiss_kappa(table)
    low = high = None
    if kappa is not None and subjects > 1:
        random = stream(seed, "agreement", name)
        step = max(1, DRAWS_AT_ONCE // subjects)
        sizes = [min(step, RESAMPLES - start) for start in range(0, RESAMPLES, step)]
        found = [_kappas(table, _drawn(random.uniform(n * subjects), n)) for n in sizes]
        rest = (1 - CONFIDENCE) / 2
        low, high = map(float, np.nanquantile(np.concatenate(found), [rest, 1 - rest]))
    return Agreement(subjects, raw, kappa, low, high)


def _drawn(uniform: npt.NDArray[np.float64], resamples: int) -> Ints:
    """How often each subject is drawn in each resample, shape (resamples, subjects)."""
    subjects = len(uniform) // resamples
    picked = (uniform * subjects).astype(np.int64) + np.repeat(
        np.arange(resamples) * subjects, subjects
    )
    return np.bincount(picked, minlength=len(uniform)).reshape(resamples, subjects)


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
