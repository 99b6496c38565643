"""Ways to tamper with a release on disk, and what the verifier says of it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rulemine.builder.regenerated import regenerated
from rulemine.verify import VerificationReport, verify
from tests.verify.tiny import read_file, seal, write_file

Tampering = Callable[[Path], object]


def tampered(folder: Path, tamper: Tampering) -> set[tuple[str, int | None, str]]:
    """Tampers with a valid release, which is found by its digests.

    Returns:
        What is found once the digests are mended: file, line and invariant.
    """
    names = json.loads((folder / "manifest.json").read_text())["files"]
    before = {name: read_file(folder, name) for name in names}
    tamper(folder)
    changed = [name for name, text in before.items() if read_file(folder, name) != text]
    first = verify(folder)
    assert {p.file for p in first.problems if p.invariant == "digest"} == set(changed)
    assert changed or {p.invariant for p in first.problems} >= {"unlisted"}
    seal(folder)
    second = verified(folder)
    assert not any(p.invariant in ("digest", "unlisted") for p in second.problems)
    return {(p.file, p.line, p.invariant) for p in second.problems}


def line_out(name: str, line: int) -> Callable[[Path], None]:
    def tamper(folder: Path) -> None:
        lines = read_file(folder, name).splitlines(keepends=True)
        del lines[line - 1]
        write_file(folder, name, "".join(lines))

    return tamper


def sorted_in(name: str, line: str) -> Callable[[Path], None]:
    def tamper(folder: Path) -> None:
        lines = [*read_file(folder, name).splitlines(keepends=True), line + "\n"]
        write_file(folder, name, "".join(sorted(lines, key=lambda t: t.split("\t"))))

    return tamper


def edited(
    name: str, line: int, change: Callable[[dict[str, Any]], None]
) -> Callable[[Path], None]:
    def tamper(folder: Path) -> None:
        rows = [json.loads(text) for text in read_file(folder, name).splitlines()]
        change(rows[line - 1])
        text = "".join(
            json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows
        )
        write_file(folder, name, text)

    return tamper


def replaced(name: str, old: str, new: str) -> Callable[[Path], None]:
    def tamper(folder: Path) -> None:
        text = read_file(folder, name)
        assert old in text
        write_file(folder, name, text.replace(old, new, 1))

    return tamper


def changed(name: str, row: str, column: int, value: str) -> Callable[[Path], None]:
    """Another value in a column of the row of a table that begins with a name."""

    def tamper(folder: Path) -> None:
        rows = [line.split("\t") for line in read_file(folder, name).split("\n")]
        next(fields for fields in rows if fields[0] == row)[column] = value
        write_file(folder, name, "\n".join("\t".join(fields) for fields in rows))

    return tamper


def exchanged(name: str, row: str, one: int, other: int) -> Callable[[Path], None]:
    def tamper(folder: Path) -> None:
        lines = read_file(folder, name).splitlines()
        fields = next(line for line in lines if line.startswith(f"{row}\t")).split("\t")
        changed(name, row, one, fields[other])(folder)
        changed(name, row, other, fields[one])(folder)

    return tamper


def put(*keys: str | int, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(row: Any) -> None:
        for key in keys[:-1]:
            row = row[key]
        row[keys[-1]] = to

    return change


def change_manifest(folder: Path, **values: Any) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | values))


def invariants(folder: Path) -> set[tuple[str, str]]:
    return {(p.file, p.invariant) for p in verify(folder).problems}


def verified(folder: Path) -> VerificationReport:
    """The report on what a release claims and on its form."""
    return regenerated(verify(folder))
