"""Tests of exports; readers beside them follow the public code of the programs that they are named after."""

import json
from pathlib import Path
from typing import Any


def rows(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON Lines."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
