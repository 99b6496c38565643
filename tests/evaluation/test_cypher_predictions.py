"""Predictions for questions over a property graph: Cypher, rows, and Cypher in what a model wrote."""

import json
from dataclasses import replace

import pytest

from rulemine.errors import PredictionError
from rulemine.evaluation import read_predictions, write_predictions
from rulemine.evaluation.cypher.replies import cypher_of
from rulemine.evaluation.predictions import fit
from rulemine.release.records import Prediction
from tests.evaluation.world import QUESTIONS

ASKED = [replace(q, kind="cypher") for q in QUESTIONS]
ROWS = [["Arden", 1200, 0.5, True, None, ["a", None, 2]], ["Bree", 1, 2, False, "1200-05-01", []]]


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_queries_and_rows_are_read_and_written(tmp_path):
    given = [
        {"id": "q00001", "cypher": "MATCH (n) RETURN n.name"},
        {"id": "q00002", "rows": ROWS, "usage": {"calls": 1, "prompt_tokens": 2, "completion_tokens": 3}},
        {"id": "q00003", "rows": []},
    ]  # fmt: skip
    path = tmp_path / "p.jsonl"
    path.write_text(lines(*given))
    read = read_predictions(path, ASKED)
    assert read[0] == Prediction("q00001", cypher="MATCH (n) RETURN n.name")
    assert read[1].rows == (
        '["Arden",1200,0.5,true,null,["a",null,2]]',
        '["Bree",1,2,false,"1200-05-01",[]]',
    )
    assert read[2].rows == ()
    again = tmp_path / "again.jsonl"
    write_predictions(again, read)
    assert list(map(json.loads, again.read_text().splitlines())) == given
    assert read_predictions(again, ASKED) == read


BAD = {
    "both": ({"cypher": "RETURN 1", "rows": [[1]]}, "has both 'cypher' and 'rows'"),
    "all": ({"raw_output": "", "answers": [], "rows": []}, "'raw_output', 'answers' and 'rows'"),
    "a list of queries": ({"cypher": ["RETURN 1"]}, "'cypher' is .'RETURN 1'.; a text"),
    "text for rows": ({"rows": "x"}, "'rows' is 'x'; an array of rows"),
    "values for rows": ({"rows": ["x"]}, "row 1 of 'rows' is 'x'; an array of values"),
    "a row without values": ({"rows": [[]]}, "row 1 of 'rows' is ..; an"),
    "ragged": ({"rows": [[1], [1, 2]]}, "row 2 of 'rows' has 2 values, the first 1"),
    "an object": ({"rows": [[1], [{"name": "x"}]]}, "row 2 of 'rows' has {'name': 'x'}; a text"),
    "lists of lists": ({"rows": [[[["x"]]]]}, "row 1 of 'rows' has ..'x'..; a text"),
    "infinity": ({"rows": [[1e999]]}, "Infinity is not allowed"),
}


@pytest.mark.parametrize("case", BAD)
def test_says_what_is_wrong(tmp_path, case):
    row, told = BAD[case]
    path = tmp_path / "p.jsonl"
    path.write_text(lines({"id": "q00001"} | row, {"id": "q00002"}))
    with pytest.raises(PredictionError, match=told) as caught:
        read_predictions(path, ASKED)
    assert "line 2: has no" in str(caught.value)
    assert '"cypher": "MATCH …"' in str(caught.value)  # what was expected


def test_names_are_no_answers_to_what_asks_for_rows(tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_text(lines({"id": "q00001", "answers": ['["Arden"]']}))
    told = "has 'answers', but .* is answered with rows; 'cypher', 'rows' or 'raw_output' was"
    with pytest.raises(PredictionError, match=f"line 1: {told}"):
        read_predictions(path, ASKED)
    with pytest.raises(PredictionError, match=told):
        fit(ASKED, [Prediction("q00001", answers=('["Arden"]',))], split="test")
    path.write_text(lines({"id": "q00001", "answers": []}))  # nothing was found
    assert read_predictions(path, ASKED) == (Prediction("q00001", answers=()),)


@pytest.mark.parametrize("answer", [{"cypher": "RETURN 1"}, {"rows": [[1]]}])
def test_other_kinds_have_no_queries(tmp_path, answer):
    path = tmp_path / "p.jsonl"
    path.write_text(lines({"id": "q00001"} | answer))
    told = "of the kind 'rules', is not asked of a property graph; 'raw_output'"
    with pytest.raises(PredictionError, match=f"line 1: has '{next(iter(answer))}'.*{told}"):
        read_predictions(path, QUESTIONS)
    made = {"cypher": "RETURN 1"} if "cypher" in answer else {"rows": ("[1]",)}
    with pytest.raises(PredictionError, match=told):
        fit(QUESTIONS, [Prediction("q00001", **made)], split="test")


@pytest.mark.parametrize("rows", [("x",), ("{}",), ("[1]", "[1,2]"), ('["\ud83d"]',), ("[[[1]]]",)])
def test_nothing_unsound_is_written(tmp_path, rows):
    with pytest.raises(PredictionError, match="q00001"):
        write_predictions(tmp_path / "p.jsonl", [Prediction("q00001", rows=rows)])
    with pytest.raises(PredictionError, match="q00001"):
        fit(ASKED, [Prediction("q00001", rows=rows)], split="test")


@pytest.mark.parametrize(
    ("said", "query"),
    [
        ("MATCH (n) RETURN n", "MATCH (n) RETURN n"),
        ("\n optional match (n)\nreturn n;\n", "optional match (n)\nreturn n;"),
        ("```cypher\nMATCH (n)\nRETURN n\n```", "MATCH (n)\nRETURN n"),
        ("So:\n```Cypher MATCH (n) RETURN n```", "MATCH (n) RETURN n"),
        ("```\nMATCH (n) RETURN n\n```\nwhich gives\n```text\nArden\n```", "Arden"),
        ("```cypher\nMATCH (n) RETURN n\n```\ngives\n```\nArden\n```", "MATCH (n) RETURN n"),
        ("```cypher\nRETURN 1\n```\nno, better\n```cypher\nRETURN 2\n```", "RETURN 2"),
        ("```\nMATCH (n) RETURN n", "MATCH (n) RETURN n"),  # cut off
        ("```MATCH\n(n) RETURN n```", "MATCH\n(n) RETURN n"),
        ("```cypher\n```\n```\nRETURN 1\n```", "RETURN 1"),
        ("<think>```cypher\nRETURN 1\n``` perhaps</think>RETURN 2", "RETURN 2"),
        ("<thinking>RETURN 1</thinking>RETURN 2", "RETURN 2"),
        ("<think>RETURN 1", None),
        ("Cypher: MATCH (n) RETURN n<end_of_turn>\n", "MATCH (n) RETURN n"),
        ("```\nQuery:\nRETURN 1\n```</s>", "RETURN 1"),
        ("Arden", None),
        ("Matches: Arden", None),
        ("", None),
        ("```", None),
    ],
)
def test_the_query_in_what_a_model_wrote(said, query):
    found, why = cypher_of(said)
    assert found == query
    assert (why == "") == (query is not None)


def test_a_long_reply_is_read_at_once():
    assert cypher_of("``` " * 200_000 + "x")[0] is None
