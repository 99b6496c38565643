"""The verifier on whole releases: options, figures, files."""

import ast
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import rulemine.verify
from rulemine.errors import ReleaseError
from rulemine.verify import kinds, verify
from rulemine.verify.graph import Priors
from rulemine.verify.kinds import KindChecks
from rulemine.verify.questions.asked import Asked
from tests import each
from tests.verify.tampering import (
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
    MANIFEST,
    mend_figures,
    read_file,
    seal,
    tiny_files,
    write_file,
    write_release,
)

QUESTION, REMOVED, RULES = "questions/test.jsonl", "removed.jsonl", "rules.jsonl"


@each("naming", ["private", "entity", "text", "numeric"])
def test_a_valid_release_has_no_problem_in_any_naming(tmp_path: Path, naming: str) -> None:
    told: list[tuple[int, int]] = []
    report = verify(write_release(tmp_path, naming), lambda done, total: told.append((done, total)))
    assert report.problems == ()
    assert report.ok
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


def config(selection: dict[str, Any] | None = None, **questions: Any) -> dict[str, Any]:
    whole = MANIFEST["config"]
    selected, asked = whole["selection"] | (selection or {}), whole["questions"] | questions
    return whole | {"selection": selected, "questions": asked}


def test_the_options_of_the_config_hold(tmp_path: Path) -> None:
    folder = write_release(tmp_path)
    for options, expected in (
        (config({"per_rule": 2}), {(RULES, "per-rule cap")}),
        (config({"max_prior": 0.5}), {(REMOVED, "directions")}),
        (config({"min_sure_confidence": 0.6}), {(RULES, "thresholds")}),
        (config({"per_type": 0.5}), {("questions", "balance")}),
        (config(max_answer_share=0.01), set()),  # one is the least there can be
        (config(max_relation_share=0.5), {("questions", "balance")}),  # ⌊0.5 · 3⌋ = 1
        (config(max_relation_share=0.7), set()),
        (config(max_answers=1), {(QUESTION, "number of answers")}),
        (config(split="none"), {(f"questions/{s}.jsonl", "split") for s in ("train", "validation")}),
    ):  # fmt: skip
        change_manifest(folder, config=options)
        assert invariants(folder) == expected, options
    for dropped, found in (("wife", (RULES, "thresholds")), ("husband", (REMOVED, "excluded"))):
        kg = MANIFEST["kg"] | {"dropped": {dropped: "dull"}}
        change_manifest(folder, config=config(), kg=kg)
        assert found in invariants(folder)


def test_rules_reach_the_standards_of_the_manifest(tmp_path: Path) -> None:
    folder = write_release(tmp_path)
    none: dict[str, Any] = {"head": [], "head_not": [], "body_only": [], "body_any": []}

    def found(**standard: Any) -> set[tuple[str, str]]:
        row = {**none, "min_std_confidence": 1, "reason": "why", **standard}
        change_manifest(folder, kg=MANIFEST["kg"] | {"standards": [row]})
        return invariants(folder)

    for form, refused in (
        ({"head": ["grandparent"]}, True),
        ({"head": ["husband"]}, False),
        ({"head": ["grandparent"], "head_not": ["grandparent"]}, False),
        ({"body_only": ["parent", "wife"]}, True),
        ({"body_only": ["wife"]}, False),
        ({"body_any": ["parent"]}, True),
        ({"body_any": ["aunt"]}, False),
    ):
        assert ((RULES, "thresholds") in found(**form)) == refused, form
    assert found(head=["grandparent"], min_std_confidence=0.01) == set()
    change_manifest(folder, kg=MANIFEST["kg"] | {"standards": [{"head": ["grandparent"]}]})
    assert "KeyError: 'body_only'" in verify(folder).skipped[0]


def test_a_question_is_asked_once(tmp_path: Path) -> None:
    folder = write_release(tmp_path)
    train = read_file(folder, "questions/train.jsonl")
    write_file(folder, "questions/train.jsonl", train + train.replace('"q3"', '"q5"'))
    seal(folder)
    once = ("asked once", "one question a text", "one question a query")
    assert invariants(folder) >= {("questions/train.jsonl", what) for what in once}


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
    change_manifest(folder, levels=[50, 100], config=config({"levels": [50, 100]}))
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
    for name in tiny_files():
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
    for version in (6, 4):
        change_manifest(folder, format_version=version)
        with pytest.raises(ReleaseError, match=rf"version is {version}; expected 5"):
            verify(folder)
    for content in (b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b'{"format": 1}', b'{"a": NaN}'):
        (folder / "manifest.json").write_bytes(content)
        with pytest.raises(ReleaseError, match=r"manifest\.json"):
            verify(folder)


def test_the_verifier_shares_no_code_with_what_it_checks() -> None:
    imported: set[str] = set()
    files = sorted(Path(rulemine.verify.__file__).parent.rglob("*.py"))
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0
                imported.add(node.module or "")
    own = {name for name in imported if name.split(".")[0] == "rulemine"}
    assert len(files) > 5
    others = {name for name in own if not name.startswith("rulemine.verify.")}
    assert others == {"rulemine.errors", "rulemine.release.reader"}
    foreign = {n.split(".")[0] for n in imported - own}
    assert foreign - {"msgspec", "numpy"} <= sys.stdlib_module_names


def of_another_kind(folder: Path) -> Path:
    """The tiny release, its questions called another kind, with a block and a file of their own."""
    write_release(folder)
    for split in ("train", "validation", "test"):
        replaced(f"questions/{split}.jsonl", '"kind":"rules"', '"kind":"mine"')(folder)
    change_manifest(folder, config=MANIFEST["config"] | {"kind": "mine", "mine": {}})
    write_file(folder, "mine.txt", "a file of its own\n")
    edited(QUESTION, 1, put("block", {"choices": ["ada"]}))(folder)
    seal(folder)
    return folder


def test_a_kind_of_another_package_brings_its_checks(tmp_path, monkeypatch):
    def check(here: Asked) -> None:
        choices = here.row["block"].get("choices", ["ben"])
        here.contents.equal(here.at, "choices", choices, ["ben"])

    point = SimpleNamespace(load=lambda: KindChecks(question=check))
    named = {("rulemine.verifiers", "mine"): [point]}
    monkeypatch.setattr(kinds, "entry_points", lambda group, name: named.get((group, name), ()))
    kinds.checks_of.cache_clear()
    try:
        report = verify(of_another_kind(tmp_path))
        assert [(p.file, p.invariant) for p in report.problems] == [(QUESTION, "choices")]
        assert not report.notes
    finally:
        kinds.checks_of.cache_clear()


def test_a_kind_that_is_not_known_gets_the_checks_of_all(tmp_path: Path) -> None:
    folder = of_another_kind(tmp_path)
    report = verify(folder)
    assert report.ok, report.to_text()
    assert report.notes == ("verified but for what is special to the kind mine",)
    edited(QUESTION, 1, put("answers", ["ada"]))(folder)
    seal(folder)
    assert (QUESTION, "answers") in invariants(folder)
    edited(QUESTION, 1, put("query", "not a query"))(folder)
    seal(folder)
    report = verify(folder)
    assert report.ok  # only its kind can read it
    assert report.notes[1] == "queries that its kind alone can read, and their answers: not checked"
