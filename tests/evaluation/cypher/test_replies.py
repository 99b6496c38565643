"""Cypher in what a model wrote."""

import json

from rulemine.evaluation.cypher.replies import cypher_of
from tests import each
from tests.evaluation.conftest import cases_of


@each("row", cases_of(__file__, "replies.jsonl"))
def test_the_query_in_what_a_model_wrote(row):
    """None where there is none, or where two are as good."""
    query, why = cypher_of(row["said"])
    assert query == row["query"]
    assert bool(why) == (query is None)


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


def test_a_long_reply_is_read_at_once():
    for part in (
        "``` ", "\n", "//x\n", "/*\n", "<cypher><query>", "{", '{"cypher": ', "MATCH (n)\n", "x\n\n", "~~~ ",
        "1. ",
    ):  # fmt: skip
        cypher_of("x" + part * (200_000 // len(part)) + "x")
