import pytest

from rulemine.evaluation.answerers.agents.think_on_graph import ThinkOnGraph, read_ratings
from rulemine.evaluation.answerers.protocol import OpenQuestion
from tests.evaluation.answerers.scripted import Script, broken, graph, run, shown, told

AUTHOR = ("Dune", "author", "Frank")


def rated(*names: str) -> str:
    return "\n".join(f"{{{name} (Score: {1 - at / 10})}}" for at, name in enumerate(names))


def test_it_walks_until_the_triples_suffice() -> None:
    script = Script(
        relations=[rated("author"), rated("born"), rated("country")],
        entities=[],
        enough=["{No}", "no", "{Yes}"],
        answer=["USA"],
    )
    found = run(ThinkOnGraph(), script)
    assert found.text == "USA"
    assert found.retrieved == [AUTHOR, ("Frank", "born", "Tacoma"), ("Tacoma", "country", "USA")]
    assert told(script) == [
        "Dune | author | Frank",
        "Frank | born | Tacoma",
        "Tacoma | country | USA",
    ]
    assert shown(script.calls[3])[1:] == [
        "Triples:",
        "(Dune, author, Frank)",
        "(Frank, born, Tacoma)",
    ]
    assert shown(script.calls[0]) == [
        "Question: In which country was the author of Dune born?",
        "Entity: Dune",
        "Choose at most 3 of these relations:",
        *("author", "inverse of holds", "pages"),
    ]
    assert [call.temperature for call in script.calls] == [0.4, 0.0] * 3 + [0.0]
    assert {call.max_tokens for call in script.calls} == {256}
    assert (found.calls, found.prompt_tokens, found.completion_tokens) == (7, 70, 7)


def test_the_way_just_come_is_left_out_and_parallel_relations_are_not() -> None:
    script = Script(relations=[rated("author"), "?"], enough=["{No}"], answer=["none"])
    found = run(ThinkOnGraph(), script)
    assert shown(script.calls[2])[3:] == ["born", "lived"], "no inverse of author"
    assert (found.text, found.retrieved) == ("", [AUTHOR])
    assert told(script) == ["Dune | author | Frank"], "answered from what was found"


def test_a_score_is_that_of_the_relation_times_that_of_the_entity() -> None:
    script = Script(
        relations=["{lived (Score: 0.5)}, {born (Score: 0.3)}, {inverse of author (Score: 0.4)}"],
        entities=["0.9, 0.1", "0, 1"],
        enough=["{Yes}"],
        answer=["Salem"],
    )
    about_frank = OpenQuestion("q2", "Where did Frank live?", ("Frank",))
    found = run(ThinkOnGraph(), script, question=about_frank)
    # lived: Salem 0.45, Tacoma 0.05; inverse of author: Dune 0, Eye 0.4; born: Tacoma 0.3
    assert found.retrieved == [
        ("Frank", "lived", "Salem"),
        ("Eye", "author", "Frank"),
        ("Frank", "born", "Tacoma"),
    ]
    assert shown(script.calls[1])[1:] == [
        "Relation: lived from Frank",
        "Entities:",
        "Salem",
        "Tacoma",
    ]
    assert shown(script.calls[2])[1] == "Relation: author to Frank"


def test_what_scores_nothing_is_dropped() -> None:
    script = Script(relations=["{author (Score: 0)}"], answer=["x"])
    found = run(ThinkOnGraph(), script)
    assert found.retrieved == []
    assert told(script) == [], "there is nothing to answer from"


def test_after_the_last_round_it_answers_without_the_graph() -> None:
    script = Script(relations=[rated("author")], enough=["{No}"], answer=["USA"])
    found = run(ThinkOnGraph(depth=1), script)
    assert (found.text, found.retrieved) == ("USA", [AUTHOR])
    assert told(script) == []


def test_no_more_relations_than_the_width_are_followed_the_best_of_them() -> None:
    script = Script(
        relations=["{pages (Score: 0.1)} {author (Score: 0.3)}"], enough=["{Yes}"], answer=["x"]
    )
    assert run(ThinkOnGraph(width=1), script).retrieved == [AUTHOR]


def test_entities_reached_twice_are_explored_once() -> None:
    script = Script(
        relations=[rated("born", "lived"), rated("country")],
        entities=["0, 1"],
        enough=["{No}", "{Yes}"],
        answer=["x"],
    )
    found = run(ThinkOnGraph(), script, question=OpenQuestion("q2", "?", ("Frank",)))
    assert found.retrieved is not None
    assert shown(script.calls[3])[1:] == [
        "Entity: Tacoma", "Choose at most 3 of these relations:", "country",
    ]  # fmt: skip
    assert found.retrieved[-1] == ("Tacoma", "country", "USA")


def test_of_many_neighbors_some_are_drawn_the_same_in_every_naming() -> None:
    def drawn(seed: int, prefix: str = "p") -> list[str]:
        names = [f"{prefix}{number:02}" for number in range(20)]
        if prefix != "p":
            names.reverse()  # its order by name is another
        star = graph([("Hub", "likes", name) for name in names])
        order = {"Hub": 0} | {name: number for number, name in enumerate(names, start=1)}
        script = Script(relations=[rated("likes")], entities=["all"], enough=["yes"], answer=["x"])
        asked = OpenQuestion("q3", "Who?", ("Hub",))
        found = run(ThinkOnGraph(width=9), script, star, asked, order=order, seed=seed)
        heading, *seen = shown(script.calls[1])[2:]
        assert heading == "Entities (5 of 20):"
        assert found.retrieved == [("Hub", "likes", name) for name in seen], "all score the same"
        return [str(order[name]) for name in seen]

    assert len(drawn(0)) == 5
    assert drawn(0) == drawn(0) == drawn(0, "z") != drawn(1)


def test_fewer_than_many_neighbors_are_all_shown() -> None:
    star = graph([("Hub", "likes", f"p{number:02}") for number in range(19)])
    script = Script(relations=[rated("likes")], entities=["?"], enough=["yes"], answer=["x"])
    run(ThinkOnGraph(), script, star, OpenQuestion("q3", "Who?", ("Hub",)))
    assert len(shown(script.calls[1])[3:]) == 19


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.8, 0.2", [0.8, 0.2]),
        ("Salem: 0.8\nTacoma: .2.", [0.8, 0.2]),
        ("e0039: 1, e0040: 0", [1.0, 0.0]),
        ("3.5 and 0.1", [1.0, 0.1]),
        ("0.8", [0.5, 0.5]),
        ("0.8, 0.1, 0.1", [0.5, 0.5]),
        ("", [0.5, 0.5]),
    ],
)
def test_ratings_that_are_not_as_many_as_asked_for_are_the_same_for_all(
    text: str, expected: list[float]
) -> None:
    assert read_ratings(text, 2) == expected


def test_calls_that_fail_count_as_nothing_said() -> None:
    assert run(ThinkOnGraph(), Script(relations=[broken], answer=[broken])).text == ""
    script = Script(relations=[rated("author"), broken], enough=[broken], answer=["USA"])
    assert run(ThinkOnGraph(), script).text == "USA"


def test_the_worst_case_happens() -> None:
    """Everything leads to everything, and the model never has enough."""
    names = [f"n{number}" for number in range(4)]
    dense = graph([(a, f"r{k}", b) for a in names for b in names for k in range(5) if a != b])

    def says(call: object) -> str:
        step = script.steps[-1]
        lines = shown(script.calls[-1])
        return rated(*lines[3:6]) if step == "relations" else "no idea"

    for topics in (1, 2, 4):
        script = Script(says)
        options = ThinkOnGraph(depth=2)
        found = run(options, script, dense, OpenQuestion("q4", "?", tuple(names[:topics])))
        assert found.calls == options.worst_calls(topics) == topics * (1 + 3) + 3 * (1 + 3) + 2 + 1
    assert ThinkOnGraph().worst_calls(1) == 4 + 2 * 12 + 3 + 1
