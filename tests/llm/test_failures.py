from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from rulemine.llm.failures import problem_of_status

NOW = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("status", "text", "kind", "code"),
    [
        (400, '{"error": {"message": "m", "code": "context_length_exceeded"}}',
         "refused", "context_too_long"),
        (400, '{"error": "the prompt is too long"}', "refused", "context_too_long"),
        (413, "", "refused", "context_too_long"),
        (422, '{"detail": "no"}', "refused", "refused"),
        (418, "[", "refused", "refused"),
        (429, '{"error": {"code": "insufficient_quota"}}', "fatal", "refused"),
        (429, "[]", "retry", "refused"),
        (529, "null", "retry", "refused"),
        (500, '{"error": null}', "fault", "refused"),
        (301, "", "fatal", "refused"),
    ],
)  # fmt: skip
def test_statuses(status: int, text: str, kind: str, code: str) -> None:
    problem = problem_of_status(status, {}, text)
    assert (problem.kind, problem.code) == (kind, code)
    assert problem.detail.startswith(f"{status}: ")
    assert bool(problem.advice) is (kind == "fatal")


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after": "0.5", "retry-after-ms": "150"}, 0.15),
        ({"retry-after": "9", "retry-after-ms": "soon"}, 9),
        ({"retry-after": format_datetime(NOW + timedelta(seconds=5)), "date": format_datetime(NOW)}, 5),
        ({"retry-after": format_datetime(NOW - timedelta(seconds=5)), "date": format_datetime(NOW)}, 0),
        ({"retry-after": "1e400"}, 0),
        ({"retry-after": "nan"}, 0),
        ({"retry-after": "soon"}, 0),
        ({}, 0),
    ],
)  # fmt: skip
def test_waits(headers: dict[str, str], seconds: float) -> None:
    assert problem_of_status(429, headers, "").retry_after == pytest.approx(seconds)
