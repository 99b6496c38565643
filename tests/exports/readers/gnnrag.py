"""A reader of our own for the export ``gnnrag``, after gnn/dataset_load.py and the LSTM tokenizer of GNN-RAG.

It shows what the files hold; ``make clients CLIENTS=authors_gnnrag`` shows that the real one trains on them.
"""

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np


class Loaded(NamedTuple):
    id: str
    words: list[int]
    seeds: set[str]
    candidates: set[str]
    edges: list[tuple[str, str, str]]
    answers: list[str]


def numbered(folder: Path, name: str) -> dict[str, int]:
    """`load_dict`: a repeated line would shift all that follow."""
    found: dict[str, int] = {}
    for line in (folder / name).open(encoding="utf-8"):
        found[line.strip()] = len(found)
    return found


def load(folder: Path, split: str) -> list[Loaded]:
    """`BasicDataLoader`; a topic that is no number is left out without a word, as there."""
    entities, relations = numbered(folder, "entities.txt"), numbered(folder, "relations.txt")
    vocabulary = numbered(folder, "vocab.txt")
    entity, relation = list(entities), list(relations)
    assert np.load(folder / "word_emb.npy").shape[0] == len(vocabulary)
    loaded = []
    for line in (folder / f"{split}.json").open(encoding="utf-8"):
        row: dict[str, Any] = json.loads(line)
        if not row["entities"]:
            continue
        local: dict[int, int] = {}
        for number in [*row["entities"], *row["subgraph"]["entities"]]:
            local.setdefault(number, len(local))
        for h, r, t in row["subgraph"]["tuples"]:  # a KeyError there
            assert h in local
            assert t in local
            assert r < len(relation)
        seeds = {n for n in row["entities"] if isinstance(n, int)}
        loaded.append(
            Loaded(
                row["id"],
                [vocabulary[w] for w in of_lstm(row["question"]) if w in vocabulary],
                {entity[n] for n in seeds},
                {entity[n] for n in local.keys() - seeds},
                [(entity[h], relation[r], entity[t]) for h, r, t in row["subgraph"]["tuples"]],
                [entity[entities[answer["kb_id"]]] for answer in row["answers"]],
            )
        )
    return loaded


def of_lstm(question: str) -> list[str]:
    """`LSTMTokenizer.tokenize_sent`."""
    text = re.sub("'s", " s", question.strip().lower())
    tokens = (re.sub("^[^a-z0-9]|[^a-z0-9]$", "", token) for token in text.split(" "))
    return [token for token in tokens if token]


def relation_words(folder: Path) -> list[list[str]]:
    """`build_rel_words`: the last two parts of a name; a name without a dot becomes UNK."""
    found = []
    for relation in numbered(folder, "relations.txt"):
        fields = relation.split(".")
        found.append(fields[-2].split("_") + fields[-1].split("_") if len(fields) > 1 else ["UNK"])
    return found
