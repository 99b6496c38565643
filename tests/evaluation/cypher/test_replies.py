"""Cypher in what a model wrote."""

import json

from rulemine.evaluation.cypher.replies import cypher_of

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
