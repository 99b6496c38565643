"""Predictions that do not fit at first sight: in another naming, of megabytes."""

from dataclasses import replace

import numpy as np
import pytest

from rulemine.errors import PredictionError
from rulemine.evaluation import evaluate
from rulemine.kg.entity_names import EntityNames
from rulemine.release.records import Prediction
from tests.evaluation.test_scoring import GIVEN
from tests.evaluation.world import CID, EVE, question, write_release

IN_TEXT = [
    Prediction("q00001", raw_output="Cid and Eve"),
    Prediction("q00002", answers=("Ann",)),
    Prediction("q00003", raw_output="Dora, Countess of X"),
]


def test_texts_of_a_class_of_their_own_are_texts(release):
    given = [Prediction(f"q{i:05d}", raw_output=np.str_("Cid")) for i in (1, 2, 3)]
    plain = [replace(one, raw_output="Cid") for one in given]
    some = (evaluate(release, rows, matching="brink").overall for rows in (given, plain))
    assert next(some) == next(some)


@pytest.mark.parametrize("matching", ["ids", "vocabulary"])
def test_answers_in_another_naming_are_noticed(release, matching):
    with pytest.raises(PredictionError, match=r"in the naming 'text'.*--naming text"):
        evaluate(release, IN_TEXT, matching=matching)
    report = evaluate(release, IN_TEXT, matching=matching, naming="text")
    assert report.naming == "text"
    assert report.overall["hits_hard"].value == (2 / 3 if matching == "vocabulary" else 1 / 3)


def test_other_naming_in_brink_mode_is_noted_but_scored(release):
    given = [Prediction(f"q{i:05d}", raw_output="Cid, Bob") for i in (1, 2, 3)]
    report = evaluate(release, given, matching="brink")
    assert report.overall["hits_any"].value == 0.0
    assert report.notes[0].startswith("Warning: of the first 3, 0 name an entity")
    assert report.notes[0].endswith("--naming text.")
    for text in (report.to_table(), report.to_markdown()):
        assert text.index("Warning: ") < text.index("Hits@Any")


def test_a_naming_is_wrong_although_a_name_of_it_is_a_name_of_the_other_too(tmp_path):
    names = [EntityNames(f"e{i:05d}", f"E{i}", f"Person {i}") for i in range(40)]
    names[7] = EntityNames("e00007", "E7", "e00007")  # someone without a text
    asked = [
        question(i, f"x{i}", f"r{i}", answers=["Person 1"], hard=["Person 1"]) for i in range(20)
    ]
    release = write_release(tmp_path / "r", asked, names=names, naming="text")
    given = [Prediction(q.id, answers=(f"e{i + 2:05d}",)) for i, q in enumerate(asked)]
    with pytest.raises(
        PredictionError, match=r"of the first 20, 1 name.*'text', but 20 .*--naming private"
    ):
        evaluate(release, given)
    silent = [p if i < 2 else replace(p, answers=()) for i, p in enumerate(given)]
    with pytest.raises(PredictionError, match="of the first 2, 0 name"):
        evaluate(release, silent)


@pytest.mark.parametrize(("matching", "hit"), [("ids", 0), ("vocabulary", 0), ("brink", 1)])
def test_ten_megabytes_for_one_question(release, matching, hit):
    given = [replace(GIVEN[0], raw_output=f"{'blah ' * 40},\n" * 50_000 + EVE), *GIVEN[1:]]
    report = evaluate(release, given, matching=matching, resamples=5)
    assert report.headline.scores["hits_hard"].value == hit
    said = "Outputs longer than 1,000,000 characters, read so far only: 1." in report.notes
    assert said == (matching != "brink")


@pytest.mark.parametrize(("matching", "hits"), [("ids", 0), ("vocabulary", 0), ("brink", 1)])
def test_thoughts_count_as_published_alone(release, matching, hits):
    given = [
        replace(GIVEN[0], raw_output=f"<think>\n{EVE}, no.\n,{EVE},</think>none"),
        *(Prediction(p.id, raw_output=f"<think>{EVE}") for p in GIVEN[1:]),
    ]
    report = evaluate(release, given, matching=matching, resamples=5)
    assert report.scores[0][report.columns.index("hits_any")] == hits
    told = f"Outputs that hold only thoughts, and no reply: {len(given) - 1}; they score 0."
    assert (told in report.notes) == (matching != "brink")


def test_long_lists_are_read_as_far_as_long_texts(release):
    given = [
        Prediction("q00001", answers=(CID, *(f"{n:0>100}" for n in range(10_000)), EVE)),
        *GIVEN[1:],
    ]
    report = evaluate(release, given, metrics="all", resamples=5)
    assert report.headline.scores["hits_any"].value == 1
    assert report.headline.scores["hits_hard"].value == 0  # EVE is too far behind
    assert "Outputs longer than 1,000,000 characters, read so far only: 1." in report.notes


def test_paper_naming_is_the_number_alone(release):
    given = [Prediction(f"q{i:05d}", raw_output="2, 4, 0") for i in (1, 2, 3)]
    assert evaluate(release, given, naming="numeric").overall["hits_hard"].value == 1.0


def test_naming_given_on_purpose_is_not_questioned(release):
    assert evaluate(release, IN_TEXT, naming="private").overall["hits_any"].value == 0.0


def test_answer_that_the_entity_table_lacks(tmp_path):
    release = write_release(tmp_path / "r", names=(EntityNames("e00000", "11", "Ann"),))
    with pytest.raises(Exception, match="lacks the answer"):
        evaluate(release, IN_TEXT, naming="text")
