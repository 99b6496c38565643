"""Each kind of error, and each way in which the published score differs, on a small graph."""

import datetime
from typing import Any

from rulemine.cypher.rows import Failed, NotRun
from rulemine.evaluation.cypher.error_kinds import ERROR_KINDS, Diagnosis
from rulemine.evaluation.cypher.judging import CypherJudge, CypherScores
from rulemine.evaluation.cypher.runners import InMemoryRunner
from rulemine.kg.property_graph.graph import GraphEdge, GraphNode, PropertyGraph
from rulemine.kg.property_graph.schema import EntityType, Property, RelationType, Schema
from tests import each
from tests.evaluation.conftest import cases_of

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
    GraphNode(f"t{n}", "Town", name, {"size": size, "founded": datetime.date(year, 5, 1)} if size else {})
    for n, (name, size, year) in enumerate(TOWNS)
]  # fmt: skip
NODES += [
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
KNOWN = "MATCH (n:Town)<-[r0:lives_in]-(m0:Person) WITH DISTINCT n RETURN n.name"


def judged(gold: str, predicted: Any, runner: Any = RUNNER) -> CypherScores:
    judge = CypherJudge(runner)
    return judge.judged(gold, judge.gold(gold), predicted)[0]


def kinds_of(gold: str, predicted: Any, runner: Any = RUNNER) -> str:
    judge = CypherJudge(runner)
    table = judge.gold(gold)
    scores, found = judge.judged(gold, table, predicted)
    return " ".join(Diagnosis(runner).kinds(gold, table, predicted, scores, found))


CASES = cases_of(__file__, "error_kinds.jsonl")


@each("case", CASES)
def test_the_kinds_that_apply(case):
    assert kinds_of(case["gold"], case["said"]) == case["kinds"]


def test_every_kind_applies_somewhere():
    assert {kind for case in CASES for kind in case["kinds"].split()} | {"limit"} == {*ERROR_KINDS}


def test_what_takes_too_long_or_is_not_read():
    class Late:
        def __init__(self, answer):
            self.answer = answer

        def rows(self, query):
            return self.answer if "Late" in query else RUNNER.rows(query)

    code = "Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration"
    for answer, kind in (
        (Failed("TimedOut", "no"), "limit"), (Failed(code, "no"), "limit"), (NotRun("no"), "unread"),
    ):  # fmt: skip
        assert kinds_of(PEOPLE, "MATCH (n:Late) RETURN n.name", Late(answer)) == kind


PUBLISHED_EX = [
    # another of the rows that share the first place
    ("MATCH (n:Town) WHERE n.size IS NOT NULL RETURN n.name ORDER BY n.size LIMIT 1", [["Carn"]], (1, 0)),
    (LARGEST, [["Arden"], ["Carn"], ["Bree"]], (1, 0)),  # rows with equal keys
    ("MATCH (n:Town) WITH n ORDER BY n.name RETURN n.name",
     [["Dun"], ["Carn"], ["Bree"], ["Arden"]], (1, 0)),  # the order of an inner clause
    ("RETURN 0.3", [[0.1 + 0.2]], (1, 0)),
    ("RETURN 'e\u0301'", [["\u00e9"]], (1, 0)),  # composed letters
    (LARGEST.replace("ORDER BY", "ORDER  BY"), [["Carn"], ["Bree"], ["Arden"]], (0, 1)),
    ("RETURN true", [[1]], (0, 1)),
    (LARGEST, [["Arden"], ["Bree"]], (0, 0)),
]  # fmt: skip


def test_where_the_published_score_differs():
    for gold, predicted, scores in PUBLISHED_EX:
        found = judged(gold, predicted)
        assert (found.ex, found.ex_published) == scores, (gold, predicted)


SOME = "MATCH (n:Town) WHERE n.size IS NOT NULL RETURN n.name"
TIED = "MATCH (n:Town) WHERE n.size = 20 RETURN n.name"


UNSORTED = [
    (SOME, f"{SOME} ORDER BY n.size DESC", (0.0, 0.0), (0.0, 1.0)),
    (TIED, f"{TIED} ORDER BY n.size", (1.0, 0.0), (1.0, 1.0)),
    (f"{SOME} ORDER BY n.size DESC", f"{SOME} ORDER BY n.size DESC, n.name", (1.0, 1.0), (1.0, 1.0)),
    (f"{TIED} LIMIT 9", TIED, (1.0, 1.0), (1.0, 1.0)),
]  # fmt: skip


def test_rows_that_nothing_sorts_are_not_in_order_by_chance():
    class Server:
        def rows(self, query):
            return RUNNER.rows(query)

    for predicted, gold, *wanted in UNSORTED:
        for runner, scores in zip((RUNNER, Server()), wanted, strict=True):
            judge = CypherJudge(runner)
            table = judge.gold(gold)
            found, rows = judge.judged(gold, table, f"{predicted} ")
            assert [*rows.rows] == [*(table.plain or table.rows)]
            assert (found.ex, found.ex_published) == scores, (predicted, gold)


TWO = "MATCH (n:Person)-[:lives_in]->(m:Town) RETURN n.name, m.name"
COUNTED = "MATCH (n:Person)-[:lives_in]->(:Town {name: 'Arden'}) RETURN n.name"


PUBLISHED_PSJS = [
    (TWO, TWO.replace("m", "t"), (1.0, 1.0)), (TWO, "MATCH (n:Person) RETURN n.name", (8 / 11, 8 / 11)),
    (TWO.replace("Town", "Village"), "MATCH (n:Person) RETURN n", (None, 0.0)),
    (TWO, TWO.replace("RETURN", "RETURN RETURN"), (0.0, 1.0)),  # what comes before an error is run
    (TWO, TWO.replace("MATCH", "match"), (1.0, 0.0)), (TWO, TWO.replace("RETURN", "return"), (1.0, 0.0)),
    (TWO, f"OPTIONAL {TWO}", (1.0, 0.0)), (TWO, f"UNWIND [1] AS one {TWO}", (1.0, 0.0)),
    (COUNTED, COUNTED.replace(":Town ", ""), (1.0, 3 / 4)),
    (COUNTED, COUNTED.replace(":Town ", "m "), (1.0, 3 / 4)),
    (COUNTED, COUNTED.replace(":Town", ":`Town`"), (1.0, 3 / 4)),
    (f"{TWO} UNION {TWO}", f"CALL {{ {TWO} AS x }} {TWO}", (1.0, 0.0)),
]  # fmt: skip


def test_where_psjs_as_published_differs():
    for gold, predicted, scores in PUBLISHED_PSJS:
        found = judged(gold, predicted)
        assert (found.psjs, found.psjs_published) == scores, (gold, predicted)


def test_the_two_cases_of_the_paper():
    arms = [
        f'MATCH (n:Person)-[:lives_in]->(:Town {{name: "{name}"}}) RETURN n'
        for name in ("Arden", "Bree")
    ]
    gold = f"CALL {{ {' UNION '.join(arms)} }} WITH DISTINCT n RETURN n.name"
    one_arm = judged(gold, f"{arms[0]}.name")
    assert (one_arm.ex, one_arm.psjs, one_arm.psjs_edges) == (0.0, 4 / 8, 3 / 6)
    wider = judged(PEOPLE, PEOPLE.replace("n.name", "n.name, n.height"))
    assert (wider.ex, wider.psjs, wider.psjs_edges, wider.executable) == (0.0, 1.0, 1.0, 1.0)
