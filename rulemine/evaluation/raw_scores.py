"""Scores of predictions as they are made, before a report takes their means."""

from collections.abc import Sequence
from typing import NamedTuple

from rulemine.evaluation.cypher.release_rows import RowScores
from rulemine.evaluation.matching.outputs import ReadOutput
from rulemine.evaluation.metrics import COLUMNS, CORE, OF_HARD_ANSWERS, Floats
from rulemine.evaluation.targets import Gold, score_questions

__all__ = ["STRICT", "Failures", "Part", "RawScores", "strict_scores"]

STRICT = ("strict_hits_any", "strict_f1", "strict_hard_f1")
"""The scores of raw outputs with matching ``ids``, beside those of ``vocabulary``: what is left if a system
must keep to the format of a list."""

Part = tuple[tuple[str, ...], tuple[str, ...], Floats]
"""Scores of a report: their names, those of the columns they are made of, and these."""

Failures = dict[str, dict[str, int]]


class RawScores(NamedTuple):
    """The scores of predictions, before they are means."""

    parts: list[Part]
    notes: list[str]
    golds: Sequence[Gold]
    naming: str
    from_kg: str | None
    failures: Failures
    rows: RowScores | None = None


def strict_scores(readings: Sequence[ReadOutput], golds: Sequence[Gold]) -> Part:
    """Strict metrics, columns and scores.

    Args:
        readings: What was read of each prediction.
        golds: What is right, for the strict matcher.
    """
    scores = score_questions(golds, [reading.strict for reading in readings])
    metrics = [m.removeprefix("strict_") for m in STRICT]
    of_core = [m for m in metrics if m in OF_HARD_ANSWERS]
    taken = [COLUMNS.index(c) for c in (*metrics, *(CORE + m for m in of_core))]
    columns = (*STRICT, *(f"{CORE}strict_{m}" for m in of_core))
    return STRICT, columns, scores[:, taken]
