"""A finished stage is found again, an unfinished one is redone, an edited one is named."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rulemine.builder.stages import STAGE_MANIFEST, Stage, run_stage
from rulemine.errors import OutputError
from rulemine.files import write_bytes, write_text
from tests import each


class CrashError(Exception):
    """What a test throws."""


def writes(text: str, calls: list[str] | None = None) -> Callable[[Path], None]:
    def work(folder: Path) -> None:
        assert not list(folder.iterdir()), "the folder given is empty"
        write_text(folder / "a.txt", text)
        write_text(folder / "deep" / "b.txt.gz", text)
        if calls is not None:
            calls.append(text)

    return work


def stage(text: str = "x", calls: list[str] | None = None) -> Stage:
    return Stage("mine", 1, {"n": 3, "list": [1]}, {"kg": "0" * 64}, writes(text, calls))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def content(folder: Path) -> dict[str, bytes]:
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()
    }


def test_a_finished_stage_is_not_done_again(tmp_path: Path) -> None:
    calls: list[str] = []
    first = run_stage(stage("x", calls), tmp_path)
    second = run_stage(stage("x", calls), tmp_path)
    assert calls == ["x"]
    assert (first.reused, second.reused) == (False, True)
    assert first.digest == second.digest
    assert first.folder == second.folder == tmp_path / "mine"
    assert sorted(content(tmp_path)) == ["mine/a.txt", "mine/deep/b.txt.gz", "mine/stage.json"]


CHANGES: list[dict[str, Any]] = [
    {"version": 2}, {"options": {"n": 4, "list": [1]}}, {"options": {"n": 3, "list": [1], "more": None}},
    {"inputs": {"kg": "1" * 64}}, {"inputs": {"kg": "0" * 64, "rules": "0"}}, {"inputs": {}},
]  # fmt: skip


@each("change", CHANGES)
def test_each_part_of_the_key_has_it_done_again(tmp_path: Path, change: dict[str, Any]) -> None:
    run_stage(stage("old"), tmp_path)
    assert not run_stage(replace(stage("new"), **change), tmp_path).reused
    assert (tmp_path / "mine" / "a.txt").read_text() == "new"
    assert names(tmp_path) == ["mine"]


def test_the_order_of_options_and_the_work_are_not_in_the_key() -> None:
    other = replace(stage(), options={"list": [1], "n": 3}, work=lambda _: None)
    assert other.key == stage().key
    assert replace(stage(), name="ground").key != stage().key


@each("error", [CrashError(), KeyboardInterrupt(), OSError(28, "No space left")])
def test_a_stage_that_breaks_leaves_the_old_output_whole(tmp_path, error):
    def breaks(folder: Path) -> None:
        write_text(folder / "half.txt", "half")
        raise error

    run_stage(stage("old"), tmp_path)
    before = content(tmp_path)
    with pytest.raises(OutputError if isinstance(error, OSError) else type(error)):
        run_stage(replace(stage(), version=2, work=breaks), tmp_path)
    assert content(tmp_path) == before
    assert names(tmp_path) == ["mine"]
    assert run_stage(stage("old"), tmp_path).reused


@each("manifest", [None, "", "[]", '{"key": 1', '{"key": "KEY"}', "\udcff"])
def test_a_stage_without_a_whole_manifest_is_named_and_left_alone(tmp_path, manifest):
    run_stage(stage("old"), tmp_path)
    path = tmp_path / "mine" / STAGE_MANIFEST
    path.unlink()
    if manifest is not None:
        text = manifest.replace("KEY", stage().key)
        write_bytes(path, text.encode("utf-8", "surrogateescape"))
    before = content(tmp_path)
    calls: list[str] = []
    with pytest.raises(OutputError, match="mine: is a folder with other files"):
        run_stage(stage("new", calls), tmp_path)
    assert (calls, content(tmp_path)) == ([], before)


@each(("name", "edit"), [("a.txt", b"edited"), ("deep/b.txt.gz", b"not gzip")])
@each("version", [1, 2])
def test_an_edited_file_is_named(tmp_path: Path, name: str, edit: bytes, version: int) -> None:
    run_stage(stage(), tmp_path)
    (tmp_path / "mine" / name).write_bytes(edit)
    with pytest.raises(OutputError, match=rf"mine: {name} edited or damaged"):
        run_stage(replace(stage("new"), version=version), tmp_path)
    assert (tmp_path / "mine" / name).read_bytes() == edit, "nothing is done to the user's version"


def test_what_lacks_a_file_is_done_again(tmp_path: Path) -> None:
    run_stage(stage(), tmp_path)
    (tmp_path / "mine" / "a.txt").unlink()
    assert not run_stage(stage(), tmp_path).reused
