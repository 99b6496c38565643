"""The shape of a manifest: what a reader relies on."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rulemine.codec import dump_line
from rulemine.errors import ReleaseError
from rulemine.kg.entity_names import NAMINGS
from rulemine.kinds.registry import KINDS
from rulemine.release.outputs import FORMAT
from rulemine.release.records import FORMAT_VERSION

__all__ = ["FORMAT", "KEYS", "SHAPES", "TABLES", "check_manifest", "dump_manifest"]

KEYS = {"format", "format_version", "name", "naming", "levels", "config", "kg", "counts", "files"}
"""Of a manifest."""


SHAPES: dict[str, Callable[[Any], bool]] = {
    "name": lambda v: isinstance(v, str) and v.replace("-", "").replace("_", "").isalnum(),
    "naming": lambda v: isinstance(v, str) and v in NAMINGS,
    "config": lambda v: isinstance(v, dict),
    "kg": lambda v: isinstance(v, dict),
    "counts": lambda v: isinstance(v, dict),
    "files": lambda v: (
        isinstance(v, dict)
        and all(isinstance(entry, dict) for entry in v.values())
        and not any(Path(name).is_absolute() or ".." in Path(name).parts for name in v)
    ),
    "levels": lambda v: (
        isinstance(v, list)
        and all(type(level) is int and level >= 1 for level in v)
        and v == sorted(set(v))
        and v[-1:] == [100]
    ),
}
"""What reading relies on; the rest of the manifest is for people and for rulemine verify."""

TABLES = ("mining", "selection", "questions", "verbalizer")
"""Of the options in a manifest."""


def check_manifest(manifest: dict[str, Any], where: Path) -> None:
    """Checks what a reader relies on.

    Args:
        manifest: The manifest.
        where: Its file, for messages.

    Raises:
        ReleaseError: It is of no release, or of one of another format version.
    """
    if manifest.get("format") != FORMAT:
        raise ReleaseError(
            f"{where}: format is {manifest.get('format')!r}; expected {FORMAT!r}. Name the folder of a "
            "release."
        )
    version = manifest.get("format_version")
    if type(version) is not int or version < FORMAT_VERSION:
        raise ReleaseError(
            f"{where}: format_version is {dump_line(version)}; expected {FORMAT_VERSION}. "
            "Build the release again."
        )
    if version > FORMAT_VERSION:
        raise ReleaseError(
            f"{where}: format version {version}; this program reads version "
            f"{FORMAT_VERSION}. Upgrade: pip install -U rulemine."
        )
    if missing := KEYS - {"levels"} - set(manifest):
        raise ReleaseError(
            f"{where}: lacks {', '.join(sorted(missing))}. Fetch or build the release again."
        )
    if unknown := sorted(set(manifest) - KEYS):
        raise ReleaseError(
            f"{where}: has the unknown key {unknown[0][:60]!r}. Fetch or build the release again."
        )
    config = manifest["config"] if isinstance(manifest["config"], dict) else {}
    values = manifest | {f"config.{table}": config.get(table, {}) for table in TABLES}
    shapes = SHAPES | {f"config.{table}": SHAPES["config"] for table in TABLES}
    if wrong := [key for key, fits in shapes.items() if key in values and not fits(values[key])]:
        shown = " and ".join(f"{key} ({dump_line(values[key])[:60]})" for key in wrong)
        raise ReleaseError(f"{where}: invalid value of {shown}. Fetch or build the release again.")
    if config.get("naming", manifest["naming"]) != manifest["naming"]:
        raise ReleaseError(
            f"{where}: naming is {manifest['naming']}, but config.naming is "
            f"{dump_line(config['naming'])[:60]}; expected the same. Fetch or build the release again."
        )
    kind = config.get("kind")
    own = config.get(kind) if isinstance(kind, str) else None
    if kind is not None and not isinstance(own, dict | str):  # a section, or a file of rules
        raise ReleaseError(
            f"{where}: config.kind is {dump_line(kind)[:60]}; expected the name of a kind of question, "
            f"such as {', '.join(KINDS)}, with its options. Fetch or build the release again."
        )


def dump_manifest(manifest: dict[str, Any]) -> str:
    """A manifest as text: two-space JSON, keys in the order given, LF at the end."""
    return json.dumps(manifest, ensure_ascii=False, allow_nan=False, indent=2) + "\n"
