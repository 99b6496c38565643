"""Reads a folder as BEIR's ``GenericDataLoader.load`` does."""

import csv
import json
from pathlib import Path

Loaded = tuple[dict[str, dict[str, str]], dict[str, str], dict[str, dict[str, int]]]


def load(folder: Path, split: str) -> Loaded:
    """Corpus, queries and qrels of a split; a query without qrels is dropped."""
    corpus, queries = {}, {}
    for row in map(json.loads, (folder / "corpus.jsonl").open(encoding="utf-8")):
        corpus[row["_id"]] = {"text": row["text"], "title": row["title"]}
    for row in map(json.loads, (folder / "queries.jsonl").open(encoding="utf-8")):
        queries[row["_id"]] = row["text"]
    qrels: dict[str, dict[str, int]] = {}
    with (folder / "qrels" / f"{split}.tsv").open(encoding="utf-8") as stream:
        reader = csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_MINIMAL)
        next(reader)
        for query, passage, grade in reader:
            qrels.setdefault(query, {})[passage] = int(grade)
    return corpus, {query: queries[query] for query in qrels}, qrels
