"""Predictions that are queries: read, run on the graph that was answered from, and scored."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from rulemine.errors import PredictionError
from rulemine.evaluation import evaluate, write_predictions
from rulemine.evaluation.predictions import PredictionFile, read_predictions
from rulemine.evaluation.reporting.documents import question_rows, run_of_file
from rulemine.evaluation.sparql.predicted import run_predictions
from rulemine.release.reader import Release
from rulemine.release.records import Prediction
from tests.evaluation.world import QUESTIONS

MOTHER = "SELECT ?x {{ <entity:{}> <relation:mother> ?x }}"
ASKED = [
    MOTHER.format("e00000"),  # e00002 is stated, e00004 not: 1 of 2 answers
    "I do not know.",
    "```sparql\nSELECT ?x { ?x <relation:mothers> <entity:e00004> }\n```",
]


def written(path: Path, queries: list[str] = ASKED) -> Path:
    rows = [{"id": f"q{at:05}", "sparql": text} for at, text in enumerate(queries, start=1)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def columns_of(report):
    return dict(zip(report.columns, report.scores.T.tolist(), strict=True))


def test_queries_are_run_on_the_graph_that_was_answered_from(release, tmp_path):
    file = written(tmp_path / "p.jsonl")
    report = evaluate(release, file, resamples=1)
    table = next(table for table in report.tables() if table.id == "sparql")
    assert table.rows == (("run", 1), ("no query", 1), ("unknown relation", 1))
    said = "first q00003: the graph has no relation <relation:mothers>"
    assert any(said in note for note in table.notes)
    assert any(note.startswith("2 of 3 queries give no answer") for note in report.notes)
    whole = evaluate(release, file, kg="complete", resamples=1)
    for columns, recall, hard in ((columns_of(report), 0.5, 0.0), (columns_of(whole), 1.0, 1.0)):
        assert columns["precision"] == [1.0, 0.0, 0.0]
        assert columns["recall"] == [recall, 0.0, 0.0]
        assert columns["hits_hard"] == [hard, 0.0, 0.0]
    named = written(tmp_path / "text.jsonl", [MOTHER.format("Ann"), "", ""])
    report = evaluate(release, named, kg="complete", naming="text", resamples=1)
    assert columns_of(report)["f1"][0] == 1.0


def test_a_page_of_questions_says_what_the_query_gave(release, tmp_path):
    file = PredictionFile(written(tmp_path / "p.jsonl"))
    report = evaluate(release, file, resamples=1)
    run = run_of_file(release, file, report)
    first, *_, last = question_rows(release, [run])[0]
    assert first.outcomes[0].answers == ("e00002",)
    assert first.outcomes[0].said == ASKED[0]
    assert last.outcomes[0].verdict == "empty"


def test_a_count_stands_for_what_it_counts_where_the_question_asks_how_many(release, monkeypatch):
    counting, plain = QUESTIONS[0], QUESTIONS[1]
    asked = (replace(counting, value=2), plain)
    monkeypatch.setattr(Release, "questions", lambda *_: asked)
    query = MOTHER.format("e00000").replace("?x {", "(COUNT(?x) AS ?n) {")
    given = [Prediction(q.id, sparql=query) for q in asked]
    ran = run_predictions(release, given, "complete", release.naming)
    assert [p and p.answers for p in ran.given] == [("e00002", "e00004"), ("2",)]


def test_a_query_is_kept_when_predictions_are_written(release, tmp_path):
    file = tmp_path / "again.jsonl"
    write_predictions(file, [Prediction("q00001", sparql=ASKED[0])])
    assert json.loads(file.read_text()) == {"id": "q00001", "sparql": ASKED[0]}
    (found,) = read_predictions(file, QUESTIONS)
    assert found == Prediction("q00001", sparql=ASKED[0])


def test_what_is_no_prediction_is_refused(release, tmp_path):
    file = tmp_path / "p.jsonl"
    for row, said in (
        ({"sparql": 5}, "'sparql': expected `str"),
        ({"sparql": "SELECT", "answers": ["e00001"]}, "has both 'answers' and 'sparql'"),
    ):
        file.write_text(json.dumps({"id": "q00001", **row}) + "\n")
        with pytest.raises(PredictionError, match=said):
            evaluate(release, file)
