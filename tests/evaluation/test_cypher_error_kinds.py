"""Each kind of error, and each way in which the published score differs, on a small graph."""

import datetime
from typing import Any

import pytest

from rulemine.cypher.rows import Failed, NotRun, ResultTable
from rulemine.evaluation.cypher.error_kinds import ERROR_KINDS, Diagnosis
from rulemine.evaluation.cypher.judging import CypherJudge, GoldTable
from rulemine.evaluation.cypher.published_differences import (
    DIFFERENCES,
    PSJS_DIFFERENCES,
    difference,
    psjs_difference,
)
from rulemine.evaluation.cypher.runners import InMemoryRunner
from rulemine.kg.property_graph.graph import GraphEdge, GraphNode, PropertyGraph
from rulemine.kg.property_graph.schema import EntityType, Property, RelationType, Schema

SCHEMA = Schema(
    "coast",
    (
        EntityType("Town", (Property("size", "int"), Property("founded", "date"))),
        EntityType("Person", (Property("height", "float"), Property("tall", "bool"))),
    ),
    (
        RelationType("lives_in", "Person", "Town", (Property("start_year", "int"),)),
        RelationType("born_in", "Person", "Town"),
        RelationType("knows", "Person", "Person"),
    ),
)
TOWNS = [("Arden", 30, 1200), ("Bree", 20, 1450), ("Carn", 20, 1450), ("Dun", None, None)]
NODES = [
    GraphNode(
        f"t{n}", "Town", name, {"size": size, "founded": datetime.date(year, 5, 1)} if size else {}
    )
    for n, (name, size, year) in enumerate(TOWNS)
] + [
    GraphNode(f"p{n}", "Person", f"P{n}", {"height": 1.5 + n / 10, "tall": n > 3}) for n in range(8)
]
EDGES = [
    GraphEdge(f"e{n}-{relation}", relation, f"p{n}", f"t{(n + add) % 3}", more)
    for n in range(8)
    for relation, add, more in (("lives_in", 0, {"start_year": 2000}), ("born_in", 1, {}))
] + [GraphEdge(f"k{n}", "knows", f"p{n}", f"p{n + 1}") for n in range(7)]
RUNNER = InMemoryRunner(PropertyGraph(SCHEMA, NODES, EDGES))

PEOPLE = 'MATCH (n:Person)-[r0:lives_in]->(m0:Town {name: "Arden"}) WITH DISTINCT n RETURN n.name'
LARGEST = (
    "MATCH (n:Town) WITH DISTINCT n WHERE n.size IS NOT NULL RETURN n.name ORDER BY n.size DESC"
)
TALL = (
    'MATCH (n:Person)-[r0:lives_in]->(m0:Town {name: "Arden"}) WHERE n.height > 1.55 RETURN n.name'
)
NUMBER = "MATCH (n:Person)-[r0:lives_in]->(m0:Town) RETURN m0.name, count(n)"
KNOWN = "MATCH (n:Town)<-[r0:lives_in]-(m0:Person) WITH DISTINCT n RETURN n.name"


def kind_of(gold: str, predicted: Any, runner: Any = RUNNER) -> str:
    judge = CypherJudge(runner)
    table = judge.gold(gold)
    assert isinstance(table, GoldTable)
    scores, found = judge.judged(gold, table, predicted)
    return Diagnosis(runner).kind(gold, table, predicted, scores, found)


CASES = [
    ("missing", PEOPLE, None),
    ("refused", PEOPLE, "MATCH (n) SET n.name = 'x' RETURN n.name"),
    ("syntax", PEOPLE, "MATCH (n:Person RETURN n.name"),
    ("syntax", PEOPLE, "MATCH (n:Person) RETURN m.name"),
    ("runtime", PEOPLE, "MATCH (n:Person) RETURN n.height / 0 + 1 % 0"),
    ("type", PEOPLE, "MATCH (n:Human)-[:lives_in]->(:Town {name: 'Arden'}) RETURN n.name"),
    ("relation", PEOPLE, "MATCH (n:Person)-[:resides]->(:Town {name: 'Arden'}) RETURN n.name"),
    ("relation", PEOPLE, "MATCH (n:Person)-[:knows]->(:Town {name: 'Arden'}) RETURN n.name"),
    ("property", PEOPLE, "MATCH (n:Person)-[:lives_in]->(:Town {title: 'Arden'}) RETURN n.name"),
    ("property", PEOPLE, "MATCH (n:Person)-[r:lives_in]->(:Town {name: 'Arden'}) "
     "WHERE r.since > 1 RETURN n.name"),
    ("direction", PEOPLE, "MATCH (n:Person)<-[:lives_in]-(:Town {name: 'Arden'}) RETURN n.name"),
    ("name", PEOPLE, "MATCH (n:Person)-[:lives_in]->(:Town {name: 'Ardenn'}) RETURN n.name"),
    ("name", PEOPLE, "MATCH (n:Person)-[:lives_in]->(t:Town) WHERE t.name = 'Ardenn' RETURN n.name"),
    ("columns", PEOPLE, PEOPLE.replace("n.name", "n.height, n.name")),
    ("columns", NUMBER, "MATCH (n:Person)-[:lives_in]->(m:Town) RETURN DISTINCT m.name"),
    ("duplicates", KNOWN, "MATCH (n:Town)<-[:lives_in]-(m0:Person) RETURN n.name"),
    ("order", LARGEST, LARGEST.replace("DESC", "ASC")),
    ("order", LARGEST + " LIMIT 1", LARGEST.replace("DESC", "ASC") + " LIMIT 1"),
    ("relation", PEOPLE, PEOPLE.replace("lives_in", "born_in")),
    ("type", LARGEST, "MATCH (n:Person) RETURN n.name"),
    ("filter", TALL, TALL.replace("1.55", "1.85")),
    ("filter", LARGEST, "MATCH (n:Town) RETURN n.name ORDER BY n.size DESC"),
    ("property", TALL, TALL.replace("n.height > 1.55", "n.tall")),
    ("grouping", NUMBER, "MATCH (n:Person)-[:lives_in]->(m:Town) RETURN m.name, count(DISTINCT m)"),
    ("property", PEOPLE, PEOPLE.replace("RETURN n.name", "RETURN n.height")),
    ("pattern", PEOPLE, "MATCH (n:Person)-[:lives_in]->(:Town {name: 'Arden'}), "
     "(n)-[:knows]->(:Person)-[:born_in]->(:Town {name: 'Arden'}) RETURN n.name"),
    ("pattern", PEOPLE, PEOPLE.replace("RETURN n.name", "RETURN n.name + '!'")),
    ("", PEOPLE, "match (t:Town {name: 'Arden'})<-[:lives_in]-(n) return n.name"),
    ("columns", PEOPLE, [["P0", 1], ["P3", 1], ["P6", 1]]),
    ("unread", PEOPLE, [["P0"], ["P3"], ["P5"]]),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "gold", "predicted"), CASES)
def test_the_first_kind_that_applies(kind: str, gold: str, predicted: Any) -> None:
    assert kind_of(gold, predicted) == kind


def test_every_kind_is_tried() -> None:
    assert {kind for kind, _, _ in CASES} | {"limit"} == {*ERROR_KINDS, ""}


def test_what_takes_too_long_or_is_not_read() -> None:
    class Late:
        def __init__(self, answer: Failed | NotRun) -> None:
            self.answer = answer

        def rows(self, query: str) -> ResultTable | Failed | NotRun:
            return self.answer if "Late" in query else RUNNER.rows(query)

    late = "MATCH (n:Late) RETURN n.name"
    assert kind_of(PEOPLE, late, Late(Failed("TimedOut", "no"))) == "limit"
    code = "Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration"
    assert kind_of(PEOPLE, late, Late(Failed(code, "no"))) == "limit"
    assert kind_of(PEOPLE, late, Late(NotRun("no"))) == ""


@pytest.mark.parametrize(
    ("why", "gold", "predicted"),
    [
        ("tie", "MATCH (n:Town) WHERE n.size IS NOT NULL RETURN n.name ORDER BY n.size LIMIT 1", [["Carn"]]),
        ("equal keys", LARGEST, [["Arden"], ["Carn"], ["Bree"]]),
        ("inner order", "MATCH (n:Town) WITH n ORDER BY n.name RETURN n.name",
         [["Dun"], ["Carn"], ["Bree"], ["Arden"]]),
        ("close", "RETURN 0.3", [[0.1 + 0.2]]),
        ("unseen order", LARGEST.replace("ORDER BY", "ORDER  BY"), [["Carn"], ["Bree"], ["Arden"]]),
        ("boolean", "RETURN true", [[1]]),
        ("", LARGEST, [["Arden"], ["Bree"]]),
    ],
)  # fmt: skip
def test_why_the_published_score_differs(why: str, gold: str, predicted: list[Any]) -> None:
    judge = CypherJudge(RUNNER)
    table = judge.gold(gold)
    assert isinstance(table, GoldTable)
    if why == "tie":
        assert [*table.rows] == [("Bree",)]
    scores, found = judge.judged(gold, table, predicted)
    assert found is not None
    assert difference(gold, table, found, scores) == why
    assert why in (*DIFFERENCES, "")


TWO = "MATCH (n:Person)-[:lives_in]->(m:Town) RETURN n.name, m.name"
COUNTED = "MATCH (n:Person)-[:lives_in]->(:Town {name: 'Arden'}) RETURN n.name"


@pytest.mark.parametrize(
    ("why", "gold", "predicted", "scores"),
    [
        ("", TWO, TWO.replace("m", "t"), (1.0, 1.0)),
        ("", TWO, "MATCH (n:Person) RETURN n.name", (8 / 11, 8 / 11)),
        ("nothing bound", TWO.replace("Town", "Village"), "MATCH (n:Person) RETURN n", (None, 0.0)),
        ("no Cypher", TWO, TWO.replace("RETURN", "RETURN RETURN"), (0.0, 1.0)),
        ("lower case", TWO, TWO.replace("MATCH", "match"), (1.0, 0.0)),
        ("lower case", TWO, TWO.replace("RETURN", "return"), (1.0, 0.0)),
        ("first clause", TWO, f"OPTIONAL {TWO}", (1.0, 0.0)),
        ("first clause", TWO, f"UNWIND [1] AS one {TWO}", (1.0, 0.0)),
        ("nodes", COUNTED, COUNTED.replace(":Town ", ""), (1.0, 3 / 4)),
        ("nodes", COUNTED, COUNTED.replace(":Town ", "m "), (1.0, 3 / 4)),
        ("nodes", COUNTED, COUNTED.replace(":Town", ":`Town`"), (1.0, 3 / 4)),
        ("other", f"{TWO} UNION {TWO}", f"CALL {{ {TWO} AS x }} {TWO}", (1.0, 0.0)),
    ],
)  # fmt: skip
def test_why_psjs_as_published_differs(
    why: str, gold: str, predicted: str, scores: tuple[float | None, float]
) -> None:
    judge = CypherJudge(RUNNER)
    found, _ = judge.judged(gold, judge.gold(gold), predicted)
    assert (found.psjs, found.psjs_published) == scores
    assert psjs_difference(gold, predicted, found) == (why if scores[0] != scores[1] else "")
    assert why in (*PSJS_DIFFERENCES, "")


def test_the_two_cases_of_the_paper() -> None:
    arms = [
        f'MATCH (n:Person)-[:lives_in]->(:Town {{name: "{name}"}}) RETURN n'
        for name in ("Arden", "Bree")
    ]
    gold = f"CALL {{ {' UNION '.join(arms)} }} WITH DISTINCT n RETURN n.name"
    judge = CypherJudge(RUNNER)
    one_arm, _ = judge.judged(gold, judge.gold(gold), f"{arms[0]}.name")
    assert (one_arm.ex, one_arm.psjs, one_arm.psjs_edges) == (0.0, 4 / 8, 3 / 6)
    wider, _ = judge.judged(
        PEOPLE, judge.gold(PEOPLE), PEOPLE.replace("n.name", "n.name, n.height")
    )
    assert (wider.ex, wider.psjs, wider.psjs_edges, wider.executable) == (0.0, 1.0, 1.0, 1.0)
