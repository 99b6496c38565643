import csv
import io
import json

import numpy as np
import pytest

from rulemine.errors import ConfigError, PredictionError
from rulemine.evaluation import METRICS, compare, evaluate, write_predictions
from rulemine.evaluation.breakdown import breakdowns, strata_of
from rulemine.evaluation.metrics import COLUMNS, score
from rulemine.kg.entity_names import EntityNames
from rulemine.release.records import Prediction
from rulemine.rules.taxonomy import RULE_SUBTYPES, RULE_TYPES
from rulemine.seeds import stream
from tests.evaluation.world import ANN, CID, EVE, question, write_release

# Of the questions of the split test: [CID, EVE] (hard EVE), [ANN], [ANN].
GIVEN = [
    Prediction("q00001", raw_output=f"It is {CID}, or {ANN}."),
    Prediction("q00002", answers=(ANN,)),
    Prediction("q00003", raw_output="No idea"),
]


def values(row):
    return {name: estimate.value for name, estimate in row.scores.items()}


def test_report_by_hand(release):
    report = evaluate(release, GIVEN)
    assert (report.n, report.missing, report.naming, report.matching) == (
        3,
        0,
        "private",
        "vocabulary",
    )
    assert values(report.rows[0]) == pytest.approx(
        {
            "hits_any": 2 / 3,
            "precision": (0.5 + 1) / 3,
            "recall": (0.5 + 1) / 3,
            "f1": (0.5 + 1) / 3,
            "hits_hard": 1 / 3,
            "hits_any_hard": 1 / 3,
            "hhr": 0.5,
        }
    )
    assert values(report.row("rule_type", "inversion"))["hhr"] == 1.0
    assert values(report.row("rule_subtype", "common subject"))["hhr"] is None
    assert values(report.row("rule_subtype", "common subject"))["hits_any"] == 0.0
    assert report.row("reverse_edge", "left").n == 1
    assert values(report.row("proofs", "3–5"))["f1"] == 0.0
    assert report.row("rule_type", "symmetry").n == 0
    assert set(values(report.row("rule_type", "symmetry")).values()) == {None}


def test_order_of_predictions_changes_nothing(release):
    assert evaluate(release, GIVEN).to_json() == evaluate(release, GIVEN[::-1]).to_json()


def test_seed_moves_the_intervals_only(release):
    one, two = evaluate(release, GIVEN), evaluate(release, GIVEN, seed=1)
    assert values(one.rows[0]) == values(two.rows[0])
    assert one.to_json() != two.to_json()


def random_questions(n):
    draws = stream(0, "questions")
    found = []
    for i in range(n):
        names = [f"e{k:05d}" for k in range(5)]
        answers = sorted({names[draws.below(5)] for _ in range(3)})
        kind = RULE_TYPES[draws.below(5)]
        subtype = sorted(RULE_SUBTYPES)[draws.below(8)] if kind == "other" else kind
        found.append(
            question(i, answers=answers, hard=answers[: 1 + draws.below(2)], kind=kind,
                     subtype=subtype, proofs=1 + draws.below(15), level=20 * (1 + draws.below(5)),
                     reverse=["r"][: draws.below(2)], split=("train", "test")[draws.below(2)])
        )  # fmt: skip
    given = [
        Prediction(q.id, answers=tuple({f"e{draws.below(5):05d}" for _ in range(draws.below(4))}))
        for q in found
    ]
    return found, given


GROUP_OF = {
    "rule_type": lambda q: q.rule_type,
    "rule_subtype": lambda q: q.rule_subtype,
    "proofs": lambda q: next(
        (b for b, low, high in [("1", 1, 1), ("2", 2, 2), ("3–5", 3, 5), ("6–10", 6, 10)]
         if low <= q.diagnosis.proofs <= high), ">10"),
    "reverse_edge": lambda q: "left" if q.diagnosis.reverse_edge else "not left",
    "split": lambda q: q.split,
    "level": lambda q: str(q.level),
}  # fmt: skip


def test_breakdowns_equal_scoring_each_group_alone(tmp_path):
    questions, given = random_questions(150)
    release = write_release(tmp_path / "r", questions)
    report = evaluate(release, given, split=None, resamples=20)
    assert {row.breakdown for row in report.rows} == {"all", *GROUP_OF}
    for row in report.rows:
        inside = [
            score(set(p.answers), set(q.answers), q.hard_answer, set(q.hard_answers))
            for q, p in zip(questions, given, strict=True)
            if row.breakdown == "all" or GROUP_OF[row.breakdown](q) == row.group
        ]
        assert row.n == len(inside) > 0
        means = dict(zip(COLUMNS, np.mean(inside, axis=0), strict=True))
        means["hhr"] = means["hits_hard"] / means["hits_any"] if means["hits_any"] else None
        assert values(row) == pytest.approx(means, abs=1e-12)
        for estimate in row.scores.values():
            assert estimate.low <= estimate.high


def test_cells_are_the_finest_partition():
    questions, _ = random_questions(80)
    parts = breakdowns(questions)
    cells = strata_of(parts, 80)
    kinds = [tuple(int(p.codes[i]) for p in parts) for i in range(80)]
    for i in range(80):
        for j in range(80):
            assert (cells[i] == cells[j]) == (kinds[i] == kinds[j])


def test_level_is_told_apart_only_where_there_are_several(release):
    assert "level" not in {row.breakdown for row in evaluate(release, GIVEN).rows}


def test_json(release):
    content = json.loads(evaluate(release, GIVEN, missing="empty").to_json())
    assert content["scores"]["hhr"]["value"] == 0.5
    assert content["breakdowns"]["rule_type"]["symmetry"]["n"] == 0
    assert content["breakdowns"]["rule_subtype"]["common subject"]["scores"]["hhr"] == {
        "value": None, "low": None, "high": None,
    }  # fmt: skip
    assert list(content["scores"]) == list(METRICS)
    head = ("release", "matching", "naming", "split", "n", "confidence", "seed", "missing")
    assert [content[k] for k in head] == ["small", "vocabulary", "private", "test", 3, 0.95, 0, 0]


def test_csv(release):
    rows = list(csv.DictReader(io.StringIO(evaluate(release, GIVEN).to_csv())))
    assert (rows[0]["what"], rows[0]["breakdown"], rows[0]["n"]) == ("scores", "all", "3")
    assert float(rows[0]["hits_any"]) == 2 / 3
    undefined = next(r for r in rows if r["group"] == "common subject")
    assert (undefined["hits_any"], undefined["hhr"], undefined["hhr_low"]) == ("0.0", "", "")


def test_table_and_markdown(release):
    report = evaluate(release, GIVEN)
    table = report.to_table().splitlines()
    line = next(text for text in table if text.startswith("all"))
    assert line.split() == ["all", "3", "66.7", "50.0", "50.0", "50.0", "33.3", "50.0"]
    line = next(text for text in table if "common subject" in text)
    assert line.split()[-1] == "–"
    assert all(len(text) <= 100 for text in table)
    markdown = report.to_markdown().splitlines()
    line = next(text for text in markdown if text.startswith("| common subject"))
    assert line.split("|")[-2].strip() == "–"
    pipes = {text.count("|") for text in markdown if text.startswith("|")}
    assert pipes == {9}


def test_missing_and_strange_answers_are_told(release):
    report = evaluate(
        release, [Prediction("q00002", answers=(ANN, "nobody")), Prediction("q00003", answers=())],
        missing="empty",
    )  # fmt: skip
    assert report.missing == 1
    assert report.overall["precision"].value == 0.5 / 3
    assert [note.split(" ", 1)[0] for note in report.notes] == ["1", "1", "1"]


@pytest.mark.parametrize(
    ("given", "options", "error", "told"),
    [
        (GIVEN[:2], {}, PredictionError, "1 of 3 questions"),
        ([*GIVEN, GIVEN[0]], {}, PredictionError, "two predictions for 'q00001'"),
        ([*GIVEN, Prediction("q1", "")], {}, PredictionError, "did you mean 'q00001'"),
        ([*GIVEN[:2], Prediction("q00003")], {}, PredictionError, "q00003.* has no 'raw_output'"),
        (GIVEN, {"split": "tets"}, ConfigError, "did you mean 'test'"),
        ([], {"split": "validation"}, PredictionError, "has no question"),
        (GIVEN, {"matching": "exact"}, ConfigError, "'exact' is not a mode"),
        (GIVEN, {"naming": "texts"}, ConfigError, "did you mean 'text'"),
        (GIVEN, {"resamples": 0}, ConfigError, "resamples is 0"),
        (GIVEN, {"seed": -1}, ConfigError, "seed is -1"),
    ],
)
def test_what_does_not_fit(release, given, options, error, told):
    with pytest.raises(error, match=told):
        evaluate(release, given, **options)


IN_TEXT = [
    Prediction("q00001", raw_output="Cid and Eve"),
    Prediction("q00002", answers=("Ann",)),
    Prediction("q00003", raw_output="Dora, Countess of X"),
]


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
    assert any("--naming text" in note for note in report.notes)


def test_paper_naming_is_the_number_alone(release):
    given = [Prediction(f"q{i:05d}", raw_output="2, 4, 0") for i in (1, 2, 3)]
    assert evaluate(release, given, naming="numeric").overall["hits_hard"].value == 1.0


def test_naming_given_on_purpose_is_not_questioned(release):
    assert evaluate(release, IN_TEXT, naming="private").overall["hits_any"].value == 0.0


def test_answer_that_the_entity_table_lacks(tmp_path):
    release = write_release(tmp_path / "r", names=(EntityNames("e00000", "11", "Ann"),))
    with pytest.raises(Exception, match="lacks the answer"):
        evaluate(release, IN_TEXT, naming="text")


BETTER = [
    Prediction("q00001", answers=(CID, EVE)),
    Prediction("q00002", answers=(ANN,)),
    Prediction("q00003", answers=(ANN,)),
]


def test_difference_is_paired(release):
    report, better = evaluate(release, GIVEN), evaluate(release, BETTER)
    difference = compare(better, report)
    assert values(difference.rows[0]) == pytest.approx(
        {"hits_any": 1 / 3, "precision": 0.5, "recall": 0.5, "f1": 0.5, "hits_hard": 2 / 3,
         "hits_any_hard": 2 / 3, "hhr": 0.5}
    )  # fmt: skip
    assert (
        difference.overall["f1"].low == 0.0
    )  # where q00002 alone is drawn, which is equal in both
    same = compare(report, report)
    for row in same.rows:
        for name, estimate in row.scores.items():
            assert set(estimate) <= {0.0, None}, (row, name)
    assert same.row("rule_subtype", "common subject").scores["hhr"].value is None


def test_difference_equals_drawing_question_by_question(tmp_path):
    questions, given = random_questions(60)
    other = [Prediction(p.id, answers=p.answers[:1]) for p in given]
    release = write_release(tmp_path / "r", questions)
    first, second = (evaluate(release, g, split=None, resamples=40, seed=3) for g in (given, other))
    drawn = (stream(3, "bootstrap").uniform(40 * 60).reshape(40, 60) * 60).astype(int)
    for name in ("f1", "recall"):
        column = COLUMNS.index(name)
        each = first.scores[:, column] - second.scores[:, column]
        expected = np.quantile(each[drawn].mean(axis=1), [0.025, 0.975])
        found = compare(first, second).overall[name]
        assert (found.low, found.high) == pytest.approx(tuple(expected), abs=1e-9)
    any_, hard = COLUMNS.index("hits_any"), COLUMNS.index("hits_hard")
    rates = [
        r.scores[drawn, hard].mean(axis=1) / r.scores[drawn, any_].mean(axis=1)
        for r in (first, second)
    ]
    expected = np.quantile(rates[0] - rates[1], [0.025, 0.975])
    found = compare(first, second).overall["hhr"]
    assert (found.low, found.high) == pytest.approx(tuple(expected), abs=1e-9)


def test_report_against_other_predictions(tmp_path, release):
    write_predictions(tmp_path / "better.jsonl", BETTER)
    write_predictions(tmp_path / "given.jsonl", GIVEN)
    report = evaluate(release, tmp_path / "better.jsonl", against=tmp_path / "given.jsonl")
    title = "better.jsonl − given.jsonl, paired"
    assert title in report.to_table()
    assert title in report.to_markdown()
    assert "+66.7" in report.to_table()
    content = json.loads(report.to_json())
    assert content["difference"]["scores"]["hits_hard"]["value"] == pytest.approx(2 / 3)
    rows = list(csv.DictReader(io.StringIO(report.to_csv())))
    assert {r["what"] for r in rows} == {"scores", "difference"}
    assert report.difference is not None
    assert report.difference.to_csv().splitlines()[1].startswith("difference,all,all,3,")


def test_notes_of_a_difference_say_whose_they_are(release):
    first = evaluate(release, GIVEN[:1], missing="empty", matching="ids")
    second = evaluate(release, BETTER)
    notes = compare(first, second, names=("one", "two")).notes
    assert notes[0].startswith("one: 2 of 3 questions have no prediction")
    assert notes[-1] == "Matched differently: ids and vocabulary."


def test_different_questions_are_not_compared(release):
    with pytest.raises(PredictionError, match="0 ids in common"):
        compare(
            evaluate(release, GIVEN),
            evaluate(release, [Prediction("q00004", "")], split="train"),
        )
