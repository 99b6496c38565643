"""Loads exports `rog` as RoG, GCR, G-Retriever and SubgraphRAG do, with their graphs in networkx.

What is said in `reachability.jsonl` is found again from the release with networkx.
"""

import gzip
import json
import os
import sys
import tempfile
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = os.environ["HF_DATASETS_OFFLINE"] = "1"
os.environ["HF_HOME"] = tempfile.mkdtemp()

import datasets
import networkx as nx
import pandas as pd
from datasets import concatenate_datasets, load_dataset

SPLITS = ("train", "validation", "test")


def rows_of(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def graph_of(row: dict, kind: type) -> nx.Graph:
    graph = kind()
    for h, r, t in row["graph"]:
        graph.add_edge(h.strip(), t.strip(), relation=r.strip())
    return graph


def near(graph: nx.Graph, topics: list[str], hops: int | None) -> set[str]:
    found: set[str] = set()
    for topic in set(topics) & set(graph):
        found.update(nx.single_source_shortest_path_length(graph, topic, cutoff=hops))
    return found


def kept(graph: nx.Graph, h: str, r: str, t: str) -> bool:
    return graph.has_edge(h, t) and graph[h][t]["relation"] == r


class Proofs:
    """The triples that prove the hard answers of a release, by the names of an export."""

    def __init__(self, release: Path, exported: Path, which: str) -> None:
        self.questions = {
            q["id"]: q for s in SPLITS for q in rows_of(release / f"questions/{s}.jsonl")
        }
        removed = rows_of(release / "removed.jsonl")
        self._bodies = {tuple(r["triple"]): r["certificate"]["body"] for r in removed}
        text = gzip.decompress((release / f"kg/{which}.tsv.gz").read_bytes()).decode()
        self._stated = {tuple(line.split("\t")) for line in text.splitlines()}
        lines = (exported / "relations_map.tsv").read_text().splitlines()[1:]
        self._relation = dict(line.split("\t") for line in lines)

    def of(self, question: dict) -> list[tuple[str, str, str]]:
        given = []
        for triple in map(tuple, question["evidence"]):
            given += [triple] if triple in self._stated else self._bodies[triple]
        return [(h, self._relation[r], t) for h, r, t in given]


def check(exported: Path, release: Path, which: str) -> str:
    proofs = Proofs(release, exported, which)
    flags = {row["id"]: row for row in rows_of(exported / "reachability.jsonl")}
    lost, hard = 0, 0
    for split in SPLITS:
        loaded = load_dataset(str(exported), split=split)  # RoG, GCR
        asked = rows_of(release / f"questions/{split}.jsonl")
        assert sorted(loaded["id"]) == sorted(q["id"] for q in asked if q["id"] in flags)
        for row in loaded:
            assert row["a_entity"] == row["answer"]
            if split == "train":  # networkx takes its time
                continue
            question = proofs.questions[row["id"]]
            said, answer = flags[row["id"]], question["hard_answer"]
            if answer is None:
                assert said["answer_undirected"] is None
                continue
            one, two = graph_of(row, nx.Graph), graph_of(row, nx.DiGraph)
            joined, second = near(one, row["q_entity"], None), near(two, row["q_entity"], 2)
            first, proof = near(two, row["q_entity"], 1), proofs.of(question)
            has = {tuple(t) for t in row["graph"]} >= set(proof)
            forward = has and all(h in first for h, _, _ in proof)
            assert said["answer_undirected"] == (answer in joined)
            assert said["answer_digraph_2"] == said["answer_forward_2"] == (answer in second)
            assert said["proof_forward_2"] == forward
            assert said["proof_digraph_2"] == (forward and all(kept(two, *t) for t in proof))
            whole = has and all(kept(one, *t) and t[0] in joined for t in proof)
            assert said["proof_undirected"] == whole
            hard += 1
            lost += has and not whole
    whole = load_dataset("rmanluo/RoG-webqsp")  # G-Retriever
    every = concatenate_datasets([whole[split] for split in SPLITS])
    row = every[len(every) - 1]
    names = sorted({e.lower() for h, _, t in row["graph"] for e in (h, t)})
    pd.DataFrame({"node_attr": names}).to_csv("nodes.csv", index=False)
    assert pd.read_csv("nodes.csv").node_attr.tolist() == names
    return f"{len(every)} questions; {lost} of {hard} proofs for testing are lost in an undirected graph"


def main() -> None:
    datasets.disable_progress_bar()
    root = Path(sys.argv[1]).resolve()
    for release in sorted((root / "releases").iterdir()):
        for which, folder in (
            ("incomplete", release.name),
            ("complete", f"{release.name}-complete"),
        ):
            with tempfile.TemporaryDirectory() as place:
                os.chdir(place)
                Path("rmanluo").mkdir()
                Path("rmanluo/RoG-webqsp").symlink_to(root / folder / "rog")
                told = check(root / folder / "rog", release, which)
                print(f"datasets {datasets.__version__}, {folder}: {told}")
                os.chdir(root)


if __name__ == "__main__":
    main()
