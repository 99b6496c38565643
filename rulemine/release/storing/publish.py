"""Publishes a release to its target folder: a finished build, or a release in another naming.

Guarantee: a release folder is replaced as a whole or not at all, and only if it contains nothing but a
release of this program.
"""

import shutil
from collections.abc import Iterable
from pathlib import Path

from rulemine.errors import OutputError, ReleaseError
from rulemine.kg.entity_names import NAMINGS
from rulemine.kinds.registry import KINDS
from rulemine.release.contents import read_parts
from rulemine.release.naming import HIDING, check_hiding
from rulemine.release.reader import MANIFEST, Release
from rulemine.release.storing.folders import exchange
from rulemine.release.storing.outputs import check_folder, check_replaceable, real
from rulemine.release.writer import write_release

__all__ = ["publish", "rename"]


def publish(made: Path, target: Path, *, replace: bool = False) -> None:
    """Copies a finished release to its target, atomically.

    Args:
        made: The folder in which it was made; it is not changed.
        target: The target folder; links are followed. An existing release is replaced if it differs.
        replace: See `check_folder`.

    Raises:
        OutputError: See `check_folder`, or something cannot be written.
    """
    release = Release.open(made)
    names = [MANIFEST, *release.manifest["files"]]
    check_folder(target, release.name, release.kind, replace=replace)
    if target.exists() and _same(made, target, names):
        return
    try:
        with exchange(real(target)) as fresh:
            for name in names:
                (fresh / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(made / name, fresh / name)
            # Again, because copying takes time.
            check_replaceable(target, release.name, release.kind, replace=replace)
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
    """Writes a release in another naming: the same questions with other names.

    Args:
        release: The release.
        target: The folder of the new release; links are followed.
        naming: One of `NAMINGS`.
        replace: See `check_folder`.

    Raises:
        OutputError: There is no such naming, or see `check_folder`.
        ReleaseError: A file of the release is missing or was edited; or names are to be hidden, and the
            kind of its questions is not installed.
    """
    if naming not in NAMINGS:
        raise OutputError(f"naming {naming!r}; expected {', '.join(NAMINGS)}.")
    if release.kind not in KINDS and naming in HIDING and release.naming not in HIDING:
        raise ReleaseError(
            f"{release.path}: the kind {release.kind} is not installed, so names in what only its questions "
            f"have cannot be hidden, as the naming {naming} should. Install the package that supplies it, or "
            "choose the naming entity or text."
        )
    check_hiding(release, naming)
    check_folder(target, release.name, release.kind, inputs=[release.path], replace=replace)
    for name in release.manifest["files"]:
        release.file(name)  # including derived files, so that no edited release is passed on
    try:
        with exchange(real(target)) as fresh:
            write_release(fresh, read_parts(release), naming)
            check_replaceable(target, release.name, release.kind, replace=replace)
    except KeyError as problem:
        raise ReleaseError(
            f"{release.path}: the name {problem} is used but is in neither entities.tsv nor "
            "relations.tsv. Build the release again; rulemine verify lists all faults."
        ) from None
    except OSError as problem:
        raise OutputError(f"{target}: cannot be written ({problem.strerror}).") from None
