"""The exports ``rog`` and ``gnnrag``, read as the programs that have a graph for each question read them."""

import csv
import io
import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from rulemine.errors import ConfigError
from rulemine.exports.exporting import export
from rulemine.exports.formats.graph_per_question import _paths, confounders
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.query import QueryGraph, parse
from rulemine.query.tree import Anchor, Intersection, Projection
from rulemine.release.records import SPLITS
from rulemine.seeds import stream
from tests import each
from tests.exports import rows

Row = dict[str, Any]


def parquet(folder: Path, split: str) -> list[Row]:
    return pq.read_table(folder / f"{split}.parquet").to_pylist()


def names_of_relations(folder: Path) -> dict[str, str]:
    lines = (folder / "relations_map.tsv").read_text().splitlines()
    return dict(line.split("\t") for line in lines[1:])


# Which triples a question gets.


@each("seed", range(6))
def test_confounders_are_the_triples_of_every_walk_along_a_path_of_the_query(seed):
    draw = stream(seed, "graph")
    kg = KnowledgeGraph.from_triples(
        (f"e{draw.below(12):03d}", f"r{draw.below(3)}", f"e{draw.below(12):03d}") for _ in range(40)
    )
    two = Projection("r1", True, Projection("r0", False, Anchor("e001")))
    query = Intersection.of([two, Projection("r2", False, Anchor("e002"))])
    wanted: set[Triple] = set()
    triples = kg.labeled()
    for topic in ("e001", "e002"):
        wanted |= {t for t in triples if t[0] == topic and t[1] == "r2"}
        for first in (t for t in triples if t[0] == topic and t[1] == "r0"):
            for second in (t for t in triples if t[2] == first[2] and t[1] == "r1"):
                wanted |= {first, second}
    found = kg.labeled(confounders(QueryGraph(kg), ["e001", "e002", "nobody"], query))
    assert (set(found), len(found)) == (wanted, len(set(found)))


def test_paths_of_unions_differences_and_counts():
    text = '(count (minus (or (p "a" "x") (p "b" "x")) (p "c" "y")))'
    assert _paths(parse(text)) == {(("a", False),), (("b", False),)}
    assert _paths(parse('(p- "d" (and (p "a" "x") (p "b" "y")))')) == {
        (("a", False), ("d", True)),
        (("b", False), ("d", True)),
    }


@each("kg", ["complete", "incomplete", "incomplete-50"])
def test_evidence_is_in_graphs_of_training_and_those_of_test_are_as_without(
    structures, tmp_path, kg
):
    graphs = []
    for flag in ("true", "false"):
        to = f"rog:hops=1:max_triples=2:evidence={flag}"
        export(structures, to, tmp_path / flag, kg=kg, naming="text")
        found = [row for split in SPLITS for row in parquet(tmp_path / flag, split)]
        graphs.append({row["id"]: list(map(tuple, row["graph"])) for row in found})
    with_evidence, without = graphs
    # Relations have other names there: triples are compared by their ends.
    removed = {row.triple: row.certificate.body for row in structures.removals()}
    stated = set(structures.kg(kg).labeled())
    called = {e.name_in(structures.naming): e.text for e in structures.entities}
    assert {q.split for q in structures.questions()} == {"train", "validation", "test"}
    for q in structures.questions():
        own = with_evidence[q.id]
        assert len(own) == len(set(own))
        if q.split == "test":
            assert own == without[q.id]
            continue
        needed = [t for e in q.full_evidence for t in ((e,) if e in stated else removed[e])]
        ends = {(called[s], called[o]) for s, _, o in needed if (s, _, o) in stated}
        assert {(s, o) for s, _, o in own} >= ends
        assert set(own) >= set(without[q.id])


def test_graphs_are_of_the_graph_that_is_named(structures, tmp_path):
    for which in ("incomplete", "incomplete-50", "complete"):
        folder = export(structures, "rog", tmp_path / which, kg=which).folder
        names = names_of_relations(folder)
        graphs = [row["graph"] for split in SPLITS for row in parquet(folder, split)]
        seen = {tuple(triple) for graph in graphs for triple in graph}
        assert seen == {(h, names[r], t) for h, r, t in structures.kg(which).labeled()}
        assert all(len(graph) == len({*map(tuple, graph)}) for graph in graphs)
        assert any(graph != sorted(graph) for graph in graphs)


def test_a_smaller_graph_is_the_same_in_every_naming(structures, tmp_path):
    graphs = []
    for naming, seed in (("private", 0), ("entity", 0), ("private", 1)):
        folder = tmp_path / f"{naming}{seed}"
        export(structures, "rog:max_triples=9", folder, naming=naming, seed=seed)
        label = {e.name_in(naming): e.private for e in structures.entities}
        graphs.append(
            [
                [(label[h], r, label[t]) for h, r, t in row["graph"]]
                for row in parquet(folder, "test")
            ]
        )
    assert graphs[0] == graphs[1] != graphs[2]
    assert [*map(sorted, graphs[0])] == [*map(sorted, graphs[2])]
    assert {len(graph) for graph in graphs[0]} == {9}


# RoG and those who read its data.


def edges_of(row: Row, *, undirected: bool) -> dict[str, dict[str, str]]:
    """RoG and GCR, src/utils/graph_utils.py: networkx keeps one relation of an edge, the last."""
    edges: dict[str, dict[str, str]] = {}
    for h, r, t in row["graph"]:
        edges.setdefault(h.strip(), {})[t.strip()] = r.strip()
        edges.setdefault(t.strip(), {})
        if undirected:
            edges[t.strip()][h.strip()] = r.strip()
    return edges


def where_plans_lead(row: Row, plans: list[list[str]]) -> Iterator[str]:
    """RoG without a model, src/qa_prediction/build_qa_input.py."""
    edges = edges_of(row, undirected=True)
    for start in row["q_entity"]:
        for plan in plans:
            ends = [start]
            for relation in plan:
                ends = [o for e in ends for o, r in edges.get(e, {}).items() if r == relation]
            yield from ends


def nodes_of_g_retriever(row: Row) -> list[str]:
    """G-Retriever, src/dataset/preprocess/webqsp.py: lower-cased names, through a CSV file and pandas."""
    import pandas as pd  # here: every process of the tests would load it

    nodes = [*dict.fromkeys(end.lower() for h, _, t in row["graph"] for end in (h, t))]
    out = io.StringIO()
    csv.writer(out).writerows([("node_id", "node_attr"), *enumerate(nodes)])
    return pd.read_csv(io.StringIO(out.getvalue())).node_attr.tolist()


def test_rows_are_those_of_the_questions_in_a_plain_schema(structures, tmp_path):
    folder = export(structures, "rog", tmp_path / "a").folder
    for split in SPLITS:
        for row, q in zip(parquet(folder, split), structures.questions(split), strict=True):
            graph, answers = row.pop("graph"), list(q.answers)
            assert isinstance(graph[0][2], str)
            assert row == {
                "id": q.id, "question": q.question, "answer": answers, "q_entity": list(q.anchors),
                "a_entity": answers, "choices": [],
            }  # fmt: skip
        assert pq.read_metadata(folder / f"{split}.parquet").metadata is None
    head = (folder / "README.md").read_text().split("---\n")[1]
    paths = [line.split(": ")[1] for line in head.splitlines() if "path" in line]
    assert paths == [f"{split}.parquet" for split in SPLITS]


def test_oracle_plans_lead_to_the_hard_answers_that_can_be_reached(structures, tmp_path):
    made = export(structures, "rog:oracle_plans=true", tmp_path / "a")
    plans = {row["id"]: row for row in rows(made.folder / "rule_paths_test.jsonl")}
    flags = {row["id"]: row for row in rows(made.folder / "reachability.jsonl")}
    reached = 0
    for row, q in zip(parquet(made.folder, "test"), structures.questions("test"), strict=True):
        if q.hard_answer is not None and flags[q.id]["proof_undirected"]:
            assert q.hard_answer in where_plans_lead(row, plans[q.id]["prediction"])
            reached += 1
        assert set(q.answers) & {*where_plans_lead(row, plans[q.id]["ground_paths"])}
    assert reached
    with pytest.raises(ConfigError, match="oracle_plans gives the answers away"):
        export(structures, "rog:oracle_plans=true", tmp_path / "b", without_answers=True)


def test_the_shares_are_those_of_the_rows(structures, tmp_path):
    made = export(structures, "rog:max_triples=12", tmp_path / "a")
    assert made.counts["triples_a_question"] == 12
    flags = {row["id"]: row for row in rows(made.folder / "reachability.jsonl")}
    hard = {q.id: q.hard_answer for q in structures.questions() if q.hard_answer}
    for row in (row for split in SPLITS for row in parquet(made.folder, split)):
        if row["id"] not in hard:
            assert set(flags[row["id"]].values()) == {row["id"], None}
            continue
        directed, near = edges_of(row, undirected=False), set(row["q_entity"])
        for _ in range(2):
            near |= {t for h in near for t in directed.get(h, {})}
        reached = hard[row["id"]] in near & directed.keys()
        assert flags[row["id"]]["answer_digraph_2"] == reached
    assert 0 < made.counts["proofs_inside"] < 1
    assert export(structures, "rog", tmp_path / "b").counts["proofs_inside"] == 1


@each("naming", ["private", "text"])
def test_subgraph_rag_and_g_retriever_find_every_name(release, tmp_path, naming):
    """SubgraphRAG, retrieve/src/dataset/emb.py, puts what it takes for identifiers apart."""
    folder = export(release, "rog", tmp_path / "a", naming=naming).folder
    identifiers = set((folder / "entity_identifiers.txt").read_text().splitlines())
    for row in parquet(folder, "test"):
        entities = {end for h, _, t in row["graph"] for end in (h, t)}
        assert entities & {*row["q_entity"]}
        assert entities & {*row["a_entity"]}
        assert entities & identifiers == (entities if naming == "private" else set())
        assert sorted(nodes_of_g_retriever(row)) == sorted(end.lower() for end in entities)


def test_no_two_exports_look_alike_to_a_cache(structures, tmp_path):
    heads = []
    for name, seed in (("a", 0), ("b", 1), ("c", 0)):
        folder = export(structures, "rog", tmp_path / name / "rog", seed=seed).folder
        heads.append((folder / "README.md").read_text())
    assert heads[0] == heads[2] != heads[1]


def test_row_groups_change_nothing(structures, tmp_path, monkeypatch):
    whole = parquet(export(structures, "rog", tmp_path / "b").folder, "test")
    monkeypatch.setattr("rulemine.exports.formats.graph_per_question.TRIPLES_AT_ONCE", 50)
    folder = export(structures, "rog", tmp_path / "a").folder
    assert pq.ParquetFile(folder / "test.parquet").num_row_groups > 1
    assert parquet(folder, "test") == whole
    assert all(a["id"] < b["id"] for a, b in pairwise(whole))


# GNN-RAG: gnn/dataset_load.py and its LSTM tokenizer; ``make clients CLIENTS=authors_gnnrag`` trains it.

FILES = {"train": "train", "validation": "dev", "test": "test"}


def numbered(folder: Path, name: str) -> dict[str, int]:
    """`load_dict`: a repeated line would shift all that follow."""
    found: dict[str, int] = {}
    for line in (folder / name).open(encoding="utf-8"):
        found[line.strip()] = len(found)
    return found


def of_lstm(question: str) -> list[str]:
    """`LSTMTokenizer.tokenize_sent`."""
    text = re.sub("'s", " s", question.strip().lower())
    tokens = (re.sub("^[^a-z0-9]|[^a-z0-9]$", "", token) for token in text.split(" "))
    return [token for token in tokens if token]


@each("options", ["", ":max_triples=9"])
def test_questions_and_graphs_of_gnnrag_are_those_of_rog(structures, tmp_path, options):
    folder = export(structures, f"gnnrag{options}", tmp_path / "a").folder
    beside = export(structures, f"rog{options}", tmp_path / "b").folder
    label = json.loads((folder / "entities_names.json").read_text())
    assert len({*label.values()}) == len(label)  # it inverts them
    number = numbered(folder, "entities.txt")
    entity, relation = [label[name] for name in number], [*numbered(folder, "relations.txt")]
    for split, name in FILES.items():
        for row, same in zip(rows(folder / f"{name}.json"), parquet(beside, split), strict=True):
            triples = row["subgraph"]["tuples"]
            local = {*row["entities"], *row["subgraph"]["entities"]}
            assert row["id"] == same["id"]
            assert {n for h, _, t in triples for n in (h, t)} <= local  # a KeyError there
            assert [[entity[h], relation[r], entity[t]] for h, r, t in triples] == same["graph"]
            assert {entity[n] for n in row["entities"] if isinstance(n, int)} == {*same["q_entity"]}
            assert [entity[number[a["kb_id"]]] for a in row["answers"]] == same["answer"]
            ends = {end for h, _, t in same["graph"] for end in (h, t)}
            assert {entity[n] for n in local} == ends | {*same["q_entity"]}  # no answer beside them
    reached = [(one / "reachability.jsonl").read_bytes() for one in (folder, beside)]
    assert reached[0] == reached[1]


def test_every_word_has_a_number(structures, tmp_path):
    folder = export(structures, "gnnrag", tmp_path / "a").folder
    vocabulary = numbered(folder, "vocab.txt")
    assert np.load(folder / "word_emb.npy").shape[0] == len(vocabulary)
    said = [
        of_lstm(row["question"]) for name in FILES.values() for row in rows(folder / f"{name}.json")
    ]
    assert min(map(len, said)) > 1
    # `build_rel_words` takes the last two parts of a name; a name without a dot becomes UNK.
    relations = [name.split(".") for name in numbered(folder, "relations.txt")]
    assert min(map(len, relations)) > 1
    said += [part.split("_") for parts in relations for part in parts[-2:]]
    assert {word for words in said for word in words} <= vocabulary.keys()
