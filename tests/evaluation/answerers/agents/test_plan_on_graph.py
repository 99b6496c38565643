import json
from typing import Any

import pytest

from rulemine.evaluation.answerers.agents.plan_on_graph import PlanOnGraph
from rulemine.evaluation.answerers.protocol import OpenQuestion
from rulemine.llm.call import Call
from tests.evaluation.answerers.scripted import QUESTION, Script, broken, graph, run, shown, told

GOALS = ["Find the author", "Find the country"]
AUTHOR, BORN = ("Dune", "author", "Frank"), ("Frank", "born", "Tacoma")
COUNTRY = ("Tacoma", "country", "USA")
MORE = '{"Sufficient": "No", "Answer": [], "Reason": ""}'


def enough(answer: Any, sufficient: Any = "Yes") -> str:
    return json.dumps({"Sufficient": sufficient, "Answer": answer, "Reason": "stated"})


def test_it_explores_until_the_memory_suffices() -> None:
    script = Script(
        objectives=[json.dumps(GOALS)],
        relations=['["author"]', '["born", "lived"]', '["country"]'],
        entities=['["Tacoma"]'],
        memory=['{"Find the author": "Frank"}', '{"Find the country": ["Tacoma"]}', "{}"],
        answer=[MORE, MORE, enough(["USA"]), "USA"],
        reflect=['{"Go back": "No"}'] * 2,
    )
    found = run(PlanOnGraph(), script)
    assert found.text == "USA"
    assert found.retrieved == [AUTHOR, BORN, ("Frank", "lived", "Tacoma"), COUNTRY]
    assert shown(script.calls[1])[1:4] == [
        "Objectives: Find the author; Find the country",
        "Entity: Dune",
        "Choose at most 3 of these relations:",
    ]
    assert shown(script.calls[2])[1:] == [
        'Memory: {"Find the author": "", "Find the country": ""}',
        "New triples:",
        "(Dune, author, Frank)",
    ]
    assert told(script) == [
        *("Dune | author | Frank", "Frank | born | Tacoma", "Frank | lived | Tacoma"),
        *("Tacoma | country | USA", "", "Thoughts so far:"),
        *("Find the author: Frank", "Find the country: Tacoma", "Concluded: USA"),
    ]
    assert {call.temperature for call in script.calls[:-1]} == {0.3}
    assert {call.max_tokens for call in script.calls[:-1]} == {4096}


@pytest.mark.parametrize(
    ("said", "stops"),
    [
        (enough(["USA"]), True),
        (enough("USA", True), True),
        (enough("It is the USA."), False),
        (enough("It is Frank."), True),
        (enough("none"), False),
        (enough(["Atlantis", 7]), False),
        (enough([]), False),
        (enough(["USA"], "No"), False),
        (enough(["USA"], None), False),
        ('["USA"]', False),
        ("USA", False),
    ],
)
def test_it_stops_where_the_answer_is_a_name(said: str, stops: bool) -> None:
    """Of the graph, or in a sentence one that was seen."""
    script = Script(
        objectives=["[]"],
        relations=["author"] if stops else ["author", "none"],
        memory=["{}"],
        answer=[said, "USA"],
        reflect=[] if stops else ["no"],
    )
    found = run(PlanOnGraph(), script)
    concluded = [line for line in told(script) if line.startswith("Concluded")]
    assert bool(concluded) == stops
    assert found.text == "USA"


def test_it_goes_back_to_entities_seen_before() -> None:
    script = Script(
        objectives=["?"],
        relations=["pages", "author", "none"],
        memory=["{}"] * 2,
        answer=[MORE, enough("Frank"), "Frank"],
        reflect=['{"Go back": "Yes"}'],
        **{"return": ["Dune"]},
    )
    found = run(PlanOnGraph(), script)
    assert found.retrieved == [("Dune", "pages", "412"), AUTHOR]
    calls = dict(zip(script.steps, script.calls, strict=True))
    assert shown(calls["return"])[2:] == ["Choose among these entities:", "Dune"]
    again = [call for call in script.calls if call.purpose.endswith("relations")][1]
    assert shown(again)[4:] == ["author", "inverse of holds"], "pages was taken already"
    assert shown(calls["objectives"]) == [f"Question: {QUESTION.question}"]


def test_it_goes_back_so_often_and_no_more() -> None:
    script = Script(
        objectives=["?"], relations=["pages", "none"], memory=["{}"], answer=[MORE, "x"]
    )
    run(PlanOnGraph(returns=0), script)
    script = Script(
        objectives=["?"],
        relations=["pages", "author", "none", "none"],
        memory=["{}"] * 2,
        answer=[MORE, MORE, "x"],
        reflect=["yes"],
        **{"return": ["Dune"]},
    )
    run(PlanOnGraph(returns=1), script)


def test_nothing_found_is_answered_from_what_is_known() -> None:
    script = Script(
        objectives=[broken], relations=["author", "?"], memory=[broken], answer=[broken, "USA"],
        reflect=[broken],
    )  # fmt: skip
    found = run(PlanOnGraph(), script)
    assert (found.text, found.retrieved) == ("USA", [AUTHOR])
    script = Script(objectives=["?"], relations=["?"], answer=["none"])
    found = run(PlanOnGraph(), script)
    assert (found.text, found.retrieved) == ("", [])
    assert told(script) == [], "without any triples"


def test_nothing_new_is_not_thought_about_again() -> None:
    """From Frank back to Dune along the triple that led there, and on from Dune."""
    script = Script(
        objectives=["?"], relations=["author", "inverse of author", "pages"], memory=["{}"] * 2,
        entities=["Dune"], reflect=["no"] * 2, answer=[MORE, enough("412"), "412"],
    )  # fmt: skip
    found = run(PlanOnGraph(), script)
    assert found.retrieved == [AUTHOR, ("Dune", "pages", "412")]


def test_after_the_last_round_it_answers_from_the_triples() -> None:
    script = Script(objectives=["?"], relations=["author"], memory=["{}"], answer=[MORE, "USA"])
    found = run(PlanOnGraph(depth=1), script)
    assert (found.text, found.retrieved) == ("USA", [AUTHOR])
    assert told(script) == ["Dune | author | Frank"]


def test_no_more_relations_are_followed_than_allowed() -> None:
    script = Script(
        objectives=["?"], relations=["pages, author"], memory=["{}"], answer=[MORE, "x"]
    )
    assert run(PlanOnGraph(depth=1, relations=1), script).retrieved == [("Dune", "pages", "412")]


def test_of_many_neighbors_the_nearest_by_words_are_offered() -> None:
    names = [f"person {number}" for number in range(80)] + ["the author of Dune"]
    star = graph([("Dune", "likes", name) for name in names])
    script = Script(
        objectives=["?"], relations=["likes"], entities=["the author of Dune"], memory=["{}"],
        answer=[MORE, "x"],
    )  # fmt: skip
    found = run(PlanOnGraph(depth=1), script, star)
    heading, *offered = shown(script.calls[2])[2:]
    assert heading == "Choose among these entities (70 of 81):"
    assert len(offered) == 70
    assert found.retrieved == [("Dune", "likes", "the author of Dune")]


def test_the_frontier_is_bounded() -> None:
    star = graph([("Dune", "likes", f"p{number}") for number in range(9)] + [("p0", "r", "q")])
    script = Script(
        lambda call: "\n".join(shown(call)[3:]) if call.purpose.endswith("entities")
        else "likes" if call.purpose.endswith("relations") else MORE
    )  # fmt: skip
    run(PlanOnGraph(depth=2), script, star)
    explored = [line for call in script.calls for line in shown(call) if "Entity:" in line]
    assert len(explored) <= 1 + 5
    assert len(next(shown(c) for c in script.calls if "reflect" in c.purpose)[2].split(";")) == 5


def test_the_worst_case_happens() -> None:
    """Everything leads to everything, all of it is followed, and it always goes back."""
    names = [f"n{number}" for number in range(6)]
    dense = graph([(a, f"r{k:02}", b) for a in names for b in names for k in range(20) if a != b])

    def says(call: Call) -> str:
        step = script.steps[-1]
        lines = shown(call)
        if step == "relations":
            return "\n".join(lines[4:])
        return "\n".join(lines[3:]) if step in ("entities", "return") else "yes"

    for topics, expected in ((1, 80), (5, 96), (6, 96)):
        script = Script(says)
        found = run(PlanOnGraph(), script, dense, OpenQuestion("q4", "?", tuple(names[:topics])))
        assert PlanOnGraph().worst_calls(topics) == expected
        assert found.calls == expected
    assert PlanOnGraph(returns=0).worst_calls(5) == 90
