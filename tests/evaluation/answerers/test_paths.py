from rulemine.evaluation.answerers.final_answer import final_messages
from rulemine.evaluation.answerers.paths import Paths, read_plans, walks_along
from rulemine.evaluation.answerers.protocol import OpenQuestion
from rulemine.evaluation.answerers.surroundings import Surroundings
from tests.evaluation.answerers.scripted import Script, asked, broken, graph, run

TRIPLES = [
    ("ann", "mother", "eve"), ("bob", "mother", "eve"), ("ann", "likes", "eve"), ("ann", "likes", "bob"),
    ("bob", "likes", "tea"),
]  # fmt: skip
KG = graph(TRIPLES)
SIBLINGS = OpenQuestion("q1", "Who is a sibling of ann?", ("ann",))


def found_with(plan, options=None, **question):
    notes, script = [], Script(plan=[plan], answer=["bob"])
    asks = SIBLINGS._replace(**question)
    found = run(Paths(**options or {}), script, KG, asks, note=notes.append)
    assert (found.text, found.calls) == ("bob", 2)
    return found, script, notes


def lines(topic, *plan, order=None):
    return [line for line, _ in walks_along(Surroundings(KG), topic, plan, order or {})]


def test_plans_are_relations_with_arrows_between():
    cases = {
        "a -> b\nb": [("a", "b"), ("b",)], "`a` -> 'b'": [("a", "b")], "a\na": [("a",)], "": [],
        "1. a -> b\n(2) b\n- a → a": [("a", "b"), ("b",), ("a", "a")],
        "a -> c\na ->\n-> a\n\nThe path is a": [], "a -> a -> a -> a": [],
    }  # fmt: skip
    assert {text: read_plans(text, {"a", "b"}, 3) for text in cases} == cases


def test_steps_follow_a_relation_in_either_direction_and_no_edge_twice():
    assert lines("ann", "mother", "mother") == ["ann -[mother]-> eve <-[mother]- bob"]
    assert lines("tea", "likes") == ["tea <-[likes]- bob"]
    assert lines("tea", "mother") == lines("nobody", "mother") == []
    # Parallel edges are all kept.
    assert lines("ann", "likes") == ["ann -[likes]-> bob", "ann -[likes]-> eve"]
    assert lines("ann", "likes", order={"eve": 0, "bob": 1})[0] == "ann -[likes]-> eve"
    # No walk is begun that does not end: ann likes eve leads nowhere.
    assert lines("ann", "likes", "likes") == ["ann -[likes]-> bob -[likes]-> tea"]
    assert lines("ann", "likes", "mother") == [
        "ann -[likes]-> bob -[mother]-> eve",
        "ann -[likes]-> eve <-[mother]- ann",
        "ann -[likes]-> eve <-[mother]- bob",
    ]


def test_the_model_plans_and_is_shown_where_its_paths_lead():
    found, script, notes = found_with("mother -> mother\nlikes -> knows\nlikes")
    plan, answer = script.calls
    for words in (
        "likes\nmother", "Topic entities: ann\n", "at most 3 relation paths", "from subject to object or back"
    ):  # fmt: skip
        assert words in asked(plan)
    walks = ["ann -[mother]-> eve <-[mother]- bob", "ann -[likes]-> bob", "ann -[likes]-> eve"]
    written = (
        "a walk a line: subject -[relation]-> object, or object <-[relation]- subject, and so on"
    )
    assert list(answer.messages) == final_messages(SIBLINGS.question, walks, written=written)
    assert found.retrieved == [TRIPLES[0], TRIPLES[1], TRIPLES[3], TRIPLES[2]]
    assert notes == []


def test_a_plan_that_fails_or_leads_nowhere_leaves_the_question_alone():
    for plan in (broken, "I do not know.", "knows -> likes", "likes -> likes -> likes -> likes"):
        found, script, _ = found_with(plan)
        assert found.retrieved == []
        assert list(script.calls[1].messages) == final_messages(SIBLINGS.question)


def test_caps_are_kept_and_stated():
    for plan, options, kept, told in (
        ("likes\nmother", {"plans": 1, "max_paths": 1}, [TRIPLES[3]], True),
        ("likes", {"max_characters": 20}, [TRIPLES[3]], True),
        ("likes -> likes", {"length": 1}, [], False),
    ):
        found, _, notes = found_with(plan, options)
        assert (found.retrieved, bool(notes)) == (kept, told)
        assert not notes or "1 of 1 questions there are more paths than fit" in notes[0]
    _, script, _ = found_with("likes", {"max_relations": 1}, question="Whose mother?")
    assert "graph (1 of 2):\nmother\n\n" in asked(script.calls[0])
