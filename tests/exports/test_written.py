"""Every export of questions written for a subgraph; and the formats that are theirs alone."""

import ast
import json

import pytest
from pyoxigraph import RdfFormat, Store

from rulemine.errors import ConfigError
from rulemine.evaluation.metrics_of_others.registry import METRICS_OF_OTHERS
from rulemine.exports.exporting import export
from rulemine.exports.registry import EXPORTS
from rulemine.release.records import SPLITS
from tests import each
from tests.exports import rows
from tests.written_releases import ASKED, COUNT

NUMBER = "asks for a number"
HARDLESS = "no hard answer"
"""Reasons to leave questions out."""

LEFT_OUT = {
    "rog": {NUMBER: 1}, "gnnrag": {NUMBER: 1},
    "brink": {"its answer is a number": 1, HARDLESS: 4},
    "structgpt": {"2 topic entities": 2},
}  # fmt: skip
"""Format → reason → how many of the questions it leaves out; others leave out none."""

METRICS = {"rog": ("rog", "gcr", "gretriever", "subgraphrag"), "tog": ("tog", "pog")}
"""Format → the projects whose metrics are of its questions, where these are not the one of its name."""

GTSQA_FIELDS = [
    "id", "question", "paraphrased_question", "seed_entities", "answer_node", "answer_subgraph",
    "sparql_query", "all_answers_wikidata", "full_answer_subgraph_wikidata", "all_answers_wikikg2",
    "full_answer_subgraph_wikikg2", "n_hops", "graph_isomorphism", "redundant",
    "minimal_graph_isomorphism", "minimal_seeds_and_queries", "test_type",
]  # fmt: skip
"""The columns of the data set, in its order."""

DYNAMIC_KGQA_FIELDS = [
    "id", "question", "answer", "answer_readable", "answer_uri", "supporting_facts",
    "supporting_facts_uri", "subgraph", "subgraph_size",
    *(
        f"{aspect}_{part}_llm_judge{number}"
        for aspects in (("logical_structure", "redundancy"), ("answer_support", "answer_adequacy"))
        for number in (1, 2, 3)
        for aspect in aspects
        for part in ("flag", "reasoning")
    ),
    "all_answers_uri",
]  # fmt: skip
"""The columns of the data set, in its order, and one of ours."""

SPLIT = dict.fromkeys(("tog", "gog", "structgpt", "byokg", "lightrag"), ("test",)) | {
    "sparql-sft": ("train",)
}
"""Format of one split → that split."""


@each(("kind", "to"), [(kind, to) for kind in ("subgraphs", "variants") for to in EXPORTS])
def test_every_question_is_exported_or_left_out_with_a_reason(
    subgraphs, variants, tmp_path, kind, to
):
    release = {"subgraphs": subgraphs, "variants": variants}[kind]
    if (kind, to) == ("variants", "gtsqa"):
        with pytest.raises(ConfigError, match="release of the kind subgraphs"):
            export(release, to, tmp_path / "out")
        return
    made = export(release, to, tmp_path / "out", naming="text")
    for reason, number in LEFT_OUT.get(to, {}).items():
        assert sum(reason in why for why in made.left_out.values()) == number
    assert len(made.left_out) == sum(LEFT_OUT.get(to, {}).values())
    exported = [q for q in release.questions() if q.split in SPLIT.get(to, SPLITS)]
    assert made.questions == len(exported) - len(made.left_out)
    for project in METRICS.get(to, (to,)):
        if project in METRICS_OF_OTHERS:  # which count no question that is not asked
            asks = METRICS_OF_OTHERS.find(project).asks
            assert made.left_out.keys() == {q.id for q in exported if not asks(q)}
    if SPLIT.get(to) == ("train",):
        return
    secret = export(release, to, tmp_path / "secret", without_answers=True)
    assert secret.questions + len(secret.left_out) == len(release.questions("test"))


def test_gtsqa_has_the_fields_of_the_data_set(subgraphs, tmp_path):
    folder = export(subgraphs, "gtsqa", tmp_path / "out", kg="complete").folder
    found = {row["id"]: row for name in ("train", "test") for row in rows(folder / f"{name}.jsonl")}
    label = {e.entity: f"{e.entity} (m.{e.private})" for e in subgraphs.entities}
    store = Store()
    prefix = "http://rdf.freebase.com/ns/"
    lines = [line.split("\t") for line in (folder / "graph.tsv").read_text().splitlines()]
    triples = "".join("<{0}{1}> <{0}{2}> <{0}{3}> .\n".format(prefix, *line) for line in lines)
    store.load(triples.encode(), RdfFormat.N_TRIPLES)
    for number, (_, text, answer) in enumerate(ASKED):
        row, question = found[f"q{number:05d}"], subgraphs.questions()[number]
        assert row["seed_entities"] == [label[a] for a in question.anchors]
        counts = text == COUNT
        assert row["answer_node"] == ("3" if counts else label[answer])
        given = [one[0].value.removeprefix(prefix) for one in store.query(row["sparql_query"])]
        assert sorted(given) == sorted(row["all_answers_wikikg2"])
        assert row["all_answers_wikikg2"] == row["all_answers_wikidata"]
        assert len(row["full_answer_subgraph_wikikg2"]) == len(question.full_evidence)
        assert all(triple in lines for triple in row["full_answer_subgraph_wikikg2"])
        assert (row["n_hops"], row["graph_isomorphism"]) == (question.hops, question.shape)
        assert not row["redundant"]
        key = {e.entity: f"m.{e.private}" for e in subgraphs.entities}
        least = ast.literal_eval(row["minimal_seeds_and_queries"])
        assert [*least] == ["-".join(key[name] for name in question.anchors)]
        for query in least.values():
            same = [found[0].value.removeprefix(prefix) for found in store.query(query)]
            assert sorted(same) == sorted(given)
        assert row["answer_subgraph"] == [
            [label[s], f"{r.replace('_', ' ')} (graph.{r})", label[o]]
            for s, r, o in question.block.triples
        ]
        assert row["paraphrased_question"] is None
    assert found["q00000"]["test_type"] == ["training"]
    assert found["q00006"]["test_type"] == ["unseen_graph_type"]
    assert list(found["q00000"]) == GTSQA_FIELDS
    secret = export(subgraphs, "gtsqa", tmp_path / "secret", without_answers=True).folder
    assert rows(secret / "test.jsonl")[0].keys() == {
        "id", "question", "paraphrased_question", "seed_entities",
    }  # fmt: skip


def test_gtsqa_has_a_graph_for_each_question(subgraphs, tmp_path):
    folder = export(subgraphs, "gtsqa:graphs=true", tmp_path / "out", kg="complete").folder
    plain = export(subgraphs, "gtsqa", tmp_path / "plain", kg="complete").folder
    known = (folder / "graph.tsv").read_text().splitlines()
    for name in ("train.jsonl", "test.jsonl"):
        for row, same in zip(rows(folder / name), rows(plain / name), strict=True):
            graph = row.pop("graph")
            assert row == same
            ids = ("\t".join(part.rpartition(" (")[2][:-1] for part in triple) for triple in graph)
            assert {*ids} <= {*known}
            # All of this small graph is near every topic, so each graph has the whole answer subgraph.
            assert all(triple in graph for triple in row["answer_subgraph"])


def test_dynamic_kgqa_has_the_fields_of_table_2(variants, tmp_path):
    folder = export(variants, "dynamic-kgqa", tmp_path / "out").folder
    found = [row for name in SPLITS for row in rows(folder / f"{name}.jsonl")]
    assert len(found) == len(ASKED)
    key = {e.entity: f"m.{e.private}" for e in variants.entities}
    asked = {q.id: q for q in variants.questions()}
    for row in found:
        question = asked[row["id"]]
        block = question.block
        if question.value is None:
            assert (row["answer"], row["answer_readable"]) == (key[block.answer], block.answer)
            assert row["answer_uri"] == f"http://rdf.freebase.com/ns/{row['answer']}"
        else:
            assert (row["answer"], row["answer_readable"], row["answer_uri"]) == ("3", "3", "")
        prefix = "http://rdf.freebase.com/ns/"
        assert json.loads(row["supporting_facts"]) == [
            {"subject": s, "predicate": f"graph.{r}", "object": o} for s, r, o in block.triples
        ]
        assert json.loads(row["supporting_facts_uri"]) == [
            [prefix + key[s], f"{prefix}graph.{r}", prefix + key[o]] for s, r, o in block.triples
        ]
        assert row["subgraph_size"] == len(json.loads(row["subgraph"])) == len(block.subgraph)
        assert [row[f"redundancy_flag_llm_judge{n}"] for n in (1, 2, 3)] == [False] * 3
        assert row["logical_structure_reasoning_llm_judge3"] == "It is a sentence."
        assert json.loads(row["all_answers_uri"]) == (
            ["3"] if question.value else [prefix + key[a] for a in question.answers]
        )
        assert list(row) == DYNAMIC_KGQA_FIELDS
    secret = export(variants, "dynamic-kgqa", tmp_path / "secret", without_answers=True).folder
    assert all(row.keys() == {"id", "question"} for row in rows(secret / "test.jsonl"))


@each("to", ["gtsqa", "dynamic-kgqa"])
def test_other_kinds_are_refused(release, tmp_path, to):
    with pytest.raises(ConfigError, match="kind rules"):
        export(release, to, tmp_path / "out")
