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
TOO_LONG = "Outputs longer than 1,000,000 characters, read so far only: 1."


def said(text):
    """A raw output for each of the three questions."""
    return [Prediction(f"q{i:05d}", raw_output=text) for i in (1, 2, 3)]


def test_texts_of_a_class_of_their_own_are_texts(release):
    first, second = (
        evaluate(release, said(kind("Cid")), matching="brink").overall for kind in (np.str_, str)
    )
    assert first == second


def test_answers_in_another_naming_are_noticed(release, tmp_path):
    for matching, hits in (("ids", 1 / 3), ("vocabulary", 2 / 3)):
        with pytest.raises(PredictionError, match=r"in the naming 'text'.*--naming text"):
            evaluate(release, IN_TEXT, matching=matching)
        report = evaluate(release, IN_TEXT, matching=matching, naming="text")
        assert (report.naming, report.overall["hits_hard"].value) == ("text", hits)
    assert evaluate(release, IN_TEXT, naming="private").overall["hits_any"].value == 0.0
    # A paper's naming is the number alone.
    assert evaluate(release, said("2, 4, 0"), naming="numeric").overall["hits_hard"].value == 1.0
    report = evaluate(release, said("Cid, Bob"), matching="brink")
    assert report.overall["hits_any"].value == 0.0
    assert report.notes[0].startswith("Warning: of the first 3, 0 name an entity")
    assert report.notes[0].endswith("--naming text.")
    for text in (report.to_table(), report.to_markdown()):
        assert text.index("Warning: ") < text.index("Hits@Any")
    few = write_release(tmp_path / "r", names=(EntityNames("e00000", "11", "Ann"),))
    with pytest.raises(Exception, match="lacks the answer"):
        evaluate(few, IN_TEXT, naming="text")


def test_a_naming_is_wrong_although_a_name_of_it_is_a_name_of_the_other_too(tmp_path):
    names = [EntityNames(f"e{i:05d}", f"E{i}", f"Person {i}") for i in range(40)]
    names[7] = EntityNames("e00007", "E7", "e00007")  # someone without a text
    asked = [
        question(i, f"x{i}", f"r{i}", answers=["Person 1"], hard=["Person 1"]) for i in range(20)
    ]
    release = write_release(tmp_path / "r", asked, names=names, naming="text")
    given = [Prediction(q.id, answers=(f"e{i + 2:05d}",)) for i, q in enumerate(asked)]
    told = r"of the first 20, 1 name.*'text', but 20 .*--naming private"
    with pytest.raises(PredictionError, match=told):
        evaluate(release, given)
    silent = [p if i < 2 else replace(p, answers=()) for i, p in enumerate(given)]
    with pytest.raises(PredictionError, match="of the first 2, 0 name"):
        evaluate(release, silent)


def test_megabytes_are_read_so_far_and_thoughts_not_at_all_but_as_published(release):
    megabytes = replace(GIVEN[0], raw_output=f"{'blah ' * 40},\n" * 50_000 + EVE)
    thoughts = [
        replace(GIVEN[0], raw_output=f"<think>\n{EVE}, no.\n,{EVE},</think>none"),
        *(Prediction(p.id, raw_output=f"<think>{EVE}") for p in GIVEN[1:]),
    ]
    only = "Outputs that hold only thoughts, and no reply: 2; they score 0."
    for matching, hit in (("ids", 0), ("vocabulary", 0), ("brink", 1)):
        options = {"matching": matching, "resamples": 5}
        report = evaluate(release, [megabytes, *GIVEN[1:]], **options)
        assert report.headline.scores["hits_hard"].value == hit
        assert (TOO_LONG in report.notes) == (not hit)
        report = evaluate(release, thoughts, **options)
        assert report.scores[0][report.columns.index("hits_any")] == hit
        assert (only in report.notes) == (not hit)
    long = Prediction("q00001", answers=(CID, *(f"{n:0>100}" for n in range(10_000)), EVE))
    report = evaluate(release, [long, *GIVEN[1:]], metrics="all", resamples=5)
    assert report.headline.scores["hits_any"].value == 1
    assert report.headline.scores["hits_hard"].value == 0  # EVE is too far behind
    assert TOO_LONG in report.notes
