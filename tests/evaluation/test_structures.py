"""Answering and scoring questions of the kind ``structures``."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rulemine.evaluation import answer, compare, evaluate
from rulemine.evaluation.baselines import SYSTEMS, baselines
from rulemine.evaluation.metrics import COLUMNS, METRICS, score
from rulemine.release.groups import groups_of
from rulemine.release.reader import Release
from rulemine.release.records import Prediction
from rulemine.seeds import stream
from rulemine.text.tables import text_of
from tests.command_line import Command
from tests.evaluation.test_scoring import values
from tests.evaluation.world import write_structures
from tests.structures import structure_question


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return write_structures(tmp_path / "structures")


def answers_of(release: Release, name: str, **options: Any) -> dict[str, set[str]]:
    found = answer(release, name, split=None, **options)
    return {p.id: set(p.answers or ()) for p in found}


def test_lookup_finds_what_a_graph_states(release: Release) -> None:
    for kg, level in (("complete", 0), ("incomplete-50", 50), ("incomplete", 100)):
        assert answers_of(release, "lookup", kg=kg) == {
            q.id: {*q.stated, *(row.answer for row in q.hard if row.level > level)}
            for q in release.questions()
        }


def test_reasoner_hits_every_hard_answer(release: Release) -> None:
    found = answers_of(release, "reasoner")
    asked = release.questions()
    assert max(q.missing for q in asked) == 3  # one step, whatever is missing
    assert all(set(q.answers) <= found[q.id] for q in asked)
    assert evaluate(release, answer(release, "reasoner")).overall["hits_hard"].value == 1.0


def test_reasoner_hits_every_hard_answer_of_a_build(here: Path, command: Command) -> None:
    few = ("--set", "structures.per_structure=6", "--set", "mining.max_atoms=2")
    assert command("build", "structures-demo", *few, "-o", "out").status == 0
    release = Release.open(here / "out")
    asked = release.questions()
    assert len({q.structure for q in asked if q.hard}) > 5
    found = answers_of(release, "reasoner")
    assert all(set(q.hard_answers) <= found[q.id] for q in asked)
    found = answers_of(release, "lookup")
    assert all(set(q.stated) == found[q.id] for q in asked)


def test_neighbors_of_several_topic_entities(release: Release) -> None:
    found = answers_of(release, "neighbors")
    assert found["q00009"] == {"ann", "bob", "cat", "dan", "eve", "film1", "france"}  # palme, paris


def test_random_entity(release: Release) -> None:
    assert all(len(names) == 1 for names in answers_of(release, "random").values())


def test_prior_looks_for_the_same_ends_of_all_parts(tmp_path: Path) -> None:
    asked = [
        structure_question(1, '(and (p- "won" "oscar") (p- "won" "palme"))', "train"),
        structure_question(2, '(p- "won" "palme")', "train"),
        structure_question(3, '(and (p- "citizen_of" "france") (p- "won" "oscar"))', "train"),
        structure_question(4, '(or (p- "won" "oscar") (p- "citizen_of" "italy"))', "test"),
        structure_question(5, '(p- "won" (p "won" "dan"))', "test"),
        structure_question(6, '(p "won" "dan")', "test"),
    ]
    found = answer(write_structures(tmp_path / "r", asked), "prior:k=2")
    assert [p.answers for p in found] == [("ann", "bob"), ("bob", "eve"), ("bob", "eve")]


def test_prior_guesses_a_training_question_without_its_own_part(tmp_path: Path) -> None:
    lines = ['(and (p- "won" "oscar") (p- "won" "palme"))', '(p- "won" "oscar")']
    asked = [structure_question(i, line, "train") for i, line in enumerate(lines)]
    found = answers_of(write_structures(tmp_path / "r", asked), "prior")
    assert found == {"q00000": set(), "q00001": set()}  # oscar is the first topic entity of both


GIVEN = [
    Prediction("q00006", raw_output="ann or bob"),
    Prediction("q00007", raw_output="ann or bob"),
    Prediction("q00008", answers=("paris", "lyon")),
    Prediction("q00009", answers=("dan",)),
    Prediction("q00010", answers=()),
    Prediction("q00011", answers=("nowhere", "nice")),
]


def test_report_by_hand(release: Release) -> None:
    report = evaluate(release, GIVEN)
    assert [(row.breakdown, row.group, row.n) for row in report.rows] == [
        ("core", "core", 6), ("all", "all", 6), ("mean_of_structures", "mean_of_structures", 6),
        *(("structure", name, 1) for name in ("2i", "3i", "ip", "pi", "2u", "up")),
        ("hops", "1", 3), ("hops", "2", 3),
        ("inference", "partial", 5), ("inference", "full", 1),
        ("unseen", "rule", 0), ("unseen", "relation", 0), ("unseen", "answer", 0),
        ("unseen", "nothing", 6), ("level", "50", 2), ("level", "100", 4),
    ]  # fmt: skip
    assert values(report.row("structure", "3i"))["hits_at_1"] == 0
    assert values(report.row("structure", "3i"))["hits_hard"] == 1
    assert values(report.row("structure", "up"))["hits_at_1"] == 0
    assert values(report.row("all", "all"))["hits_at_1"] == pytest.approx(3 / 6)
    assert values(report.row("all", "all"))["f1"] == pytest.approx(
        (1 + 2 / 3 + 1 + 2 / 3 + 0 + 1 / 3) / 6
    )
    assert values(report.row("inference", "full"))["hits_hard"] == 0


LINES = [
    '(p "citizen_of" "bob")',
    '(p "in" (p "born_in" "bob"))',
    '(and (p- "citizen_of" "france") (p- "won" "oscar"))',
]


@pytest.mark.parametrize(
    ("matching", "output", "expected"),
    [
        ("ids", "bob, ann", 1),
        ("ids", "nowhere, bob", 0),
        ("vocabulary", "Nowhere; or bob, not ann.", 1),
        ("vocabulary", "Of ann and bob: bob.", 0),
        ("vocabulary", "", 0),
    ],
)
def test_the_first_answer_of_a_text(
    release: Release, matching: str, output: str, expected: float
) -> None:
    given = [Prediction("q00007", raw_output=output)]
    report = evaluate(release, given, matching=matching, missing="empty")
    assert report.row("structure", "3i").scores["hits_at_1"].value == expected


def random_report(folder: Path, seed: int, n: int = 40, resamples: int = 30):
    """A report on questions of three structures about entities of their own, and the scores by hand."""
    draws = stream(seed, "structures")
    lines = [LINES[0], '(p "citizen_of" (p- "wrote" "film1"))', LINES[2]]
    structures = [structure_question(0, line, "test") for line in lines]
    asked, given = [], []
    for i in range(n):
        q = structures[min(draws.below(4), 2)]
        hard = q.hard if draws.below(3) else ()
        asked.append(
            replace(q, id=f"q{i:05d}", anchors=(f"x{i}",), hard=hard,
                    hard_answer=hard[0].answer if hard else None,
                    removed=())
        )  # fmt: skip
        names = ["ann", "bob", "france", "italy"]
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
        """The mean of the means of the structures that have the score."""
        part, in_rows = found[rows][:, COLUMNS.index(column)], of[rows]
        some = [part[(in_rows == name) & ~np.isnan(part)] for name in names]
        return float(np.mean([s.mean() for s in some if len(s)]))

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
        expected = np.quantile([mean(line, metric) for line in lines], [0.025, 0.975])
        estimate = row.scores[metric]
        assert (estimate.low, estimate.high) == pytest.approx(tuple(expected), abs=1e-9)


def test_a_structure_without_a_score_is_left_out_of_its_mean(tmp_path: Path) -> None:
    asked = [structure_question(number, line, "test") for number, line in enumerate(LINES)]
    given = [Prediction(q.id, answers=q.answers) for q in asked]
    given[0] = Prediction(asked[0].id, answers=())
    report = evaluate(write_structures(tmp_path / "r", asked), given)
    row = report.row("mean_of_structures", "mean_of_structures")
    assert [q.hard_answer for q in asked] == ["france", None, "ann"]
    assert values(row)["hits_hard"] == 1 / 2
    assert values(row)["hits_at_1"] == pytest.approx(2 / 3)
    assert report.row("structure", "2p").scores["hits_at_1"].low is None  # a single cluster
    assert (row.scores["hits_at_1"].low, row.scores["hits_at_1"].high) == (0, 1)
    nothing = [replace(q, hard=(), hard_answer=None) for q in asked]
    report = evaluate(write_structures(tmp_path / "s", nothing), given)
    assert values(report.row("mean_of_structures", "mean_of_structures"))["hits_hard"] is None


def test_questions_in_one_cluster_have_a_mean_without_an_interval(tmp_path: Path) -> None:
    lines = ['(p "citizen_of" "ann")', LINES[2]]
    asked = [structure_question(number, line, "test") for number, line in enumerate(lines)]
    given = [Prediction(q.id, answers=q.answers) for q in asked]
    report = evaluate(write_structures(tmp_path / "r", asked), given)
    row = report.row("mean_of_structures", "mean_of_structures")
    assert row.scores["hits_hard"] == (1.0, None, None)


def test_a_large_cluster_is_told(tmp_path: Path) -> None:
    one = structure_question(0, LINES[0], "test")
    alone = replace(one, removed=())
    asked = [
        replace(one if i < 8 else alone, id=f"q{i:05d}", anchors=(f"x{i}",), core=True)
        for i in range(32)
    ]  # fmt: skip
    given = [Prediction(q.id, answers=()) for q in asked]
    notes = evaluate(write_structures(tmp_path / "r", asked), given).notes
    assert "8 of 32 questions form one cluster, which makes intervals wide." in notes
    notes = evaluate(write_structures(tmp_path / "s", asked[1:]), given[1:]).notes
    assert not any("cluster" in note for note in notes)


def test_one_structure_has_no_mean(tmp_path: Path) -> None:
    asked = [structure_question(0, LINES[0], "test")]
    report = evaluate(write_structures(tmp_path / "r", asked), [Prediction("q00000", answers=())])
    assert "mean_of_structures" not in json.loads(report.to_json())
    with pytest.raises(KeyError):
        report.row("mean_of_structures", "mean_of_structures")


def test_difference_of_two_systems(release: Release) -> None:
    better = [Prediction(q.id, answers=q.answers) for q in release.questions("test")]
    reports = {"better": evaluate(release, better), "given": evaluate(release, GIVEN)}
    found = compare(reports, ["hits_at_1"], broken_down=True)
    row = next(row for row in found.rows if row.group == "mean_of_structures")
    assert row.difference.value == pytest.approx(3 / 6)
    assert row.p is None


def test_the_public_evaluator_knows_no_first_answer(release: Release) -> None:
    report = evaluate(release, GIVEN, matching="brink")
    assert report.metrics == tuple(m for m in METRICS if m != "hits_at_1")
    assert set(report.overall) == set(report.metrics)
    assert "H@1" not in report.to_table()
    assert "hits_at_1" not in report.to_csv() + report.to_json()


def test_baselines(release: Release) -> None:
    text = text_of(baselines(release))
    for title in ("the core (6)", "all questions (6)", "mean of structures (6)"):
        for graph in ("complete", "incomplete"):
            assert f"\n{graph} KG, {title}\n" in text
    for name in SYSTEMS["entities"]:
        assert text.count(f"  {name} ") == 6
    last = [line for line in text.splitlines() if line.startswith("  reasoner ")][-1]
    assert last.split() == ["reasoner", "100.0", "100.0", "6†", *["100.0"] * 5]
