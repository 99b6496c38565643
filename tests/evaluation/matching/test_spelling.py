"""Composed and decomposed letters are the same: in the demo 30 names of entities are decomposed."""

from functools import cache
from unicodedata import normalize

from rulemine.cypher.questions.render import quoted_value
from rulemine.datasets.property_graphs import load_property_graph
from rulemine.evaluation.answerers.agents.agent import chosen, scored
from rulemine.evaluation.answerers.agents.tools import ToolAgent
from rulemine.evaluation.answerers.paths import read_plans
from rulemine.evaluation.answerers.protocol import OpenQuestion
from rulemine.evaluation.cypher.judging import CypherJudge, CypherScores, spelled, spelling_of
from rulemine.evaluation.cypher.runners import InMemoryRunner
from rulemine.evaluation.spelling import Spelling
from rulemine.kg.property_graph.graph import PropertyGraph
from tests.evaluation.answerers.agents.test_tools import calls, neighbors
from tests.evaluation.answerers.scripted import Script, graph, run


@cache
def demo() -> PropertyGraph:
    return load_property_graph("demo")


def decomposed() -> list[tuple[str, str]]:
    """Names with their types."""
    return [(n.name, n.type) for n in demo().nodes if n.name != normalize("NFC", n.name)]


def test_queries_with_composed_constants_find_what_the_others_find():
    judge, spelling = CypherJudge(InMemoryRunner(demo())), spelling_of(demo())
    assert len(decomposed()) == 30
    for name, type_ in decomposed()[:10]:
        first = name.split()[0] if name.split()[0] != normalize("NFC", name.split()[0]) else name
        for asked in (
            f"MATCH (n:{type_}) WHERE n.name = {quoted_value(name)} RETURN n.name",
            f"MATCH (n:{type_} {{name: {quoted_value(name)}}})-[r]-(m) RETURN DISTINCT m.name",
            f"MATCH (n) WHERE n.name IN ['x', {quoted_value(name)}] RETURN n.name",
            f"MATCH (n) WHERE n.name CONTAINS {quoted_value(first)} RETURN n.name",
            f"MATCH (n) WHERE toLower(n.name) = {quoted_value(name.lower())} RETURN n.name",
        ):
            gold = asked + " ORDER BY 1"
            table = judge.gold(gold)
            assert getattr(table, "rows", None), gold
            composed = spelled(normalize("NFC", asked), spelling)
            scores, _ = judge.judged(gold, table, composed)
            wanted, _ = judge.judged(gold, table, asked)
            assert scores == wanted
            assert (scores.ex, scores.psjs) == (1.0, 1.0), composed
    rows = [[name] for name, _ in decomposed()]
    given = [[normalize("NFC", name)] for [name] in rows]
    gold = f"UNWIND [{', '.join(quoted_value(name) for [name] in rows)}] AS name RETURN name"
    scores, _ = judge.judged(gold, judge.gold(gold), given)
    assert scores == CypherScores("rows", 1.0, 0.0, rows=30, columns=1, ex_columns=1.0)


def test_what_is_no_constant_of_the_graph_stays():
    spelling = Spelling(["Pe\u0301ry"])
    for query in ("RETURN 'P\u00e9ry", "MATCH (n:P\u00e9ry) RETURN n.\u00e9", "RETURN 'Zo\u00eb'"):
        assert spelled(query, spelling) == query
    both = Spelling(names := ["Pe\u0301ry", "P\u00e9ry"])
    assert [*map(both.of, names)] == names


def test_a_model_that_writes_either_form_gets_the_same():
    (name, _), *_ = decomposed()
    kg = graph([(name, "born_in", "x")])
    for said in (normalize("NFC", name), normalize("NFD", name)):
        script = Script(step=[calls(neighbors(said, "born_in", "out")), "x"], answer=["x"])
        found = run(ToolAgent(), script, kg=kg, question=OpenQuestion("q", "?", (name,)))
        assert found.retrieved == [(name, "born_in", "x")]
        assert chosen(f"I take {said}.", [name, "x"]) == [name]
        assert scored(f"{{{said} (Score: 0.5)}}", [name, "x"]) == {name: 0.5}
        assert read_plans(said, {name}, 3) == [(name,)]
