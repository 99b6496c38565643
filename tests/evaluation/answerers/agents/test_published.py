"""The agents of four papers, led through every branch by a model that says what is written here."""

import json

import pytest

from rulemine.errors import ConfigError
from rulemine.evaluation.answerers.agents.generate_on_graph import (
    GenerateOnGraph,
    read_action,
    read_proposals,
)
from rulemine.evaluation.answerers.agents.plan_on_graph import PlanOnGraph
from rulemine.evaluation.answerers.agents.struct_gpt import StructGPT
from rulemine.evaluation.answerers.agents.think_on_graph import ThinkOnGraph, read_ratings
from rulemine.evaluation.answerers.protocol import OpenQuestion
from tests import each
from tests.evaluation.answerers.scripted import (
    AUTHOR,
    BORN,
    KG,
    QUESTION,
    Script,
    broken,
    graph,
    run,
    shown,
    told,
)

FRANK = OpenQuestion("q2", "Where did Frank live?", ("Frank",))
COUNTRY = ("Tacoma", "country", "USA")
LIVED = "{lived (Score: 0.5)}, {born (Score: 0.3)}, {inverse of author (Score: 0.4)}"


def rated(*names):
    return "\n".join(f"{{{name} (Score: {1 - at / 10})}}" for at, name in enumerate(names))


def test_it_walks_until_the_triples_suffice():
    script = Script(
        relations=[rated("author"), rated("born"), rated("country")],
        entities=[],
        enough=["{No}", "no", "{Yes}"],
        answer=["USA"],
    )
    found = run(ThinkOnGraph(), script)
    assert (found.text, found.retrieved) == ("USA", [AUTHOR, BORN, COUNTRY])
    assert told(script) == [" | ".join(triple) for triple in found.retrieved]
    known = ["Triples:", "(Dune, author, Frank)", "(Frank, born, Tacoma)"]
    assert shown(script.calls[3])[1:] == known
    assert shown(script.calls[0]) == [
        f"Question: {QUESTION.question}",
        "Entity: Dune",
        "Choose at most 3 of these relations:",
        *("author", "inverse of holds", "pages"),
    ]
    assert shown(script.calls[2])[3:] == ["born", "lived"], (
        "no inverse of author, the way just come"
    )
    assert [call.temperature for call in script.calls] == [0.4, 0.0] * 3 + [0.0]
    assert {call.max_tokens for call in script.calls} == {256}
    assert (found.calls, found.prompt_tokens, found.completion_tokens) == (7, 70, 7)


BOTH = "{pages (Score: 0.1)} {author (Score: 0.3)}"
WALKS = [
    # nothing follows: answered from what was found; nothing is found; the last round is over
    ({}, QUESTION, {"relations": [rated("author"), "?"], "enough": ["{No}"]}, [AUTHOR], True),
    ({}, QUESTION, {"relations": ["{author (Score: 0)}"]}, [], False),
    ({"depth": 1}, QUESTION, {"relations": [rated("author")], "enough": ["{No}"]}, [AUTHOR], False),
    ({"width": 1}, QUESTION, {"relations": [BOTH], "enough": ["{Yes}"]}, [AUTHOR], True),
    # lived: Salem 0.45, Tacoma 0.05; inverse of author: Dune 0, Eye 0.4; born: Tacoma 0.3
    ({}, FRANK, {"relations": [LIVED], "entities": ["0.9, 0.1", "0, 1"], "enough": ["{Yes}"]},
     [("Frank", "lived", "Salem"), ("Eye", "author", "Frank"), BORN], True),
    # Tacoma, reached twice, is explored once
    ({}, FRANK, {"relations": [rated("born", "lived"), rated("country")], "entities": ["0, 1"],
                 "enough": ["{No}", "{Yes}"]}, [BORN, ("Frank", "lived", "Tacoma"), COUNTRY], True),
]  # fmt: skip


@each(("options", "question", "steps", "retrieved", "shows"), WALKS)
def test_a_score_is_that_of_the_relation_times_that_of_the_entity(
    options, question, steps, retrieved, shows
):
    script = Script(**steps, answer=["x"])
    assert run(ThinkOnGraph(**options), script, question=question).retrieved == retrieved
    assert told(script) == [" | ".join(triple) for triple in retrieved] * shows


def test_ratings_that_are_not_as_many_as_asked_for_are_the_same_for_all():
    cases = {
        "0.8, 0.2": [0.8, 0.2], "Salem: 0.8\nTacoma: .2.": [0.8, 0.2], "e0039: 1, e0040: 0": [1.0, 0.0],
        "3.5 and 0.1": [1.0, 0.1], "0.8": [0.5, 0.5], "0.8, 0.1, 0.1": [0.5, 0.5], "": [0.5, 0.5],
    }  # fmt: skip
    assert {text: read_ratings(text, 2) for text in cases} == cases


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
FAILS = {"memory": [broken], "reflect": [broken], "goals": broken}
RUNS = [
    ({"returns": 1}, conversed("pages", "author", "none", "none", answer=[MORE, MORE, "x"], **BACK),
     [PAGES, AUTHOR]),
    ({"returns": 0}, conversed("pages", "none", answer=[MORE, "x"]), [PAGES]),
    ({}, conversed("author", "?", answer=[broken, "x"], **FAILS), [AUTHOR]),
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
    star = graph([("Dune", "likes", name) for name in names])
    script = conversed("likes", answer=[MORE, "x"], entities=[near])
    assert run(PlanOnGraph(depth=1), script, star).retrieved == [("Dune", "likes", near)]
    heading, *offered = shown(script.calls[2])[2:]
    assert (heading, len(offered)) == ("Choose among these entities (70 of 81):", 70)
    star = graph([("Dune", "likes", f"p{n}") for n in range(9)] + [("p0", "r", "q")])
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
        found = run(PlanOnGraph(), Script(says), graph(edges), several)
        assert found.calls == PlanOnGraph().worst_calls(topics) == expected
    assert PlanOnGraph(returns=0).worst_calls(5) == 90


def test_it_reads_until_it_has_the_answer():
    script = Script(
        relations=["author", "born; lived"],
        next=["Next question: Where was Frank born?", "Final answer: Tacoma"],
        answer=["USA"],
    )
    found = run(StructGPT(), script)
    lived = [("Frank", "lived", "Salem"), ("Frank", "lived", "Tacoma")]
    assert (found.text, found.retrieved) == ("USA", [AUTHOR, BORN, *lived])
    first, second = f"Question: {QUESTION.question}", "Next question: Where was Frank born?"
    assert [shown(call) for call in script.calls[:4]] == [
        [first, "Entities: Dune", "Relations: author; inverse of holds; pages"],
        [first, "Triples: (Dune, author, Frank)"],
        [first, second, "Entities: Frank", "Relations: inverse of author; born; lived"],
        [first, second, "Triples: (Dune, author, Frank); (Frank, born, Tacoma); (Frank, lived, Salem); "
                        "(Frank, lived, Tacoma)"],
    ]  # fmt: skip
    assert told(script)[-2:] == ["Thoughts so far:", "Concluded: Tacoma"]
    assert {call.max_tokens for call in script.calls[:-1]} == {300}
    assert {call.temperature for call in script.calls} == {0.0}


LOOP = graph([("Dune", "like", "Dune")])
READ = [
    # without a next question or relations it answers; the first of answer and next question counts
    *((KG, {"relations": ["author"], "next": [said]}, [AUTHOR], "")
      for said in ("No idea.", "", "Next question:", broken)),
    *((KG, {"relations": [said]}, [], "") for said in ("", "likes", broken)),
    (LOOP, {"relations": ["like"], "next": ["Next question: what else?"]}, [("Dune", "like", "Dune")], ""),
    (KG, {"relations": ["author"], "next": ["Answer: Frank\nNext question: who is the answer: it?"]},
     [AUTHOR], "Concluded: Frank"),
]  # fmt: skip


@each(("kg", "steps", "retrieved", "concluded"), READ)
def test_without_a_next_question_or_relations_it_answers(kg, steps, retrieved, concluded):
    script = Script(**steps, answer=["x"])
    assert run(StructGPT(), script, kg).retrieved == retrieved
    known = told(script)
    assert known[: len(retrieved)] == [" | ".join(triple) for triple in retrieved]
    assert not concluded or concluded in known
    script = Script(relations=["pages; author"], next=["?"], answer=["x"])
    assert run(StructGPT(relations=1), script).retrieved == [("Dune", "pages", "412")]


STATEMENTS = graph([
    ("Ann", "career", "cvt1"), ("Ann", "career", "cvt2"), ("cvt1", "team", "Reds"), ("cvt1", "from", "1998"),
    ("cvt2", "team", "Blues"), ("cvt2", "from", "2003"),
])  # fmt: skip


def test_mediators_are_crossed():
    ann = OpenQuestion("q2", "Which team did Ann join in 1998?", ("Ann",))
    for said, behind in (("team", 2), ("team; from", 4), ("what?", 4), (broken, 4)):
        steps = {"relations": ["career"], "constraints": [said], "next": ["Answer: Reds"]}
        script = Script(**steps, answer=["Reds"])
        found = run(StructGPT(mediator="cvt.*"), script, STATEMENTS, ann)
        assert len(found.retrieved) == 2 + behind
        assert shown(script.calls[1])[1] == "Relations: from; team", "not back to Ann"
    script = Script(relations=["author"], next=["?"], answer=["x"])
    assert run(StructGPT(mediator="m[.].*"), script).retrieved == [AUTHOR], "none here"
    with pytest.raises(ConfigError, match="mediator is '\\('; expected a regular expression"):
        StructGPT(mediator="(")


def act(action, thought="Let me see."):
    return f"Thought 1: {thought}\nAction 1: {action}"


def acting(*actions, answer=("x",), **steps):
    return Script(step=[act(action) for action in actions], answer=answer, **steps)


def calls_of(script, step):
    return [call for call in script.calls if call.purpose.endswith(step)]


def test_it_searches_generates_and_finishes():
    script = Script(
        step=[
            act("Search[Dune]", "Who wrote it?"), act("Search[Frank]"),
            act("Generate[the country of Tacoma]"), act("Finish[USA | United States]"),
        ],
        relations=["author", "- born"],
        propose=["Tacoma | country | United States\nAnd that is all."],
        answer=["USA"],
    )  # fmt: skip
    found = run(GenerateOnGraph(), script)
    assert (found.text, found.retrieved) == ("USA", [AUTHOR, BORN])
    assert found.generated == [("Tacoma", "country", "United States")]
    first = [f"Question: {QUESTION.question}", "Topic entities: Dune"]
    assert shown(script.calls[0]) == [*first, "Write thought 1 and action 1."]
    assert shown(script.calls[2])[2:] == [
        "Thought 1: Who wrote it?",
        "Action 1: Search[Dune]",
        "Observation 1: (Dune, author, Frank)",
        "Write thought 2 and action 2.",
    ]
    known = ["Known triples:", "(Dune, author, Frank)", "(Frank, born, Tacoma)"]
    (propose,) = calls_of(script, "propose")
    assert shown(propose)[1:] == ["Thought: the country of Tacoma", *known]
    assert told(script) == [
        *("Dune | author | Frank", "Frank | born | Tacoma"),
        *("", "Thoughts so far:", "Proposed: Tacoma | country | United States"),
        "Concluded: USA | United States",
    ]
    assert {(c.temperature, c.max_tokens) for c in script.calls[:-1]} == {(0.7, 512)}


WORLD = graph([AUTHOR, ("Frank Herbert Senior", "child", "Zoe"), ("Frank Lloyd", "built", "House")])
SEVERAL = QUESTION._replace(anchors=("Dune", "Eye", "Atlantis"))
EYE, LLOYD = ("Eye", "author", "Frank"), ("Frank Lloyd", "built", "House")
SEARCHES = [
    # The first search is among the topics: Frank is an entity too, but the nearest topic counts.
    (SEVERAL, ["Eyes"], {"relations": ["author"]}, [EYE]),
    *((SEVERAL, [words], {"relations": ["author"] * 2}, [AUTHOR, EYE])
      for words in ("Dune | Eye", '"Dune", Eye', "Dune and Eye", "Dune | Eye | Dune")),
    # A name that is no entity's is looked up.
    (QUESTION, ["Dune", "Lloyd, Frankie"], {"relations": ["author", "built"], "name": ["Frank Lloyd"]},
     [AUTHOR, LLOYD]),
    *((QUESTION, ["Dune", "Lloyd, Frankie"], {"relations": ["author"], "name": [said]}, [AUTHOR])
      for said in ("none", broken)),
    # Names met before are known in any writing, and others are nothing.
    (QUESTION, ["Dune", "the man Frank", "Atlantis"], {"relations": ["author", "none"]}, [AUTHOR]),
]  # fmt: skip


@each(("question", "searched", "steps", "retrieved"), SEARCHES)
def test_names_are_searched(question, searched, steps, retrieved):
    script = acting(*(f"Search[{one}]" for one in searched), "Finish[F]", **steps)
    kg = KG if question is SEVERAL else WORLD
    assert run(GenerateOnGraph(), script, kg, question).retrieved == retrieved
    for name in calls_of(script, "name"):
        assert shown(name)[1:] == ["Name: Lloyd, Frankie", "Entities:", "Frank Lloyd: built"]
    assert "Atlantis" not in searched or "Observation 3: nothing found" in shown(script.calls[-2])


def test_only_so_many_entities_are_searched_and_again_what_was_not_given():
    star = graph([(topic, "likes", f"p{n}") for topic in "abcdefg" for n in range(9)])
    script = acting("Search[a|b|c|d|e|f|g]", "Finish[p1]", relations=["likes"] * 5)
    found = run(GenerateOnGraph(), script, star, OpenQuestion("q3", "?", tuple("abcdefg")))
    assert "entities: 5 of 7 searched; likes at a: 5 of 9 shown;" in shown(script.calls[-2])[4]
    assert [triple[0] for triple in found.retrieved] == [name for name in "abcde" for _ in range(5)]
    script = acting(*["Search[a]"] * 2, "Finish[p1]", relations=["likes"] * 2)
    assert len(run(GenerateOnGraph(), script, star, OpenQuestion("q3", "?", ("a",))).retrieved) == 9


def test_unknown_takes_back_what_was_generated_and_searches_what_was_met():
    words = ("Search[Dune]", "Generate[where Frank was born]", "Finish[unknown]", "Finish[Tacoma]")
    script = acting(*words, relations=["author", "born"], propose=["Frank | born | Atlantis"])
    found = run(GenerateOnGraph(), script)
    assert (found.generated, found.retrieved) == ([], [AUTHOR, BORN])
    last = shown(script.calls[-2])
    assert "Action 2: Search[Frank]" in last
    assert not any("Atlantis" in line for line in last)
    assert [call.sample for call in calls_of(script, "step")] == [0, 0, 0, 1]
    # With nothing new to search it asks again, each time another sample.
    lonely = graph([("Dune", "is", "Dune")])
    words = ("Search[Dune]", *["Finish[unknown]"] * 2, "Finish[Dune]")
    script = acting(*words, relations=["is"], answer=["Dune"])
    assert run(GenerateOnGraph(), script, lonely).text == "Dune"
    assert len({call.key for call in calls_of(script, "step")}) == 4


def test_without_an_action_after_the_last_step_or_a_third_unknown_it_answers_without_the_graph():
    words = ("Finish[unknown]", "Finish[]", "Finish[none]")
    script = acting(*words, relations=["author", "none"], answer=["none", "", "USA"])
    found = run(GenerateOnGraph(), script)
    assert (found.text, found.retrieved, told(script)) == ("USA", [AUTHOR], [])
    tries = [(call.sample, call.temperature) for call in calls_of(script, "answer")]
    assert tries == [(0, 0.0), (1, 0.7), (2, 0.7)]
    for said in ("I do not know.", "", "Action 1: Jump[Dune]", broken):
        found = run(GenerateOnGraph(), Script(step=[said], answer=["none"] * 5))
        assert (found.text, found.retrieved, found.generated) == ("", [], [])
    thoughts = [act("Generate[]", "Who?")] * 2
    script = Script(step=thoughts, propose=["a | b | c", broken], answer=["x"])
    found = run(GenerateOnGraph(steps=2), script)
    assert (found.text, found.generated) == ("x", [("a", "b", "c")])
    assert "Observation 1: (a, b, c)" in shown(script.calls[2])
    assert shown(script.calls[1])[1] == "Thought: Who?"


def test_of_several_samples_the_model_selects():
    said = ["a | b | c\na | b | d, e", "a | b | d, e\n(a, b, f)", "nothing"]
    script = acting("Generate[x]", "Finish[c]", propose=said, select=["a | b | d, e"])
    assert run(GenerateOnGraph(samples=3), script).generated == [("a", "b", "d, e")]
    assert [call.sample for call in calls_of(script, "propose")] == [0, 1, 2]
    (select,) = calls_of(script, "select")
    assert shown(select)[-4:] == ["Proposed triples:", "a | b | c", "a | b | d, e", "a | b | f"]


def test_the_first_action_counts_and_proposals_are_lines_of_three_parts():
    cases = {
        "Thought 2: a [b].\nAction 2: Finish[x [y] | z].": ("finish", "x [y] | z", "a [b]."),
        "search [Dune": ("search", "Dune", ""),
        "Action: Generate[x]\nObservation: y\nAction: Finish[z]": ("generate", "x", ""),
    }
    assert {text: read_action(text) for text in cases} == cases
    said = "- Dune, part 2 | by |  Frank \n(a, b, c).\n(a, b)\na | b\na | | c\n2) x | y | z | q\n"
    assert read_proposals(said * 2) == [("Dune, part 2", "by", "Frank"), ("a", "b", "c")]
    assert len(read_proposals("\n".join(f"a | b | c{n}" for n in range(99)))) == 20
