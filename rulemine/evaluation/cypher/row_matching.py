"""Which rows of the gold a predicted result has."""

from collections import Counter
from collections.abc import Sequence
from itertools import permutations
from typing import Any

from rulemine.cypher.rows import row_text
from rulemine.evaluation.cypher.results import reader_of

__all__ = ["matched_rows"]

_MOST_COLUMNS = 6
"""Columns whose permutations are tried; a gold query has three at most."""


def matched_rows(
    gold: Sequence[Sequence[Any]],
    predicted: Sequence[Sequence[Any]],
    tied: Sequence[Sequence[Any]] = (),
) -> list[str]:
    """A predicted result as texts of rows: where a row equals one of the gold, the gold's text.

    Cells are equal as `rulemine.evaluation.cypher.results.execution_match` says. The columns are put in the
    order in which most rows match, as multisets; of several such orders, the first.

    Args:
        gold: The gold's rows.
        predicted: The predicted rows; with another number of columns, none matches.
        tied: Rows that are as good as the gold's only one: the first of them that is given is that.

    Example:
        >>> matched_rows([("Arden", 1200), ("Bree", 1450)], [(1450.0, "Bree"), (7, "Carn")])
        ['["Bree",1450]', '["Carn",7]']
    """
    if not gold or not predicted or len(gold[0]) != len(predicted[0]):
        return [row_text(row) for row in predicted]
    read = reader_of([*gold, *predicted, *tied])
    texts = {tuple(map(read, row)): row_text(row) for row in reversed(gold)}
    wanted = Counter(tuple(map(read, row)) for row in gold)
    cells = [[read(cell) for cell in row] for row in predicted]
    width = len(gold[0])
    orders = permutations(range(width)) if width <= _MOST_COLUMNS else [tuple(range(width))]

    def shared(order: Sequence[int]) -> int:
        return (wanted & Counter(tuple(row[at] for at in order) for row in cells)).total()

    best = max(orders, key=shared)  # the first of several
    others = {tuple(map(read, row)) for row in tied} - wanted.keys()
    found: list[str] = []
    for row, own in zip(predicted, cells, strict=True):
        key = tuple(own[at] for at in best)
        if key in others:
            texts.setdefault(key, row_text(gold[0]))
            others = set()  # a second one is one too many
        found.append(texts.get(key) or row_text([row[at] for at in best]))
    return found
