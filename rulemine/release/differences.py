"""Two releases compared, byte by byte: one as it is, and one that was made again from it or its recipe."""

from collections.abc import Container, Iterator
from itertools import count, zip_longest
from pathlib import Path
from typing import NamedTuple

from rulemine.files import describe_content, read_bytes
from rulemine.release.reader import MANIFEST, Release

__all__ = ["FileDifference", "compare"]


class FileDifference(NamedTuple):
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
    others = Release.open(made).manifest["files"]
    for name in sorted({MANIFEST, *release.manifest["files"], *others}):
        paths = release.folder / name, made / name
        if name in known and name in others and not paths[1].exists():
            continue
        there = [path.is_file() for path in paths]
        if not all(there):
            found, again = ("a file" if one else "none" for one in there)
            yield FileDifference(name, None, found, again)
        elif describe_content(paths[0]) != describe_content(paths[1]):
            texts = (read_bytes(path).decode("utf-8", "replace").split("\n") for path in paths)
            rows = zip(count(1), zip_longest(*texts), strict=False)
            line, pair = next((n, pair) for n, pair in rows if pair[0] != pair[1])
            letters = enumerate(zip_longest(*(text or "" for text in pair)))
            at = next((i for i, (a, b) in letters if a != b), 0)
            yield FileDifference(name, line, *(_around(text, at) for text in pair))


def _around(line: str | None, at: int) -> str:
    """What of a line is around a place."""
    return "the end of the file" if line is None else repr(line[max(0, at - 33) : at + 67])
