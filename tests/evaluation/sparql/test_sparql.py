"""SPARQL as models write it: found in a reply, run on a small graph, and scored."""

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest

from rulemine.evaluation import evaluate
from rulemine.evaluation.predictions import PredictionFile
from rulemine.evaluation.reporting.documents import question_rows, run_of_file
from rulemine.evaluation.sparql import running
from rulemine.evaluation.sparql.predicted import run_predictions
from rulemine.evaluation.sparql.running import LONGEST, SparqlRunner, sparql_of
from rulemine.kg.graph import KnowledgeGraph
from rulemine.release.reader import Release
from rulemine.release.records import Prediction
from tests.evaluation.conftest import cases_of
from tests.evaluation.world import QUESTIONS

KG = KnowledgeGraph.from_triples([
    ("ann", "mother", "Zoë B."), ("bob", "mother", "Zoë B."), ("cid", "mother", "ann"),
    ("Zoë B.", "born_in", 'The "Inn"'), ("dora", "/people/person/aunt", "ann"),
])  # fmt: skip

QUERY = "SELECT ?x WHERE { ?x <relation:mother> <entity:ann> . }"


@pytest.fixture(scope="module")
def runner():
    with SparqlRunner(KG, seconds=1.0) as opened:
        yield opened


REPLIES = [
    QUERY, f"```sparql\n{QUERY}\n```", f"```\n{QUERY}\n```", f"```SPARQL {QUERY}```",
    f"Sure, I will select the mother. The query is:\n\n{QUERY}\n\nIt finds {{one}} person.",
    f"<think>SELECT ?y {{ }} would be wrong.</think>\n{QUERY}",
    f"First:\n```sparql\nSELECT ?y {{ ?y ?p ?z }}\n```\nBetter:\n```sparql\n{QUERY}\n```",
    f"```sparql\n{QUERY}", f"```sparql\n# Select ?x, the child of Ann's:\n{QUERY}\n```",
    f"# The query: {QUERY}", f'{{"sparql": "{QUERY}"}}',
    json.dumps({"name": "run", "arguments": json.dumps({"query": QUERY})}), f"`{QUERY}`",
    QUERY.replace("<", "&lt;").replace(">", "&gt;"),
]  # fmt: skip


TAILS = [
    "ORDER BY DESC(COUNT(?y)) LIMIT 1", "ORDER BY LCASE(STR(?x)) ?y # by name\nLIMIT 2 OFFSET 1",
    "GROUP BY ?x HAVING (COUNT(?y) > 1) (?y != 2)\nORDER BY ASC (?x)", "VALUES ?x { <entity:ann> }",
    'VALUES (?x ?y) { (<entity:ann> ")") }',
]  # fmt: skip
"""What may follow the last brace."""


def test_the_query_is_taken_from_a_reply():
    assert [reply for reply in REPLIES if sparql_of(reply) != (QUERY, "")] == []
    text = 'PREFIX e: <x:>\nselect ?x where { ?x ?p "}" } GROUP BY ?x order by DESC(?x)\nLIMIT 3'
    assert sparql_of(f"{text}\nThat is all {{of it}}.") == (text, "")
    for query in (f"{QUERY} {tail}" for tail in TAILS):
        for reply in (f"{query}\n\n(That is all of it.)", f"```sparql\n{query}\n```"):
            assert sparql_of(reply) == (query, "")
    for reply in ("", "```\n```", "<think>SELECT ?x {", "I select none."):
        found, why = sparql_of(reply)
        assert found is None
        assert why


def test_much_is_read_in_no_time():
    start = time.perf_counter()
    for text in ("SELECT ?x {" * 10**5, "`" * 10**6, "ORDER BY ?x " * 10**5, "{}" * 10**6):
        found, _ = sparql_of(f"SELECT ?x {{ }} {text}")
        assert len(found or "") <= LONGEST
    assert time.perf_counter() - start < 2


def test_what_a_query_gives_and_what_is_wrong_with_it(runner):
    wrong = []
    for row in cases_of(__file__, "queries.jsonl"):
        ran = runner.run(row["query"])
        right = (ran.kind, list(ran.answers)) == (row["kind"], row.get("answers", []))
        told = row["why"] in ran.said and "\n" not in ran.said if "why" in row else ran.said == ""
        wrong += [(row, ran)] * (not right or not told)
    assert wrong == []


def test_an_endless_query_is_ended(runner, monkeypatch):
    joined = " ".join(f"?a{i} ?b{i} ?c{i} ." for i in range(12))
    query = f"SELECT (COUNT(*) AS ?n) {{ {joined} }}"
    start = time.monotonic()
    assert runner.run(query).kind == "too long"
    assert time.monotonic() - start < 5
    assert runner.run(QUERY).answers == ("cid",)
    monkeypatch.setattr(running, "MOST_ROWS", 2)
    with SparqlRunner(KG) as narrow:
        assert narrow.run("SELECT ?x { ?x relation:mother ?y }").kind == "too many"


MOTHER = "SELECT ?x {{ <entity:{}> <relation:mother> ?x }}"
ASKED = [
    MOTHER.format("e00000"),  # e00002 is stated, e00004 not: 1 of 2 answers
    "I do not know.",
    "```sparql\nSELECT ?x { ?x <relation:mothers> <entity:e00004> }\n```",
]


def written(path: Path, queries: list[str] = ASKED) -> Path:
    rows = [{"id": f"q{at:05}", "sparql": text} for at, text in enumerate(queries, start=1)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def columns_of(report):
    return dict(zip(report.columns, report.scores.T.tolist(), strict=True))


def test_queries_are_run_on_the_graph_that_was_answered_from(release, tmp_path):
    file = written(tmp_path / "p.jsonl")
    report = evaluate(release, file, resamples=1)
    table = next(table for table in report.tables() if table.id == "sparql")
    assert table.rows == (("run", 1), ("no query", 1), ("unknown relation", 1))
    said = "first q00003: the graph has no relation <relation:mothers>"
    assert any(said in note for note in table.notes)
    assert any(note.startswith("2 of 3 queries give no answer") for note in report.notes)
    whole = evaluate(release, file, kg="complete", resamples=1)
    for columns, recall, hard in ((columns_of(report), 0.5, 0.0), (columns_of(whole), 1.0, 1.0)):
        assert columns["precision"] == [1.0, 0.0, 0.0]
        assert columns["recall"] == [recall, 0.0, 0.0]
        assert columns["hits_hard"] == [hard, 0.0, 0.0]
    named = written(tmp_path / "text.jsonl", [MOTHER.format("Ann"), "", ""])
    report = evaluate(release, named, kg="complete", naming="text", resamples=1)
    assert columns_of(report)["f1"][0] == 1.0


def test_a_page_of_questions_says_what_the_query_gave(release, tmp_path):
    file = PredictionFile(written(tmp_path / "p.jsonl"))
    report = evaluate(release, file, resamples=1)
    run = run_of_file(release, file, report)
    first, *_, last = question_rows(release, [run])[0]
    assert first.outcomes[0].answers == ("e00002",)
    assert first.outcomes[0].said == ASKED[0]
    assert last.outcomes[0].verdict == "empty"


def test_a_count_stands_for_what_it_counts_where_the_question_asks_how_many(release, monkeypatch):
    counting, plain = QUESTIONS[0], QUESTIONS[1]
    asked = (replace(counting, value=2), plain)
    monkeypatch.setattr(Release, "questions", lambda *_: asked)
    query = MOTHER.format("e00000").replace("?x {", "(COUNT(?x) AS ?n) {")
    given = [Prediction(q.id, sparql=query) for q in asked]
    ran = run_predictions(release, given, "complete", release.naming)
    assert [p and p.answers for p in ran.given] == [("e00002", "e00004"), ("2",)]
