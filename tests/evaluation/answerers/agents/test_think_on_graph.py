from rulemine.evaluation.answerers.agents.think_on_graph import ThinkOnGraph, read_ratings
from rulemine.evaluation.answerers.protocol import OpenQuestion
from tests import each
from tests.evaluation.answerers.scripted import AUTHOR, BORN, QUESTION, Script, run, shown, told

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
