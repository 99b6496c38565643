"""Limits of tokens: what is said at the budget, and what came whole with less room."""

import pytest

from rulemine.errors import LimitError
from tests.chat_server import ChatServer
from tests.llm.conftest import Open, call_of
from tests.llm.test_session import asking, each


def test_at_the_budget_it_says_what_the_next_call_may_take(opened: Open) -> None:
    with (
        opened(budget_tokens=40) as session,
        pytest.raises(
            LimitError,
            match=r"may take up to \d+: a token for each byte of its request, and 50 for",
        ),
    ):
        session.run(each(1))


def test_what_came_whole_with_less_room_will_do_where_that_is_said(
    server: ChatServer, opened: Open
) -> None:
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
