from rulemine.evaluation.answerers.agents.think_on_graph import ThinkOnGraph, read_ratings
from rulemine.evaluation.answerers.protocol import OpenQuestion
from tests.evaluation.answerers.scripted import AUTHOR, BORN, Script, graph, run, shown, told

FRANK = OpenQuestion("q2", "Where did Frank live?", ("Frank",))
HUB = OpenQuestion("q3", "Who?", ("Hub",))


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
    assert found.text == "USA"
    assert found.retrieved == [AUTHOR, BORN, ("Tacoma", "country", "USA")]
    assert told(script) == [" | ".join(triple) for triple in found.retrieved]
    known = ["Triples:", "(Dune, author, Frank)", "(Frank, born, Tacoma)"]
    assert shown(script.calls[3])[1:] == known
    assert shown(script.calls[0]) == [
        "Question: In which country was the author of Dune born?",
        "Entity: Dune",
        "Choose at most 3 of these relations:",
        *("author", "inverse of holds", "pages"),
    ]
    assert [call.temperature for call in script.calls] == [0.4, 0.0] * 3 + [0.0]
    assert {call.max_tokens for call in script.calls} == {256}
    assert (found.calls, found.prompt_tokens, found.completion_tokens) == (7, 70, 7)


def test_the_way_just_come_is_left_out_and_parallel_relations_are_not():
    script = Script(relations=[rated("author"), "?"], enough=["{No}"], answer=["none"])
    found = run(ThinkOnGraph(), script)
    assert shown(script.calls[2])[3:] == ["born", "lived"], "no inverse of author"
    assert (found.text, found.retrieved) == ("", [AUTHOR])
    assert told(script) == ["Dune | author | Frank"], "answered from what was found"


def test_a_score_is_that_of_the_relation_times_that_of_the_entity():
    script = Script(
        relations=["{lived (Score: 0.5)}, {born (Score: 0.3)}, {inverse of author (Score: 0.4)}"],
        entities=["0.9, 0.1", "0, 1"],
        enough=["{Yes}"],
        answer=["Salem"],
    )
    # lived: Salem 0.45, Tacoma 0.05; inverse of author: Dune 0, Eye 0.4; born: Tacoma 0.3
    found = run(ThinkOnGraph(), script, question=FRANK)
    assert found.retrieved == [("Frank", "lived", "Salem"), ("Eye", "author", "Frank"), BORN]
    ways = ["Relation: lived from Frank", "Entities:", "Salem", "Tacoma"]
    assert shown(script.calls[1])[1:] == ways
    assert shown(script.calls[2])[1] == "Relation: author to Frank"
    # What scores nothing is dropped.
    script = Script(relations=["{author (Score: 0)}"], answer=["x"])
    assert (run(ThinkOnGraph(), script).retrieved, told(script)) == ([], [])


def test_after_the_last_round_it_answers_without_the_graph():
    script = Script(relations=[rated("author")], enough=["{No}"], answer=["USA"])
    found = run(ThinkOnGraph(depth=1), script)
    assert (found.text, found.retrieved, told(script)) == ("USA", [AUTHOR], [])


def test_the_best_relations_are_followed_and_entities_reached_twice_explored_once():
    both = "{pages (Score: 0.1)} {author (Score: 0.3)}"
    script = Script(relations=[both], enough=["{Yes}"], answer=["x"])
    assert run(ThinkOnGraph(width=1), script).retrieved == [AUTHOR]
    steps = {"relations": [rated("born", "lived"), rated("country")], "enough": ["{No}", "{Yes}"]}
    script = Script(**steps, entities=["0, 1"], answer=["x"])
    found = run(ThinkOnGraph(), script, question=FRANK)
    offered = ["Entity: Tacoma", "Choose at most 3 of these relations:", "country"]
    assert shown(script.calls[3])[1:] == offered
    assert found.retrieved[-1] == ("Tacoma", "country", "USA")


def test_of_many_neighbors_some_are_drawn_the_same_in_every_naming():
    def offered(names, seed=0):
        star = graph([("Hub", "likes", name) for name in names])
        order = {"Hub": 0} | {name: number for number, name in enumerate(names, start=1)}
        script = Script(relations=[rated("likes")], entities=["all"], enough=["yes"], answer=["x"])
        found = run(ThinkOnGraph(width=99), script, star, HUB, order=order, seed=seed)
        heading, *seen = shown(script.calls[1])[2:]
        assert found.retrieved == [("Hub", "likes", name) for name in seen], "all score the same"
        return heading, [order[name] for name in seen]

    names = [f"p{number:02}" for number in range(20)]
    heading, drawn = offered(names)
    assert (heading, len(drawn)) == ("Entities (5 of 20):", 5)
    turned = [f"z{99 - number}" for number in range(20)]  # its order by name is another
    assert drawn == offered(names)[1] == offered(turned)[1] != offered(names, 1)[1]
    assert len(offered(names[:19])[1]) == 19, "fewer are all shown"


def test_ratings_that_are_not_as_many_as_asked_for_are_the_same_for_all():
    cases = {
        "0.8, 0.2": [0.8, 0.2], "Salem: 0.8\nTacoma: .2.": [0.8, 0.2], "e0039: 1, e0040: 0": [1.0, 0.0],
        "3.5 and 0.1": [1.0, 0.1], "0.8": [0.5, 0.5], "0.8, 0.1, 0.1": [0.5, 0.5], "": [0.5, 0.5],
    }  # fmt: skip
    assert {text: read_ratings(text, 2) for text in cases} == cases
