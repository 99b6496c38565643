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
from rulemine.evaluation.answerers.protocol import Context, OpenQuestion
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
from tests import each
from tests.evaluation.answerers.scripted import Script, asked, broken, graph, run
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
OF_ISE = {"kg": GRAPH.triples(), "question": ASKED, "graph": GRAPH}
DUNE = {"question": OpenQuestion("q1", "Who wrote Dune?", ("Dune",))}
BAD, GOOD = "MATCH (n:Town RETURN n.name", "MATCH (n:Town) RETURN n.name"
WROTE = "SELECT ?answer { <entity:Dune> <relation:author> ?answer }"
WRONG = "SELECT ?answer { <entity:Dune> <relation:writer> ?answer }"
NOT_RUN_HERE = "MATCH (n) WHERE n.name =~ 'A.*' RETURN apoc.text.join(collect(n.name), ', ')"


def fenced(query):
    return f"Here:\n```\n{query}\n```\nThat is it."


def given(**more):
    return Context(**{"kg": GRAPH.triples(), "graph": GRAPH, "model": "m", **more})


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


def test_the_model_is_shown_the_schema_and_no_names():
    script = Script(cypher=[GOOD])
    found = run(TextToCypher(max_tokens=99), script, **OF_ISE)
    assert (found.text, found.answers, found.rows) == (None, None, None)
    (call,) = script.calls
    assert (call.purpose, call.max_tokens, call.temperature) == ("write-cypher", 99, 0.0)
    assert schema_text(GRAPH, 3) in asked(call)
    assert asked(call).endswith("\n\nQuestion: Which towns lie on the Ise?")
    assert "T00" not in asked(call)


def test_the_model_is_shown_the_relations_or_triples_and_the_topic():
    script = Script(sparql=[WROTE])
    found = run(TextToSparql(max_tokens=99), script, **DUNE)
    assert (found.text, found.answers) == (None, None)
    (call,) = script.calls
    assert (call.purpose, call.max_tokens, call.temperature) == ("write-sparql", 99, 0.0)
    assert "\n<relation:author> Dune → Frank\n<relation:born> Frank → Tacoma\n" in asked(call)
    assert asked(call).endswith("\n\nQuestion: Who wrote Dune?\nDune is <entity:Dune>")
    script = Script(sparql=[WROTE])
    found = run(TextToSparql(triples=2), script, **DUNE)
    assert list(found.retrieved) == [("Dune", "pages", "412"), ("Library", "holds", "Dune")]
    said = asked(script.calls[-1])
    assert "\n<entity:Dune> <relation:pages> <entity:412> .\n<entity:Library>" in said
    assert "→" not in said


def test_examples_are_of_many_categories_and_the_same_for_all_questions():
    train = [training(n, "(n)-(m0*)") for n in range(8)]
    train += [training(n, "(n)-(m0)", "validation" if n == 10 else "train") for n in (8, 9, 10)]
    script, answerer = Script(lambda call: "RETURN 1"), TextToCypher(shots=4)
    other = ASKED._replace(id="q2", question="And which others?")
    answerer(given(session=script, train=train), [ASKED, other])
    answerer(given(session=script, train=train, seed=1), [ASKED])
    first, second, seeded = (asked(c).rpartition("\n\nQuestion: ")[0] for c in script.calls)
    assert first == second != seeded
    numbers = list(map(int, re.findall(r"Question: Question (\d+)\?", first)))
    assert len(numbers) == len(set(numbers)) == 4
    assert sum(number >= 8 for number in numbers) == 2
    assert 10 not in numbers
    assert first.count(f"```cypher\n{to_cypher(NEAR)}\n```") == 2
    assert (needs_of(answerer), needs_of(TextToCypher())) == (["train"], [])


REPAIRED = [
    ("cypher", 3, [fenced(BAD), "Sorry.", fenced(GOOD)], GOOD), ("cypher", 1, [BAD, BAD + "2"], BAD + "2"),
    ("cypher", 2, [BAD, broken], BAD), ("cypher", 1, [BAD, "I give up."], BAD),
    ("cypher", 0, ["I do not know."], ""), ("cypher", 0, [broken], ""),
    ("cypher", 3, [NOT_RUN_HERE], NOT_RUN_HERE),  # what is not run here is no failure
    ("sparql", 5, ["Sorry.", "SELECT ?x {", fenced(WRONG), WROTE], WROTE),
    ("sparql", 1, [WRONG, "No."], WRONG),
    ("sparql", 2, [WRONG, broken], WRONG), ("sparql", 0, ["I do not know."], ""),
]  # fmt: skip


@each(("kind", "repair", "replies", "last"), REPAIRED)
def test_a_failing_query_is_repaired(kind, repair, replies, last):
    system, script = find_answerer(f"text-to-{kind}:repair={repair}"), Script(**{kind: replies})
    found = run(system, script, **(OF_ISE if kind == "cypher" else DUNE))
    assert getattr(found, kind) == last
    assert found.calls <= system.worst_calls(1)
    again = len(replies) - 1
    assert [call.purpose for call in script.calls] == [f"write-{kind}", *[f"repair-{kind}"] * again]


def test_the_model_is_told_what_fails():
    script = Script(cypher=[BAD, "Sorry.", GOOD])
    run(TextToCypher(repair=3), script, **OF_ISE)
    roles = [message["role"] for message in script.calls[2].messages]
    assert roles == ["user", "assistant", "user", "assistant", "user"]
    assert "line 1, column 15" in asked(script.calls[1])
    assert asked(script.calls[2]).startswith("Your reply has no query: no block")
    script = Script(sparql=["Sorry.", "SELECT ?x {", WRONG, WROTE])
    run(TextToSparql(repair=5), script, **DUNE)
    said = [asked(call).partition("\n")[0] for call in script.calls[1:]]
    assert said[0].startswith("In your reply there is no query: no block")
    assert said[1].startswith("That query fails: The query cannot be read from 1:")
    assert said[2] == "That query fails: the graph has no relation <relation:writer>."
    # Of megabytes only so much is read.
    script = Script(lambda call: f"```cypher\nMATCH (n:{'T' * 3_000_000}")
    found = run(TextToCypher(repair=1), script, **OF_ISE)
    assert max(len(found.cypher), len(str(script.calls[1].messages))) < 2 * LONGEST


def test_gold_and_reasoner():
    both = [ASKED, ASKED._replace(id="q2", query=query_text(NEAR))]
    gold = [found.cypher for found in GoldCypher()(given(), both)]
    assert gold == [to_cypher(ON_THE_ISE), to_cypher(NEAR)]
    texts = ("near(x,y) ⇒ next_to(x,y)", "near(z,x) ∧ lies_on(z,y) ⇒ lies_on(x,y)")
    measured = (Measures(7, 20, 10, 30, 0), Measures(8, 20, 10, 30, 0))
    rules = [replace(parse_readable(t), measures=m) for t, m in zip(texts, measured, strict=True)]
    for least, near in ((0.7, [("T00", 0.5)]), (0.75, [])):
        on_the_ise, other = Reasoner(confidence=least)(given(rules=rules), both)
        assert [row[0] for row in on_the_ise.rows] == [f"T{n:02}" for n in range(39)]
        assert list(other.rows or ()) == near


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


def test_prior_gives_the_commonest_rows_of_such_questions():
    rows = [('["b"]', '["a"]'), ('["b"]', "[1,2]")]
    train = [training(n, "(n)-(m0*)", answers=row, hard_answers=()) for n, row in enumerate(rows)]
    both = [ASKED, ASKED._replace(id="q2", query=query_text(NEAR))]
    found = Prior(k=5)(given(train=train), both)
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
