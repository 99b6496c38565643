from rulemine.evaluation.answerers.agents.generate_on_graph import (
    GenerateOnGraph,
    read_action,
    read_proposals,
)
from rulemine.evaluation.answerers.protocol import OpenQuestion
from tests import each
from tests.evaluation.answerers import scripted
from tests.evaluation.answerers.scripted import AUTHOR, BORN, QUESTION, Script, run, shown, told


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


WORLD = scripted.graph(
    [AUTHOR, ("Frank Herbert Senior", "child", "Zoe"), ("Frank Lloyd", "built", "House")]
)
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
      for said in ("none", scripted.broken)),
    # Names met before are known in any writing, and others are nothing.
    (QUESTION, ["Dune", "the man Frank", "Atlantis"], {"relations": ["author", "none"]}, [AUTHOR]),
]  # fmt: skip


@each(("question", "searched", "steps", "retrieved"), SEARCHES)
def test_names_are_searched(question, searched, steps, retrieved):
    script = acting(*(f"Search[{one}]" for one in searched), "Finish[F]", **steps)
    kg = scripted.KG if question is SEVERAL else WORLD
    assert run(GenerateOnGraph(), script, kg, question).retrieved == retrieved
    for name in calls_of(script, "name"):
        assert shown(name)[1:] == ["Name: Lloyd, Frankie", "Entities:", "Frank Lloyd: built"]
    assert "Atlantis" not in searched or "Observation 3: nothing found" in shown(script.calls[-2])


def test_only_so_many_entities_are_searched_and_again_what_was_not_given():
    star = scripted.graph([(topic, "likes", f"p{n}") for topic in "abcdefg" for n in range(9)])
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
    lonely = scripted.graph([("Dune", "is", "Dune")])
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
    for said in ("I do not know.", "", "Action 1: Jump[Dune]", scripted.broken):
        found = run(GenerateOnGraph(), Script(step=[said], answer=["none"] * 5))
        assert (found.text, found.retrieved, found.generated) == ("", [], [])
    thoughts = [act("Generate[]", "Who?")] * 2
    script = Script(step=thoughts, propose=["a | b | c", scripted.broken], answer=["x"])
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
