"""The shape of a manifest: what a reader relies on."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rulemine.codec import dump_line
from rulemine.errors import ReleaseError
from rulemine.kg.entity_names import NAMINGS
from rulemine.kinds.registry import USUAL
from rulemine.release.outputs import FORMAT
from rulemine.release.records import FORMAT_VERSION

__all__ = ["FORMAT", "check_manifest", "dump_manifest"]


def _is_config(value: Any) -> bool:
    """Whether a value has the options of a build, with the section of its kind, or a file in its place."""
    if not isinstance(value, dict) or not isinstance(kind := value.get("kind", USUAL), str):
        return False
    tables = ("mining", "selection", "questions", "verbalizer")
    own = value.get(kind, "kind" in value or {})
    return all(isinstance(value.get(name, {}), dict) for name in tables) and isinstance(
        own, dict | str
    )


_FITS: dict[str, Callable[[Any], bool]] = {
    "name": lambda v: isinstance(v, str) and v.replace("-", "").replace("_", "").isalnum(),
    "naming": lambda v: isinstance(v, str) and v in NAMINGS,
    "config": _is_config,
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
        and v == sorted({*v, 100})
    ),
}
"""Key → what its value must be; the rest is for people and for `rulemine verify`."""


def check_manifest(manifest: dict[str, Any], where: Path) -> None:
    """Checks what a reader relies on.

    Args:
        manifest: The manifest.
        where: Its file, for messages.

    Raises:
        ReleaseError: It is of no release, or of one of another format version.
    """
    form, version = manifest.get("format"), manifest.get("format_version")
    advice = "Fetch or build the release again."
    if form != FORMAT:
        raise ReleaseError(
            f"{where}: format is {form!r}; expected {FORMAT!r}. Name the folder of a release."
        )
    if version != FORMAT_VERSION:
        if type(version) is int and version > FORMAT_VERSION:
            advice = "This program is too old: pip install -U rulemine."
        raise ReleaseError(
            f"{where}: format version is {dump_line(version)}; expected {FORMAT_VERSION}. {advice}"
        )
    values = {"levels": [100], **manifest}
    for key, fits in _FITS.items():
        if not fits(values.get(key)):
            found = dump_line(values[key])[:60] if key in values else "missing"
            raise ReleaseError(f"{where}: {key} is {found}, which no release has. {advice}")


def dump_manifest(manifest: dict[str, Any]) -> str:
    """A manifest as text: two-space JSON, keys in the order given, LF at the end."""
    return json.dumps(manifest, ensure_ascii=False, allow_nan=False, indent=2) + "\n"
