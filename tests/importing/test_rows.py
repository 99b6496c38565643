"""The rows of published question sets, in three formats and their folders."""

import datetime
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rulemine.errors import InputError
from rulemine.files import write_jsonl, write_text
from rulemine.importing.rows import SourceRow, labels_beside, read_rows, split_of, title_of
from tests import each

ROWS = [{"id": 1, "tags": [["a", "b"]]}, {"id": 2, "tags": []}]


def written(path: Path, rows: list[dict[str, Any]] = ROWS) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif ".jsonl" in path.name:
        write_jsonl(path, rows)
    else:
        write_text(path, json.dumps(rows))
    return path


@each("name", ["dev.jsonl", "dev.jsonl.gz", "dev.json", "dev.parquet"])
def test_every_format_gives_the_same_rows(tmp_path, name):
    found = list(read_rows(written(tmp_path / "in" / name)))
    assert [row.fields for row in found] == ROWS
    assert {row.split for row in found} == {"validation"}
    assert found[1].where.startswith(str(tmp_path / "in" / name))
    assert found[1].where.endswith(" 2")


def test_tables_have_a_header_and_cells_of_any_length(tmp_path):
    for name, sign in (("dev.tsv", "\t"), ("dev.csv", ",")):
        text = f'id{sign}tags\n1{sign}"say ""a""{sign}{"b" * 200_000}"\n'
        write_text(tmp_path / name, text)
        (row,) = read_rows(tmp_path / name)
        assert row.fields == {"id": "1", "tags": f'say "a"{sign}{"b" * 200_000}'}
        assert (row.split, row.where) == ("validation", f"{tmp_path / name}: line 2")


def test_a_list_in_an_object_is_read_and_a_file_without_rows_beside_others(tmp_path):
    write_text(tmp_path / "test.json", json.dumps({"version": 1, "questions": ROWS}))
    write_text(tmp_path / "dev.jsonl", "")
    assert [(row.fields, row.split) for row in read_rows(tmp_path)] == [
        (row, "test") for row in ROWS
    ]


def test_a_folder_is_read_split_by_split(tmp_path):
    folder = tmp_path / "set"
    written(folder / "test-00000-of-00001.parquet", [{"id": 3}])
    written(folder / "train-00001-of-00002.parquet", [{"id": 2}])
    written(folder / "train-00000-of-00002.parquet", [{"id": 1}])
    written(folder / "dev" / "0000.parquet", [{"id": 4}])
    written(folder / "export.json", [{"id": 5}])
    found = [(row.split, row.fields["id"]) for row in read_rows(folder)]
    assert found == [("train", 1), ("train", 2), ("validation", 4), ("test", 3)]


@each(
    ("path", "split"),
    [
        ("gtsqa_with_graphs_test.parquet", "test"),
        ("WebQSP.train.json", "train"),
        ("questions.jsonl", ""),
        ("train_test.json", ""),
        ("validation/0000.parquet", "validation"),
    ],
)
def test_a_split_is_a_word_of_the_name(path, split):
    assert split_of(Path("set") / path) == split


def test_fields_are_read_by_their_types():
    row = SourceRow("a.jsonl: line 3", "test", {"id": 7, "none": None, "inner": '[["a", "b"]]'})
    pairs = tuple[tuple[str, str], ...]
    assert (row.need("id", int), row.key()) == (7, "7")
    for id_ in (True, None):
        with pytest.raises(InputError, match=r"line 3.*'id'"):
            SourceRow("a.jsonl: line 3", "test", {"id": id_}).key()
    assert row.get("none", str, "x") == "x"
    assert row.nested("inner", pairs) == (("a", "b"),)
    with pytest.raises(InputError, match=r"a\.jsonl: line 3: 'id' is 7; expected"):
        row.need("id", str)
    with pytest.raises(InputError, match="has no 'text'; its fields are: id, inner"):
        row.need("text", str)
    with pytest.raises(InputError, match="expected an object"):
        row.get("inner", dict)
    broken = SourceRow("b", "", {"inner": '[["a", "b"', "none": None})
    with pytest.raises(InputError, match=r"'inner' is .* which is not valid JSON"):
        broken.nested("inner", pairs)
    with pytest.raises(InputError, match=r"has no 'none'; its fields are: inner"):
        broken.need("none", str)


@each(
    ("name", "content", "message"),
    [
        ("a.jsonl", "", "has no rows"),
        ("a.json", '{"id": 1}', "a list of objects was expected"),
        ("a.json", "[1]", "item 1 is 1; an object was expected"),
        ("a.json", "{", "is not valid JSON"),
        ("a.parquet", "version https://git-lfs", "is not readable Parquet"),
        ("a.csv", "id\n", "has no rows"),
        ("a.csv", "id,tags\n1\n", "line 2 has 1 column; 2 were expected"),
        ("a.xml", "<id/>", "is none of .jsonl, .json, .parquet, .tsv, .csv"),
        ("a/b.jsonl", '{"id": 1}', "whose name has a split"),
        ("a.csv", 'id,text\n1,"a\n2,b\n', "Are its quotes closed"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path, name, content, message):
    path = tmp_path / "in" / name
    path.parent.mkdir(parents=True)
    write_text(path, content)
    given = path.parent if "/" in name else path
    with pytest.raises(InputError, match=message) as problem:
        list(read_rows(given))
    assert str(given) in str(problem.value)
    with pytest.raises(InputError, match="does not exist"):
        list(read_rows(tmp_path / "absent"))


def test_labels_beside_rows_are_two_columns(tmp_path):
    assert labels_beside(tmp_path) == {}
    write_text(tmp_path / "entities.tsv", "Q1\tOstheim\nQ2\tBrenn (brook)\n")
    assert labels_beside(tmp_path / "test.jsonl") == {"Q1": "Ostheim", "Q2": "Brenn (brook)"}
    write_text(tmp_path / "entities.tsv", "Q1\tOstheim\nQ2\n")
    with pytest.raises(InputError, match=r"entities\.tsv: line 2 has 1 column; an id and a label"):
        labels_beside(tmp_path)


def test_times_and_bytes_of_parquet_are_texts(tmp_path):
    at = datetime.datetime(2020, 1, 2)
    written(tmp_path / "dev.parquet", [{"id": 1, "at": at, "raw": [b"a"], "none": None}])
    (row,) = read_rows(tmp_path / "dev.parquet")
    assert row.fields == {"id": 1, "at": "2020-01-02 00:00:00", "raw": ["a"], "none": None}
    written(tmp_path / "dev.parquet", [{"raw": b"\xff"}])
    with pytest.raises(InputError, match="row 1 has bytes that are no text"):
        list(read_rows(tmp_path / "dev.parquet"))


def test_titles_keep_their_dots(tmp_path):
    (tmp_path / "set-v1.2").mkdir()
    assert title_of(tmp_path / "set-v1.2") == "set-v1.2"
    assert title_of(tmp_path / "set-v1.2.jsonl.gz") == "set-v1.2"
