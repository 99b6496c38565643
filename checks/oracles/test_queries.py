"""Queries beside pyoxigraph and brute force; `python -m checks.oracles.queries` compares many more."""

from checks.oracles.queries import hunt


def test_answers_are_those_of_pyoxigraph_and_grades_those_of_brute_force() -> None:
    wrong, line = hunt(seed=0, queries=2_000, graded=500)
    assert not wrong, "\n".join([line, *wrong[:10]])
