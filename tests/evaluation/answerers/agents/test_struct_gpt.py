import pytest

from rulemine.errors import ConfigError
from rulemine.evaluation.answerers.agents.struct_gpt import StructGPT
from rulemine.evaluation.answerers.protocol import OpenQuestion
from tests.evaluation.answerers.scripted import (
    AUTHOR,
    BORN,
    QUESTION,
    Script,
    broken,
    graph,
    run,
    shown,
    told,
)


def test_it_reads_until_it_has_the_answer():
    script = Script(
        relations=["author", "born; lived"],
        next=["Next question: Where was Frank born?", "Final answer: Tacoma"],
        answer=["USA"],
    )
    found = run(StructGPT(), script)
    assert found.text == "USA"
    lived = [("Frank", "lived", "Salem"), ("Frank", "lived", "Tacoma")]
    assert found.retrieved == [AUTHOR, BORN, *lived]
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


def test_without_a_next_question_or_relations_it_answers():
    for said in ("No idea.", "", "Next question:", broken):
        found = run(StructGPT(), Script(relations=["author"], next=[said], answer=["Frank"]))
        assert (found.text, found.retrieved) == ("Frank", [AUTHOR])
    for said in ("", "likes", broken):
        script = Script(relations=[said], answer=["none"])
        found = run(StructGPT(), script)
        assert (found.text, found.retrieved, told(script)) == ("", [], [])
    loop = graph([("Dune", "like", "Dune")])
    script = Script(relations=["like"], next=["Next question: what else?"], answer=["Dune"])
    assert run(StructGPT(), script, loop).retrieved == [("Dune", "like", "Dune")]
    # The first of answer and next question counts.
    said = "Answer: Frank\nNext question: who is the answer: Frank?"
    script = Script(relations=["author"], next=[said], answer=["Frank"])
    run(StructGPT(), script)
    assert "Concluded: Frank" in told(script)


def test_of_many_triples_some_are_drawn_and_so_many_relations_read():
    star = graph([("Dune", "likes", f"p{number:02}") for number in range(70)])

    def drawn(seed):
        script = Script(relations=["likes"], next=["?"], answer=["x"])
        found = run(StructGPT(), script, star, seed=seed)
        assert shown(script.calls[1])[2] == "likes: 60 of 70 shown"
        return found.retrieved

    assert len(drawn(0)) == 60
    assert drawn(0) == drawn(0) == sorted(drawn(0)) != drawn(1)
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
