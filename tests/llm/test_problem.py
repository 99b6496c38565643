import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from rulemine.llm.problem import LONGEST_WAIT, problem_of_status, retry_after

NOW = datetime(2025, 3, 1, 12, 0, 0, tzinfo=UTC)


def at(seconds: int) -> str:
    return format_datetime(NOW + timedelta(seconds=seconds), usegmt=True)


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "250", "Retry-After": "7"}, 0.25),
        ({"retry-after-ms": "soon", "Retry-After": "7"}, 7.0),
        ({"Retry-After": at(9), "Date": at(0)}, 9.0),
        ({"Retry-After": at(-9), "Date": at(0)}, 0.0),
        ({"Retry-After": "86400"}, LONGEST_WAIT),
        ({"Retry-After": at(86400), "Date": at(0)}, LONGEST_WAIT),
        ({"Retry-After": "-1"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "inf"}, LONGEST_WAIT),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": ""}, None),
    ],
)
def test_the_endpoint_says_in_three_ways_how_long_to_wait(
    headers: dict[str, str], wait: float
) -> None:
    assert retry_after(headers) == wait


def test_a_date_is_measured_by_our_clock_where_the_endpoint_tells_no_time() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    wait = retry_after({"Retry-After": soon})
    assert wait is not None
    assert 50 < wait <= 100


def said(message: str, **more: Any) -> str:
    return json.dumps({"error": {"message": message, **more}})


@pytest.mark.parametrize(
    ("status", "text", "kind", "code"),
    [
        (401, said("no"), "key", ""),
        (403, "<html>", "key", ""),
        (404, said("no model"), "missing", ""),
        (405, "", "missing", ""),
        (307, "", "missing", ""),
        (402, said("pay"), "quota", ""),
        (429, said("You exceeded your quota", code="insufficient_quota"), "quota", ""),
        (429, said("slow down"), "limited", ""),
        (500, said("oops"), "fault", ""),
        (501, "", "fault", ""),
        (502, "<html>", "busy", ""),
        (503, "", "busy", ""),
        (504, "", "busy", ""),
        (529, "", "busy", ""),
        (408, "", "busy", ""),
        (409, "", "busy", ""),
        (400, said("too many", code="context_length_exceeded"), "refused", "context_too_long"),
        (400, said("This model's maximum context length is 8"), "refused", "context_too_long"),
        (
            400,
            said("the request exceeds the available context size"),
            "refused",
            "context_too_long",
        ),
        (400, said("prompt is too long: 9 tokens"), "refused", "context_too_long"),
        (413, "", "refused", "context_too_long"),
        (400, said("bad"), "refused", "refused"),
        (422, json.dumps({"detail": [{"loc": ["body"], "msg": "wrong"}]}), "refused", "refused"),
        (418, "", "refused", "refused"),
        (400, "[" * 100_000, "refused", "refused"),
    ],
)
def test_statuses_are_sorted_by_what_is_to_be_done(
    status: int, text: str, kind: str, code: str
) -> None:
    problem = problem_of_status(status, {}, text)
    assert (problem.kind, problem.code) == (kind, code)
    assert problem.detail.startswith(f"{status}: ")
    assert "\n" not in problem.detail
    assert len(problem.detail) < 320
    assert not problem.charged


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (said("this\nand that"), "500: this and that"),
        (json.dumps({"error": "plain words"}), "500: plain words"),
        (json.dumps({"message": "at the top"}), "500: at the top"),
        (
            json.dumps({"error": {"message": None}, "x": 1}),
            '500: {"error": {"message": null}, "x": 1}',
        ),
        ("<html> <b>Oops</b>\n</html>", "500: <html> <b>Oops</b> </html>"),
        ("", "500: nothing more was said"),
    ],
)
def test_whatever_an_endpoint_says_fits_a_line(text: str, message: str) -> None:
    assert problem_of_status(500, {}, text).detail == message
