"""One prediction against one gold query: states, zero cases, ties, order."""

from dataclasses import replace
from typing import Any

import pytest

from rulemine.cypher.rows import Failed, NotRun, ResultTable
from rulemine.evaluation.cypher.judging import CypherJudge, CypherScores, GoldTable
from rulemine.evaluation.cypher.release_rows import ScoredQuery, notes_on_queries
from rulemine.evaluation.cypher.runners import BoltRunner, refusal

Answer = ResultTable | Failed | NotRun

GOLD = "MATCH (n:Town) RETURN n.name ORDER BY n.founded DESC LIMIT 1"


class Scripted:
    """Gives rows by what a query contains; what binds nodes and edges is asked with elementId."""

    def __init__(self, *answers: tuple[str, Answer | list[tuple[Any, ...]]]) -> None:
        self.answers, self.asked = answers, list[str]()

    def rows(self, query: str) -> Answer:
        self.asked.append(query)
        found = next((found for part, found in self.answers if part in query), [])
        return ResultTable(("x",), found) if isinstance(found, list) else found


def judged(runner: Scripted, predicted: Any, gold: str = GOLD) -> CypherScores:
    judge = CypherJudge(runner)
    return judge.judged(gold, judge.gold(gold), predicted)[0]


@pytest.mark.parametrize(
    ("bound", "psjs", "edges", "binds"),
    [
        ([("node", "a")], 1.0, None, "nodes"),
        ([("node", "a"), ("edge", "b")], 1.0, 1.0, "edges"),
        (Failed("TimedOut", "y"), None, None, "late"),
        (NotRun("x"), None, None, ""),
    ],
)
def test_the_same_text_is_right_without_being_run(
    bound: Any, psjs: float | None, edges: float | None, binds: str
) -> None:
    runner = Scripted(("elementId", bound))
    judge = CypherJudge(runner)
    table = GoldTable([("a",)])
    found, result = judge.judged(GOLD, table, f" {GOLD}\n")
    assert found == CypherScores(
        "same", 1.0, 1.0, psjs, 1.0, edges, 1.0, 1, 1, binds, ex_columns=1.0
    )
    assert result is None
    assert GOLD not in runner.asked


def test_a_gold_that_takes_too_long_is_not_said_to_bind_nothing() -> None:
    some = [CypherScores("run", 1.0, rows=1, binds=binds) for binds in ("late", "nothing", "edges")]
    asked = [ScoredQuery("q1", GOLD, one) for one in some]
    left_out, *others = notes_on_queries(asked, on_server=False)
    assert left_out.startswith("1 question of which what the gold binds takes too long")
    assert [note.split(":")[0] for note in others] == [
        "1 question of which the gold binds no node on this graph",
        "1 question of which the gold binds no edge on this graph",
    ]


def test_the_same_text_is_run_where_the_gold_is_of_another_graph() -> None:
    runner = Scripted(("elementId", [("node", "a")]), (GOLD, [("b",)]))
    found, _ = CypherJudge(runner).judged(GOLD, GoldTable([("a",)]), GOLD, elsewhere=True)
    assert found == CypherScores(
        "run", 0.0, 0.0, 1.0, 1.0, None, 1.0, 1, 1, "nodes", ex_columns=0.0
    )


@pytest.mark.parametrize(
    ("answer", "state", "scores"),
    [
        (Failed("Neo.ClientError.Statement.SyntaxError", "no"), "failed", (0.0, 0.0, 0.5, None, 0.0)),
        (Failed("Neo.ClientError.Transaction.TimedOut", "no"), "failed", (0.0, 0.0, 0.0, None, 0.0)),
        (NotRun("it has SHORTEST"), "not run", (0.0, 0.0, 0.0, None, 0.0)),
    ],
)  # fmt: skip
def test_predictions_without_a_result(
    answer: Answer, state: str, scores: tuple[float | None, ...]
) -> None:
    runner = Scripted(
        ("AS ids", [("a",)]), ("p = (m", [("node", "a")]), ("elementId", [("node", "a"), ("node", "b")]),
        ("RETURN m", answer), ("Town", [("a",)]),
    )  # fmt: skip
    found = judged(runner, "MATCH (m:Town) RETURN m.name + 1")
    assert (found.state, found.rows) == (state, 1)
    assert (
        found.ex, found.ex_published, found.psjs, found.psjs_edges, found.executable,
    ) == scores  # fmt: skip
    assert found.scored, "a question counts in every mean, whatever is predicted"
    assert found.said


def test_what_would_write_is_refused_and_never_sent() -> None:
    class Untouched:
        def rows(self, query: str, seconds: float, most: int) -> Answer:
            raise AssertionError(query)

    runner = BoltRunner(Untouched())  # type: ignore[arg-type]
    for query in (
        "MATCH (n) DETACH DELETE n",
        "LOAD CSV FROM 'file:///x' AS row RETURN row",
        "CALL db.labels()",
        "MATCH (n)-[:X]->{1,2}(m) CALL db.labels() YIELD label RETURN label",
        "SHOW DATABASES",
    ):
        found = runner.rows(query)
        assert isinstance(found, Failed)
        assert found.code.startswith("refused")
    assert refusal("MATCH SHORTEST 1 (n)-->(m) WHERE n.name = 'LOAD CSV' RETURN n") is None


def test_a_gold_that_fails_is_an_error_of_the_data() -> None:
    found = judged(Scripted(("Town", Failed("X", "why"))), "MATCH (m) RETURN m.name")
    assert (found.state, found.said, found.scored, found.ex) == (
        "gold failed",
        "X: why",
        False,
        None,
    )
    found = judged(Scripted(("Town", NotRun("what"))), "MATCH (m) RETURN m.name")
    assert (found.state, found.scored) == ("gold not run", False)


def test_no_prediction_is_wrong_and_a_table_has_no_provenance() -> None:
    runner = Scripted(("Town", [("a",)]))
    nothing = CypherScores(
        "missing", 0.0, 0.0, None, 0.0, None, 0.0, 1, 1, "nothing", ex_columns=0.0
    )
    assert nothing.scored, "a question without a prediction counts in every mean"
    assert judged(Scripted(("elementId", []), ("Town", [("a",)])), None) == nothing
    assert judged(Scripted(("elementId", []), ("Town", [("a",)])), "") == nothing
    runner = Scripted(("AS ids", []), ("elementId", [("node", "a")]), ("Town", [("a",)]))
    assert judged(runner, None) == replace(nothing, psjs=0.0, binds="nodes")
    assert judged(runner, [["a"]]) == CypherScores(
        "rows", 1.0, 1.0, rows=1, columns=1, ex_columns=1.0
    )


@pytest.mark.parametrize(
    ("gold", "rows", "scores"),
    [
        ([("a",), ("b",)], [[1, "b"], [2, "a"]], (0.0, 1.0)),  # a column more, and another order
        ([("a",), ("b",)], [["b"], ["a"]], (1.0, 1.0)),
        ([("a",), ("b",)], [[1, "b"], [2, "b"]], (0.0, 0.0)),
        ([("a",), ("b",)], [["a", 1], ["a", 1], ["b", 2]], (0.0, 0.0)),  # a row more
        ([("a", 1)], [["a"]], (0.0, 0.0)),  # a column less
    ],
)
def test_columns_beside_the_golds(
    gold: list[Any], rows: list[Any], scores: tuple[float, float]
) -> None:
    found, _ = CypherJudge(Scripted()).judged(GOLD, GoldTable(gold), rows)
    assert (found.ex, found.ex_columns) == scores


def test_columns_beside_the_golds_keep_its_order() -> None:
    def judged_as(query: str, rows: list[Any]) -> float | None:
        judge = CypherJudge(Scripted((query, rows), ("", [])))
        table = GoldTable([("a",), ("b",)], keys=[1, 2])
        return judge.judged(GOLD, table, query)[0].ex_columns

    right = [(1, "a"), (2, "b")]
    assert judged_as("MATCH (n) RETURN n.k, n.name ORDER BY n.k", right) == 1.0
    assert judged_as("MATCH (n) RETURN n.k, n.name ORDER BY n.k DESC", right[::-1]) == 0.0
    assert judged_as("MATCH (n) RETURN n.k, n.name", right) == 0.0  # the order is chance


def test_each_of_the_greatest_is_right() -> None:
    runner = Scripted(
        ("key 0", [("a", 3), ("b", 3), ("c", 2)]), ("elementId", []),
        ("'b'", [("b",)]), ("'c'", [("c",)]), (GOLD, [("a",)]),
    )  # fmt: skip
    for name, ours in (("b", 1.0), ("c", 0.0)):
        found = judged(runner, f"MATCH (m {{name: '{name}'}}) RETURN m.name")
        assert (found.ex, found.ex_published) == (ours, 0.0)


def test_rows_with_equal_keys_come_in_any_order() -> None:
    gold = "MATCH (n) RETURN n.name ORDER BY n.a, n.b"
    keyed = [("a", 1, 2), ("b", 1, 2), ("c", 2, 1)]
    runner = Scripted(
        ("key 0", keyed), ("elementId", []), (gold, [("b",), ("a",), ("c",)]),
        ("tied", [("b",), ("a",), ("c",)]), ("wrong", [("a",), ("c",), ("b",)]),
    )  # fmt: skip
    for name, ours in (("tied", 1.0), ("wrong", 0.0)):
        assert judged(runner, f"MATCH ({name}) RETURN {name}.name ORDER BY 1", gold).ex == ours


def test_order_is_strict_where_the_keys_cannot_be_had() -> None:
    gold = "MATCH (n) RETURN n.name ORDER BY n.a"
    runner = Scripted(
        ("key 0", Failed("x", "y")), ("elementId", []), (gold, [("a",), ("b",)]),
        ("turned", [("b",), ("a",)]),
    )  # fmt: skip
    assert judged(runner, "MATCH (turned) RETURN turned.name", gold).ex == 0.0
