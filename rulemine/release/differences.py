"""Two releases compared, byte by byte: one as it is, and one that was made again from it or its recipe."""

from collections.abc import Container, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from rulemine.files import describe_content, read_bytes
from rulemine.release.reader import MANIFEST, Release

__all__ = ["FileDifference", "compare"]

WIDEST = 100
"""Characters shown of a line that differs."""


@dataclass(frozen=True, slots=True)
class FileDifference:
    """A file of a release that is not as it was made again.

    Attributes:
        file: Its name in the release.
        line: The first line that differs, from 1; None if one of the two has no such file.
        found: That line in the release, shortened to where it differs.
        made: That line as made again.
    """

    file: str
    line: int | None
    found: str
    made: str

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}: line {self.line}"
        return f"{where}: found {self.found}; its recipe makes {self.made}"


def compare(release: Release, made: Path, known: Container[str] = ()) -> Iterator[FileDifference]:
    """Yields the files that differ, sorted by name; compressed ones are compared by their content.

    Args:
        release: The release.
        made: The folder of the release as made again.
        known: Files that were not made again where they would be the same.
    """
    other = Release.open(made)
    names = {MANIFEST, *release.manifest["files"], *other.manifest["files"]}
    for name in sorted(names):
        one, two = release.folder / name, made / name
        if name in known and name in other.manifest["files"] and not two.exists():
            continue
        if not one.is_file() or not two.is_file():
            yield FileDifference(
                name, None, *("a file" if p.is_file() else "none" for p in (one, two))
            )
        elif describe_content(one) != describe_content(two):
            yield _first(name, read_bytes(one), read_bytes(two))


def _first(name: str, found: bytes, made: bytes) -> FileDifference:
    both = (content.decode("utf-8", "replace").split("\n") for content in (found, made))
    lines = enumerate(zip_longest(*both), start=1)
    number, (one, two) = next((n, pair) for n, pair in lines if pair[0] != pair[1])
    pairs = enumerate(zip_longest(one or "", two or ""))
    at = next((i for i, (a, b) in pairs if a != b), 0)
    return FileDifference(name, number, _around(one, at), _around(two, at))


def _around(line: str | None, at: int) -> str:
    """A line, shortened to what is around a place."""
    if line is None:
        return "the end of the file"
    low = max(0, at - WIDEST // 3)
    piece = line[low : low + WIDEST]
    return f"{'…' * (low > 0)}{piece!r}{'…' * (low + WIDEST < len(line))}"
