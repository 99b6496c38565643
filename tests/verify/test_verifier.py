"""The verifier on whole releases: options, figures, files."""

import json
from pathlib import Path

import pytest

from rulemine.builder.regenerated import regenerated
from rulemine.errors import ReleaseError
from rulemine.verify import VerificationReport, verify
from rulemine.verify.graph import Priors
from tests import each
from tests.verify.tampering import (
    Change,
    change_manifest,
    edited,
    invariants,
    line_out,
    problems,
    put,
    replaced,
    verified,
)
from tests.verify.tiny import (
    CONFIG,
    mend_figures,
    read_file,
    seal,
    write_file,
    write_release,
)

QUESTION, REMOVED, RULES = "questions/test.jsonl", "removed.jsonl", "rules.jsonl"


@each("naming", ["private", "entity", "text", "numeric"])
def test_a_valid_release_has_no_problem_in_any_naming(tmp_path: Path, naming: str) -> None:
    told: list[tuple[int, int]] = []
    report = verify(write_release(tmp_path, naming), lambda done, total: told.append((done, total)))
    assert report.problems == regenerated(report).problems == ()
    assert (report.checked["questions"], report.checked["proofs"]) == (3, 4)
    assert "every invariant holds; checked " in report.to_text().splitlines()[-1]
    assert told == [(0, 7), (4, 7), (7, 7)]


@each(("naming", "allowed"), [("text", True), ("entity", False)])
def test_a_label_may_have_its_article(tmp_path: Path, naming: str, allowed: bool) -> None:
    folder = write_release(tmp_path, naming)
    row = json.loads(read_file(folder, QUESTION))
    (topic,) = row["anchors"]
    for written in (f"the {topic}", f"The {topic}", f"a {topic}"):
        text = row["question"].replace(topic, written)
        write_file(folder, QUESTION, json.dumps(row | {"question": text}) + "\n")
        seal(folder)
        holds = (QUESTION, "text is the template") not in invariants(folder)
        assert holds == (allowed and written[0] in "tT"), written


@each(("prior", "core"), [(0.05, True), (0.06, False)])
def test_a_triple_is_of_the_core_where_both_its_answers_are_rare(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prior: float, core: bool
) -> None:
    folder = write_release(tmp_path)
    edited(REMOVED, 1, put("core", True))(folder)
    seal(folder)
    monkeypatch.setattr(Priors, "of", lambda *_: {"subject": prior, "object": 0.01})
    assert ((REMOVED, 1, "core") in problems(folder)) != core


def test_levels_are_nested_and_each_graph_is_checked(tmp_path: Path) -> None:
    folder, half = write_release(tmp_path), "kg/incomplete-50.tsv.gz"
    for line in (1, 2):
        edited(REMOVED, line, put("level", 50))(folder)
    for name in (QUESTION, "questions/validation.jsonl"):
        edited(name, 1, put("hard.0.level", 50))(folder)
    complete = read_file(folder, "kg/complete.tsv.gz").splitlines(keepends=True)
    early = ("ada\tgrandparent\teve\n", "ben\thusband\tada\n")
    write_file(folder, half, "".join(t for t in complete if t not in early))
    seal(folder)
    selection = CONFIG["selection"] | {"levels": [50, 100]}
    change_manifest(folder, levels=[50, 100], config=CONFIG | {"selection": selection})
    mend_figures(folder)
    assert verify(folder).problems == ()
    line_out(half, 5)(folder)
    seal(folder)
    assert invariants(folder) == {(half, "incomplete = complete − removed")}
    (folder / half).unlink()
    seal(folder)
    found = {(p.file, p.invariant) for p in verified(folder).problems}
    assert (half, "as written again") in found


@each(("number", "named"), [(0, True), (1, False), (3, False), (4, True)])
def test_a_level_with_too_much_or_too_little_is_named(tmp_path, number, named):
    folder = write_release(tmp_path)
    for line in range(1, number + 1):
        edited(REMOVED, line, put("level", 50))(folder)
    seal(folder)
    change_manifest(folder, levels=[50, 100])
    found = [p.found for p in verify(folder).problems if p.invariant == "level size"]
    assert found == [f"{number} of 4 triples removed at level 50"] * named


def test_a_reference_supplies_further_answers(tmp_path: Path) -> None:
    folder = write_release(tmp_path)
    write_file(folder, "kg/reference.tsv.gz", "gus\tgrandparent\teve\n")
    seal(folder)
    mend_figures(folder)
    assert invariants(folder) == {(QUESTION, "answers"), (QUESTION, "further answers")}
    edited(QUESTION, 1, put("answers", ["ada", "ben", "gus"]))(folder)
    edited(QUESTION, 1, put("further", ["gus"]))(folder)
    seal(folder)
    mend_figures(folder)
    assert invariants(folder) == set()


def test_every_file_that_is_missing_or_edited_is_named_and_nothing_crashes(tmp_path: Path) -> None:
    files = write_release(tmp_path / "whole").rglob("*")
    names = {path.relative_to(tmp_path / "whole").as_posix() for path in files if path.is_file()}
    for name in names - {"manifest.json"}:
        folder = write_release(tmp_path / name.replace("/", "-"))
        text = read_file(folder, name)
        write_file(folder, name, text + text)
        assert (name, "digest") in invariants(folder)
        (folder / name).unlink()
        assert invariants(folder) == {(name, "digest")}
        seal(folder)
        assert verified(folder).problems


def test_a_foreign_file_and_a_path_out_of_the_folder_are_named(tmp_path: Path) -> None:
    folder = write_release(tmp_path / "release")
    for name in ("kg/notes.txt", "notes.txt"):
        (folder / name).write_text("mine")
        assert invariants(folder) == {(name, "unlisted")}
        (folder / name).unlink()
    files = json.loads((folder / "manifest.json").read_text())["files"]
    change_manifest(folder, files=files | {"../secret": {"bytes": 0, "sha256": "0" * 64}})
    with pytest.raises(ReleaseError, match="files is"):
        verify(folder)
    write_file(folder, "notes.txt", "mine\n")
    seal(folder)
    found = {(p.file, p.invariant) for p in verified(folder).problems}
    assert ("notes.txt", "as written again") in found


def test_what_is_no_release_is_the_users_mistake(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="no such file"):
        verify(tmp_path / "nowhere")
    folder = write_release(tmp_path / "release")
    with pytest.raises(ReleaseError, match="is a file"):
        verify(folder / "README.md")
    for content in (b"", b"[" * 100_000, b'{"format": 1}', b'{"a": NaN}'):
        (folder / "manifest.json").write_bytes(content)
        with pytest.raises(ReleaseError, match=r"manifest\.json"):
            verify(folder)


def test_a_kind_that_is_not_known_gets_the_checks_of_all(tmp_path: Path) -> None:
    folder = write_release(tmp_path)
    for split in ("train", "validation", "test"):
        replaced(f"questions/{split}.jsonl", '"kind":"rules"', '"kind":"mine"')(folder)
    change_manifest(folder, config=CONFIG | {"kind": "mine", "mine": {}})
    write_file(folder, "mine.txt", "a file of its own\n")

    def report_with(change: Change) -> VerificationReport:
        edited(QUESTION, 1, change)(folder)
        seal(folder)
        return verify(folder)

    report = report_with(put("block", {"choices": ["ada"]}))
    assert report.ok, report.to_text()
    assert report.notes == ("verified but for what is special to the kind mine",)
    assert "answers" in {p.invariant for p in report_with(put("answers", ["ada"])).problems}
    report = report_with(put("query", "not a query"))
    assert report.ok  # only its kind can read it
    assert report.notes[1] == "queries that its kind alone can read, and their answers: not checked"
