"""Loads knowledge graphs and labels, from files or from named data sets.

Data sets are described in ``sources.toml``, or by other packages through the entry-point group
``rulemine.datasets`` (see ``docs/extending.md``). Files are looked for below ``$RULEMINE_DATA``,
``./data`` and the cache, in this order, and downloaded into the cache on request; every file is checked
against its digest before it is used.
"""

import json
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from rulemine.arrays import distinct
from rulemine.config import packaged, read_toml
from rulemine.datasets.sources import (
    Note,
    Progress,
    SourceFile,
    data_folders,
    download,
    find,
)
from rulemine.datasets.tables import (
    HUB,
    fetch_from_hub,
    is_table,
    places_of,
    read_table,
    table_files,
)
from rulemine.errors import (
    ConfigError,
    DatasetError,
    InputError,
    counted,
    did_you_mean,
    list_problems,
)
from rulemine.files import read_lines, read_text
from rulemine.guard import cache_folder
from rulemine.kg.cache import read_cached
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.rdf import NOT_IN_FORMAT, is_rdf, read_names
from rulemine.registry import Registry

__all__ = [
    "DataSet",
    "SourceFile",
    "data_sets",
    "files_of",
    "find_files",
    "get_files",
    "load_kg",
    "load_labels",
    "own_labels",
]


_MANY = 5
"""How many times the values of an end a column of relations has where the two are taken to be exchanged."""

_LINES = 1 << 20
"""How many lines tell how many different values the columns have."""


@dataclass(frozen=True, slots=True)
class DataSet:
    """A named data set.

    Attributes:
        title: What it is, in one line.
        kind: ``kg`` or ``labels``.
        source: Where it comes from.
        license: Its license.
        citation: What to cite.
        conversion: How its files become triples, where they are not read as they are; else empty.
        files: Its files; their contents are concatenated.
        path: A file on this machine with its content, or more of it; None for most.
        corrections: For labels, a file of the same form whose lines replace those of the files.
    """

    title: str
    kind: str
    source: str
    license: str
    citation: str
    files: tuple[SourceFile, ...] = ()
    path: Path | None = None
    corrections: Path | None = None
    conversion: str = ""


@cache
def data_sets() -> Registry[DataSet]:
    """Name → data set: those of ``sources.toml`` in its order, then those of other packages."""
    table: dict[str, Any] = read_toml(packaged("datasets", "sources.toml"))
    files = {
        path: SourceFile(
            path,
            row.get("url", ""),
            row.get("bytes", 0),
            tuple(row.get("sha256", ())),
            row.get("member", ""),
            row.get("blob", ""),
            row.get("download", ""),
            tuple(row.get("more", ())),
        )
        for path, row in table["files"].items()
    }
    own: dict[str, DataSet | str] = {}
    for name, row in table["sets"].items():
        for key, named in (
            ("path", row.pop("package", "")),
            ("corrections", row.get("corrections")),
        ):
            row[key] = packaged("datasets", named) if named else None
        row["files"] = tuple(files[path] for path in row.get("files", ()))
        own[name] = DataSet(**row)
    return Registry("rulemine.datasets", "data set", DataSet, own)


def data_set(name: str) -> DataSet:
    """The data set of that name.

    Raises:
        DatasetError: There is none.
    """
    if name not in data_sets():
        hint = did_you_mean(name, data_sets())
        raise DatasetError(f"{name}: no such data set, and no such file; {hint}")
    return data_sets()[name]


def find_files(name: str) -> tuple[Path | None, ...]:
    """The path of each file of a data set on this machine; None if it is missing.

    Raises:
        DatasetError: There is no such data set, or a file found has a wrong digest.
    """
    wanted = data_set(name)
    own = () if wanted.path is None else (wanted.path,)
    return (*own, *(find(file) for file in wanted.files))


def get_files(
    name: str, progress: Progress | None = None, note: Note | None = None
) -> tuple[Path, ...]:
    """The files of a data set; missing ones are downloaded into the cache.

    Args:
        name: Its name.
        progress: Called with (bytes, all bytes) of a download.
        note: Called with a sentence about each download that no digest is known for.

    Raises:
        DatasetError: There is no such data set, or it cannot be downloaded; says where to put its files.
    """
    wanted = data_set(name)
    own = () if wanted.path is None else (wanted.path,)
    return (
        *own,
        *(
            find(file) or download(wanted.source, name, file, progress, note)
            for file in wanted.files
        ),
    )


def _resolve(
    name: str, progress: Progress | None = None, note: Note | None = None
) -> tuple[Path, ...]:
    # Names take precedence over files: a folder named "family" must not hide the data set.
    if name in data_sets():
        return get_files(name, progress, note)
    if "://" in name or name.startswith(("http:/", "https:/")):
        raise DatasetError(
            f"{name}: is an address; a file was expected, since nothing is downloaded by its address. Fetch "
            "it first, e.g. with curl -LO, and give the file."
        )
    if name.startswith(HUB):
        return (fetch_from_hub(name),)
    path = Path(name)
    if not (path.exists() or "/" in name or path.suffix):
        data_set(name)
    return (path,)


def files_of(name: str) -> list[Path]:
    """The existing files of a data set, or the file of a path, or the files of a folder; reads nothing."""
    if name not in data_sets():
        return table_files(Path(name))
    known = data_sets()[name]
    places = [path for path in (known.path, known.corrections) if path]
    places += [
        folder / path
        for file in known.files
        for folder in data_folders()
        for path in (file.path, f"{file.path}.gz")
    ]
    return [path for path in places if path.is_file()]


def load_kg(
    name: str,
    progress: Progress | None = None,
    note: Callable[[str], None] | None = None,
    columns: Sequence[str] = (),
    strict: bool = False,
) -> KnowledgeGraph:
    """Loads a knowledge graph by name or path: TSV, RDF, or as `rulemine.datasets.tables`.

    A large file is parsed once and then read from the cache, see `rulemine.kg.cache`.

    Args:
        name: The name of a data set, the path of a file or a folder, or ``hub:OWNER/NAME``.
        progress: Called with (bytes, all bytes) of a download.
        note: Called with a sentence if names were trimmed, triples left out or files of a folder not read,
            or the cache is damaged or cannot be written.
        columns: Which columns of a table hold subject, relation and object, see `read_table`; (): as the file
            says, else the first three.
        strict: Whether lines that are not in the format of a file in RDF are refused, rather than left out.

    Raises:
        DatasetError: The data set is unknown or not available.
        InputError: The file is not a knowledge graph.
        ConfigError: Columns are given for a graph that has none to choose from.
    """
    paths = _resolve(name, progress, note)
    if columns and (name in data_sets() or is_rdf(name)):
        raise ConfigError(
            f"--columns: {name} is no table of which columns could be chosen. Leave it out."
        )
    is_one = len(paths) == 1
    table = read_table(paths[0], columns) if is_one and (columns or is_table(paths[0])) else None
    if not is_one:
        kg = KnowledgeGraph.read(*paths)
    elif table:
        kg = table.graph()
        if table.beside and note:
            note(
                f"{name}: {', '.join(path.name for path in table.splits)} are read; not "
                f"{', '.join(table.beside)}, with three columns too. Put all triples of the graph into one "
                "file, and name that."
            )
    else:
        kg = read_cached(paths[0], cache_folder() / "graphs", note=note)
    # RDF and tables with named columns say which is the relation.
    said = not all(map(str.isdecimal, columns)) if columns else bool(table and table.triples)
    if not (name in data_sets() or kg.relation_iris or said):
        _check_columns(name, kg, note or (lambda _: None), columns)
    if kg.trimmed and note:
        note(f"{name}: white space around {counted(kg.trimmed, 'name')} was trimmed.")
    if strict and NOT_IN_FORMAT in kg.left_out:
        raise InputError(f"{name}: {kg.left_out}. Correct these lines, or leave --strict out.")
    if kg.left_out and note:
        note(f"{name}: left out {kg.left_out}.")
    return kg


def own_labels(name: str) -> str:
    """What `load_labels` reads where a graph carries labels itself: its own name; "" if it may carry none."""
    return (
        name
        if name not in data_sets()
        and (is_rdf(name) or is_table(Path(name)) or name.startswith(HUB))
        else ""
    )


def _check_columns(
    name: str, kg: KnowledgeGraph, note: Callable[[str], None], columns: Sequence[str]
) -> None:
    """Refuses a graph with a header, which would become a triple; notes what looks like other columns.

    Raises:
        InputError: The first line names columns in words of `places_of`, and no other triple has that
            "relation".
    """
    some = kg.triples[kg.source_order[:_LINES]]
    texts, once = kg.labeled(kg.source_order[:1])[0], kg.relation_sizes()[some[0, 1]] == 1
    by_name = f"--columns {shlex.quote(','.join(texts))}"
    if once and len(places := places_of(texts)) == 3:
        by_name = f"--columns {shlex.quote(','.join(texts[place] for place in places))}"
        raise InputError(
            f"{name}: line 1, {' '.join(texts)!r}, names the columns; a triple was expected. Say so by "
            f"{by_name}; or, if it is a triple, move it down."
        )
    if once and len(kg) > 1 and np.isin(kg.triples[:, ::2], some[0, ::2]).sum() == 2:
        note(
            f"{name}: the names of line 1, {' '.join(texts)!r}, occur nowhere else. It is read as a triple; "
            f"if it names the columns, say so by {by_name}."
        )
    heads, relations, tails = (len(distinct(column)) for column in some.T)
    if relations >= _MANY * min(heads, tails):
        s, r, o = columns or ("1", "2", "3")
        other = (r, s, o) if heads < tails else (s, o, r)
        note(
            f"{name}: column {r}, which is read as the relation, has {relations:,} different values, column "
            f"{other[1]} {min(heads, tails):,}. If that is the relation: --columns {','.join(other)}"
        )


def load_labels(name: str) -> dict[str, str]:
    """Loads entity → text label, by the name of a data set or the path of a file.

    A file has two columns of TSV, or is a graph in RDF (see `rulemine.kg.rdf`) or of
    `rulemine.datasets.tables`.

    Raises:
        DatasetError: The data set is unknown or not available.
        InputError: The file is not text, or a line does not have two non-empty columns.
    """
    labels: dict[str, str] = {}
    for path in _resolve(name):
        if is_table(path):
            labels.update(read_table(path).labels)
        else:
            _read_labels(path, labels)
    corrected: dict[str, str] = {}
    if name in data_sets() and (corrections := data_sets()[name].corrections):
        _read_labels(corrections, corrected)
    return labels | corrected


def _json_labels(path: Path) -> dict[str, str]:
    """The labels of a JSON object: entity → label, or → an object with a label, as CoDEx has them.

    Raises:
        InputError: It is no such object.
    """
    try:
        rows = json.loads(read_text(path))
        texts = {key: row["label"] if isinstance(row, dict) else row for key, row in rows.items()}
        return {key: " ".join(text.split()) for key, text in texts.items() if text}
    except (ValueError, AttributeError, KeyError, TypeError) as problem:
        raise InputError(
            f"{path}: is no JSON object of entity → label, or of entity → object with a label ({problem!r})."
        ) from None


def _read_labels(path: Path, labels: dict[str, str]) -> None:
    """Adds the labels of a file.

    Raises:
        InputError: As `load_labels`.
    """
    if is_rdf(path):
        labels.update(read_names(path).labels)
        return
    if path.name.removesuffix(".gz").endswith(".json"):
        labels.update(_json_labels(path))
        return
    problems = []
    for number, line in enumerate(read_lines(path), start=1):
        fields = [part.strip() for part in line.split("\t")]
        if len(fields) != 2 or not all(fields):
            problems.append(f"line {number} is not entity <tab> label: {line[:80]!r}")
        elif labels.setdefault(fields[0], fields[1]) != fields[1]:
            problems.append(f"line {number} gives {fields[0]!r} a second label")
    if problems:
        raise InputError(list_problems(str(path), problems, "Give two columns, each entity once."))
