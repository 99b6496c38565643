"""What is the user's stays the user's: outputs that are inputs, releases, links or somebody's folder."""

import os
from pathlib import Path

from tests.cli.conftest import BUILD, unrefused
from tests.command_line import FACTS, Command, assert_refused, tree


def links(folder: Path) -> dict[str, str]:
    """Every link below a folder → where it leads."""
    return {
        p.relative_to(folder).as_posix(): str(p.readlink())
        for p in folder.rglob("*")
        if p.is_symlink()
    }


def test_building_again_deletes_nothing_in_the_release_folder(built, command):
    (built / "out/kg/predictions.jsonl").write_text("hours of GPU")
    (built / "out/kg/.git").mkdir()
    before = tree(built)
    refused = (
        r"out/kg: contains \.git, predictions\.jsonl, which .* Move it away, or choose another"
    )
    assert_refused(command(*BUILD, "out/kg"), refused)
    assert_refused(command(*BUILD, "out/kg", "--seed", "3", "--replace"), refused)
    words = ("rename", "out/kg", "--naming", "text", "-o")
    assert command(*words, "out/text").status == 0
    (built / "out/text/predictions.jsonl").write_text("hours of GPU")
    assert_refused(command(*words, "out/text"), "contains predictions.jsonl")
    assert {k: v for k, v in tree(built).items() if not k.startswith("out/text")} == before


def test_a_release_of_another_name_is_not_replaced_unasked(built: Path, command: Command) -> None:
    before = tree(built)
    other = (*BUILD, "out/kg", "--set", "name=other")
    assert_refused(
        command(*other), r"contains the release 'kg' of the kind rules, and this one is 'other'"
    )
    assert tree(built) == before
    assert command(*other, "--replace").status == 0
    assert '"name": "other"' in (built / "out/kg/manifest.json").read_text()


def test_the_same_name_with_other_options_replaces_its_files(built: Path, command: Command) -> None:
    before = tree(built / "out/kg")
    assert command(*BUILD, "out/kg", "--naming", "text").status == 0
    after = tree(built / "out/kg")
    assert before.keys() == after.keys()
    assert before != after


FILES = {
    "show out/kg --sheet 2": "show out/kg --sheet 3",
    "data graph kg.tsv --to schema": "data graph other.tsv --to schema",
    "export out/kg --to questions": "export out/kg --to questions:split=all",
    "evaluate out/kg p.jsonl": "evaluate out/kg p.jsonl --format json",
    "answer out/kg --with lookup": "answer out/kg --with random",
    "mine kg.tsv --min-initial-support 9": "mine kg.tsv --min-initial-support 9 --format amie",
}
"""Commands that write a file, and what they may write over it afterwards."""


def test_a_file_is_replaced_only_as_the_same_command_wrote_it(
    built: Path, command: Command
) -> None:
    (built / "other.tsv").write_text(FACTS.replace("wife", "spouse"))
    file = built / "f"
    (built / "link").symlink_to("f")
    for words, others in FILES.items():
        file.unlink(missing_ok=True)
        for again in (words, words, others):
            ended = command(*again.split(), "-o", "f")
            assert ended.status == 0, ended.err
        made = file.read_bytes()
        assert command(*words.split(), "-o", "f").status == 0
        assert file.read_bytes() != made
        file.write_bytes(made)
        foreign = "data graph kg.tsv --to simplekg"
        rows = [
            (
                f"{foreign} -o f",
                f"f: is there, and is not as rulemine {foreign[:10]} --to simplekg wrote",
            )
        ]
        assert unrefused(command, built, rows) == []
        file.write_bytes(made + b"mine\n")
        said = "{}: is there, and is not as rulemine .* wrote it"
        rows = [(f"{words} -o {n}", said.format(n.lstrip("./"))) for n in ("f", "./f", "link")]
        assert unrefused(command, built, rows) == []


WRITING = (
    "answer out/kg --with lookup", "evaluate --baselines out/kg", "data gloss kg.tsv",
    "build kg.tsv --rules rules.txt", "mine kg.tsv", "rename out/kg --naming text",
)  # fmt: skip


def test_nothing_but_a_build_writes_into_a_release(built: Path, command: Command) -> None:
    (built / "R").symlink_to("out/kg")
    files = ("kg/incomplete.tsv.gz", "manifest.json", "new.txt", "deep/er/x")
    rows = [f"{words} -o out/kg/new.txt" for words in WRITING]
    rows += [
        f"{w} -o {place}/{f}" for w in WRITING[-2:] for place in ("out/kg", "R") for f in files
    ]
    rows.append("evaluate out/kg p.jsonl -o R/new.txt")
    expected = "is inside the release|is a file; a folder was"
    assert unrefused(command, built, [(row, expected) for row in rows]) == []


def test_an_input_of_a_build_is_not_replaced_by_it(built: Path, command: Command) -> None:
    rows = [
        ("build kg.tsv -o out/kg --rules out/kg/rules.jsonl", "out/kg: contains an input"),
        ("build kg.tsv -o out/kg --rules out/kg.stages/mine/rules.jsonl", "kg.stages: contains an input"),
        ("build out/kg/kg/complete.tsv.gz --rules rules.txt -o out/kg", "out/kg: contains an input"),
    ]  # fmt: skip
    assert unrefused(command, built, rows) == []


def test_an_output_at_a_link_goes_through_it(built: Path, command: Command) -> None:
    (built / "far").mkdir()
    (built / "far/release").mkdir()
    assert (
        command("evaluate", "out/kg", "p.jsonl", "--format", "markdown", "-o", "far/file").status
        == 0
    )
    (built / "to release").symlink_to("far/release")
    (built / "to file").symlink_to("far/file")
    before = links(built)
    assert command(*BUILD, "to release").status == 0
    assert command("verify", "far/release").status == 0
    assert command(*BUILD, "to release", "--naming", "text").status == 0
    assert command("rename", "out/kg", "--naming", "entity", "-o", "to release").status == 0
    assert command("evaluate", "out/kg", "p.jsonl", "-o", "to file").status == 0
    assert "|" not in (built / "far/file").read_text()
    assert links(built) == before
    assert [p.name for p in built.rglob(".*")] == [".lock", ".lock"], "nothing is left beside"


def test_several_systems_write_into_a_folder(built: Path, command: Command) -> None:
    words = ("answer", "out/kg", "--with", "lookup,random", "-o")
    assert_refused(
        command(*words, "p.jsonl"), r"p\.jsonl: is no folder; 2 systems write a file each"
    )
    assert command(*words, "both").status == 0
    assert {path.name for path in (built / "both").iterdir()} == {"lookup.jsonl", "random.jsonl"}


def test_a_dangling_link_is_said_before_the_first_stage(built: Path, command: Command) -> None:
    (built / "dangling").symlink_to("nowhere")
    (built / "circle").symlink_to("circle")
    starts = (*WRITING[-3:], "answer out/kg --with lookup")
    places = ("dangling", "dangling/below", "circle")
    for words in starts:
        for place in places:
            ended = command(*words.split(), "-o", place)
            assert_refused(ended, "is a link to (nowhere|circle), which does not exist")
            assert ended.err.count("\n") == 1, "no stage was done"
    assert links(built) == {"dangling": "nowhere", "circle": "circle"}


def test_folders_that_only_look_like_ours_are_never_touched(here: Path, command: Command) -> None:
    for name in ("kg.stages", ".kg.exchange", ".kg.old", ".kg.new", ".kg.made"):
        theirs = here / name.strip(".") / name
        theirs.mkdir(parents=True)
        (theirs / "thesis.txt").write_text("years of work")
        output = (theirs.parent / "kg").relative_to(here)
        if name in ("kg.stages", ".kg.exchange"):
            said = "was not made by this program, which needs that name"
            assert unrefused(command, here, [(f"{WRITING[3]} -o {output}", said)]) == []
        else:
            assert command(*BUILD, output).status == 0
        assert (theirs / "thesis.txt").read_text() == "years of work"
        assert [p.name for p in theirs.iterdir()] == ["thesis.txt"]


def test_a_folder_without_the_right_to_write_is_said_at_once(here, command, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    for words in (["mine", "kg.tsv", "-o", "o/x"], [*BUILD, "o/kg"]):
        assert_refused(command(*words), f"no permission to write in {here}")
    assert not (here / "o").exists()


def test_only_folders_of_the_same_command_are_replaced(built: Path, command: Command) -> None:
    words, name = ("export", "out/kg", "--to", "supervision", "-o"), "labels.jsonl"
    (built / "theirs").mkdir()
    (built / "theirs" / name).write_text("mine")
    before = tree(built)
    assert_refused(command(*words, "theirs"), "a folder with other files and not")
    assert_refused(command(*words, "out"), "out: contains an input of this command")
    assert tree(built) == before
    assert command(*words, "new").status == 0
    made = tree(built / "new")
    assert command(*words, "new").status == 0
    assert tree(built / "new") == made
    (built / "new" / name).write_text("edited")
    assert_refused(command(*words, "new"), f"new: {name} edited or damaged since labelings")
    assert (built / "new" / name).read_text() == "edited"


def test_replies_and_releases_of_another_kind_are_not_replaced(
    built: Path, command: Command
) -> None:
    other = (
        "contains the release 'kg' of the kind rules, and this one is 'kg' of the kind structures"
    )
    rows = [
        ("export out/kg --to supervision:model=m:replies=l/replies -o l",
         "is replaced as a whole, and l/replies is inside it"),
        ("build kg.tsv --set kind=structures -o out/kg", other),
    ]  # fmt: skip
    assert unrefused(command, built, rows) == []


def test_tables_of_runs_that_are_not_there_are_somebody_elses(built, command):
    (built / "theirs").mkdir()
    (built / "theirs/variants.md").write_text("mine")
    manifest = built / "out/kg/manifest.json"
    kind = '"kind": "variants", "variants": {"run": 0, "pairs": 1}'
    manifest.write_text(manifest.read_text().replace('"kind": "rules"', kind))
    ended = command("build", "out/kg", "--runs", "1", "-o", "theirs")
    assert_refused(ended, "variants.md: is there, and is not as rulemine build wrote it")
