"""Graphs in the forms of other projects, recognized by their files.

Guarantees: all splits of a folder are read, as one graph, and nothing but them; further files of three
columns beside them are named; numbers are replaced by the names that the folder gives them. pandas reads
whatever has columns; splits of plain triples need nothing.
"""

import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from rulemine.errors import InputError, UserError
from rulemine.files import read_blocks, read_lines
from rulemine.kg.graph import KnowledgeGraph

if TYPE_CHECKING:  # loaded when a table is read
    import pandas as pd

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


@dataclass
class TableGraph:
    """What the files of a graph hold.

    Attributes:
        triples: Subjects, relations and objects, each as a frame of three columns of text.
        labels: Entity → its label, where the files carry labels.
        splits: Files of plain triples, where they need no table.
        beside: The names of further files of three columns in their folder, which are not read.
    """

    triples: "list[pd.DataFrame]" = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    splits: list[Path] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)

    def graph(self) -> KnowledgeGraph:
        """The graph.

        Raises:
            InputError: A label is empty or holds a tab or a line break, or a file is no TSV.
        """
        if self.splits:
            return KnowledgeGraph.read(*self.splits)
        rows = (frame.itertuples(index=False, name=None) for frame in self.triples)
        return KnowledgeGraph.from_triples(chain.from_iterable(rows))


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


def read_table(path: Path) -> TableGraph:
    """Reads a graph.

    Args:
        path: A file (`is_table`), or a folder of one of `FORMS`.

    Raises:
        InputError: The folder has no known form, or a file cannot be read; a number has no name.
        UserError: pandas is not installed.
    """
    if path.is_dir():
        if (path / "manifest.json").is_file() and (path / _COMPLETE).is_file():
            raise InputError(
                f"{path}: is a release. Its graph is {path / _COMPLETE}: give that file."
            )
        form, files = _form_of(path)
        if form is None:
            known = "; ".join(f"{form.name}: {form.files}" for form in FORMS)
            raise InputError(
                f"{path}: is a folder in none of the forms that are read ({known}). A single file with a "
                "graph is given by its own name."
            )
        try:
            return form.read(path, files)
        except InputError as problem:
            raise InputError(
                f"{problem} The folder {path} is read as {form.name}: it has to hold {form.files}. A "
                "single file with a graph is given by its own name."
            ) from None
    return _columns(path, [path])


def _frame(
    path: Path, separator: str = "", header: int | None = 0, skip: int = 0
) -> "pd.DataFrame":
    """The rows of a file as text, nothing in them taken for a number or for missing.

    Args:
        path: A file of `_SUFFIXES`, or one with the separator; compressed or not.
        separator: Between columns; "": as the suffix says.
        header: None: the first line names no columns, which get numbers.
        skip: Lines before the first that counts.
    """
    try:
        import pandas as pd
    except ImportError:
        raise UserError(
            f"{path}: needs the packages pandas and pyarrow: pip install 'rulemine[hub]'."
        ) from None
    kind = _suffix(path)
    try:
        if not separator and kind == ".parquet":
            frame = pd.read_parquet(path)
        elif not separator and kind == ".jsonl":
            frame = pd.read_json(path, lines=True, dtype=False)
        else:
            separator = separator or ("\t" if kind == ".sif" else ",")
            quoting = 0 if separator == "," else 3  # csv.QUOTE_NONE: quotes are part of names
            frame = pd.read_csv(
                path,
                sep=separator,
                header=header,
                skiprows=skip,
                dtype=str,
                na_filter=False,
                quoting=quoting,
            )
    except (ValueError, OSError, EOFError, ImportError, zlib.error) as problem:
        if found := re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(problem)):
            raise InputError(
                f"{path}: cannot be read as a table: line {found[2]} has {found[3]} fields, {found[1]} were "
                "expected. Put names with commas into double quotes, and commas, not semicolons, between "
                "columns."
            ) from None
        raise InputError(f"{path}: cannot be read as a table ({problem}).") from None
    if header is not None:
        frame.columns = [str(name) for name in frame.columns]
    return frame


def _text(frame: "pd.DataFrame", path: Path) -> "pd.DataFrame":
    """Three columns as text without white space around it.

    Raises:
        InputError: A value is missing or empty.
    """
    gaps = frame.isna()
    texts = frame.astype(str).apply(lambda column: column.str.strip())
    bad = (gaps | (texts == "")).any(axis=1)
    if bad.any():
        row = int(bad.to_numpy().argmax())
        raise InputError(
            f"{path}: row {row + 1} lacks its subject, relation or object: {frame.iloc[row].tolist()}. "
            "Complete the row, or take it out."
        )
    return texts


def _columns(_folder: Path, files: Iterable[Path]) -> TableGraph:
    """Tables whose columns say what they hold: triples, their labels beside them, or labels alone."""
    found = TableGraph()
    seen: list[str] = []
    for path in files:
        if _has_bars(path):
            found.triples.append(_text(_frame(path, "|", None), path))
            continue
        frame = _frame(path)
        chosen = [frame.columns[place] for place in places_of(frame.columns)]
        seen.append(f"{path.name}: {', '.join(frame.columns)}")
        if len(chosen) < 3:
            _add_labels(found.labels, frame, IDS, TEXTS)
            continue
        found.triples.append(_text(frame[chosen], path))
        for name in (chosen[0], chosen[2]):
            stem = name.removesuffix("_index").removesuffix("_id")
            _add_labels(found.labels, frame, (name,), [f"{stem}_{text}" for text in TEXTS])
    if not found.triples:
        names = ["/".join(words[:3]) for words in COLUMNS]
        raise InputError(
            f"{_folder}: no table has columns for subject, relation and object, called e.g. "
            f"{', '.join(names)}; found {'; '.join(seen)}. Rename the columns; commas go between them."
        )
    return found


def _add_labels(
    labels: dict[str, str], frame: "pd.DataFrame", ids: Iterable[str], texts: Iterable[str]
) -> None:
    """Adds the labels of a table that has a column of ids and one of texts; the first of an id counts."""
    there = [
        next((name for name in names if name in frame.columns), None) for names in (ids, texts)
    ]
    if None in there:
        return
    rows = frame[there].dropna().drop_duplicates(there[0]).astype(str)
    for entity, text in rows.itertuples(index=False, name=None):
        if text.strip():
            labels.setdefault(entity.strip(), " ".join(text.split()))


def _names(path: Path, separator: str, header: int | None = 0) -> dict[str, str]:
    """Number → name, of a file with a column of each, numbers first."""
    frame = _frame(path, separator, header)
    first, second = frame.columns[:2]
    if header is not None and str(second) in ("id", "index"):  # numbers second
        first, second = second, first
    return dict(zip(frame[first], frame[second], strict=True))


def _named(frame: "pd.DataFrame", path: Path, *names: dict[str, str]) -> "pd.DataFrame":
    """A frame of numbers with the names of its three columns' numbers.

    Raises:
        InputError: A number has no name.
    """
    made = frame.copy()
    for column, known in zip(frame.columns, names, strict=True):
        made[column] = frame[column].map(known)
        if (lost := made[column].isna()).any():
            number = frame[column][lost].iloc[0]
            raise InputError(
                f"{path}: has the number {number}, which the file of names beside it lacks. Take both files "
                "from one data set."
            )
    return _text(made, path)


def _libkge(folder: Path, files: Iterable[Path]) -> TableGraph:
    names = [_names(folder / f"{of}_ids.del", "\t", None) for of in ("entity", "relation")]
    order = (names[0], names[1], names[0])
    found = TableGraph([_named(_frame(path, "\t", None), path, *order) for path in files])
    texts = folder / "entity_strings.del"
    if texts.is_file():
        labels = _names(texts, "\t", None)
        if not labels.keys() <= set(names[0].values()):  # by number; else by name
            labels = {
                names[0][number]: text for number, text in labels.items() if number in names[0]
            }
        found.labels = labels
    return found


def _pykeen(folder: Path, files: Iterable[Path]) -> TableGraph:
    found = TableGraph()
    for path in files:
        names = []
        for of in ("entity", "relation"):
            ways = [*path.parent.glob(f"{of}_to_id.tsv*"), *folder.glob(f"{of}_to_id.tsv*")]
            if not ways:
                raise InputError(f"{path}: has numbers, and no {of}_to_id.tsv.gz names them.")
            names.append(_names(ways[0], "\t"))
        header = 0 if path.name.startswith("numeric_triples") else None
        found.triples.append(_named(_frame(path, "\t", header), path, names[0], names[1], names[0]))
    return found


def _openke(folder: Path, files: Iterable[Path]) -> TableGraph:
    """Rows of head, tail, relation; each file, those of names too, begins with the number of its rows."""
    entities, relations = (
        {row[1]: row[0] for line in rows[1:] if len(row := line.rsplit(None, 1)) == 2}
        for rows in (read_lines(folder / f"{of}2id.txt") for of in ("entity", "relation"))
    )
    frames = ((path, _frame(path, r"\s+", None, skip=1)[[0, 2, 1]]) for path in files)
    return TableGraph([_named(rows, path, entities, relations, entities) for path, rows in frames])


def _splits(folder: Path, files: Iterable[Path]) -> TableGraph:
    if any(folder.glob("entity_to_id.tsv*")):
        return _pykeen(folder, files)
    return TableGraph(
        splits=sorted(files),
        beside=sorted(
            path.name
            for path in {*folder.iterdir()}.difference(files)
            if path.is_file()
            and _suffix(path) in (".txt", ".tsv")
            and _first_line(path).count(b"\t") == 2
        ),
    )


def _ogb(folder: Path, files: Iterable[Path]) -> TableGraph:
    """Edges of the folder ``raw``; graphs of several types of nodes have a folder for each relation."""
    mapping = folder / "mapping"
    known = {path.name.removesuffix(".gz"): path for path in sorted(mapping.glob("*.csv*"))}
    relations = next((known[name] for name in _OGB_RELATIONS if name in known), None)
    if relations is None:
        raise InputError(f"{mapping}: holds none of {', '.join(_OGB_RELATIONS)} (.gz).")
    kinds = _names(relations, ",")
    found = TableGraph()
    for path in files:
        frame = _frame(path, ",", None)
        beside = path.with_name(path.name.replace("edge", "edge_reltype"))
        frame.insert(1, "relation", _frame(beside, ",", None)[0])
        parts = path.parent.name.split("___")
        ends = []
        for of in (parts[0], parts[-1]) if len(parts) == 3 else ("", ""):
            name = f"{of}_entidx2name.csv" if of else "nodeidx2entityid.csv"
            if name not in known:
                raise InputError(f"{mapping}: lacks {name} (.gz), which names the entities.")
            entities = _names(known[name], ",")
            ends.append({key: f"{of}:{text}" if of else text for key, text in entities.items()})
        found.triples.append(_named(frame, path, ends[0], kinds, ends[1]))
    return found


_OPENKE = ("train2id.txt", "valid2id.txt", "test2id.txt")
_OGB_RELATIONS = ("reltype2relid.csv", "relidx2relname.csv")


@dataclass(frozen=True, slots=True)
class FolderForm:
    """A form that folders have.

    Attributes:
        name: Whose it is.
        files: What it is recognized by, for messages.
        find: The files with its triples, of a folder; empty: the folder has another form.
        read: Reads them.
    """

    name: str
    files: str
    find: Callable[[Path], Iterator[Path]]
    read: Callable[[Path, Iterable[Path]], TableGraph]


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
