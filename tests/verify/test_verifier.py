"""The verifier on whole releases, tampered with in every way we thought of.

Over 400 lines because the tampering is one table: each row is a change and the fault it must be named as.
"""

import ast
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import rulemine.verify
from rulemine.errors import ReleaseError
from rulemine.verify import verify
from tests.verify.tampering import (
    change_manifest,
    edited,
    invariants,
    line_out,
    put,
    replaced,
    sorted_in,
    tampered,
)
from tests.verify.tiny import MANIFEST, read_file, seal, tiny_files, write_file, write_release

QUESTION = "questions/test.jsonl"


@pytest.mark.parametrize("naming", ["private", "entity", "text", "numeric"])
def test_a_valid_release_has_no_problem_in_any_naming(tmp_path: Path, naming: str) -> None:
    report = verify(write_release(tmp_path, naming))
    assert report.problems == ()
    assert report.ok
    assert report.checked["questions"] == 3
    assert report.checked["certificates"] == 4
    assert "every invariant holds" in report.to_text()


def test_a_release_of_the_first_format_says_nothing_of_wordings(tmp_path: Path) -> None:
    new = ("questions_by_wording", "paraphrases", "model_calls", "model_tokens", "audits",
           "round_trips")  # fmt: skip
    counts = {key: n for key, n in MANIFEST["counts"].items() if key not in new}
    manifest = MANIFEST | {"format_version": 1, "counts": counts}
    folder = write_release(tmp_path / "old", files=tiny_files(version=1), manifest=manifest)
    assert verify(folder).problems == ()
    # Each part in the other format is a problem.
    mixed = write_release(tmp_path / "mixed", files=tiny_files(version=2), manifest=manifest)
    assert {p.invariant for p in verify(mixed).problems} >= {"record"}
    mixed = write_release(tmp_path / "late", files=tiny_files(version=1))
    assert {p.invariant for p in verify(mixed).problems} >= {"record"}
    late = write_release(tmp_path / "counts", manifest=MANIFEST | {"counts": counts})
    assert {p.found.split(" ")[0] for p in verify(late).problems} == set(new)


REMOVED_BACK = "ada\tgrandparent\teve"
OTHER_PROOF = [["ada", "parent", "cleo"], ["dan", "parent", "eve"]]

# what is done; in which file the contents tell, at which line, and by which invariant
TAMPERINGS = {
    "a triple out of the complete KG": (
        line_out("kg/complete.tsv.gz", 3),
        ("kg/incomplete.tsv.gz", None, "incomplete = complete − removed"),
    ),
    "a removed triple out of the complete KG": (
        line_out("kg/complete.tsv.gz", 1),
        ("removed.jsonl", 1, "removed ⊆ complete"),
    ),
    "a triple out of the incomplete KG": (
        line_out("kg/incomplete.tsv.gz", 1),
        ("kg/incomplete.tsv.gz", None, "incomplete = complete − removed"),
    ),
    "a removed triple back": (
        sorted_in("kg/incomplete.tsv.gz", REMOVED_BACK),
        ("kg/incomplete.tsv.gz", None, "incomplete = complete − removed"),
    ),
    "an invented triple": (
        sorted_in("kg/incomplete.tsv.gz", "gus\tparent\tada"),
        ("kg/incomplete.tsv.gz", None, "incomplete = complete − removed"),
    ),
    "an answer swapped": (
        edited(QUESTION, 1, put("answers", to=["ada", "dan"])),
        (QUESTION, 1, "answers"),
    ),
    "an answer too few": (
        edited(QUESTION, 1, put("answers", to=["ada"])),
        (QUESTION, 1, "answers"),
    ),
    "answers in disorder": (
        edited(QUESTION, 1, put("answers", to=["ben", "ada"])),
        (QUESTION, 1, "answers sorted"),
    ),
    "the topic among the answers": (
        edited(QUESTION, 1, put("answers", to=["ada", "ben", "eve"])),
        (QUESTION, 1, "topic ∉ answers"),
    ),
    "a stated answer called hard": (
        edited(QUESTION, 1, put("hard_answers", to=["ada", "ben"])),
        (QUESTION, 1, "hard answers"),
    ),
    "another hard answer": (
        edited(QUESTION, 1, put("hard_answer", to="ben")),
        (QUESTION, 1, "ends of the removed triple"),
    ),
    "the other direction": (
        edited(QUESTION, 1, put("direction", to="object")),
        (QUESTION, 1, "ends of the removed triple"),
    ),
    "another removed triple in the question": (
        edited(QUESTION, 1, put("removed", to=["ben", "grandparent", "eve"])),
        (QUESTION, 1, "removed"),
    ),
    "a certificate edited in the removals": (
        edited("removed.jsonl", 1, put("certificates", 0, "body", to=OTHER_PROOF)),
        ("removed.jsonl", 1, "instance of its rule"),
    ),
    "a certificate edited in the question": (
        edited(QUESTION, 1, put("certificate", to=OTHER_PROOF)),
        (QUESTION, 1, "certificate"),
    ),
    "a certificate of facts that nobody states": (
        edited(
            "removed.jsonl",
            1,
            put(
                "certificates",
                0,
                "body",
                to=[["ada", "parent", "dan"], ["dan", "parent", "eve"]],
            ),
        ),
        ("removed.jsonl", 1, "body survives"),
    ),
    "a certificate too short": (
        edited("removed.jsonl", 1, put("certificates", 0, "body", to=[["ada", "parent", "cleo"]])),
        ("removed.jsonl", 1, "instance of its rule"),
    ),
    "a certificate of an unknown rule": (
        edited("removed.jsonl", 1, put("certificates", 0, "rule", to="0123456789ab")),
        ("removed.jsonl", 1, "certificate rule"),
    ),
    "a removed triple without certificate": (
        edited("removed.jsonl", 1, put("certificates", to=[])),
        ("removed.jsonl", 1, "record"),
    ),
    "a removal forgotten": (
        line_out("removed.jsonl", 4),
        ("kg/incomplete.tsv.gz", None, "incomplete = complete − removed"),
    ),
    "a level that is none": (
        edited("removed.jsonl", 1, put("level", to=50)),
        ("removed.jsonl", 1, "level"),
    ),
    "a question forgotten": (
        lambda folder: write_file(folder, QUESTION, ""),
        ("removed.jsonl", 1, "a question or a rejection for each certificate"),
    ),
    "no test question": (
        lambda folder: write_file(folder, QUESTION, ""),
        (QUESTION, None, "no split empty"),
    ),
    "a rejection of nothing": (
        edited("rejected.jsonl", 1, put("removed", to=["ada", "husband", "eve"])),
        ("rejected.jsonl", 1, "certificate"),
    ),
    "a rule turned round": (
        replaced("rules.jsonl", '["?a", "parent", "?c"]', '["?c", "parent", "?a"]'),
        ("rules.jsonl", 1, "rule id"),
    ),
    "a rule that is not closed": (
        replaced("rules.jsonl", '["?a", "parent", "?c"]', '["?a", "parent", "?d"]'),
        ("rules.jsonl", 1, "rule form"),
    ),
    "another rule type": (
        edited("rules.jsonl", 1, put("type", to="hierarchy")),
        ("rules.jsonl", 1, "rule type"),
    ),
    "a rule that says something else than its atoms": (
        edited("rules.jsonl", 1, put("rule", to="parent(x,y) ⇒ grandparent(x,y)")),
        ("rules.jsonl", 1, "readable form"),
    ),
    "a better confidence": (
        edited("rules.jsonl", 1, put("std_confidence", to=0.9)),
        ("rules.jsonl", 1, "measures"),
    ),
    "a better confidence in the question": (
        edited(QUESTION, 1, put("diagnosis", "std_confidence", to=0.9)),
        (QUESTION, 1, "confidences"),
    ),
    "another rule type in the question": (
        edited(QUESTION, 1, put("rule_type", to="hierarchy")),
        (QUESTION, 1, "rule type"),
    ),
    "rules in disorder": (
        lambda folder: write_file(
            folder,
            "rules.jsonl",
            "".join(reversed(read_file(folder, "rules.jsonl").splitlines(keepends=True))),
        ),
        ("rules.jsonl", 2, "sorted"),
    ),
    "a proof too many": (
        edited(QUESTION, 1, put("diagnosis", "proofs", to=2)),
        (QUESTION, 1, "remaining proofs"),
    ),
    "a proof too short": (
        edited(QUESTION, 1, put("diagnosis", "shortest_proof", to=1)),
        (QUESTION, 1, "shortest proof"),
    ),
    "a reverse edge hushed up": (
        edited("questions/train.jsonl", 1, put("diagnosis", "reverse_edge", to=[])),
        ("questions/train.jsonl", 1, "inverse edges"),
    ),
    "a parallel edge invented": (
        edited(QUESTION, 1, put("diagnosis", "parallel_edge", to=["parent"])),
        (QUESTION, 1, "parallel edges"),
    ),
    "a stated answer not counted": (
        edited(QUESTION, 1, put("diagnosis", "answers_stated", to=0)),
        (QUESTION, 1, "answers stated"),
    ),
    "a text about someone else": (
        edited(QUESTION, 1, put("question", to="Who is the grandparent of steve?")),
        (QUESTION, 1, "text names the topic"),
    ),
    "a text that gives the answer away": (
        edited(QUESTION, 1, put("question", to="Who, if not Ada, is the grandparent of eve?")),
        (QUESTION, 1, "text hides the answers"),
    ),
    "a text that gives it away in another naming": (
        edited(QUESTION, 1, put("question", to="Who, if not e1, is the grandparent of eve?")),
        (QUESTION, 1, "text hides the answers"),
    ),
    "a question in the wrong file": (
        edited(QUESTION, 1, put("split", to="train")),
        (QUESTION, 1, "split"),
    ),
    "an id twice": (
        edited(QUESTION, 1, put("id", to="q2")),
        (QUESTION, 1, "question id unique"),
    ),
    "a question in two splits": (
        lambda folder: write_file(
            folder,
            "questions/train.jsonl",
            read_file(folder, "questions/train.jsonl")
            + read_file(folder, QUESTION).replace('"q0"', '"q9"').replace('"test"', '"train"'),
        ),
        (QUESTION, 1, "no leakage"),
    ),
    "a name twice": (
        replaced("entities.tsv", "Cleo", "Gus Ada"),
        ("entities.tsv", 8, "namings unique"),
    ),
    "private ids of two widths": (
        replaced("entities.tsv", "e6", "e06"),
        ("entities.tsv", 8, "private id"),
    ),
    "an entity that no graph has": (
        lambda folder: write_file(
            folder, "entities.tsv", read_file(folder, "entities.tsv") + "e7\tzoe\tZoë\n"
        ),
        ("entities.tsv", 9, "names"),
    ),
    "an entity without names": (
        line_out("entities.tsv", 8),
        ("kg/complete.tsv.gz", 2, "names"),
    ),
    "a relation without row": (
        line_out("relations.tsv", 2),
        ("kg/complete.tsv.gz", 1, "names"),
    ),
    "a relation that seems larger": (
        replaced("relations.tsv", "5\t0", "6\t0"),
        ("relations.tsv", 4, "counts"),
    ),
    "a reference that answers nothing": (
        lambda folder: write_file(folder, "kg/reference.tsv.gz", "ada\twife\tdan\n"),
        ("kg/reference.tsv.gz", None, "reference"),
    ),
    "a triple twice": (
        sorted_in("kg/complete.tsv.gz", "ada\tparent\tcleo"),
        ("kg/complete.tsv.gz", 3, "triples unique"),
    ),
    "a duplicate key": (
        replaced(QUESTION, '"level": 100', '"level": 100, "level": 100'),
        (QUESTION, 1, "record"),
    ),
    "an unknown key": (
        edited(QUESTION, 1, put("hint", to="ada")),
        (QUESTION, 1, "record"),
    ),
    "a number that is text": (
        edited(QUESTION, 1, put("diagnosis", "proofs", to="1")),
        (QUESTION, 1, "record"),
    ),
    "half a character": (
        replaced(QUESTION, "Who is", "Who \\ud800 is"),
        (QUESTION, 1, "record"),
    ),
    "a carriage return": (
        replaced("relations.tsv", "\n", "\r\n"),
        ("relations.tsv", 1, "whole lines"),
    ),
}


@pytest.mark.parametrize("what", TAMPERINGS)
def test_a_tampering_is_found_with_and_without_its_digest(tmp_path: Path, what: str) -> None:
    tamper, expected = TAMPERINGS[what]
    assert expected in tampered(write_release(tmp_path), tamper)


def config(selection: dict[str, Any] | None = None, **questions: Any) -> dict[str, Any]:
    whole = MANIFEST["config"]
    return whole | {
        "selection": whole["selection"] | (selection or {}),
        "questions": whole["questions"] | questions,
    }


def change_counts(folder: Path, **counts: Any) -> None:
    change_manifest(folder, counts=MANIFEST["counts"] | counts)


def test_the_quota_and_the_balance_are_those_of_the_config(tmp_path: Path) -> None:
    folder = write_release(tmp_path)
    change_manifest(folder, config=config({"per_rule": 2}))
    assert invariants(folder) == {("rules.jsonl", "per-rule cap")}
    # Four questions were made before balance; one kept with this answer is the least there can be.
    change_manifest(folder, config=config(max_answer_share=0.01))
    assert invariants(folder) == set()
    change_manifest(folder, config=config(max_answer_share=2))
    assert invariants(folder) == {("manifest.json", "balance")}


def test_balance_counts_the_questions_of_each_hard_answer(tmp_path: Path) -> None:
    folder = write_release(tmp_path)
    train = read_file(folder, "questions/train.jsonl")
    more = train.replace('"q2"', '"q4"')
    write_file(folder, "questions/train.jsonl", train + more)
    seal(folder)
    change_manifest(folder, config=config(max_answer_share=0.3))
    assert ("questions", "balance") in invariants(folder)
    assert ("questions/train.jsonl", "one question") in invariants(folder)
    change_manifest(folder, config=config(max_answer_share=0.4))  # ⌊0.4 · 5⌋ = 2
    assert ("questions", "balance") not in invariants(folder)


def test_levels_are_nested_and_each_graph_is_checked(tmp_path: Path) -> None:
    folder = write_release(tmp_path)
    for line in (1, 2):
        edited("removed.jsonl", line, put("level", to=50))(folder)
    edited(QUESTION, 1, put("level", to=50))(folder)
    edited("questions/validation.jsonl", 1, put("level", to=50))(folder)
    complete = read_file(folder, "kg/complete.tsv.gz").splitlines(keepends=True)
    early = ("ada\tgrandparent\teve\n", "ben\thusband\tada\n")
    write_file(folder, "kg/incomplete-50.tsv.gz", "".join(t for t in complete if t not in early))
    seal(folder)
    change_manifest(folder, levels=[50, 100], config=config({"levels": [50, 100]}))
    change_counts(folder, removed_by_level={"50": 2, "100": 4})
    assert verify(folder).problems == ()
    line_out("kg/incomplete-50.tsv.gz", 5)(folder)
    seal(folder)
    expected = ("kg/incomplete-50.tsv.gz", "incomplete = complete − removed")
    assert invariants(folder) == {expected}
    (folder / "kg/incomplete-50.tsv.gz").unlink()
    seal(folder)
    assert ("manifest.json", "layout") in invariants(folder)


def test_a_reference_supplies_answers(tmp_path: Path) -> None:
    folder = write_release(tmp_path)
    write_file(folder, "kg/reference.tsv.gz", "gus\tgrandparent\teve\n")
    seal(folder)
    change_counts(folder, answers=5, answers_from_reference=1)
    assert invariants(folder) == {(QUESTION, "answers"), ("manifest.json", "counts")}
    edited(QUESTION, 1, put("answers", to=["ada", "ben", "gus"]))(folder)
    seal(folder)
    assert invariants(folder) == set()


@pytest.mark.parametrize("key", sorted(MANIFEST["counts"]))
def test_every_count_of_the_manifest_is_checked(tmp_path: Path, key: str) -> None:
    folder = write_release(tmp_path)
    whole = MANIFEST["counts"][key]
    change_counts(folder, **{key: {"beauty": 7} if isinstance(whole, dict) else whole + 1})
    assert [p.found.split(" ")[0] for p in verify(folder).problems] == [key]
    without = {k: v for k, v in MANIFEST["counts"].items() if k != key}
    change_manifest(folder, counts=without | {"beauty": 7})
    found = {p.found.split(" ")[0] for p in verify(folder).problems}
    assert found == {key, "'beauty'"}


def test_what_the_manifest_says_twice_must_agree(tmp_path: Path) -> None:
    folder = write_release(tmp_path)
    change_manifest(folder, name="giant", config=MANIFEST["config"] | {"naming": "text"})
    assert invariants(folder) == {("manifest.json", "options")}
    change_manifest(folder, name="tiny", config=MANIFEST["config"], kg={"digest": "0" * 64})
    assert invariants(folder) == {("manifest.json", "digest of the KG")}


def test_every_file_that_is_missing_is_named_and_nothing_crashes(tmp_path: Path) -> None:
    for name in tiny_files():
        folder = write_release(tmp_path / name.replace("/", "-"))
        (folder / name).unlink()
        assert (name, "missing") in invariants(folder)
        seal(folder)
        assert ("manifest.json", "layout") in invariants(folder)


def test_a_foreign_file_and_a_path_out_of_the_folder_are_named(tmp_path: Path) -> None:
    folder = write_release(tmp_path / "release")
    (folder / "kg" / "notes.txt").write_text("mine")
    assert invariants(folder) == {("kg/notes.txt", "unlisted")}
    (folder / "kg" / "notes.txt").unlink()
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"]["../secret"] = {"bytes": 0, "sha256": "0" * 64}
    change_manifest(folder, files=manifest["files"])
    assert invariants(folder) == {("manifest.json", "layout")}


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b'{"format": 1}', b'{"a": NaN}']
)
def test_a_manifest_that_is_none_is_a_problem(tmp_path: Path, content: bytes) -> None:
    folder = write_release(tmp_path)
    (folder / "manifest.json").write_bytes(content)
    report = verify(folder)
    assert {(p.file, p.invariant) for p in report.problems} == {("manifest.json", "manifest")}
    assert report.skipped


def test_what_is_no_release_at_all_is_the_users_mistake(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="no such folder"):
        verify(tmp_path / "nowhere")
    folder = write_release(tmp_path / "release")
    with pytest.raises(ReleaseError, match="is a file"):
        verify(folder / "README.md")
    change_manifest(folder, format_version=3)
    with pytest.raises(ReleaseError, match=r"version 3.*Upgrade"):
        verify(folder)


def test_progress_ends_with_all_questions(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    verify(write_release(tmp_path), lambda done, total: told.append((done, total)))
    assert told == [(0, 3), (3, 3)]


def test_the_verifier_shares_no_code_with_what_it_checks() -> None:
    imported: set[str] = set()
    files = sorted(Path(rulemine.verify.__file__).parent.glob("*.py"))
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0
                imported.add(node.module or "")
    own = {name for name in imported if name.split(".")[0] == "rulemine"}
    assert len(files) > 5
    assert {n for n in own if not n.startswith("rulemine.verify.")} == {"rulemine.errors"}
    foreign = {n.split(".")[0] for n in imported - own}
    assert foreign - {"numpy"} <= sys.stdlib_module_names
