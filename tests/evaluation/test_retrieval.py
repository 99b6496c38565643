"""What systems retrieved, against the evidence."""

import unicodedata
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from rulemine.evaluation import METRICS, compare, evaluate
from rulemine.evaluation.retrieval import (
    RETRIEVAL,
    ToRetrieve,
    count_failures,
    score_retrieval,
    score_retrieved,
)
from rulemine.release.records import Prediction
from tests.evaluation.world import write_structures
from tests.structures import REMOVALS

A, B, C, X = ("a", "r", "b"), ("b", "s", "c"), ("c", "s", "d"), ("x", "r", "y")
NAN = float("nan")

#    retrieved   gold       certificates answers      of gold: recall, precision, F1; of certificates; answer
#                                                     hit, recall; triples
CASES = [
    ({A},      {A, B},  set(),     {"c"},       (1 / 2, 1,     2 / 3, NAN,   NAN,   NAN,   0, 0,     1)),
    ({A, X},     {A, B},  {A, C},      {"b", "c"},  (1 / 2, 1 / 2, 1 / 2, 1 / 2, 1 / 2, 1 / 2, 1, 1 / 2, 2)),
    ({A, B, X},  {A, B},  {X},         {"c", "x"},  (1,     2 / 3, 4 / 5, 1,     1 / 3, 1 / 2, 1, 1,     3)),
    ({X},        {A},     {A},       {"a"},       (0,     0,     0,     0,     0,     0,     0, 0,     1)),
    (set(),    {A},     {A},       {"a"},       (0,     0,     0,     0,     0,     0,     0, 0,     0)),
    ({A},      set(),   {A},       {"a", "z"},  (NAN,   NAN,   NAN,   1,     1,     1,     1, 1 / 2, 1)),
    (set(),    set(),   set(),     {"a"},       (NAN,   NAN,   NAN,   NAN,   NAN,   NAN,   0, 0,     0)),
    ({("r", "a", "q")}, {A}, set(),    {"a"},       (0,     0,     0,     NAN,   NAN,   NAN,   0, 0,     1)),
]  # fmt: skip


def test_scores_by_hand():
    for retrieved, gold, certificates, answers, expected in CASES:
        found = score_retrieved(retrieved, ToRetrieve(gold, certificates, answers), NAN)
        assert found == pytest.approx((*expected, NAN, NAN, NAN), nan_ok=True), retrieved


# The hard answer needs A, which is stated, and C, which is not and follows from B and X, or X and another.
WAYS = [[{A}], [{B, X}, {X, ("y", "r", "z")}]]

#    retrieved                         given  proof not retrieved, not reasoned
FAILURES = [
    ({A, B, X},                        1.0,   (1, 0, 0)),
    ({A, B, X},                        0.0,   (1, 0, 1)),
    ({A, X, ("y", "r", "z")},          0.0,   (1, 0, 1)),  # another certificate
    ({A, B},                           0.0,   (0, 1, 0)),  # half of one
    ({B, X},                           0.0,   (0, 1, 0)),  # without the stated part
    ({A, B},                           1.0,   (0, 0, 0)),  # guessed, or known by heart
    (set(),                            0.0,   (0, 1, 0)),
    ({A, B, X},                        NAN,   (NAN, NAN, NAN)),
]  # fmt: skip


def test_failures_by_hand():
    evidence = ToRetrieve({A}, {B, X}, {"d"}, WAYS)
    scores = np.array([score_retrieved(found, evidence, given) for found, given, _ in FAILURES])
    assert scores[:, -3:] == pytest.approx(np.array([row[2] for row in FAILURES]), nan_ok=True)
    everything = np.ones(len(FAILURES), bool)
    assert count_failures(scores, {"all": everything, "some": everything & (np.arange(8) < 3)}) == {
        "all": {"questions": 7, "proved": 3, "retrieval": 3, "reasoning": 2},
        "some": {"questions": 3, "proved": 3, "retrieval": 0, "reasoning": 2},
    }


BORN, IN = ("ann", "born_in", "paris"), ("paris", "in", "france")
GIVEN = [
    Prediction("q00006", "", retrieved=(BORN, BORN, ("nobody", "born_in", "paris"))),
    Prediction("q00007", "", retrieved=(("bob", "won", "oscar"), ("bob", "citizen_of", "france"))),
    Prediction("q00008", "", retrieved=(BORN, IN, ("bob", "born_in", "lyon"))),
    Prediction("q00009", "", retrieved=()),
    Prediction("q00010", ""),
    Prediction("q00011", "", retrieved=(("lyon", "in", "france"),)),
]


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    return write_structures(tmp_path_factory.mktemp("structures"))


def by_hand(questions, level):
    """The scores of each question on the graph of a level, from its record."""
    gone = {row.triple: row for row in REMOVALS if row.level <= level}
    found = []
    for q, p in zip(questions, GIVEN, strict=True):
        used = {t for r in q.removed if r in gone for t in gone[r].certificate.body}
        ways = [
            [{t}] * (t not in gone) + [set(r.certificate.body) for r in REMOVALS if r.triple == t]
            for t in q.evidence
        ]
        evidence = ToRetrieve(set(q.full_evidence) - gone.keys(), used, set(q.answers), ways)
        missed = NAN if q.hard_answer is None or q.level > (level or 100) else 0.0
        found.append(score_retrieved(set(p.retrieved or ()), evidence, missed))
    return np.array(found)


def test_report_by_hand(release):
    asked = release.questions("test")
    for kg, level in (("incomplete", 100), ("incomplete-50", 50), ("complete", 0)):
        report = evaluate(release, GIVEN, kg=kg)
        for name, column in zip(RETRIEVAL, by_hand(asked, level).T, strict=True):
            if np.isnan(column).all():
                assert (kg, name[:12]) == ("complete", "certificate_")
                assert name not in report.overall
                continue
            assert report.overall[name].value == pytest.approx(np.nanmean(column))
            for q, value in zip(asked, column, strict=True):
                told = report.row("structure", q.structure).scores[name].value
                assert told == (None if np.isnan(value) else pytest.approx(value))
        notes = " ".join(report.notes)
        assert "score as if there were none: 1." in notes
        assert "not in the release: 1 of 8." in notes


def test_without_triples_or_as_the_public_evaluator_nothing_is_said(release):
    plain = [replace(p, retrieved=None) for p in GIVEN]
    for report in (evaluate(release, plain), evaluate(release, GIVEN, matching="brink")):
        assert not set(report.metrics) & set(RETRIEVAL)
        assert "retrieved" not in report.to_table() + report.to_csv()
    one = evaluate(release, [replace(p, answers=(), raw_output=None) for p in GIVEN])
    found = compare({"one": one, "plain": evaluate(release, plain)}, ())
    assert {row.metric for row in found.rows} == {*METRICS}
    both = compare({"one": one, "given": evaluate(release, GIVEN)}, ())
    assert next(r for r in both.rows if r.metric == "triple_recall").difference.value == 0


def test_triples_match_in_any_form_of_unicode():
    forms = [unicodedata.normalize(form, "Zoë") for form in ("NFC", "NFD")]
    for ours, theirs in product(forms, forms):
        given = Prediction("q", answers=(), retrieved=((theirs, "r", "b"),))
        wanted = ToRetrieve({(ours, "r", "b")}, set(), {ours})
        scores, *counts = score_retrieval([wanted], [given], np.zeros(1), {ours, "b"}, {"r"})
        assert [scores[0][RETRIEVAL.index(n)] for n in ("triple_f1", "answer_recall")] == [1, 1]
        assert counts == [1, 0]
