"""Stages: steps of a build that run once and are then reused.

A stage is a name, a version bumped by hand, and a function that fills a folder. Its key is the SHA-256
of (name, version, the options that can change bytes, the digests of its inputs). It runs in a temporary
folder, writes its manifest last, and renames: *a folder with a manifest is complete*. A crash leaves the
previous output intact. Edited or foreign files are reported, never silently used or deleted.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rulemine.codec import dump_line, parse_object
from rulemine.errors import InputError, OutputError
from rulemine.files import describe_content, digest_of, write_text
from rulemine.release.outputs import digests_of, listed, real, recover, replacing, strangers

__all__ = ["STAGE_MANIFEST", "FinishedStage", "Stage", "run_stage"]

STAGE_MANIFEST = "stage.json"


@dataclass(frozen=True, slots=True)
class Stage:
    """A step of a build.

    Attributes:
        name: A verb; also the name of its folder.
        version: Bumped whenever a change of the code changes the output.
        options: The options that can change bytes, as plain JSON values.
        inputs: Its inputs: name → digest.
        work: Called with an empty folder, which it fills.
    """

    name: str
    version: int
    options: Mapping[str, Any]
    inputs: Mapping[str, str]
    work: Callable[[Path], None]

    @property
    def key(self) -> str:
        """The identity of the stage's output, hexadecimal."""
        parts = [self.name, self.version, dict(self.options), dict(self.inputs)]
        return digest_of(json.dumps(parts, sort_keys=True, ensure_ascii=False).encode())


@dataclass(frozen=True, slots=True)
class FinishedStage:
    """What a stage wrote, now or in an earlier run.

    Attributes:
        folder: The folder of its files.
        digest: Digest of all its files, for the keys of the stages that read them.
        reused: Whether an earlier run had finished it.
    """

    folder: Path
    digest: str
    reused: bool


def run_stage(stage: Stage, parent: Path) -> FinishedStage:
    """Runs a stage, or reuses its output.

    Args:
        stage: The stage.
        parent: The folder that holds one folder per stage.

    Raises:
        OutputError: A file of the finished stage was edited, its folder has other files, or nothing can
            be written there.
    """
    folder = parent / stage.name
    recover(real(folder))
    manifest = _read_manifest(folder)
    if manifest is not None and manifest.get("key") == stage.key:
        _check_untouched(folder, manifest["files"])
        return FinishedStage(folder, _digest(manifest["files"]), reused=True)
    _check_replaceable(folder, manifest)
    with replacing(folder) as fresh:
        stage.work(fresh)
        files = digests_of(fresh)
        row = {"stage": stage.name, "version": stage.version, "key": stage.key, "files": files}
        write_text(fresh / STAGE_MANIFEST, dump_line(row) + "\n")
    return FinishedStage(folder, _digest(files), reused=False)


def _read_manifest(folder: Path) -> dict[str, Any] | None:
    path = folder / STAGE_MANIFEST
    try:
        manifest = parse_object(path.read_text("utf-8"), str(path))
    except (OSError, InputError, UnicodeDecodeError):
        return None
    return manifest if isinstance(manifest.get("files"), dict) else None


def _check_replaceable(folder: Path, manifest: Mapping[str, Any] | None) -> None:
    files = {} if manifest is None else manifest["files"]
    names = [] if manifest is None else [*files, STAGE_MANIFEST]
    if folder.exists() and (others := strangers(folder, names)):
        raise OutputError(
            f"{folder}: contains {listed(others)}, which this program did not write. Move it away, or "
            f"delete the folder {folder}, and run again."
        )
    _check_untouched(folder, {name: files[name] for name in files if (folder / name).exists()})


def _check_untouched(folder: Path, files: Mapping[str, str]) -> None:
    for name, digest in files.items():
        path = folder / name
        try:
            same = describe_content(path)[1] == digest
        except InputError:
            same = False
        if not same:
            raise OutputError(
                f"{path}: was {'edited' if path.exists() else 'removed'} since this program "
                f"wrote it. To make it again, delete the folder {folder}; to use your version, move it "
                "away and give it as an input."
            )


def _digest(files: Mapping[str, str]) -> str:
    return digest_of(json.dumps(files, sort_keys=True).encode())
