"""A model that writes SPARQL: what it is shown, what it is told, what is taken from its replies."""

from types import SimpleNamespace
from typing import Any, cast

from rulemine.evaluation.answerers.protocol import Answered, OpenQuestion
from rulemine.evaluation.answerers.registry import needs_of
from rulemine.evaluation.answerers.text_to_query import TextToSparql
from rulemine.evaluation.sparql.prompts import relations_text
from rulemine.kg.graph import KnowledgeGraph
from rulemine.release.records import Question
from tests.evaluation.answerers.scripted import Script, broken, graph, run

ASKED = OpenQuestion("q1", "Who wrote Dune?", ("Dune",))
AUTHOR = "SELECT ?answer { <entity:Dune> <relation:author> ?answer }"
WRONG = "SELECT ?answer { <entity:Dune> <relation:writer> ?answer }"


def asked(answerer: TextToSparql, script: Script, **more: Any) -> Answered:
    found = run(answerer, script, question=ASKED, **more)
    assert found.calls <= answerer.worst_calls(1)
    assert (found.text, found.answers) == (None, None)
    return found


def told(script: Script) -> str:
    return str(script.calls[-1].messages[-1]["content"])


def train(number: int, structure: str, split: str = "train") -> Question:
    row = {
        "id": f"t{number}",
        "question": f"Question {number}?",
        "split": split,
        "anchors": ("Eye",),
    }
    row |= {"structure": structure, "sparql": f"SELECT ?answer {{ {number} }}"}
    return cast(Question, SimpleNamespace(**row))


def test_the_model_is_shown_the_relations_and_the_topic() -> None:
    script = Script(sparql=[f"It is:\n```sparql\n{AUTHOR}\n```"])
    assert asked(TextToSparql(max_tokens=99), script).sparql == AUTHOR
    (call,) = script.calls
    assert (call.purpose, call.max_tokens, call.temperature) == ("write-sparql", 99, 0.0)
    assert "\n<relation:author> Dune → Frank\n<relation:born> Frank → Tacoma\n" in told(script)
    assert told(script).endswith("\n\nQuestion: Who wrote Dune?\nDune is <entity:Dune>")


def test_types_stand_in_the_place_of_examples_where_they_have_names() -> None:
    kg = KnowledgeGraph.from_triples(
        [("a", "/people/person/born", "r"), ("b", "/people/person/born", "r"),
         ("r", "/geo/town/river", "s"), ("s", "/geo/river/mouth", "t")]
    )  # fmt: skip
    assert relations_text(kg, {}).splitlines()[1:] == [
        "<relation:%2Fgeo%2Friver%2Fmouth> /geo/river → object of /geo/river/mouth",
        "<relation:%2Fgeo%2Ftown%2Friver> /geo/town → /geo/river",
        "<relation:%2Fpeople%2Fperson%2Fborn> /people/person → /geo/town",
    ]


def test_a_failing_query_is_repaired() -> None:
    script = Script(sparql=["Sorry.", "SELECT ?x {", f"```\n{WRONG}\n```", AUTHOR])
    assert asked(TextToSparql(repair=5), script).sparql == AUTHOR
    assert [call.purpose for call in script.calls] == ["write-sparql", *["repair-sparql"] * 3]
    said = [str(call.messages[-1]["content"]).partition("\n")[0] for call in script.calls[1:]]
    assert said[0].startswith("In your reply there is no query: no block")
    assert said[1].startswith("That query fails: The query cannot be read from 1:")
    assert said[2] == "That query fails: the graph has no relation <relation:writer>."


def test_repairs_end_with_the_last_query_or_none() -> None:
    assert asked(TextToSparql(repair=1), Script(sparql=[WRONG, "No."])).sparql == WRONG
    assert asked(TextToSparql(repair=2), Script(sparql=[WRONG, broken])).sparql == WRONG
    assert asked(TextToSparql(), Script(sparql=["I do not know."])).sparql == ""


def test_triples_stand_in_the_place_of_the_relations() -> None:
    script = Script(sparql=[AUTHOR])
    found = asked(TextToSparql(triples=2), script, kg=graph())
    assert found.retrieved is not None
    assert list(found.retrieved) == [("Dune", "pages", "412"), ("Library", "holds", "Dune")]
    assert "\n<entity:Dune> <relation:pages> <entity:412> .\n<entity:Library>" in told(script)
    assert "→" not in told(script)


def test_examples_are_of_the_training_split_and_of_many_structures() -> None:
    given = [train(n, "1p") for n in range(5)] + [train(5, "2i"), train(6, "3i", "validation")]
    script = Script(sparql=[AUTHOR])
    asked(TextToSparql(shots=2), script, train=given)
    assert told(script).count("Eye is <entity:Eye>\n```sparql\nSELECT ?answer { ") == 2
    assert "Question 5?" in told(script)
    assert "Question 6?" not in told(script)
    assert needs_of(TextToSparql(shots=1)) == ["train"]
    assert needs_of(TextToSparql()) == []
