"""Cypher questions of others become a release that holds their graphs, is answered and is scored."""

import pytest

from rulemine import answer, evaluate
from rulemine.errors import ConfigError, InputError
from rulemine.evaluation.cypher.release_rows import CypherRuns
from rulemine.evaluation.scorer import Report
from rulemine.importing.protocol import ImportedQuestion
from rulemine.release.records import Prediction
from tests.importing.conftest import COUNT, NAMES, cypher_release


def execution(report: Report) -> dict[str, float]:
    return dict(zip(report.ids, report.scores[:, report.columns.index("ex")], strict=True))


def test_each_question_is_run_on_its_own_graph(towns):
    assert (towns.kind, towns.answers) == ("imported_cypher", "rows")
    assert list(towns.named_graphs) == ["north", "south"]
    found = answer(towns, "gold-cypher")
    assert [p.cypher for p in found] == [NAMES, COUNT, COUNT]
    assert execution(evaluate(towns, found)) == {"a": 1.0, "b": 1.0, "c": 1.0}
    with pytest.raises(ConfigError, match="has its graph"):
        evaluate(towns, found, cypher=CypherRuns(graphs={"north": "demo"}))


def test_rows_are_those_of_the_source_or_of_its_cypher(towns):
    given = [
        Prediction("a", rows=('["Oban"]', '["Ayr"]')),
        Prediction("b", cypher="MATCH (n:Town) RETURN 1"),
        Prediction("c", rows=("[1]",)),  # the number of the other graph
    ]
    assert execution(evaluate(towns, given)) == {"a": 1.0, "b": 1.0, "c": 0.0}


def test_a_model_is_shown_the_schema_of_the_graph_of_each_question(towns):
    seen: list[tuple[int, list[str]]] = []

    class Looks:
        answers = ("rows",)

        def __call__(self, given, questions):
            seen.append((len(given.graph.nodes), [q.id for q in questions]))
            return [()] * len(questions)

    answer(towns, Looks())
    assert seen == [(2, ["a", "c"]), (1, ["b"])]


def test_a_graph_that_is_named_must_be_there(tmp_path):
    lost = ImportedQuestion("a", "Which towns?", (), cypher=NAMES, graph="east")
    with pytest.raises(InputError, match="question 'a' is about the graph 'east'"):
        cypher_release(tmp_path / "out", lost)
