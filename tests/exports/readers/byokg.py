"""Reads a graph as the local store of BYOKG-RAG does: ``LocalKGStore.read_from_csv``."""

import csv
from pathlib import Path


def graph(file: Path) -> dict[str, dict[str, list[tuple[str, str, str]]]]:
    """Subject → relation → triples."""
    found: dict[str, dict[str, list[tuple[str, str, str]]]] = {}
    with file.open(encoding="utf-8") as stream:
        for row in csv.reader(stream, delimiter="\t"):
            if len(row) >= 3:
                subject, relation, obj = row[:3]
                triples = found.setdefault(subject, {}).setdefault(relation, [])
                triples.append((subject, relation, obj))
    return found
