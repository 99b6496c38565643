"""What is claimed of an imported release is verified, and what is not there is said in a sentence."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rulemine.builder.regenerated import regenerated
from rulemine.files import digest_of
from rulemine.verify import verify
from tests import each

Edit = Callable[[dict[str, Any]], object]


def faults(folder: Path) -> set[str]:
    return {problem.invariant for problem in regenerated(verify(folder)).problems}


def edit(folder: Path, file: str, key: str, change: Edit) -> None:
    """Changes the record of a file that has a text in it, and its digest in the manifest."""
    path = folder / file
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    (row,) = (row for row in rows if key in json.dumps(row))
    change(row)
    content = "".join(
        json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows
    ).encode()
    path.write_bytes(content)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"][file] = {"bytes": len(content), "sha256": digest_of(content)}
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")


def test_releases_have_no_fault(whole, bare, towns):
    of_whole, of_bare, of_towns = (regenerated(verify(one.path)) for one in (whole, bare, towns))
    assert of_whole.notes == ("there are no proofs: what others published has no certificates",)
    assert "rows of the Cypher: not checked; rulemine evaluate runs it" in of_towns.notes
    for report in (of_whole, of_bare, of_towns):
        assert (report.problems, report.skipped) == ((), ())


@each(
    ("change", "fault"),
    [
        (lambda row: row["block"].update(executed=["cy"]), "executed"),
        (lambda row: row.update(stated=["cy"], hard=[], hard_answer=None), "stated answers"),
        (lambda row: row["hard"][0].update(missing=2), "missing"),
        (lambda row: row["hard"][0].update(level=7), "level"),
        (lambda row: row.update(further=[]), "parts of the answers"),
        (lambda row: row.update(structure="1p"), "structure"),
        (lambda row: row.update(removed=[]), "removed"),
        (lambda row: row.update(core=True), "core"),
        (lambda row: row.update(answers=["cy", "nobody"], further=["nobody"]), "names"),
        (lambda row: row["block"].update(hard_from=""), "parts of the answers"),
        (lambda row: row.update(split="train"), "as written again"),
        (lambda row: row.update(wording="model"), "wording"),
    ],
)
def test_an_edited_question_is_a_fault(whole, tmp_path, change, fault):
    made = shutil.copytree(whole.path, tmp_path / "made")
    edit(made, "questions/test.jsonl", '"one"', change)
    assert fault in faults(made)


def test_an_edited_graph_and_one_that_is_lost_are_faults(whole, towns, tmp_path):
    made = shutil.copytree(whole.path, tmp_path / "whole")
    edit(made, "missing.jsonl", "cy", lambda row: row.update(triple=["ann", "friend", "cy"]))
    assert "incomplete = complete − removed" in faults(made)
    made = shutil.copytree(towns.path, tmp_path / "towns")
    edit(made, "questions/test.jsonl", '"b"', lambda row: row["block"].update(graph="west"))
    assert "graph" in faults(made)
