"""Samples of questions are nested, the core first."""

from dataclasses import replace

import pytest

from rulemine.errors import ConfigError
from rulemine.release.groups import sample
from tests.evaluation.world import question

QUESTIONS = [replace(question(i), core=i % 3 == 0) for i in range(1, 40)]


def test_a_smaller_sample_is_part_of_a_larger_one_with_the_core_first():
    before: set[str] = set()
    for n in range(1, 40):
        drawn = sample(QUESTIONS[::-1], n)
        ids = [q.id for q in drawn]
        assert len(ids) == n
        assert ids == sorted(ids)
        assert before < set(ids)
        assert sum(q.core for q in drawn) == min(n, 13)
        before = set(ids)


def test_without_a_number_it_is_all_of_them():
    assert sample(QUESTIONS, None) == tuple(QUESTIONS)
    assert len(sample(QUESTIONS, 1000)) == len(QUESTIONS)
    with pytest.raises(ConfigError, match="sample is 0"):
        sample(QUESTIONS, 0)
