"""Releases of ``subgraphs`` and ``variants``: tampering is found by name, a fault for each check."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rulemine.kg.entity_names import NAMINGS
from rulemine.release.records import Unseen
from rulemine.release.writer import write_release
from tests import each
from tests.structures import WORLD
from tests.verify.kinds.test_structures import problems
from tests.verify.tampering import Change, drop, missed, options, put, question
from tests.written_releases import written_world

KINDS = ("subgraphs", "variants")


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a release of each kind, named after it."""
    folder = tmp_path_factory.mktemp("written")
    for kind in KINDS:
        (folder / kind).mkdir()
        write_release(folder / kind, written_world(kind), "entity")
    return folder


@each("kind", KINDS)
@each("naming", NAMINGS)
def test_questions_hold_in_every_naming(tmp_path: Path, kind: str, naming: str) -> None:
    write_release(tmp_path, written_world(kind), naming)
    assert problems(tmp_path) == set()


@each(("types", "expected"), [((), set()), (("id",), {"test type"})])
def test_without_splits_nothing_is_said_of_training(tmp_path, types, expected):
    parts = written_world("subgraphs")
    config = {**parts.config, "questions": {**parts.config["questions"], "split": "none"}}
    seen = Unseen(rule=False, relation=False, answer=False)
    questions = tuple(
        replace(q, split="test", block=replace(q.block, test_type=types), unseen=seen)
        for q in parts.questions
    )
    write_release(tmp_path, replace(parts, config=config, questions=questions), "entity")
    assert {check for _, _, check in problems(tmp_path)} - {"one end"} == expected


def own(key: str, value: Any) -> Change:
    return put(f"block.{key}", value)


def of(key: str, change: Callable[[Any], object]) -> Change:
    """Changes what a block has."""
    return lambda row: change(row["block"][key])


def apart(row: dict[str, Any]) -> None:
    """Adds a triple to the subgraph that touches none of the others."""
    triples = row["block"]["triples"]
    near = {end for t in triples for end in t[::2]} | {*row["anchors"], row["block"]["answer"]}
    far = next([s, r, o] for s, r, o in WORLD if not {s, o} & near)
    row["block"]["subgraph"] = sorted([*triples, far])


def without_a_triple(row: dict[str, Any]) -> None:
    row["block"]["subgraph"].remove(row["block"]["triples"][0])


def only_its_triples(row: dict[str, Any]) -> None:
    row["block"]["subgraph"] = row["block"]["triples"]


TWO = [["ann", "citizen_of", "france"], ["paris", "in", "france"]]

# number of the question, what is changed, what is found
OF_BOTH: list[tuple[int, Change, str]] = [
    (3, put("value", 4), "value"), (3, put("stated_value", 2), "stated value"),
    (0, put("value", 1), "value"), (4, drop("spurious"), "spurious answers"),
    (0, put("spurious", ["italy"]), "spurious answers"),
    (4, put("query", '(p- "won" "oscar")'), "answers"),
    (4, put("shape", "(1)"), "shape"), (3, put("shape", "(1)"), "shape"),
    (1, own("answer", "dan"), "the writer's answer"),
    (1, own("answer", "bob"), "the writer's triples"),
    (1, drop("block.triples"), "the writer's triples"),
    (0, own("triples", TWO), "the writer's triples"),
    (1, of("triples", list.reverse), "the writer's triples sorted"),
    (1, without_a_triple, "triples in the subgraph"),
    (1, of("subgraph", list.reverse), "whole subgraph"),
    (0, apart, "subgraph connected"),
    (1, of("subgraph", lambda some: some.insert(0, ["ann", "aunt", "bob"])), "whole subgraph"),
    (4, only_its_triples, "triples in the subgraph"),  # a topic is outside
    (4, drop("relations"), "relations"), (5, drop("intermediates"), "intermediates"),
    (5, drop("removed"), "removed"), (1, put("rules", ["0" * 12]), "rules"),
    (5, put("question", "What has film3 of ann?"), "text hides the answers"),
    (0, put("kind", "structures"), "kind"), (1, own("redundant", True), "redundant"),
]  # fmt: skip
OF_EACH: dict[str, list[tuple[int, Change, str]]] = {
    "subgraphs": [
        (1, of("subgraph", lambda some: some.remove(["rome", "in", "italy"])), "whole subgraph"),
        (2, own("minimal_shape", "(2)"), "minimal shape"),
        (2, own("minimal.0.query", '(p- "born_in" "paris")'), "minimal"),
        (1, put("query", '(and (p- "born_in" "rome") (p- "citizen_of" "italy"))'), "every branch needed"),
        (6, own("test_type", []), "test type"),
        (6, own("test_type", ["id"]), "test type"),
        (7, own("test_type", ["id"]), "test type"),
        (7, own("test_type", ["ugt", "urt"]), "test type"),
        (6, own("test_type", ["ugt", "urt"]), "test type"),
        (1, own("test_type", ["id"]), "test type"),  # in training
        (0, put("query", '(p- "in" ' * 7 + '"france"' + ")" * 7), "number of triples"),
        (0, lambda row: row["answers"].append("lyon"), "no leakage"),
    ],
    "variants": [
        (1, own("unique", True), "unique"),
        (0, own("unique", False), "unique"),
        (0, own("seeds", ["ann"]), "seeds"),
        (0, of("seeds", list.reverse), "seeds"),
        (0, own("seeds", ["ann", "cat", "eve", "france"]), "seeds connected"),  # it has all but cat
        (0, own("judgements.1.answer_support_flag", False), "unanimous"),
        (0, own("judgements.0.redundancy_flag", True), "unanimous"),
        (0, drop("block.judgements"), "judges"),
        (0, own("judgements.0.model", "n"), "judges"),
        (0, own("seed_text", "text 1"), "seed texts"),
    ],
}  # fmt: skip
OPTIONS: dict[str, list[tuple[str, Any, str]]] = {
    "subgraphs": [
        ("nodes", 3, "nodes of the subgraph"), ("reserved_shapes", ["(1)(1)"], "reserved shape"),
    ],
    "variants": [
        ("max_triples", 3, "size of the subgraph"), ("judges", [], "judges"), ("pairs", 0, "balance"),
    ],
}  # fmt: skip
OPTIONS_OF_BOTH = [
    ("max_evidence", 2, "number of full evidence"), ("max_answers", 2, "number of answers"),
    ("questions", 3, "balance"),
]  # fmt: skip


def numbered(number: int) -> Callable[[dict[str, Any]], bool]:
    return lambda row: row["id"] == f"q{number:05d}"


@each("kind", KINDS)
def test_a_tampering_is_found(releases: Path, kind: str) -> None:
    rows: dict[str, Any] = {}
    for at, (number, change, expected) in enumerate([*OF_BOTH, *OF_EACH[kind]]):
        rows[f"{at}: question {number}, {expected}"] = question(numbered(number), change), expected
    for key, value, expected in (*OPTIONS_OF_BOTH, *OPTIONS[kind]):
        rows[f"{key} = {value}"] = options(kind, **{key: value}), expected
    assert missed(releases / kind, rows, problems) == []
