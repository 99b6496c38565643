"""One prediction against one gold query: states, zero cases, ties, order."""

from dataclasses import replace
from typing import Any

from rulemine.cypher.rows import Failed, NotRun, ResultTable
from rulemine.evaluation.cypher.judging import (
    CypherJudge,
    CypherScores,
    GoldTable,
    provenance_similarity,
)
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


def test_the_same_text_is_right_without_being_run():
    for bound, psjs, edges, binds in (
        ([("node", "a")], 1.0, None, "nodes"), ([("node", "a"), ("edge", "b")], 1.0, 1.0, "edges"),
        (Failed("TimedOut", "y"), None, None, "late"), (NotRun("x"), None, None, ""),
    ):  # fmt: skip
        runner = Scripted(("elementId", bound))
        found = CypherJudge(runner).judged(GOLD, GoldTable([("a",)]), f" {GOLD}\n")
        same = CypherScores("same", 1.0, 1.0, psjs, 1.0, edges, 1.0, 1, 1, binds, ex_columns=1.0)
        assert found == (same, None)
        assert GOLD not in runner.asked
    # It is run where the gold is of another graph.
    runner = Scripted(("elementId", [("node", "a")]), (GOLD, [("b",)]))
    found, _ = CypherJudge(runner).judged(GOLD, GoldTable([("a",)]), GOLD, elsewhere=True)
    other = CypherScores("run", 0.0, 0.0, 1.0, 1.0, None, 1.0, 1, 1, "nodes", ex_columns=0.0)
    assert found == other


def test_predictions_without_a_result():
    for answer, state, psjs in (
        (Failed("Neo.ClientError.Statement.SyntaxError", "no"), "failed", 0.5),
        (Failed("Neo.ClientError.Transaction.TimedOut", "no"), "failed", 0.0),
        (NotRun("it has SHORTEST"), "not run", 0.0),
    ):
        runner = Scripted(
            ("AS ids", [("a",)]), ("p = (m", [("node", "a")]), ("elementId", [("node", "a"), ("node", "b")]),
            ("RETURN m", answer), ("Town", [("a",)]),
        )  # fmt: skip
        found = judged(runner, "MATCH (m:Town) RETURN m.name + 1")
        assert (found.state, found.rows, found.psjs, found.psjs_edges) == (state, 1, psjs, None)
        assert (found.ex, found.ex_published, found.executable) == (0.0, 0.0, 0.0)
        assert found.scored, "a question counts in every mean, whatever is predicted"
        assert found.said


def test_what_would_write_is_refused_and_never_sent():
    runner = BoltRunner(None)
    for query in (
        "MATCH (n) DETACH DELETE n", "LOAD CSV FROM 'file:///x' AS row RETURN row", "CALL db.labels()",
        "MATCH (n)-[:X]->{1,2}(m) CALL db.labels() YIELD label RETURN label", "SHOW DATABASES",
    ):  # fmt: skip
        assert runner.rows(query).code.startswith("refused")
    assert refusal("MATCH SHORTEST 1 (n)-->(m) WHERE n.name = 'LOAD CSV' RETURN n") is None


def test_a_gold_that_fails_is_an_error_of_the_data():
    for answer, state in ((Failed("X", "why"), "gold failed"), (NotRun("why"), "gold not run")):
        found = judged(Scripted(("Town", answer)), "MATCH (m) RETURN m.name")
        assert (found.state, found.scored, found.ex) == (state, False, None)
        assert found.said.endswith("why")


def test_no_prediction_is_wrong_and_a_table_has_no_provenance():
    town = ("Town", [("a",)])
    nothing = CypherScores("missing", 0, 0, None, 0, None, 0, 1, 1, "nothing", ex_columns=0)
    assert nothing.scored, "a question without a prediction counts in every mean"
    for predicted in (None, ""):
        assert judged(Scripted(("elementId", []), town), predicted) == nothing
    runner = Scripted(("AS ids", []), ("elementId", [("node", "a")]), town)
    assert judged(runner, None) == replace(nothing, psjs=0.0, binds="nodes")
    table = CypherScores("rows", 1.0, 1.0, rows=1, columns=1, ex_columns=1.0)
    assert judged(runner, [["a"]]) == table


def test_columns_beside_the_golds():
    two = [("a",), ("b",)]
    for gold, rows, scores in (
        (two, [[1, "b"], [2, "a"]], (0.0, 1.0)),  # a column more, and another order
        (two, [["b"], ["a"]], (1.0, 1.0)),
        (two, [[1, "b"], [2, "b"]], (0.0, 0.0)),
        (two, [["a", 1], ["a", 1], ["b", 2]], (0.0, 0.0)),  # a row more
        ([("a", 1)], [["a"]], (0.0, 0.0)),  # a column less
    ):
        found, _ = CypherJudge(Scripted()).judged(GOLD, GoldTable(gold), rows)
        assert (found.ex, found.ex_columns) == scores
    # They keep its order.
    right = [(1, "a"), (2, "b")]
    for end, rows, score in (
        (" ORDER BY n.k", right, 1),
        (" ORDER BY n.k DESC", right[::-1], 0),
        ("", right, 0),
    ):
        query = f"MATCH (n) RETURN n.k, n.name{end}"
        judge = CypherJudge(Scripted((query, rows), ("", [])))
        table = GoldTable(two, keys=[1, 2])
        assert judge.judged(GOLD, table, query)[0].ex_columns == score


def test_each_of_the_greatest_is_right():
    runner = Scripted(
        ("key 0", [("a", 3), ("b", 3), ("c", 2)]), ("elementId", []),
        ("'b'", [("b",)]), ("'c'", [("c",)]), (GOLD, [("a",)]),
    )  # fmt: skip
    for name, ours in (("b", 1.0), ("c", 0.0)):
        found = judged(runner, f"MATCH (m {{name: '{name}'}}) RETURN m.name")
        assert (found.ex, found.ex_published) == (ours, 0.0)


def test_rows_with_equal_keys_come_in_any_order_and_else_in_that_of_the_gold():
    gold = "MATCH (n) RETURN n.name ORDER BY n.a, n.b"
    keyed = [("a", 1, 2), ("b", 1, 2), ("c", 2, 1)]
    rows = [("b",), ("a",), ("c",)]
    given = [("elementId", []), (gold, rows), ("tied", rows), ("wrong", [("a",), ("c",), ("b",)])]
    for name, ours in (("tied", 1.0), ("wrong", 0.0)):
        query = f"MATCH ({name}) RETURN {name}.name ORDER BY 1"
        assert judged(Scripted(("key 0", keyed), *given), query, gold).ex == ours
    given[2] = ("tied", [("a",), ("b",), ("c",)])  # the keys cannot be had
    failed = Scripted(("key 0", Failed("x", "y")), *given)
    assert judged(failed, "MATCH (tied) RETURN tied.name", gold).ex == 0.0


def test_nothing_bound_scores_nothing_and_what_the_gold_does_not_bind_counts_against_a_query():
    assert provenance_similarity([], []) == provenance_similarity(["a"], []) == 0.0
    assert provenance_similarity(["a", "a"], ["a"]) == 1.0
    assert provenance_similarity(["a"], ["a", "b", "c", "d"]) == 1 / 4
