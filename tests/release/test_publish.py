"""Writing, replacing and renaming releases."""

import itertools
from pathlib import Path

import pytest

from rulemine.errors import OutputError, ReleaseError
from rulemine.kg.entity_names import NAMINGS
from rulemine.release.contents import read_parts
from rulemine.release.publish import check_target, publish, rename
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
    with pytest.raises(OutputError, match="private, entity, text, numeric"):
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
    publish(release, target)
    assert contents(target) == contents(release)
    (target / "README.md").write_text("scribbles")
    (target / "more.txt").write_text("more")
    publish(release, target)
    assert contents(target) == contents(release)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["release", "target"]


def test_an_equal_release_is_not_touched(release: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    publish(release, target)
    before = (target / "manifest.json").stat().st_ino
    publish(release, target)
    assert (target / "manifest.json").stat().st_ino == before


def test_where_a_release_may_go(release: Path, tmp_path: Path) -> None:
    check_target(tmp_path / "new")
    check_target(release)
    (tmp_path / "empty").mkdir()
    check_target(tmp_path / "empty")
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match="is a file"):
        check_target(tmp_path / "file")
    with pytest.raises(OutputError, match="other things"):
        check_target(tmp_path)


def test_parts_are_what_was_written(release: Path) -> None:
    opened = Release.open(release)
    parts = read_parts(opened)
    assert parts.incomplete(100).labelled() == opened.kg("incomplete").labelled()
    assert len(parts.removals) == opened.manifest["counts"]["triples_removed"]
