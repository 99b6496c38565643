"""Cypher questions of others become a release that holds their graphs, is answered and is scored."""

from pathlib import Path

import pytest

from rulemine import Release, answer, evaluate, import_set
from rulemine.errors import ConfigError, InputError
from rulemine.importing.protocol import ImportedQuestion, ImportedSet
from rulemine.importing.registry import IMPORTS
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.simplekg import simplekg_of
from rulemine.release.records import Prediction


def graph_of(*towns: str) -> PropertyGraph:
    nodes = [
        {"eid": f"Town#{i}", "label": "Town", "name": name, "properties": {}}
        for i, name in enumerate(towns)
    ]
    schema = {"name": "towns", "entities": [{"label": "Town", "properties": {}}], "relations": []}
    return simplekg_of({"schema": schema, "entities": nodes, "relations": []}, "towns")


NAMES = "MATCH (n:Town) RETURN n.name"
COUNT = "MATCH (n:Town) RETURN count(n)"

QUESTIONS = [
    ImportedQuestion("a", "Which towns?", (), cypher=NAMES, graph="north", fields={"type": "list"}),
    ImportedQuestion("b", "How many towns?", ("[1]",), cypher=COUNT, graph="south"),
    ImportedQuestion("c", "How many towns up north?", (), cypher=COUNT, graph="north"),
]


def imported(
    monkeypatch: pytest.MonkeyPatch, folder: Path, questions: list[ImportedQuestion]
) -> Release:
    graphs = {"north": graph_of("Ayr", "Oban"), "south": graph_of("Deal")}
    found = ImportedSet("towns", "invented", questions, property_graphs=graphs)
    monkeypatch.setitem(IMPORTS.own, "towns", lambda: lambda path, kg, incomplete: found)  # type: ignore[index]
    return import_set("towns", folder / "none", folder / "out")


def test_each_question_is_run_on_its_own_graph(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    release = imported(monkeypatch, tmp_path, QUESTIONS)
    assert (release.kind, release.answers) == ("imported_cypher", "rows")
    assert list(release.named_graphs) == ["north", "south"]
    found = answer(release, "gold-cypher")
    assert [p.cypher for p in found] == [NAMES, COUNT, COUNT]
    report = evaluate(release, found)
    assert dict(zip(report.ids, report.scores[:, report.columns.index("ex")], strict=True)) == {
        "a": 1.0, "b": 1.0, "c": 1.0,
    }  # fmt: skip


def test_rows_are_those_of_the_source_or_of_its_cypher(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    release = imported(monkeypatch, tmp_path, QUESTIONS)
    given = [
        Prediction("a", rows=('["Oban"]', '["Ayr"]')),
        Prediction("b", cypher="MATCH (n:Town) RETURN 1"),
        Prediction("c", rows=("[1]",)),  # the number of the other graph
    ]
    report = evaluate(release, given)
    assert dict(zip(report.ids, report.scores[:, report.columns.index("ex")], strict=True)) == {
        "a": 1.0, "b": 1.0, "c": 0.0,
    }  # fmt: skip


def test_a_model_is_shown_the_schema_of_the_graph_of_each_question(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[tuple[int, list[str]]] = []

    class Looks:
        answers = ("rows",)

        def __call__(self, given, questions):  # type: ignore[no-untyped-def]
            seen.append((len(given.graph.nodes), [q.id for q in questions]))
            return [()] * len(questions)

    answer(imported(monkeypatch, tmp_path, QUESTIONS), Looks())
    assert seen == [(2, ["a", "c"]), (1, ["b"])]


def test_the_graphs_come_with_the_release(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from rulemine.evaluation.cypher.release_rows import CypherRuns

    release = imported(monkeypatch, tmp_path, QUESTIONS)
    with pytest.raises(ConfigError, match="has its graph"):
        evaluate(
            release, answer(release, "gold-cypher"), cypher=CypherRuns(graphs={"north": "demo"})
        )


def test_a_graph_that_is_named_must_be_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lost = [ImportedQuestion("a", "Which towns?", (), cypher=NAMES, graph="east")]
    with pytest.raises(InputError, match="question 'a' is about the graph 'east'"):
        imported(monkeypatch, tmp_path, lost)
