"""A model that writes queries: what it is shown, what it is told, what is taken from its replies."""

import re
import sys
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from rulemine.cypher import MatchPattern, PatternNode, PatternQuery, ReturnClause, to_cypher
from rulemine.cypher.questions.pattern_text import query_of, query_text
from rulemine.errors import ConfigError
from rulemine.evaluation import answer
from rulemine.evaluation.answerers.model_free.simple import GoldCypher, Prior, Reasoner
from rulemine.evaluation.answerers.protocol import Answered, Context, OpenQuestion
from rulemine.evaluation.answerers.registry import check_kind, find_answerer, needs_of
from rulemine.evaluation.answerers.text_to_query import (
    LONGEST,
    TextToCypher,
    TextToSparql,
    schema_text,
)
from rulemine.evaluation.sparql.prompts import relations_text
from rulemine.kg.property_graph.graph import GraphEdge, GraphNode, PropertyGraph
from rulemine.kg.property_graph.schema import EntityType, Property, RelationType, Schema
from rulemine.release.reader import Release
from rulemine.rules.formats import parse_readable
from rulemine.rules.rule import Measures
from tests.evaluation.answerers.scripted import Script, asked, broken, graph
from tests.evaluation.answerers.scripted import run as run_small
from tests.releases import built

SCHEMA = Schema(
    "coast",
    (
        EntityType("Town", (
            Property("area", "float", "km ** 2"), Property("kind", "str", description="what it is good for"),
            Property("river", "str"), Property("market_days", "list[str]"),
        ), "a settlement"),
        EntityType("River", (Property("code", "str"),)),
    ),
    (
        RelationType("lies_on", "Town", "River", (Property("start_year", "int"),)),
        RelationType("near", "Town", "Town"), RelationType("next_to", "Town", "Town"),
    ),
)  # fmt: skip


def towns(number: int = 40) -> PropertyGraph:
    """Towns on one river, each next to the one before."""
    nodes = [GraphNode("Ise", "River", "Ise", {"code": "I1"})]
    for n in range(number):
        kind = {"kind": "port" if n % 3 else "market"} if n else {}
        days = {"market_days": ("Friday", "Monday") if n % 2 else ("Friday",)}
        nodes.append(GraphNode(f"T{n:02}", "Town", f"T{n:02}", {"area": n + 0.5, **kind, **days}))
    edges = [GraphEdge(f"r{n}", "lies_on", f"T{n:02}", "Ise") for n in range(number - 1)]
    edges += [GraphEdge(f"n{n}", "near", f"T{n:02}", f"T{n - 1:02}") for n in range(1, number)]
    return PropertyGraph(SCHEMA, nodes, edges)


GRAPH = towns()
ON_THE_ISE = PatternQuery(
    MatchPattern("(n)->(m0*)", (PatternNode("Town"), PatternNode("River", "Ise")), ("lies_on",)),
    ReturnClause("n_name"),
)
NEAR = PatternQuery(
    MatchPattern("(n)<-(m0*)", (PatternNode("Town"), PatternNode("Town", "T01")), ("next_to",)),
    ReturnClause("n_name_prop", property="area"),
)
ASKED = OpenQuestion("q1", "Which towns lie on the Ise?", ("Ise",), query_text(ON_THE_ISE))
BLOCK = "```cypher\n{}\n```"


def given(session: Any = None, **more: Any) -> Context:
    graph = {"kg": GRAPH.triples(), "graph": GRAPH, "model": "m", "session": session}
    return Context(**(graph | more))


def run(answerer: TextToCypher, script: Script, **more: Any) -> Answered:
    (found,) = answerer(given(script, **more), [ASKED])
    assert script.left == {}
    assert found.calls == len(script.calls) <= answerer.worst_calls(1)
    return found


def told(script: Script, at: int = -1) -> str:
    return str(script.calls[at].messages[-1]["content"])


def training(number: int, structure: str, split: str = "train", **more: Any) -> Any:
    query = query_text(ON_THE_ISE if structure == "(n)-(m0*)" else NEAR)
    row = {"id": f"t{number:02}", "question": f"Question {number}?", "split": split, "query": query}
    block = SimpleNamespace(cypher=to_cypher(query_of(query)))
    row |= {"structure": structure, "anchors": (f"T{number:02}",), "block": block}
    return SimpleNamespace(**row, evidence=(), full_evidence=(), **more)


def test_the_schema_says_everything_but_names():
    shown = schema_text(GRAPH, values=1)
    assert shown.splitlines() == [
        "Nodes:",
        "(:River {name: str, code: str})",
        "(:Town {name: str, area: float, kind: str, river: str, market_days: list[str]}) a settlement",
        "  area: in km^2",
        '  kind: what it is good for; e.g. "port"',
        '  market_days: e.g. "Friday"',
        "Relations:",
        "(:Town)-[:lies_on {start_year: int}]->(:River)",
        "(:Town)-[:near]->(:Town)",
        "(:Town)-[:next_to]->(:Town)",
    ]
    assert "e.g." not in schema_text(GRAPH)
    assert 'kind: what it is good for; e.g. "port", "market"' in schema_text(GRAPH, values=9)
    assert 'e.g. "port"' not in schema_text(towns(20), values=9)  # two values of twenty: too many


def test_the_query_is_taken_from_the_reply():
    script = Script(cypher=[f"Here:\n{BLOCK.format('MATCH (n) RETURN n.name')}\nThat is it."])
    found = run(TextToCypher(max_tokens=99), script)
    assert found.cypher == "MATCH (n) RETURN n.name"
    assert (found.text, found.answers, found.rows) == (None, None, None)
    (call,) = script.calls
    assert (call.purpose, call.max_tokens, call.temperature) == ("write-cypher", 99, 0.0)
    assert schema_text(GRAPH, 3) in told(script)
    assert told(script).endswith("\n\nQuestion: Which towns lie on the Ise?")
    assert "T00" not in told(script)
    for said in ("I do not know.", "", broken):
        assert run(TextToCypher(), Script(cypher=[said])).cypher == ""
    query = "MATCH (n) WHERE n.name =~ 'A.*' RETURN apoc.text.join(collect(n.name), ', ')"
    found = run(TextToCypher(repair=3), Script(cypher=[query]))
    assert found.cypher == query, "what is not run here is no failure"


def test_examples_are_of_many_categories_and_the_same_for_all_questions():
    train = [training(n, "(n)-(m0*)") for n in range(8)]
    train += [training(n, "(n)-(m0)", "validation" if n == 10 else "train") for n in (8, 9, 10)]
    script, answerer = Script(lambda call: "RETURN 1"), TextToCypher(shots=4)
    other = ASKED._replace(id="q2", question="And which others?")
    answerer(given(script, train=train), [ASKED, other])
    answerer(given(script, train=train, seed=1), [ASKED])
    first, second, seeded = (told(script, n).rpartition("\n\nQuestion: ")[0] for n in range(3))
    assert first == second != seeded
    numbers = list(map(int, re.findall(r"Question: Question (\d+)\?", first)))
    assert len(numbers) == len(set(numbers)) == 4
    assert sum(number >= 8 for number in numbers) == 2
    assert 10 not in numbers
    assert first.count(BLOCK.format(to_cypher(NEAR))) == 2
    assert (needs_of(answerer), needs_of(TextToCypher())) == (["train"], [])


def test_a_failing_query_is_repaired():
    bad, good = "MATCH (n:Town RETURN n.name", "MATCH (n:Town) RETURN n.name"
    script = Script(cypher=[BLOCK.format(bad), "Sorry.", BLOCK.format(good)])
    assert run(TextToCypher(repair=3), script).cypher == good
    assert [call.purpose for call in script.calls] == ["write-cypher", *["repair-cypher"] * 2]
    roles = [message["role"] for message in script.calls[2].messages]
    assert roles == ["user", "assistant", "user", "assistant", "user"]
    assert "line 1, column 15" in told(script, 1)
    assert told(script, 2).startswith("Your reply has no query: no block")
    for repair, second, last in (
        (1, bad + "2", bad + "2"),
        (2, broken, bad),
        (1, "I give up.", bad),
    ):
        assert run(TextToCypher(repair=repair), Script(cypher=[bad, second])).cypher == last
    # Of megabytes only so much is read.
    script = Script(lambda call: f"```cypher\nMATCH (n:{'T' * 3_000_000}")
    found = run(TextToCypher(repair=1), script)
    assert max(len(found.cypher), len(str(script.calls[1].messages))) < 2 * LONGEST


def test_gold_and_reasoner():
    asked = [ASKED, ASKED._replace(id="q2", query=query_text(NEAR))]
    gold = [found.cypher for found in GoldCypher()(given(), asked)]
    assert gold == [to_cypher(ON_THE_ISE), to_cypher(NEAR)]
    texts = ("near(x,y) ⇒ next_to(x,y)", "near(z,x) ∧ lies_on(z,y) ⇒ lies_on(x,y)")
    rules = [parse_readable(text) for text in texts]
    on_the_ise, near = Reasoner()(given(rules=rules), asked)
    assert [row[0] for row in on_the_ise.rows] == [f"T{n:02}" for n in range(39)]
    assert near.rows == [("T00", 0.5)]
    supports = zip(rules, (7, 8), strict=True)
    rules = [replace(rule, measures=Measures(n, 20, 10, 30, 0)) for rule, n in supports]
    for least, number in ((0.7, 1), (0.75, 0)):
        found = Reasoner(confidence=least)(given(rules=rules), asked)
        assert [len(one.rows or ()) for one in found] == [39, number]


def test_prior_gives_the_commonest_rows_of_such_questions():
    rows = [('["b"]', '["a"]'), ('["b"]', "[1,2]")]
    train = [training(n, "(n)-(m0*)", answers=row, hard_answers=()) for n, row in enumerate(rows)]
    asked = [ASKED, ASKED._replace(id="q2", query=query_text(NEAR))]
    found = Prior(k=5)(given(train=train), asked)
    assert [one.rows for one in found] == [[("b",), ("a",)], []]


def coast():
    return Release.open(built("coast") / "release")


def test_what_answers_which_kind():
    for name in ("text-to-cypher", "gold-cypher", "reasoner", "prior", "command"):
        check_kind(find_answerer(name), name, "cypher")
    for name in ("reasoner", "command", "lookup"):
        check_kind(find_answerer(name), name, "rules")
    for name in ("lookup", "closed-book", "think-on-graph"):
        with pytest.raises(ConfigError, match=f"'{name}' names entities.*Take text-to-cypher"):
            check_kind(find_answerer(name), name, "cypher")
    with pytest.raises(ConfigError, match="'text-to-cypher' answers questions that ask for rows"):
        check_kind(find_answerer("text-to-cypher"), "text-to-cypher", "structures")
    with pytest.raises(ConfigError, match="answerer 'closed-book' names entities"):
        answer(coast(), "closed-book", model="fake")  # before a model is asked


def test_a_program_finds_the_property_graph(tmp_path):
    script = tmp_path / "system.py"
    script.write_text(
        "import json, os, sys\n"
        "graph = json.load(open(os.environ['RULEMINE_GRAPH']))\n"
        "for line in sys.stdin:\n"
        "    q = json.loads(line)\n"
        "    rows = [[len(graph['entities']), None, ['a']]]\n"
        "    said = {'rows': rows} if q['id'] == 'q00001' else {'cypher': 'RETURN 1'}\n"
        "    print(json.dumps({'id': q['id']} | said), flush=True)\n"
    )
    name = f'command:program="{sys.executable} {script}"'
    first, *rest = answer(coast(), name, split=None, folder=tmp_path)
    assert first.rows == ('[32,null,["a"]]',)
    assert {p.cypher for p in rest} == {"RETURN 1"}


DUNE = OpenQuestion("q1", "Who wrote Dune?", ("Dune",))
WROTE = "SELECT ?answer { <entity:Dune> <relation:author> ?answer }"
WRONG = "SELECT ?answer { <entity:Dune> <relation:writer> ?answer }"


def found(answerer, script, **more):
    made = run_small(answerer, script, question=DUNE, **more)
    assert made.calls <= answerer.worst_calls(1)
    assert (made.text, made.answers) == (None, None)
    return made


def test_the_model_is_shown_the_relations_and_the_topic():
    script = Script(sparql=[f"It is:\n```sparql\n{WROTE}\n```"])
    assert found(TextToSparql(max_tokens=99), script).sparql == WROTE
    (call,) = script.calls
    assert (call.purpose, call.max_tokens, call.temperature) == ("write-sparql", 99, 0.0)
    assert "\n<relation:author> Dune → Frank\n<relation:born> Frank → Tacoma\n" in asked(call)
    assert asked(call).endswith("\n\nQuestion: Who wrote Dune?\nDune is <entity:Dune>")
    # Triples stand in the place of the relations.
    script = Script(sparql=[WROTE])
    made = found(TextToSparql(triples=2), script)
    assert list(made.retrieved) == [("Dune", "pages", "412"), ("Library", "holds", "Dune")]
    said = asked(script.calls[-1])
    assert "\n<entity:Dune> <relation:pages> <entity:412> .\n<entity:Library>" in said
    assert "→" not in said


def test_types_stand_in_the_place_of_examples_where_they_have_names():
    kg = graph(
        [("a", "/people/person/born", "r"), ("b", "/people/person/born", "r"),
         ("r", "/geo/town/river", "s"), ("s", "/geo/river/mouth", "t")]
    )  # fmt: skip
    assert relations_text(kg, {}).splitlines()[1:] == [
        "<relation:%2Fgeo%2Friver%2Fmouth> /geo/river → object of /geo/river/mouth",
        "<relation:%2Fgeo%2Ftown%2Friver> /geo/town → /geo/river",
        "<relation:%2Fpeople%2Fperson%2Fborn> /people/person → /geo/town",
    ]


def test_failing_sparql_is_repaired():
    script = Script(sparql=["Sorry.", "SELECT ?x {", f"```\n{WRONG}\n```", WROTE])
    assert found(TextToSparql(repair=5), script).sparql == WROTE
    assert [call.purpose for call in script.calls] == ["write-sparql", *["repair-sparql"] * 3]
    said = [asked(call).partition("\n")[0] for call in script.calls[1:]]
    assert said[0].startswith("In your reply there is no query: no block")
    assert said[1].startswith("That query fails: The query cannot be read from 1:")
    assert said[2] == "That query fails: the graph has no relation <relation:writer>."
    for repair, replies, last in (
        (1, [WRONG, "No."], WRONG), (2, [WRONG, broken], WRONG), (0, ["I do not know."], ""),
    ):  # fmt: skip
        assert found(TextToSparql(repair=repair), Script(sparql=replies)).sparql == last
