"""What all formats share, with a format of the test's own; and what every format keeps to itself."""

import json
import os
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from rulemine.config import option
from rulemine.errors import ConfigError, OutputError, ReleaseError
from rulemine.exports.exporting import export
from rulemine.exports.protocol import ExportFolder, ExportInput, RowExport
from rulemine.exports.registry import EXPORTS
from rulemine.release.publish import rename
from rulemine.release.reader import Release
from tests import each
from tests.command_line import assert_refused
from tests.evaluation.world import write_structures
from tests.exports import rows
from tests.verify import tiny


@dataclass(frozen=True)
class Toy(RowExport):
    """A format of tests.

    Attributes:
        most: How many answers a question may have.
    """

    most: int = option(9, least=1)

    names_of_clients = True

    def __call__(self, given: ExportInput, folder: ExportFolder) -> None:
        found = []
        for question in given.questions():
            if len(question.answers) > self.most:
                folder.leave_out(question.id, "it has too many answers")
                continue
            answers = () if given.without_answers else question.answers
            found.append({"id": question.id, "question": question.question, "answers": answers})
        folder.jsonl("deep/questions.jsonl", found)
        folder.tsv("kg.tsv", given.kg.labeled())
        folder.count("triples", len(given.kg))


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EXPORTS.own, "toy", Toy)


@pytest.fixture(scope="module")
def whole(home: Path) -> Release:
    """A release with every file, which can be renamed."""
    return Release.open(tiny.write_release(home / "whole"))


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_an_export_says_what_it_is_and_is_the_same_again(release, tmp_path):
    made = export(release, "toy", tmp_path / "a")
    export(release, "toy", tmp_path / "b")
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    said = json.loads((tmp_path / "a/export.json").read_text())
    assert said["release"] == {"name": release.name, "identity": release.identity}
    assert (said["to"], said["naming"], said["kg"]) == ("toy", "private", "incomplete")
    assert set(said["files"]) == {*contents(tmp_path / "a")} - {"export.json"}
    assert made.questions == said["questions"] == len(release.questions())
    assert made.counts["triples"] == len(release.kg())


def test_any_graph_and_naming(whole, tmp_path):
    made = export(whole, "toy", tmp_path / "a", kg="complete", naming="text")
    assert made.counts["triples"] == len(whole.kg("complete")) > len(whole.kg())
    rename(whole, tmp_path / "text", "text")
    export(Release.open(tmp_path / "text"), "toy", tmp_path / "b", kg="complete")
    for name in ("kg.tsv", "deep/questions.jsonl"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_release_with_bare_numbers_gets_ids_of_fixed_width(whole, tmp_path):
    rename(whole, tmp_path / "numeric", "numeric")
    notes = []
    export(Release.open(tmp_path / "numeric"), "toy", tmp_path / "a", note=notes.append)
    subjects = {line.split("\t")[0] for line in (tmp_path / "a/kg.tsv").read_text().splitlines()}
    assert subjects <= {e.private for e in whole.entities}
    assert len(notes) == 1
    with pytest.raises(ConfigError, match="no naming 'numeric' for exports"):
        export(whole, "toy", tmp_path / "b", naming="numeric")


def test_what_a_format_cannot_say_is_named_and_what_can_be_reached_is_counted(
    release, tmp_path, command
):
    ended = command("export", release.path, "--to", "toy:most=1", "-o", tmp_path / "a")
    left = [q.id for q in release.questions() if len(q.answers) > 1]
    assert left
    assert f"left out {len(left)}: it has too many answers" in ended.out
    told = [line.split("\t") for line in (tmp_path / "a/left_out.tsv").read_text().splitlines()]
    assert told == [["id", "reason"], *([key, "it has too many answers"] for key in left)]
    counts = json.loads((tmp_path / "a/export.json").read_text())["counts"]
    share = {key.removeprefix("proof_"): f"{100 * value:.1f} %" for key, value in counts.items()}
    assert (
        f"  with their whole proof: {share['undirected']} in an undirected graph, {share['digraph_2']} in a "
        f"digraph (2 hops), {share['forward_2']} forward (2 hops)\n"
    ) in ended.out


def test_without_answers(release, tmp_path, command):
    words = ("export", release.path, "--to", "toy", "--without-answers", "-o", tmp_path / "a")
    ended = command(*words)
    assert f"the answers are in {tmp_path / 'a.answers.jsonl'}" in ended.out
    test, asked = release.questions("test"), rows(tmp_path / "a/deep/questions.jsonl")
    assert [(row["id"], row["answers"]) for row in asked] == [(q.id, []) for q in test]
    answers = rows(tmp_path / "a.answers.jsonl")
    assert [tuple(row["answers"]) for row in answers] == [q.answers for q in test]
    assert command(*words).status == 0
    (tmp_path / "a.answers.jsonl").write_text("mine\n")
    with pytest.raises(OutputError, match="is not of the earlier export"):
        export(release, "toy", tmp_path / "a", without_answers=True)


NONE: dict[str, Any] = {
    "answers": ("rome",), "stated": ("rome",), "hard": (), "hard_answer": None, "core": False,
    "evidence": (), "full_evidence": (), "intermediates": (), "removed": (), "rules": (),
}  # fmt: skip
"""What could give the answers away, as another question might have it."""

FIT_ALL = (
    "rog",
    "gnnrag",
    "tog",
    "gog",
    "structgpt",
    "byokg",
    "lightrag",
    "beir",
    "rdf",
    "neo4j",
    "brink",
)


@each("to", FIT_ALL)
def test_without_answers_an_export_is_the_same_whatever_they_are(structures, tmp_path, to):
    found = []
    for name, changes in (("own", {}), ("other", NONE)):
        asked = [replace(q, split="test", **changes) for q in structures.questions()]
        one = write_structures(tmp_path / name, asked)
        made = export(one, to, tmp_path / f"of {name}", without_answers=True)
        files = contents(made.folder)
        told = json.loads(files.pop("export.json"))
        found.append((
            {name: text.replace(one.identity[:8].encode(), b"") for name, text in files.items()},
            made.questions, [*made.left_out], told["counts"], [*told["files"]],
        ))  # fmt: skip
        assert made.questions
    assert found[0] == found[1]


def test_nothing_of_the_users_is_lost(release, tmp_path):
    target = tmp_path / "a"
    export(release, "toy", target)
    export(release, "toy:most=1", target)  # nobody changed it
    (target / "notes.txt").write_text("mine")
    with pytest.raises(OutputError, match=r"contains notes\.txt"):
        export(release, "toy", target)
    (target / "notes.txt").unlink()
    (target / "kg.tsv").write_text("mine")
    with pytest.raises(OutputError, match=r"kg\.tsv edited or damaged"):
        export(release, "toy", target)
    assert (target / "kg.tsv").read_text() == "mine"
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "thesis.tex").write_text("mine")
    with pytest.raises(OutputError, match="not an export that could be replaced"):
        export(release, "toy", tmp_path / "b")
    with pytest.raises(OutputError, match="is inside the release"):
        export(release, "toy", release.path / "sub")


def test_a_failure_leaves_the_earlier_export(release, tmp_path, monkeypatch):
    target = tmp_path / "a"
    export(release, "toy", target)
    before = contents(target)

    def full(self: ExportFolder, *_: object) -> None:
        raise OSError(28, os.strerror(28), str(self.path / "kg.tsv"))

    monkeypatch.setattr(ExportFolder, "tsv", full)
    with pytest.raises(OutputError, match=r"cannot be written \(No space left on device\)"):
        export(release, "toy:most=1", target)
    assert contents(target) == before
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_an_edited_release_is_not_passed_on(release, tmp_path):
    folder = shutil.copytree(release.path, tmp_path / "edited")
    with (folder / "removed.jsonl").open("a") as file:
        file.write("\n")
    with pytest.raises(ReleaseError, match="its digest is not the one in manifest"):
        export(Release.open(folder), "toy", tmp_path / "a")
    assert not (tmp_path / "a").exists()


@each(
    ("arguments", "message"),
    [
        (["--to", "tuy"], "no export format 'tuy'; did you mean 'toy'"),
        (["--to", "toy:mast=3"], "did you mean 'most'"),
        (["--to", "toy:most=0"], "most is 0; expected a whole number ≥ 1"),
        (["--to", ","], "--to names nothing"),
        (["--to", "toy", "--kg", "half"], "has no graph 'half'"),
        (["--to", "toy", "--naming", "txt"], "no naming 'txt' for exports; did you mean 'text'"),
        (["--to", "toy", "--seed", "-1"], "-1"),
        # Each format is checked before the first is written.
        (["--to", "toy,gtsqa"], "export format gtsqa: reads the field minimal of questions"),
    ],
)
def test_wrong_arguments_are_explained(release, tmp_path, command, arguments, message):
    ended = command("export", release.path, *arguments, "-o", tmp_path / "a")
    assert_refused(ended, message)
    assert not (tmp_path / "a").exists()


def test_several_formats_write_a_folder_each(release, tmp_path, command):
    ended = command("export", release.path, "--to", "toy,toy:most=1", "-o", tmp_path / "a")
    assert ended.status == 0
    assert sorted(p.name for p in (tmp_path / "a").iterdir()) == ["toy", "toy_most_1"]
