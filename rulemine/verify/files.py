"""The files of a release: those that its manifest lists, as it lists them, no others; no API key in any."""

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

from rulemine.errors import UserError
from rulemine.release.reader import MANIFEST, Release
from rulemine.verify.report import Findings

__all__ = ["blocks", "check_files", "has_key"]

_AT_ONCE = 1 << 21

_KEY = re.compile(rb"sk-(?<![A-Za-z0-9_-]sk-)(?:[A-Za-z0-9]{1,10}[-_]){0,3}([A-Za-z0-9_-]{20,})")
_RUN = re.compile(rb"[A-Za-z0-9]{20,}")
_LEAST_DIGITS = 2


def check_files(release: Release, findings: Findings) -> None:
    """Checks all files; what is not as the manifest lists it is skipped, too."""
    folder, listed, lost = release.folder, release.manifest["files"], []
    there = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if not p.is_dir()}
    for name in sorted(there - {MANIFEST, *listed}):
        findings.add(name, None, "unlisted", "a file", "only what the manifest lists")
    for name in sorted(listed):
        try:
            release.file(name)
        except UserError as problem:
            lost.append(name)
            findings.add(
                name, None, "digest", str(problem).partition(". ")[0], "as the manifest lists it"
            )
    for name in sorted({MANIFEST, *listed}.difference(lost)):
        if any(map(has_key, blocks(folder / name))):  # which is not repeated: reports get shared
            findings.add(
                name, None, "secret", "what looks like an API key (sk-…)", "none; revoke it"
            )
    if lost:
        findings.skip("everything else (needs all files as the manifest lists them)")
    findings.count("files", len(listed))


def blocks(path: Path) -> Iterator[bytes]:
    """The content of a file in pieces of whole lines, without the last line end of each."""
    rest = b""
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        while block := file.read(_AT_ONCE):
            lines, _, rest = (rest + block).rpartition(b"\n")
            yield lines
    yield rest


def has_key(content: bytes) -> bool:
    """Whether there is a text that looks like an API key.

    Most services write keys as ``sk-`` and a long run of letters and digits, maybe with short words between.
    Other keys cannot be distinguished from text.
    """
    found = (run for key in _KEY.findall(content) for run in _RUN.findall(key))
    return any(_LEAST_DIGITS <= sum(48 <= byte <= 57 for byte in run) < len(run) for run in found)
