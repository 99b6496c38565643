"""Reads exports as BRINK's public code does (b95506d).

`scores` follows ``load_gold``, ``process_prediction`` and ``evaluate`` of ``evaluation/evaluate_brink.py``;
`questions` follows ``clean_output_entity_check`` of ``question_generation.py``, `found` all of
``complete_answer_search.py``.
"""

import ast
import csv
import json
import re
import string
from pathlib import Path


def _plain(text: str) -> str:
    kept = (sign for sign in text.lower().replace("<pad>", " ") if sign not in string.punctuation)
    return " ".join(word for word in "".join(kept).split() if word not in ("a", "an", "the"))


def scores(gold: Path, predictions: Path) -> dict[str, float]:
    """The means of the evaluator."""
    told = {row["id"]: str(row["raw_output"]) for row in json.loads(predictions.read_text())}
    rows = json.loads(gold.read_text())
    sums = dict.fromkeys(("hits_any", "precision", "recall", "f1", "hits_hard"), 0.0)
    for row in rows:
        right = {_plain(str(answer)) for answer in row["answers"]} - {""}
        cut = re.split(r"[,\n\r]+", told.get(row["id"], ""))
        given = {_plain(piece) for piece in cut} - {""}
        both = len(given & right)
        sums["hits_any"] += both > 0
        sums["precision"] += both / len(given) if given else 0
        sums["recall"] += both / len(right) if right else 0
        sums["f1"] += 2 * both / (len(given) + len(right)) if given or right else 0
        sums["hits_hard"] += _plain(str(row["hard_answer"])) in given
    means = {name: value / len(rows) for name, value in sums.items()}
    means["hhr"] = means["hits_hard"] / means["hits_any"] if means["hits_any"] else 0
    return means


def questions(table: Path) -> list[dict[str, object]]:
    """The questions that it keeps: with a topic in the text, and the hard answer not in it."""
    kept = []
    with table.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            for column in ("q_entity", "answer", "a_entity", "rule", "grounding"):
                row[column] = ast.literal_eval(row[column])
            hard = row["a_entity"][0] if row["a_entity"] else ""
            if row["q_entity"][0] in row["question"] and (not hard or hard not in row["question"]):
                kept.append(row)
    return kept


def found(row: dict[str, object], facts: Path) -> list[str]:
    """The answers that a graph has to the head of the first grounding, by its subject and relation."""
    head = str(row["grounding"][0]).split("=>")[-1].split()
    triples = [line.split("\t") for line in facts.read_text().splitlines()]
    return [t for h, r, t in triples if [h, r] == head[:2]] if len(head) == 3 else []
