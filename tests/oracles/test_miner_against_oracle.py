"""The miner against the oracle: rule for rule, count for count, on many small graphs."""

from pathlib import Path

import pytest

from .comparison import differences, expected, instabilities
from .random_graphs import Case, random_case

BLOCK = 20


@pytest.mark.parametrize("first", range(0, 240, BLOCK))
def test_random_graphs(first: int) -> None:
    for seed in range(first, first + BLOCK):
        assert not differences(random_case(seed)), f"see python -m tests.oracles.hunt --seed {seed}"


@pytest.mark.parametrize("first", range(1000, 1060, BLOCK))
def test_random_graphs_by_other_means(first: int) -> None:
    for seed in range(first, first + BLOCK):
        assert not instabilities(random_case(seed)), seed


def test_the_random_graphs_are_worth_it() -> None:
    oracles = [expected(random_case(seed)) for seed in range(60)]
    assert sum(bool(oracle.ours) for oracle in oracles) > 40
    assert sum(oracle.must < oracle.may for oracle in oracles) > 5
    assert any(oracle.ours < oracle.may for oracle in oracles)
    assert sum(len(oracle.candidates - oracle.may) for oracle in oracles) > 100


def test_found_cases() -> None:
    for path in sorted(Path(__file__).with_name("found").glob("*.json")):
        case = Case.read(path)
        assert not differences(case), path.name
        assert not instabilities(case), path.name
