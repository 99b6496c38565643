"""Writing, replacing and renaming releases."""

import itertools
import json
import os
from pathlib import Path

import pytest

from rulemine.errors import ConfigError, OutputError, ReleaseError
from rulemine.kg.entity_names import NAMINGS
from rulemine.release.contents import read_parts
from rulemine.release.outputs import check_place, check_release
from rulemine.release.publish import publish, rename
from rulemine.release.reader import Release
from rulemine.verify import verify
from tests.verify.tiny import write_release


@pytest.fixture
def release(tmp_path: Path) -> Path:
    folder = tmp_path / "release"
    write_release(folder)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_renaming_leads_everywhere_and_back(release: Path, tmp_path: Path) -> None:
    for naming in NAMINGS:
        rename(Release.open(release), tmp_path / naming, naming)
        assert verify(tmp_path / naming).problems == ()
        removed = [row.triple for row in Release.open(tmp_path / naming).removals()]
        assert removed == sorted(removed), naming
        assert Release.open(tmp_path / naming).naming == naming
    for one, other in itertools.product(NAMINGS, NAMINGS):
        target = tmp_path / f"{one}-{other}"
        rename(Release.open(tmp_path / one), target, other)
        assert contents(target) == contents(tmp_path / other)


def test_renaming_keeps_the_questions(release: Path, tmp_path: Path) -> None:
    rename(Release.open(release), tmp_path / "text", "text")
    old, new = Release.open(release), Release.open(tmp_path / "text")
    assert [q.id for q in old.questions()] == [q.id for q in new.questions()]
    assert [q.split for q in old.questions()] == [q.split for q in new.questions()]
    assert all(q.topic in q.question for q in new.questions())


def test_an_unknown_naming_is_refused(release: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no naming"):
        rename(Release.open(release), tmp_path / "out", "latin")
    assert not (tmp_path / "out").exists()


def test_an_edited_release_is_not_renamed(release: Path, tmp_path: Path) -> None:
    path = release / "removed.jsonl"
    path.write_text(path.read_text("utf-8") + "\n", "utf-8")
    with pytest.raises(ReleaseError, match=r"removed\.jsonl"):
        rename(Release.open(release), tmp_path / "out", "text")
    assert [p.name for p in tmp_path.iterdir()] == ["release"]


def test_a_release_is_replaced_as_a_whole(release: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    rename(Release.open(release), target, "text")
    (target / "README.md").unlink()
    publish(release, target)
    assert contents(target) == contents(release)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["release", "target"]


@pytest.mark.parametrize(
    "name", ["predictions.jsonl", ".notes", "kg/mine.tsv", "deep/er/x", "empty/", "link@", "kg@"]
)
def test_nothing_else_in_a_release_folder_is_ever_deleted(
    release: Path, tmp_path: Path, name: str
) -> None:
    target = tmp_path / "target"
    publish(release, target)
    rename(Release.open(release), target, "text")
    path = target / name.strip("/@")
    path.parent.mkdir(parents=True, exist_ok=True)
    if name.endswith("/"):
        path.mkdir()
    elif name.endswith("@"):
        if path.is_dir():
            path.rename(tmp_path / "elsewhere")
        path.symlink_to(tmp_path / "elsewhere")
    else:
        path.write_text("mine")
    before = contents(tmp_path)
    for attempt in (
        publish,
        lambda _, to, **more: rename(Release.open(release), to, "text", **more),
    ):
        for replace in (False, True):
            with pytest.raises(OutputError, match=f"target: contains {path.relative_to(target)}"):
                attempt(release, target, replace=replace)
    assert os.path.lexists(path)
    assert contents(tmp_path) == before


def test_many_strangers_are_counted(release: Path) -> None:
    for number in range(7):
        (release / f"p{number}.jsonl").write_text("mine")
    with pytest.raises(OutputError, match=r"contains p0\.jsonl, .*, p4\.jsonl and 2 more, which"):
        check_release(release, "tiny", "rules")


def test_an_edited_release_is_replaced_only_when_told(release: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    publish(release, target)
    (target / "README.md").write_text("notes of years")
    with pytest.raises(OutputError, match=r"README\.md edited or damaged .* --replace"):
        publish(release, target)
    assert (target / "README.md").read_text() == "notes of years"
    publish(release, target, replace=True)
    assert contents(target) == contents(release)


def test_a_release_of_another_name_is_replaced_only_when_told(
    release: Path, tmp_path: Path
) -> None:
    target = tmp_path / "target"
    publish(release, target)
    other = json.loads((target / "manifest.json").read_text("utf-8")) | {"name": "other"}
    (target / "manifest.json").write_text(json.dumps(other), "utf-8")
    before = contents(target)
    with pytest.raises(
        OutputError, match=r"release 'other' of the kind rules, and this one .* --replace"
    ):
        publish(release, target)
    with pytest.raises(OutputError, match="--replace"):
        rename(Release.open(release), target, "text")
    assert contents(target) == before
    publish(release, target, replace=True)
    assert contents(target) == contents(release)


def test_a_release_goes_through_a_link(release: Path, tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to("real")
    publish(release, tmp_path / "link")
    rename(Release.open(release), tmp_path / "link", "text")
    assert (tmp_path / "link").readlink() == Path("real")
    assert Release.open(real).naming == "text"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link", "real", "release"]


def test_a_release_is_not_renamed_onto_or_into_itself(release: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(release)
    before = contents(release)
    for target in (release, tmp_path / "link"):
        with pytest.raises(OutputError, match="contains an input of this command"):
            rename(Release.open(release), target, "text")
    for target in (release / "sub", tmp_path / "link" / "kg" / "sub"):
        with pytest.raises(OutputError, match="is inside the release"):
            rename(Release.open(release), target, "text")
    assert contents(release) == before


def test_an_equal_release_is_not_touched(release: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    publish(release, target)
    before = (target / "manifest.json").stat().st_ino
    publish(release, target)
    assert (target / "manifest.json").stat().st_ino == before


def test_where_a_release_may_go(release: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for folder, name in (
        ("new", "tiny"),
        ("release", Release.open(release).name),
        ("empty", "tiny"),
    ):
        check_place(tmp_path / folder)
        check_release(tmp_path / folder, name, "rules")
    with pytest.raises(OutputError, match="other files"):
        check_release(tmp_path, "tiny", "rules")
    (tmp_path / "file").write_text("x")
    (tmp_path / "dangling").symlink_to("nowhere")
    for name, expected in {
        "file": "is a file",
        "file/below": "file is a file, not a folder",
        "dangling": "is a link to nowhere, which does not exist",
        "dangling/below": "is a link to nowhere",
        "-": "nothing can be written there",
        "release/kg": "is inside the release",
    }.items():
        with pytest.raises(OutputError, match=expected):
            check_place(tmp_path / name)
    (tmp_path / "nowhere").symlink_to("dangling")
    with pytest.raises(OutputError, match="is a link"):
        check_place(tmp_path / "dangling")


def test_parts_are_what_was_written(release: Path) -> None:
    opened = Release.open(release)
    parts = read_parts(opened)
    ((level, kg),) = parts.incomplete()
    assert (level, kg.labeled()) == (100, opened.kg("incomplete").labeled())
    assert len(parts.removals) == opened.manifest["counts"]["triples_removed"]
