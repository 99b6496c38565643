"""Statements of a fact that a property graph lacks, or keeps though it is removed, are found."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rulemine.verify import verify
from tests.releases import built
from tests.verify.tiny import read_file, seal, write_file

COMPLETE, HALF, LAST = (
    f"property_graph/{kg}.json.gz" for kg in ("complete", "incomplete-50", "incomplete")
)
CLOSED, GONE = "closed under declarations", "removed facts are not stated"
BACK = "there and back"


def _graph(name: str, change: Callable[[list[dict[str, Any]]], object]) -> Callable[[Path], None]:
    def tamper(folder: Path) -> None:
        whole = json.loads(read_file(folder, name))
        change(whole["relations"])
        write_file(folder, name, json.dumps(whole, ensure_ascii=False) + "\n")

    return tamper


def _without_an_edge(edges: list[dict[str, Any]]) -> None:
    edges.remove(next(edge for edge in edges if edge["label"] == "home_of"))


def _without_a_year(edges: list[dict[str, Any]]) -> None:
    timed = (edge for edge in edges if edge["label"] == "employs" and edge["properties"])
    next(timed)["properties"].pop("start_year")


def _complete_again(folder: Path) -> None:
    write_file(folder, LAST, read_file(folder, COMPLETE))


def _back(folder: Path) -> None:
    """A question about who comes from the home of somebody, who is among the answers."""
    name = "questions/train.jsonl"
    some = [json.loads(line) for line in read_file(folder, name).splitlines()]
    one = {"type": "Person", "name": "Person#1"}
    row = some[0]
    row["query"] = json.dumps(
        {
            "match": "(n)->(m0)->(m1*)",
            "nodes": [{"type": "Person"}, {"type": "Province"}, one],
            "relations": ["comes_from", "home_of"],
            "return": "n_name",
        }
    )
    write_file(folder, name, "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in some))


def test_statements_that_are_missing_or_left_are_found(tmp_path: Path) -> None:
    declared = built("coast-declared") / "release"
    assert not {CLOSED, GONE, BACK} & {problem.invariant for problem in verify(declared).problems}
    faults = [
        (CLOSED, _graph(COMPLETE, _without_an_edge)),
        (CLOSED, _graph(HALF, _without_a_year)),
        (GONE, _complete_again),
        (BACK, _back),
    ]
    for number, (invariant, tamper) in enumerate(faults):
        folder = shutil.copytree(declared, tmp_path / str(number))
        tamper(folder)
        seal(folder)
        assert invariant in {problem.invariant for problem in verify(folder).problems}
