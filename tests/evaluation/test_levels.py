"""Hard answers at a level, over the core, of rankings and of strict lists; what a file says of itself."""

import json
from dataclasses import replace

import pytest

from rulemine.errors import ConfigError, PredictionError, ReleaseError
from rulemine.evaluation import compare, evaluate, write_predictions
from rulemine.evaluation.scorer import Scorer, shared_level
from rulemine.release.groups import sample
from rulemine.release.records import HardAnswer, Prediction
from tests.evaluation.test_scoring import GIVEN, values
from tests.evaluation.world import ANN, BOB, CID, DORA, EVE, question, removals_of, write_release


@pytest.fixture
def leveled(tmp_path):
    """Two questions: EVE goes at 20 and is core, DORA at 60 and is not; ANN goes at 60; CID is stated."""
    first = question(1, answers=[CID, DORA, EVE], hard=[EVE, DORA], core=True)
    levels = ((DORA, 60, False), (EVE, 20, True))
    hard = tuple(HardAnswer(a, 1, at, ((ANN, "mother", a),), core) for a, at, core in levels)
    first = replace(first, hard=hard, evidence=((ANN, "mother", EVE),))
    asked = [first, question(2, BOB, "husband", answers=[ANN], hard=[ANN], level=60)]
    return write_release(
        tmp_path / "leveled", asked, removals=removals_of(asked), levels=[20, 60, 100]
    )


EVERYTHING = [
    Prediction("q00001", answers=(CID, DORA, EVE, ANN)),
    Prediction("q00002", answers=(ANN,)),
]


def test_hard_f1_at_a_level_by_hand(leveled):
    # q00001: P′ = {DORA, EVE, ANN}, H = {DORA, EVE}: 4/5; over the core P′ = {EVE, ANN}, H = {EVE}: 2/3.
    # Below 60 DORA is still stated: P′ = {EVE, ANN}, H = {EVE}; q00002 has no hard answer.
    low = "missing at level {}: 1 of 2 questions have theirs still stated"
    for level, all_ in ((100, (4 / 5 + 1) / 2), (60, (4 / 5 + 1) / 2), (59, 2 / 3), (20, 2 / 3)):
        for of in ({"level": level}, {"kg": f"incomplete-{level}"}):
            report = evaluate(leveled, EVERYTHING, **of)
            assert (report.level, report.headline.group) == (level, "core")
            assert report.overall["hard_f1"].value == pytest.approx(all_)
            assert report.headline.scores["hard_f1"].value == pytest.approx(2 / 3)
            assert report.without_hard_answer == (level < 60)
            assert any(low.format(level) in note for note in report.notes) == (level < 60)


def test_levels_of_two_graphs(leveled):
    """Of the complete graph the level is that of the other; of two levels it is the lower."""
    for kg, other, level in (
        ("complete", "incomplete-20", 20), ("incomplete-60", "incomplete-20", 20),
        ("complete", "incomplete", 100), ("complete", "complete", 100), ("incomplete-0", "complete", 100),
    ):  # fmt: skip
        assert shared_level(leveled, kg, other) == level
    for level in (0, 101):
        with pytest.raises(ConfigError, match=f"level is {level}; expected"):
            evaluate(leveled, EVERYTHING, level=level)
    with pytest.raises(ReleaseError, match="has no graph 'incomplete-101'"):
        evaluate(leveled, EVERYTHING, kg="incomplete-101")


def test_rankings_of_the_hard_answer(release):
    given = [
        # Hard is EVE; CID, the other answer, is filtered: rank 2.
        Prediction("q00001", answers=(), ranking=((CID, 0.9), (BOB, 0.8), (EVE, 0.5), (DORA, 0.1))),
        Prediction("q00002", answers=(ANN,), ranking=((ANN, 0.5), (BOB, 0.5))),  # a tie: 1.5
        Prediction("q00003", answers=(ANN,)),  # ranks nothing: 0
    ]
    report = evaluate(release, given)
    found = values(report.row("all", "all"))
    assert found["mrr"] == pytest.approx((1 / 2 + 2 / 3 + 0) / 3)
    assert (found["hard_hits_at_1"], found["hard_hits_at_10"]) == (0, 2 / 3)
    assert values(report.headline)["mrr"] == 0.5
    assert "Predictions that rank nothing have the reciprocal rank 0: 1." in report.notes
    assert report.scores[1][report.columns.index("mrr")] == pytest.approx(2 / 3)
    for other in (evaluate(release, GIVEN), evaluate(release, given, matching="brink")):
        assert "mrr" not in other.metrics


def test_strict_scores_beside_lenient_ones(release):
    given = [
        Prediction("q00001", raw_output=f"The answer is {EVE}."),  # no item of a list
        Prediction("q00002", raw_output=f"- {ANN}\n"),
        Prediction("q00003", answers=(ANN,)),  # a list stays a list
    ]
    found = values(evaluate(release, given).row("all", "all"))
    assert (found["hits_any"], found["strict_hits_any"]) == (1, 2 / 3)
    assert (found["hard_f1"], found["strict_hard_f1"]) == (1, 2 / 3)
    assert (found["f1"], found["strict_f1"]) == pytest.approx(((2 / 3 + 2) / 3, 2 / 3))
    assert values(evaluate(release, given).headline)["strict_hard_f1"] == 0
    for options in ({"matching": "ids"}, {"matching": "brink"}):
        assert "strict_f1" not in evaluate(release, given, **options).metrics
    assert "strict_f1" not in evaluate(release, given[2:], missing="empty").metrics


def test_resamples_without_a_hit_are_left_out_and_told(tmp_path):
    asked = [question(i, f"e{i:05d}", f"r{i}", answers=[EVE], hard=[EVE]) for i in range(4)]
    given = [Prediction(f"q{i:05d}", answers=(EVE,) if i == 0 else ()) for i in range(4)]
    report = evaluate(write_release(tmp_path / "r", asked), given, resamples=400)
    dropped = report.row("all", "all").dropped
    assert dropped == pytest.approx((3 / 4) ** 4, abs=0.08)
    assert report.overall["hhr"] == pytest.approx((1.0, 0.05, 1.0))  # one hit in one cluster
    assert json.loads(report.to_json())["all"]["hhr_dropped"] == dropped
    assert any(f"HHR: {100 * dropped:.1f} % for all questions." in note for note in report.notes)


def test_a_file_says_what_it_is(tmp_path, release):
    run = {"release": release.identity, "name": "small", "kg": "complete", "system": "lookup"}
    write_predictions(tmp_path / "p.jsonl", GIVEN, run)
    report = evaluate(release, tmp_path / "p.jsonl")
    assert report.system == "lookup"
    assert report.to_json() == evaluate(release, GIVEN, kg="complete").to_json()
    with pytest.raises(PredictionError, match="says kg 'complete', and --kg says 'incomplete'"):
        evaluate(release, tmp_path / "p.jsonl", kg="incomplete")
    write_predictions(tmp_path / "q.jsonl", GIVEN, run | {"release": "0" * 64, "name": "other"})
    with pytest.raises(PredictionError, match=r"for another release \('other', 000000000000…\)"):
        evaluate(release, tmp_path / "q.jsonl")
    write_predictions(tmp_path / "n.jsonl", GIVEN, run | {"naming": "text"})
    report = evaluate(release, tmp_path / "n.jsonl")  # in truth they are private
    assert report.notes[0].startswith("Warning: of the first 3, 0 name an entity of the release")


def test_a_sample_is_what_was_asked(tmp_path, release):
    first, *_ = sample(release.questions("test"), 1)
    assert first.core
    given = [p for p in GIVEN if p.id == first.id]
    write_predictions(tmp_path / "p.jsonl", given, {"release": release.identity, "sample": 1})
    asked = {"sample": 1, "missing": "error"}
    for report in (evaluate(release, tmp_path / "p.jsonl"), evaluate(release, GIVEN, **asked)):
        assert (report.ids, report.sample, report.missing) == ((first.id,), 1, 0)
        assert "a sample of 1 question, 1 in the core" in report.to_table()
    whole = evaluate(release, given)
    coverage = json.loads(whole.to_json())["coverage"]
    assert (whole.n, whole.missing, coverage) == (3, 2, pytest.approx(1 / 3))
    assert whole.notes[0].startswith("Warning: predictions for 1 of 3 questions (33.3 %)")


def test_many_reports_of_one_scorer_are_those_of_each_alone(leveled):
    scorer = Scorer(leveled, resamples=50)
    for kg in ("complete", "incomplete-20", "incomplete"):
        for given in (EVERYTHING, EVERYTHING[:1]):
            alone = evaluate(leveled, given, kg=kg, resamples=50).to_json()
            for naming in ("private", None):
                assert scorer(given, kg=kg, naming=naming).to_json() == alone


def test_two_graphs_with_retrieval(release):
    """The proof of a hard answer is its own edge on one graph, and its certificate on the other."""
    edge, body = (ANN, "mother", EVE), (ANN, "wife", BOB)
    complete = [Prediction(p.id, answers=(), retrieved=(edge,)) for p in GIVEN]
    incomplete = [Prediction(p.id, answers=(EVE,), retrieved=(body,)) for p in GIVEN]
    report = evaluate(release, complete, kg="complete")
    assert report.row("core", "core").scores["proof_retrieved"].value == 1
    assert report.failures["core"] == {"questions": 1, "proved": 1, "retrieval": 0, "reasoning": 1}
    found = compare({"complete": report, "incomplete": evaluate(release, incomplete)}, ())
    told = {(row.group, row.metric): row.difference.value for row in found.rows}
    assert told["core", "proof_retrieved"] == 0
    assert told["core", "reasoning_failures"] == 1
    assert ("core", "certificate_recall") not in told
    assert told["all", "triple_recall"] is not None
    assert any("Proof of the hard answer retrieved, over the core" in note for note in report.notes)
    # An edge that the graph lacks was not retrieved from it.
    report = evaluate(release, complete, kg="incomplete")
    assert report.failures["core"] == {"questions": 1, "proved": 0, "retrieval": 1, "reasoning": 0}
    assert json.loads(report.to_json())["failures"]["core"]["retrieval"] == 1


def test_stated_and_further_answers_are_left_out_of_hard_recall_and_f1(tmp_path):
    asked = [question(1, BOB, answers=[ANN, CID, EVE], hard=[EVE], further=[ANN])]
    release = write_release(tmp_path / "r", asked)
    for answers, expected in (
        ((EVE,), (1, 1)), ((EVE, CID, ANN), (1, 1)), ((EVE, DORA), (1, 2 / 3)), ((CID, ANN), (0, 0)),
        ((), (0, 0)),
    ):  # fmt: skip
        found = values(evaluate(release, [Prediction("q00001", answers=answers)]).headline)
        assert (found["hard_recall"], found["hard_f1"]) == pytest.approx(expected), answers
