"""Publishes a release to its target folder: a finished build, or a release in another naming.

Guarantee: a release folder is replaced as a whole or not at all, and only if it contains nothing but a
release of this program.
"""

import shutil
from functools import partial
from pathlib import Path

from rulemine.errors import ReleaseError
from rulemine.release.naming import check_hiding
from rulemine.release.outputs import MANIFEST, check_place, check_release, replacing
from rulemine.release.reader import Release

__all__ = ["publish", "rename"]


def publish(made: Path, target: Path, *, replace: bool = False) -> None:
    """Copies a finished release to its target, atomically.

    Args:
        made: The folder in which it was made; it is not changed.
        target: The target folder; links are followed. An existing release is replaced if it differs.
        replace: See `rulemine.release.outputs.check_release`.

    Raises:
        OutputError: See `check_place` and `check_release` there, or something cannot be written.
    """
    release = Release.open(made)
    pairs = [(made / name, target / name) for name in (MANIFEST, *release.manifest["files"])]
    if all(new.is_file() and old.read_bytes() == new.read_bytes() for old, new in pairs):
        return
    check_place(target)
    check = partial(check_release, target, release.name, release.kind, replace=replace)
    with replacing(target, check) as fresh:
        for old, new in pairs:
            place = fresh / new.relative_to(target)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(old, place)


def rename(release: Release, target: Path, naming: str, *, replace: bool = False) -> None:
    """Writes a release in another naming: the same questions with other names.

    Args:
        release: The release.
        target: The folder of the new release; links are followed.
        naming: One of `rulemine.kg.entity_names.NAMINGS`.
        replace: See `rulemine.release.outputs.check_release`.

    Raises:
        ConfigError: There is no such naming.
        OutputError: See `check_place` and `check_release` there.
        ReleaseError: A file of the release is missing or was edited, or see
            `rulemine.release.naming.check_hiding`.
    """
    from rulemine.release.contents import read_parts
    from rulemine.release.writer import write_release

    check_hiding(release, naming)
    check_place(target, [release.path])
    for name in release.manifest["files"]:
        release.file(name)  # including derived files, so that no edited release is passed on
    check = partial(check_release, target, release.name, release.kind, replace=replace)
    try:
        with replacing(target, check) as fresh:
            write_release(fresh, read_parts(release), naming)
    except KeyError as problem:
        raise ReleaseError(
            f"{release.path}: the name {problem} is used but is in neither entities.tsv nor "
            "relations.tsv. Build the release again; rulemine verify lists all faults."
        ) from None
