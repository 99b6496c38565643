"""Writing, replacing and renaming releases."""

import itertools
import os
from pathlib import Path

import pytest

from rulemine.errors import OutputError
from rulemine.kg.entity_names import NAMINGS
from rulemine.release.outputs import check_place, check_release
from rulemine.release.publish import publish, rename
from rulemine.release.reader import Release
from rulemine.verify import verify
from tests import each
from tests.verify.tampering import replaced
from tests.verify.tiny import write_release


@pytest.fixture
def release(tmp_path: Path) -> Path:
    return write_release(tmp_path / "release")


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_renaming_leads_everywhere_and_back(release: Path, tmp_path: Path) -> None:
    old = Release.open(release)
    for naming in NAMINGS:
        rename(old, tmp_path / naming, naming)
        assert verify(tmp_path / naming).problems == ()
        new = Release.open(tmp_path / naming)
        removed = [row.triple for row in new.removals()]
        assert removed == sorted(removed), naming
        assert new.naming == naming
        questions = new.questions()
        assert [(q.id, q.split) for q in questions] == [(q.id, q.split) for q in old.questions()]
        assert all(q.topic in q.question for q in questions)
    for one, other in itertools.product(NAMINGS, NAMINGS):
        target = tmp_path / f"{one}-{other}"
        rename(Release.open(tmp_path / one), target, other)
        assert contents(target) == contents(tmp_path / other)


NAMES = ["predictions.jsonl", ".notes", "kg/mine.tsv", "deep/er/x", "empty/", "link@", "kg@"]


@each("name", NAMES)
def test_nothing_else_in_a_release_folder_is_ever_deleted(tmp_path: Path, name: str) -> None:
    release, target = write_release(tmp_path / "release"), tmp_path / "target"
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
    before, told = contents(tmp_path), f"target: contains {path.relative_to(target)}"
    for replace in (False, True):
        with pytest.raises(OutputError, match=told):
            publish(release, target, replace=replace)
        with pytest.raises(OutputError, match=told):
            rename(Release.open(release), target, "text", replace=replace)
    assert os.path.lexists(path)
    assert contents(tmp_path) == before


@each(
    ("name", "old", "new", "told"),
    [
        ("README.md", "# tiny", "# notes of years", r"README\.md edited or damaged .* --replace"),
        ("manifest.json", '"name": "tiny"', '"name": "other"', "release 'other' of the kind.* --replace"),
    ],
)  # fmt: skip
def test_an_edited_release_is_replaced_only_when_told(tmp_path, name, old, new, told):
    release, target = write_release(tmp_path / "release"), tmp_path / "target"
    publish(release, target)
    replaced(name, old, new)(target)
    before = contents(target)
    with pytest.raises(OutputError, match=told):
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


def test_where_a_release_may_go(release: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for folder in ("new", "release", "empty"):
        check_place(tmp_path / folder)
        check_release(tmp_path / folder, "tiny", "rules")
    with pytest.raises(OutputError, match="other files"):
        check_release(tmp_path, "tiny", "rules")
    (tmp_path / "file").write_text("x")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "round").symlink_to("round")
    for name, expected in {
        "file": "is a file", "file/below": "file is a file, not a folder",
        "dangling": "is a link to nowhere, which does not exist", "dangling/below": "is a link to nowhere",
        "round": "is a link", "-": "nothing can be written there", "release/kg": "is inside the release",
    }.items():  # fmt: skip
        with pytest.raises(OutputError, match=expected):
            check_place(tmp_path / name)
