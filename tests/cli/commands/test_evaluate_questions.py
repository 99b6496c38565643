"""``rulemine evaluate`` with a file of text-to-Cypher questions: reports, wrong files, a server that dies."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from rulemine.cli.main import main
from rulemine.cypher.questions.templates import RETURNS
from rulemine.kg.property_graph.graph import GraphNode, PropertyGraph
from rulemine.kg.property_graph.schema import EntityType, Schema
from rulemine.kg.property_graph.simplekg import write_simplekg
from tests.evaluation.cypher.test_error_kinds import EDGES, KNOWN, LARGEST, NODES, PEOPLE, SCHEMA

TASKS = [
    {"id": "a", "graph": "coast", "cypher": PEOPLE, "match": "(n)->(m0*)", "return": "n_name",
     "category": "(n)-(m0*)", "answers": [["P0"], ["P3"], ["P6"]], "ordered": False},
    {"id": "b", "graph": "coast", "cypher": LARGEST, "match": "(n)", "return": "n_order_by",
     "category": "(n)", "answers": [["Arden"], ["Bree"], ["Carn"]], "ordered": True, "keys": [30, 20, 20]},
    {"id": "c", "graph": "coast", "cypher": f"{LARGEST} LIMIT 1", "match": "(n)",
     "return": "n_argmax", "category": "(n)", "answers": [["Arden"]], "ordered": True, "keys": [30],
     "tied": [["Arden"]]},
]  # fmt: skip
GIVEN = [
    {"id": "a", "raw_output": f"Here:\n```cypher\n{PEOPLE.lower()}\n```"},
    {"id": "b", "rows": [["Arden"], ["Carn"], ["Bree"]]},
    {"id": "c", "cypher": "MATCH (n:Town)-[:lives_in]->*(m) RETURN n.name"},
]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    write_simplekg(PropertyGraph(SCHEMA, NODES, EDGES), tmp_path / "coast.json")
    write(tmp_path / "tasks.jsonl", TASKS)
    write(tmp_path / "given.jsonl", GIVEN)
    return tmp_path


def write(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return path


def run(files: Path, *more: str, questions: str = "tasks.jsonl", given: str = "given.jsonl") -> int:
    graph = (
        ()
        if any(one.startswith("--graph") for one in more)
        else ("--graph", str(files / "coast.json"))
    )
    return main(["evaluate", str(files / questions), str(files / given), *graph, *more])


def lines(path: Path) -> dict[str, dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return {row["id"]: row for row in csv.DictReader(file)}


def test_each_form_of_a_prediction_is_scored(files: Path) -> None:
    out = files / "out.csv"
    assert run(files, "--format", "questions", "-o", str(out)) == 0
    rows = lines(out)
    assert [
        (row["ex"], row["ex_published"], row["psjs"], row["kinds"]) for row in rows.values()
    ] == [
        ("0.0", "0.0", "0.0", "schema:type; name"),  # capitals count
        ("1.0", "0.0", "", ""),
        ("0.0", "0.0", "0.0", "unread"),
    ]
    assert rows["c"]["error"].endswith("quantified relationships are not read.")


@pytest.mark.parametrize("layout", ["table", "json", "csv", "markdown", "latex", "html"])
def test_every_layout_has_the_scores_and_what_differs(files, layout, capsys):
    assert run(files, "--format", layout, *["--all"] * (layout == "table")) == 0
    text = capsys.readouterr().out
    for word in ("SORT", "Kinds of errors", "not run"):
        assert word in text or layout == "csv"
    if layout == "json":
        scores = json.loads(text)["all"]["scores"]
        values = [scores[name]["value"] for name in ("ex", "ex_published", "executable")]
        assert values == [1 / 3, 0.0, 0.5]


def test_files_of_cypherbench(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    published = [
        {"qid": row["id"], "graph": graph, "gold_cypher": row["cypher"], "nl_question": "?",
         "from_template": {"match_category": "basic_(n)", "return_pattern_id": returns}}
        for row, graph, returns in zip(TASKS, ("coast", "coast", "nba"),
                                       ("n_name", "n_m0_comparison_boolean", "n_union_count"), strict=True)
    ]  # fmt: skip
    (files / "test.json").write_text(json.dumps(published))
    result = [{**row, "pred_cypher": f"{row['gold_cypher']}<end_of_turn>"} for row in published]
    (files / "result.json").write_text(json.dumps(result))
    out = files / "out.csv"
    named = ("--graph", f"coast={files / 'coast.json'}", "--format")
    assert (
        run(files, *named, "questions", "-o", str(out), questions="test.json", given="result.json")
        == 0
    )
    assert [row["state"] for row in lines(out).values()] == ["same", "same", "gold not run"]
    assert [row["ex"] for row in lines(out).values()] == ["1.0", "1.0", ""]
    assert run(files, *named, "table", questions="test.json", given="result.json") == 0
    text = capsys.readouterr().out
    said = "Warning: 1 question left out, of graphs that were not named: nba. Name each: --graph nba=GRAPH,"
    assert text.index(said) < text.index("executable")
    assert "COMPARISON" not in text
    (files / "graphs/simplekg").mkdir(parents=True)
    (files / "coast.json").rename(files / "graphs/simplekg/coast_simplekg.json")
    folder = ["evaluate", str(files), str(files / "result.json"), "--format", "json"]
    assert main(folder) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["all"]["scores"]["ex"]["value"] == 1.0
    assert list(content["breakdowns"]["graph"]) == ["coast", "nba"]
    (files / "graphs/simplekg/coast_simplekg.json").rename(files / "coast.json")
    assert run(files, questions="test.json", given="result.json") == 2
    assert "several graphs (coast, nba)" in capsys.readouterr().err


def test_another_graph_and_a_gold_that_fails_are_said(files, capsys):
    other = [{**TASKS[0], "answers": [["P1"]]}, {**TASKS[1], "cypher": "MATCH (n RETURN n"}]
    write(files / "tasks.jsonl", other)
    write(files / "given.jsonl", GIVEN[:1])
    assert run(files) == 0
    text = capsys.readouterr().out
    assert "the gold of 1 question fails, an error of the data" in text
    assert "gives other rows here than are stated of it, first a" in text


WRONG = [
    ([], GIVEN, "it has no question"),
    ([{"id": "a"}], GIVEN, "line 1: 'a' has no 'cypher' or 'gold_cypher'"),
    ([{"cypher": "RETURN 1"}], GIVEN, "line 1: has no 'id' or 'qid'"),
    ([TASKS[0], TASKS[0]], GIVEN, "line 2: a second question 'a'"),
    (TASKS, [{"id": "x", "cypher": "RETURN 1"}], "line 1: unknown id 'x'; did you mean 'a'?"),
    (TASKS, [GIVEN[0], GIVEN[0]], "line 2: id 'a' again, first at line 1"),
    (TASKS, [{"id": "a", "rows": [[1], [1, 2]]}], "'rows' has rows of 1 and of 2 values"),
    (TASKS, [{"id": "a", "query": "RETURN 1"}], "it has the key(s) 'query'"),
    (TASKS, [], "given.jsonl: is empty"),
]
"""Questions, predictions, and what is wrong."""


def test_files_and_graphs_that_are_wrong(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start = ["evaluate", str(files / "tasks.jsonl"), str(files / "given.jsonl")]
    for more, said in (
        ([], "which graph are its questions about (coast)?"),
        (["--graph", "x=demo"], "no question is about a graph 'x'; known: coast"),
        (["--graph", "demo", "--graph", "geography"], "two for all questions"),
        (["--url", "bolt://127.0.0.1:1", "--neo4j"], "--neo4j starts a Neo4j, and --url names one"),
        (["--graph", "demo", "--seconds", "0"], "--seconds: 0; expected more than 0"),
    ):
        assert main([*start, *more]) == 2, said
        assert said in capsys.readouterr().err
    for questions, given, said in WRONG:
        write(files / "tasks.jsonl", questions)
        write(files / "given.jsonl", given)
        assert run(files) == 2, said
        assert said in capsys.readouterr().err


@pytest.mark.parametrize("thoughts", [f"<think>{PEOPLE}</think>", f"<think>\n{PEOPLE}\nbut no"])
def test_thoughts_are_no_prediction(files, thoughts, capsys):
    write(files / "given.jsonl", [{"id": "a", "raw_output": thoughts}])
    write(files / "tasks.jsonl", TASKS[:1])
    assert run(files, "--format", "json") == 0
    told = capsys.readouterr().out
    assert "Outputs that hold only thoughts, and no reply: 1; they score 0." in told
    assert run(files, "--format", "questions", "-o", str(files / "out.csv")) == 0
    row = lines(files / "out.csv")["a"]
    scores = [row[name] for name in ("state", "kinds", "psjs", "psjs_published")]
    assert scores == ["missing", "missing", "0.0", "0.0"]


def test_by_return_has_basic_questions_alone(files, capsys):
    rows = [
        {"id": id_, "cypher": PEOPLE, "return": id_, "category": (row.matches or ("(n)",))[0]}
        for id_, row in RETURNS.items()
    ]
    write(files / "all.jsonl", rows)
    given = [{"id": row["id"], "cypher": row["cypher"]} for row in rows]
    write(files / "gold.jsonl", given)
    assert run(files, "--format", "json", questions="all.jsonl", given="gold.jsonl") == 0
    broken = json.loads(capsys.readouterr().out)["breakdowns"]
    sizes = {
        name: [(group, row["n"]) for group, row in broken[name].items()]
        for name in ("return", "structure")
    }
    assert sizes["return"] == [
        ("NAME", 1), ("PROPERTY", 4), ("SORT", 1), ("ARGMAX", 1), ("FILTER", 1), ("AGGREGATE", 1),
        ("GROUP BY", 1),
    ]  # fmt: skip
    assert dict(sizes["structure"]) == {
        "(n)": 10, "optional": 1, "time": 1, "comparison": 3, "union": 2,
    }  # fmt: skip


def test_a_graph_in_which_no_gold_finds_anything_is_said_first(files, capsys):
    nodes = [GraphNode(f"e{n}", "Entity", node.name) for n, node in enumerate(NODES)]
    graph = PropertyGraph(Schema("wrong", (EntityType("Entity"),), ()), nodes, [])
    write_simplekg(graph, files / "wrong.json")
    for one, given in (
        ("asked", [{"id": "a", "cypher": PEOPLE}]),
        ("told", [{"id": "a", "cypher": KNOWN}]),
    ):
        write(files / f"{one}.jsonl", given)
    wrong = ("--graph", str(files / "wrong.json"))
    assert run(files, *wrong, questions="asked.jsonl", given="told.jsonl") == 0
    text = capsys.readouterr().out
    assert "\n\nWarning: no gold query of 1 question finds anything in this graph" in text
    assert text.index("Warning: no gold") < text.index("executable")
    assert run(files, questions="asked.jsonl", given="told.jsonl") == 0
    assert "Warning" not in capsys.readouterr().out


def test_progress_is_told_off_a_terminal(files, capsys, monkeypatch):
    monkeypatch.setattr("rulemine.cli.console.SECONDS_BETWEEN_LINES", 0.0)
    assert run(files) == 0
    assert "2 of 3 · questions scored" in capsys.readouterr().err
