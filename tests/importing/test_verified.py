"""What is claimed of an imported release is verified, and what is not there is said in a sentence."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rulemine.builder.regenerated import regenerated
from rulemine.verify import verify
from tests import each
from tests.importing.test_cypher_questions import QUESTIONS, imported
from tests.importing.test_importer import ROWS, whole, write_set

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
    digest = hashlib.sha256(content).hexdigest()
    manifest["files"][file] = {"bytes": len(content), "sha256": digest}
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")


@pytest.fixture
def release(tmp_path: Path) -> Path:
    whole(write_set(tmp_path / "given", ROWS), tmp_path / "out")
    return tmp_path / "out"


def test_a_release_with_graphs_has_no_fault(release: Path) -> None:
    report = regenerated(verify(release))
    assert report.problems == ()
    assert report.skipped == ()
    assert report.notes == ("there are no proofs: what others published has no certificates",)


def test_a_release_without_graphs_has_no_fault(tmp_path: Path) -> None:
    from rulemine import import_set

    given = write_set(tmp_path / "given", ROWS)
    import_set("plain", given / "test.jsonl", tmp_path / "out")
    report = regenerated(verify(tmp_path / "out"))
    assert (report.problems, report.skipped) == ((), ())


def test_cypher_questions_have_no_fault(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    release = imported(monkeypatch, tmp_path, QUESTIONS)
    report = regenerated(verify(release.path))
    assert (report.problems, report.skipped) == ((), ())
    assert "rows of the Cypher: not checked; rulemine evaluate runs it" in report.notes


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
def test_an_edited_question_is_a_fault(
    release: Path, tmp_path: Path, change: Edit, fault: str
) -> None:
    made = shutil.copytree(release, tmp_path / "made")
    edit(made, "questions/test.jsonl", '"one"', change)
    assert fault in faults(made)


def test_an_edited_graph_is_a_fault(release: Path) -> None:
    edit(release, "missing.jsonl", "cy", lambda row: row.update(triple=["ann", "friend", "cy"]))
    assert "incomplete = complete − removed" in faults(release)


def test_a_graph_that_is_lost_is_a_fault(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = imported(monkeypatch, tmp_path, QUESTIONS).path
    edit(folder, "questions/test.jsonl", '"b"', lambda row: row["block"].update(graph="west"))
    assert "graph" in faults(folder)
