"""The tables of ComplexLogicalQA, from a small world with one question or two of each structure."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from rulemine.errors import InputError
from rulemine.papers.complexlogicalqa import COMPLEXLOGICALQA, _shares
from rulemine.papers.material import read_material
from rulemine.papers.paper import make_tables
from rulemine.query.structures import STRUCTURES
from tests.papers.conftest import middle, release_of, study
from tests.structures import structure_question, world


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return release_of(tmp_path_factory.mktemp("papers") / "world", world()).path


def tables(*paths):
    made = make_tables(COMPLEXLOGICALQA, read_material(paths, split="test", resamples=20))
    return {table.id: table for table in made.every_table()}


@pytest.fixture(scope="module")
def alone(folder):
    """The tables of the release alone."""
    return tables(folder)


@pytest.fixture
def half(tmp_path):
    """Of the test split, one question is half answered: ann and bob are French and have won the Oscar."""
    path = tmp_path / "half.jsonl"
    triples = [["ann", "won", "oscar"], ["bob", "won", "palme"], ["cat", "won", "palme"]]
    path.write_text(json.dumps({"id": "q00006", "answers": ["ann"], "retrieved": triples}))
    return path


def test_anchors_of_unions_are_compared_with_random_pairs(folder):
    asked = []

    def embed(texts):
        asked.extend(texts)
        return np.array([[3.0, 4.0], [8.0, 6.0]])  # a cosine of 0.6 · 0.8 + 0.8 · 0.6

    material = replace(read_material([folder]), embed=embed)
    table = make_tables(COMPLEXLOGICALQA, material).tables[-2]
    assert table.title == "Section 5.4: cosine of the anchors, world"
    assert asked == ["France", "Italy"]
    near = pytest.approx(0.96)
    assert table.rows == (("2u", 1, near), ("up", 1, near), ("random pairs", 2, near))


def test_definitions_shares_and_statistics_of_a_release(alone):
    rows = alone["table-1"].rows
    assert [(row[0], row[2]) for row in rows] == [*STRUCTURES.items()]
    assert [row[4] for row in rows] == [1, 2, 3, 2, 3, 3, 3, 2, 3]
    assert alone["table-2-published"].rows[1][1:4] == (55, 504, 201)
    # 12 questions: three of 1p (a symmetric relation is one link), two of 3p, one of each other.
    named, row = dict.fromkeys(STRUCTURES, 1) | {"1p": 3, "3p": 2}, alone["table-2"].rows[0]
    assert row[:2] == ("world", 12)
    assert row[2:] == (*(pytest.approx(1000 * n / 12) for n in named.values()), 0.0, 0)
    # ann, bob: 2 answers; france, oscar, ann, bob in 4 triples.
    sizes = {row[0]: row for row in alone["table-3"].rows}
    assert (sizes["2i"][1], *sizes["2i"][3:], sizes["all"][1]) == (1, 2.0, 4.0, 4, 12)


def test_questions_without_a_query_are_counted_apart():
    asked = [structure_question(n, '(p "born_in" "cat")') for n in range(3)]
    asked[2] = replace(asked[2], structure="")
    release = SimpleNamespace(path="r", questions=lambda: asked)
    (table,) = _shares(SimpleNamespace(releases=[release], names={"r": "r"}))
    row = dict(zip(table.header, table.rows[-1], strict=True))
    assert (row["questions"], row["1p"], row["other"], row["no query"]) == (2, 1000, 0, 1)


def test_scores_and_what_was_retrieved_by_structure(folder, half, alone):
    found = tables(folder, half)
    header = ("system", "graph", "2i", "3i", "ip", "pi", "2u", "up", "mean of structures")
    assert found["table-4-f1"].header == header
    assert found["table-4-f1"].notes[0].startswith("Questions: 2i 1†, 3i 1†")
    for id_, score in (("table-4-hits-at-1", 1), ("table-4-f1", 2 / 3)):
        ((system, graph, *values),) = found[id_].rows
        assert (system, graph) == ("half", "incomplete")
        assert [*map(middle, values)] == pytest.approx([score, 0, 0, 0, 0, 0, score / 6])
    precision = found["figure-3-2"]
    assert precision.header == ("structure", "half, incomplete")
    assert (precision.rows[0][0], precision.rows[0][1][0]) == ("2i (1†)", pytest.approx(1 / 3))
    assert found["figure-3"].rows[0][1][0] == 1 / 2  # of what is stated
    assert "figure-3" not in alone
    gold, ours = found["table-5-pi"].rows
    assert (gold[0], ours) == ("gold", ("half", "incomplete", "", None))
    samples = alone["table-7"].rows
    assert [row[0] for row in samples] == ["2i", "3i", "ip", "pi", "2u", "up"]
    assert samples[0][2] == "★ Ann, Bob"


def test_sheets_of_three_people(tmp_path, folder):
    head = "id\tstructure\tfluency\tconsistency\r\n"
    said = {  # by question: fluency and consistency of each person
        "q00000\t1p": ("pass pass", "PASS Yes", "1 1"),
        "q00003\t2p": ("pass fail", "pass pass", "1 0"),
        "q00011\tup": ("fail fail", "no NO", "0 1"),
    }
    paths = [tmp_path / f"person{person}.tsv" for person in range(3)]
    for person, path in enumerate(paths):
        rows = "".join(f"{q}\t{v[person].replace(' ', chr(9))}\r\n" for q, v in said.items())
        path.write_text(("\ufeff" if person else "") + head + rows, "utf-8", newline="")
    found = tables(folder, *paths)
    assert found["table-6-passed"].rows == (
        ("1p–3p", 2, 6, 1.0, pytest.approx(4 / 6), pytest.approx(4 / 6)),
        ("2u up", 1, 3, 0.0, pytest.approx(1 / 3), 0.0),
        ("all", 3, 9, pytest.approx(6 / 9), pytest.approx(5 / 9), pytest.approx(4 / 9)),
    )
    rows = {row[:2]: row[2:] for row in found["table-6-agreement"].rows}
    assert (*rows["all", "fluency"][:2], rows["all", "fluency"][2][0]) == (3, 1.0, 1.0)
    # Pairs that agree: 3 of 3, 1 of 3, 1 of 3. By chance (5/9)² + (4/9)² = 41/81.
    assert rows["all", "consistency"][1] == pytest.approx(5 / 9)
    assert rows["all", "consistency"][2][0] == pytest.approx((5 / 9 - 41 / 81) / (1 - 41 / 81))
    assert rows["person0, person2", "consistency"][1] == pytest.approx(2 / 3)
    sheet = tmp_path / "ann.tsv"
    for row in ("q00006\t1p", "q99999\t2i"):  # of another release
        sheet.write_text(f"id\tstructure\tfluency\tconsistency\n{row}\t1\t1\n")
        with pytest.raises(InputError, match="those of none of the releases"):
            tables(folder, sheet)
        assert "table-6-passed" in tables(sheet)
    sheet.write_text(sheet.read_text().replace("2i", "(n)-(m0)"))
    with pytest.raises(InputError, match="none of its questions has one of the structures 1p, 2p"):
        tables(sheet)


def test_systems_asked_different_questions_are_not_side_by_side(tmp_path, folder, half):
    study(tmp_path / "study", folder, "lookup", split="all")
    with pytest.raises(InputError, match=r"12 questions \(all\), 6 questions \(test\)"):
        tables(folder, tmp_path / "study", half)
