"""How folders are written: made beside their place, under a lock, and renamed to it when they are whole.

Guarantees: a folder is replaced as a whole or not at all, whenever the process is killed; it is replaced only
if a file in it says that this program made it, and nobody added or edited anything since; no input is in it.
"""

import contextlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from rulemine.codec import parse_object
from rulemine.errors import InputError, OutputError
from rulemine.files import describe_content, read_text, take_lock

__all__ = [
    "FORMAT",
    "MANIFEST",
    "check_file",
    "check_made",
    "check_place",
    "check_release",
    "digests_of",
    "listed",
    "real",
    "recover",
    "replacing",
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


def check_file(output: Path) -> None:
    """Checks that a file can be written; it may exist, or be a link to a file, or a device or a pipe.

    Raises:
        OutputError: It is a folder or a dangling link, or inside a release, or where no file can be made.
    """
    if output.is_dir():
        raise OutputError(f"{output}: is a folder; a file was expected. Name a file with -o.")
    if output.is_file() or not output.exists():
        _check_parents(output)


def check_place(target: Path, inputs: Iterable[Path] = ()) -> None:
    """Checks that a folder may be written, whatever is in it; finishes a replacement that was killed.

    Args:
        target: The folder; it may exist, or be a link to a folder.
        inputs: Files that are read, and folders of releases.

    Raises:
        OutputError: It is a file or a dangling link, is inside a release, or contains an input.
    """
    if target.name in ("", "..", "-"):
        raise OutputError(f"{target}: nothing can be written there. Name a folder with -o.")
    if target.is_file():
        raise OutputError(f"{target}: is a file; a folder was expected.")
    _check_parents(target)
    for path in inputs:
        if path.exists() and real(path).is_relative_to(real(target)):
            raise OutputError(
                f"{target}: contains an input of this command ({path}), which would be replaced. Choose "
                "another folder with -o."
            )
    recover(real(target))


def check_release(target: Path, name: str, kind: str, *, replace: bool = False) -> None:
    """Checks that nothing is lost if a release replaces a folder.

    Args:
        target: The folder, which need not exist.
        name: The name of the release.
        kind: Its kind.
        replace: Whether a release that has another name or kind, or was edited, may be replaced.

    Raises:
        OutputError: It contains something other than a release of this program, or a release that may
            not be replaced.
    """
    found = check_made(target, MANIFEST, FORMAT, "a release", edited=replace)
    if replace or not found:
        return
    theirs = found.get("name"), (found.get("config") or {}).get("kind", kind)
    if theirs != (name, kind):
        raise OutputError(
            f"{target}: contains the release {theirs[0]!r} of the kind {theirs[1]}, and this one is {name!r} "
            f"of the kind {kind}; nothing was changed. Choose another folder with -o, or give --replace."
        )


def check_made(
    target: Path, description: str, form: str, what: str, *, edited: bool = False
) -> dict[str, Any]:
    """Checks that nothing is lost if a folder that says what it holds is replaced.

    Args:
        target: The folder, which need not exist.
        description: The file in it that says so: an object with ``format``, and ``files``, file → SHA-256 of
            its content, or an object with that.
        form: The ``format`` that this file states.
        what: What such a folder is, for messages.
        edited: Whether one that was edited may be replaced.

    Returns:
        That file's content; empty if the folder has no file.

    Raises:
        OutputError: It has files that nothing describes, or that were edited.
    """
    if not target.exists() or not any(target.iterdir()):
        return {}
    file = target / description
    try:
        found = parse_object(read_text(file), str(file)) if file.is_file() else {}
        files = {n: e["sha256"] if isinstance(e, dict) else e for n, e in found["files"].items()}
    except (InputError, KeyError, AttributeError):
        found = {}
    if found.get("format") != form:
        raise OutputError(
            f"{target}: is a folder with other files and not {what} that could be replaced; nothing was "
            "changed. Name an empty or new folder with -o."
        )
    if others := strangers(target, [*files, description]):
        raise OutputError(
            f"{target}: contains {listed(others)}, which is not part of {what}; nothing was changed. Move it "
            "away, or choose another folder with -o."
        )
    changed = [
        name for name, digest in files.items() if not edited and _differs(target / name, digest)
    ]
    if changed:
        raise OutputError(
            f"{target}: {listed(changed)} edited or damaged since {what} was written; nothing was changed. "
            f"Choose another folder with -o{', or give --replace' * (form == FORMAT)}."
        )
    return found


def _differs(path: Path, digest: str) -> bool:
    """Whether a file is there and has another content."""
    try:
        return os.path.lexists(path) and describe_content(path)[1] != digest
    except InputError:
        return True


def strangers(folder: Path, names: Iterable[str]) -> list[str]:
    """The files, links and empty folders of a folder that are not among the expected files.

    Args:
        folder: The folder.
        names: The expected files, relative, with ``/``. A link is never expected.

    Returns:
        Relative paths, sorted; an unexpected folder is given by its files, or by itself if it is empty.
        What Python keeps of programs that were run there does not count.
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
        if not ours and "__pycache__" not in path.parts:
            found.append(name)
    return sorted(found)


def listed(names: list[str]) -> str:
    """A few names for a message, and the number of the others."""
    more = len(names) - MOST_LISTED
    return ", ".join(names[:MOST_LISTED]) + (f" and {more} more" if more > 0 else "")


def digests_of(folder: Path) -> dict[str, str]:
    """The files of a folder → the SHA-256 of their content, decompressed, sorted by name."""
    names = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    return {name: describe_content(folder / name)[1] for name in names}


@contextlib.contextmanager
def replacing(target: Path, check: Callable[[], object] = lambda: None) -> Iterator[Path]:
    """Yields a new folder, which takes the place of the target when the block ends.

    The target stays as it is if the block fails or the process is killed; `recover` puts right what a kill
    between the two renames left.

    Args:
        target: The folder; links are followed.
        check: Called before, and again at the end, because writing takes time; raises an error if something
            would be lost.

    Raises:
        OutputError: Something cannot be written, or see `working_folder`.
    """
    check()
    place = real(target)
    try:
        with working_folder(_beside(place)) as work:
            try:
                _settle(work, place)
                (work / "new").mkdir()
                yield work / "new"
                check()
                if place.exists():
                    place.rename(
                        work / "old"
                    )  # taken away in one go: half a folder would look edited
                (work / "new").rename(place)
            finally:
                _settle(work, place)
    except OSError as problem:
        raise OutputError(
            f"{problem.filename or target}: cannot be written ({problem.strerror or problem}); {target} is "
            "as it was. Free space, or choose another place with -o."
        ) from None


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
        ours = os.path.lexists(lock)
        if os.path.lexists(folder) and not ours and any(folder.iterdir()):
            raise OutputError(
                f"{folder}: was not made by this program, which needs that name; nothing was changed. "
                "Move it away, or choose another place with -o."
            )
        made = [path for path in (folder, *folder.parents) if not path.exists()]
        made = [folder] if ours else made
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(lock, os.O_CREAT | os.O_RDWR, 0o666)
    except OSError as problem:
        raise OutputError(
            f"{folder}: cannot be written ({problem.strerror}). Choose another place with -o."
        ) from None
    try:
        # The last holder of the lock may have removed its file since it was opened.
        if not (
            take_lock(handle) and lock.exists() and os.path.samestat(os.fstat(handle), lock.stat())
        ):
            raise OutputError(
                f"{folder}: another build is using this folder. Wait for it, or choose another -o."
            )
        try:
            yield folder
        finally:
            with contextlib.suppress(OSError):
                if list(folder.iterdir()) == [lock]:
                    lock.unlink()
                    for path in made:
                        path.rmdir()
    finally:
        os.close(handle)  # and with it the lock


def real(path: Path) -> Path:
    """Resolves a path through all links.

    Raises:
        OutputError: It is relative to a folder that no longer exists.
    """
    try:
        return Path(os.path.realpath(path))
    except FileNotFoundError:
        raise OutputError(f"{path}: the current folder was removed. Change to another.") from None


def _check_parents(output: Path) -> None:
    """Checks that something can be made there, and that it is not inside a release."""
    for path in (output, *output.parents):
        if path.is_symlink() and not path.exists():
            raise OutputError(
                f"{path}: is a link to {path.readlink()}, which does not exist. Create that, remove the "
                "link, or choose another place with -o."
            )
    for folder in real(output).parents:
        if os.path.lexists(folder) and not folder.is_dir():
            raise OutputError(
                f"{output}: cannot be written ({folder} is a file, not a folder). Choose another -o."
            )
        if (folder / MANIFEST).is_file() and (folder / "removed.jsonl").is_file():
            raise OutputError(
                f"{output}: is inside the release {folder}, where nothing else may be written. Choose "
                "another place with -o."
            )
    there = next(folder for folder in real(output).parents if folder.is_dir())
    if not os.access(there, os.W_OK | os.X_OK):
        raise OutputError(
            f"{output}: cannot be written (no permission to write in {there}, or its disk is read-only). "
            "Choose another -o."
        )
