"""The reader ``rog``, on invented files of its form and on our own exports."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rulemine import evaluate, import_set
from rulemine.errors import InputError
from rulemine.exports.exporting import export
from rulemine.importing.protocol import ImportedSet
from rulemine.importing.readers.rog import RogReader
from rulemine.verify import verify
from tests import each

HARBOR = ("The Harbor, at Night", "art.painting.painter", "Bo Quist")
ROWS: list[dict[str, Any]] = [
    {"id": "Sea-0", "question": "who painted the harbor at night", "answer": ["Bo Quist", "Bo Quist"],
     "q_entity": ["The Harbor, at Night"], "a_entity": ["Bo Quist"],
     "graph": [[*HARBOR], ["Bo Quist", "people.person.born", "m.0k1"]], "choices": []},
    {"id": "Sea-1", "question": "what did bo quist paint", "answer": ["the harbor"],
     "q_entity": ["Bo Quist"], "a_entity": ["The Harbor, at Night"], "graph": [[*HARBOR]], "choices": [],
     "hop": 1},
]  # fmt: skip


def _read(path: Path, **files: Path) -> ImportedSet:
    return RogReader()(path, files.get("kg"), files.get("incomplete"))


def _lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_rows_are_questions_with_topics_answers_and_what_else_they_say(tmp_path):
    found = _read(_lines(tmp_path / "rows.jsonl", ROWS))
    first, second = found.questions
    assert (first.id, first.text, first.split) == ("Sea-0", ROWS[0]["question"], "test")
    assert (first.topics, first.answers) == (("The Harbor, at Night",), ("Bo Quist",) * 2)
    assert first.fields == {"a_entity": ["Bo Quist"]}
    assert second.fields == {"a_entity": ["The Harbor, at Night"], "hop": 1}
    assert second.answers == ("the harbor",)  # by these, those who read the form score
    assert found.notes == ("questions whose answers are not the entities of a_entity: 1",)
    assert found.incomplete is None
    assert set(found.complete or ()) == {HARBOR, ("Bo Quist", "people.person.born", "m.0k1")}
    assert [len([*graph]) for graph in found.graphs or ()] == [2, 1]


def test_a_topic_that_is_listed_twice_is_one(tmp_path):
    row = ROWS[1] | {"q_entity": ["Bo Quist", "Ann Quist", "Bo Quist"]}
    (question,) = _read(_lines(tmp_path / "rows.jsonl", [row])).questions
    assert question.topics == ("Bo Quist", "Ann Quist")


@each("form", ["jsonl", "json", "parquet"])
def test_the_files_of_a_folder_are_its_splits(tmp_path, form):
    rows = [ROWS[0], {**ROWS[1], "hop": None}, ROWS[0] | {"id": "Sea-2"}]
    names = ("train-00000-of-00002", "train-00001-of-00002", "validation-00000-of-00001")
    for name, row in zip(names, rows, strict=True):
        file = tmp_path / f"data/{name}.{form}"
        _lines(file, [row])
        if form == "json":
            file.write_text(json.dumps([row]))
        elif form == "parquet":
            pq.write_table(pa.Table.from_pylist([row]), file)
    (tmp_path / "rule_paths_test.jsonl").write_text('{"id": "Sea-0", "prediction": []}\n')
    found = _read(tmp_path)
    assert [(q.id, q.split) for q in found.questions] == [
        ("Sea-0", "train"), ("Sea-1", "train"), ("Sea-2", "validation"),
    ]  # fmt: skip
    assert found.questions[0].answers == ("Bo Quist",) * 2


def test_a_split_in_two_forms_is_read_once(tmp_path):
    _lines(tmp_path / "test.jsonl", ROWS)
    pq.write_table(pa.Table.from_pylist(ROWS[:1]), tmp_path / "test.parquet")
    assert len(_read(tmp_path).questions) == 2


def test_other_graphs_take_the_place_of_those_of_rows(tmp_path):
    rows = _lines(tmp_path / "rows.jsonl", ROWS)
    (tmp_path / "all.tsv").write_text("a\tr\tb\nb\tr\tc\n")
    (tmp_path / "part.tsv").write_text("a\tr\tb\n")
    found = _read(rows, kg=tmp_path / "all.tsv", incomplete=tmp_path / "part.tsv")
    assert (len(list(found.complete or ())), list(found.incomplete or ())) == (2, [("a", "r", "b")])
    assert _read(_lines(rows, [ROWS[0] | {"graph": None}])).complete is None


@each(
    ("change", "message"),
    [
        ({"answer": None}, "line 1: has no 'answer'; its fields are: id, question, q_entity"),
        ({"graph": [["a", "r", "b"], ["a", "r"]]}, "triple 2 of 'graph' is ['a', 'r']"),
        ({"graph": "a r b"}, "triple 1 of 'graph' is 'a r b'; a list of head, relation and tail"),
    ],
)
def test_messages_name_the_row_and_what_was_expected(tmp_path, change, message):
    with pytest.raises(InputError) as caught:
        _read(_lines(tmp_path / "test.jsonl", [ROWS[0] | change]))
    assert message in str(caught.value)


def test_an_answer_listed_twice_counts_twice_in_the_scores_of_rog_alone(tmp_path):
    row = ROWS[0] | {"answer": ["Bo Quist", "Bo Quist ", "Cy"], "a_entity": ["Cy"]}
    made = import_set("rog", _lines(tmp_path / "test.jsonl", [row]), tmp_path / "imported")
    (question,) = made.questions()
    assert question.answers == ("Bo Quist", "Cy")
    assert question.block.listed == ("Bo Quist", "Bo Quist", "Cy")
    predictions = tmp_path / "predictions.jsonl"
    predictions.write_text('{"id": "Sea-0", "raw_output": "It is Bo Quist"}\n')
    report = evaluate(made, predictions, metrics=["rog"])
    found = json.loads(report.to_json())
    theirs = found["metrics_of_others"]["rog"]["rog_accuracy"]["all"]["score"]["value"]
    assert theirs == pytest.approx(2 / 3)
    assert found["all"]["scores"]["recall"]["value"] == pytest.approx(1 / 2)


def test_a_graph_of_a_question_is_kept_and_exported_again(tmp_path):
    given = json.loads(json.dumps(ROWS).replace("m.0k1", "Ely"))
    made = import_set("rog", _lines(tmp_path / "test.jsonl", given), tmp_path / "imported")
    assert verify(made.path).ok
    for naming in ("entity", "text"):
        found = export(made, "rog", tmp_path / naming, naming=naming).folder
        rows = pq.read_table(found / "test.parquet").to_pylist()
        ends = [
            [sorted((s, o) for s, _, o in row["graph"]) for row in some] for some in (rows, given)
        ]
        assert ends[0] == ends[1]
    (tmp_path / "kg.tsv").write_text("Bo Quist\tr\tCy\n")
    other = import_set("rog", tmp_path / "test.jsonl", tmp_path / "o", kg=tmp_path / "kg.tsv")
    assert all(not json.loads(q.block.fields).get("graph") for q in other.questions())
