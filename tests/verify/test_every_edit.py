"""One edit of every key of every JSON file, every column of every table and every line of the card.

Each is named once the digests fit, or listed here with the reason why no file can show it. One key of four is
edited, or all as in ``make check``.
"""

import json
import re
import shutil
import zlib
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from rulemine.builder.regenerated import regenerated, write_again
from rulemine.errors import ReleaseError
from rulemine.release.differences import compare
from rulemine.release.reader import Release
from rulemine.verify import VerificationReport, verify
from tests import ALL_SEEDS, ROOT, each
from tests.releases import COAST, built
from tests.verify import tiny
from tests.verify.tampering import change_manifest, verified
from tests.verify.tiny import read_file, seal, write_file

pytestmark = pytest.mark.slow

UNSEEN = {
    (name, key)
    for name, keys in (
        ("manifest.json", "config.verbalizer.naming kg.source kg.duplicates kg.standards.*"),
        ("questions/test.jsonl", "block.topic"),
        ("removed.jsonl", "level"),
        ("rejected.jsonl", "detail query text"),
        ("seed_texts.jsonl", "topic id entities"),
        ("entities.tsv", "text"),
        ("types.tsv", "type"),
        ("relations.tsv", "statement ask_* describe_*"),
    )
    for key in keys.split()
}
"""Files and keys that no file can show, with ``*`` for what is left out; docs/publishing.md says why."""

Keys = tuple[str | int, ...]

Edit = tuple[str, str]
"""A file and a key of it."""


KINDS = ("rules", *COAST, "cypher")

OF_EACH = ("questions/test.jsonl", "removed.jsonl")
"""Files whose keys are edited in every kind; those of others where an earlier kind lacks them."""

FILTERED: dict[str, Any] = {
    "standards": [
        {
            "head": ["husband"], "head_not": ["wife"], "body_only": ["wife"], "body_any": ["wife"],
            "min_std_confidence": 0.01, "reason": "odd",
        }
    ],
}  # fmt: skip
"""What the manifest has of a filter with classes and standards; it refuses nothing of the release."""

LIKE_OTHERS = (
    "questions/train.jsonl", "questions/validation.jsonl", "property_graph/incomplete-50.json.gz",
    "property_graph/incomplete.json.gz", "kg/incomplete-50.tsv.gz",
)  # fmt: skip
"""Files of the form of another one."""


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Of each kind a release with a handful of questions."""
    folder = tmp_path_factory.mktemp("edited")
    for kind in KINDS:
        name = "coast-declared" if kind == "cypher" else f"coast-{kind}"
        if kind == "rules":
            tiny.write_release(folder / "tiny")
            change_manifest(folder / "tiny", kg=tiny.SOURCE | FILTERED)
            write_again(Release.open(folder / "tiny"), folder / kind)
            seal(folder / kind)
        else:
            shutil.copytree(built(name) / "release", folder / kind)
    return {kind: folder / kind for kind in KINDS}


def said(report: VerificationReport) -> set[str]:
    """The problems, and what could not be checked: either fails the verification."""
    return {*map(str, report.problems), *report.skipped}


def is_named(folder: Path, before: set[str], derived: bool) -> bool:
    """Whether the verification says something new; the likelier of its two steps first."""
    try:
        if derived and said(regenerated(VerificationReport(folder, (), {}, ()))) - before:
            return True
        report = verify(folder)
    except ReleaseError:
        return True
    if said(report) - before:
        return True
    return not derived and bool(said(regenerated(report)) - before)


def places_of(value: Any, path: Keys = (), shown: str = "") -> Iterator[tuple[str, Keys, Any]]:
    """Every key, with its path and value; ``*`` stands for parts of one form, in an array or by name."""
    inner: list[tuple[str | int, Any]] = []
    alike = False
    if isinstance(value, list) and value and isinstance(value[0], dict):
        yield shown, path, value
        inner, alike = [*enumerate(value)], True
    elif isinstance(value, dict) and value:
        forms = {frozenset(one) if isinstance(one, dict) else None for one in value.values()}
        inner, alike = [*value.items()], len(value) > 1 and len(forms) == 1 and None not in forms
    else:
        yield shown, path, value
    for key, one in inner:
        yield from places_of(one, (*path, key), f"{shown}.{'*' if alike else key}".lstrip("."))


def changed(value: Any) -> Any:
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1 if isinstance(value, int) else value / 2 or 0.5
    if isinstance(value, list | dict):
        return {"x": 1} if isinstance(value, dict) else value[:-1] or ["x"]
    return "x" if value is None else f"{value}x"


def edits_of(name: str, text: str) -> Iterator[tuple[str, Callable[[], str]]]:
    """Key and what makes the edited text: of each key one value changed, that of another place, and empty."""
    lines = text.split("\n")
    texts = [line for line in lines if line] if name.endswith("l") else [text]
    places: dict[str, list[tuple[int, Keys, Any]]] = {}
    for number, row in enumerate(map(json.loads, texts)):
        for key, path, value in places_of(row):
            places.setdefault(key, []).append((number, path, value))
    for key, some in places.items():
        number, path, value = next((one for one in some if one[2]), some[0])
        others = [other for _, _, other in some if other and other != value]
        empty = [""] if isinstance(value, str) and value else []
        for new in (changed(value), *others[:1], *empty):
            yield key, partial(edited, name, lines, number, json.loads(texts[number]), path, new)


def edited(name: str, lines: list[str], number: int, row: Any, path: Keys, new: Any) -> str:
    """The text of a file with another value at a place of one of its rows."""
    at: Any = (whole := {"": row})
    *keys, last = "", *path
    for key in keys:
        at = at[key]
    at[last] = new
    if name.endswith("l"):
        made = json.dumps(whole[""], ensure_ascii=False, separators=(",", ":"))
        return "\n".join([*lines[:number], made, *lines[number + 1 :]])
    indent = 2 if name == "manifest.json" else None
    return json.dumps(whole[""], ensure_ascii=False, indent=indent) + "\n"


def columns_of(_name: str, text: str) -> Iterator[tuple[str, Callable[[], str]]]:
    """Column and what makes the edited text: one cell changed, and one exchanged for that of another row."""
    header, *rows = [line.split("\t") for line in text.removesuffix("\n").split("\n")]
    for at, column in enumerate(header):
        *before, last = rows
        others = [row[at] for row in before if row[at] != last[at]]
        for new in (f"{last[at]}x", *others[:1]):
            yield column, partial(table, [header, *before, [*last[:at], new, *last[at + 1 :]]])


def table(rows: list[list[str]]) -> str:
    return "".join("\t".join(row) + "\n" for row in rows)


Edits = Callable[[str, str], Iterator[tuple[str, Callable[[], str]]]]


def missed(releases: dict[str, Path], endings: tuple[str, ...], edits: Edits) -> set[Edit]:
    """The files and keys whose edits nothing names, of the files with some endings."""
    lost, known, few = set(), set[Edit](), () if ALL_SEEDS else range(1, 4)
    for release in releases.values():
        before, whole = said(verified(release)), read_file(release, "manifest.json")
        here = set()
        for name in files_of(release, endings):
            text = read_file(release, name)
            for key, make in edits(name, text):
                if (name, key) in known or key.startswith("files."):  # these are mended here
                    continue
                here.add((name, key))
                if zlib.crc32(f"{name} {key}".encode()) % 4 in few:
                    continue
                write_file(release, name, make())
                seal(release)
                if not is_named(release, before, name == "manifest.json"):
                    lost.add((name, key))
                write_file(release, "manifest.json", whole)
            write_file(release, name, text)
        known |= {one for one in here if one[0] not in OF_EACH}
    return lost


def files_of(release: Path, endings: tuple[str, ...]) -> list[str]:
    """The files with some endings, without those of the form of another one."""
    names = [path.relative_to(release).as_posix() for path in sorted(release.rglob("*"))]
    fitting = (name for name in names if name.removesuffix(".gz").endswith(endings))
    return [name for name in fitting if name not in LIKE_OTHERS]


@each(("endings", "edits"), [((".json", ".jsonl"), edits_of), ((".tsv",), columns_of)])
def test_every_key_and_column_is_named_or_listed(releases, endings, edits):
    for name, key in missed(releases, endings, edits):
        assert any(name == of and fnmatch(key, keys) for of, keys in UNSEEN), (name, key)


def test_the_order_of_lines_is_named(releases: dict[str, Path]) -> None:
    for release in releases.values():
        before, whole = said(verified(release)), read_file(release, "manifest.json")
        for name in files_of(release, (".jsonl", ".tsv")):
            text = read_file(release, name)
            lines = text.splitlines(keepends=True)
            if name != "seed_texts.jsonl" and len(lines) > 2 and lines[-1] != lines[-2]:
                write_file(release, name, "".join([*lines[:-2], *lines[:-3:-1]]))
                seal(release)
                assert is_named(release, before, derived=True), name
                write_file(release, "manifest.json", whole)
            write_file(release, name, text)


@each("kind", KINDS)
def test_every_line_of_the_card_is_named(releases, kind, tmp_path):
    folder, card = releases[kind], "README.md"
    write_again(Release.open(folder), tmp_path)
    text = read_file(folder, card)
    lines = text.split("\n")
    for at, line in enumerate(lines):
        other = re.sub(r"\d", lambda digit: str((int(digit[0]) + 1) % 10), line, count=1)
        edited = line + "x" if other == line else other
        write_file(folder, card, "\n".join([*lines[:at], edited, *lines[at + 1 :]]))
        [difference] = compare(Release.open(folder), tmp_path)
        assert (difference.file, difference.line) == (card, at + 1)
    write_file(folder, card, text)


def test_what_nothing_shows_is_documented() -> None:
    page = (ROOT / "docs" / "publishing.md").read_text("utf-8").split("\n")
    for name, key in UNSEEN:
        assert any(f"`{name}`" in line and f"`{key}`" in line for line in page), (name, key)
