"""``rulemine compare``."""

from argparse import Namespace

from rulemine.cli.compare import _choice


def test_the_seed_and_the_level_are_those_that_are_given() -> None:
    given = Namespace(split=None, sample=None, naming=None, level=40, seed=5)
    found = _choice(given)
    assert (found["seed"], found["level"], found["split"]) == (5, 40, "test")
