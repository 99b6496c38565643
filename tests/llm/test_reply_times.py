import math

import pytest

from rulemine.llm.reply_times import FEWEST, RECENT, SHORTEST, TIMES_THE_SLOWEST, ReplyTimes

KIND = ("model", "question")


def times_of(*seconds: float, concurrency: int = 16) -> ReplyTimes:
    times = ReplyTimes(concurrency)
    for took in seconds:
        times.count(KIND, 0.0, took)
    return times


@pytest.mark.parametrize(("concurrency", "enough"), [(1, FEWEST), (16, FEWEST), (500, 500)])
def test_a_few_replies_tell_nothing(concurrency: int, enough: int) -> None:
    times = times_of(*[1.0] * (enough - 1), concurrency=concurrency)
    assert times.limit(KIND) == math.inf
    times.count(KIND, 0.0, 1.0)
    assert times.limit(KIND) == TIMES_THE_SLOWEST


def test_the_slowest_reply_counts() -> None:
    assert times_of(*[1.0] * 100, 7.0, *[1.0] * 20).limit(KIND) == 7 * TIMES_THE_SLOWEST


def test_what_was_long_ago_is_forgotten() -> None:
    assert times_of(50.0, *[1.0] * RECENT).limit(KIND) == TIMES_THE_SLOWEST


def test_anybody_may_falter() -> None:
    assert times_of(*[0.01] * 100).limit(KIND) == SHORTEST


def test_other_purposes_and_models_are_judged_by_their_own() -> None:
    times = times_of(*[1.0] * 100)
    for other in (("model", "paraphrase"), ("judge", "question")):
        assert times.limit(other) == math.inf


def test_a_call_is_overtaken_by_one_of_its_kind_that_was_sent_later_and_answered() -> None:
    times = ReplyTimes(16)
    assert not times.overtaken(KIND, 5.0)
    times.count(KIND, 7.0, 8.0)
    times.count(KIND, 6.0, 9.0)
    assert times.overtaken(KIND, 5.0)
    assert times.overtaken(KIND, 6.5)
    assert not times.overtaken(KIND, 7.0)
    assert not times.overtaken(("model", "audit"), 5.0)
