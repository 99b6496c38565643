"""Reads exports as Generate-on-Graph reads its questions and looks names up.

``find_answer`` in ``src/GoG.py``, ``ConstructName2id.process_line`` in ``src/bm25_name2ids.py``.
"""

import ast
import json
from pathlib import Path
from typing import Any


def questions(file: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(file.read_text())
    for row in rows:
        assert {type(row["index"]), type(row["question"])} == {int, str}
        assert list(set(row["answer"])) or not row["answer"]
        sorted(row["topic_entity"].values())
    return rows


def names(file: Path) -> dict[str, str]:
    """Name in lower case → id."""
    found = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        subject, predicate, name, _ = line.strip().split("\t")
        entity = subject[subject.rfind("/") + 1 : -1]
        assert predicate == "<http://rdf.freebase.com/ns/type.object.name>"
        assert entity[:2] == "m."
        found[ast.literal_eval(name[:-3]).lower()] = entity
    return found
