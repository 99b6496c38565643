"""Scores of twins by hand: who always answers and who never does get nothing."""

import pytest

from rulemine.errors import PredictionError, ReleaseError
from rulemine.evaluation.predictions import write_predictions
from rulemine.evaluation.scorer import Scorer
from rulemine.evaluation.twins import TWIN_SCORES, score_files, twin_scores
from rulemine.release import Prediction, Release
from rulemine.text.tables import text_of
from tests.releases import built


@pytest.fixture(scope="module")
def release():
    return Release.open(built("demo") / "demo")


@pytest.fixture(scope="module")
def asked(release):
    twins = {row.question for row in release.twins()}
    return [q for q in release.questions("test") if q.id in twins]


def replies(asked, names):
    return [Prediction(q.id, answers=tuple(names(q))) for q in asked]


def right(question):
    return question.hard_answers


def wrong(question):
    return question.anchors


def nothing(_question):
    return ()


@pytest.mark.parametrize(
    ("control", "unprovable", "expected"),
    [
        (right, nothing, (1, 1, 1, 1, 1, 1)),
        (right, right, (0, 1, 0, 1, 0, -1)),  # its answer cannot be known there
        (nothing, nothing, (0, 0, 1, 0, 0, 0)),
        (wrong, nothing, (0, 0, 1, 0, -1, -2)),
        (wrong, wrong, (0, 0, 0, 0, -2, -4)),
        (lambda q: (*right(q), *wrong(q)), nothing, (1, 1, 1, 2 / 3, 2 / 3, 2 / 3)),
    ],
)
def test_scores_by_hand(release, asked, control, unprovable, expected):
    scorer = Scorer(release, resamples=20)
    graphs = {"control": control, "unprovable": unprovable}
    reports = [scorer(replies(asked, names), kg=kg) for kg, names in graphs.items()]
    found = twin_scores(release, *reports)
    assert [found[name].value for name in TWIN_SCORES] == pytest.approx(expected)


def test_a_pair_is_right_in_both_halves_or_wrong(release, asked):
    half = {q.id for q in asked[::2]}
    scorer = Scorer(release, resamples=20)
    control = scorer(replies(asked, lambda q: right(q) if q.id in half else ()), kg="control")
    unprovable = scorer(replies(asked, lambda q: wrong(q) if q.id in half else ()), kg="unprovable")
    found = twin_scores(release, control, unprovable)
    assert [found[name].value for name in TWIN_SCORES] == [0, 0.5, 0.5, 0.5, 0, -0.5]


def test_files_and_texts(release, asked, tmp_path):
    paths = [tmp_path / f"{kg}.jsonl" for kg in ("control", "unprovable")]
    for path in paths:
        text = {"control": right, "unprovable": lambda _: ["I do not know."]}[path.stem]
        said = [Prediction(q.id, raw_output=", ".join(text(q))) for q in asked]
        write_predictions(path, said, {"kg": path.stem, "system": "mine"})
    table = score_files(release, *paths)
    assert table.rows[0][:3] == ("mine", 8, (1.0, *table.rows[0][2][1:]))
    assert "Fewer than 50 twins" in text_of(table)
    with pytest.raises(
        PredictionError, match=r"answered from the graph unprovable; expected control"
    ):
        score_files(release, *reversed(paths))


@pytest.mark.parametrize("text", ["None.", "```json\n[]\n```", "I don't know.", "[]", ""])
def test_silence_is_told_of_the_control_graph_alone(release, asked, tmp_path, text):
    paths = [tmp_path / f"{kg}.jsonl" for kg in ("control", "unprovable")]
    for path in paths:
        said = [Prediction(q.id, raw_output=text) for q in release.questions("test")]
        write_predictions(path, said, {"kg": path.stem})
    table = score_files(release, *paths)
    assert [cell[0] for cell in table.rows[0][2:]] == [0, 0, 1, 0, 0, 0]
    assert [note[:18] for note in table.notes if "no answer" in note] == ["Warning: control: "]
    for why in ("", "503"):  # a call without a reply is not silence
        some = release.questions("test")
        said = [Prediction(q.id, answers=tuple(right(q)), failed=why) for q in some]
        write_predictions(paths[0], said, {"kg": "control"})
        table = score_files(release, *paths)
        told = [note for note in table.notes if "Warning" in note and "a call failed" in note]
        assert (table.rows[0][2][0], len(told)) == (1, len(why) // 3)


def test_without_twins_nothing_is_scored(release):
    scorer = Scorer(release, split="train", resamples=20)
    report = scorer(replies(release.questions("train")[:1], right), kg="control")
    with pytest.raises(ReleaseError, match="has a twin"):
        twin_scores(release, report, report)
