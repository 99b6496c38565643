"""Builds with a language model for tests: the words of the command, and what is left of them."""

import json
from pathlib import Path
from typing import Any

from tests.llm.running_server import KEY, Running, failures, until

__all__ = ["KEY", "PATIENT", "Running", "build_words", "failures", "journal", "questions", "until"]

PATIENT = (
    "import sys; from rulemine.cli.main import main; from rulemine.llm import reply_times, session; "
    "session.GRACE = reply_times.SHORTEST = 3600.0; sys.exit(main())"
)
"""The command line as a program that waits for calls in flight, and for slow ones, as long as they take."""


def build_words(url: str, output: str = "out/kg", *more: str) -> list[str]:
    """The command that builds the small graph with a model."""
    model = ["--verbalizer", "openai", "--model", "fake", "--base-url", url]
    return ["build", "kg.tsv", "--rules", "rules.txt", "-o", output, *model, *more]


def questions(release: Path) -> list[dict[str, Any]]:
    """All questions of a release."""
    files = sorted((release / "questions").glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def journal(output: Path) -> list[dict[str, Any]]:
    """The lines of a working journal, those that are whole."""
    file = output.with_name(output.name + ".stages") / "llm" / "journal.jsonl"
    lines = file.read_bytes().splitlines(keepends=True) if file.exists() else []
    return [json.loads(line) for line in lines if line.endswith(b"\n")]
