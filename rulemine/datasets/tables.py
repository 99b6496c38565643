"""Graphs in tables, and in the forms of other projects, recognized by their files.

Guarantees: all splits of a folder are read, as one graph, and nothing but them; further files of three
columns beside them are named; numbers are replaced by the names that the folder gives them. Every cell is
text as it stands in the file: nothing is taken for a number or for missing.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any

from rulemine.errors import InputError, UserError, counted
from rulemine.files import decoded, read_blocks, read_jsonl
from rulemine.kg.graph import KnowledgeGraph, Triple

__all__ = ["HUB", "fetch_from_hub", "is_table", "places_of", "read_table", "table_files"]

COLUMNS = (
    ("head", "subject", "subj", "source", "from", "s", "h", "x_index", "x_name", "start", "node1", "entity1"),
    ("relation", "relationship", "rel", "predicate", "pred", "property", "p", "r", "metaedge", "type",
     "label"),
    ("tail", "object", "obj", "target", "to", "o", "t", "y_index", "y_name", "end", "node2", "entity2"),
)  # fmt: skip
"""What columns of triples are called, in lower case and without ``_id``; the first that is there counts."""

IDS, TEXTS = ("id", "entity", "node", "qid"), ("label", "name", "text", "title")
"""What the columns of a table of labels are called."""

HUB = "hub:"
"""What the name of a data set of the Hugging Face Hub begins with: ``hub:OWNER/NAME`` or ``…@REVISION``."""

_SUFFIXES = (".csv", ".jsonl", ".parquet", ".sif")
_PACKED = (".gz", ".zst")
_COMPLETE = "kg/complete.tsv.gz"
"""The graph of a release, complete."""
_SPLITS = re.compile(
    r"(facts|train|training|valid|validation|val|dev|test|testing)\.(txt|tsv)(\.gz|\.zst)?"
)

_Rows = Iterator[list[str]]


@dataclass
class TableGraph:
    """What the files of a graph hold.

    Attributes:
        triples: Subjects, relations and objects, by file; read once.
        labels: Entity → its label, where the files carry labels.
        splits: Files of plain triples, where they need no table.
        beside: The names of further files of three columns in their folder, which are not read.
        problem: Why no table has triples.
    """

    triples: list[Iterator[Triple]] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    splits: list[Path] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)
    problem: str = ""

    def graph(self) -> KnowledgeGraph:
        """The graph.

        Raises:
            InputError: There is none; a label is empty or holds a tab or a line break; or a file is no table.
        """
        if self.splits:
            return KnowledgeGraph.read(*self.splits)
        if not self.triples:
            raise InputError(self.problem)
        return KnowledgeGraph.from_triples(chain.from_iterable(self.triples))


def places_of(names: Iterable[str]) -> list[int]:
    """Where the columns of subject, relation and object are; fewer than three where some are not named."""
    plain = [name.strip("#:\"' ").lower().removesuffix("_id") for name in names]
    ways = (next((plain.index(word) for word in words if word in plain), -1) for words in COLUMNS)
    return [place for place in ways if place >= 0]


def _suffix(path: Path) -> str:
    name = path.name.lower()
    for packed in _PACKED:
        name = name.removesuffix(packed)
    return Path(name).suffix


def is_table(path: Path) -> bool:
    """Whether a path is a folder, or a file that `read_table` reads: by its name, or columns between bars."""
    return path.is_dir() or (path.is_file() and (_suffix(path) in _SUFFIXES or _has_bars(path)))


def _has_bars(path: Path) -> bool:
    """Whether the first line of a .txt file is subject|relation|object, as MetaQA's are."""
    return (
        _suffix(path) == ".txt"
        and b"\t" not in (line := _first_line(path))
        and line.count(b"|") == 2
    )


def _first_line(path: Path) -> bytes:
    return next(read_blocks(path), b"").partition(b"\n")[0]


def table_files(path: Path) -> list[Path]:
    """The files of a folder that are read, or the file itself; none: it is missing, or of unknown form."""
    return _form_of(path)[1] if path.is_dir() else [path] * path.is_file()


def read_table(path: Path, columns: Sequence[str] = ()) -> TableGraph:
    """Reads a graph.

    Args:
        path: A file (`is_table`; with `columns`, any with columns), or a folder of one of `FORMS`.
        columns: Which hold subject, relation and object: names of the first line, or numbers from 1, and
            then the first line is a triple like others; (): known names, or the form of the folder.

    Raises:
        InputError: The folder has no known form, or a file cannot be read; a number has no name.
        UserError: A package for Parquet is not installed; or columns are given for a form that has its own.
    """
    if not path.is_dir():
        return _columns(path, [path], columns)
    if (path / "manifest.json").is_file() and (path / _COMPLETE).is_file():
        raise InputError(f"{path}: is a release. Its graph is {path / _COMPLETE}: give that file.")
    form, files = _form_of(path)
    if form is None:
        known = "; ".join(f"{form.name}: {form.files}" for form in FORMS)
        raise InputError(
            f"{path}: is a folder in none of the forms that are read ({known}). A single file with a "
            "graph is given by its own name."
        )
    if columns and form.read not in (_splits, _columns):
        raise UserError(
            f"--columns: {path} is read as {form.name}, which says itself what its columns are."
        )
    try:
        return form.read(path, files, columns)
    except InputError as problem:
        raise InputError(
            f"{problem} The folder {path} is read as {form.name}: it has to hold {form.files}. A "
            "single file with a graph is given by its own name."
        ) from None


def _lines(path: Path) -> Iterator[str]:
    before = 0
    for block in read_blocks(path):
        text = decoded(path, block, before)
        before += text.count("\n")
        yield from io.StringIO(text, newline="\n")


def _separator(path: Path) -> str:
    """What stands between the columns of a text file, by its first line; " ": any white space."""
    line = re.sub(r'"[^"]*"', "", _first_line(path).decode(errors="replace"))
    if "\t" in line:
        return "\t"
    return max(",;|", key=line.count) if re.search("[,;|]", line) else " "


def _cells(path: Path, separator: str = "", skip: int = 0) -> _Rows:
    """The rows of a file as text, "" for what is missing; of Parquet and JSON Lines, names of columns first.

    Args:
        path: A file of `_SUFFIXES`, or another text; compressed or not.
        separator: Between columns; "": as the file says; " ": any white space.
        skip: Lines before the first that counts.

    Raises:
        InputError: It cannot be read, or its rows have different numbers of columns.
    """
    kind = "" if separator else _suffix(path)
    lines = islice(_lines(path), skip, None)
    separator = separator or _separator(path)
    rows: Iterable[list[Any]]
    if kind == ".parquet":
        rows = _parquet(path)
    elif kind == ".jsonl":
        objects = [row for _, row in read_jsonl(path)]
        names = list(dict.fromkeys(chain(*objects)))
        rows = [names, *([row.get(name) for name in names] for row in objects)]
    elif separator == " ":
        rows = map(str.split, lines)
    else:
        # Beside tabs and bars, quotes are parts of names, but where every name is in them.
        quoted = separator in ",;" or re.fullmatch(
            rb'"[^"]*"(\s*[\t|]"[^"]*")*\s*', _first_line(path)
        )
        quoting: Any = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
        rows = csv.reader(lines, delimiter=separator, quoting=quoting, strict=True)
    width = 0
    try:
        for number, row in enumerate(filter(None, rows), start=1 + skip):
            width = width or len(row)
            if len(row) != width:
                raise InputError(
                    f"{path}: cannot be read as a table: row {number} has {counted(len(row), 'column')}, "
                    f"{width} were expected: {row}."
                    + " Put names with a separator into double quotes."
                    * (separator in ",;")
                )
            yield ["" if value is None else str(value) for value in row]
    except csv.Error as problem:
        raise InputError(
            f"{path}: cannot be read as a table ({problem}). Are its quotes closed?"
        ) from None


def _parquet(path: Path) -> Iterator[list[Any]]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise UserError(
            f"{path}: needs the package pyarrow: pip install 'rulemine[hub]'."
        ) from None
    try:
        with pq.ParquetFile(path) as file:
            yield list(file.schema_arrow.names)
            for batch in file.iter_batches():
                columns = (column.to_pylist() for column in batch.columns)
                yield from map(list, zip(*columns, strict=True))
    except (pa.ArrowException, OSError) as problem:
        raise InputError(f"{path}: cannot be read as a table ({problem}).") from None


def _triples(rows: _Rows, path: Path, places: Sequence[int]) -> Iterator[Triple]:
    """Three columns without white space around their names.

    Raises:
        InputError: A name is missing or empty.
    """
    at, by, to = places
    for number, row in enumerate(rows, start=1):
        triple = row[at].strip(), row[by].strip(), row[to].strip()
        if not all(triple):
            raise InputError(
                f"{path}: row {number} lacks its subject, relation or object: {row}. Complete the row, or "
                "take it out."
            )
        yield triple


def _chosen(path: Path, columns: Sequence[str]) -> Iterator[Triple]:
    """The triples of a file in columns that somebody names.

    Raises:
        InputError: It has no such columns.
    """
    rows = _cells(path)
    first = [name.strip() for name in next(rows, [])]
    if all(map(str.isdecimal, columns)):
        places = [int(number) - 1 for number in columns]
        lost = [str(at + 1) for at in places if not 0 <= at < len(first)]
        if _suffix(path) not in (".parquet", ".jsonl"):
            rows = chain([first], rows)
    else:
        lost = [name for name in columns if name not in first]
        places = [first.index(name) for name in columns if name in first]
    if lost or not len({*places}) == len(columns) == 3:
        raise InputError(
            f"--columns {','.join(columns)}: expected three of the columns of {path}, by number from 1 or by "
            f"name: {', '.join(first)}."
        )
    return _triples(rows, path, places)


def _columns(folder: Path, files: Iterable[Path], columns: Sequence[str]) -> TableGraph:
    """Tables whose columns say what they hold: triples, their labels beside them, or labels alone."""
    if columns:
        return TableGraph([_chosen(path, columns) for path in files])
    found = TableGraph()
    seen: list[str] = []
    for path in files:
        if _has_bars(path):
            found.triples.append(_triples(_cells(path, "|"), path, (0, 1, 2)))
            continue
        rows = _cells(path)
        names = next(rows, [])
        seen.append(f"{path.name}: {', '.join(names)}")
        if len(places := places_of(names)) < 3:
            _add_labels(found.labels, names, rows, IDS, TEXTS)
            continue
        found.triples.append(_triples(rows, path, places))
        for place in (places[0], places[2]):
            stem = names[place].removesuffix("_index").removesuffix("_id")
            texts = [f"{stem}_{text}" for text in TEXTS]
            if not {*texts}.isdisjoint(names):
                _add_labels(
                    found.labels, names, islice(_cells(path), 1, None), [names[place]], texts
                )
    called = ["/".join(words[:3]) for words in COLUMNS]
    found.problem = (
        f"{folder}: no table has columns for subject, relation and object, called e.g. {', '.join(called)}; "
        f"found {'; '.join(seen)}. Say which they are: --columns NAME,NAME,NAME, or, where the first line "
        "names none, --columns 1,2,3."
    )
    return found


def _add_labels(
    labels: dict[str, str], names: Sequence[str], rows: Iterable[list[str]], *called: Iterable[str]
) -> None:
    """Adds the labels of a table that has a column of ids and one of texts; the first of an id counts."""
    there = [next((names.index(one) for one in some if one in names), -1) for some in called]
    if -1 in there:
        return
    for row in rows:
        entity, text = (row[place].strip() for place in there)
        if entity and text:
            labels.setdefault(entity, " ".join(text.split()))


def _names(path: Path) -> dict[str, str]:
    """Number → name, of a file with a column of each; its name or header says if the numbers are second."""
    if _suffix(path) == ".csv":
        rows: Iterable[Sequence[str]] = _cells(path)
    else:  # names may hold blanks
        rows = (line.strip().rsplit("\t" if "\t" in line else None, 1) for line in _lines(path))
    pairs = [(row[0], row[1]) for row in rows if len(row) > 1]
    second = "2id" in path.name or pairs[:1] == [("label", "id")]
    return {pair[second]: pair[not second] for pair in pairs}


def _named(
    rows: Iterable[Sequence[str]], path: Path, *names: Mapping[str, str]
) -> Iterator[Triple]:
    """Rows of numbers with the names of their three columns' numbers.

    Raises:
        InputError: A number has no name.
    """
    named = ([known[number] for number, known in zip(row, names, strict=True)] for row in rows)
    try:
        yield from _triples(named, path, (0, 1, 2))
    except KeyError as problem:
        raise InputError(
            f"{path}: has the number {problem.args[0]}, which the file of names beside it lacks. Take both "
            "files from one data set."
        ) from None


def _numbered(
    folder: Path,
    files: Iterable[Path],
    called: str,
    order: Sequence[int] = (0, 1, 2),
    skip: int = 0,
) -> TableGraph:
    """The graph of files of numbers.

    Args:
        folder: The folder of the graph.
        files: Its files of triples.
        called: The files of names, {} for ``entity`` and ``relation``, beside the triples or in the folder.
        order: The columns of subject, relation and object.
        skip: How many lines come before the triples.
    """
    found = TableGraph()
    for path in files:
        names = []
        for of in ("entity", "relation"):
            name = called.format(of)
            ways = [*path.parent.glob(f"{name}*"), *folder.glob(f"{name}*")]
            if not ways:
                raise InputError(f"{path}: has numbers, and no {name} (.gz) names them.")
            names.append(_names(ways[0]))
        cells = _cells(path, " ", skip or path.name.startswith("numeric_triples"))
        rows = ([row[place] for place in order] for row in cells)
        found.triples.append(_named(rows, path, names[0], names[1], names[0]))
    return found


def _libkge(folder: Path, files: Iterable[Path], _: object) -> TableGraph:
    found = _numbered(folder, files, "{}_ids.del")
    texts = folder / "entity_strings.del"
    if texts.is_file():
        labels, numbers = _names(texts), _names(folder / "entity_ids.del")
        if not labels.keys() <= set(numbers.values()):  # by number; else by name
            labels = {numbers[one]: text for one, text in labels.items() if one in numbers}
        found.labels = labels
    return found


def _pykeen(folder: Path, files: Iterable[Path], _: object) -> TableGraph:
    return _numbered(folder, files, "{}_to_id.tsv")


def _openke(folder: Path, files: Iterable[Path], _: object) -> TableGraph:
    """Rows of head, tail, relation; each file begins with the number of its rows."""
    return _numbered(folder, files, "{}2id.txt", (0, 2, 1), skip=1)


def _splits(folder: Path, files: Iterable[Path], columns: Sequence[str]) -> TableGraph:
    if columns:
        return _columns(folder, files, columns)
    if any(folder.glob("entity_to_id.tsv*")):
        return _pykeen(folder, files, columns)
    others = (path for path in {*folder.iterdir()}.difference(files) if path.is_file())
    tables = (path for path in others if _suffix(path) in (".txt", ".tsv"))
    beside = sorted(path.name for path in tables if _first_line(path).count(b"\t") == 2)
    return TableGraph(splits=sorted(files), beside=beside)


def _ogb(folder: Path, files: Iterable[Path], _: object) -> TableGraph:
    """Edges of the folder ``raw``; graphs of several types of nodes have a folder for each relation."""
    mapping = folder / "mapping"
    known = {path.name.removesuffix(".gz"): path for path in sorted(mapping.glob("*.csv*"))}

    def names(*called: str) -> dict[str, str]:
        if found := [known[name] for name in called if name in known]:
            return _names(found[0])
        raise InputError(f"{mapping}: holds none of {', '.join(called)} (.gz), with the names.")

    found = TableGraph()
    for path in files:
        beside = path.with_name(path.name.replace("edge", "edge_reltype"))
        rows = ([s, r, o] for (s, o), (r,) in zip(_cells(path), _cells(beside), strict=True))
        parts = path.parent.name.split("___")
        kinds = (parts[0], parts[-1]) if len(parts) == 3 else ("", "")
        relations = names("reltype2relid.csv", "relidx2relname.csv")
        heads, tails = (
            {key: f"{of}:{text}" for key, text in names(f"{of}_entidx2name.csv").items()}
            if of
            else names("nodeidx2entityid.csv")
            for of in kinds
        )
        found.triples.append(_named(rows, path, heads, relations, tails))
    return found


_OPENKE = ("train2id.txt", "valid2id.txt", "test2id.txt")


@dataclass(frozen=True, slots=True)
class FolderForm:
    """A form that folders have.

    Attributes:
        name: Whose it is.
        files: What it is recognized by, for messages.
        find: The files with its triples, of a folder; empty: the folder has another form.
        read: Reads them, given the columns that somebody names.
    """

    name: str
    files: str
    find: Callable[[Path], Iterator[Path]]
    read: Callable[[Path, Iterable[Path], Sequence[str]], TableGraph]


def _tables(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        parts = path.relative_to(folder).parts
        if path.is_file() and _suffix(path) in _SUFFIXES and not any(p[0] == "." for p in parts):
            yield path


FORMS = (
    FolderForm("LibKGE", "train.del, entity_ids.del, relation_ids.del",
         lambda folder: (path for path in folder.glob("*.del") if path.stem in ("train", "valid", "test")),
         _libkge),
    FolderForm("PyKEEN", "numeric_triples.tsv.gz, entity_to_id.tsv.gz, relation_to_id.tsv.gz",
         lambda folder: folder.rglob("numeric_triples.tsv*"), _pykeen),
    FolderForm("OGB", "raw/edge.csv.gz, raw/edge_reltype.csv.gz, mapping/",
         lambda folder: (folder / "raw").rglob("edge.csv*"), _ogb),
    FolderForm("splits of triples", "train.txt, valid.txt, test.txt, facts.txt",
         lambda folder: (path for path in folder.iterdir() if _SPLITS.fullmatch(path.name)), _splits),
    FolderForm("OpenKE", "train2id.txt, entity2id.txt, relation2id.txt",
         lambda folder: (path for path in folder.glob("*2id.txt") if path.name in _OPENKE), _openke),
    FolderForm("tables", ".parquet, .jsonl or .csv with columns head, relation, tail", _tables, _columns),
)  # fmt: skip
"""The forms, those that are told by more of their files first."""


def _form_of(folder: Path) -> tuple[FolderForm | None, list[Path]]:
    for form in FORMS:
        if files := sorted(form.find(folder)):
            return form, files
    return None, []


def fetch_from_hub(name: str) -> Path:
    """The folder of a data set of the Hugging Face Hub, downloaded by its own library into its own cache.

    Args:
        name: See `HUB`.

    Raises:
        UserError: The library is not installed, or the data set cannot be downloaded.
    """
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise UserError(
            f"{name}: needs the package huggingface-hub: pip install 'rulemine[hub]'."
        ) from None
    repository, _, revision = name.removeprefix(HUB).partition("@")
    wanted = [
        f"*{suffix}{packed}"
        for suffix in (*_SUFFIXES, ".txt", ".tsv", ".del", ".dict")
        for packed in ("", *_PACKED)
    ]
    try:
        folder = snapshot_download(
            repository, repo_type="dataset", revision=revision or None, allow_patterns=wanted
        )
    except (OSError, ValueError) as problem:
        raise UserError(
            f"{name}: cannot be downloaded ({str(problem).splitlines()[0]}). Check OWNER/NAME, or download "
            "it by other means and give the folder."
        ) from None
    return Path(folder)
