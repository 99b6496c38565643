"""The shape of a manifest: what a reader relies on."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rulemine.kg.entity_names import NAMINGS

__all__ = ["KEYS", "SHAPES", "TABLES", "dump_manifest"]

KEYS = {"format", "format_version", "name", "naming", "levels", "config", "kg", "counts", "files"}
"""Of a manifest."""


# What reading relies on; the rest of the manifest is for people and for rulemine verify.
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
TABLES = ("mining", "selection", "questions", "verbalizer")
"""Of the options in a manifest."""


def dump_manifest(manifest: dict[str, Any]) -> str:
    """A manifest as text: two-space JSON, keys in the order given, LF at the end."""
    return json.dumps(manifest, ensure_ascii=False, allow_nan=False, indent=2) + "\n"
