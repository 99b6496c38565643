"""Fleiss' kappa: the worked example of 1971, brute force, and what is undefined."""

import random
from fractions import Fraction
from itertools import combinations

import pytest

from rulemine.judging.agreement import agreement_of

PSYCHIATRISTS = """
0 0 0 6 0  0 3 0 0 3  0 1 4 0 1  0 0 0 0 6  0 3 0 3 0  2 0 4 0 0  0 0 4 0 2  2 0 3 1 0  2 0 0 4 0  0 0 0 0 6
1 0 0 5 0  1 1 0 4 0  0 3 3 0 0  1 0 0 5 0  0 2 0 3 1  0 0 5 0 1  3 0 0 1 2  5 1 0 0 0  0 2 0 4 0  1 0 2 0 3
0 0 0 0 6  0 1 0 5 0  0 2 0 1 3  2 0 0 4 0  1 0 0 4 1  0 5 0 1 0  4 0 0 0 2  0 2 0 4 0  1 0 5 0 0  0 0 0 0 6
"""
"""Table 1 of Fleiss (1971): thirty patients, six psychiatrists, five diagnoses."""


def brute_force(ratings: list[list[str]]) -> tuple[float, float | None]:
    """Raw agreement and kappa, pair by pair and in fractions."""
    pairs = [a == b for row in ratings for a, b in combinations(row, 2)]
    every = [value for row in ratings for value in row]
    chance = sum(Fraction(every.count(v), len(every)) ** 2 for v in set(every))
    raw = Fraction(sum(pairs), len(pairs))
    return float(raw), None if chance == 1 else float((raw - chance) / (1 - chance))


def test_the_worked_example_of_1971():
    numbers = list(map(int, PSYCHIATRISTS.split()))
    table = [numbers[i : i + 5] for i in range(0, len(numbers), 5)]
    assert [sum(column) for column in zip(*table, strict=True)] == [26, 26, 30, 55, 43]
    spread = [[str(j) for j, n in enumerate(row) for _ in range(n)] for row in table]
    found = agreement_of(spread, 0, "diagnosis")
    assert (found.subjects, round(found.raw, 3), round(found.kappa, 3)) == (30, 0.556, 0.430)
    assert 0.2 < found.low < found.kappa < found.high < 0.6
    assert agreement_of(spread, 0, "diagnosis") == found
    assert agreement_of(spread, 1, "diagnosis").low != found.low


def test_brute_force_agrees():
    rng = random.Random(3)
    for _ in range(30):
        judges = rng.randint(2, 5)
        ratings = [[rng.choice("abc") for _ in range(judges)] for _ in range(rng.randint(1, 6))]
        raw, kappa = brute_force(ratings)
        found = agreement_of(ratings, 0, "any")
        assert found.raw == pytest.approx(raw)
        assert found.kappa == (None if kappa is None else pytest.approx(kappa))


def test_what_has_no_kappa_or_no_interval():
    assert agreement_of([[True] * 3] * 5, 0, "flag") == (5, 1.0, None, None, None)
    assert agreement_of([], 0, "flag") == (0, None, None, None, None)
    found = agreement_of([[True, True, False]], 0, "flag")
    assert (found.kappa, found.low, found.high) == (pytest.approx(-0.5), None, None)


def test_the_interval_covers_the_true_kappa_about_as_often_as_it_says():
    """Judges see a coin and misreport one in ten: agreement 0.82, chance 0.5, kappa 0.64."""
    rng, hits = random.Random(11), 0
    for run in range(12):
        truth = [rng.random() < 0.5 for _ in range(80)]
        ratings = [[t != (rng.random() < 0.1) for _ in range(3)] for t in truth]
        found = agreement_of(ratings, run, "coin")
        hits += found.low <= 0.64 <= found.high
    assert hits >= 9
