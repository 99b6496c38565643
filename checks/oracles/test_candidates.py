"""Verdicts on random candidates against brute force."""

from checks.oracles.candidates import hunt


def test_verdicts_shapes_and_minimal_seeds_are_those_of_brute_force() -> None:
    wrong, verdicts = hunt(3, 50)
    assert not wrong
    assert verdicts["accepted"] > 10
    assert len(verdicts) >= 5
