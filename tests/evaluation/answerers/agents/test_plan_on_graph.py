import json

from rulemine.evaluation.answerers.agents.plan_on_graph import PlanOnGraph
from rulemine.evaluation.answerers.protocol import OpenQuestion
from tests import each
from tests.evaluation.answerers import scripted
from tests.evaluation.answerers.scripted import AUTHOR, BORN, QUESTION, Script, run, shown, told

GOALS = ["Find the author", "Find the country"]
PAGES = ("Dune", "pages", "412")
MORE = '{"Sufficient": "No", "Answer": [], "Reason": ""}'


def enough(answer, sufficient="Yes"):
    return json.dumps({"Sufficient": sufficient, "Answer": answer, "Reason": "stated"})


def conversed(*relations, answer, goals="?", **more):
    """Replies of a run that takes one relation after another, and keeps nothing in mind."""
    followed = sum(1 for r in relations if r not in ("none", "?"))
    steps = {"memory": ["{}"] * followed, **more}
    return Script(objectives=[goals], relations=relations, answer=answer, **steps)


def test_it_explores_until_the_memory_suffices():
    script = conversed(
        '["author"]', '["born", "lived"]', '["country"]', goals=json.dumps(GOALS),
        entities=['["Tacoma"]'], answer=[MORE, MORE, enough(["USA"]), "USA"],
        memory=['{"Find the author": "Frank"}', '{"Find the country": ["Tacoma"]}', "{}"],
        reflect=['{"Go back": "No"}'] * 2,
    )  # fmt: skip
    found = run(PlanOnGraph(), script)
    lived, country = ("Frank", "lived", "Tacoma"), ("Tacoma", "country", "USA")
    assert (found.text, found.retrieved) == ("USA", [AUTHOR, BORN, lived, country])
    assert shown(script.calls[0]) == [f"Question: {QUESTION.question}"]
    assert shown(script.calls[1])[1:4] == [
        "Objectives: Find the author; Find the country",
        "Entity: Dune",
        "Choose at most 3 of these relations:",
    ]
    memory = 'Memory: {"Find the author": "", "Find the country": ""}'
    assert shown(script.calls[2])[1:] == [memory, "New triples:", "(Dune, author, Frank)"]
    assert told(script) == [
        *(" | ".join(triple) for triple in found.retrieved),
        *("", "Thoughts so far:", "Find the author: Frank", "Find the country: Tacoma"),
        "Concluded: USA",
    ]
    assert {call.temperature for call in script.calls[:-1]} == {0.3}
    assert {call.max_tokens for call in script.calls[:-1]} == {4096}


def test_it_stops_where_the_answer_is_a_name():
    """Of the graph, or in a sentence one that was seen."""
    for said, stops in (
        (enough(["USA"]), True), (enough("USA", True), True), (enough("It is the USA."), False),
        (enough("It is Frank."), True), (enough("none"), False), (enough(["Atlantis", 7]), False),
        (enough([]), False), (enough(["USA"], "No"), False), (enough(["USA"], None), False),
        ('["USA"]', False), ("USA", False),
    ):  # fmt: skip
        more = [] if stops else ["none"]
        script = conversed("author", *more, answer=[said, "USA"], reflect=["no"] * len(more))
        assert run(PlanOnGraph(), script).text == "USA"
        assert any(line.startswith("Concluded") for line in told(script)) is stops, said


BACK = {"reflect": ['{"Go back": "Yes"}'], "return": ["Dune"]}
FAILS = {"memory": [scripted.broken], "reflect": [scripted.broken], "goals": scripted.broken}
RUNS = [
    ({"returns": 1}, conversed("pages", "author", "none", "none", answer=[MORE, MORE, "x"], **BACK),
     [PAGES, AUTHOR]),
    ({"returns": 0}, conversed("pages", "none", answer=[MORE, "x"]), [PAGES]),
    ({}, conversed("author", "?", answer=[scripted.broken, "x"], **FAILS), [AUTHOR]),
    ({}, conversed("?", answer=["x"]), []),
    # after the last round it answers from the triples
    ({"depth": 1}, conversed("author", answer=[MORE, "x"]), [AUTHOR]),
    ({"depth": 1, "relations": 1}, conversed("pages, author", answer=[MORE, "x"]), [PAGES]),
]  # fmt: skip


@each(("options", "script", "retrieved"), RUNS)
def test_it_answers_from_what_it_found(options, script, retrieved):
    assert run(PlanOnGraph(**options), script).retrieved == retrieved
    assert told(script) == [" | ".join(triple) for triple in retrieved]


def test_it_goes_back_to_entities_seen_before():
    script = conversed("pages", "author", "none", answer=[MORE, enough("Frank"), "Frank"], **BACK)
    assert run(PlanOnGraph(), script).retrieved == [PAGES, AUTHOR]
    calls = dict(zip(script.steps, script.calls, strict=True))
    assert shown(calls["return"])[2:] == ["Choose among these entities:", "Dune"]
    again = [call for call in script.calls if call.purpose.endswith("relations")][1]
    assert shown(again)[4:] == ["author", "inverse of holds"], "pages was taken already"


def test_of_many_neighbors_the_nearest_by_words_are_offered_and_five_followed():
    near = "the author of Dune"
    names = [f"person {number}" for number in range(80)] + [near]
    star = scripted.graph([("Dune", "likes", name) for name in names])
    script = conversed("likes", answer=[MORE, "x"], entities=[near])
    assert run(PlanOnGraph(depth=1), script, star).retrieved == [("Dune", "likes", near)]
    heading, *offered = shown(script.calls[2])[2:]
    assert (heading, len(offered)) == ("Choose among these entities (70 of 81):", 70)
    star = scripted.graph([("Dune", "likes", f"p{n}") for n in range(9)] + [("p0", "r", "q")])
    script = Script(
        lambda call: "\n".join(shown(call)[3:]) if call.purpose.endswith("entities")
        else "likes" if call.purpose.endswith("relations") else MORE
    )  # fmt: skip
    run(PlanOnGraph(depth=2), script, star)
    explored = [line for call in script.calls for line in shown(call) if "Entity:" in line]
    assert len(explored) <= 1 + 5
    assert len(next(shown(c) for c in script.calls if "reflect" in c.purpose)[2].split(";")) == 5


def test_the_worst_case_happens():
    """Everything leads to everything, all of it is followed, and it always goes back."""
    names = [f"n{number}" for number in range(6)]
    edges = [(a, f"r{k:02}", b) for a in names for b in names for k in range(20) if a != b]

    def says(call):
        step, lines = call.purpose.rpartition("-")[2], shown(call)
        offered = {"relations": lines[4:], "entities": lines[3:], "return": lines[3:]}
        return "\n".join(offered.get(step, ["yes"]))

    for topics, expected in ((1, 80), (5, 96), (6, 96)):
        several = OpenQuestion("q4", "?", tuple(names[:topics]))
        found = run(PlanOnGraph(), Script(says), scripted.graph(edges), several)
        assert found.calls == PlanOnGraph().worst_calls(topics) == expected
    assert PlanOnGraph(returns=0).worst_calls(5) == 90
