"""The dialogue about a question over a property graph: checks of names and values, judge, corrections."""

import json
from dataclasses import replace
from typing import Any

import pytest

from rulemine.builder.assemble import count_model
from rulemine.cypher import PatternQuery, ReturnClause
from rulemine.cypher.questions.evaluator import evaluate
from rulemine.cypher.questions.pattern_text import query_text
from rulemine.cypher.questions.render import to_cypher
from rulemine.cypher.questions.templates import RETURNS
from rulemine.cypher.rows import row_text
from rulemine.errors import ConfigError
from rulemine.kg.entity_names import NAMINGS
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.schema import EntityType, Property, RelationType, Schema
from rulemine.kinds.cypher.block import CypherBlock, RowChange
from rulemine.kinds.cypher.realism import Realism
from rulemine.kinds.cypher.words.dialogue import make_cypher_inputs
from rulemine.kinds.cypher.words.texts import QuestionTexts
from rulemine.kinds.registry import KINDS
from rulemine.llm.call import Call
from rulemine.phrasing.glosses import load_glosses
from rulemine.phrasing.templates import load_templates
from rulemine.release.contents import ModelTrace
from rulemine.release.naming import Namer, name_entities
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Question, Unseen
from rulemine.verbalizer.checks import Checker
from rulemine.verbalizer.estimate import estimate
from rulemine.verbalizer.options import VerbalizerSection
from rulemine.verbalizer.prompts import Calls
from rulemine.verbalizer.replies import TextProblem
from rulemine.verbalizer.verbalize import Verbalized, verbalize
from tests import each
from tests.kinds.cypher.graphs import graph_of, pattern
from tests.verbalizer.scripted import Scripted, lines, rejections_in, wanted

_YEARS = (Property("start_year", "int"), Property("end_year", "int"))
SCHEMA = Schema(
    "towns",
    (
        EntityType("Town", (Property("area_km2", "float", "km ** 2"), Property("motto", "str"))),
        EntityType("Person", description="someone of age"),
    ),
    (
        RelationType("lives_in", "Person", "Town", _YEARS, "at home"),
        RelationType("parent_of", "Person", "Person"),
    ),
)
_TOWNS = {
    "Arden": ("Arden", {"area_km2": 12.5, "motto": 'We {bend} "all" -> up?'}),
    "Bree": ("Bree", {"area_km2": 20.25, "motto": "Be kind"}),
}
_LINKED = graph_of(
    SCHEMA, {"Town": _TOWNS, "Person": "Ada Bo"}, "Ada lives_in Arden, Bo lives_in Bree, Ada parent_of Bo"
)  # fmt: skip
_SINCE = {"e0": {"start_year": 1900}, "e1": {"start_year": 1901}, "e2": {}}
GRAPH = PropertyGraph(
    SCHEMA, _LINKED.nodes, [replace(edge, properties=_SINCE[edge.id]) for edge in _LINKED.edges]
)
NAMES = name_entities([node.id for node in GRAPH.nodes], seed=3)
TEMPLATES = load_templates("", ("lives_in", "parent_of"))
GLOSSES = load_glosses("", TEMPLATES)


CHILDREN = PatternQuery(
    pattern("(n)<-(m0*)", "Person Person:Ada", "parent_of"), ReturnClause("n_name")
)
LARGE, MOTTO, SAID = (
    PatternQuery(pattern("(n)", "Town"), result)
    for result in (
        ReturnClause("n_where", "area_km2", operator=">=", bound=12.5),
        ReturnClause("n_where", "motto", operator="=", bound='We {bend} "all" -> up?'),
        ReturnClause("n_prop_distinct", "motto"),
    )
)
IN_1900 = PatternQuery(
    pattern("(n)->(m0*) in year", "Person Town:Arden", "lives_in", 1900), ReturnClause("n_name_special")
)  # fmt: skip

GOOD = "Who has Ada as a parent?"


def question(number: int, asked: PatternQuery) -> Question:
    """A question as a build asks it."""
    rows = tuple(sorted(map(row_text, evaluate(GRAPH, asked).rows)))
    match, result = asked.match, asked.result
    private = {row.entity: row.private for row in NAMES}
    text = QuestionTexts(GRAPH, Realism({})).pattern(asked, private)
    own = result.property and f"{match.nodes[0].type}.{result.property}"
    block = CypherBlock(
        match.template, result.template, RETURNS[result.template].family, to_cypher(asked), ("n.name",), rows,
        False, (), (), (RowChange(100, len(rows), (), ()),), (own,) if own else (),
    )  # fmt: skip
    made = Question(
        f"q{number:05d}", "cypher", text, tuple(sorted(n.name for n in match.nodes if n.name)),
        query_text(asked), "", "", match.template, 1, rows, rows, (), (), None, False, (), (), (), None, None,
        tuple(sorted({*match.relations})), (), (), (),
        "", Unseen(False, False, False), "template", (), (text,), block,
    )  # fmt: skip
    return Namer(NAMES, TEMPLATES, "entity").question(made)


def asked_for(*queries: PatternQuery) -> QuestionSet:
    """Questions q00001 and so on."""
    made = tuple(question(number, some) for number, some in enumerate(queries, start=1))
    return QuestionSet(made, (), NAMES, len(NAMES))


def calls_of(**options: Any) -> Calls:
    chosen = VerbalizerSection(**{"name": "openai", "model": "m", **options})
    return Calls(KINDS["cypher"].wording.loaded("cypher", ""), chosen, 7, GLOSSES)


def run(asked: QuestionSet, session: Any, naming: str = "text", **options: Any) -> Verbalized:
    """Verbalizes questions with some options."""
    inputs = make_cypher_inputs(asked, SCHEMA, GLOSSES, TEMPLATES, naming)
    return verbalize(asked, inputs, calls_of(**options), session)


def verdict(word: str, reason: str = "", refined: str = "") -> str:
    """The reply of a judge."""
    return json.dumps({"verdict": word, "reason": reason, "refined_question": refined})


def script(texts: list[str], verdicts: list[str] | None = None) -> Scripted:
    """A model that says these texts one after another, and of a judge these verdicts; then PASS."""
    said, judged = iter(texts), iter(verdicts or [])

    def say(call: Call) -> str:
        return next(judged, verdict("PASS")) if call.purpose == "cypher_audit" else next(said)

    return Scripted(say)


def purposes(session: Scripted) -> list[str]:
    return [call.purpose.removeprefix("cypher_") for call in session.calls]


def test_a_text_that_passes_stands_in_every_naming() -> None:
    session = script([json.dumps({"question": GOOD})])
    (made,) = run(asked_for(CHILDREN), session).asked.questions
    assert purposes(session) == ["question", "audit"]
    assert (made.wording, made.patterns) == ("model", ("Who has {topic} as a parent?",))
    for naming in NAMINGS:
        name = next(row for row in NAMES if row.entity == "Ada").name_in(naming)
        again = Namer(NAMES, TEMPLATES, naming).question(made)
        assert again.question == f"Who has {name} as a parent?"


def test_the_prompts_have_draft_cypher_pattern_schema_names_and_values() -> None:
    session = script(["Which people lived in Arden in 1900?"])
    run(asked_for(IN_1900), session)
    for call in session.calls:
        assert wanted(call, "Draft") == "Who lived in Arden in 1900?"
        assert 'm0:Town {name: "Arden"}' in wanted(call, "Cypher")
        assert wanted(call, "Pattern") == "(n)->(m0*) in year; returned: the names"
        assert json.loads(wanted(call, "Entities named")) == ["Arden"]
        assert json.loads(wanted(call, "Values")) == ["1900"]
        said = "r0: lives_in, from n (Person) to m0 (Town): n lives in m0; it begins and ends (at home)"
        assert f"\nn: Person (someone of age)\nm0: Town\n{said}\n" in call.messages[1]["content"]
    session = script(["Which towns cover 12.5 km² or more?"])
    run(asked_for(LARGE), session)
    assert "\nn.area_km2: float in km ** 2\n" in session.calls[0].messages[1]["content"]


@each(
    ("asked", "text", "code"),
    [
        (CHILDREN, "Who has Adam as a parent?", "topic_missing"),
        (CHILDREN, "Who, like Bo, has Ada as a parent?", "answer_named"),
        (CHILDREN, "Which n.name values have Ada as a parent?", "triple_syntax"),
        (CHILDREN, "MATCH who has Ada as a parent?", "triple_syntax"),
        (CHILDREN, "Who is it that Ada is parent_of?", "relation_id"),
        (CHILDREN, "Who is it. Who has Ada as a parent?", "several_questions"),
        (CHILDREN, "Name those with Ada as a parent.", "not_a_question"),
        (CHILDREN, "Which 3 people have Ada as a parent?", "value_added"),
        (LARGE, "Which towns cover 12 km² or more?", "value_missing"),
        (LARGE, "Which towns cover 112.5 km² or more?", "value_missing"),
        (LARGE, "Which towns cover 12.55 km² or more?", "value_missing"),
        (LARGE, "Which towns have an area_km2 of 12.5 or more?", "relation_id"),
        (IN_1900, "Which people lived in Arden at the time?", "value_missing"),
        (IN_1900, "Here is a question on 1900: Which people lived in Arden at the time?", "meta_text"),
        (IN_1900, "**Question:** Which people lived in Arden at the time?", "value_missing"),
        (MOTTO, "Which towns have the motto “We bend all up?”?", "value_missing"),
        (SAID, "Which mottos, such as be kind, do the towns have?", "answer_named"),
    ],
)  # fmt: skip
def test_what_fails_the_checks_is_never_judged(asked: PatternQuery, text: str, code: str) -> None:
    session = script([json.dumps({"question": text})] * 3)
    made = run(asked_for(asked), session)
    assert purposes(session) == ["question"] * 3
    assert made.counts.problems == {code: 3}
    (kept,) = made.asked.questions
    assert (kept.wording, kept.question) == ("fallback", asked_for(asked).questions[0].question)
    assert len(rejections_in(session.calls[2])) == 2


def test_a_value_may_have_any_signs() -> None:
    value = 'We {bend} "all" -> up?'
    session = script([f"Which towns have the motto “{value}” of old?"])
    (made,) = run(asked_for(MOTTO), session).asked.questions
    assert made.wording == "model"
    assert made.question == f"Which towns have the motto “{value}” of old?"
    assert "{{bend}}" in made.patterns[0]


@each(
    ("value", "said", "fits"),
    [
        ("440,000", "Which towns cover 440000 km² or more?", True),
        ("5678", "Which towns cover 5,678 km² or more?", True),
        ("440,000", "Which towns cover 44,0000 km² or more?", False),
        ("5678", "Which towns cover 567,8 km² or more?", False),
        ("1990-05-01", "Which towns were founded on 1 May 1990?", True),
        ("1990-05-01", "Which towns were founded on the 1st of May 1990?", True),
        ("1990-05-01", "Which towns date from May 1, 1990 or later?", True),
        ("1990-05-01", "Which towns were founded on 11 May 1990?", False),
        ("1990-05-01", "Which towns were founded in May 1990?", False),
        ("Be kind", "Which towns have the motto be kind?", True),
        ("Be kind", "Which towns are told to be kinder?", False),
    ],
)
def test_a_value_may_be_said_in_another_way(value: str, said: str, fits: bool) -> None:
    (item,) = make_cypher_inputs(asked_for(LARGE), SCHEMA, GLOSSES, TEMPLATES, "text")
    found = replace(item, bounds=(value,)).check(said, "English", Checker())
    assert found == (said if fits else TextProblem("value_missing", f"“{value}”"))


def test_what_compares_may_be_answered_by_yes_or_no_and_wrappings_go() -> None:
    text = "Did the people who lived in Arden live there in 1900?"
    (made,) = run(asked_for(IN_1900), script([f"**Question:** {text}"])).asked.questions
    assert made.question == text


def test_a_relation_that_was_turned_round_is_corrected_by_the_judge() -> None:
    turned = "Whom does Ada have as a parent?"
    session = script([turned], [verdict("DIRECTION", "Ada is the parent", GOOD)])
    made = run(asked_for(CHILDREN), session, judge_model="judge")
    assert purposes(session) == ["question", "audit", "audit"]
    assert [call.model for call in session.calls] == ["m", "judge", "judge"]
    assert made.asked.questions[0].question == GOOD
    assert made.counts.problems == {"direction_wrong": 1}


@each(
    ("said", "code"),
    [
        (verdict("CONDITION", "known is lost"), "condition_changed"),
        ("RESULT: a count", "result_changed"),
        (verdict("WORDING"), "unnatural"),
        (verdict("FAIL", "no", "Whom does Adam have?"), "audit_failed"),
        ("maybe", "audit_failed"),
        (verdict("GOOD"), "audit_failed"),
    ],
)
def test_other_verdicts_go_back_to_the_writer(said: str, code: str) -> None:
    session = script(["Whose parent is Ada?", GOOD], [said])
    made = run(asked_for(CHILDREN), session)
    assert made.asked.questions[0].question == GOOD
    assert made.counts.problems[code] == 1
    again = [call for call in session.calls if call.purpose == "cypher_question"][1]
    assert "Whose parent is Ada?" in rejections_in(again)[0]


def test_calls_are_estimated_replayed_and_counted() -> None:
    asked = asked_for(CHILDREN, LARGE, IN_1900)
    said = {"q00001": GOOD, "q00002": "Which towns cover 12.5 km² or more?"}

    def say(call: Call) -> str:
        text = said.get(call.subject, "Which people lived in Arden in 1900?")
        return verdict("PASS") if call.purpose == "cypher_audit" else text

    inputs = make_cypher_inputs(asked, SCHEMA, GLOSSES, TEMPLATES, "text")
    planned = estimate(inputs, calls_of(), None)
    calls = [(part.label, part.typical.calls) for part in planned.purposes]
    assert calls == [("questions", 3), ("audits", 3)]
    made = [run(asked, Scripted(say, shuffle)) for shuffle in (None, 1, 2)]
    assert made[0] == made[1] == made[2]
    trace = ModelTrace(made[0].journal, "", GLOSSES.to_toml())
    counts = count_model(trace)
    assert counts["audits"] == {"passed": 3, "failed": 0, "unreadable": 0}
    assert len(lines(made[0])) == 6


def test_a_prompt_file_is_checked(tmp_path: Any) -> None:
    own = tmp_path / "own.toml"
    text = KINDS["cypher"].wording.loaded("cypher", "").text
    own.write_text(text.replace("{cypher}", "{cyphre}"), "utf-8")
    with pytest.raises(ConfigError, match=r"\[cypher_question\].*cyphre.*did you mean.*cypher"):
        KINDS["cypher"].wording.loaded("cypher", str(own))
