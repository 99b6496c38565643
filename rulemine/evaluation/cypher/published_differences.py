"""Why execution accuracy as published differs from ours, for one prediction."""

from collections.abc import Sequence
from typing import Any

from rulemine.cypher.rows import ResultTable
from rulemine.evaluation.cypher.judging import CypherScores, GoldTable, sorted_as_published
from rulemine.evaluation.cypher.results import execution_match, published_match
from rulemine.evaluation.vocabulary import composed

__all__ = ["DIFFERENCES", "difference"]

DIFFERENCES = {
    "tie": "another of the rows that share the first place: right; as published, wrong",
    "equal keys": "rows with equal keys in another order: right; as published, wrong",
    "inner order": "the gold's ORDER BY is not about the result's order: right; as published, wrong",
    "close": "numbers that are equal but for rounding, or lists that Python cannot sort: right; as "
    "published, wrong",
    "letters": "composed letters for decomposed ones: right; as published, wrong",
    "unseen order": "the order that the gold asks for is not kept: wrong; as published, right, because its "
    "ORDER BY is not written with one space",
    "boolean": "true or false for a number, or nodes for maps: wrong; as published, right",
}
"""Why the two differ → in words."""


def difference(gold: str, table: GoldTable, found: ResultTable, scores: CypherScores) -> str:
    """Why the two scores of a prediction differ, of `DIFFERENCES`; "" if they do not.

    Args:
        gold: The gold query.
        table: Its result.
        found: The predicted result.
        scores: The scores of the prediction.
    """
    if scores.ex == scores.ex_published:
        return ""
    plain = table.rows if table.plain is None else table.plain
    if scores.ex == 1.0:
        if table.tied and not execution_match(plain, found.rows):
            return "tie"
        if sorted_as_published(gold) and published_match(plain, found.rows, ordered=False):
            return "inner order" if table.keys is None else "equal keys"
        if published_match(
            _composed(plain), _composed(found.rows), ordered=sorted_as_published(gold)
        ):
            return "letters"
        return "close"
    return "unseen order" if execution_match(table.rows, found.rows) else "boolean"


def _composed(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return [[composed(value) if isinstance(value, str) else value for value in row] for row in rows]
