"""Predictions for questions over a property graph: Cypher, rows, and Cypher in what a model wrote."""

import json
import re
from dataclasses import replace

import pytest

from rulemine.errors import PredictionError
from rulemine.evaluation import read_predictions, write_predictions
from rulemine.evaluation.cypher.replies import cypher_of
from rulemine.release.records import Prediction
from tests.evaluation.conftest import refusal
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
    "a list of queries": ({"cypher": ["RETURN 1"]}, "'cypher': expected `str"),
    "text for rows": ({"rows": "x"}, "'rows': expected `array"),
    "values for rows": ({"rows": ["x"]}, "'rows.0.': expected `array`, got `str`"),
    "a row without values": ({"rows": [[]]}, "'rows.0.': expected `array` of length >= 1"),
    "ragged": ({"rows": [[1], [1, 2]]}, "'rows' has rows of 1 and of 2 values"),
    "an object": ({"rows": [[1], [{"name": "x"}]]}, "'rows.1..0.': expected `bool .* got `object`"),
    "lists of lists": ({"rows": [[[["x"]]]]}, "'rows.0..0..0.': expected"),
    "infinity": ({"rows": [[1e999]]}, "line 1: is not valid JSON"),
}


def test_says_what_is_wrong(tmp_path):
    path, wrong = tmp_path / "p.jsonl", []
    for case, (row, told) in BAD.items():
        path.write_text(lines({"id": "q00001"} | row, {"id": "q00002"}))
        said = refusal(PredictionError, read_predictions, path, ASKED)
        wrong += [(case, said)] * (not re.search(told, said))
        assert "line 2: has no" in said
        assert '"cypher": "MATCH …"' in said  # what was expected
    assert wrong == []


def test_names_are_no_answers_to_what_asks_for_rows(tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_text(lines({"id": "q00001", "answers": ['["Arden"]']}))
    told = "has 'answers', but .* is answered with rows; 'cypher', 'rows' or 'raw_output' was"
    with pytest.raises(PredictionError, match=f"line 1: {told}"):
        read_predictions(path, ASKED)
    with pytest.raises(PredictionError, match=told):
        read_predictions([Prediction("q00001", answers=('["Arden"]',))], ASKED)
    path.write_text(lines({"id": "q00001", "answers": []}))  # nothing was found
    assert read_predictions(path, ASKED) == (Prediction("q00001", answers=()),)


def test_other_kinds_have_no_queries(tmp_path):
    path = tmp_path / "p.jsonl"
    told = "of the kind 'rules', is not asked of a property graph; 'raw_output'"
    for key, answer, made in (("cypher", "RETURN 1", "RETURN 1"), ("rows", [[1]], ("[1]",))):
        path.write_text(lines({"id": "q00001", key: answer}))
        with pytest.raises(PredictionError, match=f"line 1: has '{key}'.*{told}"):
            read_predictions(path, QUESTIONS)
        with pytest.raises(PredictionError, match=told):
            read_predictions([Prediction("q00001", **{key: made})], QUESTIONS)


def test_nothing_unsound_is_written(tmp_path):
    for rows in (("x",), ("{}",), ("[1]", "[1,2]"), ('["\ud83d"]',), ("[[[1]]]",)):
        given = [Prediction("q00001", rows=rows)]
        with pytest.raises(PredictionError, match="q00001"):
            write_predictions(tmp_path / "p.jsonl", given)
        with pytest.raises(PredictionError, match="q00001"):
            read_predictions(given, ASKED)


SAID = [
    ("MATCH (n) RETURN n", "MATCH (n) RETURN n"),
    ("\n optional match (n)\nreturn n;\n", "optional match (n)\nreturn n;"),
    ("```cypher\nMATCH (n)\nRETURN n\n```", "MATCH (n)\nRETURN n"),
    ("So:\n```Cypher MATCH (n) RETURN n```", "MATCH (n) RETURN n"),
    ("```\nMATCH (n) RETURN n\n```\nwhich gives\n```text\nArden\n```", "MATCH (n) RETURN n"),
    ("```cypher\nMATCH (n) RETURN n\n```\ngives\n```\nArden\n```", "MATCH (n) RETURN n"),
    ("```cypher\nRETURN 1\n```\nno, better\n```cypher\nRETURN 2\n```", "RETURN 2"),
    ("```\nMATCH (n) RETURN n", "MATCH (n) RETURN n"),  # cut off
    ("```MATCH\n(n) RETURN n```", "MATCH\n(n) RETURN n"),
    ("```cypher\n```\n```\nRETURN 1\n```", "RETURN 1"),
    ("<think>```cypher\nRETURN 1\n``` perhaps</think>RETURN 2", "RETURN 2"),
    ("<thinking>RETURN 1</thinking>RETURN 2", "RETURN 2"), ("<think>RETURN 1", None),
    ("Cypher: MATCH (n) RETURN n<end_of_turn>\n", "MATCH (n) RETURN n"),
    ("```\nQuery:\nRETURN 1\n```</s>", "RETURN 1"), ("Arden", None), ("Matches: Arden", None), ("", None),
    ("```", None),
]  # fmt: skip


def test_the_query_in_what_a_model_wrote():
    assert [(said, cypher_of(said)[0]) for said, _ in SAID] == SAID
    assert all(bool(cypher_of(said)[1]) == (query is None) for said, query in SAID)


WRAPPINGS = (
    "{}", "{};", "{}<|im_end|>", "```cypher\n{}\n```", "```\n{}\n```", "```sql\n{}\n```", "'{}'", "“{}”",
    "`{}`", "Here it is:\n```cypher\n{}\n```\nIt counts.", "Here is the query:\n{}", "I match it.\n\n{}",
    "The query is: {}", "The query is `{}`.", "Query: `{}`", "**Cypher query**\n{}", "**Cypher:** {}",
    "### Cypher\n\n{}", "Answer: {}", "Cypher: {}", "cypher\n{}", "Final answer:\n{}", "// it is asked\n{}",
    "```\n// what is asked\n{}\n```", "/* what is\nasked */ {}", "CYPHER 5 {}", "CYPHER 5\n{}", "PROFILE {}",
    "```cypher\nCYPHER runtime=slotted PROFILE {}\n```", "EXPLAIN\n{}", "USE neo4j {}", "<cypher>{}</cypher>",
    "<query>\n{}\n</query>", "[CYPHER]{}[/CYPHER]", "So <answer>```cypher\n{}\n```</answer>",
    "<think>MATCH (x) RETURN 1</think>{}", "<|channel|>final<|message|>{}<|return|>", "{}\n\nThis does it.",
    "{}\nThis query returns it (all of it).", "{}\n\n**Explanation:**\n- The pattern.\n- Names are returned.",
    "```cypher\n{}\n```\nAlternatively, by hand:\n```cypher\nMATCH (x) RETURN x.y\n```",
    "```cypher\nMATCH (x) RETURN x.y\n```\nNo. The corrected query:\n```cypher\n{}\n```",
    "```cypher\n{}\n```\nwhich gives\n```json\n[{\"name\": \"Arden\"}]\n```",
    "cypher: |\n  {}", "```yaml\ncypher: |\n  {}\n```", "**Query:** {} **<|im_end|>**",
    "```cypher\n{}\n```\nAgain:\n```cypher\n{};\n```",
    "**{}**", "> {}", "So:\n    {}", "<answer>{}", "{}\nResult: two names", "{}\n```", "{}\n\n---\nWe did.",
    "```cypher\n{}\n```\nAgain:\n```cypher\n{}\n```", "~~~cypher\n{}\n~~~", '"""\n{}\n"""', "$$\n{}\n$$",
    'query = """{}"""', "<code>{}</code>", "1. {}", "- {}", "Sure! {}", "neo4j$ {}",
)  # fmt: skip
"""What stands around a query in a reply."""

PACKED = (
    "{}", '{"cypher": {}}', '```json\n{"cypher": {}}\n```', 'Here: {"query": {}, "reason": "Match it.",}',
    '[{"cypher": {}}]', '{"name": "run", "arguments": {"Cypher_Query": {}}}',
)  # fmt: skip

RIGHT = (
    "MATCH (n:Town)-[:near]->(r) WHERE n.`the area` > 2 RETURN DISTINCT n.name\nORDER BY n.name LIMIT 3",
    "match (n {name: 'It is; it\\'s \"here\": x'})\nreturn count(*) as it,\nn.kind",
    "MATCH p = (a)-[*1..2]->(b)\n\nWITH a\n\nRETURN a.name + '//'\nUNION\nUNWIND [1, 2] AS x RETURN x",
)
WRONG = (
    "MATCH (n:Twon RETURN n.name", "MATCH (n) RETURN n.name ORDER BYY n.x", "MATCH (n) RETURN n.name\nLIMIT",
    "MATCH (n) WHERE n.x = 1", "RETURN", "MATCH (n) RETURN n.name MATCH",
    "MATCH (n)\nReturn n.name\n\nOrder By m.x", "MATCH (n {name: 'Ke$$ha ~~~ \"\"\"'}) RETURN",
)  # fmt: skip


def test_a_query_is_the_same_in_all_wrappings():
    """Letter by letter, and no wrapping mends one that is wrong."""
    lost = []
    for query in (*RIGHT, *WRONG):
        replies = [wrapping.replace("{}", query) for wrapping in WRAPPINGS]
        for reply in [*replies, *(packing.replace("{}", json.dumps(query)) for packing in PACKED)]:
            read = cypher_of(reply)[0]
            if not (read in (query, f"{query};") or (query in WRONG and read in (None, reply))):
                lost.append((reply, read))
    assert lost == []


QUERY = "MATCH (n {name: 'It'})-[:near]->(m) RETURN m.name"
ARGUMENTS = json.dumps({"query": QUERY})


PROGRAMS = [
    json.dumps([QUERY]), json.dumps({"name": "run", "arguments": ARGUMENTS}),
    json.dumps([{"type": "function", "function": {"name": "run", "arguments": ARGUMENTS}}]),
    f'```python\nquery = """\n{QUERY}\n"""\nsession.run(query)\n```',
    f'```python\nsession.run("{QUERY}")\n```', "```js\nrun('" + QUERY.replace("'", "\\'") + "')\n```",
    QUERY.replace(" RETURN", "\\nRETURN"), QUERY.replace(">", "&gt;").replace("'", "&#39;"),
]  # fmt: skip


def test_a_query_that_a_program_packed_is_read():
    found = [" ".join((cypher_of(said)[0] or "").split()) for said in PROGRAMS]
    assert found == [QUERY] * len(PROGRAMS)


SEVERAL = [
    "```cypher\nRETURN 1\n```\n```cypher\nRETURN 2\n```",
    "```\nRETURN 1\n```\nor\n```\nRETURN 2\n```\nand\n```\nRETURN 3\n```",
    '{"cypher": "RETURN 1"} {"cypher": "RETURN 2"}', "<cypher>RETURN 1</cypher> <cypher>RETURN 2</cypher>",
    "With this, match (as one does) what the call returns.", "I would return the name: match it.",
]  # fmt: skip


def test_of_two_queries_none_is_guessed():
    assert [said for said in SEVERAL if cypher_of(said)[0] not in (None, said)] == []


def test_a_long_reply_is_read_at_once():
    for part in (
        "``` ", "\n", "//x\n", "/*\n", "<cypher><query>", "{", '{"cypher": ', "MATCH (n)\n", "x\n\n", "~~~ ",
        "1. ",
    ):  # fmt: skip
        cypher_of("x" + part * (200_000 // len(part)) + "x")
