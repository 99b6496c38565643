"""The tables of Dynamic-KGQA, with cells counted by hand."""

import json

import pytest

from rulemine.papers.dynamickgqa import DYNAMICKGQA
from rulemine.papers.material import read_material
from rulemine.papers.paper import make_tables
from tests import structures
from tests.evaluation.world import ANN, BOB, CID, EVE, write_release
from tests.papers.conftest import middle, release_of, rows, study, table
from tests.variants import rows_of, variant_question, write_variants
from tests.written_releases import written_world


def made(*paths):
    return make_tables(DYNAMICKGQA, read_material(paths, resamples=20))


@pytest.fixture
def judged(tmp_path):
    """Two test questions of the kind variants, each judged by three."""
    return release_of(tmp_path / "judged", written_world("variants")).path


@pytest.fixture
def plain(tmp_path):
    return release_of(tmp_path / "plain", structures.world(), "private")


def test_fields_and_topics_of_a_release(judged):
    document = made(judged)
    fields = rows(document, "table-2")
    assert len(fields) == 1 + 33 + 1  # the questions, the fields of the paper, and one that is ours
    assert fields["questions"] == (2, None)
    assert fields["answer"][0] == 2
    assert fields["redundancy_flag_llm_judge3"] == (2, "False")
    # Of the reasons that the judges are given here, one is a text and three are empty.
    given = [name for name, row in fields.items() if "reasoning" in name and row[0]]
    assert given == [f"logical_structure_reasoning_llm_judge{n}" for n in (1, 2, 3)]
    (figure,) = document.figures  # one question is about lyon and one about film3
    assert (figure.id, figure.groups) == ("figure-4", ("films", "people"))
    assert [score.value for score in figure.series[0].scores] == [0.5, 0.5]
    (sizes,) = rows(document, "table-1").values()
    assert (sizes[1], sizes[-2:]) == (2, ("yes", "yes"))
    needs = [note[:7] for note in document.notes if " needs " in note]
    assert needs == ["Table 3", "Table 4"]


def test_topics_of_other_kinds_are_those_of_types(judged, plain):
    document = made(judged, plain.path)
    of_both = rows(document, "figure-4")
    assert sum(row[1][0] for row in of_both.values()) == pytest.approx(1)
    assert (of_both["films"][0], of_both["people"][0]) == ((0.5, None, None),) * 2
    assert f"{len(plain.questions('test'))}." in document.figures[0].caption


def test_runs_in_pairs(tmp_path):
    seeds = rows_of({"t1": [ANN, BOB], "t2": [ANN, BOB], "t3": [ANN, BOB]})
    same = variant_question(1, "t1", ANN, "mother", CID)
    one = [
        same,
        variant_question(2, "t2", ANN, "mother", EVE),
        variant_question(3, "t3", BOB, "father", CID),
    ]
    other = [
        same,
        variant_question(2, "t2", ANN, "mother", EVE, text="Whose child is {topic}?"),
        variant_question(3, "t3", BOB, "father", EVE, topic="places"),  # unique
    ]
    runs = enumerate((one, other, one), 1)
    document = made(*(write_variants(tmp_path / f"run-{n}", q, seeds, n).path for n, q in runs))
    pairs = rows(document, "table-4-pairs")
    assert [*pairs] == ["run-1 × run-2", "run-1 × run-3", "run-2 × run-3"]
    assert pairs["run-1 × run-2"][:2] == (3, 0)
    assert [str(cell) for cell in pairs["run-1 × run-2"][2:5]] == ["1 (33.3 %)"] * 3
    whole = ["3 (100.0 %)", "0 (0.0 %)", "0 (0.0 %)"]
    assert [str(cell) for cell in pairs["run-1 × run-3"][2:5]] == whole
    assert rows(document, "table-4-topics")["run-2"] == (3, 0, 3, 2, 1)


def test_hits_of_systems_by_data_set(tmp_path, plain):
    first = write_release(tmp_path / "first")
    given = [
        {"run": {"release": first.identity, "system": "mine", "kg": "incomplete"}},
        {"id": "q00001", "raw_output": "It is e00002."},  # Cid, one of two answers
        {"id": "q00002", "answers": ["e00001"]},  # Bob, not Ann; q00003 has no prediction
    ]
    file = tmp_path / "mine.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in given))
    folder = study(tmp_path / "study", plain.path, "lookup", levels=(0, 100), split="all").folder
    hits = table(made(first.path, plain.path, file, folder), "table-3")
    assert hits.header == ("system", first.name, plain.name)
    stated = sum(bool(q.stated) for q in plain.questions()) / len(plain.questions())
    assert 0 < stated < 1
    assert [tuple(map(middle, row)) for row in hits.rows] == [
        ("on the graph complete",),
        ("lookup", None, 1.0),
        ("on the graph incomplete",),
        ("mine", 0.5, None),
        ("lookup", None, pytest.approx(stated)),
    ]
    assert f"{first.name} 2, {plain.name} 12" in hits.notes[1]
