"""Files of a draft, whose first line says whether anybody has edited the rest.

A file that is as it was drafted says what a build finds by itself, so a recipe that names it is the same as
one that names none; from its first edit on it counts.
"""

import re
from pathlib import Path

from rulemine.files import digest_of

__all__ = ["AS_DRAFTED", "is_untouched", "sealed"]

AS_DRAFTED = {
    "questions.templates": "",
    "questions.filter": "found",
}
"""Key of a recipe → the value that is the same as naming a file that nobody has edited."""

_SEAL = re.compile(rb"# .*as long as nobody edits it \(([0-9a-f]{64})\)\.")


def sealed(text: str, about: str) -> str:
    """A drafted file.

    Args:
        text: What it says.
        about: What it is, in a line, for the first line.
    """
    digest = digest_of(text.encode())
    return f"# {about}; it says what a build finds, as long as nobody edits it ({digest}).\n{text}"


def is_untouched(path: Path) -> bool:
    """Whether a file is as it was drafted."""
    first, _, rest = path.read_bytes().partition(b"\n")
    seal = _SEAL.fullmatch(first.rstrip(b"\r"))
    return seal is not None and seal[1].decode() == digest_of(rest)
