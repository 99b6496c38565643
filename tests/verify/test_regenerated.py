"""A release is written again from its own records as the last step of a verification."""

from pathlib import Path

from rulemine.kg.entity_names import NAMINGS
from rulemine.release.archive import write_archive
from rulemine.release.reader import Release
from tests import each
from tests.command_line import Command
from tests.verify.tampering import change_manifest, missed, options, replaced, verified
from tests.verify.tiny import read_file, seal, write_file, write_release

CARD = "README.md"


@each("naming", NAMINGS)
def test_a_release_is_written_again_as_it_is(tmp_path: Path, naming: str) -> None:
    folder = write_release(tmp_path / "release", naming)
    report = verified(folder)
    assert report.ok
    assert report.checked["files written again"] == 11
    file = tmp_path / "a.tar"
    write_archive(Release.open(folder), file)
    assert verified(file).ok


def turned(folder: Path) -> None:
    name = "kg/complete.tsv.gz"
    lines = read_file(folder, name).splitlines(keepends=True)
    write_file(folder, name, "".join(lines[::-1]))


def test_what_is_derived_from_the_records_is_named(tmp_path: Path) -> None:
    edits = [
        (CARD, lambda folder: write_file(folder, CARD, "# nothing\n")),
        (CARD, lambda folder: write_file(folder, CARD, "")),
        ("relations.tsv", replaced("relations.tsv", "\t5\t0", "\t6\t0")),
        ("questions/test.jsonl", replaced("questions/test.jsonl", ":grandparent>", ":parent>")),
        ("rules.jsonl", replaced("rules.jsonl", "⇒ husband(x,y)", "⇒ husband(y,x)")),
        ("rules.jsonl", replaced("rules.jsonl", ",", ", ", -1)),
        ("entities.tsv", replaced("entities.tsv", "private", "id")),
        ("kg/complete.tsv.gz", turned),
    ]
    rows = {f"{n}: {name}": (tamper, name) for n, (name, tamper) in enumerate(edits)}
    folder = write_release(tmp_path)
    assert missed(folder, rows, lambda it: {("", 0, p.file) for p in verified(it).problems}) == []


def test_an_option_that_no_recipe_has_is_named(tmp_path: Path) -> None:
    folder = write_release(tmp_path)
    options("verbalizer", naming="privatex")(folder)
    found = {p.invariant: p.found for p in verified(folder).problems}
    assert "verbalizer.naming" in found["options"]
    assert "as written again" in found  # the card has other options


def test_the_digest_of_the_graph_is_counted(tmp_path: Path) -> None:
    folder = write_release(tmp_path)
    digest = Release.open(folder).manifest["kg"]["digest"]
    for name in ("manifest.json", CARD):
        replaced(name, digest, "0" * 64, -1)(folder)
    seal(folder)
    assert {p.file for p in verified(folder).problems} == {"manifest.json", CARD}


def test_a_release_does_not_pass_as_one_with_hidden_answers(tmp_path: Path) -> None:
    folder = write_release(tmp_path)
    change_manifest(folder, hidden=["test"], full="9" * 64)
    assert {p.invariant for p in verified(folder).problems} == {"hidden"}


def test_records_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    folder = write_release(tmp_path)
    rules = read_file(folder, "rules.jsonl")
    write_file(folder, "rules.jsonl", "{}\n")
    seal(folder)
    [problem] = verified(folder).problems
    assert (problem.file, problem.invariant) == ("rules.jsonl", "record")
    assert "line 1" in problem.found
    write_file(folder, "removed.jsonl", "")  # questions about removed triples that are none
    write_file(folder, "rules.jsonl", rules)
    seal(folder)
    found = {(p.file, p.invariant) for p in verified(folder).problems}
    assert ("manifest.json", "as written again") in found


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
    for name in ("entities.tsv", "kg/complete.tsv.gz", "kg/incomplete.tsv.gz"):
        replaced(name, "ada", "a\0da", -1)(folder)
    seal(folder)
    found = " ".join(map(str, verified(folder).problems))
    assert "complete.tsv.gz: line 1 holds a NUL byte" in found
