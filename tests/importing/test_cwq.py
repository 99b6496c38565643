"""The reader ``cwq``."""

import json
from pathlib import Path
from typing import Any

import pytest

from rulemine import Release, answer, evaluate
from rulemine.errors import InputError
from rulemine.exports.exporting import export
from rulemine.importing.importer import import_set
from rulemine.importing.protocol import ImportedSet
from rulemine.importing.readers.webqsp_cwq import freebase_query
from rulemine.importing.registry import find_reader
from tests.releases import built

SPARQL = """PREFIX ns: <http://rdf.freebase.com/ns/>
SELECT DISTINCT ?x
WHERE {
FILTER (?x != ns:m.0ow)
FILTER (!isLiteral(?x) OR lang(?x) = '' OR langMatches(lang(?x), 'en'))
?c ns:team.mascot ns:m.0ow .
?c ns:team.home ?x .
?x ns:common.topic.notable_types ns:m.01m9 .
}
"""
QUERY = (
    '(minus (and (p "team.home" (p- "team.mascot" "m.0ow")) (p- "common.topic.notable_types" "m.01m9"))'
    ' "m.0ow")'
)

QUESTION = {
    "ID": "T-1_ab",
    "compositionality_type": "composition",
    "question": "Where is the team at home whose mascot is an owl?",
    "machine_question": "where is the home of the the team has mascot owl",
    "sparql": SPARQL,
    "webqsp_ID": "T-1",
    "answers": [{"answer_id": "m.0ar", "answer": "Arden", "aliases": ["Ardenne", "Ardenne"]}],
}


def read(path: Path, rows: Any) -> ImportedSet:
    path.write_text(json.dumps(rows), encoding="utf-8")
    return find_reader("cwq")(path, None, None)


def test_question(tmp_path: Path) -> None:
    found = read(tmp_path / "ComplexWebQuestions_dev.json", [QUESTION])
    (question,) = found.questions
    assert (question.id, question.split) == ("T-1_ab", "validation")
    # Types and what a FILTER names are no topics.
    assert (question.topics, question.answers) == (("m.0ow",), ("m.0ar",))
    assert (question.sparql, question.query) == (SPARQL, QUERY)
    assert found.labels == {"m.0ar": "Arden"}
    assert question.fields == {
        "type": "composition",
        "machine_question": QUESTION["machine_question"],
        "webqsp_ID": "T-1",
        "aliases": {"m.0ar": ["Ardenne"]},
    }
    assert found.notes == ("1 of 1 SPARQL query can be read as queries over links",)


@pytest.mark.parametrize(
    ("given", "answers", "labels"),
    [
        ({"answer": ["m.0ar", "m.0br"]}, ("m.0ar", "m.0br"), {}),
        ({"answer": "Arden"}, ("Arden",), {}),
        (
            {"answers": {"answer": ["Arden", "Bree"], "answer_id": ["m.0ar", "m.0br"]}},
            ("m.0ar", "m.0br"),
            {"m.0ar": "Arden", "m.0br": "Bree"},
        ),
        ({"answers": [{"answer": "1204"}]}, ("1204",), {}),
        ({"answers": []}, (), {}),
    ],
)
def test_forms_of_answers(
    tmp_path: Path, given: dict[str, Any], answers: tuple[str, ...], labels: dict[str, str]
) -> None:
    rest = {key: value for key, value in QUESTION.items() if key != "answers"}
    found = read(tmp_path / "ComplexWebQuestions_test.json", [rest | given])
    assert (found.questions[0].answers, found.labels) == (answers, labels)


def test_form_of_think_on_graph(tmp_path: Path) -> None:
    rows = [QUESTION | {"topic_entity": {"m.0ow": "Owl", "m.01m9": "Town"}, "answer": "Arden"}]
    del rows[0]["answers"]
    found = read(tmp_path / "cwq.json", rows)
    assert found.questions[0].topics == ("m.0ow", "m.01m9")
    assert found.labels == {"m.0ow": "Owl", "m.01m9": "Town"}
    assert found.notes[0] == "the answers of 1 of the 1 questions are names, not ids"


@pytest.mark.parametrize(
    ("body", "lacks"),
    [
        ("ns:m.0ar ns:a ?x . ?x ns:b ?n . FILTER (?n < 3)", "a FILTER"),
        ("ns:m.0ar ns:a ?c . ?c ns:b ?x FILTER (?x != ?c)", "a FILTER that two variables differ"),
        ('?x ns:a "Arden"@en', "a literal"),
        ("ns:m.0ar ns:a ?x . ?x ns:b ?y . ?y ns:c ?x", "a cycle"),
        ("ns:m.0ar ns:a ", "it cannot be read"),
        ("ns:m.0ar ns:a ?x } LIMIT 3 #", "a LIMIT"),
        ("SERVICE <http://a.example> { ns:m.0ar ns:a ?x }", "a SERVICE"),
    ],
)
def test_query_that_is_not_read(body: str, lacks: str) -> None:
    """It would have other answers than its SPARQL, so there is none."""
    head = "PREFIX ns: <http://rdf.freebase.com/ns/> SELECT DISTINCT ?x WHERE { "
    assert freebase_query(f"{head}{body} }}") == ("", lacks)


def test_queries_are_executed_on_a_graph_with_other_names(tmp_path: Path) -> None:
    home = "?c ns:team.mascot ns:m.0ow .\n?c ns:team.home ?x .\n"
    differ = SPARQL.replace("FILTER (?x != ns:m.0ow)", "FILTER (?x != ?c)")
    rows = [
        QUESTION | {"sparql": f"PREFIX ns: <http://rdf.freebase.com/ns/> SELECT ?x {{ {home} }}"},
        QUESTION | {"ID": "T-2", "sparql": differ},
    ]
    path, kg, left = (tmp_path / name for name in ("cwq.json", "kg.tsv", "left.tsv"))
    path.write_text(json.dumps(rows), "utf-8")
    mascot = "/m/0te\t/team/mascot\t/m/0ow\n"
    here, there = (f"/m/0te\t/team/home\t/m/{town}\n" for town in ("0ar", "0br"))
    kg.write_text(mascot + here + there, "utf-8")
    left.write_text(mascot + there, "utf-8")
    made = import_set("cwq", path, tmp_path / "out", kg=kg, incomplete=left)
    first, second = made.questions()
    assert first.block.executed == ("m.0ar", "m.0br")
    assert [row.answer for row in first.hard] == ["m.0ar"]
    # Without the types, which the graph lacks, it would have other answers, so it is not executed.
    assert (second.block.executed, second.hard) == (None, ())
    assert second.block.why == (
        "it is no query over links: a FILTER that two variables differ. As written: the graph has no "
        '"common.topic.notable_types".'
    )


@pytest.mark.parametrize(("form", "file"), [("cwq", "cwq.json"), ("webqsp", "WebQSP.json")])
def test_scores_of_an_export_are_those_of_its_release(form: str, file: str, tmp_path: Path) -> None:
    """Of what texts and answers show: the form has neither a graph nor hard answers."""
    release = Release.open(built("demo") / "demo")
    folder = export(release, "tog", tmp_path / "tog", naming="text").folder
    made = import_set(form, folder / file, tmp_path / "imported")
    predictions = answer(release, "neighbors")
    before, after = (
        evaluate(one, predictions, naming="text", resamples=1) for one in (release, made)
    )
    assert before.ids == after.ids
    for name in ("hits_any", "precision", "recall", "f1"):
        one, other = (each.scores[:, each.columns.index(name)] for each in (before, after))
        assert one.tolist() == other.tolist()
        assert 0 < one.mean() < 1


def test_error(tmp_path: Path) -> None:
    rows = [QUESTION, QUESTION | {"ID": 3}]
    with pytest.raises(InputError, match=r"test.json: item 2: 'ID' is 3; expected text"):
        read(tmp_path / "ComplexWebQuestions_test.json", rows)
