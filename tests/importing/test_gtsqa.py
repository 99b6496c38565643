"""The reader of GTSQA: invented rows of its form, and what our export of that form writes."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rulemine.errors import ConfigError, InputError
from rulemine.files import write_jsonl, write_text
from rulemine.importing.readers.gtsqa import GtsqaReader
from rulemine.importing.registry import find_reader
from tests import each

ROW = {
    "id": 17,
    "question": "Which river rises in Ostheim and meets the Brenn?",
    "paraphrased_question": None,
    "seed_entities": ["Ostheim (Q1)", "Brenn (brook) (Q2)"],
    "answer_node": "Lauter (Q3)",
    "answer_subgraph": [
        ["Lauter (Q3)", "source at (P10)", "Ostheim (Q1)"],
        ["Lauter (Q3)", "flows into (P11)", "Brenn (brook) (Q2)"],
    ],
    "sparql_query": "SELECT ?answer WHERE { ?answer wdt:P10 wd:Q1; wdt:P11 wd:Q2 }",
    "all_answers_wikidata": ["Q3", "Q9"],
    "full_answer_subgraph_wikidata": [
        ["Q3", "P10", "Q1"],
        ["Q3", "P11", "Q2"],
        ["Q9", "P10", "Q1"],
    ],
    "all_answers_wikikg2": ["Q3", "Q3"],
    "full_answer_subgraph_wikikg2": [["Q3", "P11", "Q2"], ["Q3", "P10", "Q1"]],
    "n_hops": 1,
    "graph_isomorphism": "(1)(1)",
    "redundant": True,
    "minimal_graph_isomorphism": "(1)",
    "minimal_seeds_and_queries": "{'Q2': 'SELECT ?answer WHERE { ?answer wdt:P11 wd:Q2. }'}",
    "test_type": ["unseen_graph_type", "unseen_relation_type"],
}
GRAPH = [*ROW["answer_subgraph"], ["Ulm (Q4)", "country (P12)", "Germany (Q5)"]]


def read(
    folder: Path, *rows: dict[str, Any], kg: Path | None = None, to: str = "test.jsonl"
) -> Any:
    folder.mkdir(exist_ok=True)
    if to.endswith(".parquet"):
        pq.write_table(pa.Table.from_pylist(list(rows)), folder / to)
    else:
        write_jsonl(folder / to, rows)
    return GtsqaReader()(folder / to, kg, None)


@each("to", ["test.jsonl", "test-00000-of-00001.parquet"])
def test_entities_of_a_graph_are_ids_with_labels(tmp_path, to):
    found = read(tmp_path / "in", ROW | {"graph": GRAPH}, to=to)
    (question,) = found.questions
    assert (question.id, question.split, question.text) == ("17", "test", ROW["question"])
    assert question.topics == ("Q1", "Q2")
    assert question.answers == ("Q3", "Q3")  # as often as the source lists them
    assert question.query == '(and (p- "flows into (P11)" "Q2") (p- "source at (P10)" "Q1"))'
    assert question.sparql == ROW["sparql_query"]
    assert question.evidence == (("Q3", "flows into (P11)", "Q2"), ("Q3", "source at (P10)", "Q1"))
    assert found.complete[2] == ("Q4", "country (P12)", "Q5")
    assert found.labels["Q2"] == "Brenn (brook)"
    assert question.fields["type"] == "unseen_graph_type"
    assert question.fields["minimal_seeds_and_queries"].keys() == {"Q2"}
    assert question.paraphrases == found.notes == ()


def test_without_a_graph_entities_are_labels(tmp_path):
    other = ROW | {
        "id": 18, "seed_entities": ["Ostheim (Q7)"], "all_answers_wikikg2": ["Q8"],
        "test_type": ["unseen_relation_type"],
    }  # fmt: skip
    del other["minimal_seeds_and_queries"]
    found = read(tmp_path / "in", ROW | {"paraphrased_question": "What rises there?"}, other)
    first, second = found.questions
    assert found.complete is None
    assert found.labels == {}
    assert first.topics == ("Ostheim (Q1)", "Brenn (brook)")  # two places are called Ostheim
    assert (first.answers, second.answers) == (("Lauter",) * 2, ("Q8",))  # nothing labels Q8
    assert second.fields["type"] == "unseen_relation_type"
    assert first.paraphrases == ("What rises there?",)
    assert '"Brenn (brook)"' in first.query


def test_the_other_answers_are_an_option(tmp_path):
    write_jsonl(tmp_path / "test.jsonl", [ROW | {"graph": GRAPH}])
    reader = find_reader("gtsqa:answers=wikidata")
    (question,) = reader(tmp_path / "test.jsonl", None, None).questions
    assert question.answers == ("Q3", "Q9")
    assert len(question.evidence) == 3
    assert question.fields["all_answers_wikikg2"] == ["Q3", "Q3"]
    with pytest.raises(ConfigError, match="wikikg2"):
        find_reader("gtsqa:answers=freebase")


def test_a_graph_of_ids_or_of_iris_can_be_given(tmp_path):
    write_text(tmp_path / "kg.tsv", "Q3\tP10\tQ1\nQ3\tP99\tQ6\n")
    found = read(tmp_path / "in", ROW, kg=tmp_path / "kg.tsv")
    assert found.complete == [("Q3", "source at (P10)", "Q1"), ("Q3", "P99", "Q6")]
    assert {*found.questions[0].answers} == {"Q3"}
    entity, used = "<http://www.wikidata.org/entity/", "<http://www.wikidata.org/prop/direct/"
    label = f'{entity}P10> <http://www.w3.org/2000/01/rdf-schema#label> "origin of the watercourse"@en .\n'
    write_text(tmp_path / "kg.nt", f"{entity}Q3> {used}P10> {entity}Q1> .\n{label}")
    found = read(tmp_path / "in", ROW, kg=tmp_path / "kg.nt")
    assert found.complete == [("Q3", "source at (P10)", "Q1")]


def test_queries_that_are_no_trees_and_minimal_queries_of_other_rows_are_noted(tmp_path):
    row = ROW | {
        "sparql_query": "SELECT ?answer WHERE { ?answer wdt:P10 wd:Q1 FILTER(?answer != wd:Q4) }",
        "minimal_seeds_and_queries": "{'Q77': 'SELECT ?answer WHERE { ?answer wdt:P11 wd:Q77. }'}",
        "all_answers_wikikg2": [],
    }
    found = read(tmp_path / "in", row)
    assert (found.questions[0].query, found.questions[0].answers) == ("", ())
    assert "minimal_seeds_and_queries" not in found.questions[0].fields
    assert found.notes == (
        "1 question: all_answers_wikikg2 is empty",
        "1 question: minimal_seeds_and_queries names other seeds, and is left out",
        "1 question: the SPARQL is not executed, as it has a FILTER",
    )


@each(
    ("change", "message"),
    [
        ({"all_answers_wikikg2": "Q3"}, "line 1: 'all_answers_wikikg2' is 'Q3'; expected a list"),
        ({"graph": [["a", "b"]]}, r"line 1: 'graph' is .*; expected a list, each item a list of 3"),
        ({"minimal_seeds_and_queries": "Q2: x"}, "is 'Q2: x'; expected a dictionary of queries"),
    ],
)
def test_rows_of_another_form_are_named(tmp_path, change, message):
    with pytest.raises(InputError, match=message):
        read(tmp_path / "in", ROW | change)


def test_both_configurations_at_once_are_refused(tmp_path):
    write_jsonl(tmp_path / "set" / "gtsqa" / "test.jsonl", [ROW])
    write_jsonl(tmp_path / "set" / "gtsqa-with-graphs" / "test.jsonl", [ROW | {"graph": GRAPH}])
    with pytest.raises(InputError, match="Name the folder of one configuration"):
        GtsqaReader()(tmp_path / "set", None, None)
