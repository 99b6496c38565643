from rulemine.llm.usage import Tally


def test_calls_per_minute_are_those_of_the_last_minute() -> None:
    tally = Tally()
    assert tally.calls_per_minute(0.0) == 0
    for second in range(200):
        tally.count_reply(10, 1, 1000.0 + second)
        tally.count_reply(10, 1, 1000.5 + second)
    assert 110 <= tally.calls_per_minute(1199.5) <= 125
    assert tally.calls_per_minute(1400.0) == 0
    assert (tally.answered, tally.prompt_tokens, tally.tokens) == (400, 4000, 4400)


def test_a_short_run_is_not_taken_for_a_minute() -> None:
    tally = Tally()
    for tenth in range(50):
        tally.count_reply(1, 1, 1000.0 + tenth / 10)
    assert 550 <= tally.calls_per_minute(1005.0) <= 650
