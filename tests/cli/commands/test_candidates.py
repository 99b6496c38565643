import json
from pathlib import Path
from typing import Any

import pytest

from tests import ROOT
from tests.command_line import Command, assert_refused

GRAPH = "".join(f"{line}\n".replace(" ", "\t") for line in """ann parent bo
bo parent cy
ann spouse al
al parent bo
di parent bo
bo likes ed""".splitlines())  # fmt: skip


def candidate(**changes: Any) -> dict[str, Any]:
    """A candidate about the graph, right unless something is changed."""
    sparql = "SELECT ?x { <entity:ann> <relation:parent>/<relation:parent> ?x }"
    triples = [["ann", "parent", "bo"], ["bo", "parent", "cy"]]
    return {"question": "Who are grandchildren of Ann?", "nodes": ["ann"], "answer": "cy",
            "triples": triples, "sparql": sparql, **changes}  # fmt: skip


@pytest.fixture
def check(here: Path, command: Command) -> Any:
    (here / "kg.tsv").write_text(GRAPH)

    def verdicts(*rows: object, options: tuple[str, ...] = ()) -> list[dict[str, Any]]:
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        (here / "in.jsonl").write_text("\n".join(lines))
        ended = command("query", "candidates", "kg.tsv", "in.jsonl", "-o", "out.jsonl", *options)
        assert (ended.status, ended.err) == (0, "")
        found = [json.loads(line) for line in (here / "out.jsonl").read_text().splitlines()]
        accepted = sum(one["accepted"] for one in found)
        assert f"{len(found)} candidate" in ended.out
        assert f", {accepted} accepted" in ended.out
        return found

    return verdicts


def test_what_the_page_shows_is_what_is_printed(here: Path, command: Command) -> None:
    page = (ROOT / "docs" / "candidates.md").read_text("utf-8")
    shown = page.partition("```json\n")[2].partition("```")[0].replace("\n", "")
    row = json.loads(shown)
    rows = [row, {**row, "sparql": row["sparql"] + " ORDER BY ?x"}]
    (here / "in.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    ended = command("query", "candidates", "demo", "in.jsonl")
    verdicts, summary = ended.out.split("\n\n")
    assert verdicts in page
    assert summary == "2 candidates, 1 accepted\n       1  its SPARQL is no query tree\n"


def test_verdicts_are_written_with_all_that_was_found(check: Any) -> None:
    both = candidate(
        nodes=["ann", "al"],
        question="Who descends from ann and from al?",
        triples=[*candidate()["triples"], ["al", "parent", "bo"]],
        sparql="SELECT ?x { <entity:ann> <relation:parent> ?y . <entity:al> <relation:parent> ?y . "
        "?y <relation:parent> ?x }",
    )
    count = candidate(
        sparql="SELECT (COUNT(DISTINCT ?x) AS ?n) { <entity:ann> <relation:parent>/<relation:parent> ?x }"
    )
    plain, joint, counted = check(candidate(atoms=2, subgraph=candidate()["triples"]), both, count)
    one = '(p "parent" (p "parent" "ann"))'
    assert plain == {
        "line": 1, "accepted": True, "query": one, "structure": "2p", "shape": "(2)", "hops": 2, "atoms": 2,
        "anchors": ["ann"], "answers": ["cy"], "evidence": 2, "redundant": False, "minimal_shape": "(2)",
        "minimal": [{"anchors": ["ann"], "query": one}],
    }  # fmt: skip
    assert (joint["shape"], joint["redundant"], joint["minimal_shape"]) == ("((1)(1))", True, "(2)")
    assert [found["anchors"] for found in joint["minimal"]] == [["al"], ["ann"]]
    assert (counted["shape"], counted["value"]) == ("#(2)", 1)


NO_JSON = "the line is no JSON object"
FIELDS = "the line lacks a field, or has one of another kind"
WRONG = [
    ("prose", NO_JSON),
    ("[1]", NO_JSON),
    ("[" * 9999, NO_JSON),
    ('{"question": "\\ud800"}', NO_JSON),
    (candidate(answer=None), FIELDS),
    (candidate(atoms="2"), FIELDS),
    (json.dumps(candidate(atoms=float("nan"))), NO_JSON),
    (candidate(subgraph=[["ann", "parent", "x"]]), FIELDS),
    (candidate(subgraph=7), FIELDS),
    (candidate(subgraph=[["bo", "parent", "cy"]]),
         "a seed, the answer or a triple is outside the subgraph"),
    (candidate(atoms=3), "it does not use as many different triples as it should"),
    (candidate(question="Who?"), "the text does not name an anchor"),
    (candidate(question="Is CY a grandchild of ann?"), "the text names an answer"),
    (candidate(question="Who are children of bo, the child of ann?"),
         "the text names an intermediate entity"),
]  # fmt: skip


def test_what_is_wrong_with_a_line_is_said(check: Any) -> None:
    *found, right = check(*(row for row, _ in WRONG), "", candidate())
    assert [(one["accepted"], one["reason"]) for one in found] == [(False, r) for _, r in WRONG]
    assert (right["line"], right["accepted"]) == (len(WRONG) + 2, True)


def test_declared_relations_and_stale_triples(check: Any, here: Path) -> None:
    (here / "templates.toml").write_text(
        '[spouse]\nstatement = "{subject} is married to {object}"\n'
        'ask_subject = "Who is married to {topic}?"\nask_object = "Who is {topic} married to?"\n'
        "symmetric = true\n"
    )
    married = candidate(
        question="Who is married to ann?", triples=[["ann", "spouse", "al"]], answer="al",
        sparql="SELECT ?x { <entity:ann> <relation:spouse> ?x }",
    )  # fmt: skip
    (found,) = check(married, options=("--templates", "templates.toml"))
    assert found["query"] == '(or (p "spouse" "ann") (p- "spouse" "ann"))'
    assert found["shape"] == "(1)"
    (here / "later.tsv").write_text("ann\tparent\tbo\n")
    (found,) = check(married, options=("--reference", "later.tsv"))
    assert found["reason"] == "the reference graph lacks a used triple"


def test_what_cannot_be_used_is_refused(here: Path, command: Command) -> None:
    (here / "kg.tsv").write_text(GRAPH)
    (here / "in.jsonl").write_text(json.dumps(candidate()))
    run = ("query", "candidates", "kg.tsv", "in.jsonl")
    assert_refused(command(*run, "--timeout", "0"), "--timeout is 0.0; expected more than 0")
    assert_refused(command(*run, "--max-answers", "0"), "--max-answers is 0; expected 1")
    assert_refused(command(*run, "--max-rows", "-1"), "--max-rows is -1; expected 1")
    missing = command("query", "candidates", "kg.tsv", "none.jsonl")
    assert_refused(missing, "none.jsonl: no such file")
    assert_refused(command(*run, "-o", "in.jsonl"), "in.jsonl")
