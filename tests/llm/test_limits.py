"""Limits of tokens: what is said at the budget, and what came whole with less room."""

import asyncio

import pytest

from rulemine.errors import LimitError
from rulemine.llm import Reply
from rulemine.llm.session import Budget
from tests.llm.conftest import call_of
from tests.llm.test_session import asking, each


def test_at_the_budget_it_says_what_the_next_call_may_take(opened):
    said = r"may take up to \d+: a token for each byte of its request, and 50 for"
    with opened(budget_tokens=40) as session, pytest.raises(LimitError, match=said):
        session.run(each(1))


def test_what_calls_in_flight_may_take_is_set_aside():
    async def two_calls() -> None:
        most = await Budget(1_000_000).reserve(call_of(1))
        budget = Budget(2 * most - 1)
        await budget.reserve(call_of(1))
        second = asyncio.create_task(budget.reserve(call_of(1)))
        await asyncio.sleep(0.1)
        assert not second.done()
        budget.settle(most, most // 2)  # the first is answered, and took less
        assert await second == most

    asyncio.run(two_calls())


def test_what_a_filter_withheld_was_not_cut_off_for_want_of_room():
    assert not Reply("Ann and", "content_filter").is_cut_off
    assert Reply("Ann and", "length").is_cut_off


def test_what_came_whole_with_less_room_will_do_where_that_is_said(server, opened):
    cut = {"choices": [{"message": {"content": "Who"}, "finish_reason": "length"}]}
    server.says = lambda body, times: (
        cut if body["max_tokens"] == 50 and "e00001" in str(body) else "whole"
    )
    with opened() as session:
        session.run(each(2))
        assert session.usage.cut_off == {call_of(1).key}
    with opened() as session:
        session.run([asking(0, 1, max_tokens=60, blank=True)])
        assert (session.usage.sent, session.usage.reused, session.usage.cut_off) == (1, 1, set())
        assert session.seconds(call_of(0, max_tokens=60).key) > 0
        session.run([asking(0, 1, max_tokens=70)])  # a build asks as it says
        session.run([asking(0, max_tokens=40, blank=True)])
        assert session.usage.sent == 4
