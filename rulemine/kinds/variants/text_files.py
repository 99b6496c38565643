"""Seed texts: what decides which entities a question is about.

Read from a file (a text a line), a folder (a text a file), or a column of a table. Guarantees: the id of a
text depends on the text alone, unless the table has a column ``id``: neither the order of the texts nor the
name of a file changes it, and an id tells nothing that a release hides; a text occurs once.
"""

import csv
import hashlib
import io
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from rulemine.config import TABLES, ending, split_column
from rulemine.errors import InputError, counted, did_you_mean, list_problems
from rulemine.files import read_jsonl, read_lines, read_text
from rulemine.kinds.variants.options import VariantSection
from rulemine.registry import packaged_or_given

__all__ = ["PACKAGED", "SeedText", "read_seed_texts"]

PACKAGED = "texts.txt"
"""The seed texts of a packaged data set."""

WHOLE = (".txt", ".md")
"""Endings of the files of a folder that are texts."""

ID, TITLE = "id", "title"
"""Columns of a table that are used if they are there."""

MOST_CHARACTERS = 1_000_000
"""Limit for a text: about two novels."""


class SeedText(NamedTuple):
    """A seed text.

    Attributes:
        id: Its id, unique, without tabs and line breaks.
        text: What it says, after the title of its file or row, if it has one.
    """

    id: str
    text: str


class _Found(NamedTuple):
    """A text as it was read; `where` is for messages."""

    where: str
    text: str
    id: str = ""


def read_seed_texts(
    options: VariantSection, note: Callable[[str], object] = lambda _text: None
) -> list[SeedText]:
    """The seed texts that a recipe names, in their order.

    Args:
        options: Of them, `texts`: a packaged data set, a file (a text a line), a folder (a text a file, for
            all .txt and .md below it; its name without the ending is its title), or a column of a table,
            ``FILE.csv:COLUMN``, .tsv or .jsonl alike, whose columns ``id`` and ``title`` are used too.
            Files may be packed, .gz or .zst.
        note: Called with a sentence about texts that were left out.

    Raises:
        InputError: There is no such file or column; a file is not text; a row has an id twice; a text has
            over `MOST_CHARACTERS`; or there is no text at all.
    """
    named, column = split_column(options.texts)
    path = packaged_or_given(named, PACKAGED)
    suffix = ending(path)
    if path.is_dir():
        if column:
            raise InputError(f"{options.texts}: {named} is a folder, which has no columns.")
        found = _of_folder(path, note)
    elif suffix in TABLES:
        found = _of_table(path, suffix, column)
    elif column:
        raise InputError(
            f"{options.texts}: {named} is no table; a file in {', '.join(TABLES)} has columns."
        )
    else:
        lines = enumerate(read_lines(path), start=1)
        found = (_Found(f"line {number}", line) for number, line in lines if line.strip())
    return _settled(path, found, note)


def _of_folder(folder: Path, note: Callable[[str], object]) -> Iterator[_Found]:
    files = sorted(
        path
        for path in folder.rglob("*")
        if path.is_file()
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )
    texts = [path for path in files if ending(path) in WHOLE]
    if not texts:
        raise InputError(
            f"{folder}: holds no text. Files ending in {' or '.join(WHOLE)} were expected, a text each; "
            f"{counted(len(files), 'other file')} found. A table is named itself: FILE.csv:COLUMN."
        )
    if other := len(files) - len(texts):
        note(f"{folder}: {counted(other, 'file')} not read: only {' and '.join(WHOLE)} are texts.")
    for path in texts:
        title = path.name[: path.name.lower().rindex(ending(path))].replace("_", " ")
        text = read_text(path)
        yield _Found(str(path.relative_to(folder)), f"{title}\n\n{text}" if text.strip() else "")


def _of_table(path: Path, suffix: str, column: str) -> Iterator[_Found]:
    rows = read_jsonl(path) if suffix == ".jsonl" else _rows(path, TABLES[suffix])
    problems: list[str] = []
    for number, row in rows:
        if not column or column not in row:
            known = sorted(name for name, value in row.items() if isinstance(value, str))
            if column:
                hint = did_you_mean(column, known)
                raise InputError(f"{path}: line {number} has no column {column!r}; {hint}")
            raise InputError(
                f"{path}: is a table; name the column of its texts, {path}:COLUMN; {did_you_mean('', known)}"
            )
        for name in {column, ID, TITLE} & row.keys():
            if not isinstance(row[name], str) and not (name == ID and type(row[name]) is int):
                problems.append(f"line {number}: {name} is {row[name]!r:.80}")
        key = str(row.get(ID, "")).strip()
        if ID in row and (not key or any(mark in key for mark in "\t\r\n")):
            problems.append(f"line {number}: id is {key!r:.80}")
        if not problems:
            title, text = str(row.get(TITLE, "")), str(row[column])
            yield _Found(f"line {number}", f"{title}\n\n{text}" if title and text else text, key)
    if problems:
        raise InputError(
            list_problems(str(path), problems, "Text was expected, and an id of one line.")
        )


def _rows(path: Path, separator: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a table with a header line, each with the line it ends on."""
    before = csv.field_size_limit(2**31 - 1)
    try:
        reader = csv.reader(
            io.StringIO(read_text(path), newline=""), delimiter=separator, strict=True
        )
        header = [name.strip() for name in next(reader, [])]
        if len(set(header)) < len(header) or not all(header):
            raise InputError(
                f"{path}: line 1 names the columns {', '.join(map(repr, header))}; names were expected, "
                "each once. Give the table a header line."
            )
        for row in reader:
            if not row:
                continue
            if len(row) != len(header):
                raise InputError(
                    f"{path}: line {reader.line_num} has {counted(len(row), 'column')}; "
                    f"{len(header)} were expected, as in line 1. Put a text that holds {separator!r} or a "
                    "line break in double quotes."
                )
            yield reader.line_num, dict(zip(header, row, strict=True))
    except csv.Error as problem:
        raise InputError(f"{path}: is no table: {problem}. Are its quotes closed?") from None
    finally:
        csv.field_size_limit(before)


def _settled(path: Path, found: Iterator[_Found], note: Callable[[str], object]) -> list[SeedText]:
    """The texts with their ids; empty and repeated ones are left out, counted."""
    texts: dict[str, str] = {}
    seen: dict[str, str] = {}
    empty = again = 0
    for where, text, key in found:
        if len(text) > MOST_CHARACTERS:
            raise InputError(
                f"{path}: {where}: has {len(text):,} characters; at most {MOST_CHARACTERS:,} were expected. "
                "A file is read a text a line, a folder a text a file. Cut it into texts of one topic each."
            )
        plain = " ".join(unicodedata.normalize("NFC", text).split())
        if not plain:
            empty += 1
            continue
        digest = hashlib.sha256(plain.encode()).hexdigest()
        key = key or f"t{digest[:12]}"
        if digest in seen:
            again += 1
            continue
        if key in texts:
            raise InputError(
                f"{path}: {where}: has the id {key!r}, as another text before. Give each its own."
            )
        seen[digest] = key
        texts[key] = text
    if not texts:
        raise InputError(f"{path}: holds no text.")
    if empty or again:
        note(
            f"{path}: {counted(empty, 'empty text')} and {counted(again, 'repeated text')} left out."
        )
    return [SeedText(key, text) for key, text in texts.items()]
