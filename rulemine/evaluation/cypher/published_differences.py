"""Why execution accuracy and PSJS as published differ from ours, for one prediction."""

import re
from collections.abc import Sequence
from typing import Any

from rulemine.cypher.language.elements import Elements, PatternElement, elements_of
from rulemine.cypher.language.syntax import CypherError
from rulemine.cypher.language.tokens import Tokens
from rulemine.cypher.rows import ResultTable
from rulemine.evaluation.cypher.judging import (
    CypherScores,
    GoldTable,
    sorted_as_published,
)
from rulemine.evaluation.cypher.results import execution_match, published_match
from rulemine.evaluation.matching.vocabulary import composed

__all__ = ["DIFFERENCES", "PSJS_DIFFERENCES", "difference", "psjs_difference"]

DIFFERENCES = {
    "tie": "another of the rows that share the first place: right; as published, wrong",
    "equal keys": "rows with equal keys in another order: right; as published, wrong",
    "inner order": "the gold's ORDER BY is not about the result's order: right; as published, wrong",
    "close": "numbers that are equal but for rounding, or lists that Python cannot sort: right; as "
    "published, wrong",
    "letters": "composed letters for decomposed ones: right; as published, wrong",
    "unseen order": "the order that the gold asks for is not kept: wrong; as published, right, because its "
    "ORDER BY is not written with one space",
    "unsorted": "a server gives the rows of a query that sorts nothing in the gold's order: wrong; as "
    "published, right",
    "boolean": "true or false for a number, or nodes for maps: wrong; as published, right",
}
"""Why the two differ → in words."""

PSJS_DIFFERENCES = {
    "nothing bound": "the gold binds no node of the graph: left out; as published, 0",
    "no Cypher": "it is no Cypher, so nothing: as published, its clauses before the error are run",
    "lower case": "words of clauses in lower case: as published, none",
    "first clause": "begins otherwise than with MATCH: as published, nothing",
    "nodes": "a node without variable and label, with a map and no label, or with a label of other signs "
    "than letters: as published, not seen",
    "other": "a clause in brackets, a word of clauses in a string or a name, and what else patterns misread",
}
"""Why PSJS as published differs → in words."""


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
    if not execution_match(table.rows, found.rows):
        return "boolean"
    return "unsorted" if sorted_as_published(gold) else "unseen order"


def psjs_difference(gold: str, predicted: str, scores: CypherScores) -> str:
    """Why PSJS as published differs for a prediction, of `PSJS_DIFFERENCES`; "" if it does not, or has none.

    Args:
        gold: The gold query.
        predicted: The predicted query.
        scores: Its scores.
    """
    if scores.psjs_published is None or scores.psjs == scores.psjs_published:
        return ""
    if scores.psjs is None:
        return "nothing bound" if scores.binds == "nothing" else ""
    try:
        read = [elements_of(query) for query in (gold, predicted)]
    except CypherError:
        return "no Cypher"
    for one in read:
        text = one.statement.text.strip()
        if not text.startswith(("MATCH", "CALL")):
            return "lower case" if text.upper().startswith(("MATCH", "CALL")) else "first clause"
        if any(token.word in _WORDS and token.text != token.word for token in Tokens(text).tokens):
            return "lower case"
    nodes = [(one, node) for one in read for chain in one.chains for node in chain[::2]]
    return "nodes" if any(_unseen(*pair) for pair in nodes) else "other"


_WORDS = ("MATCH", "OPTIONAL", "WHERE", "RETURN", "UNION", "WITH", "UNWIND", "ORDER", "LIMIT")


def _unseen(query: Elements, node: PatternElement) -> bool:
    """Whether the patterns of the public program pass over a node."""
    if node.variable:
        return bool(node.fixed) and not node.labels
    text = query.statement.text[node.start : node.end]
    return re.match(r"\(:[A-Za-z]+[\s{)]", text) is None


def _composed(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return [[composed(value) if isinstance(value, str) else value for value in row] for row in rows]
