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
CLOSED, TAKEN = "closed under declarations", "incomplete = complete − removed"


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


def test_statements_that_are_missing_or_left_are_found(tmp_path: Path) -> None:
    declared = built("coast-declared") / "release"
    assert verify(declared).problems == ()
    faults = [
        (CLOSED, _graph(COMPLETE, _without_an_edge)),
        (CLOSED, _graph(COMPLETE, _without_a_year)),
        (TAKEN, _graph(HALF, _without_a_year)),
        (TAKEN, _complete_again),
    ]
    for number, (invariant, tamper) in enumerate(faults):
        folder = shutil.copytree(declared, tmp_path / str(number))
        tamper(folder)
        seal(folder)
        assert invariant in {problem.invariant for problem in verify(folder).problems}
