import pytest

from rulemine.evaluation.answerers.agents.generate_on_graph import (
    GenerateOnGraph,
    read_action,
    read_proposals,
)
from rulemine.evaluation.answerers.protocol import OpenQuestion
from rulemine.llm.call import Call
from tests.evaluation.answerers.scripted import Script, broken, graph, run, shown, told

AUTHOR, BORN = ("Dune", "author", "Frank"), ("Frank", "born", "Tacoma")


def act(action: str, thought: str = "Let me see.") -> str:
    return f"Thought 1: {thought}\nAction 1: {action}"


def test_it_searches_generates_and_finishes() -> None:
    script = Script(
        step=[
            act("Search[Dune]", "Who wrote it?"),
            act("Search[Frank]"),
            act("Generate[the country of Tacoma]"),
            act("Finish[USA | United States]"),
        ],
        relations=["author", "- born"],
        propose=["Tacoma | country | United States\nAnd that is all."],
        answer=["USA"],
    )
    found = run(GenerateOnGraph(), script)
    assert found.text == "USA"
    assert found.retrieved == [AUTHOR, BORN]
    assert found.generated == [("Tacoma", "country", "United States")]
    assert shown(script.calls[0]) == [
        "Question: In which country was the author of Dune born?",
        "Topic entities: Dune",
        "Write thought 1 and action 1.",
    ]
    assert shown(script.calls[2])[2:] == [
        "Thought 1: Who wrote it?",
        "Action 1: Search[Dune]",
        "Observation 1: (Dune, author, Frank)",
        "Write thought 2 and action 2.",
    ]
    propose = next(call for call in script.calls if call.purpose.endswith("propose"))
    assert shown(propose)[1:] == [
        "Thought: the country of Tacoma",
        "Known triples:",
        "(Dune, author, Frank)",
        "(Frank, born, Tacoma)",
    ]
    assert told(script) == [
        *("Dune | author | Frank", "Frank | born | Tacoma"),
        *("", "Thoughts so far:", "Proposed: Tacoma | country | United States"),
        "Concluded: USA | United States",
    ]
    assert {call.temperature for call in script.calls[:-1]} == {0.7}
    assert {call.max_tokens for call in script.calls[:-1]} == {512}


def test_the_first_search_is_among_the_topics() -> None:
    """Frank is an entity too, but no topic: the nearest one counts."""
    asked = OpenQuestion("q2", "?", ("Dune", "Eye", "Atlantis"))
    script = Script(
        step=[act("Search[Eyes]"), act("Finish[Frank]")], relations=["author"], answer=["Frank"]
    )
    assert run(GenerateOnGraph(), script, question=asked).retrieved == [("Eye", "author", "Frank")]
    for written in ("Dune | Eye", '"Dune", Eye', "Dune and Eye", "Dune | Eye | Dune"):
        script = Script(
            step=[act(f"Search[{written}]"), act("Finish[Frank]")],
            relations=["author"] * 2,
            answer=["Frank"],
        )
        found = run(GenerateOnGraph(), script, question=asked)
        assert found.retrieved == [AUTHOR, ("Eye", "author", "Frank")]


WORLD = graph(
    [
        ("Dune", "author", "Frank"),
        ("Frank Herbert Senior", "child", "Zoe"),
        ("Frank Lloyd", "built", "House"),
    ]
)


@pytest.mark.parametrize(
    ("said", "searched"),
    [("Frank Lloyd", [("Frank Lloyd", "built", "House")]), ("none", []), (broken, [])],
)
def test_a_name_that_is_no_entitys_is_looked_up(said: str, searched: list[object]) -> None:
    script = Script(
        step=[act("Search[Dune]"), act("Search[Lloyd, Frankie]"), act("Finish[House]")],
        relations=["author", "built"][: 1 + len(searched)],
        name=[said],
        answer=["House"],
    )
    found = run(GenerateOnGraph(), script, WORLD)
    assert found.retrieved == [AUTHOR, *searched]
    looked_up = next(call for call in script.calls if call.purpose.endswith("name"))
    assert shown(looked_up)[1:] == [
        "Name: Lloyd, Frankie", "Entities:", "Frank Lloyd: built",
    ]  # fmt: skip


def test_names_met_before_are_known_in_any_writing_and_others_are_nothing() -> None:
    script = Script(
        step=[act("Search[Dune]"), act("Search[the man Frank]"), act("Search[Atlantis]"), act("Finish[x]")],
        relations=["author", "none"],
        answer=["x"],
    )  # fmt: skip
    found = run(GenerateOnGraph(), script, WORLD)
    assert found.retrieved == [AUTHOR]
    assert "Observation 3: nothing found" in shown(script.calls[-2])


def test_only_so_many_entities_are_searched_and_triples_of_a_relation_drawn() -> None:
    star = graph([(topic, "likes", f"p{number}") for topic in "abcdefg" for number in range(9)])
    asked = OpenQuestion("q3", "?", tuple("abcdefg"))

    def searched(seed: int) -> object:
        script = Script(
            step=[act("Search[a|b|c|d|e|f|g]"), act("Finish[p1]")],
            relations=["likes"] * 5,
            answer=["p1"],
        )
        found = run(GenerateOnGraph(), script, star, asked, seed=seed)
        assert (
            "); entities: 5 of 7 searched; likes at a: 5 of 9 shown; likes at b: 5 of 9 shown;"
            in shown(script.calls[-2])[4]
        )
        return found.retrieved

    found = searched(0)
    assert isinstance(found, list)
    assert [triple[0] for triple in found] == [name for name in "abcde" for _ in range(5)]
    assert found == searched(0) != searched(1)


def test_searched_again_it_gives_what_it_has_not_given() -> None:
    star = graph([("Dune", "likes", f"p{number}") for number in range(7)])
    script = Script(
        step=[*[act("Search[Dune]")] * 2, act("Finish[p1]")], relations=["likes"] * 2, answer=["p1"]
    )
    found = run(GenerateOnGraph(), script, star)
    assert found.retrieved is not None
    assert len(found.retrieved) == 7
    assert shown(script.calls[-2])[7].endswith("); likes at Dune: 2 of 7 shown")


def test_unknown_takes_back_what_was_generated_and_searches_what_was_met() -> None:
    script = Script(
        step=[
            act("Search[Dune]"),
            act("Generate[where Frank was born]"),
            act("Finish[unknown]"),
            act("Finish[Tacoma]"),
        ],
        relations=["author", "born"],
        propose=["Frank | born | Atlantis"],
        answer=["Tacoma"],
    )
    found = run(GenerateOnGraph(), script)
    assert found.generated == []
    assert found.retrieved == [AUTHOR, BORN]
    last = shown(script.calls[-2])
    assert "Action 2: Search[Frank]" in last
    assert not any("Atlantis" in line for line in last)
    assert [call.sample for call in script.calls if call.purpose.endswith("step")] == [0, 0, 0, 1]


def test_unknown_with_nothing_new_to_search_asks_again() -> None:
    lonely = graph([("Dune", "is", "Dune")])
    script = Script(
        step=[act("Search[Dune]"), *[act("Finish[unknown]")] * 2, act("Finish[Dune]")],
        relations=["is"],
        answer=["Dune"],
    )
    assert run(GenerateOnGraph(), script, lonely).text == "Dune"
    steps = [call for call in script.calls if call.purpose.endswith("step")]
    assert len({call.key for call in steps}) == len(steps), "each is another sample"


def test_at_the_third_unknown_it_answers_without_the_graph() -> None:
    script = Script(
        step=[act("Finish[unknown]"), act("Finish[]"), act("Finish[none]")],
        relations=["author", "none"],
        answer=["none", "", "USA"],
    )
    found = run(GenerateOnGraph(), script)
    assert (found.text, found.retrieved) == ("USA", [AUTHOR])
    tries = [call for call in script.calls if call.purpose == "answer"]
    assert [(call.sample, call.temperature) for call in tries] == [(0, 0.0), (1, 0.7), (2, 0.7)]
    assert told(script) == []


@pytest.mark.parametrize("said", ["I do not know.", "", "Action 1: Jump[Dune]", broken])
def test_without_an_action_it_answers_without_the_graph(said: str) -> None:
    script = Script(step=[said], answer=["none"] * 5)
    found = run(GenerateOnGraph(), script)
    assert (found.text, found.retrieved, found.generated) == ("", [], [])


def test_after_the_last_step_it_answers_without_the_graph() -> None:
    script = Script(
        step=[act("Generate[]", "Who?")] * 2, propose=["a | b | c", broken], answer=["x"]
    )
    found = run(GenerateOnGraph(steps=2), script)
    assert (found.text, found.generated) == ("x", [("a", "b", "c")])
    assert "Observation 1: (a, b, c)" in shown(script.calls[2])
    assert shown(script.calls[1])[1] == "Thought: Who?"


def test_of_several_samples_the_model_selects() -> None:
    script = Script(
        step=[act("Generate[x]"), act("Finish[c]")],
        propose=["a | b | c\na | b | d, e", "a | b | d, e\n(a, b, f)", "nothing"],
        select=["a | b | d, e"],
        answer=["c"],
    )
    found = run(GenerateOnGraph(samples=3), script)
    assert found.generated == [("a", "b", "d, e")]
    proposals = [call for call in script.calls if call.purpose.endswith("propose")]
    assert [call.sample for call in proposals] == [0, 1, 2]
    select = next(call for call in script.calls if call.purpose.endswith("select"))
    assert shown(select)[-4:] == ["Proposed triples:", "a | b | c", "a | b | d, e", "a | b | f"]
    script = Script(step=[act("Generate[x]"), act("Finish[c]")], propose=["", ""], answer=["c"])
    assert run(GenerateOnGraph(samples=2), script).generated == []


def test_ten_known_triples_nearest_to_the_thought_are_shown() -> None:
    star = graph([("Dune", "likes", f"person {number:02}") for number in range(12)])
    script = Script(
        step=[act("Search[Dune]"), act("Generate[person 11]"), act("Finish[x]")],
        relations=["likes"],
        propose=[""],
        answer=["x"],
    )
    run(GenerateOnGraph(many=12), script, star)
    propose = next(call for call in script.calls if call.purpose.endswith("propose"))
    heading, *known = shown(propose)[2:]
    assert heading == "Known triples (10 of 12):"
    assert len(known) == 10
    assert known[0] == "(Dune, likes, person 11)"


@pytest.mark.parametrize(
    ("text", "name", "what", "thought"),
    [
        ("Thought 2: a [b].\nAction 2: Finish[x [y] | z].", "finish", "x [y] | z", "a [b]."),
        ("search [Dune", "search", "Dune", ""),
        ("Action: Generate[x]\nObservation: y\nAction: Finish[z]", "generate", "x", ""),
    ],
)
def test_the_first_action_counts(text: str, name: str, what: str, thought: str) -> None:
    assert read_action(text) == (name, what, thought)


def test_proposals_are_lines_of_three_parts() -> None:
    said = (
        "- Dune, part 2 | by |  Frank \n(a, b, c).\n(a, b)\na | b\na | | c\n2) x | y | z | q\n" * 2
    )
    assert read_proposals(said) == [("Dune, part 2", "by", "Frank"), ("a", "b", "c")]
    assert len(read_proposals("\n".join(f"a | b | c{n}" for n in range(99)))) == 20


def test_the_worst_case_happens() -> None:
    """Every later search names five that have to be looked up; at the end nothing is known."""
    names = [f"person {number}" for number in range(40)]
    people = graph([("Dune", "likes", name) for name in names])
    lost, taken = iter(range(1000)), set[str]()

    def says(call: Call) -> str:
        step = script.steps[-1]
        if step == "step":
            return act(f"Search[{' | '.join(f'{next(lost) % 40} person' for _ in range(5))}]")
        if step == "name":
            offered = [line.partition(":")[0] for line in shown(call)[3:]]
            taken.add(new := next(name for name in offered if name not in taken))
            return new
        return "likes, inverse of likes" if step == "relations" else "none"

    script = Script(says)
    options = GenerateOnGraph()
    found = run(options, script, people)
    assert found.calls == options.worst_calls(1) == 6 + 1 + 5 * 10 + 5 == 62
    assert GenerateOnGraph(samples=30).worst_calls(9) == 6 + 6 * 31 + 5
