"""What tests of evaluation share: a small release, and what an error says."""

import json
from pathlib import Path

import pytest

from tests.evaluation.world import write_release


@pytest.fixture
def release(tmp_path):
    return write_release(tmp_path / "small")


def cases_of(test, name):
    """The rows of a file beside a test."""
    with Path(test).with_name(name).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def refusal(kind, call, *given, **more) -> str:
    """What an error of a kind says; "" where there is none."""
    try:
        call(*given, **more)
    except kind as problem:
        return str(problem)
    return ""
