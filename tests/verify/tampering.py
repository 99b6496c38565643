"""Ways to tamper with a release on disk, and what the verifier says of it."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rulemine.builder.regenerated import regenerated
from rulemine.verify import VerificationReport, verify
from tests.verify.tiny import read_file, seal, write_file

Tampering = Callable[[Path], object]
Change = Callable[[dict[str, Any]], object]
Found = set[tuple[str, int | None, str]]


def problems(folder: Path) -> Found:
    """File, line and invariant of all that is found."""
    return {(p.file, p.line, p.invariant) for p in verify(folder).problems}


def missed(
    folder: Path,
    tamperings: Mapping[str, tuple[Tampering, Any]],
    found: Callable[[Path], Found] = problems,
) -> list[str]:
    """The tamperings whose fault is not found once the digests fit; the release is as before afterwards.

    Args:
        folder: The release.
        tamperings: Names → what is done, and the invariant that tells, maybe with its file or file and line.
        found: What is found of a release.
    """
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    silent = []
    for what, (tamper, expected) in tamperings.items():
        tamper(folder)
        seal(folder)
        if not any(expected in (one, one[2], one[::2]) for one in found(folder)):
            silent.append(what)
        for path in {path for path in folder.rglob("*") if path.is_file()} - before.keys():
            path.unlink()
        for path, content in before.items():
            path.write_bytes(content)
    return silent


def rows_of(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in read_file(folder, name).splitlines()]


def write_rows(folder: Path, name: str, rows: list[dict[str, Any]]) -> None:
    lines = (json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows)
    write_file(folder, name, "".join(f"{line}\n" for line in lines))


def edited(name: str, line: int, change: Change) -> Tampering:
    return row_in((name,), lambda row, number: number == line, change)


def question(fits: Callable[[dict[str, Any]], object], change: Change) -> Tampering:
    """Changes the first question that fits."""
    files = tuple(f"questions/{split}.jsonl" for split in ("train", "validation", "test"))
    return row_in(files, lambda row, _: fits(row), change)


def row_in(files: tuple[str, ...], fits: Callable[..., object], change: Change) -> Tampering:
    def tamper(folder: Path) -> None:
        for name in files:
            rows = rows_of(folder, name)
            for number, row in enumerate(rows, 1):
                if fits(row, number):
                    change(row)
                    return write_rows(folder, name, rows)
        raise AssertionError("no row fits")

    return tamper


def put(path: str, value: Any) -> Change:
    """Another value at a place such as ``hard.0.missing``."""
    *keys, last = [int(key) if key.isdigit() else key for key in path.split(".")]

    def change(row: Any) -> None:
        for key in keys:
            row = row[key]
        row[last] = value

    return change


def drop(path: str) -> Change:
    """Takes the first item of a list away."""

    def change(row: Any) -> None:
        for key in path.split("."):
            row = row[key]
        del row[0]

    return change


def line_out(name: str, line: int) -> Tampering:
    def tamper(folder: Path) -> None:
        lines = read_file(folder, name).splitlines(keepends=True)
        write_file(folder, name, "".join([*lines[: line - 1], *lines[line:]]))

    return tamper


def sorted_in(name: str, line: str) -> Tampering:
    def tamper(folder: Path) -> None:
        lines = [*read_file(folder, name).splitlines(keepends=True), f"{line}\n"]
        write_file(folder, name, "".join(sorted(lines, key=lambda t: t.split("\t"))))

    return tamper


def replaced(name: str, old: str, new: str, count: int = 1) -> Tampering:
    def tamper(folder: Path) -> None:
        text = read_file(folder, name)
        assert old in text
        write_file(folder, name, text.replace(old, new, count))

    return tamper


def changed(name: str, row: str, column: int, value: str) -> Tampering:
    """Another value in a column of the row of a table that begins with a name."""

    def tamper(folder: Path) -> None:
        rows = [line.split("\t") for line in read_file(folder, name).split("\n")]
        next(fields for fields in rows if fields[0] == row)[column] = value
        write_file(folder, name, "\n".join("\t".join(fields) for fields in rows))

    return tamper


def change_manifest(folder: Path, **values: Any) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | values))


def options(section: str, **values: Any) -> Tampering:
    """Other options of a section of the recipe."""

    def tamper(folder: Path) -> None:
        config = json.loads((folder / "manifest.json").read_text())["config"]
        change_manifest(folder, config=config | {section: config[section] | values})

    return tamper


def invariants(folder: Path) -> set[tuple[str, str]]:
    return {(file, invariant) for file, _, invariant in problems(folder)}


def verified(folder: Path) -> VerificationReport:
    """The report on what a release claims and on its form."""
    return regenerated(verify(folder))
