"""A model that writes SPARQL: what it is shown, what it is told, what is taken from its replies."""

from types import SimpleNamespace

from rulemine.evaluation.answerers.protocol import OpenQuestion
from rulemine.evaluation.answerers.registry import needs_of
from rulemine.evaluation.answerers.text_to_query import TextToSparql
from rulemine.evaluation.sparql.prompts import relations_text
from tests.evaluation.answerers.scripted import Script, asked, broken, graph, run

DUNE = OpenQuestion("q1", "Who wrote Dune?", ("Dune",))
QUERY = "SELECT ?answer { <entity:Dune> <relation:author> ?answer }"
WRONG = "SELECT ?answer { <entity:Dune> <relation:writer> ?answer }"


def found(answerer, script, **more):
    made = run(answerer, script, question=DUNE, **more)
    assert made.calls <= answerer.worst_calls(1)
    assert (made.text, made.answers) == (None, None)
    return made


def test_the_model_is_shown_the_relations_and_the_topic():
    script = Script(sparql=[f"It is:\n```sparql\n{QUERY}\n```"])
    assert found(TextToSparql(max_tokens=99), script).sparql == QUERY
    (call,) = script.calls
    assert (call.purpose, call.max_tokens, call.temperature) == ("write-sparql", 99, 0.0)
    assert "\n<relation:author> Dune → Frank\n<relation:born> Frank → Tacoma\n" in asked(call)
    assert asked(call).endswith("\n\nQuestion: Who wrote Dune?\nDune is <entity:Dune>")
    # Triples stand in the place of the relations.
    script = Script(sparql=[QUERY])
    made = found(TextToSparql(triples=2), script)
    assert list(made.retrieved) == [("Dune", "pages", "412"), ("Library", "holds", "Dune")]
    said = asked(script.calls[-1])
    assert "\n<entity:Dune> <relation:pages> <entity:412> .\n<entity:Library>" in said
    assert "→" not in said


def test_types_stand_in_the_place_of_examples_where_they_have_names():
    kg = graph(
        [("a", "/people/person/born", "r"), ("b", "/people/person/born", "r"),
         ("r", "/geo/town/river", "s"), ("s", "/geo/river/mouth", "t")]
    )  # fmt: skip
    assert relations_text(kg, {}).splitlines()[1:] == [
        "<relation:%2Fgeo%2Friver%2Fmouth> /geo/river → object of /geo/river/mouth",
        "<relation:%2Fgeo%2Ftown%2Friver> /geo/town → /geo/river",
        "<relation:%2Fpeople%2Fperson%2Fborn> /people/person → /geo/town",
    ]


def test_a_failing_query_is_repaired():
    script = Script(sparql=["Sorry.", "SELECT ?x {", f"```\n{WRONG}\n```", QUERY])
    assert found(TextToSparql(repair=5), script).sparql == QUERY
    assert [call.purpose for call in script.calls] == ["write-sparql", *["repair-sparql"] * 3]
    said = [asked(call).partition("\n")[0] for call in script.calls[1:]]
    assert said[0].startswith("In your reply there is no query: no block")
    assert said[1].startswith("That query fails: The query cannot be read from 1:")
    assert said[2] == "That query fails: the graph has no relation <relation:writer>."
    for repair, replies, last in (
        (1, [WRONG, "No."], WRONG), (2, [WRONG, broken], WRONG), (0, ["I do not know."], ""),
    ):  # fmt: skip
        assert found(TextToSparql(repair=repair), Script(sparql=replies)).sparql == last


def test_examples_are_of_the_training_split_and_of_many_structures():
    train = [
        SimpleNamespace(
            id=f"t{n}", question=f"Question {n}?", anchors=("Eye",), structure=structure,
            split="validation" if n == 6 else "train", sparql=f"SELECT ?answer {{ {n} }}",
        )
        for n, structure in enumerate(["1p"] * 5 + ["2i", "3i"])
    ]  # fmt: skip
    script = Script(sparql=[QUERY])
    found(TextToSparql(shots=2), script, train=train)
    said = asked(script.calls[-1])
    assert said.count("Eye is <entity:Eye>\n```sparql\nSELECT ?answer { ") == 2
    assert "Question 5?" in said
    assert "Question 6?" not in said
    assert (needs_of(TextToSparql(shots=1)), needs_of(TextToSparql())) == (["train"], [])
