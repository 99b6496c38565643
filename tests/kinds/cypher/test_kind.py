"""The kind ``cypher`` from a graph to a release, in every naming."""

import csv
import datetime
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rulemine.builder.pipeline import Build
from rulemine.cli.main import main
from rulemine.cypher import evaluate
from rulemine.cypher.questions.pattern_text import query_of
from rulemine.cypher.rows import row_text
from rulemine.errors import ConfigError, InputError
from rulemine.evaluation import evaluate as score_predictions
from rulemine.evaluation.cypher.release_rows import CypherRuns
from rulemine.evaluation.reporting.documents import SystemRun, document_of_run
from rulemine.evaluation.scorer import Scorer
from rulemine.evaluation.study.plan import read_plan
from rulemine.evaluation.study.run import StudyFolder
from rulemine.kg.property_graph.graph import GraphEdge, GraphNode, PropertyGraph
from rulemine.kg.property_graph.simplekg import write_simplekg
from rulemine.recipe.loading import load_recipe
from rulemine.release.contents import read_parts
from rulemine.release.reader import Release
from rulemine.release.records import Prediction
from rulemine.release.writer import write_release
from tests.kinds.cypher.graphs import schema_of

PEOPLE, TOWNS = 48, 6
NAMES = ('O"Neil\\', "it's", "two\nlines", "`x`", "{topic}", "the Ha\u0301gue")


def _graph(id_of_a_town: str = "t") -> PropertyGraph:
    """People who know each other in both directions, and live in towns whose codes they have."""
    schema = schema_of(
        "Person(born date, code str) Town(code str, size int)",
        "knows Person Person, known_by Person Person, lives_in Person Town",
    )
    nodes = [
        GraphNode(f"{id_of_a_town}{n}", "Town", NAMES[n], {"code": f"K{n}", "size": 100 * n})
        for n in range(TOWNS)
    ]
    edges = []
    for n in range(PEOPLE):
        own = {"born": datetime.date(1900 + n, 1, 1)} if n % 5 else {}
        own |= {"code": f"K{n % TOWNS}"}
        nodes.append(GraphNode(f"p{n}", "Person", NAMES[n % len(NAMES)], own))
        edges.append(GraphEdge(f"l{n}", "lives_in", f"p{n}", f"{id_of_a_town}{n % TOWNS}"))
        for step in (1, 7):
            other = f"p{(n + step) % PEOPLE}"
            edges.append(GraphEdge(f"k{n}-{step}", "knows", f"p{n}", other))
            edges.append(GraphEdge(f"b{n}-{step}", "known_by", other, f"p{n}"))
    return PropertyGraph(schema, nodes, edges)


def _built(folder: Path, graph: PropertyGraph, target: str = "release") -> Release:
    write_simplekg(graph, folder / "graph.json")
    (folder / "templates.toml").write_text(  # which declare nothing
        '[lives_in]\nstatement = "{subject} lives in {object}"\nask_subject = "Who lives in {topic}?"\n'
        'ask_object = "Where does {topic} live?"\n'
    )
    settings = {
        ("name",): "towns", ("kind",): "cypher", ("naming",): "text", ("cypher", "per_template"): 6,
        ("selection", "levels"): [50, 100],
        ("mining", "min_initial_support"): 10, ("questions", "restated"): True,
        ("questions", "templates"): str(folder / "templates.toml"),
    }  # fmt: skip
    recipe = load_recipe(str(folder / "graph.json"), list(settings.items()))
    Build(recipe, folder / target).run()
    return Release.open(folder / target)


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return _built(tmp_path_factory.mktemp("towns"), _graph())


def test_rows_are_those_of_the_graphs_at_every_level(release: Release) -> None:
    graphs = {level: release.property_graph(f"incomplete-{level}") for level in (0, 50, 100)}
    changed = 0
    for question in release.questions():
        block, query = question.block, query_of(question.query)
        rows = Counter(block.rows)
        assert rows == Counter(map(row_text, evaluate(graphs[0], query).rows))
        for change in block.levels:
            there = evaluate(graphs[change.level], query)
            found, tied = Counter(map(row_text, there.rows)), set(map(row_text, there.tied))
            if not {*block.tied} & tied:
                assert rows - found == Counter(change.lost)
                assert found - rows == Counter(change.spurious)
        assert {*question.answers} == {*block.rows} == {*question.stated, *question.hard_answers}
        assert {*question.hard_answers} == {*block.levels[-1].lost}
        changed += block.changed
    assert changed > len(release.questions()) / 4
    assert {q.shape for q in release.questions()} >= {"(n)", "(n*)", "(n)->(m0*)", "(n*),(m0*)"}
    assert release.removals()


def test_scores_are_those_that_the_records_say(release: Release) -> None:
    scorer = Scorer(release, split=None, sample=30, resamples=2)
    asked = list(scorer.questions)
    gold = [Prediction(q.id, cypher=q.block.cypher) for q in asked]
    for kg, at in (("incomplete-50", 0), ("incomplete", 1)):
        report = scorer(gold, kg=kg)
        changes = [q.block.levels[at] for q in asked]
        same = [not (change.lost or change.spurious) for change in changes]
        assert report.overall["ex"].value == pytest.approx(sum(same) / len(asked))
        assert report.overall["executable"].value == 1.0
        assert report.row("changed", "changed").scores["ex"].value == 0.0
        assert report.row("changed", "unchanged").n == sum(same)
        # What the graph states is no lost row; a row that comes back by another way may be.
        assert report.overall["row_hhr"].value == 0.0
        assert report.overall["hits_hard"].value == 0.0
    report = scorer(gold, kg="complete")
    lost = sum(len(q.block.levels[1].lost) for q in asked)
    given = sum(len(q.block.rows) for q in asked)
    assert report.overall["row_hhr"].value == pytest.approx(lost / given)
    assert report.overall["ex"].value == report.overall["hard_f1"].value == 1.0
    rows = [Prediction(q.id, rows=q.block.rows) for q in asked]
    tables = scorer(rows)
    assert tables.overall["ex"].value == tables.overall["f1"].value == 1.0
    assert tables.overall["psjs"].value is tables.overall["executable"].value is None
    document = document_of_run(release, SystemRun("rows", "incomplete", rows, tables))
    assert {row.outcomes[0].verdict for row in document.questions} == {"hard", "right"}


def test_the_gold_binds_all_that_it_binds_on_every_graph(release: Release, tmp_path: Path) -> None:
    scorer = Scorer(release, split=None, sample=60, resamples=1)
    asked = list(scorer.questions)
    gold = [Prediction(q.id, cypher=q.block.cypher) for q in asked]
    spaced = [replace(p, cypher=f"{p.cypher};") for p in gold]
    for kg in ("complete", "incomplete-50", "incomplete"):
        for given in (gold, spaced):
            report = scorer(given, kg=kg)
            at = [report.columns.index(name) for name in ("psjs", "psjs_edges")]
            assert report.overall["psjs"].value == report.overall["psjs_edges"].value == 1.0
            unbound = int(np.isnan(report.scores[:, at[0]]).sum())
            assert (unbound > 0) == (kg != "complete")
            told = [int(note.split()[0]) for note in report.notes if "binds no" in note]
            of_edges = int(np.isnan(report.scores[:, at[1]]).sum())
            assert told == [number for number in (unbound, of_edges) if number]
    # The same in a file of questions, on a graph in a file.
    ours = scorer(spaced, kg="incomplete")
    write_simplekg(release.property_graph("incomplete"), tmp_path / "graph.json")
    for name, rows in (
        ("tasks.jsonl", [{"id": q.id, "cypher": q.block.cypher} for q in asked]),
        ("given.jsonl", [{"id": p.id, "cypher": p.cypher} for p in spaced]),
    ):
        (tmp_path / name).write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    graph, out = tmp_path / "graph.json", tmp_path / "out.csv"
    given = (tmp_path / name for name in ("tasks.jsonl", "given.jsonl"))
    command = ["evaluate", *given, "--graph", graph, "--format", "questions", "-o", out]
    assert main(list(map(str, command))) == 0
    with out.open(encoding="utf-8", newline="") as file:
        theirs = {row["id"]: row for row in csv.DictReader(file)}
    for name in ("psjs", "psjs_published", "psjs_edges", "executable"):
        column = ours.scores[:, ours.columns.index(name)].tolist()
        told_there = [theirs[id_][name] for id_ in ours.ids]
        assert ["" if np.isnan(value) else repr(value) for value in column] == told_there


def test_what_rows_cannot_be_scored_by(release: Release, tmp_path: Path) -> None:
    one = [Prediction(release.questions()[0].id, rows=())]
    refused: list[tuple[dict[str, Any], str]] = [
        ({"matching": "ids"}, "--matching: is for answers that are entities"),
        ({"metrics": "rog"}, "--metrics"),
        ({"naming": "private"}, "queries are run in the naming of the release, text"),
        ({"cypher": CypherRuns({"": "bolt://127.0.0.1:1"}, neo4j=True)}, "Leave one out"),
    ]
    for options, said in refused:
        with pytest.raises(ConfigError, match=said):
            score_predictions(release, one, split=None, **options)
    for given in ({"namings": ["text", "private"]}, {"matching": "ids"}):
        plan = read_plan(release.path, {"systems": ["gold-cypher"], "levels": [0, 100], **given})
        with pytest.raises(ConfigError, match="metrics: the answers of this release are rows"):
            StudyFolder(plan, tmp_path / "study")


def test_every_naming_and_back_gives_the_same_files(release: Release, tmp_path: Path) -> None:
    parts = read_parts(release)
    for naming in ("private", "entity", "numeric"):
        write_release(tmp_path / naming, parts, naming)
        there = Release.open(tmp_path / naming)
        assert there.identity == release.identity
        write_release(tmp_path / f"{naming} back", read_parts(there), "text")
        for name, row in release.manifest["files"].items():
            back = Release.open(tmp_path / f"{naming} back").manifest["files"][name]
            assert back["sha256"] == row["sha256"], name
    private = Release.open(tmp_path / "private")
    names = {node.name for node in private.property_graph("complete").nodes}
    assert names == {row.private for row in private.entities}
    assert not any("Neil" in q.question + q.block.cypher for q in private.questions())


def test_the_order_of_nodes_and_edges_does_not_matter(release: Release, tmp_path: Path) -> None:
    graph = _graph()
    turned = PropertyGraph(graph.schema, reversed(graph.nodes), reversed(graph.edges))
    again = _built(tmp_path, turned)
    assert again.manifest["files"] == release.manifest["files"]


def test_ids_that_no_table_can_hold_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"6 nodes with a tab or line end in the id, e.g. 't\\t0'"):
        _built(tmp_path, _graph("t\t"))
