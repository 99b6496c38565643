"""Answering and scoring questions of the kinds that ask a graph for entities."""

from dataclasses import replace
from typing import Any

import pytest

from rulemine.evaluation import answer, evaluate
from rulemine.evaluation.baselines import baselines
from rulemine.evaluation.breakdown import breakdowns
from rulemine.evaluation.metrics import METRICS
from rulemine.evaluation.supervision.supervision import report_supervision
from rulemine.release.contents import ReleaseParts
from rulemine.release.reader import Release
from rulemine.release.records import Prediction, Question
from rulemine.release.writer import write_release
from rulemine.text.tables import text_of
from tests.evaluation.test_scoring import values
from tests.evaluation.world import write_structures
from tests.structures import structure_question
from tests.written_releases import subgraphs, variants


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    return write_structures(tmp_path_factory.mktemp("structures"))


def answers_of(release: Release, name: str, **options: Any) -> dict[str, set[str]]:
    return {p.id: set(p.answers or ()) for p in answer(release, name, split=None, **options)}


def test_lookup_finds_what_a_graph_states(release):
    for kg, level in (("complete", 0), ("incomplete-50", 50), ("incomplete", 100)):
        assert answers_of(release, "lookup", kg=kg) == {
            q.id: {*q.stated, *(row.answer for row in q.hard if row.level > level)}
            for q in release.questions()
        }


def test_prior_looks_for_the_same_ends_of_all_parts(tmp_path):
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


GIVEN = [
    Prediction("q00006", raw_output="ann or bob"), Prediction("q00007", raw_output="ann or bob"),
    Prediction("q00008", answers=("paris", "lyon")), Prediction("q00009", answers=("dan",)),
    Prediction("q00010", answers=()), Prediction("q00011", answers=("nowhere", "nice")),
]  # fmt: skip


def test_report_by_hand(release):
    report = evaluate(release, GIVEN)
    assert [(row.breakdown, row.group, row.n) for row in report.rows] == [
        ("core", "core", 6), ("all", "all", 6), ("mean_of_structures", "mean_of_structures", 6),
        *(("structure", name, 1) for name in ("2i", "3i", "ip", "pi", "2u", "up")),
        ("hops", "1", 3), ("hops", "2", 3),
        ("inference", "partial", 5), ("inference", "full", 1),
        ("unseen", "rule", 0), ("unseen", "relation", 0), ("unseen", "answer", 0),
        ("unseen", "nothing", 6), ("level", "50", 2), ("level", "100", 4),
    ]  # fmt: skip
    found = values(report.row("structure", "3i"))
    assert (found["hits_at_1"], found["hits_hard"]) == (0, 1)
    assert values(report.row("structure", "up"))["hits_at_1"] == 0
    assert values(report.row("inference", "full"))["hits_hard"] == 0
    found = values(report.row("all", "all"))
    assert found["hits_at_1"] == pytest.approx(3 / 6)
    assert found["f1"] == pytest.approx((1 + 2 / 3 + 1 + 2 / 3 + 0 + 1 / 3) / 6)


LINES = [
    '(p "citizen_of" "bob")',
    '(p "in" (p "born_in" "bob"))',
    '(and (p- "citizen_of" "france") (p- "won" "oscar"))',
]


def test_a_mean_of_structures_is_of_their_means_and_rates(tmp_path):
    twice = [structure_question(number, LINES[0], "test") for number in (0, 1)]
    asked = [*twice, structure_question(2, LINES[2], "test")]
    asked = [replace(q, anchors=(f"x{number}",)) for number, q in enumerate(asked)]
    said = (("france",), (), ("bob",))
    given = [Prediction(q.id, answers=names) for q, names in zip(asked, said, strict=True)]
    report = evaluate(write_structures(tmp_path / "r", asked), given)
    row = report.row("mean_of_structures", "mean_of_structures")
    of_each = [values(report.row("structure", name)) for name in ("1p", "2i")]
    assert (of_each[0]["hits_at_1"], of_each[1]["hits_at_1"]) == (1 / 2, 1)
    for name in (name for name in METRICS if name != "hhr"):
        assert values(row)[name] == pytest.approx((of_each[0][name] + of_each[1][name]) / 2)
    hits = [values(report.row("structure", name))["hits_any"] for name in ("1p", "2i")]
    assert values(row)["hhr"] == pytest.approx(values(row)["hits_hard"] / (sum(hits) / 2))
    assert values(row)["hhr"] == pytest.approx(1 / 3), "over questions it is a half"
    assert row.scores["f1"].low < row.scores["f1"].value < row.scores["f1"].high


def test_a_structure_without_a_score_is_left_out_of_its_mean(tmp_path):
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


def test_a_large_cluster_is_told(tmp_path):
    one = replace(structure_question(0, LINES[0], "test"), core=True)
    asked = [replace(one, id=f"q{i:05d}", anchors=(f"x{i}",)) for i in range(32)]
    asked[8:] = [replace(q, removed=()) for q in asked[8:]]
    given = [Prediction(q.id, answers=()) for q in asked]
    notes = evaluate(write_structures(tmp_path / "r", asked), given).notes
    assert "8 of 32 questions form one cluster, which makes intervals wide." in notes
    notes = evaluate(write_structures(tmp_path / "s", asked[1:]), given[1:]).notes
    assert not any("cluster" in note for note in notes)


MADE = {"subgraphs": subgraphs, "variants": variants}


@pytest.fixture(params=MADE)
def written(request, tmp_path):
    write_release(tmp_path, MADE[request.param](), "entity")
    return Release.open(tmp_path)


def groups(parts: ReleaseParts, questions: tuple[Question, ...]) -> dict[str, dict[str, set[int]]]:
    """Breakdown → group → positions."""
    return {
        found.name: {
            name: {i for i, inside in enumerate(row) if inside}
            for name, row in zip(found.groups, found.members, strict=True)
        }
        for found in breakdowns(questions, parts.removals, parts.levels)
    }


def test_subgraphs_are_broken_down_by_what_the_writer_did():
    parts = subgraphs()
    found = groups(parts, parts.questions)
    assert found["triples"] == {"1": {0, 1, 2, 10}, "2": {3, 6, 11}, "3": {4, 5, 7, 8, 9}}
    # id, ugt, urt, both in turns; of test questions alone
    assert found["test_type"] == {"id": {8}, "ugt": {7, 9, 11}, "urt": {6, 7, 10, 11}}
    assert "topic" not in found
    assert "test_type" not in groups(parts, parts.questions[:4])


def test_variants_are_broken_down_by_topic_and_answers():
    parts = variants()
    found = groups(parts, parts.questions)
    assert found["topic"] == {"people": {*range(12)} - {0, 3, 6, 9}, "places": {0, 3, 6, 9}}
    assert found["unique"]["several"] == {6, 8, 9, 10, 11}
    assert found["triples"]["3"] == {4, 5, 7, 8, 9}


def test_an_empty_reply_is_wrong_and_a_perfect_one_right_in_every_group(written):
    for right in (0, 1):
        asked = written.questions("test")
        given = [Prediction(q.id, raw_output=", ".join(q.answers) * right) for q in asked]
        for row in evaluate(written, given, metrics="all").rows:
            scores = {row.scores[metric].value for metric in ("hits_any", "recall", "f1")}
            assert scores == {right if row.n else None}


def test_whatever_reads_releases_reads_these(written):
    found = {p.id: set(p.answers) for p in answer(written, "reasoner", split=None)}
    assert all(set(q.answers) <= found[q.id] for q in written.questions())
    assert "reasoner" in text_of(baselines(written))
    tables = report_supervision(written).tables
    assert [grid.id for grid in tables][:2] == ["hops", "evidence-hops"]
