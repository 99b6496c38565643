"""How the programs that read the export ``rog`` read it; each function names the file that it follows."""

import csv
import io
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

Row = dict[str, Any]
Edges = dict[str, dict[str, str]]


def parquet(folder: Path, split: str) -> list[Row]:
    return pq.read_table(folder / f"{split}.parquet").to_pylist()


def build_graph(row: Row, *, undirected: bool) -> Edges:
    """RoG, src/utils/graph_utils.py, and GCR, likewise: networkx keeps one relation of an edge, the last."""
    edges: Edges = {}
    for h, r, t in row["graph"]:
        edges.setdefault(h.strip(), {})[t.strip()] = r.strip()
        edges.setdefault(t.strip(), {})
        if undirected:
            edges[t.strip()][h.strip()] = r.strip()
    return edges


def direct_answer(row: Row, plans: list[list[str]]) -> list[str]:
    """RoG without a model, src/qa_prediction/build_qa_input.py: where the plans lead."""
    edges, found = build_graph(row, undirected=True), []
    for start in row["q_entity"]:
        for plan in plans:
            ends = [start]
            for relation in plan:
                ends = [o for e in ends for o, r in edges.get(e, {}).items() if r == relation]
            found += ends
    return found


class Sample(NamedTuple):
    text_entities: list[str]
    other_entities: list[str]
    triples: list[tuple[int, int, int]]
    topics: list[int]
    answers: list[int]


def process_sample(row: Row, identifiers: set[str]) -> Sample:
    """SubgraphRAG, retrieve/src/dataset/emb.py."""
    entities = sorted({e for h, _, t in row["graph"] for e in (h, t)})
    relations = sorted({r for _, r, _ in row["graph"]})
    text = [e for e in entities if e not in identifiers]
    other = [e for e in entities if e in identifiers]
    number = {e: n for n, e in enumerate([*text, *other])}
    assert row["a_entity"] == row["answer"]
    return Sample(
        text,
        other,
        [(number[h], relations.index(r), number[t]) for h, r, t in row["graph"]],
        [number[e] for e in row["q_entity"] if e in number],
        [number[e] for e in row["a_entity"] if e in number],
    )


def nodes(row: Row) -> list[str]:
    """G-Retriever, src/dataset/preprocess/webqsp.py: lower-cased names, through a CSV file and pandas."""
    import pandas as pd  # here: every process of the tests would load it

    numbers: dict[str, int] = {}
    for h, _, t in row["graph"]:
        numbers.setdefault(h.lower(), len(numbers))
        numbers.setdefault(t.lower(), len(numbers))
    out = io.StringIO()
    csv.writer(out).writerows([("node_id", "node_attr"), *((n, e) for e, n in numbers.items())])
    return pd.read_csv(io.StringIO(out.getvalue())).node_attr.tolist()
