"""Files of text-to-Cypher questions and of predictions for them, our own and those of CypherBench.

A file of questions is what ``rulemine graph tasks`` writes, or what CypherBench publishes (a JSON array of
objects with ``qid``, ``graph``, ``gold_cypher``, ``from_template``), or any objects with ``id`` and
``cypher``; an array, or a line each. A prediction is one for a release (`rulemine.evaluation.predictions`),
or an object of CypherBench's result files (``qid``, ``pred_cypher``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rulemine.cypher.questions.templates import RETURNS, return_group
from rulemine.cypher.rows import row_of
from rulemine.errors import InputError, PredictionError, did_you_mean, list_problems
from rulemine.evaluation.cypher.judging import GoldTable
from rulemine.evaluation.cypher.replies import cypher_of
from rulemine.evaluation.prediction_file import PredictionFile, prediction_of
from rulemine.release.records import Prediction
from rulemine.text.visible_reply import visible_reply

__all__ = ["CypherItem", "predicted_of", "read_items", "read_predicted"]

Predicted = str | tuple[tuple[Any, ...], ...] | None
"""A query, or rows; None: neither is known."""

_PUBLISHED = {"n_m0_": "", "n_union_": "union_"}
"""How CypherBench's names of RETURN templates begin where ours begin otherwise."""

_EXPECTED = (
    'Expected objects with "id" and "cypher", such as rulemine graph tasks writes, or CypherBench\'s with '
    '"qid" and "gold_cypher".'
)


@dataclass(frozen=True, slots=True)
class CypherItem:
    """A question of a file.

    Attributes:
        id: Its id.
        graph: The name of its graph; "": the file does not say.
        question: The question; "" likewise.
        cypher: The gold query.
        category: The category of its MATCH template; "" likewise.
        match: The MATCH template; "" likewise, as CypherBench's.
        returns: The RETURN template, as the file has it; "" likewise.
        stated: The gold's result, where the file has one.
    """

    id: str
    cypher: str
    graph: str = ""
    question: str = ""
    category: str = ""
    match: str = ""
    returns: str = ""
    stated: GoldTable | None = None

    @property
    def return_group(self) -> str:
        """The name of the RETURN template in CypherBench's Table 12; "" if it is of a special question."""
        name = self.returns
        for published, ours in _PUBLISHED.items():
            if name not in RETURNS and name.startswith(published):
                name = ours + name.removeprefix(published)
        return return_group(name)


def read_items(path: str | Path) -> list[CypherItem]:
    """The questions of a file, in its order.

    Raises:
        InputError: The file is missing, has no question, or some are malformed or have equal ids; one
            message lists them.
    """
    found: dict[str, CypherItem] = {}
    problems: list[str] = []
    for where, row in PredictionFile(path).rows:
        item = row if isinstance(row, str) else _item(row)
        if isinstance(item, str):
            problems.append(f"{where}: {item}")
        elif item.id in found:
            problems.append(f"{where}: a second question {item.id!r}; ids must differ")
        else:
            found[item.id] = item
    if problems or not found:
        raise InputError(list_problems(str(path), problems or ["it has no question"], _EXPECTED))
    return list(found.values())


def read_predicted(path: str | Path, items: Sequence[CypherItem]) -> dict[str, Prediction]:
    """What is predicted, by the id of the question; questions without a prediction are not in it.

    Raises:
        InputError: The file is missing.
        PredictionError: Some predictions are malformed, have equal ids, or are for no question.
    """
    known = {item.id for item in items}
    found: dict[str, Prediction] = {}
    problems: list[str] = []
    for where, row in PredictionFile(path).rows:
        made, problem = (None, row) if isinstance(row, str) else prediction_of(_renamed(row))
        if made is None:
            problems.append(f"{where}: {problem}")
        elif made.id not in known:
            problems.append(
                f"{where}: no question {made.id!r}; {did_you_mean(made.id, known)[:200]}"
            )
        elif made.id in found:
            problems.append(f"{where}: a second prediction for {made.id!r}")
        else:
            found[made.id] = made
    if problems or not found:
        advice = (
            'Expected one {"id": …, "cypher": "MATCH …"}, {"id": …, "rows": [[…], …]} or {"id": …, '
        )
        advice += '"raw_output": "…"} for each question.'
        raise PredictionError(
            list_problems(str(path), problems or ["it has no prediction"], advice)
        )
    return found


def predicted_of(prediction: Prediction) -> Predicted:
    """The query or the rows of a prediction.

    Of answers these are rows of one column; of a raw output without a query, all of it but
    thoughts, which fails, or counts as no prediction where nothing is left.
    """
    if prediction.rows is not None:
        return tuple(map(row_of, prediction.rows))
    if prediction.answers is not None:
        return tuple((answer,) for answer in prediction.answers)
    if prediction.cypher is not None:
        return prediction.cypher.strip()
    said = prediction.raw_output or ""
    return cypher_of(said)[0] or visible_reply(said).strip()


def _item(row: Mapping[str, Any]) -> CypherItem | str:
    """A question, or what is wrong with it."""
    key = row.get("id", row.get("qid"))
    cypher = row.get("gold_cypher", row.get("cypher"))
    if not isinstance(key, str):
        return "has no 'id' or 'qid' that is a text"
    if not isinstance(cypher, str) or not cypher.strip():
        return f"{key!r} has no 'cypher' or 'gold_cypher' that is a text"
    template = row.get("from_template")
    if not isinstance(template, dict):
        template = {"match_category": row.get("category"), "return_pattern_id": row.get("return")}
    texts = {
        "graph": row.get("graph"),
        "question": row.get("nl_question", row.get("question")),
        "category": template.get("match_category"),
        "match": row.get("match"),
        "returns": template.get("return_pattern_id"),
    }
    told = {name: text for name, text in texts.items() if isinstance(text, str)}
    return CypherItem(key, cypher, **told, stated=_stated(row))


def _stated(row: Mapping[str, Any]) -> GoldTable | None:
    rows, keys, tied = (row.get(name) for name in ("answers", "keys", "tied"))
    if not isinstance(rows, list) or not all(isinstance(line, list) for line in rows):
        return None
    fits = row.get("ordered") is True and isinstance(keys, list) and len(keys) == len(rows)
    return GoldTable(rows, keys if fits else None, tied if isinstance(tied, list) else ())


def _renamed(row: Mapping[str, Any]) -> dict[str, Any]:
    """A prediction, with CypherBench's keys as ours; what it has of the question aside."""
    if "pred_cypher" in row:
        return {"id": row.get("qid", row.get("id")), "raw_output": row["pred_cypher"] or ""}
    return dict(row) if "id" in row else {**row, "id": row.get("qid")}
