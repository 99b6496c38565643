"""The expected values are those that the public evaluator of the benchmark gives for these inputs."""

import pytest

from rulemine.errors import PredictionError
from rulemine.evaluation import evaluate
from rulemine.evaluation.matching.brink import normalize, pieces
from rulemine.release.records import Prediction
from tests.evaluation.world import EntityNames, question, write_release

PIECES = [
    ("Paris, London", ["paris", "london"]),
    ("Paris\nLondon\r\nRome\rBonn", ["paris", "london", "rome", "bonn"]),
    ("Paris; London", ["paris london"]),  # only commas and line ends cut
    ("Paris\tLondon", ["paris london"]), ("Paris\u2028London", ["paris london"]), ("  ,, \n ,", []),
    ("", []), ("The University of Oslo", ["university of oslo"]), ("An apple a day", ["apple day"]),
    ("THE THE", []), ("theatre, Anna", ["theatre", "anna"]), ("Washington, D.C.", ["washington", "dc"]),
    ("A.", []),  # what is left is an article
    (".an., x", ["x"]), ("J.-L. O'Neill", ["jl oneill"]), ("a-b c_d", ["ab cd"]),
    ("<pad>Paris<PAD>", ["paris"]),
    ("Pa<pad>ris", ["pa ris"]),  # a blank in its place
    ("<p,ad>", ["p", "ad"]), ("pad", ["pad"]), ("- Paris", ["paris"]), ("1. Paris", ["1 paris"]),
    ("**Paris** [\"London\"]", ["paris london"]),
    ("O’Neill", ["o’neill"]),  # not ASCII, so it stays
    ("東京。", ["東京。"]), ("İstanbul", ["i̇stanbul"]), ("\u00a0Paris\u00a0\u00a0Nord", ["paris nord"]),
    ("Paris, paris, PARIS!", ["paris", "paris", "paris"]), ("?!", []), ("the, a, an", []),
]  # fmt: skip


def test_pieces():
    assert [(text, pieces(text)) for text, _ in PIECES] == PIECES
    cases = {
        "Washington, D.C.": "washington dc", "A.": "", "The A, and  an B": "and b", "e00039": "e00039",
    }  # fmt: skip
    assert {name: normalize(name) for name in cases} == cases, "names are not cut"


NAMES = tuple(
    EntityNames(f"e{n:05d}", str(n), text)
    for n, text in enumerate(["Washington, D.C.", "A.", "The Hague", "hague", "Rome"])
)
DC, A, THE_HAGUE, HAGUE, ROME = (row.text for row in NAMES)

#   answers                hard       raw output              any  precision recall  f1    hard
SCORED = [
    ([DC],                  DC,        "Washington, D.C.",     (0, 0, 0, 0, 0)),
    ([DC],                  DC,        "washington dc",        (1, 1, 1, 1, 1)),
    ([A],                   A,         "A.",                   (0, 0, 0, 0, 0)),  # nothing is left of either
    ([A, ROME],             A,         "A., Rome",             (1, 1, 1, 1, 0)),
    ([THE_HAGUE, HAGUE],    HAGUE,     "the Hague",            (1, 1, 1, 1, 1)),  # the answers are one
    ([THE_HAGUE, ROME],     ROME,      "Hague, HAGUE, x",      (1, 0.5, 0.5, 0.5, 0)),
    ([ROME],                ROME,      "The answer is Rome",   (0, 0, 0, 0, 0)),  # never a substring
    ([ROME],                ROME,      "",                     (0, 0, 0, 0, 0)),
    ([DC],                  DC,        ("the washington, d.c.", "!"), (1, 1, 1, 1, 1)),  # item by item
]  # fmt: skip


def test_scores(tmp_path):
    keys = ("hits_any", "precision", "recall", "f1", "hits_hard")
    for number, (answers, hard, said, expected) in enumerate(SCORED):
        asked = [question(1, topic="x", answers=answers, hard=[hard])]
        release = write_release(tmp_path / str(number), asked, names=NAMES, naming="text")
        given = Prediction(
            "q00001", **({"raw_output": said} if isinstance(said, str) else {"answers": said})
        )
        report = evaluate(release, [given], matching="brink", resamples=5)
        found = tuple(report.overall[k].value for k in keys)
        assert found == pytest.approx(expected, abs=1e-15), said
        assert report.overall["hhr"].value == (expected[4] / expected[0] if expected[0] else 0.0)


def test_rate_is_zero_without_hits_and_the_report_says_so(tmp_path):
    release = write_release(tmp_path / "r", [question(1)])
    report = evaluate(release, [Prediction("q00001", "nobody")], matching="brink", resamples=5)
    assert report.overall["hhr"] == (0.0, None, None)
    assert any("HHR is 0" in note for note in report.notes)
    assert report.notes[0].startswith("Warning: 1 of 1 predicted answers are no entity of the")


def test_predictions_for_left_out_questions_alone_are_refused_for_that(tmp_path):
    release = write_release(tmp_path / "r", [question(1), question(2, hard=[])])
    told = r"1 of 1 .* q00001 \(there is 1 prediction for what --matching brink .*, e\.g\. q00002\)"
    with pytest.raises(PredictionError, match=told):
        evaluate(release, [Prediction("q00002", "x")], matching="brink")
