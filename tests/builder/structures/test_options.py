"""The names that are written out so that a command line is read without numpy."""

from rulemine.builder.options import KINDS
from rulemine.builder.structures.options import NAMES
from rulemine.query.structures import STRUCTURES
from rulemine.release.records import QUESTION_KINDS


def test_the_names_are_those_of_the_code_that_makes_them():
    assert tuple(STRUCTURES) == NAMES
    assert tuple(QUESTION_KINDS) == KINDS
