"""Stages: steps of a build that are done once, kept, and found again.

A stage is a name, a version bumped by hand, and a function that fills a folder. Its key is the
SHA-256 of (name, version, the options that can change bytes, the digests of what it reads). It works
in a temporary folder, writes its manifest last, and renames: *manifest present means complete*.
A crash leaves the previous output whole; an edited file is named, never silently used.
"""

import contextlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rulemine.codec import dump_line, parse_object
from rulemine.errors import InputError, OutputError
from rulemine.files import describe_content, digest_of, take_lock, write_text

__all__ = ["STAGE_MANIFEST", "Done", "Stage", "run_stage", "working_folder"]

STAGE_MANIFEST = "stage.json"
_TEMPORARY, _OLD = ".tmp-", ".old-"


@dataclass(frozen=True, slots=True)
class Stage:
    """A step of a build.

    Attributes:
        name: A verb; also the name of its folder.
        version: Bumped whenever the code changes what the stage writes.
        options: The options that can change bytes, as plain JSON values.
        inputs: What it reads: name → digest.
        work: Fills the given (empty) folder.
    """

    name: str
    version: int
    options: Mapping[str, Any]
    inputs: Mapping[str, str]
    work: Callable[[Path], None]

    @property
    def key(self) -> str:
        """The identity of what the stage would write, hexadecimal."""
        parts = [self.name, self.version, dict(self.options), dict(self.inputs)]
        return digest_of(json.dumps(parts, sort_keys=True, ensure_ascii=False).encode())


@dataclass(frozen=True, slots=True)
class Done:
    """A finished stage.

    Attributes:
        folder: Where its files are.
        digest: Digest of all its files, for the keys of the stages that read them.
        reused: Whether it was there already.
    """

    folder: Path
    digest: str
    reused: bool


def run_stage(stage: Stage, parent: Path) -> Done:
    """Does a stage, or finds it done.

    Args:
        stage: The stage.
        parent: The folder that holds one folder per stage.

    Raises:
        OutputError: A file of the finished stage was edited, or nothing can be written here.
    """
    folder, old = parent / stage.name, parent / f"{_OLD}{stage.name}"
    _settle(old, folder)
    manifest = _read_manifest(folder)
    if manifest is not None and manifest.get("key") == stage.key:
        _check_untouched(folder, manifest["files"])
        return Done(folder, _digest(manifest["files"]), reused=True)
    temporary = parent / f"{_TEMPORARY}{stage.name}"
    try:
        if temporary.exists():  # of a process that was killed
            shutil.rmtree(temporary)
        temporary.mkdir(parents=True)
        stage.work(temporary)
        names = sorted(p.relative_to(temporary).as_posix() for p in _files(temporary))
        files = {name: describe_content(temporary / name)[1] for name in names}
        row = {"stage": stage.name, "version": stage.version, "key": stage.key, "files": files}
        write_text(temporary / STAGE_MANIFEST, dump_line(row) + "\n")
        if folder.exists():
            folder.rename(old)  # taken away in one go: half a finished stage would look edited
        temporary.rename(folder)
    except OSError as problem:
        raise OutputError(
            f"{parent}: stage {stage.name} cannot be written ({problem.strerror}). What was finished "
            "is kept; free space or choose another place with -o, and run again."
        ) from None
    finally:
        # On any way out, an interrupt included: half a stage is of no use to anybody.
        shutil.rmtree(temporary, ignore_errors=True)
        _settle(old, folder)
    return Done(folder, _digest(files), reused=False)


def _settle(old: Path, folder: Path) -> None:
    """Finishes an exchange that was cut short: the old folder comes back unless the new one is there."""
    if not folder.exists() and old.exists():
        old.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def _read_manifest(folder: Path) -> dict[str, Any] | None:
    path = folder / STAGE_MANIFEST
    try:
        manifest = parse_object(path.read_text("utf-8"), str(path))
    except (OSError, InputError, UnicodeDecodeError):
        return None
    return manifest if isinstance(manifest.get("files"), dict) else None


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
                f"wrote it. Delete the folder {folder} to have it made again, or move your version "
                "away and give it as an input."
            )


def _digest(files: Mapping[str, str]) -> str:
    return digest_of(json.dumps(files, sort_keys=True).encode())


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


@contextlib.contextmanager
def working_folder(folder: Path) -> Iterator[Path]:
    """A folder for stages, held by one process at a time; gone afterwards if nothing was put in it.

    Raises:
        OutputError: It cannot be made, or another process is at work in it.
    """
    lock = folder / ".lock"
    try:
        made = [path for path in (folder, *folder.parents) if not path.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(lock, os.O_CREAT | os.O_RDWR, 0o666)
    except OSError as problem:
        raise OutputError(
            f"{folder}: cannot be written ({problem.strerror}). Choose another place with -o."
        ) from None
    try:
        _lock(handle, lock)
        try:
            yield folder
        finally:
            _forget_if_empty(lock, made)
    finally:
        os.close(handle)  # and with it the lock


def _forget_if_empty(lock: Path, made: list[Path]) -> None:
    """Takes away a lock that guards nothing, and the folders that were made for it."""
    with contextlib.suppress(OSError):
        if list(lock.parent.iterdir()) == [lock]:
            lock.unlink()
            for path in made:
                path.rmdir()


def _lock(handle: int, lock: Path) -> None:
    # Its last holder may have taken the file away since it was opened.
    held = take_lock(handle) and lock.exists() and os.path.samestat(os.fstat(handle), lock.stat())
    if not held:
        raise OutputError(
            f"{lock.parent}: another build is at work here. Wait for it, or choose another -o."
        )
