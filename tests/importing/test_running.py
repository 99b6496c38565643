"""SPARQL that is no query over links is run as its source has it, on both graphs."""

import json
import re
from contextlib import closing
from pathlib import Path

import pytest

from rulemine import Release, evaluate, import_set
from rulemine.auditing.audited import AuditedSet
from rulemine.builder.regenerated import regenerated
from rulemine.errors import UserError
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.imported.running import SourceRunner
from rulemine.verify import verify
from tests import each

GRAPH = (
    "m.0te\tteam.home\tm.0ar\nm.0te\tteam.home\tm.0br\nm.0te\tteam.mascot\tm.0ow\n"
    "m.0tf\tteam.home\tm.0cr\nm.0tf\tteam.mascot\tm.0ow\n"
)
REMOVED = "m.0tf\tteam.home\tm.0cr\n"

HEAD = """PREFIX ns: <http://rdf.freebase.com/ns/>
SELECT DISTINCT ?x
WHERE {
FILTER (?x != ns:m.0ow)
FILTER (!isLiteral(?x) OR lang(?x) = '' OR langMatches(lang(?x), 'en'))
"""
OTHERS = (
    "?c ns:team.mascot ns:m.0ow . ?c ns:team.home ?x . ns:m.0te ns:team.home ?y FILTER (?x != ?y)"
)
TEAMLESS = "?c ns:team.home ?x . FILTER NOT EXISTS { ns:m.0te ns:team.home ?x }"
COUNT = "SELECT (COUNT(DISTINCT ?x) AS ?n) { ?c ns:r ?x FILTER(?c != ?x) }"

QUERIES = {
    "differ": (HEAD + OTHERS + "}", ["m.0ar", "m.0cr", "m.0zz"], ("m.0ar", "m.0br", "m.0cr")),
    "none": (HEAD + TEAMLESS + "}", ["m.0cr"], ("m.0cr",)),
    "last": (HEAD + "?c ns:team.home ?x } ORDER BY DESC(?x) LIMIT 1", ["m.0cr"], ("m.0cr",)),
}


@pytest.fixture(scope="module")
def release(home: Path) -> Release:
    rows = [
        {"id": id_, "question": f"Which ({id_})?", "sparql": sparql, "answer": answers}
        for id_, (sparql, answers, _) in QUERIES.items()
    ]
    path, kg, left = (home / name for name in ("test.json", "kg.tsv", "left.tsv"))
    path.write_text(json.dumps(rows), "utf-8")
    kg.write_text(GRAPH, "utf-8")
    left.write_text(GRAPH.replace(REMOVED, ""), "utf-8")
    return import_set("plain", path, home / "run", kg=kg, incomplete=left)


def test_answers_are_stated_or_hard_without_evidence(release):
    found = {q.id: q for q in release.questions()}
    for id_, (sparql, _, executed) in QUERIES.items():
        assert (found[id_].block.executed, found[id_].block.why) == (executed, ""), id_
        assert found[id_].block.source_query == sparql
        assert (found[id_].query, found[id_].structure, found[id_].evidence) == ("", "", ())
    differ = found["differ"]
    assert (differ.stated, differ.hard_answers) == (("m.0ar",), ("m.0cr",))
    assert differ.further == ("m.0zz",)
    assert {q.block.hard_from for q in found.values()} == {"query"}
    assert release.manifest["counts"]["executed"]["questions"] == 3
    audited = AuditedSet(release)
    assert audited.on_complete == {q.id: frozenset(q.block.executed) for q in release.questions()}
    assert set(audited.on_given.values()) == {None}


def test_such_a_release_is_verified_and_scored(release, tmp_path):
    report = regenerated(verify(release.path))
    assert report.problems == ()
    assert "SPARQL that is no query over links: not executed again" in report.notes
    lines = [{"id": q.id, "answers": list(q.hard_answers)} for q in release.questions()]
    (tmp_path / "p.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    scored = evaluate(release, tmp_path / "p.jsonl", resamples=1)
    assert scored.scores[:, scored.columns.index("hits_hard")].tolist() == [1.0] * 3


@each(
    ("sparql", "why"),
    [
        ("SELECT ?x { SERVICE <http://a.example/> { ?x ns:r ?y } }", "SERVICE"),
        ("SELECT ?x FROM <http://a.example/> { ?x ns:r ?y }", "FROM"),
        ("LOAD <http://a.example/>", "LOAD"),
        ("SELECT ?x { ns:a ns:r ?x FILTER (?x < 3) }", "compares"),
        ("SELECT ?x { ns:a ns:r ?x FILTER regex(?x, 'b') }", "compares"),
        ("SELECT ?x { ns:a a ?x }", "compares"),
        ('SELECT ?x { ns:a ns:r ?x ; ns:r "Ann"@en }', 'no "Ann"'),
        ("SELECT ?x { ns:a ns:s ?x }", 'no "s"'),
        ("SELECT ?x { ns:a ns:r ?x } LIMIT 1", "an order that"),
        ("SELECT ?x ?y { ?x ns:r ?y }", "no column"),
        ("ASK { ns:a ns:r ?y }", "no column"),
        (COUNT, "such as a number"),
        ("CONSTRUCT { ?x ns:r ?y } { ?x ns:r ?y }", "no column"),
        ("SELECT ?x { ns:a ?x ?y }", "no entity"),
        ("SELECT ?x { ns:a ns:r", "cannot be read"),
    ],
)
def test_why_a_query_is_not_run(sparql, why):
    kg = KnowledgeGraph.from_triples([("a", "r", "b")])
    with closing(SourceRunner(kg, ())) as runner, pytest.raises(UserError, match=why):
        runner.run(sparql)


def test_texts_are_names_where_the_graph_has_them_and_numbers_are_not_sorted():
    kg = KnowledgeGraph.from_triples([("a", "r", "Ann"), ("a", "s", "12")])
    with closing(SourceRunner(kg, ())) as runner:
        assert runner.run('SELECT ?x { ?x ns:r "Ann"@en }') == (("a",), ("a",))
        assert runner.run("SELECT ?x { ?x ns:s ?n } ORDER BY ?n") == (("a",), ("a",))
        with pytest.raises(UserError, match="order that the graph does not have"):
            runner.run("SELECT ?x { ?x ns:s ?n } ORDER BY ?n LIMIT 1")


def test_the_questions_that_the_clock_decides_are_counted(monkeypatch, tmp_path):
    monkeypatch.setattr("rulemine.kinds.imported.running.SECONDS", 0.2)
    graph = "".join(f"e{i}\tr\te{j}\n" for i in range(40) for j in range(40))
    (tmp_path / "kg.tsv").write_text(graph)
    links = " . ".join(f"?v{i} ns:r ?v{i + 1}" for i in range(9))
    sparql = f"SELECT DISTINCT ?v0 {{ {links} FILTER (?v0 != ?v1) }}"
    row = {"question": "Which?", "answers": ["e1"], "sparql": sparql}
    (tmp_path / "test.jsonl").write_text(json.dumps(row))
    made = import_set("plain", tmp_path / "test.jsonl", tmp_path / "out", kg=tmp_path / "kg.tsv")
    (note,) = made.manifest["config"]["imported"]["notes"]
    assert re.match("questions whose SPARQL was ended after .*: 1$", note)
    assert note in (tmp_path / "out/README.md").read_text()
