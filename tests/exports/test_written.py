"""Every export of questions written for a subgraph; and the formats that are theirs alone."""

import json
from pathlib import Path
from typing import Any

import pytest
from pyoxigraph import RdfFormat, Store

from rulemine.errors import ConfigError
from rulemine.evaluation.metrics_of_others.registry import METRICS_OF_OTHERS
from rulemine.exports.exporting import export
from rulemine.exports.registry import EXPORTS
from rulemine.release.reader import Release
from tests.written_releases import ASKED, COUNT, MINIMAL, NEEDLESS

NUMBER = "asks for a number"
HARDLESS = "no hard answer"
"""Reasons to leave questions out."""

LEFT_OUT = {
    "rog": {NUMBER: 1}, "gnnrag": {NUMBER: 1}, "lm-eval": {NUMBER: 1}, "inspect": {NUMBER: 1},
    "brink": {"its answer is a number": 1, HARDLESS: 4},
    "structgpt": {"2 topic entities": 2},
}  # fmt: skip
"""Format → reason → how many of the questions it leaves out; others leave out none."""

METRICS = {"rog": ("rog", "gcr", "gretriever", "subgraphrag"), "tog": ("tog", "pog")}
"""Format → the projects whose metrics are of its questions, where these are not the one of its name."""

SPLIT = ("tog", "gog", "structgpt", "byokg")
"""Formats of the test split alone."""


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("kind", ["subgraphs", "variants"])
@pytest.mark.parametrize("to", list(EXPORTS))
def test_every_question_is_exported_or_left_out_with_a_reason(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str, to: str
) -> None:
    release: Release = request.getfixturevalue(kind)
    if (kind, to) == ("variants", "gtsqa"):
        with pytest.raises(ConfigError, match="release of the kind subgraphs"):
            export(release, to, tmp_path / "out")
        return
    made = export(release, to, tmp_path / "out", naming="text")
    for reason, number in LEFT_OUT.get(to, {}).items():
        assert sum(reason in why for why in made.left_out.values()) == number
    assert len(made.left_out) == sum(LEFT_OUT.get(to, {}).values())
    exported = release.questions("test") if to in SPLIT else release.questions()
    assert made.questions == len(exported) - len(made.left_out)
    for project in METRICS.get(to, (to,)):
        if project in METRICS_OF_OTHERS:  # which count no question that is not asked
            asks = METRICS_OF_OTHERS.find(project).asks
            assert made.left_out.keys() == {q.id for q in exported if not asks(q)}
    secret = export(release, to, tmp_path / "secret", without_answers=True)
    assert secret.questions + len(secret.left_out) == len(release.questions("test"))


def test_gtsqa_has_the_fields_of_the_data_set(subgraphs: Release, tmp_path: Path) -> None:
    folder = export(subgraphs, "gtsqa", tmp_path / "out", kg="complete").folder
    found = {row["id"]: row for name in ("train", "test") for row in rows(folder / f"{name}.jsonl")}
    label = {e.entity: f"{e.entity} (m.{e.private})" for e in subgraphs.entities}
    store = Store()
    prefix = "http://rdf.freebase.com/ns/"
    lines = [line.split("\t") for line in (folder / "graph.tsv").read_text().splitlines()]
    for line in lines:
        store.load(
            " ".join(f"<{prefix}{term}>" for term in line).encode() + b" .", RdfFormat.N_TRIPLES
        )
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
        assert row["redundant"] == (text == NEEDLESS)
        least = row["minimal_seeds_and_queries"]
        assert [one["seeds"] for one in least] == (
            sorted([label[topic]] for _, topic in MINIMAL[text])
            if row["redundant"]
            else [row["seed_entities"]]
        )
        for one in least:
            same = [
                found[0].value.removeprefix(prefix) for found in store.query(one["sparql_query"])
            ]
            assert sorted(same) == sorted(given)
    assert found["q00006"]["test_type"] == ["unseen_graph_type"]
    secret = export(subgraphs, "gtsqa", tmp_path / "secret", without_answers=True).folder
    assert rows(secret / "test.jsonl")[0].keys() == {
        "id", "question", "paraphrased_question", "seed_entities",
    }  # fmt: skip


def test_dynamic_kgqa_has_the_fields_of_table_2(variants: Release, tmp_path: Path) -> None:
    folder = export(variants, "dynamic-kgqa", tmp_path / "out").folder
    found = [
        row for name in ("train", "validation", "test") for row in rows(folder / f"{name}.jsonl")
    ]
    assert len(found) == len(ASKED)
    key = {e.entity: f"m.{e.private}" for e in variants.entities}
    asked = {q.id: q for q in variants.questions()}
    for row in found:
        question = asked[row["id"]]
        block = question.block  # type: ignore[attr-defined]
        if question.value is None:
            assert (row["answer"], row["answer_readable"]) == (key[block.answer], block.answer)
            assert row["answer_uri"] == f"http://rdf.freebase.com/ns/{row['answer']}"
        else:
            assert (row["answer"], row["answer_readable"], row["answer_uri"]) == ("3", "3", "")
        assert row["supporting_facts"] == [[s, f"graph.{r}", o] for s, r, o in block.triples]
        assert row["supporting_facts_uri"][0][0].endswith(key[block.triples[0][0]])
        assert row["subgraph_size"] == len(row["subgraph"]) == len(block.subgraph)
        assert [row[f"redundancy_flag_{n}"] for n in (1, 2, 3)] == [False] * 3
        assert row["logical_structure_reasoning_3"] == "It is a sentence."
    secret = export(variants, "dynamic-kgqa", tmp_path / "secret", without_answers=True).folder
    assert all(row.keys() == {"id", "question"} for row in rows(secret / "test.jsonl"))


@pytest.mark.parametrize("to", ["gtsqa", "dynamic-kgqa"])
def test_other_kinds_are_refused(release: Release, tmp_path: Path, to: str) -> None:
    with pytest.raises(ConfigError, match="kind rules"):
        export(release, to, tmp_path / "out")
