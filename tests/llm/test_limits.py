import math
import random

import pytest

from rulemine.llm.limits import Gate, RequestRate, TokenBudget


@pytest.mark.parametrize("limit", [1, 2, 3, 9, 10, 11, 60, 61, 600, 5000])
@pytest.mark.parametrize("greed", ["steady", "bursts"])
def test_no_minute_holds_more_requests_than_the_limit(limit: int, greed: str) -> None:
    rate, now, sent = RequestRate(limit), 1000.0, list[float]()
    draw = random.Random(limit)
    while now < 1000 + 200 and len(sent) < 15_000:
        pause = rate.pause(now)
        if pause == 0:
            rate.take(now)
            sent.append(now)
            if greed == "bursts" and draw.random() < 0.01:
                now += draw.uniform(0, 70)
        else:
            now += pause
    most = max(
        sum(1 for t in sent if start <= t <= start + 60)
        for start in sent[:: max(1, len(sent) // 300)]
    )
    assert most <= limit
    if greed == "steady":
        assert most >= 0.9 * limit - 1, "nor is the limit far from used"


def test_without_a_limit_nothing_waits() -> None:
    rate = RequestRate(0)
    for _ in range(1000):
        assert rate.pause(5.0) == 0
        rate.take(5.0)


def test_requests_that_a_pause_has_saved_need_not_wait_for_each_other() -> None:
    rate = RequestRate(600)
    rate.take(0.0)
    for _ in range(30):
        assert rate.pause(10.0) == 0
        rate.take(10.0)
    assert 0 < rate.pause(10.0) < 0.2


@pytest.mark.parametrize("limit", [60, 150, 5000])
def test_a_run_that_follows_another_begins_no_minute_of_its_own(limit: int) -> None:
    now, sent = 1000.0, list[float]()
    for until in (1050, 1055, 1100):
        rate = RequestRate(limit)
        while now < until:
            if pause := rate.pause(now):
                now += pause
            else:
                rate.take(now)
                sent.append(now)
    assert sum(t <= 1060 for t in sent) <= limit


def test_a_budget_is_never_overrun() -> None:
    budget = TokenBudget(100)
    assert budget.reserve(60)
    assert not budget.reserve(41)
    assert budget.reserve(40)
    budget.settle(60, 10)
    assert (budget.spent, budget.reserved) == (10, 40)
    assert budget.reserve(50)
    assert not budget.reserve(1)


def test_no_budget_is_any_number() -> None:
    assert TokenBudget(0).reserve(10**12)


def test_the_gate_closes_at_the_third_in_a_row_and_lets_one_at_a_time_try() -> None:
    gate = Gate()
    for number in range(3):
        tries = gate.sent()
        assert not tries
        closed = gate.turned_away(10.0, tries, limited=False, wait=None)
        assert closed == (number == 2)
    assert 0 < gate.pause(10.0) <= 2
    assert gate.pause(20.0) == 0
    assert gate.sent()
    assert gate.pause(20.0) == math.inf
    assert not gate.turned_away(20.0, True, limited=False, wait=None), "it was closed before"
    assert 0 < gate.pause(20.0) <= 2
    assert gate.got_through()
    assert gate.pause(20.0) == 0
    assert not gate.got_through()


def test_a_call_that_gets_through_starts_the_count_again() -> None:
    gate = Gate()
    for _ in range(5):
        for _ in range(2):
            gate.turned_away(0.0, gate.sent(), limited=True, wait=None)
        gate.got_through()
    assert not gate.closed


def test_the_pauses_grow_up_to_their_bounds() -> None:
    for limited, longest in ((False, 2.0), (True, 30.0)):
        gate, pauses = Gate(), []
        for _ in range(20):
            tries = gate.sent()
            gate.turned_away(0.0, tries, limited=limited, wait=None)
            pauses.append(gate.pause(0.0))
        assert pauses == sorted(pauses)
        assert pauses[-1] == longest


def test_the_endpoint_says_how_long_the_gate_stays_closed() -> None:
    gate = Gate()
    for _ in range(3):
        gate.turned_away(0.0, gate.sent(), limited=True, wait=77.0)
    assert gate.pause(0.0) == 77.0


def test_calls_sent_before_it_closed_do_not_keep_it_closed_longer() -> None:
    gate = Gate()
    for _ in range(3):
        gate.turned_away(0.0, False, limited=False, wait=None)
    until = gate.pause(0.0)
    for _ in range(10):
        gate.turned_away(0.1, False, limited=False, wait=None)
    assert gate.pause(0.0) == until
