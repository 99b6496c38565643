"""Releases of the kind ``cypher`` hold in every naming; a planted fault for each check is found by name."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rulemine.cypher.questions.evaluator import evaluate
from rulemine.cypher.questions.pattern_text import query_of
from rulemine.cypher.rows import row_text
from rulemine.kg.entity_names import NAMINGS
from rulemine.kg.property_graph.simplekg import simplekg_of
from rulemine.release.publish import rename
from rulemine.release.reader import Release
from rulemine.verify import verify
from tests import each
from tests.releases import built
from tests.verify.tampering import (
    Change,
    Tampering,
    drop,
    edited,
    missed,
    options,
    put,
    question,
    rows_of,
    write_rows,
)
from tests.verify.tiny import read_file, seal, write_file

Row = dict[str, Any]
TRAIN, TEST = "questions/train.jsonl", "questions/test.jsonl"
FILES = (TRAIN, "questions/validation.jsonl", TEST)
COMPLETE, HALF, LAST = (
    f"property_graph/{name}.json.gz" for name in ("complete", "incomplete-50", "incomplete")
)
TAKEN, CLOSED = "incomplete = complete − removed", "closed under declarations"


def copy_of(name: str, folder: Path) -> Path:
    return shutil.copytree(built(name) / "release", folder)


@pytest.fixture(scope="module")
def coast() -> Path:
    return built("coast") / "release"


@each("naming", NAMINGS)
def test_a_release_holds_in_every_naming(coast: Path, tmp_path: Path, naming: str) -> None:
    rename(Release.open(coast), tmp_path / "named", naming)
    report = verify(tmp_path / "named")
    assert report.ok, report.to_text()
    assert any("gold not independently verified" in note for note in report.notes)


def graph(name: str, change: Change) -> Tampering:
    def tamper(folder: Path) -> None:
        whole = json.loads(read_file(folder, name))
        change(whole)
        write_file(folder, name, json.dumps(whole, ensure_ascii=False) + "\n")

    return tamper


def entity(change: Change) -> Change:
    return lambda whole: change(whole["entities"][0])


def with_value(name: str, change: Change) -> Change:
    """Changes the properties of the first node that has one."""
    return lambda whole: change(
        next(e["properties"] for e in whole["entities"] if name in e["properties"])
    )


def years(whole: Row) -> list[Row]:
    """The properties of relations that have some."""
    return [edge["properties"] for edge in whole["relations"] if edge["properties"]]


def moved(folder: Path) -> None:
    """A question of the same matches as one of training becomes one of test."""
    train = rows_of(folder, TRAIN)
    asked = [r["block"]["cypher"].split(" RETURN")[0].split(" WITH")[0] for r in train]
    row = train.pop(next(at for at, text in enumerate(asked) if asked.count(text) > 1))
    write_rows(folder, TRAIN, train)
    write_rows(folder, TEST, [*rows_of(folder, TEST), row | {"split": "test"}])


def telling(folder: Path) -> None:
    """In another naming, the name of a node that a question names has that of its answer in it."""
    some = rows_of(folder, TRAIN)
    row = next(r for r in some if r["anchors"] and r["block"]["returns"] == "n_name")
    answer = next(a for a in (json.loads(t)[0] for t in row["answers"]) if a not in row["anchors"])
    lines = [line.split("\t") for line in read_file(folder, "entities.tsv").splitlines()]
    own, other = (next(line for line in lines if x in line) for x in (row["anchors"][0], answer))
    own[1] += f", {other[1]}"
    write_file(folder, "entities.tsv", "".join("\t".join(line) + "\n" for line in lines))


FAULTS: dict[str, tuple[Tampering, str]] = {
    "an edge without its triple": (graph(COMPLETE, lambda g: g["relations"].pop()), "edges = triples"),
    "an edge again": (graph(COMPLETE, lambda g: g["relations"].append(g["relations"][0])), TAKEN),
    "an edge back": (lambda f: write_file(f, HALF, read_file(f, COMPLETE)), TAKEN),
    "an edge with other years": (graph(LAST, lambda g: years(g)[0].pop("start_year")), TAKEN),
    "a node is gone": (graph(LAST, lambda g: g["entities"].pop()), TAKEN),
    "a node too many": (
        graph(COMPLETE, lambda g: g["entities"].append(g["entities"][0] | {"eid": "x"})), "nodes"),
    "a node says who it is": (graph(COMPLETE, entity(put("description", "the mayor"))), "nodes"),
    "a node of another type": (graph(COMPLETE, entity(put("label", "Town"))), "nodes"),
    "a value removed": (graph(LAST, with_value("hand", lambda own: own.pop("hand"))), TAKEN),
    "a value changed": (graph(LAST, with_value("hand", put("hand", "x"))), TAKEN),
    "a value that does not fit": (graph(COMPLETE, with_value("born", put("born", "1900-2-3"))), "schema"),
    "a property that no schema has": (graph(COMPLETE, entity(put("properties.x", 1))), "schema"),
    "a relation that no schema has": (graph(COMPLETE, lambda g: g["schema"]["relations"].pop()), "schema"),
    "another schema": (graph(LAST, put("schema.name", "x")), TAKEN),
    "the same matches in two splits": (moved, "no leakage"),
    "an answer in the name of a node": (telling, "names tell no answer"),
    "too many questions of a template": (options("cypher", per_template=1), "balance"),
}  # fmt: skip


def without_an_edge(whole: Row) -> None:
    edges = whole["relations"]
    edges.remove(next(edge for edge in edges if edge["label"] == "home_of"))


def without_a_year(whole: Row) -> None:
    edges = (e for e in whole["relations"] if e["label"] == "employs" and e["properties"])
    next(edges)["properties"].pop("start_year")


def test_statements_of_a_fact_that_are_missing_or_left_are_found(tmp_path: Path) -> None:
    declared = copy_of("coast-declared", tmp_path / "release")
    assert verify(declared).problems == ()
    faults: dict[str, tuple[Tampering, str]] = {
        "an edge out": (graph(COMPLETE, without_an_edge), CLOSED),
        "a year out": (graph(COMPLETE, without_a_year), CLOSED),
        "a year out of the half": (graph(HALF, without_a_year), TAKEN),
        "complete again": (lambda f: write_file(f, LAST, read_file(f, COMPLETE)), TAKEN),
    }
    assert missed(declared, faults) == []


def has(key: str) -> Callable[[Row], bool]:
    return lambda row: bool(row[key])


def returns(name: str) -> Callable[[Row], bool]:
    return lambda row: bool(row["block"]["returns"] == name)


def other_hard_answer(row: Row) -> None:
    others = (item["answer"] for item in row["hard"] if item["answer"] != row["hard_answer"])
    row["hard_answer"] = next(others)


def leak(row: Row) -> None:
    name = json.loads(row["answers"][0])[0]
    row["question"] += f" Such as {name}."
    row["patterns"][0] += f" Such as {name}."


ELSEWHERE = ["Town 1", "part_of", "Town 2"]

# which questions, what is changed, what is found
OF_QUESTIONS: list[tuple[Callable[[Row], object], Change, str]] = [
    (has("id"), put("structure", "union"), "structure"),
    (has("id"), put("block.family", "SORT?"), "family"),
    (has("id"), put("block.properties", ["Person.x"]), "properties"),
    (returns("n_name"), put("block.ordered", True), "ordered"),
    (lambda r: len(r["block"]["keys"]) > 2, lambda r: r["block"]["rows"].reverse(), "rows"),
    (lambda r: r["block"]["keys"], lambda r: r["block"]["keys"].append("[1]"), "keys"),
    (returns("n_argmax"), put("block.tied", []), "tied"),
    (lambda r: len(r["answers"]) > 1, drop("answers"), "answers"),
    (has("hard"), lambda r: r["stated"].append(r["hard"][0]["answer"]), "stated"),
    (has("hard"), lambda r: r["block"]["levels"][-1].update(lost=[]), "levels"),
    (has("id"), lambda r: r["block"]["levels"][-1]["spurious"].append('["x"]'), "levels"),
    (has("hard"), put("hard.0.missing", 9), "hard"), (has("hard"), put("hard.0.level", 7), "hard"),
    (lambda r: r["hard"] and returns("n_name")(r), put("hard.0.witness.0", ELSEWHERE), "hard"),
    (has("hard"), lambda r: r["hard"][0].update(core=not r["hard"][0]["core"]), "hard"),
    (lambda r: len(r["hard"]) > 1, other_hard_answer, "hard_answer"),
    (has("hard"), put("evidence", [ELSEWHERE]), "evidence"),
    (has("full_evidence"), drop("full_evidence"), "full_evidence"),
    (has("removed"), drop("removed"), "removed"), (has("rules"), put("rules", []), "rules"),
    (has("id"), lambda r: r.update(question=r["question"] + "!"), "text is its pattern"),
    (has("anchors"), put("patterns.0", "?"), "patterns"),
    (returns("n_name"), leak, "text hides the answers"),
]  # fmt: skip


def test_a_fault_is_found(tmp_path: Path) -> None:
    rows = dict(FAULTS)
    for number, (wanted, change, invariant) in enumerate(OF_QUESTIONS):
        rows[f"{number}: {invariant}"] = question(wanted, change), invariant
    assert missed(copy_of("coast", tmp_path / "release"), rows) == []


@each(
    "tamper",
    [
        lambda folder: write_file(folder, HALF, "{\n"),
        graph(HALF, lambda g: g.pop("schema")),
        edited(TEST, 1, put("query", "{}")),
    ],
)
def test_what_cannot_be_read_is_told(tmp_path: Path, tamper: Tampering) -> None:
    folder = copy_of("coast", tmp_path / "release")
    tamper(folder)
    seal(folder)
    assert [text for text in verify(folder).skipped if "do not fit" in text]


Spoilt = Callable[[list[str]], list[str]]


def server(folder: Path, spoil: Spoilt) -> Any:
    """A database that answers by our evaluator, and spoils the rows of a graph without removed edges.

    Of rows that tie it gives the last.
    """
    asked: Any = {q.block.cypher: query_of(q.query) for q in Release.open(folder).questions()}
    size = len(json.loads(read_file(folder, COMPLETE))["relations"])

    def load(plain: Row) -> Any:
        loaded = simplekg_of(dict(plain), "here")

        def run(cypher: str) -> Any:
            found = evaluate(loaded, asked[cypher])
            lines = sorted(map(row_text, found.tied))[-1:] or list(map(row_text, found.rows))
            return found.columns, spoil(lines) if len(loaded.edges) == size else lines

        return run

    return load


@each(
    ("spoil", "faults"),
    [
        (lambda rows: rows, False),
        (lambda rows: rows[:-1], True),
        (lambda rows: rows[::-1], True),  # order counts in some
        (lambda rows: [row.replace("1", "2") for row in rows], True),
        (lambda rows: [f"{row[:-1]}0000000001]" if "." in row else row for row in rows], False),
    ],
)
def test_the_gold_is_run_on_a_database(coast: Path, spoil: Spoilt, faults: bool) -> None:
    report = verify(coast, gold=server(coast, spoil))
    assert report.checked["gold queries run"] == 3 * report.checked["questions"]
    assert {p.invariant for p in report.problems} == ({"gold at level 0"} if faults else set())
    assert not any("gold" in note for note in report.notes)


def test_a_gold_that_fails_is_a_problem(coast: Path) -> None:
    report = verify(coast, gold=lambda plain: lambda cypher: "SyntaxError: no")
    assert len(report.problems) == 3 * report.checked["questions"]
    assert "SyntaxError" in str(report.problems[0])
