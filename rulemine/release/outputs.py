"""Where a command may write: said before anything is computed, and one answer for all commands.

Guarantees: no input is overwritten, under whatever name or link it is given again; nothing but a build
or a renaming writes into a release; a release is replaced only where all that it holds is its own.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from rulemine.errors import OutputError, ReleaseError
from rulemine.release.folders import edited, listed, recover, strangers
from rulemine.release.reader import FORMAT, MANIFEST, Release

__all__ = ["check_file", "check_folder", "check_no_input", "check_replaceable", "real"]

_HEAD = 200
"""Bytes of a manifest that say what it is, also when the rest is damaged or of a later version."""

_OURS = {"release": (MANIFEST, FORMAT), "finished stage": ("stage.json", '{"stage": ')}
"""What is written as a whole and then left alone: the name of its manifest, and what that begins with."""


def check_file(output: Path, inputs: Iterable[Path] = ()) -> None:
    """Whether a command may write a file there.

    Args:
        output: The file; it may be there, or be a link to one, or a device or a pipe.
        inputs: What the command reads: files, or folders of releases.

    Raises:
        OutputError: It is a folder, an input, or a link to nothing; it lies in a release, or where no
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
                f"{output}: is an input of this command ({path}), which would be lost. Choose another "
                "file with -o."
            )
    _check_place(output)


def check_folder(
    target: Path, name: str, *, inputs: Iterable[Path] = (), replace: bool = False
) -> None:
    """Whether a release may be put there.

    Args:
        target: The folder; it may be there, or be a link to one.
        name: The name of the release.
        inputs: Files that are read, and folders of releases.
        replace: Whether a release that has another name, or was edited, may go.

    Raises:
        OutputError: It is a file or a link to nothing, lies in a release, holds an input, or see
            `check_replaceable`.
    """
    if target.name in ("", "..", "-"):
        raise OutputError(f"{target}: the folder of a release needs a name. Choose one with -o.")
    _check_links(target)
    if target.exists() and not target.is_dir():
        raise OutputError(f"{target}: is a file; a folder for the release was expected.")
    _check_place(target)
    check_no_input(target, inputs)
    recover(real(target))
    check_replaceable(target, name, replace=replace)


def check_replaceable(target: Path, name: str, *, replace: bool = False) -> None:
    """Whether nothing is lost when a release takes the place of a folder.

    Args:
        target: The folder, which need not be there.
        name: The name of the release.
        replace: Whether a release that has another name, or was edited, may go.

    Raises:
        OutputError: It holds something that is not of a release of this program.
    """
    if not target.exists():
        return
    try:
        manifest = Release.open(target).manifest
    except ReleaseError as problem:
        if any(target.iterdir()):
            reason = f" ({str(problem).rstrip('.')})" if os.path.lexists(target / MANIFEST) else ""
            raise OutputError(
                f"{target}: is a folder with other things in it and no release that could be replaced; "
                f"nothing was changed{reason}. Name an empty or new folder with -o."
            ) from None
        return
    files: dict[str, dict[str, str]] = manifest["files"]
    if others := strangers(target, [*files, MANIFEST]):
        raise OutputError(
            f"{target}: holds {listed(others)}, which is not of the release there; nothing was "
            "changed. Move it away, or choose another folder with -o."
        )
    if replace:
        return
    if manifest["name"] != name:
        raise OutputError(
            f"{target}: holds the release {manifest['name']!r}, and this one is called {name!r}; nothing "
            "was changed. Choose another folder with -o, or give --replace."
        )
    if changed := edited(target, {file: entry.get("sha256") for file, entry in files.items()}):
        raise OutputError(
            f"{target}: {listed(changed)} edited or damaged since the release was made; nothing was "
            "changed. Choose another folder with -o, or give --replace to have it written anew."
        )


def check_no_input(folder: Path, inputs: Iterable[Path]) -> None:
    """Whether nothing that is read lies in a folder that is written.

    Raises:
        OutputError: Something does.
    """
    for path in inputs:
        if path.exists() and real(path).is_relative_to(real(folder)):
            raise OutputError(
                f"{folder}: holds an input of this command ({path}), which would be replaced. Choose "
                "another folder with -o."
            )


def real(path: Path) -> Path:
    """Where a path leads, through all links.

    Raises:
        OutputError: It is relative to a folder that is not there any more.
    """
    try:
        return Path(os.path.realpath(path))
    except FileNotFoundError:
        raise OutputError(f"{path}: the current folder was removed. Change to another.") from None


def _check_links(output: Path) -> None:
    for path in (output, *output.parents):
        if path.is_symlink() and not path.exists():
            raise OutputError(
                f"{path}: is a link to {path.readlink()}, which is not there. Make that, remove the "
                "link, or choose another place with -o."
            )


def _check_place(output: Path) -> None:
    """Whether something can be made there, outside every release."""
    for folder in real(output).parents:
        if os.path.lexists(folder) and not folder.is_dir():
            raise OutputError(
                f"{output}: cannot be written ({folder} is a file, no folder). Choose another -o."
            )
        for what, (name, begin) in _OURS.items():
            if _begins(folder / name, begin):
                raise OutputError(
                    f"{output}: lies in the {what} {folder}, into which nothing else is written. Choose "
                    "another place with -o."
                )
    there = next(folder for folder in real(output).parents if folder.is_dir())
    if not os.access(there, os.W_OK | os.X_OK):
        read_only = os.statvfs(there).f_flag & os.ST_RDONLY
        why = "Read-only file system" if read_only else f"no right to write in {there}"
        raise OutputError(f"{output}: cannot be written ({why}). Choose another -o.")


def _begins(file: Path, text: str) -> bool:
    try:
        if not file.is_file():
            return False
        with file.open("rb") as opened:
            return text.encode() in opened.read(_HEAD)
    except OSError:
        return False
