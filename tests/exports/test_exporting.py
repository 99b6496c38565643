"""What all formats share, with a format of the test's own."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from rulemine.config import option
from rulemine.errors import ConfigError, OutputError, ReleaseError
from rulemine.exports.exporting import export
from rulemine.exports.protocol import ExportFolder, ExportInput, RowExport
from rulemine.exports.registry import EXPORTS
from rulemine.release.publish import rename
from rulemine.release.reader import Release
from tests import each
from tests.command_line import Command, assert_refused
from tests.verify.tiny import write_release


@dataclass(frozen=True)
class Toy(RowExport):
    """A format of tests.

    Attributes:
        most: How many answers a question may have.
    """

    most: int = option(9, least=1)

    names_of_clients = True

    def __call__(self, given: ExportInput, folder: ExportFolder) -> None:
        rows = []
        for question in given.questions():
            if len(question.answers) > self.most:
                folder.leave_out(question.id, "it has too many answers")
                continue
            answers = () if given.without_answers else question.answers
            rows.append({"id": question.id, "question": question.question, "answers": answers})
        folder.jsonl("deep/questions.jsonl", rows)
        folder.tsv("kg.tsv", given.kg.labeled())
        folder.count("triples", len(given.kg))


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EXPORTS.own, "toy", Toy)  # type: ignore[arg-type]


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_an_export_says_what_it_is_and_is_the_same_again(release: Release, tmp_path: Path) -> None:
    made = export(release, "toy", tmp_path / "a")
    export(release, "toy", tmp_path / "b")
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    said = json.loads((tmp_path / "a/export.json").read_text())
    assert said["release"] == {"name": release.name, "identity": release.identity}
    assert (said["to"], said["naming"], said["kg"]) == ("toy", "private", "incomplete")
    assert set(said["files"]) == {*contents(tmp_path / "a")} - {"export.json"}
    assert made.questions == said["questions"] == len(release.questions())
    assert made.counts["triples"] == len(release.kg())


@pytest.fixture
def whole(tmp_path: Path) -> Release:
    """A release with every file, which can be renamed."""
    write_release(tmp_path / "whole")
    return Release.open(tmp_path / "whole")


def test_any_graph_and_naming(whole: Release, tmp_path: Path) -> None:
    made = export(whole, "toy", tmp_path / "a", kg="complete", naming="text")
    assert made.counts["triples"] == len(whole.kg("complete")) > len(whole.kg())
    rename(whole, tmp_path / "text", "text")
    export(Release.open(tmp_path / "text"), "toy", tmp_path / "b", kg="complete")
    for name in ("kg.tsv", "deep/questions.jsonl"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_release_with_bare_numbers_gets_ids_of_fixed_width(
    whole: Release, tmp_path: Path
) -> None:
    rename(whole, tmp_path / "numeric", "numeric")
    notes: list[str] = []
    export(Release.open(tmp_path / "numeric"), "toy", tmp_path / "a", note=notes.append)
    rows = [line.split("\t") for line in (tmp_path / "a/kg.tsv").read_text().splitlines()]
    assert {row[0] for row in rows} <= {e.private for e in whole.entities}
    assert notes == ["entities are named private: bare numbers are taken for parts of other names."]
    with pytest.raises(ConfigError, match="no naming 'numeric' for exports"):
        export(whole, "toy", tmp_path / "b", naming="numeric")


def test_what_a_format_cannot_say_is_named(
    release: Release, tmp_path: Path, command: Command
) -> None:
    ended = command("export", release.path, "--to", "toy:most=1", "-o", tmp_path / "a")
    left = [q.id for q in release.questions() if len(q.answers) > 1]
    assert left
    assert f"left out {len(left)}: it has too many answers" in ended.out
    rows = [line.split("\t") for line in (tmp_path / "a/left_out.tsv").read_text().splitlines()]
    assert rows == [["id", "reason"], *([key, "it has too many answers"] for key in left)]


def test_shares_of_what_can_be_reached_are_printed_in_words(
    release: Release, tmp_path: Path, command: Command
) -> None:
    ended = command("export", release.path, "--to", "toy", "-o", tmp_path / "a")
    counts = json.loads((tmp_path / "a/export.json").read_text())["counts"]
    for start, what in {
        "answer": "hard answers that can be reached",
        "proof": "with their whole proof",
    }.items():
        share = {k.removeprefix(f"{start}_"): f"{100 * v:.1f} %" for k, v in counts.items()}
        assert (
            f"  {what}: {share['undirected']} in an undirected graph, {share['digraph_2']} in a "
            f"digraph (2 hops), {share['forward_2']} forward (2 hops)\n"
        ) in ended.out
    assert "digraph 2" not in ended.out


def test_without_answers(release: Release, tmp_path: Path, command: Command) -> None:
    ended = command(
        "export", release.path, "--to", "toy", "--without-answers", "-o", tmp_path / "a"
    )
    assert f"the answers are in {tmp_path / 'a.answers.jsonl'}" in ended.out
    test = release.questions("test")
    asked = [json.loads(line) for line in (tmp_path / "a/deep/questions.jsonl").open()]
    assert [row["id"] for row in asked] == [q.id for q in test]
    assert all(row["answers"] == [] for row in asked)
    answers = [json.loads(line) for line in (tmp_path / "a.answers.jsonl").open()]
    assert [tuple(row["answers"]) for row in answers] == [q.answers for q in test]
    again = command(
        "export", release.path, "--to", "toy", "--without-answers", "-o", tmp_path / "a"
    )
    assert again.status == 0
    (tmp_path / "a.answers.jsonl").write_text("mine\n")
    with pytest.raises(
        OutputError, match=r"a\.answers\.jsonl: exists and is not of the earlier export"
    ):
        export(release, "toy", tmp_path / "a", without_answers=True)


def test_nothing_of_the_users_is_lost(release: Release, tmp_path: Path) -> None:
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
    other = tmp_path / "b"
    other.mkdir()
    (other / "thesis.tex").write_text("mine")
    with pytest.raises(OutputError, match="not an export that could be replaced"):
        export(release, "toy", other)
    with pytest.raises(OutputError, match="is inside the release"):
        export(release, "toy", release.path / "sub")


def test_a_failure_leaves_the_earlier_export(
    release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_an_edited_release_is_not_passed_on(release: Release, tmp_path: Path) -> None:
    with (release.path / "removed.jsonl").open("a") as file:
        file.write("\n")
    with pytest.raises(ReleaseError, match="its digest is not the one in manifest"):
        export(release, "toy", tmp_path / "a")
    assert not (tmp_path / "a").exists()


@each(
    ("arguments", "message"),
    [
        (["--to", "tuy"], "no export format 'tuy'; did you mean 'toy'?"),
        (["--to", "toy:mast=3"], "did you mean 'most'?"),
        (["--to", "toy:most=0"], "most is 0; expected a whole number ≥ 1"),
        (["--to", ","], "--to names nothing"),
        (["--to", "toy", "--kg", "half"], "has no graph 'half'"),
        (["--to", "toy", "--naming", "txt"], "no naming 'txt' for exports; did you mean 'text'?"),
        (["--to", "toy", "--seed", "-1"], "-1"),
    ],
)
def test_wrong_arguments_are_explained(
    release: Release, tmp_path: Path, command: Command, arguments: list[str], message: str
) -> None:
    ended = command("export", release.path, *arguments, "-o", tmp_path / "a")
    assert ended.status == 2
    assert message in ended.err
    assert not (tmp_path / "a").exists()


def test_several_formats_write_a_folder_each(
    release: Release, tmp_path: Path, command: Command
) -> None:
    assert (
        command("export", release.path, "--to", "toy,toy:most=1", "-o", tmp_path / "a").status == 0
    )
    assert sorted(p.name for p in (tmp_path / "a").iterdir()) == ["toy", "toy_most_1"]


def test_each_format_is_checked_before_the_first_is_written(
    release: Release, tmp_path: Path, command: Command
) -> None:
    ended = command("export", release.path, "--to", "toy,gtsqa", "-o", tmp_path / "a")
    assert_refused(ended, "export format gtsqa: reads the field minimal of questions")
    assert not (tmp_path / "a").exists()
