"""Several systems compared; by hand, and on the command line."""

import csv
import io
import json

import pytest

from rulemine.errors import ConfigError, PredictionError
from rulemine.evaluation import evaluate, write_predictions
from rulemine.evaluation.comparing.comparison import compare, evaluate_all
from rulemine.release.records import Prediction
from tests.evaluation.test_scoring import GIVEN
from tests.evaluation.world import ANN, CID, EVE, question, write_release


@pytest.fixture
def eight(tmp_path):
    """Eight questions that share nothing, the first four in the core; EVE is hard, CID stated."""
    asked = [question(i, topic=f"t{i}", relation=f"r{i}", core=i < 4) for i in range(8)]
    return write_release(tmp_path / "eight", asked)


def right(count: int) -> list[Prediction]:
    """Right on so many, with a stated answer on the others."""
    return [Prediction(f"q{i:05d}", answers=(EVE if i < count else CID,)) for i in range(8)]


@pytest.fixture
def files(tmp_path, eight):
    """Three systems, right on none, on six and on all; the first says what it is."""
    run = {"release": eight.identity, "name": "small", "system": "lookup", "kg": "incomplete"}
    paths = [tmp_path / f"{name}.jsonl" for name in "abc"]
    for path, count in zip(paths, (0, 6, 8), strict=True):
        write_predictions(path, right(count), run if count == 0 else None)
    return paths


def test_all_pairs_by_hand(eight, files):
    reports = evaluate_all(eight, files, resamples=50)
    assert list(reports) == ["lookup (incomplete)", "b", "c"]
    found = compare(reports, ("hard_f1", "hhr"))
    assert len(found.rows) == 3 * 2 * 2
    rows = {(r.group, r.metric, r.first[0], r.second): r for r in found.rows}
    row = rows["all", "hard_f1", "l", "b"]
    assert (row.a, row.b, row.difference.value) == (0, 0.75, -0.75)
    assert row.p == 2 / 2**6  # of 64 exchanges of the six that differ
    assert row.adjusted == 2 * row.p  # the second of three: 2/256 comes first
    assert rows["all", "hard_f1", "l", "c"].p == 2 / 2**8
    assert rows["all", "hard_f1", "l", "c"].adjusted == 3 * 2 / 2**8
    row = rows["all", "hard_f1", "b", "c"]
    assert (row.difference.value, row.p, row.adjusted) == (-0.25, 0.5, 0.5)
    assert rows["core", "hard_f1", "b", "c"].p == 1  # equal there
    assert rows["core", "hhr", "l", "b"].p == 2 / 2**4


def test_a_partial_file_is_said_first_and_a_warning_names_whom_it_is_about(eight, files):
    write_predictions(files[1], right(8)[:2])
    found = compare(evaluate_all(eight, files[:2], resamples=5))
    said = "Warning: b: predictions for 2 of 8 questions (25.0 %); the others score 0."
    assert found.to_table().startswith(said)
    assert found.to_markdown().startswith(said)
    assert found.to_table().count("predictions for 2 of 8") == 1
    for path in files[1:]:
        write_predictions(path, [Prediction(f"q{i:05d}", answers=()) for i in range(8)])
    notes = compare(evaluate_all(eight, files, resamples=5)).notes
    told = "8 of 8 predictions hold no answer and score 0."
    assert [n for n in notes if told in n] == [f"Warning: {name}: {told}" for name in "bc"]


def test_forms(eight, files):
    found = compare(evaluate_all(eight, files, resamples=50), ("hard_f1",))
    rows = json.loads(found.to_json())["rows"]
    lines = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert len(rows) == len(lines) == 6
    assert [float(line["adjusted"]) for line in lines] == [row["adjusted"] for row in rows]
    table = found.to_table().splitlines()
    line = next(text for text in table if text.strip().startswith("b − c"))
    assert line.split()[3:] == ["4†", "100.0", "100.0", "+0.0", "1.000", "1.000"]
    assert "| b − c | 8† | 75.0 | 100.0 | -25.0" in found.to_markdown()
    assert "| 0.008 | 0.023 |" in found.to_markdown()


def test_what_cannot_be_compared(eight, files):
    reports = evaluate_all(eight, files, resamples=5)
    other = evaluate(eight, right(3)[:4], sample=4, resamples=5)
    for call, told in (
        (lambda: compare(reports, ("hardf1",)), "no score 'hardf1'; did you mean 'hard_f1'"),
        (lambda: compare({"b": reports["b"]}), "one system to compare"),
        (lambda: evaluate_all(eight, [files[0], files[0]]), "named twice"),
        (lambda: evaluate_all(eight, files, sample=0), "sample is 0"),
        (lambda: compare({"a": reports["b"], "b": other}), "the same questions were expected"),
    ):
        with pytest.raises((ConfigError, PredictionError), match=told):
            call()


def test_files_of_one_name_are_told_apart(eight, files, tmp_path):
    again = tmp_path / "other" / "b.jsonl"
    write_predictions(again, right(2))
    names = ["lookup (incomplete)", str(files[1]), "c", str(again)]
    assert list(evaluate_all(eight, [*files, again], resamples=5)) == names


BETTER = [
    Prediction("q00001", answers=(CID, EVE)),
    Prediction("q00002", answers=(ANN,)),
    Prediction("q00003", answers=(ANN,)),
]


def differences(first, second, metrics=(), **options):
    """(group, score) → the difference of two reports."""
    found = compare({"first": first, "second": second}, metrics, **options)
    return {(row.group, row.metric): row for row in found.rows}


def test_difference_is_paired(release):
    report, better = evaluate(release, GIVEN), evaluate(release, BETTER)
    found = differences(better, report)
    assert (found["core", "f1"].n, found["all", "f1"].n) == (1, 3)
    assert found["core", "hits_hard"].difference.value == 1
    assert {m: row.difference.value for (g, m), row in found.items() if g == "all"} == pytest.approx(
        {"hits_any": 1 / 3, "hits_at_1": 1 / 3, "precision": 0.5, "recall": 0.5, "f1": 0.5,
         "hits_hard": 2 / 3, "hits_any_hard": 2 / 3, "hard_recall": 2 / 3, "hard_f1": 2 / 3, "hhr": 0.5}
    )  # fmt: skip
    # where q00002 alone is drawn, which is equal in both
    assert found["all", "f1"].difference.low == 0.0
    assert found["all", "hhr"].n == 2  # the hits of the system that has fewer
    same = differences(report, report, broken_down=True)
    for key, row in same.items():
        assert set(row.difference) <= {0.0, None}, key
    assert same["common subject", "hhr"].difference.value is None
