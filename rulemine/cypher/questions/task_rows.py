"""Text-to-Cypher questions as files have them: CypherBench's, those of ``data graph --to tasks``, others'.

A file is what ``data graph --to tasks`` writes, or what CypherBench publishes (a JSON array of objects with
``qid``, ``graph``, ``gold_cypher``, ``from_template``), or any objects with ``id`` and ``cypher``; an array,
or a line each. A folder has such files by split (``train.json``, ``test.json``), and the graphs, as
CypherBench has them, as ``graphs/simplekg/NAME_simplekg.json``.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rulemine.codec import why_unreadable
from rulemine.cypher.questions.templates import RETURNS
from rulemine.cypher.rows import objects_of, row_text
from rulemine.errors import InputError, list_problems
from rulemine.files import read_text

__all__ = ["TaskRow", "graph_files", "read_tasks", "task_files"]

_SPLITS = ("train", "validation", "test")

_PUBLISHED = {"n_m0_": "", "n_union_": "union_"}
"""How CypherBench's names of RETURN templates begin where ours begin otherwise."""

_EXPECTED = (
    'Expected objects with "id" and "cypher", such as data graph --to tasks writes, or CypherBench\'s with '
    '"qid" and "gold_cypher".'
)


class TaskRow(NamedTuple):
    """A question of a file; what it does not say is "", or None.

    Attributes:
        id: Its id.
        split: Its split.
        cypher: The gold.
        graph: The name of its graph.
        question: Its text.
        category: The category of its MATCH template.
        match: Its MATCH template.
        returns: Its RETURN template, by our name where we have it.
        rows: The stated rows, as texts, in their order; None: none are stated.
        fields: All that the file says.
    """

    id: str
    split: str
    cypher: str
    graph: str
    question: str
    category: str
    match: str
    returns: str
    rows: tuple[str, ...] | None
    fields: Mapping[str, Any]


def task_files(path: Path) -> dict[str, Path]:
    """Split → file; none if the path is something else, such as a release."""
    if path.is_dir():
        places = [(s, path / f"{s}{end}") for s in _SPLITS for end in (".json", ".jsonl")]
        return {split: file for split, file in places if file.is_file()}
    # A release is a folder or an archive; all else that is there is a file of questions, or a pipe.
    is_file = path.suffix in (".json", ".jsonl") or (path.exists() and path.suffix != ".tar")
    return {"test": path} if is_file else {}


def graph_files(folder: Path) -> dict[str, Path]:
    """Name → file, of the graphs of a folder."""
    found = sorted(folder.glob("graphs/simplekg/*_simplekg.json*"))
    return {path.name.partition("_simplekg.")[0]: path for path in found}


def read_tasks(path: Path) -> list[TaskRow]:
    """The questions of a file or a folder, by split.

    Raises:
        InputError: A file is missing or has no question, or some are malformed or have equal ids; one message
            lists them.
    """
    found: dict[str, TaskRow] = {}
    problems: list[str] = []
    for split, file in task_files(path).items():
        for where, row in objects_of(read_text(file)):
            try:
                task = _task(row, split)
                if found.setdefault(task.id, task) is not task:
                    raise ValueError(f"a second question {task.id!r}; ids must differ")
            except ValueError as problem:
                problems.append(f"{where}: {problem}")
    if problems or not found:
        raise InputError(list_problems(str(path), problems or ["it has no question"], _EXPECTED))
    return list(found.values())


def _task(row: dict[str, Any] | str, split: str) -> TaskRow:
    """A question.

    Raises:
        ValueError: It is none.
    """
    if isinstance(row, str):
        raise ValueError(row)
    key, cypher = row.get("id", row.get("qid")), row.get("gold_cypher", row.get("cypher"))
    if not isinstance(key, str):
        raise ValueError("has no 'id' or 'qid' that is a text")
    if not isinstance(cypher, str) or not cypher.strip():
        raise ValueError(f"{key!r} has no 'cypher' or 'gold_cypher' that is a text")
    own = {"match_category": row.get("category"), "return_pattern_id": row.get("return")}
    template = given if isinstance(given := row.get("from_template"), dict) else own
    said = (
        *(
            row.get("graph"),
            row.get("nl_question", row.get("question")),
            template.get("match_category"),
            row.get("match"),
        ),
        template.get("return_pattern_id"),
    )
    graph, question, category, match, returns = (t if isinstance(t, str) else "" for t in said)
    for published, ours in _PUBLISHED.items():
        if returns not in RETURNS and returns.startswith(published):
            returns = ours + returns.removeprefix(published)
    rows = _stated(key, row)
    return TaskRow(key, split, cypher, graph, question, category, match, returns, rows, row)


def _stated(key: str, row: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The stated rows: a list of lists; of CypherBench, such a list, or one of objects, as text in JSON.

    Returns:
        The rows; None: there are none.

    Raises:
        ValueError: The text is no list.
    """
    rows: Any = row.get("answers")
    if isinstance(text := row.get("answer_json"), str) and text.strip():
        try:
            rows = json.loads(text)
        except (ValueError, RecursionError) as problem:
            raise ValueError(
                f"{key!r}: its 'answer_json' is not valid JSON ({why_unreadable(problem)})"
            ) from None
        if not isinstance(rows, list):
            raise ValueError(f"{key!r}: its 'answer_json' is no list of rows")
        objects = ([*r.values()] if isinstance(r, dict) else r for r in rows)
        rows = [r if isinstance(r, list) else [r] for r in objects]
    stated = isinstance(rows, list) and all(isinstance(line, list) for line in rows)
    return tuple(map(row_text, rows)) if stated else None
