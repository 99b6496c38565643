import pytest

from rulemine.errors import ConfigError
from rulemine.evaluation.answerers.agents.struct_gpt import StructGPT
from rulemine.evaluation.answerers.protocol import OpenQuestion
from tests.evaluation.answerers.scripted import QUESTION, Script, broken, graph, run, shown, told

AUTHOR, BORN = ("Dune", "author", "Frank"), ("Frank", "born", "Tacoma")


def test_it_reads_until_it_has_the_answer() -> None:
    script = Script(
        relations=["author", "born; lived"],
        next=["Next question: Where was Frank born?", "Final answer: Tacoma"],
        answer=["USA"],
    )
    found = run(StructGPT(), script)
    assert found.text == "USA"
    lived = [("Frank", "lived", "Salem"), ("Frank", "lived", "Tacoma")]
    assert found.retrieved == [AUTHOR, BORN, *lived]
    assert shown(script.calls[0]) == [
        "Question: In which country was the author of Dune born?",
        "Entities: Dune",
        "Relations: author; inverse of holds; pages",
    ]
    assert shown(script.calls[1])[1] == "Triples: (Dune, author, Frank)"
    on_the_way = [f"Question: {QUESTION.question}", "Next question: Where was Frank born?"]
    assert shown(script.calls[2]) == [
        *on_the_way,
        "Entities: Frank",
        "Relations: inverse of author; born; lived",
    ]
    assert shown(script.calls[3]) == [
        *on_the_way,
        "Triples: (Dune, author, Frank); (Frank, born, Tacoma); (Frank, lived, Salem); "
        "(Frank, lived, Tacoma)",
    ]
    assert told(script)[-4:] == [
        *("Frank | lived | Tacoma", "", "Thoughts so far:", "Concluded: Tacoma")
    ]
    assert {call.max_tokens for call in script.calls[:-1]} == {300}
    assert {call.temperature for call in script.calls} == {0.0}


@pytest.mark.parametrize("said", ["No idea.", "", "Next question:", broken])
def test_without_a_next_question_it_answers(said: str) -> None:
    found = run(StructGPT(), Script(relations=["author"], next=[said], answer=["Frank"]))
    assert (found.text, found.retrieved) == ("Frank", [AUTHOR])


@pytest.mark.parametrize("said", ["", "likes", broken])
def test_without_relations_it_answers(said: str) -> None:
    script = Script(relations=[said], answer=["none"])
    found = run(StructGPT(), script)
    assert (found.text, found.retrieved) == ("", [])
    assert told(script) == []


def test_the_first_of_answer_and_next_question_counts() -> None:
    said = "Answer: Frank\nNext question: who is the answer: Frank?"
    script = Script(relations=["author"], next=[said], answer=["Frank"])
    run(StructGPT(), script)
    assert "Concluded: Frank" in told(script)


def test_where_nothing_lies_further_on_it_answers() -> None:
    loop = graph([("Dune", "like", "Dune")])
    script = Script(relations=["like"], next=["Next question: what else?"], answer=["Dune"])
    assert run(StructGPT(), script, loop).retrieved == [("Dune", "like", "Dune")]


def test_of_many_triples_some_are_drawn() -> None:
    star = graph([("Dune", "likes", f"p{number:02}") for number in range(70)])

    def drawn(seed: int) -> object:
        script = Script(relations=["likes"], next=["?"], answer=["x"])
        found = run(StructGPT(), script, star, seed=seed)
        assert shown(script.calls[1])[2] == "likes: 60 of 70 shown"
        return found.retrieved

    first = drawn(0)
    assert isinstance(first, list)
    assert len(first) == 60
    assert first == drawn(0) == sorted(first) != drawn(1)


def test_no_more_relations_are_read_than_allowed() -> None:
    script = Script(relations=["pages; author"], next=["?"], answer=["x"])
    assert run(StructGPT(relations=1), script).retrieved == [("Dune", "pages", "412")]


STATEMENTS = graph(
    [
        ("Ann", "career", "cvt1"),
        ("Ann", "career", "cvt2"),
        ("cvt1", "team", "Reds"),
        ("cvt1", "from", "1998"),
        ("cvt2", "team", "Blues"),
        ("cvt2", "from", "2003"),
    ]
)


@pytest.mark.parametrize(
    ("said", "behind"), [("team", 2), ("team; from", 4), ("what?", 4), (broken, 4)]
)
def test_mediators_are_crossed(said: str, behind: int) -> None:
    script = Script(
        relations=["career"], constraints=[said], next=["Answer: Reds"], answer=["Reds"]
    )
    asked = OpenQuestion("q2", "Which team did Ann join in 1998?", ("Ann",))
    found = run(StructGPT(mediator="cvt.*"), script, STATEMENTS, asked)
    assert found.retrieved is not None
    assert len(found.retrieved) == 2 + behind
    assert shown(script.calls[1])[1] == "Relations: from; team", "not back to Ann"


def test_without_mediators_there_are_no_conditions() -> None:
    options = StructGPT(mediator="m[.].*")
    found = run(options, Script(relations=["author"], next=["?"], answer=["x"]))
    assert found.retrieved == [AUTHOR]
    with pytest.raises(ConfigError, match="mediator is '\\('; expected a regular expression"):
        StructGPT(mediator="(")


def test_the_worst_case_happens() -> None:
    chain = graph(
        [(f"n{n}", "r", f"cvt{n}") for n in range(9)]
        + [(f"cvt{n}", "s", f"n{n + 1}") for n in range(9)]
    )
    asked = OpenQuestion("q4", "?", ("n0",))

    def says(call: object) -> str:
        return {"relations": "r, s", "next": "Next question: what then?"}.get(script.steps[-1], "s")

    for options, expected in ((StructGPT(), 6), (StructGPT(mediator="cvt.*"), 9)):
        script = Script(says)
        assert run(options, script, chain, asked).calls == options.worst_calls(1) == expected
