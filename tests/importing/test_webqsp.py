"""The reader ``webqsp``."""

import json
from pathlib import Path
from typing import Any

import pytest

from rulemine.errors import InputError
from rulemine.importing.protocol import ImportedSet
from rulemine.importing.registry import find_reader

HEAD = "PREFIX ns: <http://rdf.freebase.com/ns/>\nSELECT DISTINCT ?x\nWHERE {\n"
NO_TEXT = "FILTER (!isLiteral(?x) OR lang(?x) = '' OR langMatches(lang(?x), 'en'))\n"

GOOD = {"ParseQuality": "Complete", "QuestionQuality": "Good"}


def parse(sparql: str, *answers: tuple[str, str | None], **more: Any) -> dict[str, Any]:
    kinds = [
        {
            "AnswerType": "Entity" if n else "Value",
            "AnswerArgument": a,
            "EntityName": n,
        }
        for a, n in answers
    ]
    base = {"TopicEntityMid": "m.0ar", "TopicEntityName": "Arden", "AnnotatorComment": GOOD}
    return base | {"Sparql": HEAD + sparql + "}", "Answers": kinds} | more


BORDERS = parse(
    f"FILTER (?x != ns:m.0ar)\n{NO_TEXT}ns:m.0ar ns:place.borders ?y .\n?y ns:border.of ?x .\n",
    ("m.0br", "Bree"),
    ("m.0ca", "Carn"),
)
FOUNDED = parse(f"{NO_TEXT}ns:m.0ar ns:place.founded ?x .\n", ("1204-05-01", None))
FIRST = parse("ns:m.0ar ns:place.mayor ?x .\n?x ns:person.from ?s .\n} ORDER BY ?s LIMIT 1 #")

QUESTIONS = [
    {"QuestionId": "T-1", "RawQuestion": "what borders arden?", "Parses": [BORDERS]},
    {"QuestionId": "T-2", "RawQuestion": "when was arden founded?", "Parses": [FOUNDED]},
    {
        "QuestionId": "T-3",
        "RawQuestion": "what is next to arden?",
        "Parses": [BORDERS | {"Answers": BORDERS["Answers"][:1]}, FOUNDED | {"Sparql": "SELECT"}],
    },
    {
        "QuestionId": "T-4",
        "RawQuestion": "who was the first mayor of arden?",
        "Parses": [FIRST | {"AnnotatorComment": {"QuestionQuality": "Bad"}}],
    },
]


def read(path: Path, what: Any, written: str = "webqsp", kg: Path | None = None) -> ImportedSet:
    path.write_text(what if isinstance(what, str) else json.dumps(what), encoding="utf-8")
    return find_reader(written)(path, kg, None)


def test_question_with_its_answers_labels_and_query(tmp_path: Path) -> None:
    found = read(tmp_path / "WebQSP.test.json", {"Questions": QUESTIONS})
    first, second, _, none = found.questions
    assert (first.id, first.text, first.split) == ("T-1", "what borders arden?", "test")
    assert (first.topics, first.answers) == (("m.0ar",), ("m.0br", "m.0ca"))
    assert first.sparql == BORDERS["Sparql"]
    # The topic entity is taken from what the two links give, and only from that.
    assert first.query == '(minus (p "border.of" (p "place.borders" "m.0ar")) "m.0ar")'
    assert second.query == '(p "place.founded" "m.0ar")'
    assert second.answers == ("1204-05-01",)
    assert found.labels == {"m.0ar": "Arden", "m.0br": "Bree", "m.0ca": "Carn"}
    assert (none.answers, none.query) == ((), "")
    assert none.fields["query_lacks"] == "an ORDER BY"
    assert found.complete is None


def test_several_parses(tmp_path: Path) -> None:
    file = tmp_path / "WebQSP.test.json"
    both = read(file, {"Questions": QUESTIONS}).questions[2]
    # No parse has the answers of both, so no SPARQL can be run for them.
    assert (both.answers, both.sparql, both.query) == (("m.0br", "1204-05-01"), "", "")
    assert len(both.fields["Parses"]) == 2
    first = read(file, {"Questions": QUESTIONS}, "webqsp:answers=first").questions[2]
    assert (first.answers, first.sparql) == (("m.0br",), BORDERS["Sparql"])


def test_notes(tmp_path: Path) -> None:
    assert read(tmp_path / "WebQSP.test.json", {"Questions": QUESTIONS}).notes == (
        "of 1 questions with several parses, the answers of all parses count",
        "the official evaluation counts 3 of the 4 questions",
        "2 of 3 SPARQL queries can be read as queries over links",
        "the others have what such queries lack: an ORDER BY (1)",
    )


def test_form_of_think_on_graph(tmp_path: Path) -> None:
    """A list, with topic entities; in some copies only the names of the answers are left."""
    rows = [
        QUESTIONS[0] | {"topic_entity": {"m.0ar": "Arden", "m.0zz": "Zed"}},
        {
            "QuestionId": "T-9",
            "RawQuestion": "who?",
            "answer": ["Bree", "Bree"],
            "topic_entity": {},
        },
    ]
    first, names = read(tmp_path / "WebQSP.json", rows).questions
    assert first.topics == ("m.0ar", "m.0zz")
    assert (names.answers, names.topics) == (("Bree",), ())


def test_folder_with_splits_and_a_graph_in_other_names(tmp_path: Path) -> None:
    (tmp_path / "WebQSP.train.json").write_text(json.dumps({"Questions": QUESTIONS[:1]}), "utf-8")
    (tmp_path / "WebQSP.test.json").write_text(json.dumps({"Questions": QUESTIONS[1:]}), "utf-8")
    kg = tmp_path / "kg.tsv"
    kg.write_text("/m/0ar\t/place/borders\t/m/0b1\nns:m.0b1\tns:border.of\tns:m.0br\n", "utf-8")
    found = find_reader("webqsp")(tmp_path, kg, None)
    assert [q.split for q in found.questions] == ["train", "test", "test", "test"]
    assert list(found.complete or ()) == [
        ("m.0ar", "place.borders", "m.0b1"),
        ("m.0b1", "border.of", "m.0br"),
    ]


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ([], "has no rows; a question in each was expected"),
        (["T-1"], "item 1 is 'T-1'; an object was expected"),
        ("{", "is not valid JSON"),
        ([{"QuestionId": "a"}], "item 1: has no 'RawQuestion'; its fields are: QuestionId"),
        ([QUESTIONS[0] | {"Parses": 3}], "item 1: 'Parses' is 3; expected a list"),
        (
            [QUESTIONS[0] | {"Parses": [{"Answers": ["x"]}]}],
            "item 1: 'Answers' is ['x']; expected",
        ),
    ],
)
def test_error(tmp_path: Path, what: Any, message: str) -> None:
    with pytest.raises(InputError) as problem:
        read(tmp_path / "WebQSP.json", what)
    assert message in str(problem.value)
