"""A release is written again from its own records as the last step of a verification."""

from collections.abc import Callable
from pathlib import Path

import pytest

from rulemine.builder.regenerated import regenerated
from rulemine.kg.entity_names import NAMINGS
from rulemine.release.archive import write_archive
from rulemine.release.reader import Release
from rulemine.verify import VerificationReport, verify
from tests.command_line import Command
from tests.verify.tampering import change_manifest, line_out, replaced
from tests.verify.tiny import MANIFEST, read_file, seal, write_file, write_release

CARD = "README.md"


def again(folder: Path) -> VerificationReport:
    """What the whole verification finds."""
    return regenerated(verify(folder))


@pytest.mark.parametrize("naming", NAMINGS)
def test_a_release_is_written_again_as_it_is(tmp_path: Path, naming: str) -> None:
    folder = write_release(tmp_path / "release", naming)
    report = again(folder)
    assert report.ok
    assert report.checked["files written again"] == 11
    file = tmp_path / "a.tar"
    write_archive(Release.open(folder), file)
    assert again(file).ok


@pytest.mark.parametrize(
    ("name", "tamper"),
    [
        (CARD, lambda folder: write_file(folder, CARD, "# nothing\n")),
        (CARD, lambda folder: write_file(folder, CARD, "")),
        ("relations.tsv", replaced("relations.tsv", "\t5\t0", "\t6\t0")),
        ("questions/test.jsonl", replaced("questions/test.jsonl", ":grandparent>", ":parent>")),
        ("rules.jsonl", replaced("rules.jsonl", "⇒ husband(x,y)", "⇒ husband(y,x)")),
        ("rules.jsonl", lambda folder: write_file(
            folder, "rules.jsonl", read_file(folder, "rules.jsonl").replace(",", ", "))),
        ("entities.tsv", replaced("entities.tsv", "private", "id")),
        ("kg/complete.tsv.gz", lambda folder: write_file(
            folder, "kg/complete.tsv.gz",
            "".join(sorted(read_file(folder, "kg/complete.tsv.gz").splitlines(True), reverse=True)))),
    ],
)  # fmt: skip
def test_what_is_derived_from_the_records_is_named(
    tmp_path: Path, name: str, tamper: Callable[[Path], object]
) -> None:
    folder = write_release(tmp_path)
    before = read_file(folder, name)
    tamper(folder)
    assert read_file(folder, name) != before
    seal(folder)
    assert name in {p.file for p in again(folder).problems}


def test_each_line_of_the_card_is_held(tmp_path: Path) -> None:
    folder = write_release(tmp_path)
    lines = read_file(folder, CARD).split("\n")
    for number in range(1, len(lines), 7):
        line_out(CARD, number)(folder)
        seal(folder)
        [problem] = regenerated(verify(folder)).problems
        assert problem.file == CARD
        assert problem.line in (number, number + 1)  # of two equal lines the second is missed
        write_file(folder, CARD, "\n".join(lines))


def test_an_option_that_no_recipe_has_is_named(tmp_path: Path) -> None:
    folder = write_release(tmp_path)
    verbalizer = MANIFEST["config"]["verbalizer"] | {"naming": "privatex"}
    change_manifest(folder, config=MANIFEST["config"] | {"verbalizer": verbalizer})
    found = {p.invariant: p.found for p in again(folder).problems}
    assert "verbalizer.naming" in found["options"]
    assert "as written again" in found  # the card has other options


def test_the_digest_of_the_graph_is_counted(tmp_path: Path) -> None:
    folder = write_release(tmp_path)
    digest = Release.open(folder).manifest["kg"]["digest"]
    for name in ("manifest.json", CARD):
        write_file(folder, name, read_file(folder, name).replace(digest, "0" * 64))
    seal(folder)
    assert {p.file for p in again(folder).problems} == {"manifest.json", CARD}


def test_a_release_does_not_pass_as_one_with_hidden_answers(tmp_path: Path) -> None:
    folder = write_release(tmp_path)
    change_manifest(folder, hidden=["test"], full="9" * 64)
    assert {p.invariant for p in again(folder).problems} == {"hidden"}


def test_records_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    folder = write_release(tmp_path)
    write_file(folder, "rules.jsonl", "{}\n")
    seal(folder)
    report = again(folder)
    assert [(p.file, p.invariant) for p in report.problems] == [("rules.jsonl", "record")]
    assert "line 1" in report.problems[0].found
    write_file(folder, "removed.jsonl", "")  # questions about removed triples that are none
    write_file(folder, "rules.jsonl", read_file(write_release(tmp_path / "other"), "rules.jsonl"))
    seal(folder)
    assert ("manifest.json", "as written again") in {
        (p.file, p.invariant) for p in again(folder).problems
    }


def test_the_command_names_it_and_fails(tmp_path: Path, command: Command) -> None:
    folder = write_release(tmp_path / "release")
    assert command("verify", folder).status == 0
    write_file(folder, CARD, "# nothing\n")
    seal(folder)
    ended = command("verify", folder)
    assert ended.status == 1
    assert "README.md: line 1: as written again: found '# nothing'; expected " in ended.out


def test_a_graph_that_no_reader_takes_is_not_written_again_as_it_was_read(tmp_path: Path) -> None:
    folder = write_release(tmp_path)
    graphs = [f"kg/{path.name}" for path in (folder / "kg").iterdir()]
    for name in ("entities.tsv", *graphs):
        write_file(folder, name, read_file(folder, name).replace("ada", "a\0da"))
    seal(folder)
    found = " ".join(map(str, again(folder).problems))
    assert "complete.tsv.gz: line 1 holds a NUL byte" in found
