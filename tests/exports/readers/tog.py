"""Reads exports as Think-on-Graph and Plan-on-Graph read their data and score predictions.

Think-on-Graph: ``prepare_dataset`` in ``ToG/utils.py``, ``align`` in ``eval/utils.py``. Plan-on-Graph:
``repeat_unanswer`` and the folder for memory in ``PoG/main_freebase.py``, ``align`` in ``eval/utils.py``.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

_TEXT = {"cwq": "question", "webqsp": "RawQuestion"}
_FILE = {"cwq": "cwq.json", "webqsp": "WebQSP.json"}


class Asked(NamedTuple):
    """A question: its text, its topics by id, and what its scorer takes for right."""

    text: str
    topics: dict[str, str]
    gold: set[str]


def think_on_graph(folder: Path, data: str) -> list[Asked]:
    rows = _read(folder / _FILE[data])
    return [Asked(r[_TEXT[data]], r["topic_entity"], _gold_of_tog(r, rows, data)) for r in rows]


def _gold_of_tog(row: Any, rows: list[Any], data: str) -> set[str]:
    found = next(r for r in rows if r[_TEXT[data]] == row[_TEXT[data]])  # joins by the text
    if data == "webqsp":
        return _gold_of_parses(found)
    answers = found["answers"] if "answers" in found else found["answer"]
    return {name for answer in answers for name in [*answer["aliases"], answer["answer"]]}


def _gold_of_parses(row: Any) -> set[str]:
    answers = [answer for parse in row["Parses"] for answer in parse["Answers"]]
    return {a["AnswerArgument"] if a["EntityName"] is None else a["EntityName"] for a in answers}


def plan_on_graph(folder: Path, data: str, model: str, memory: Path) -> list[Asked]:
    rows = _read(folder / ("PoG/cwq.json" if data == "cwq" else _FILE[data]))
    with (folder / f"PoG_{data}_{model}.jsonl").open() as file:
        done = {json.loads(line)[_TEXT[data]] for line in file}
    asked = []
    for row in rows:
        if (text := row[_TEXT[data]]) not in done:
            (memory / text[:255]).mkdir(parents=True)  # fails on a second question of the same text
            asked.append(Asked(text, row["topic_entity"], _gold_of_pog(row, folder, data)))
    return asked


def _gold_of_pog(row: Any, folder: Path, data: str) -> set[str]:
    side = folder / "cope_alias"
    if data == "webqsp":
        gold = _gold_of_parses(row)
        aliases = _read(side / "WQSP_aliase_data.json")
    else:
        names = _read(side / "cwq_aname_dict.json")[row["question"]]
        more = {r["question"]: r for r in _read(side / "ComplexWebQuestions_test_wans.json")}
        for answer in more[row["question"]]["answers"]:
            names += [answer["answer"] or answer["answer_id"], *answer.get("aliases", ())]
        gold = {*names, row["answer"]}
        row["compositionality_type"]  # counted by the scorer
        aliases = _read(side / "CWQ_aliase_data31158.json")
    return gold | {alias for name in gold for alias in aliases.get(name, ())}


def _read(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))
