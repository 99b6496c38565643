from dataclasses import replace

from rulemine.phrasing.glosses import Gloss, Glosses, load_glosses
from rulemine.phrasing.templates import Templates, load_templates
from rulemine.verbalizer.options import VerbalizerSection
from rulemine.verbalizer.prompts import load_prompts
from rulemine.verbalizer.requests import MOST_CHOICES, SEEDS, Calls, round_trip_choices
from tests.verbalizer.test_prompts import brief

PROMPTS = load_prompts("")
CHOSEN = VerbalizerSection(name="openai", model="small", judge_model="large")
FAMILY = load_glosses("", load_templates("family", ["aunt", "uncle", "son"]))


def many() -> Glosses:
    packaged = load_templates("fb15k237", load_templates("fb15k237", []).unused)
    return load_glosses("", packaged)


def test_each_call_says_what_it_is_for():
    about, made = brief(), Calls(PROMPTS, CHOSEN, 5, FAMILY)
    calls = [
        made.question(about, ()),
        made.paraphrase(about, ["a?"], 2, ()),
        made.audit(about, "a?"),
        made.round_trip(about, "a?"),
        made.gloss("aunt", [("7", "aunt", "72")], ()),
    ]
    purposes = ["question", "paraphrase", "audit", "round_trip", "gloss"]
    assert [call.purpose for call in calls] == purposes
    assert [call.model for call in calls] == ["small", "small", "large", "small", "small"]
    assert [call.subject for call in calls] == ["q00001"] * 4 + ["aunt"]
    assert {call.seed for call in calls} == {5}
    assert {call.temperature for call in calls} == {0.0}
    assert {call.max_tokens for call in calls} == {CHOSEN.max_tokens}
    keys = [tuple(call.schema["required"]) for call in calls]
    assert keys == [
        ("question",),
        ("questions",),
        ("verdict", "reason"),
        ("relation", "direction"),
        ("statement", "subjects", "objects"),
    ]
    assert len({call.key for call in calls}) == len(calls)


def test_parameters_that_endpoints_refuse_are_left_out_or_cut():
    call = Calls(PROMPTS, replace(CHOSEN, temperature=-1.0), SEEDS + 3).question(brief(), ())
    assert call.temperature is None
    assert "temperature" not in call.request
    assert call.seed == 3


def test_a_few_relations_are_all_choices():
    assert round_trip_choices("son", FAMILY, 0) == ("aunt", "son", "uncle")
    call = Calls(PROMPTS, CHOSEN, 0, FAMILY).round_trip(brief(), "Who?")
    lines = call.messages[1]["content"].split("\n")
    assert "aunt: S is the aunt of O" in lines
    assert "uncle: S is the uncle of O" in lines


def test_of_many_relations_the_nearest_come_along():
    glosses = many()
    assert len(glosses.rows) > MOST_CHOICES
    for row in glosses.rows[::7]:
        choices = round_trip_choices(row.relation, glosses, 0)
        assert len(choices) == len(set(choices)) == MOST_CHOICES
        assert row.relation in choices
        assert list(choices) == sorted(choices)
        assert round_trip_choices(row.relation, glosses, 0) == choices
    choices = round_trip_choices("/film/film/genre", glosses, 0)
    assert "/tv/tv_program/genre" in choices


def test_the_seed_draws_between_relations_that_are_equally_near():
    names = [f"r{n:03}" for n in range(100)]
    rows = (
        Gloss(name, f"{{subject}} {name}s {{object}}", "x {topic}", "y {topic}", "model")
        for name in names
    )
    glosses = Glosses(tuple(rows))
    drawn = [round_trip_choices("r050", glosses, seed) for seed in range(5)]
    assert len(set(drawn)) == 5
    assert set().union(*drawn) > set(drawn[0])


def test_relations_that_no_question_tells_apart_are_no_choices():
    templates = load_templates("family", ["aunt", "uncle"]).rows
    twin = replace(templates[0], relation="tante", statement="{object} is the aunt of {subject}")
    glosses = load_glosses("", Templates((*templates, twin)))
    assert round_trip_choices("aunt", glosses, 0) == ("aunt", "uncle")
    assert round_trip_choices("uncle", glosses, 0) == ("aunt", "tante", "uncle")
