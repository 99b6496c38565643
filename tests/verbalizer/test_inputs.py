from dataclasses import replace

import numpy as np

from rulemine.kg.entity_names import EntityNames
from rulemine.kg.graph import KnowledgeGraph
from rulemine.phrasing.glosses import load_glosses
from rulemine.phrasing.templates import load_templates
from rulemine.release.naming import name_entities
from rulemine.release.question_set import QuestionSet
from rulemine.verbalizer.inputs import find_homonyms, make_inputs
from tests.kinds.rules.asking import question

FACTS = [
    ("m1", "lives_in", "ayr"),
    ("m1", "speaks", "gaelic"),
    ("m1", "parent_of", "kim"),
    ("m1", "parent_of", "lee"),
    ("m1", "works_with", "m1"),
    ("ann", "parent_of", "m1"),
    ("m2", "lives_in", "ayr"),
    ("zoe", "lives_in", "ayr"),
]
LABELS = {
    "m1": "Jo Day",
    "m2": "Jo Day",
    "ann": "Ann",
    "ayr": "Ayr",
    "gaelic": "Gaelic",
    "zoe": "Zoe",
}
KG = KnowledgeGraph.from_triples(FACTS)
GLOSSES = load_glosses("", load_templates("demo", KG.relations))


def asked(*questions) -> QuestionSet:
    names = name_entities(KG.entities, seed=1, labels=LABELS)
    return QuestionSet(questions, (), names, len(names))


def inputs(*questions, naming="text", removed=(("m1", "parent_of", "kim"),), seed=0):
    rows = np.array([KG.labeled().index(triple) for triple in removed], np.int64)
    return make_inputs(asked(*questions), KG, rows, GLOSSES, naming, seed)


CHILDREN = replace(question(1, ("m1", "parent_of", "kim")), answers=("kim", "lee"))
TOWN = question(2, ("zoe", "lives_in", "ayr"))


def test_an_input_names_everything_in_the_naming_of_the_prompts():
    (item,) = inputs(CHILDREN)
    assert item.removed == ("Jo Day (m1)", "parent_of", "kim")
    assert item.asked == "every X such that “Jo Day (m1) is a parent of X”"
    assert (item.shown()["topic"], item.shown()["answer"]) == ("Jo Day (m1)", "kim")
    assert {row.entity for _, rows in item.hidden for row in rows} == {"kim", "lee"}
    assert item.gloss.statement == "{subject} is a parent of {object}"
    assert item.question is CHILDREN
    (item,) = inputs(CHILDREN, naming="private")
    assert item.removed[0] == item.topics[0].private == item.shown()["topic"]


def test_the_topic_is_not_among_the_answers():
    loop = replace(question(1, ("m1", "parent_of", "kim")), answers=("kim", "m1"))
    (item,) = inputs(loop)
    assert {row.entity for _, rows in item.hidden for row in rows} == {"kim"}


def test_homonyms_get_context_from_the_incomplete_graph_without_answers():
    stated = {
        "Jo Day (m1) lives in Ayr",
        "Jo Day (m1) speaks Gaelic",
        "Ann is a parent of Jo Day (m1)",
    }
    seen = set()
    for seed in range(20):
        (item,) = inputs(CHILDREN, seed=seed)
        assert len(item.context) == len(set(item.context)) == 2
        assert set(item.context) <= stated
        assert inputs(CHILDREN, seed=seed) == [item]
        seen.update(item.context)
    assert seen == stated


def test_facts_that_hold_of_few_come_first(monkeypatch):
    monkeypatch.setattr("rulemine.verbalizer.inputs.DISTINCTIVE", 2)
    for seed in range(20):  # three live in Ayr
        (item,) = inputs(CHILDREN, seed=seed)
        assert set(item.context) == {"Jo Day (m1) speaks Gaelic", "Ann is a parent of Jo Day (m1)"}


def test_a_removed_fact_is_no_context():
    gone = [("m1", "parent_of", "kim"), ("m1", "speaks", "gaelic"), ("ann", "parent_of", "m1")]
    (item,) = inputs(CHILDREN, removed=gone)
    assert item.context == ("Jo Day (m1) lives in Ayr",)


def test_there_may_be_no_fact_to_tell():
    left = [("m1", "parent_of", "lee"), ("m1", "works_with", "m1")]  # an answer, and itself
    gone = [triple for triple in FACTS if "m1" in triple and triple not in left]
    (item,) = inputs(CHILDREN, removed=gone)
    assert item.context == ()


def test_the_context_does_not_depend_on_other_questions():
    alone, together = inputs(CHILDREN), inputs(TOWN, CHILDREN, TOWN)
    assert together[1] == alone[0]
    assert [item.question.id for item in together] == ["q00002", "q00001", "q00002"]


def test_only_homonyms_get_context_and_only_in_labels():
    (item,) = inputs(TOWN)
    assert item.context == ()
    for naming in ("private", "entity", "numeric"):
        (item,) = inputs(CHILDREN, naming=naming)
        assert item.context == ()


def test_no_questions_no_inputs():
    assert inputs() == []


def test_homonyms_are_those_whose_label_was_made_unique():
    labels = {
        "a": "Paris",
        "b": "Paris",
        "c": "Rome",
        "d": "Rome (c)",
        "e": "Oslo (e)",
        "f": "Paris (a)",
    }
    assert find_homonyms(name_entities(sorted(labels), seed=0, labels=labels)) == {"a", "b"}
    assert find_homonyms([EntityNames("e0", "x", "x (x)")]) == frozenset()
