"""Scoring questions of the kinds that a writer asks: their breakdowns, and what else reads them."""

import pytest

from rulemine.evaluation import answer, evaluate
from rulemine.evaluation.baselines import baselines
from rulemine.evaluation.breakdown import breakdowns
from rulemine.evaluation.supervision.supervision import report_supervision
from rulemine.release.contents import ReleaseParts
from rulemine.release.reader import Release
from rulemine.release.records import Prediction, Question
from rulemine.release.writer import write_release
from rulemine.text.tables import text_of
from tests.written import subgraphs, variants

MADE = {"subgraphs": subgraphs, "variants": variants}


@pytest.fixture(params=MADE)
def release(request, tmp_path):
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


def test_an_empty_reply_is_wrong_and_a_perfect_one_right_in_every_group(release):
    for right in (0, 1):
        asked = release.questions("test")
        given = [Prediction(q.id, raw_output=", ".join(q.answers) * right) for q in asked]
        for row in evaluate(release, given, metrics="all").rows:
            scores = {row.scores[metric].value for metric in ("hits_any", "recall", "f1")}
            assert scores == {right if row.n else None}


def test_whatever_reads_releases_reads_these(release):
    found = {p.id: set(p.answers) for p in answer(release, "reasoner", split=None)}
    assert all(set(q.answers) <= found[q.id] for q in release.questions())
    assert "reasoner" in text_of(baselines(release))
    tables = report_supervision(release).tables
    assert [grid.id for grid in tables][:2] == ["hops", "evidence-hops"]
