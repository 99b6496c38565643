"""Exports for systems without training, each read as the system's own code reads it.

BYOKG-RAG: ``LocalKGStore.read_from_csv``. BEIR: ``GenericDataLoader.load``. LightRAG: ``insert_custom_kg``
with its usual store, an undirected simple graph. Generate-on-Graph: ``find_answer``. Think-on-Graph:
``prepare_dataset``, ``align``. Plan-on-Graph: ``repeat_unanswer``, the folder for memory, ``align``.
StructGPT: ``KnowledgeGraph``, ``KnowledgeGraphSparse._fetch_forward_triple``, ``convert_fact_to_text``.
"""

import csv
import json
import pickle
import pickletools
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from rulemine.errors import ConfigError
from rulemine.exports.exporting import export
from rulemine.files import describe_content
from rulemine.kg.entity_names import EntityNames
from rulemine.release.proof_triples import proof_rows
from rulemine.release.reader import Release
from tests import each
from tests.evaluation.world import (
    ANN,
    BOB,
    CID,
    DORA,
    EVE,
    NAMES,
    QUESTIONS,
    write_release,
    write_structures,
)
from tests.exports import rows
from tests.exports.freebase_clients import names_in_dump
from tests.structures import WORLD, structure_question


def read(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


def ids(release: Release) -> dict[str, str]:
    return {e.entity: f"m.{e.private}" for e in release.entities}


# BYOKG-RAG


def graph_of_byokg(file: Path) -> set[tuple[str, ...]]:
    with file.open(encoding="utf-8") as stream:
        return {tuple(row[:3]) for row in csv.reader(stream, delimiter="\t") if len(row) >= 3}


def test_byokg_has_the_graph_and_the_questions(structures, tmp_path):
    made = export(structures, "byokg", tmp_path / "a")
    graph = graph_of_byokg(made.folder / "kg.tsv")
    assert graph == {(s, f"graph.{r}", o) for s, r, o in structures.kg().labeled()}
    asked, test = rows(made.folder / "questions.jsonl"), structures.questions("test")
    assert [tuple(row["topics"]) for row in asked] == [q.anchors for q in test]
    assert [set(row) for row in asked] == [{"id", "question", "topics"}] * len(test)
    subjects = {s for s, _, _ in graph}
    lost = sum(topic not in subjects for row in asked for topic in row["topics"])
    assert made.counts["topics_without_outgoing_edge"] == lost > 0


def test_labels_with_quotes_come_back(tmp_path):
    odd = [replace(NAMES[0], text='"Ann" Lee'), replace(NAMES[1], text='Bob "B" Lee'), *NAMES[2:]]
    release = write_release(tmp_path / "r", names=odd)
    folder = export(release, "byokg", tmp_path / "a", naming="text").folder
    subjects = {s for s, _, _ in graph_of_byokg(folder / "kg.tsv")}
    assert {'"Ann" Lee', 'Bob "B" Lee'} <= subjects


# BEIR

Qrels = dict[str, dict[str, int]]


def beir(folder: Path, split: str) -> tuple[dict[str, Any], dict[str, str], Qrels]:
    """Corpus, queries and qrels of a split; a query without qrels is dropped."""
    corpus = {row["_id"]: row for row in rows(folder / "corpus.jsonl")}
    queries = {row["_id"]: row["text"] for row in rows(folder / "queries.jsonl")}
    qrels: Qrels = {}
    with (folder / "qrels" / f"{split}.tsv").open(encoding="utf-8") as stream:
        reader = csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_MINIMAL)
        next(reader)
        for query, passage, grade in reader:
            qrels.setdefault(query, {})[passage] = int(grade)
    return corpus, {query: queries[query] for query in qrels}, qrels


def test_what_is_relevant_to_the_questions_of_the_small_world(release, tmp_path):
    made = export(release, "beir", tmp_path / "a")
    corpus, queries, qrels = beir(made.folder, "test")
    key = dict(zip(release.kg().labeled(), corpus, strict=True))
    wife, mother = key[ANN, "wife", BOB], key[ANN, "mother", CID]
    # `wife` proves each removed triple; the answer that is asked for is derived from it in every question.
    assert qrels == {"q00001": {wife: 2, mother: 1}, "q00002": {wife: 2}, "q00003": {wife: 2}}
    assert queries == {q.id: q.question for q in release.questions("test")}
    stated = {key[BOB, "father", CID]: 1, key[BOB, "father", EVE]: 1}
    assert beir(made.folder, "train")[2] == {"q00004": {wife: 2} | stated}
    assert beir(made.folder, "dev")[2] == {}
    assert made.counts["passages"] == 7
    assert corpus[wife]["title"] == ANN
    assert {ANN, BOB} <= {*corpus[wife]["text"].rstrip(".").split()}


def test_passages_of_entities_and_one_grade(release, tmp_path):
    folder = export(release, "beir:passages=entity:graded=false", tmp_path / "a").folder
    corpus, _, qrels = beir(folder, "test")
    assert {*corpus} == {f"m.{s}" for s, _, _ in release.kg().labeled()}
    assert qrels == {q: {f"m.{ANN}": 1} for q in ("q00001", "q00002", "q00003")}
    assert beir(folder, "train")[2] == {"q00004": {f"m.{ANN}": 1, f"m.{BOB}": 1}}
    assert corpus[f"m.{BOB}"]["text"].count(".") == 2  # a sentence for each of its two triples


@each("kg", ["incomplete", "complete"])
def test_every_passage_named_is_there_and_proofs_are_whole(structures, tmp_path, kg):
    made, asked = export(structures, "beir", tmp_path / "a", kg=kg), structures.questions()
    proofs = proof_rows(structures.kg(kg), asked, structures.removals())
    proof_of = {q.id: rows.tolist() for q, rows in zip(asked, proofs, strict=True)}
    for split, name in (("train", "train"), ("validation", "dev"), ("test", "test")):
        corpus, queries, qrels = beir(made.folder, name)
        assert {*queries} == {q.id for q in structures.questions(split)} - made.left_out.keys()
        keys = [*corpus]
        for question, grades in qrels.items():
            assert grades.keys() <= corpus.keys()
            first = {passage for passage, grade in grades.items() if grade == 2}
            assert first == {keys[row] for row in proof_of[question] if row >= 0}


# LightRAG


@each("kg", ["incomplete", "complete"])
def test_lightrag_loses_no_triple_among_several_of_a_pair(structures, tmp_path, kg):
    made = export(structures, "lightrag", tmp_path / "a", kg=kg)
    given, graph = read(made.folder / "custom_kg.json"), structures.kg(kg).labeled()
    chunks = {chunk["source_id"]: chunk["content"] for chunk in given["chunks"]}
    nodes = {row["entity_name"]: row for row in given["entities"]}
    edges = {frozenset((row["src_id"], row["tgt_id"])): row for row in given["relationships"]}
    assert {*nodes} == {end for s, _, o in graph for end in (s, o)}
    assert {*edges} == {frozenset((s, o)) for s, _, o in graph}
    for s, r, o in graph:
        edge = edges[frozenset((s, o))]
        assert structures.templates()[r].state(s, o) in edge["description"]
        assert r.replace("_", " ") in edge["keywords"].split(", ")
    assert sum(edge["weight"] for edge in edges.values()) == len(graph)
    assert all(chunks[one["source_id"]] for one in (*nodes.values(), *edges.values()))
    assert all(node["entity_type"] != "UNKNOWN" for node in nodes.values())
    assert [row["id"] for row in rows(made.folder / "questions.jsonl")] == [
        q.id for q in structures.questions("test")
    ]


def test_a_chunk_of_lightrag_says_what_its_relationship_says(release, tmp_path):
    made = export(release, "lightrag", tmp_path / "a")
    given = read(made.folder / "custom_kg.json")
    (wife,) = (
        row for row in given["relationships"] if {row["src_id"], row["tgt_id"]} == {ANN, BOB}
    )
    assert (wife["keywords"], wife["weight"]) == ("wife", 1.0)
    chunks = {chunk["source_id"]: chunk["content"] for chunk in given["chunks"]}
    assert chunks[wife["source_id"]] == wife["description"]
    counts = {name: made.counts[name] for name in ("chunks", "entities", "relationships")}
    assert counts == {"chunks": 7, "entities": 5, "relationships": 7}
    assert {row["entity_name"] for row in given["entities"]} == {ANN, BOB, CID, DORA, EVE}


# Generate-on-Graph


@each("kg", ["incomplete", "complete"])
def test_generate_on_graph_reads_questions_and_no_triple_is_hidden_twice(structures, tmp_path, kg):
    folder = export(structures, "gog", tmp_path / "a", kg=kg).folder
    (file,) = folder.glob("data/*/*")
    found, test = read(file), structures.questions("test")
    assert file.parent.name == kg
    assert [(row["ID"], row["index"]) for row in found] == [(q.id, n) for n, q in enumerate(test)]
    assert [row["answer"] for row in found] == [list(q.answers) for q in test]
    assert found[0]["topic_entity"] == {ids(structures)[a]: a for a in test[0].anchors}
    assert all(row["mid_crucial_triples"] == [] for row in found)


def test_generate_on_graph_finds_ids_by_names(structures, tmp_path):
    folder = export(structures, "gog", tmp_path / "a", naming="text").folder
    dump = folder / "Freebase/virtuoso-opensource/database/FilterFreebase"
    found = names_in_dump(dump.read_text(encoding="utf-8").splitlines())
    assert found == {e.text.lower(): {f"m.{e.private}"} for e in structures.entities}


# StructGPT


class StructGpt:
    def __init__(self, folder: Path) -> None:
        self.triples = np.load(folder / "subgraph_2hop_triples.npy")
        self.types = np.load(folder / "ent_type_ary.npy")
        self.ids = pickle.loads((folder / "ent2id.pickle").read_bytes())
        numbers = pickle.loads((folder / "rel2id.pickle").read_bytes())
        self.relations = {v: k for k, v in numbers.items()}
        self.mediators, self.names = pickle.loads((folder / "entity_name.pickle").read_bytes())
        self.entities = {v: k for k, v in self.ids.items()}
        self.questions = rows(folder / "webqsp_simple_test.jsonl")

    def forward(self, entity: str) -> set[tuple[str, str, str]]:
        """The triples of an entity as the model sees them."""
        number = min(self.ids[entity], max(self.triples[:, 0]))
        found = self.triples[self.triples[:, 0] == number].tolist()
        assert not any(self.types[t] == 3 or self.mediators[self.entities[t]] for *_, t in found)
        name = {number: self.names[entity] for number, entity in self.entities.items()}
        return {(name[h], self.relations[r], name[t]) for h, r, t in found}


def test_structgpt_walks_the_graph_from_the_topics(structures, tmp_path):
    made = export(structures, "structgpt:split=train", tmp_path / "a", kg="complete")
    client, of = StructGpt(made.folder), ids(structures)
    for name, entity in of.items():
        wanted = {(s, f"graph.{r}", o) for s, r, o in WORLD if s == name}
        assert client.forward(entity) == wanted  # of italy, which is no subject: none
    columns = ("ID", "Answers", "TopicEntityID", "TopicEntityName")
    assert [tuple(row[name] for name in columns) for row in client.questions] == [
        (q.id, list(q.answers), of[q.topic], q.topic) for q in structures.questions("train")
    ]
    assert not made.left_out


def test_the_same_bytes_in_every_naming_and_nothing_but_plain_types(structures, tmp_path):
    for naming in ("entity", "text"):
        export(structures, "structgpt", tmp_path / naming, naming=naming)
    for name in ("ent2id.pickle", "rel2id.pickle", "subgraph_2hop_triples.npy", "ent_type_ary.npy"):
        contents = {(tmp_path / naming / name).read_bytes() for naming in ("entity", "text")}
        assert len(contents) == 1
    for name in ("ent2id.pickle", "rel2id.pickle", "entity_name.pickle"):
        content = (tmp_path / "text" / name).read_bytes()
        codes = {code.name for code, *_ in pickletools.genops(content)}
        assert not codes & {"GLOBAL", "STACK_GLOBAL", "REDUCE", "BINPUT", "FRAME"}
        assert content[:2] == b"\x80\x02"
    triples = np.load(tmp_path / "text" / "subgraph_2hop_triples.npy")
    assert triples.dtype == np.dtype("<i4")


def test_entities_of_the_reference_alone_are_not_told(structures, tmp_path):
    folder = shutil.copytree(structures.path, tmp_path / "world")
    names = [*structures.entities, EntityNames("e00099", "far", "Far")]
    text = "".join(f"{e.private}\t{e.entity}\t{e.text}\n" for e in names)
    (folder / "entities.tsv").write_text(f"private\tentity\ttext\n{text}")
    size, digest = describe_content(folder / "entities.tsv")
    manifest = read(folder / "manifest.json")
    manifest["files"]["entities.tsv"] = {"bytes": size, "sha256": digest}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    release = Release.open(folder)
    assert len(release.entities) == len(names)
    for name in ("structgpt", "gog"):
        made = export(release, name, tmp_path / name, without_answers=True).folder
        for file in made.rglob("*"):
            assert file.is_dir() or b"e00099" not in file.read_bytes()


# Think-on-Graph and Plan-on-Graph

TEXT = {"cwq": "question", "webqsp": "RawQuestion"}
FILE = {"cwq": "cwq.json", "webqsp": "WebQSP.json"}


class Asked(NamedTuple):
    """A question: its text, its topics by id, and what its scorer takes for right."""

    text: str
    topics: dict[str, str]
    gold: set[str]


def gold_of_parses(row: Any) -> set[str]:
    answers = [answer for parse in row["Parses"] for answer in parse["Answers"]]
    return {a["AnswerArgument"] if a["EntityName"] is None else a["EntityName"] for a in answers}


def think_on_graph(folder: Path, data: str) -> list[Asked]:
    found, text = read(folder / FILE[data]), TEXT[data]

    def gold(row: Any) -> set[str]:
        row = next(r for r in found if r[text] == row[text])  # joins by the text
        if data == "webqsp":
            return gold_of_parses(row)
        answers = row["answers"] if "answers" in row else row["answer"]
        return {name for answer in answers for name in [*answer["aliases"], answer["answer"]]}

    return [Asked(row[text], row["topic_entity"], gold(row)) for row in found]


def plan_on_graph(folder: Path, data: str, model: str, memory: Path) -> list[Asked]:
    found, side = (
        read(folder / ("PoG/cwq.json" if data == "cwq" else FILE[data])),
        folder / "cope_alias",
    )
    done = {row[TEXT[data]] for row in rows(folder / f"PoG_{data}_{model}.jsonl")}

    def gold(row: Any) -> set[str]:
        if data == "webqsp":
            names, aliases = gold_of_parses(row), read(side / "WQSP_aliase_data.json")
        else:
            more = {r["question"]: r for r in read(side / "ComplexWebQuestions_test_wans.json")}
            names = {row["answer"], *read(side / "cwq_aname_dict.json")[row["question"]]}
            for answer in more[row["question"]]["answers"]:
                names |= {answer["answer"] or answer["answer_id"], *answer.get("aliases", ())}
            row["compositionality_type"]  # counted by the scorer
            aliases = read(side / "CWQ_aliase_data31158.json")
        return names | {alias for name in names for alias in aliases.get(name, ())}

    asked = []
    for row in found:
        if (text := row[TEXT[data]]) not in done:
            (memory / text[:255]).mkdir(parents=True)  # fails on a second question of the same text
            asked.append(Asked(text, row["topic_entity"], gold(row)))
    return asked


@each("data", ["cwq", "webqsp"])
def test_both_systems_find_topics_and_gold(structures, tmp_path, data):
    folder = export(structures, "tog:model=gpt-4", tmp_path / "a").folder
    private, test = ids(structures), structures.questions("test")
    assert len({len(q.anchors) for q in test}) > 1
    wanted = [(q.question, {private[name]: name for name in q.anchors}, {*q.answers}) for q in test]
    assert think_on_graph(folder, data) == wanted
    assert plan_on_graph(folder, data, "gpt-4", tmp_path / "memory") == wanted


def test_another_split_and_no_answers_without_it(structures, tmp_path):
    made = export(structures, "tog:split=train", tmp_path / "a")
    assert made.questions == len(structures.questions("train"))
    with pytest.raises(ConfigError, match="writes the split train"):
        export(structures, "tog:split=train", tmp_path / "b", without_answers=True)
    with pytest.raises(ConfigError, match="becomes part of a file's name"):
        export(structures, "tog:model=org/gpt", tmp_path / "c")


def test_the_gold_of_a_count_is_its_number(tmp_path):
    asked = replace(structure_question(1, '(p- "won" "oscar")', "test"), value=3, stated_value=2)
    folder = export(write_structures(tmp_path / "w", [asked]), "tog", tmp_path / "a").folder
    assert [row.gold for data in FILE for row in think_on_graph(folder, data)] == [{"3"}] * 2


def test_texts_are_unique_and_fit_a_file_name(tmp_path):
    same = [replace(q, question="Who is it?") for q in QUESTIONS[:2]]
    long = replace(QUESTIONS[2], question="Ü" * 128)
    fits = replace(QUESTIONS[2], id="q00009", question="Ü" * 127 + "?")
    made = export(write_release(tmp_path / "r", [*same, long, fits]), "tog", tmp_path / "a")
    assert list(made.left_out) == [long.id]
    assert made.counts["texts_made_unique"] == 2
    asked = plan_on_graph(made.folder, "cwq", "gpt-3.5-turbo", tmp_path / "mem")
    made_unique = [f"Who is it? ({q.id})" for q in same]
    assert [row.text for row in asked] == [*made_unique, fits.question]
    assert asked[0].gold != asked[1].gold
