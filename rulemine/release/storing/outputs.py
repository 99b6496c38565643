"""Checks where a command may write, before anything is computed and in one way for all commands.

Guarantees: no input is overwritten, even if it is given again under another name or link; only a build
or a renaming writes into a release; a release folder is replaced only if it has no other files.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rulemine.codec import dump_line, parse_object
from rulemine.errors import InputError, OutputError, ReleaseError
from rulemine.files import describe_content, read_text, write_text
from rulemine.release.storing.folders import (
    FORMAT,
    MANIFEST,
    edited,
    exchange,
    listed,
    recover,
    strangers,
)
from rulemine.release.storing.tar import SUMS

__all__ = [
    "check_file",
    "check_folder",
    "check_made",
    "check_no_input",
    "check_place",
    "check_replaceable",
    "made_folder",
    "real",
]

_HEAD = 200
"""Leading bytes of a manifest that identify it, even if the rest is damaged or of a later version."""

FILES = "files.json"
"""Says what a folder of `made_folder` holds."""

_OURS = {"release": (MANIFEST, FORMAT), "finished stage": ("stage.json", '{"stage":')}
"""Folders that are written once and never changed: the name of their manifest, and how it begins."""


def check_file(output: Path, inputs: Iterable[Path] = ()) -> None:
    """Checks that a command may write a file.

    Args:
        output: The file; it may exist, or be a link to a file, or a device or a pipe.
        inputs: What the command reads: files, or folders of releases.

    Raises:
        OutputError: It is a folder, an input, or a dangling link; or it is inside a release, or where no
            file can be made.
    """
    if output.is_dir():
        raise OutputError(f"{output}: is a folder; a file was expected. Name a file with -o.")
    _check_links(output)
    if output.exists() and not output.is_file():
        return  # a device or a pipe
    for path in inputs:
        if path.is_file() and output.exists() and output.samefile(path):
            raise OutputError(
                f"{output}: is an input of this command ({path}) and would be overwritten. Choose another "
                "file with -o."
            )
    _check_place(output)


def check_folder(
    target: Path, name: str, kind: str, *, inputs: Iterable[Path] = (), replace: bool = False
) -> None:
    """Checks that a release may be written to a folder.

    Args:
        target: The folder; it may exist, or be a link to a folder.
        name: The name of the release.
        kind: Its kind.
        inputs: Files that are read, and folders of releases.
        replace: Whether a release that has another name or kind, or was edited, may be replaced.

    Raises:
        OutputError: It is a file or a dangling link, is inside a release, contains an input, or see
            `check_replaceable`.
    """
    check_place(target, inputs)
    check_replaceable(target, name, kind, replace=replace)


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
    _check_links(target)
    if target.exists() and not target.is_dir():
        raise OutputError(f"{target}: is a file; a folder was expected.")
    _check_place(target)
    check_no_input(target, inputs)
    recover(real(target))


def check_replaceable(target: Path, name: str, kind: str, *, replace: bool = False) -> None:
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
    if not target.exists():
        return
    from rulemine.release.reader import Release

    try:
        release = Release.open(target)
    except ReleaseError as problem:
        if any(target.iterdir()):
            reason = f" ({str(problem).rstrip('.')})" if os.path.lexists(target / MANIFEST) else ""
            raise OutputError(
                f"{target}: is a folder with other files and not a release that could be replaced; "
                f"nothing was changed{reason}. Name an empty or new folder with -o."
            ) from None
        return
    files: dict[str, dict[str, str]] = release.manifest["files"]
    if others := strangers(target, [*files, MANIFEST, SUMS]):
        raise OutputError(
            f"{target}: contains {listed(others)}, which is not part of the release there; nothing was "
            "changed. Move it away, or choose another folder with -o."
        )
    if replace:
        return
    if (release.name, release.kind) != (name, kind):
        same = release.name == name
        theirs = f"{name!r} of the kind {release.kind}" if same else repr(release.name)
        ours = f"of the kind {kind}" if same else f"named {name!r}"
        raise OutputError(
            f"{target}: contains the release {theirs}, and this one is {ours}; nothing was changed. Choose "
            "another folder with -o, or give --replace."
        )
    if changed := edited(target, {file: entry.get("sha256") for file, entry in files.items()}):
        raise OutputError(
            f"{target}: {listed(changed)} edited or damaged since the release was made; nothing was "
            "changed. Choose another folder with -o, or give --replace to overwrite it."
        )


def check_made(target: Path, description: str, form: str, what: str) -> dict[str, Any]:
    """Checks that nothing is lost if a folder that says what it holds is replaced.

    Args:
        target: The folder, which need not exist.
        description: The file in it that says so.
        form: The ``format`` that this file states.
        what: What such a folder is, for messages.

    Returns:
        That file's content; empty if the folder has no file.

    Raises:
        OutputError: It has files that nothing describes, or that were edited.
    """
    if not target.exists() or not any(target.iterdir()):
        return {}
    file = target / description
    try:
        earlier = parse_object(read_text(file), str(file))
        files = dict(earlier["files"]) if earlier.get("format") == form else None
    except (InputError, KeyError, TypeError, ValueError):
        files = None
    if files is None:
        raise OutputError(
            f"{target}: is a folder with other files and not {what} that could be replaced; nothing was "
            "changed. Name an empty or new folder."
        )
    # Python keeps compiled files beside tasks that were run.
    others = [f for f in strangers(target, [*files, description]) if "__pycache__" not in f]
    if found := others or edited(target, files):
        raise OutputError(
            f"{target}: {listed(found)} added or edited since it was written; nothing was changed. Move that "
            "away, or choose another folder."
        )
    return earlier


@contextmanager
def made_folder(target: Path, form: str) -> Iterator[Path]:
    """Yields a new folder, which takes the place of the target when the block ends.

    It gets a file ``files.json``, which states the SHA-256 of the others. The target is replaced whole or
    not at all, and only if it was written like this and nobody changed it.

    Args:
        target: The folder; links are followed.
        form: What it holds, e.g. ``rulemine labels of triples``.

    Raises:
        OutputError: See `check_place` and `check_made`, or it cannot be written.
    """
    check_place(target)
    what = form.removeprefix("rulemine ")
    check_made(target, FILES, form, what)
    try:
        with exchange(real(target)) as fresh:
            yield fresh
            names = sorted(p.relative_to(fresh).as_posix() for p in fresh.rglob("*") if p.is_file())
            digests = {name: describe_content(fresh / name)[1] for name in names}
            write_text(fresh / FILES, dump_line({"format": form, "files": digests}) + "\n")
            check_made(target, FILES, form, what)  # again, because it takes time
    except OSError as problem:
        raise OutputError(
            f"{problem.filename or target}: cannot be written ({problem.strerror}); {target} is as it was. "
            "Free space, or choose another folder."
        ) from None


def check_no_input(folder: Path, inputs: Iterable[Path]) -> None:
    """Checks that no input is inside a folder that will be replaced.

    Raises:
        OutputError: An input is.
    """
    for path in inputs:
        if path.exists() and real(path).is_relative_to(real(folder)):
            raise OutputError(
                f"{folder}: contains an input of this command ({path}), which would be replaced. Choose "
                "another folder with -o."
            )


def real(path: Path) -> Path:
    """Resolves a path through all links.

    Raises:
        OutputError: It is relative to a folder that no longer exists.
    """
    try:
        return Path(os.path.realpath(path))
    except FileNotFoundError:
        raise OutputError(f"{path}: the current folder was removed. Change to another.") from None


def _check_links(output: Path) -> None:
    for path in (output, *output.parents):
        if path.is_symlink() and not path.exists():
            raise OutputError(
                f"{path}: is a link to {path.readlink()}, which does not exist. Create that, remove the "
                "link, or choose another place with -o."
            )


def _check_place(output: Path) -> None:
    """Checks that something can be made there, and that it is not inside a release."""
    for folder in real(output).parents:
        if os.path.lexists(folder) and not folder.is_dir():
            raise OutputError(
                f"{output}: cannot be written ({folder} is a file, not a folder). Choose another -o."
            )
        for what, (name, begin) in _OURS.items():
            if _begins(folder / name, begin):
                raise OutputError(
                    f"{output}: is inside the {what} {folder}, where nothing else may be written. Choose "
                    "another place with -o."
                )
    there = next(folder for folder in real(output).parents if folder.is_dir())
    if not os.access(there, os.W_OK | os.X_OK):
        read_only = os.statvfs(there).f_flag & os.ST_RDONLY
        why = "Read-only file system" if read_only else f"no permission to write in {there}"
        raise OutputError(f"{output}: cannot be written ({why}). Choose another -o.")


def _begins(file: Path, text: str) -> bool:
    try:
        if not file.is_file():
            return False
        with file.open("rb") as opened:
            return text.encode() in opened.read(_HEAD)
    except OSError:
        return False
