"""A stand-in for a Batch API: reads the rounds of a folder, writes results and errors as the API does."""

import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.chat_server import FakeModel, completion

__all__ = ["answer_rounds", "line_of_result"]

Says = Callable[[dict[str, Any], int], dict[str, Any]]
"""What is said to a body that has come that many times before; with ``error``: refused."""


def answer_rounds(
    folder: Path, says: Says | None = None, failing: random.Random | None = None
) -> int:
    """Answers each file of requests that has no results, out of order; returns how many requests.

    With `failing`, a fifth of them fails in one of the ways of the API or its clients, the results of a file
    end in a broken line, and every file of errors is there twice.
    """
    times: Counter[str] = Counter()
    done = 0
    for file in sorted(folder.rglob("round-*.requests.jsonl")):
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        assert len({row["custom_id"] for row in rows}) == len(rows)
        output = file.with_name(file.name.replace("round-", "batch_").replace("requests", "output"))
        if not output.exists():
            good, bad = [], []
            for row in reversed(rows):
                said = _said(row["body"], times[row["custom_id"][:64]], says)
                status = said.pop("status", 400) if "error" in said else 200
                drawn = failing.random() if failing else 1.0
                if drawn < 0.05:
                    good.append(line_of_result(row["custom_id"], {"choices": []}))
                elif drawn < 0.1:
                    expired = {"code": "batch_expired", "message": "not within 24 h"}
                    bad.append(_row(row["custom_id"], len(bad), None, expired))
                elif drawn < 0.2:
                    busy = {"error": {"message": "busy"}}
                    bad.append(line_of_result(row["custom_id"], busy, 429))
                else:
                    place = good if status == 200 else bad
                    place.append(line_of_result(row["custom_id"], said, status))
            output.write_text("".join(good) + '{"id": "ba' * bool(failing), encoding="utf-8")
            if bad:
                for name in ("error", "error-again")[: 2 if failing else 1]:
                    place = output.with_name(output.name.replace("output", name))
                    place.write_text("".join(bad), encoding="utf-8")
            done += len(rows)
        times.update(row["custom_id"][:64] for row in rows)
    return done


def _said(body: dict[str, Any], times: int, says: Says | None) -> dict[str, Any]:
    return says(body, times) if says else completion(body, FakeModel().answer(body))


def line_of_result(key: str, body: dict[str, Any], status: int = 200) -> str:
    """A line as the API writes it."""
    return _row(key, 0, {"status_code": status, "request_id": key[:8], "body": body}, None)


def _row(key: str, number: int, response: Any, error: Any) -> str:
    row = {
        "id": f"batch_req_{key[:8]}{number}",
        "custom_id": key,
        "response": response,
        "error": error,
    }
    return json.dumps(row) + "\n"
