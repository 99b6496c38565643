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
    """The tamperings that are not named by their invariant, maybe with its file or file and line.

    The digests fit then, and the release is as before afterwards.
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


def _at(row: Any, path: str) -> Any:
    """What stands at a place such as ``hard.0``; empty: the row."""
    for key in filter(None, path.split(".")):
        row = row[int(key) if key.isdigit() else key]
    return row


def put(path: str, value: Any) -> Change:
    """Another value at a place such as ``hard.0.missing``."""
    above, _, last = path.rpartition(".")
    key = int(last) if last.isdigit() else last
    return lambda row: _at(row, above).__setitem__(key, value)


def drop(path: str) -> Change:
    """Takes the first item of a list away."""
    return lambda row: _at(row, path).pop(0)


def in_lines(name: str, change: Callable[[list[str]], list[str]]) -> Tampering:
    """Other lines of a file, each with its end."""

    def tamper(folder: Path) -> None:
        lines = read_file(folder, name).splitlines(keepends=True)
        write_file(folder, name, "".join(change(lines)))

    return tamper


def line_out(name: str, line: int) -> Tampering:
    return in_lines(name, lambda lines: [*lines[: line - 1], *lines[line:]])


def sorted_in(name: str, line: str) -> Tampering:
    return in_lines(name, lambda lines: sorted([*lines, f"{line}\n"], key=lambda t: t.split("\t")))


def replaced(name: str, old: str, new: str, count: int = 1) -> Tampering:
    def tamper(folder: Path) -> None:
        text = read_file(folder, name)
        assert old in text
        write_file(folder, name, text.replace(old, new, count))

    return tamper


def changed(name: str, row: str, column: int, value: str) -> Tampering:
    """Another value in a column of the row of a table that begins with a name."""

    def change(lines: list[str]) -> list[str]:
        rows = [line.removesuffix("\n").split("\t") for line in lines]
        next(fields for fields in rows if fields[0] == row)[column] = value
        return ["\t".join(fields) + "\n" for fields in rows]

    return in_lines(name, change)


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
