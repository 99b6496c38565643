"""What our exports write, our imports read, with the same scores of the answerers that ask no model."""

import math
import re
from collections.abc import Collection, Mapping
from pathlib import Path

import numpy as np
import pytest

from rulemine import Release, answer, evaluate, import_set
from rulemine.evaluation.metrics import COLUMNS
from rulemine.exports.exporting import export
from rulemine.importing.registry import find_reader
from rulemine.query.parser import parse
from tests import each
from tests.importing.test_plain import rows_of
from tests.releases import built

WITHOUT_QUERIES = ("neighbors", "neighbors:hops=2", "random")
"""Answerers that look at texts, topic entities and the graph alone."""

OF_CORE = {name for name in COLUMNS if name.startswith("core_")}
"""Nothing imported is in the core."""

Scores = Mapping[str, Mapping[str, float | None]]
"""Id of a question → score → its value; None: the question does not have it."""


def scores_of(release: Release, system: str, only: Collection[str] = ()) -> Scores:
    """The scores of an answerer on all splits, of some questions or all."""
    report = evaluate(release, answer(release, system, split=None), split=None, resamples=1)
    return {
        id_: {
            name: None if math.isnan(value) else round(value, 12)
            for name, value in zip(report.columns, row, strict=True)
            if name not in OF_CORE
        }
        for id_, row in zip(report.ids, report.scores.tolist(), strict=True)
        if not only or id_ in only
    }


def differing_scores(release: Release, made: Release, system: str, kg: str) -> dict[str, set[str]]:
    """Score → the questions of entities that have another value of it on what was imported.

    The predictions are the same, by their labels: those of an answerer on the release, whose naming is
    ``text``.
    """
    predictions = answer(release, system, kg=kg, split=None)
    entities = {q.id for q in release.questions() if q.value is None}
    found: dict[str, set[str]] = {}
    before, after = (
        evaluate(one, predictions, kg=kg, split=None, resamples=1, naming="text")
        for one in (release, made)
    )
    assert before.ids == after.ids
    for column in (name for name in COLUMNS if name not in OF_CORE):
        one, other = (rows.scores[:, rows.columns.index(column)] for rows in (before, after))
        differ = ~((one == other) | (np.isnan(one) & np.isnan(other)))
        if some := {id_ for id_, so in zip(before.ids, differ, strict=True) if so} & entities:
            found[column] = some
    return found


# RoG and BRINK


def test_scores_of_the_demo_are_those_of_its_exports(tmp_path):
    release = Release.open(built("demo") / "demo")
    rog, brink = (
        import_set(
            to, export(release, to, tmp_path / to, naming=naming).folder, tmp_path / f"of-{to}"
        )
        for to, naming in (("rog", "text"), ("brink", release.naming))
    )
    for system in WITHOUT_QUERIES:
        before, after = (scores_of(one, system) for one in (release, rog))
        assert before.keys() == after.keys()
        for id_, scores in after.items():
            known = {name: value for name, value in scores.items() if value is not None}
            assert known == {name: before[id_][name] for name in known}, (system, id_)
            assert {"hits_any", "precision", "recall", "f1"} <= known.keys()
    queries = {q.id: q.query for q in brink.questions()}
    assert queries.keys() == {q.id for q in release.questions()}
    # The form says nothing of relations that were declared symmetric or inverse.
    same = {q.id for q in release.questions() if q.query == queries[q.id]}
    assert len(same) > 0.7 * len(queries)
    for system in (*WITHOUT_QUERIES, "lookup", "prior:k=5"):
        before, after = (scores_of(one, system, only=same) for one in (release, brink))
        assert before == after, system


# GTSQA and Dynamic-KGQA


@pytest.mark.parametrize("kg", ["complete", "incomplete"])
def test_predictions_have_the_same_scores_on_what_was_exported(labeled, tmp_path, kg):
    # Dynamic-KGQA's form does not say which answers are hard; GTSQA's has the SPARQL, which does.
    unknown = {"hits_hard", "hits_any_hard", "hard_recall", "hard_f1", "hits_any_asked"}
    for to in ("gtsqa", "dynamic-kgqa")[labeled.kind == "variants" :]:
        one, other = (
            export(labeled, to, tmp_path / f"{to}-{which}", kg=which).folder
            for which in ("complete", "incomplete")
        )
        graphs = {"kg": one / "graph.tsv", "incomplete": other / "graph.tsv"}
        made = import_set(to, one, tmp_path / f"made-{to}", **graphs)
        for system in (*WITHOUT_QUERIES, "lookup"):
            differing = differing_scores(labeled, made, system, kg).keys()
            assert differing <= (unknown if to == "dynamic-kgqa" else set()), system
        known = sum(q.hard_answer is not None for q in made.questions())
        assert known > 1 or to == "dynamic-kgqa"


@each("graphs", ["true", "false"])
def test_gtsqa_is_read_back(written, tmp_path, graphs):
    folder = export(written, f"gtsqa:graphs={graphs}", tmp_path / "out", kg="complete").folder
    kg = None if graphs == "true" else folder / "graph.tsv"
    found = find_reader("gtsqa")(folder, kg, None)
    assert found.complete is not None
    assert found.notes == ()
    key = {e.entity: f"m.{e.private}" for e in written.entities}
    asked = {q.id: q for q in written.questions()}
    named = {r: f"{r.replace('_', ' ')} (graph.{r})" for r in written.relations()} | key
    assert {q.id for q in found.questions} == asked.keys()
    for question in found.questions:
        own = asked[question.id]
        stated = [str(own.value)] if own.value is not None else [key[a] for a in own.answers]
        assert (question.text, question.split) == (own.question, own.split)
        assert list(question.answers) == stated
        assert list(question.topics) == [key[a] for a in own.anchors]
        ends = [(key[s], key[o]) for s, _, o in own.full_evidence]
        assert [(s, o) for s, _, o in question.evidence] == ends
        renamed = re.sub(r'"(\w+)"', lambda found: f'"{named[found[1]]}"', own.query)
        # What is taken away has relations that no answer subgraph names.
        assert "minus" in own.query or question.query == parse(renamed).text
        assert question.query.count('"m.') == len(re.findall(r'"m\.', renamed))


# Rows with queries


@pytest.fixture(scope="module")
def both(home: Path) -> tuple[Release, Release]:
    """A release of ours, and its questions as rows with their queries, imported."""
    release = Release.open(built("coast-structures") / "release")
    graphs = {
        key: release.file(f"kg/{name}.tsv.gz")
        for key, name in (("kg", "complete"), ("incomplete", "incomplete"))
    }
    return release, import_set(
        "plain", rows_of(release, home / "all.jsonl"), home / "plain", **graphs
    )


def test_execution_grades_answers_as_a_build_does(both):
    ours, made = ({q.id: q for q in one.questions()} for one in both)
    assert len(made) >= 5
    assert any(q.hard for q in made.values())
    for id_, q in made.items():
        own = ours[id_]
        assert q.block.executed == own.answers
        assert (q.stated, q.hard_answers, q.further) == (own.stated, own.hard_answers, own.further)
        assert [row.missing for row in q.hard] == [row.missing for row in own.hard]
        of_query = (own.full_evidence, own.relations, own.sparql)
        assert (q.full_evidence, q.relations, q.sparql) == of_query


@each("system", ["lookup", "neighbors", "neighbors:hops=2"])
def test_what_is_read_back_scores_the_same(both, system):
    # What is asked for is in the core first, where there is one; and sets of answers come by private id.
    left_out = {"hits_hard", "hits_at_1"}
    ours, made = (
        {
            id_: {name: value for name, value in row.items() if name not in left_out}
            for id_, row in scores_of(one, system).items()
        }
        for one in both
    )
    assert made == {id_: ours[id_] for id_ in made}
