"""Puts a release where the user wants it: a build's, or another release in another naming.

Guarantee: a release folder is replaced as a whole or not at all, and never one that holds anything but a
release of this program.
"""

import shutil
from collections.abc import Iterable
from pathlib import Path

from rulemine.errors import OutputError, ReleaseError
from rulemine.kg.entity_names import NAMINGS
from rulemine.release.contents import read_parts
from rulemine.release.folders import exchange
from rulemine.release.outputs import check_folder, check_replaceable, real
from rulemine.release.reader import MANIFEST, Release
from rulemine.release.writer import write_release

__all__ = ["publish", "rename"]


def publish(made: Path, target: Path, *, replace: bool = False) -> None:
    """Puts a finished release into its place, as a whole.

    Args:
        made: The folder in which it was made; stays as it is.
        target: Where it goes, through links; a release that is there already is replaced if it differs.
        replace: See `check_folder`.

    Raises:
        OutputError: See `check_folder`, or something cannot be written.
    """
    release = Release.open(made)
    names = [MANIFEST, *release.manifest["files"]]
    check_folder(target, release.name, replace=replace)
    if target.exists() and _same(made, target, names):
        return
    try:
        with exchange(real(target)) as fresh:
            for name in names:
                (fresh / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(made / name, fresh / name)
            check_replaceable(target, release.name, replace=replace)  # copying took its time
    except OSError as problem:
        raise OutputError(
            f"{target}: cannot be written ({problem.strerror}). Free space or choose another place "
            "with -o; the finished stages are kept."
        ) from None


def _same(made: Path, target: Path, names: Iterable[str]) -> bool:
    return all(
        (target / name).is_file() and (made / name).read_bytes() == (target / name).read_bytes()
        for name in names
    )


def rename(release: Release, target: Path, naming: str, *, replace: bool = False) -> None:
    """Writes a release again in another naming: the same questions, other names.

    Args:
        release: The release.
        target: Where the new one goes, through links.
        naming: One of `NAMINGS`.
        replace: See `check_folder`.

    Raises:
        OutputError: There is no such naming, or see `check_folder`.
        ReleaseError: A file of the release is missing or was edited.
    """
    if naming not in NAMINGS:
        raise OutputError(f"naming {naming!r}; expected {', '.join(NAMINGS)}.")
    check_folder(target, release.name, inputs=[release.path], replace=replace)
    for name in release.manifest["files"]:
        release.file(name)  # also those that are derived afresh: an edited release is not passed on
    try:
        with exchange(real(target)) as fresh:
            write_release(fresh, read_parts(release), naming)
            check_replaceable(target, release.name, replace=replace)
    except KeyError as problem:
        raise ReleaseError(
            f"{release.path}: the name {problem} is used and is in neither entities.tsv nor "
            "relations.tsv. Build the release again; rulemine verify says what else is wrong."
        ) from None
    except OSError as problem:
        raise OutputError(f"{target}: cannot be written ({problem.strerror}).") from None
