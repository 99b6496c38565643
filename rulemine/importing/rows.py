"""The rows of published question sets: JSON Lines, JSON, Parquet or a table, in files by split.

Guarantees: rows come in the order of the files, files by split and then by name; messages name file and row.
"""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_origin

from rulemine.codec import shown, why_unreadable
from rulemine.config import Option, read_value
from rulemine.errors import ConfigError, InputError, counted
from rulemine.files import read_jsonl, read_lines, read_text
from rulemine.kg.graph import KnowledgeGraph, Triple

__all__ = [
    "SPLIT_NAMES",
    "SUFFIXES",
    "SourceRow",
    "claimed",
    "labels_beside",
    "read_graph",
    "read_rows",
    "split_files",
    "split_of",
    "suffix_of",
    "title_of",
    "unequal_names",
]

SPLIT_NAMES = {
    "train": "train", "training": "train",
    "validation": "validation", "valid": "validation", "val": "validation", "dev": "validation",
    "test": "test",
}  # fmt: skip
"""A word of a file's name → the split that it names."""

SUFFIXES = (".jsonl", ".json", ".parquet")
_TABLES = (".tsv", ".csv")
_NO_JSON = re.compile("binary|date|decimal|duration|interval|time")
"""Types of Parquet that JSON lacks."""

_BATCH = 64
"""Rows of Parquet held at once: some sets have a graph of megabytes in each."""


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A row.

    Attributes:
        where: File and row, for messages.
        split: ``train``, ``validation`` or ``test``, by the name of its file; "" if that names none.
        fields: Its fields, as JSON has them.
        in_table: Whether it is of a table, in which all values are texts.
    """

    where: str
    split: str
    fields: dict[str, Any]
    in_table: bool = False

    def get(self, name: str, hint: Any, default: Any = None) -> Any:
        """A field, read as `rulemine.config.read_value` reads a type.

        Args:
            name: The field.
            hint: Its type, such as ``str`` or ``tuple[str, ...]``.
            default: What a missing field, or null, has.

        Raises:
            InputError: It has another type.
        """
        if self.fields.get(name) is None:
            return default
        problems: list[str] = []
        value = self.fields[name]
        found = read_value(hint, value, repr(name), problems)
        if isinstance(value, str) and get_origin(hint) is tuple:  # only options list by commas
            problems = [Option().complaint(hint, repr(name), value)]
        if problems:
            raise InputError(f"{self.where}: {problems[0]}.")
        return found

    def need(self, name: str, hint: Any) -> Any:
        """As `get`, of a field that must be there.

        Raises:
            InputError: It is missing, null, or of another type.
        """
        if self.fields.get(name) is None:
            fields = ", ".join(str(k) for k, v in self.fields.items() if v is not None) or "none"
            raise InputError(
                f"{self.where}: has no {name!r}; its fields are: {fields}. Is the set of another form?"
            )
        return self.get(name, hint)

    def key(self) -> str:
        """The id as text; sets have texts or numbers.

        Raises:
            InputError: It is missing, null, or neither.
        """
        return str(self.need("id", str | int)).strip()

    def nested(self, name: str, hint: Any, default: Any = None) -> Any:
        """As `get`, of a field that may hold its value as a text in JSON.

        Raises:
            InputError: It is no JSON, or has another type.
        """
        value = self.fields.get(name)
        if not isinstance(value, str):
            return self.get(name, hint, default)
        if not value.strip():
            return default
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as problem:
            raise InputError(
                f"{self.where}: {name!r} is {shown(value)}, which is not valid JSON "
                f"({why_unreadable(problem)}). Fix or remove the row."
            ) from None
        return SourceRow(self.where, self.split, {name: value}).get(name, hint, default)


def split_of(path: Path) -> str:
    """The split that a file's name has as a word, or else its folder's; "" if there is none.

    Example:
        >>> split_of(Path("data/train-00000-of-00002.parquet")), split_of(Path("test/0000.parquet"))
        ('train', 'test')
    """
    for name in (path.name, path.parent.name):
        found = {
            SPLIT_NAMES[word] for word in re.split(r"[\W_\d]+", name.lower()) if word in SPLIT_NAMES
        }
        if len(found) == 1:
            return found.pop()
    return ""


def read_rows(*paths: Path) -> Iterator[SourceRow]:
    """The rows of files, or of all files of a folder whose names have a split.

    Args:
        *paths: ``.jsonl``, ``.json`` (a list of objects, or an object with one such list), ``.parquet``, or
            a table with a header, ``.tsv`` or ``.csv``; text also as ``.gz`` and ``.zst``. Or a folder, of
            which tables are not read.

    Raises:
        InputError: Nothing is there, a file is malformed, or none has a row.
        ConfigError: Parquet needs a package that is not installed.
    """
    empty = True
    for file in (file for path in paths for file in split_files(path)):
        suffix, split = suffix_of(file), split_of(file)
        if suffix == ".jsonl":
            rows: Iterator[tuple[str, dict[str, Any]]]
            rows = ((f"line {number}", row) for number, row in read_jsonl(file))
        elif suffix == ".json":
            rows = _json_rows(file)
        elif suffix == ".parquet":
            rows = _parquet_rows(file)
        else:
            rows = _table_rows(file, "\t" if suffix == ".tsv" else ",")
        for place, fields in rows:
            empty = False
            yield SourceRow(f"{file}: {place}", split, fields, suffix in _TABLES)
    if empty:
        raise InputError(f"{paths[0]}: has no rows; a question in each was expected.")


def claimed(key: str, row: SourceRow, places: dict[str, str], advice: str) -> str:
    """The id of a row, after which no other row may have it.

    Args:
        key: The id.
        row: The row.
        places: Id → the row that has it; the id is added.
        advice: What to do where two rows have it.

    Raises:
        InputError: An earlier row has it.
    """
    if key in places:
        raise InputError(
            f"{row.where}: has the id {key} of {places[key]}; ids that occur once were expected. {advice}"
        )
    places[key] = row.where
    return key


def read_graph(path: Path | None) -> list[Triple] | None:
    """The triples of a graph file; None: there is no file.

    Raises:
        InputError: The file holds no graph.
    """
    return None if path is None else KnowledgeGraph.read(path).labeled()


def labels_beside(path: Path) -> dict[str, str]:
    """Id of an entity → its label, by ``entities.tsv`` in the folder of the rows, as our exports have it.

    Raises:
        InputError: A line has not two columns.
    """
    file = (path if path.is_dir() else path.parent) / "entities.tsv"
    found: dict[str, str] = {}
    for number, line in enumerate(read_lines(file) if file.is_file() else (), start=1):
        entity, *rest = line.split("\t")
        if len(rest) != 1:
            raise InputError(
                f"{file}: line {number} has {counted(1 + len(rest), 'column')}; an id and a label were "
                "expected."
            )
        found[entity] = rest[0]
    return found


def unequal_names(labels: Mapping[str, str]) -> dict[str, str]:
    """Id → label; where several ids have one label, with the id."""
    often = Counter(labels.values())
    return {
        key: label if often[label] == 1 else f"{label} ({key})" for key, label in labels.items()
    }


def title_of(path: Path) -> str:
    """The name of a folder, or that of a file without its suffix."""
    return path.absolute().name if path.is_dir() else _unpacked(path).stem


def _unpacked(path: Path) -> Path:
    return Path(path.name.removesuffix(".gz").removesuffix(".zst"))


def suffix_of(path: Path) -> str:
    """The last suffix of a file, that of compression aside, in lower case."""
    return _unpacked(path).suffix.lower()


def split_files(path: Path) -> list[Path]:
    """A file itself, or those of a folder whose names have a split, by split and then by name.

    Raises:
        InputError: There is none.
    """
    if not path.exists():
        raise InputError(f"{path}: does not exist; a file or a folder was expected.")
    if not path.is_dir():
        if suffix_of(path) in SUFFIXES + _TABLES:
            return [path]
        known = ", ".join(SUFFIXES + _TABLES)
        raise InputError(f"{path}: is none of {known}. Convert it, or name another file.")
    found = [
        file
        for file in sorted(path.rglob("*"))
        if file.is_file() and suffix_of(file) in SUFFIXES and split_of(file)
    ]
    if not found:
        raise InputError(
            f"{path}: holds no file such as train.jsonl, test.json or test-00000-of-00001.parquet, whose "
            "name has a split. Name the file itself."
        )
    order = list(dict.fromkeys(SPLIT_NAMES.values()))
    return sorted(found, key=lambda file: (order.index(split_of(file)), file.as_posix()))


def _json_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        whole = json.loads(read_text(path))
    except (ValueError, RecursionError) as problem:
        raise InputError(
            f"{path} is not valid JSON ({why_unreadable(problem)}). Is it JSON Lines? Then its name ends "
            "in .jsonl."
        ) from None
    if isinstance(whole, dict):
        lists = [value for value in whole.values() if isinstance(value, list)]
        whole = lists[0] if len(lists) == 1 else whole
    if not isinstance(whole, list):
        raise InputError(f"{path}: is {shown(whole)}; a list of objects was expected.")
    for number, fields in enumerate(whole, start=1):
        if not isinstance(fields, dict):
            raise InputError(f"{path}: item {number} is {shown(fields)}; an object was expected.")
        yield f"item {number}", fields


def _parquet_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise ConfigError(
            f"{path}: Parquet needs the package pyarrow: pip install 'rulemine[exports]'."
        ) from None
    try:
        number = 0
        with pq.ParquetFile(path) as file:
            others = [field.name for field in file.schema_arrow if _NO_JSON.search(str(field.type))]
            for batch in file.iter_batches(_BATCH):
                for fields in batch.to_pylist():
                    number += 1
                    for name in others:  # times, decimals and bytes become texts
                        fields[name] = json.loads(json.dumps(fields[name], default=_as_text))
                    yield f"row {number}", fields
    except UnicodeDecodeError:
        raise InputError(
            f"{path}: row {number} has bytes that are no text in UTF-8. Leave that column out."
        ) from None
    except (pa.ArrowException, OSError) as problem:
        raise InputError(
            f"{path}: is not readable Parquet ({problem}). Is it complete, and no pointer of Git LFS?"
        ) from None


def _as_text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _table_rows(path: Path, separator: str) -> Iterator[tuple[str, dict[str, Any]]]:
    most = csv.field_size_limit(2**31 - 1)  # a cell may list thousands of answers
    try:
        reader = csv.reader(
            io.StringIO(read_text(path), newline=""), delimiter=separator, strict=True
        )
        header = next(reader, [])
        for cells in reader:
            if len(cells) != len(header) and cells:
                raise InputError(
                    f"{path}: line {reader.line_num} has {counted(len(cells), 'column')}; {len(header)} were "
                    "expected, as in line 1. Put a text that has a separator or a line end in double quotes."
                )
            if cells:
                yield f"line {reader.line_num}", dict(zip(header, cells, strict=True))
    except csv.Error as problem:
        raise InputError(f"{path}: is no table: {problem}. Are its quotes closed?") from None
    finally:
        csv.field_size_limit(most)
