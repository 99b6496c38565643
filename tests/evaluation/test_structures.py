"""Answering and scoring questions of the kind ``structures``."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rulemine.evaluation import answer, compare, evaluate
from rulemine.evaluation.answerers.registry import ANSWERERS
from rulemine.evaluation.baselines import baselines
from rulemine.evaluation.metrics import COLUMNS, METRICS, score
from rulemine.evaluation.reporting.tables import format_table
from rulemine.release.groups import groups_of
from rulemine.release.reader import Release
from rulemine.release.records import Prediction
from rulemine.seeds import stream
from tests.evaluation.test_scoring import values
from tests.evaluation.world import (
    ANN,
    BOB,
    CID,
    DORA,
    EVE,
    STRUCTURES,
    structure_question,
    write_structures,
)

EXPECTED = {
    ("lookup", "incomplete"): [[], [], [CID], [CID, EVE], [EVE]],
    ("lookup", "incomplete-25"): [[ANN], [CID, EVE], [CID, EVE], [CID, EVE], [EVE]],
    ("lookup", "complete"): [[ANN], [CID, EVE], [CID, EVE], [CID, EVE], [EVE]],
    # The mother of Ann is derived from the husband of Bob in one step.
    ("reasoner", "incomplete"): [[ANN], [CID, EVE], [CID, EVE], [CID, EVE], [EVE]],
    # Of several topic entities, what is near any of them.
    ("neighbors", "incomplete"): [
        [ANN, CID, EVE], [ANN, CID, EVE], [ANN, BOB, CID, EVE], [ANN, BOB, CID, EVE],
        [ANN, BOB, CID, EVE],
    ],
    # Of the training questions, about an aunt: her end is asked for by no other question.
    ("prior", "incomplete"): [[DORA], [DORA], [DORA], [DORA], [DORA]],
}  # fmt: skip


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return write_structures(tmp_path / "structures")


@pytest.mark.parametrize(("name", "kg"), EXPECTED)
def test_answers_by_hand(release: Release, name: str, kg: str) -> None:
    kg = kg if kg in release.graphs else "complete"  # nothing goes before 25
    assert [sorted(p.answers or ()) for p in answer(release, name, kg=kg)] == EXPECTED[name, kg]


def test_prior_looks_for_the_same_ends_of_all_parts(tmp_path: Path) -> None:
    asked = [
        structure_question(1, f'(and (p "father" "{BOB}") (p "mother" "{ANN}"))', split="train"),
        structure_question(2, f'(or (p "father" "{BOB}") (p "mother" "{ANN}"))'),
        structure_question(3, f'(p "father" "{BOB}")'),
        structure_question(4, f'(p "aunt" "{DORA}")', split="train"),
        structure_question(5, f'(p "brother" "{CID}")', split="train"),
    ]
    found = answer(write_structures(tmp_path / "r", asked), "prior", k=9)
    assert [p.answers for p in found] == [(EVE, CID), (EVE, CID, DORA)]


def test_prior_of_a_training_question_is_from_questions_with_another_first_topic(
    tmp_path: Path,
) -> None:
    lines = [f'(and (p "father" "{BOB}") (p "mother" "{ANN}"))', f'(p "mother" "{ANN}")']
    asked = [structure_question(i, line, split="train") for i, line in enumerate(lines)]
    found = answer(write_structures(tmp_path / "r", asked), "prior", split=None)
    assert [p.answers for p in found] == [(), ()]


GIVEN = [
    Prediction("q00001", raw_output=f"{ANN} or {BOB}"),
    Prediction("q00002", raw_output=f"{ANN} or {CID}"),
    Prediction("q00003", answers=(CID, EVE)),
    Prediction("q00004", answers=(EVE,)),
    Prediction("q00005", answers=()),
]


def test_report_by_hand(release: Release) -> None:
    report = evaluate(release, GIVEN)
    assert [(row.breakdown, row.group, row.n) for row in report.rows] == [
        ("core", "core", 1), ("all", "all", 5), ("mean_of_structures", "mean_of_structures", 5),
        *(("structure", name, 1) for name in ("1p", "2p", "2i", "ip", "2u")),
        ("hops", "1", 3), ("hops", "2", 2), ("missing", "0", 2), ("missing", "1", 3),
        ("inference", "partial", 2), ("inference", "full", 1),
        ("unseen", "rule", 0), ("unseen", "relation", 0), ("unseen", "answer", 0),
        ("unseen", "nothing", 5),
        ("level", "60", 2), ("level", "100", 1),
    ]  # fmt: skip
    assert values(report.row("structure", "2p"))["hits_at_1"] == 0
    assert values(report.row("structure", "2i"))["hits_at_1"] == 1
    assert values(report.row("all", "all"))["hits_at_1"] == 3 / 5
    assert values(report.row("all", "all"))["f1"] == pytest.approx((2 / 3 + 1 / 2 + 1 + 2 / 3) / 5)
    assert values(report.row("inference", "full"))["hits_hard"] == 1


def random_report(folder: Path, seed: int, n: int = 40, resamples: int = 30):
    """A report on questions of three structures about entities of their own, and the scores by hand."""
    draws = stream(seed, "structures")
    asked, given = [], []
    for i in range(n):
        q = STRUCTURES[min(draws.below(4), 2)]
        hard = q.hard if draws.below(3) else ()
        asked.append(
            replace(q, id=f"q{i:05d}", anchors=(f"x{i}",), hard=hard,
                    hard_answer=hard[0].answer if hard else None,
                    structures=replace(q.structures, removed=()))
        )  # fmt: skip
        names = [ANN, BOB, CID, EVE]
        given.append(Prediction(f"q{i:05d}", answers=tuple({names[draws.below(4)] for _ in "12"})))
    report = evaluate(write_structures(folder, asked), given, resamples=resamples, seed=seed)
    found = np.array([
        score(p.answers, set(q.answers), q.hard_answer, set(q.hard_answers))
        for q, p in zip(asked, given, strict=True)
    ])  # fmt: skip
    return asked, found, report


@pytest.mark.parametrize("seed", range(3))
def test_mean_of_structures_equals_averaging_by_hand(tmp_path: Path, seed: int) -> None:
    asked, found, report = random_report(tmp_path / "r", seed)
    of = np.array([q.structure for q in asked])
    names = sorted(set(of))
    assert len(names) == 3

    def mean(rows: list[int], column: str) -> float:
        """The mean of the means of the structures; NaN if one of them has no question in the rows."""
        part, in_rows = found[rows][:, COLUMNS.index(column)], of[rows]
        some = [part[(in_rows == name) & ~np.isnan(part)] for name in names]
        return float(np.mean([s.mean() for s in some])) if all(map(len, some)) else float("nan")

    row = report.row("mean_of_structures", "mean_of_structures")
    everything = list(range(len(asked)))
    assert row.n == len(asked)
    for metric in METRICS:
        if metric != "hhr":
            assert row.scores[metric].value == pytest.approx(mean(everything, metric))
    assert row.scores["hhr"].value == pytest.approx(
        mean(everything, "hits_hard") / mean(everything, "hits_any_asked")
    )
    clusters = groups_of(asked)
    drawn = stream(seed, "bootstrap").uniform(30 * len(clusters)).reshape(30, -1) * len(clusters)
    lines = [[i for c in line for i in clusters[c]] for line in drawn.astype(int)]
    for metric in ("hits_at_1", "hits_hard"):
        expected = np.nanquantile([mean(line, metric) for line in lines], [0.025, 0.975])
        estimate = row.scores[metric]
        assert (estimate.low, estimate.high) == pytest.approx(tuple(expected), abs=1e-9)


def test_a_structure_without_a_score_is_left_out_of_its_mean(release: Release) -> None:
    row = evaluate(release, GIVEN).row("mean_of_structures", "mean_of_structures")
    assert values(row)["hits_hard"] == pytest.approx(3 / 3)  # of 1p, 2p and 2i
    assert values(row)["hits_at_1"] == 3 / 5
    nothing = [replace(q, hard=(), hard_answer=None) for q in STRUCTURES]
    report = evaluate(write_structures(release.path / "s", nothing), GIVEN)
    assert values(report.row("mean_of_structures", "mean_of_structures"))["hits_hard"] is None


def test_one_structure_has_no_mean(tmp_path: Path) -> None:
    report = evaluate(write_structures(tmp_path / "r", STRUCTURES[:1]), GIVEN[:1])
    assert "mean_of_structures" not in json.loads(report.to_json())
    with pytest.raises(KeyError):
        report.row("mean_of_structures", "mean_of_structures")


def test_forms_of_the_report(release: Release) -> None:
    report = evaluate(release, GIVEN)
    content = json.loads(report.to_json())
    assert content["mean_of_structures"]["n"] == 5
    assert content["breakdowns"]["structure"]["2i"]["scores"]["hits_at_1"]["value"] == 1.0
    lines = report.to_table().splitlines()
    assert lines[3].split() == ["n", "H@1", "Hits@Any", "F1", "Hits@Hard", "HHR", "Hard", "F1"]
    line = next(text for text in lines if text.startswith("mean of structures"))
    assert line.split()[3:6] == ["5", "60.0", "80.0"]
    assert "| mean of structures | 5 | 60.0" in report.to_markdown()
    rows = list(csv.DictReader(io.StringIO(report.to_csv())))
    assert [row["breakdown"] for row in rows[:3]] == ["core", "all", "mean_of_structures"]
    assert float(rows[2]["hits_at_1"]) == 0.6


def test_difference_of_two_systems(release: Release) -> None:
    asked = release.questions("test")
    better = [
        replace(p, raw_output=None, answers=q.answers) for p, q in zip(GIVEN, asked, strict=True)
    ]
    difference = compare(evaluate(release, better), evaluate(release, GIVEN))
    row = difference.row("mean_of_structures", "mean_of_structures")
    assert values(row)["hits_at_1"] == pytest.approx(2 / 5)


def test_the_public_evaluator_knows_no_first_answer(release: Release) -> None:
    report = evaluate(release, GIVEN, matching="brink")
    assert report.metrics == tuple(m for m in METRICS if m != "hits_at_1")
    assert set(report.overall) == set(report.metrics)
    assert "H@1" not in report.to_table()
    assert "hits_at_1" not in report.to_csv() + report.to_json()


def test_baselines(release: Release) -> None:
    text = baselines(release, format_table)
    for title in ("the core (1)", "all questions (5)", "mean of structures (5)"):
        for graph in ("complete", "incomplete"):
            assert f"\n{graph} KG, {title}\n" in text
    for name in ANSWERERS.own:
        assert text.count(f"  {name} ") == 6
    last = [line for line in text.splitlines() if line.startswith("  reasoner ")][-1]
    assert last.split() == ["reasoner", *["100.0"] * 8]
