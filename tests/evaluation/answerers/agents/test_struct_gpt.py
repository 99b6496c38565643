import pytest

from rulemine.errors import ConfigError
from rulemine.evaluation.answerers.agents.struct_gpt import StructGPT
from rulemine.evaluation.answerers.protocol import OpenQuestion
from tests import each
from tests.evaluation.answerers import scripted
from tests.evaluation.answerers.scripted import AUTHOR, BORN, QUESTION, Script, run, shown, told


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


LOOP = scripted.graph([("Dune", "like", "Dune")])
READ = [
    # without a next question or relations it answers; the first of answer and next question counts
    *((scripted.KG, {"relations": ["author"], "next": [said]}, [AUTHOR], "")
      for said in ("No idea.", "", "Next question:", scripted.broken)),
    *((scripted.KG, {"relations": [said]}, [], "") for said in ("", "likes", scripted.broken)),
    (LOOP, {"relations": ["like"], "next": ["Next question: what else?"]}, [("Dune", "like", "Dune")], ""),
    (scripted.KG, {"relations": ["author"], "next": ["Answer: Frank\nNext question: who is the answer: it?"]},
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


STATEMENTS = scripted.graph([
    ("Ann", "career", "cvt1"), ("Ann", "career", "cvt2"), ("cvt1", "team", "Reds"), ("cvt1", "from", "1998"),
    ("cvt2", "team", "Blues"), ("cvt2", "from", "2003"),
])  # fmt: skip


def test_mediators_are_crossed():
    ann = OpenQuestion("q2", "Which team did Ann join in 1998?", ("Ann",))
    for said, behind in (("team", 2), ("team; from", 4), ("what?", 4), (scripted.broken, 4)):
        steps = {"relations": ["career"], "constraints": [said], "next": ["Answer: Reds"]}
        script = Script(**steps, answer=["Reds"])
        found = run(StructGPT(mediator="cvt.*"), script, STATEMENTS, ann)
        assert len(found.retrieved) == 2 + behind
        assert shown(script.calls[1])[1] == "Relations: from; team", "not back to Ann"
    script = Script(relations=["author"], next=["?"], answer=["x"])
    assert run(StructGPT(mediator="m[.].*"), script).retrieved == [AUTHOR], "none here"
    with pytest.raises(ConfigError, match="mediator is '\\('; expected a regular expression"):
        StructGPT(mediator="(")
