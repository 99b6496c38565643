"""Folders made by this program: locked by one process, and replaced atomically.

Guarantees: a folder is replaced as a whole or not at all, whenever the process is killed; files that
this program did not write are never moved, changed or deleted.
"""

import contextlib
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from rulemine.errors import InputError, OutputError
from rulemine.files import describe_content, take_lock

__all__ = [
    "FORMAT",
    "MANIFEST",
    "edited",
    "exchange",
    "listed",
    "recover",
    "strangers",
    "working_folder",
]

MANIFEST = "manifest.json"
"""The file by which a folder is a release."""

FORMAT = "rulemine release"
"""Where every manifest begins."""

LOCK = ".lock"
"""Marks a working folder as made by this program; locked by the process that uses it."""

MOST_LISTED = 5
"""Number of files that a message names."""


def strangers(folder: Path, names: Iterable[str]) -> list[str]:
    """The files, links and empty folders of a folder that are not among the expected files.

    Args:
        folder: The folder.
        names: The expected files, relative, with ``/``. A link is never expected.

    Returns:
        Relative paths, sorted; an unexpected folder is given by its files, or by itself if it is empty.
    """
    known = set(names)
    folders = {parent.as_posix() for name in known for parent in Path(name).parents}
    found = []
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if path.is_dir() and not path.is_symlink():
            ours = name in folders or any(path.iterdir())
        else:
            ours = name in known and path.is_file() and not path.is_symlink()
        if not ours:
            found.append(name)
    return sorted(found)


def edited(folder: Path, digests: Mapping[str, str | None]) -> list[str]:
    """The files of a folder that changed since they were written; missing files do not count.

    Args:
        folder: The folder.
        digests: File → SHA-256 of its content, decompressed.
    """
    return [
        name
        for name, digest in digests.items()
        if os.path.lexists(folder / name) and not _has(folder / name, digest)
    ]


def _has(path: Path, digest: str | None) -> bool:
    try:
        return path.is_file() and describe_content(path)[1] == digest
    except InputError:
        return False


def listed(names: list[str]) -> str:
    """A few names for a message, and the number of the others."""
    more = len(names) - MOST_LISTED
    return ", ".join(names[:MOST_LISTED]) + (f" and {more} more" if more > 0 else "")


@contextlib.contextmanager
def exchange(target: Path) -> Iterator[Path]:
    """Yields a new folder, which replaces the target when the block ends.

    The target stays as it is if the block fails or the process is killed. The caller must have checked
    that everything in the target may be deleted.

    Args:
        target: The folder; not a link.

    Raises:
        OutputError: See `working_folder`.
        OSError: Something cannot be written.
    """
    with working_folder(_beside(target)) as work:
        try:
            _settle(work, target)
            (work / "new").mkdir()
            yield work / "new"
            if target.exists():
                target.rename(work / "old")  # taken away in one go: half a folder would look edited
            (work / "new").rename(target)
        finally:
            _settle(work, target)


def recover(target: Path) -> None:
    """Finishes an exchange after a kill: restores the old folder unless the new one is in place.

    Raises:
        OutputError: Another process is using it, or see `working_folder`.
    """
    if os.path.lexists(_beside(target)):
        with working_folder(_beside(target)) as work:
            _settle(work, target)


def _beside(target: Path) -> Path:
    # Always the same name, so that the remains of a killed process are found.
    return target.with_name(f".{target.name}.exchange")


def _settle(work: Path, target: Path) -> None:
    if (work / "old").exists():
        if not target.exists():
            (work / "old").rename(target)
        elif (work / "new").exists():  # killed before the new one was in its place
            raise OutputError(
                f"{target}: was changed by another program during its replacement; the earlier folder is in "
                f"{work / 'old'}. Move one of them away."
            )
    for name in ("new", "old"):
        shutil.rmtree(work / name, ignore_errors=True)


@contextlib.contextmanager
def working_folder(folder: Path) -> Iterator[Path]:
    """Yields a folder, locked for this process; removed afterwards if it is empty.

    Raises:
        OutputError: It cannot be made, has files that this program did not write, or another process is
            using it.
    """
    lock = folder / LOCK
    try:
        if os.path.lexists(folder) and not os.path.lexists(lock) and any(folder.iterdir()):
            raise OutputError(
                f"{folder}: was not made by this program, which needs that name; nothing was changed. "
                "Move it away, or choose another place with -o."
            )
        made = [folder] if os.path.lexists(lock) else []
        made += [path for path in (folder, *folder.parents) if not path.exists()]
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
    """Removes the lock file of an empty folder, and the folders that were made for it."""
    with contextlib.suppress(OSError):
        if list(lock.parent.iterdir()) == [lock]:
            lock.unlink()
            for path in made:
                path.rmdir()


def _lock(handle: int, lock: Path) -> None:
    # Its last holder may have removed the file since it was opened.
    held = take_lock(handle) and lock.exists() and os.path.samestat(os.fstat(handle), lock.stat())
    if not held:
        raise OutputError(
            f"{lock.parent}: another build is using this folder. Wait for it, or choose another -o."
        )
