"""Moves a finished release to where the user wants it.

Guarantee: a release folder is replaced as a whole or not at all, and never a folder that is not a
release of this program.
"""

import shutil
from pathlib import Path

from rulemine.errors import OutputError, ReleaseError
from rulemine.kg.entity_names import NAMINGS
from rulemine.release.contents import read_parts
from rulemine.release.reader import Release
from rulemine.release.writer import _files, write_release

__all__ = ["check_target", "publish", "rename"]


def check_target(target: Path) -> None:
    """Whether a release may be put here.

    Raises:
        OutputError: It is a file, or a folder that is not empty and not a release.
    """
    if target.name in ("", ".."):
        raise OutputError(f"{target}: the folder of a release needs a name. Choose one with -o.")
    if not target.exists():
        return
    if not target.is_dir():
        raise OutputError(f"{target}: is a file; a folder for the release was expected.")
    try:
        Release.open(target)
    except ReleaseError:
        if any(target.iterdir()):
            raise OutputError(
                f"{target}: is a folder with other things in it and no release; nothing was changed. "
                "Name an empty or new folder with -o."
            ) from None


def publish(made: Path, target: Path) -> None:
    """Puts a finished release into its place, as a whole.

    Args:
        made: The folder in which it was made; stays as it is.
        target: Where it goes; a release that is there already is replaced if it differs.

    Raises:
        OutputError: See `check_target`, or something cannot be written.
    """
    check_target(target)
    # The same names every time, so that what a killed process left is found and taken away.
    fresh, old = (target.with_name(f".{target.name}.{end}") for end in ("new", "old"))
    _settle(fresh, old, target)
    wanted = [name for name in _files(made) if not name.startswith("stage.")]
    if target.exists() and _same(made, target, wanted):
        return
    try:
        for name in wanted:
            (fresh / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(made / name, fresh / name)
        if target.exists():
            target.rename(old)
        fresh.rename(target)
    except OSError as problem:
        raise OutputError(
            f"{target}: cannot be written ({problem.strerror}). Free space or choose another place "
            "with -o; the finished stages are kept."
        ) from None
    finally:
        _settle(fresh, old, target)


def _settle(fresh: Path, old: Path, target: Path) -> None:
    """Ends an exchange: what was there comes back unless the new release is in its place."""
    if old.exists() and not target.exists():
        old.rename(target)
    for folder in (fresh, old):
        shutil.rmtree(folder, ignore_errors=True)


def _same(made: Path, target: Path, names: list[str]) -> bool:
    if _files(target) != names:
        return False
    return all((made / name).read_bytes() == (target / name).read_bytes() for name in names)


def rename(release: Release, target: Path, naming: str) -> None:
    """Writes a release again in another naming: the same questions, other names.

    Raises:
        OutputError: There is no such naming, or see `publish`.
        ReleaseError: A file of the release is missing or was edited.
    """
    if naming not in NAMINGS:
        raise OutputError(f"naming {naming!r}; expected {', '.join(NAMINGS)}.")
    check_target(target)
    for name in release.manifest["files"]:
        release.file(name)  # also those that are derived afresh: an edited release is not passed on
    made = target.with_name(f".{target.name}.made")
    shutil.rmtree(made, ignore_errors=True)  # of a process that was killed
    try:
        made.mkdir(parents=True)
        write_release(made, read_parts(release), naming)
        publish(made, target)
    except KeyError as problem:
        raise ReleaseError(
            f"{release.path}: the name {problem} is used and is in neither entities.tsv nor "
            "relations.tsv. Build the release again; rulemine verify says what else is wrong."
        ) from None
    except OSError as problem:
        raise OutputError(f"{target}: cannot be written ({problem.strerror}).") from None
    finally:
        shutil.rmtree(made, ignore_errors=True)
