from typing import Any

import pytest

from rulemine.evaluation.answerers.final_answer import final_messages
from rulemine.evaluation.answerers.paths import Paths, read_plans, walks_along
from rulemine.evaluation.answerers.protocol import Answered, OpenQuestion
from rulemine.evaluation.answerers.surroundings import Surroundings
from rulemine.kg.graph import KnowledgeGraph
from rulemine.llm.call import Failure
from tests.evaluation.answerers.test_prompted import FAILED, Model, asked, given

TRIPLES = [
    ("ann", "mother", "eve"),
    ("bob", "mother", "eve"),
    ("ann", "likes", "eve"),
    ("ann", "likes", "bob"),
    ("bob", "likes", "tea"),
]
KG = KnowledgeGraph.from_triples(TRIPLES)
GRAPH = Surroundings(KG)
SIBLINGS = OpenQuestion("q1", "Who is a sibling of ann?", ("ann",))


def found_with(
    plan: str | Failure, options: dict[str, Any] | None = None, **question: Any
) -> tuple[Answered, Model, list[str]]:
    notes: list[str] = []
    model = Model(lambda call: plan if call.purpose == "plan" else "bob")
    asks = SIBLINGS._replace(**question)
    [found] = Paths(**options or {})(given(model, kg=KG, note=notes.append), [asks])
    assert (found.text, found.calls) == ("bob", 2)
    return found, model, notes


def lines(topic: str, *plan: str, order: dict[str, int] | None = None) -> list[str]:
    return [line for line, _ in walks_along(GRAPH, topic, plan, order or {})]


@pytest.mark.parametrize(
    ("text", "plans"),
    [
        ("a -> b\nb", [("a", "b"), ("b",)]),
        ("1. a -> b\n(2) b\n- a → a", [("a", "b"), ("b",), ("a", "a")]),
        ("`a` -> 'b'", [("a", "b")]),
        ("a\na", [("a",)]),
        ("a -> c\na ->\n-> a\n\nThe path is a", []),
        ("a -> a -> a -> a", []),
        ("", []),
    ],
)
def test_plans_are_relations_with_arrows_between(text: str, plans: list[tuple[str, ...]]) -> None:
    assert read_plans(text, {"a", "b"}, 3) == plans


def test_steps_follow_a_relation_in_either_direction_and_no_edge_twice() -> None:
    assert lines("ann", "mother", "mother") == ["ann -[mother]-> eve <-[mother]- bob"]
    assert lines("tea", "likes") == ["tea <-[likes]- bob"]
    assert lines("tea", "mother") == lines("nobody", "mother") == []


def test_parallel_edges_are_all_kept() -> None:
    assert lines("ann", "mother") == ["ann -[mother]-> eve"]
    assert lines("ann", "likes") == ["ann -[likes]-> bob", "ann -[likes]-> eve"]
    assert lines("ann", "likes", order={"eve": 0, "bob": 1})[0] == "ann -[likes]-> eve"


def test_no_walk_is_begun_that_does_not_end() -> None:
    assert lines("ann", "likes", "likes") == ["ann -[likes]-> bob -[likes]-> tea"]
    # ann likes eve leads nowhere, and of bob only what is not the way back
    assert lines("ann", "likes", "mother") == [
        "ann -[likes]-> bob -[mother]-> eve",
        "ann -[likes]-> eve <-[mother]- ann",
        "ann -[likes]-> eve <-[mother]- bob",
    ]


def test_the_model_plans_and_is_shown_where_its_paths_lead() -> None:
    found, model, notes = found_with("mother -> mother\nlikes -> knows\nlikes")
    plan, answer = model.calls
    assert "likes\nmother" in asked(plan)
    assert "Topic entities: ann\n" in asked(plan)
    assert "at most 3 relation paths" in asked(plan)
    shown = [
        "ann -[mother]-> eve <-[mother]- bob", "ann -[likes]-> bob", "ann -[likes]-> eve"
    ]  # fmt: skip
    assert "from subject to object or back" in asked(plan)
    walks = (
        "a walk a line: subject -[relation]-> object, or object <-[relation]- subject, and so on"
    )
    assert list(answer.messages) == final_messages(SIBLINGS.question, shown, written=walks)
    assert found.retrieved == [TRIPLES[0], TRIPLES[1], TRIPLES[3], TRIPLES[2]]
    assert notes == []


def test_a_plan_that_fails_or_leads_nowhere_leaves_the_question_alone() -> None:
    for plan in (FAILED, "I do not know.", "knows -> likes", "likes -> likes -> likes -> likes"):
        found, model, _ = found_with(plan)
        assert found.retrieved == []
        assert list(model.calls[1].messages) == final_messages(SIBLINGS.question)


def test_caps_are_kept_and_stated() -> None:
    found, _, notes = found_with("likes\nmother", {"plans": 1, "max_paths": 1})
    assert found.retrieved == [TRIPLES[3]]
    assert "1 of 1 questions there are more paths than fit" in notes[0]
    found, _, notes = found_with("likes", {"max_characters": 20})
    assert found.retrieved == [TRIPLES[3]]
    assert notes
    found, _, _ = found_with("likes -> likes", {"length": 1})
    assert found.retrieved == []
    _, model, _ = found_with("likes", {"max_relations": 1}, question="Whose mother?")
    assert "graph (1 of 2):\nmother\n\n" in asked(model.calls[0])
