"""Loads knowledge graphs and labels, from files or from named data sets.

Data sets are described in ``sources.toml``, or by other packages through the entry-point group
``rulemine.datasets`` (see ``docs/extending.md``). Files are looked for below ``$RULEMINE_DATA``,
``./data`` and the cache, in this order, and downloaded into the cache on request; every file is checked
against its digest before it is used.
"""

import hashlib
import io
import os
import tarfile
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from rulemine.config import packaged, read_toml
from rulemine.errors import DatasetError, InputError, counted, did_you_mean, list_problems
from rulemine.files import digest_of, read_bytes, read_lines, write_bytes
from rulemine.kg.cache import read_cached
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.rdf import is_rdf, read_text_labels
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
]

Progress = Callable[[int, int], None]

_HEADERS = (
    {"subject", "subj", "head", "source", "from", "s", "h"},
    {"relation", "relationship", "rel", "predicate", "pred", "property", "p", "r"},
    {"object", "obj", "tail", "target", "to", "o", "t"},
)
"""Names of the columns in header lines, in lower case."""

DATA_VARIABLE = "RULEMINE_DATA"
SECONDS_TO_CONNECT = 30


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of a data set.

    Attributes:
        path: Its path below a data folder.
        url: Its download address.
        bytes: Size of the download's content; 0 if unknown.
        sha256: Accepted digests of the content, hexadecimal; empty if only `blob` is known.
        member: Its name inside the .tar.gz that `url` names; empty if `url` is the file itself.
        blob: Its id as a git blob, hexadecimal: SHA-1 of ``blob <size>``, a NUL and the content. Known
            from a repository's listing without the file; empty for most.
    """

    path: str
    url: str
    bytes: int
    sha256: tuple[str, ...]
    member: str = ""
    blob: str = ""

    @property
    def accepted(self) -> tuple[str, ...]:
        """The accepted digests: SHA-256 if known, otherwise the id as a git blob."""
        return self.sha256 or (self.blob,)


def _digest(file: SourceFile, content: bytes) -> str:
    """The digest of the content, of the same kind as the accepted digests of the file."""
    return digest_of(content) if file.sha256 else blob_of(content)


def blob_of(content: bytes) -> str:
    """The id of a content as a git blob, hexadecimal.

    Example:
        >>> blob_of(b"hello")
        'b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0'
    """
    head = f"blob {len(content)}\0".encode()
    return hashlib.sha1(head + content, usedforsecurity=False).hexdigest()


@dataclass(frozen=True, slots=True)
class DataSet:
    """A named data set.

    Attributes:
        title: What it is, in one line.
        kind: ``kg`` or ``labels``.
        source: Where it comes from.
        license: Its license.
        citation: What to cite.
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


@cache
def data_sets() -> Registry[DataSet]:
    """Name → data set: those of ``sources.toml`` in its order, then those of other packages."""
    table: dict[str, Any] = read_toml(packaged("datasets", "sources.toml"))
    files = {
        path: SourceFile(
            path,
            row["url"],
            row.get("bytes", 0),
            tuple(row.get("sha256", ())),
            row.get("member", ""),
            row.get("blob", ""),
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


def cache_folder() -> Path:
    """Where downloads go: ``rulemine`` below ``$XDG_CACHE_HOME`` or ``~/.cache``."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "rulemine"


def data_folders() -> tuple[Path, ...]:
    """The folders that are searched, in order."""
    named = os.environ.get(DATA_VARIABLE)
    return (*([Path(named)] if named else []), Path("data"), cache_folder())


def describe_folders() -> str:
    """Describes the folders that are searched, for a message."""
    named = os.environ.get(DATA_VARIABLE)
    rest = f"{Path('data').absolute()} or {cache_folder()}"
    if not named:
        return rest
    lost = "" if Path(named).is_dir() else " (no such folder)"
    return f"{named}{lost} (from {DATA_VARIABLE}), {rest}"


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
    return (*own, *(_find(file) for file in wanted.files))


def _find(file: SourceFile) -> Path | None:
    for folder in data_folders():
        for path in (folder / file.path, folder / f"{file.path}.gz"):
            if path.is_file():
                found = _digest(file, read_bytes(path))
                if found not in file.accepted:
                    raise DatasetError(
                        f"{path}: has digest {found}; {' or '.join(file.accepted)} was expected, so it "
                        "is another version. Replace it, or name your file by its path."
                    )
                return path
    return None


def get_files(name: str, progress: Progress | None = None) -> tuple[Path, ...]:
    """The files of a data set; missing ones are downloaded into the cache.

    Raises:
        DatasetError: There is no such data set, or it cannot be downloaded; says where to put its files.
    """
    wanted = data_set(name)
    own = () if wanted.path is None else (wanted.path,)
    return (*own, *(_find(file) or _download(name, file, progress) for file in wanted.files))


def _download(name: str, file: SourceFile, progress: Progress | None) -> Path:
    try:
        content = _fetch(file.url, progress)
        if file.member:
            with tarfile.open(fileobj=io.BytesIO(content), mode="r:gz") as archive:
                member = archive.extractfile(file.member)
                content = member.read() if member else b""
    except (OSError, KeyError, tarfile.TarError, EOFError) as problem:
        reason = getattr(problem, "reason", None) or problem
        raise DatasetError(
            f"data set {name}: {file.path} not found below {describe_folders()}, and cannot be downloaded "
            f"from {file.url} ({reason}). Put it there, e.g. at {data_folders()[0] / file.path}, or name "
            f"the folder that holds it: {DATA_VARIABLE}=…"
        ) from None
    if (found := _digest(file, content)) not in file.accepted:
        raise DatasetError(
            f"data set {name}: the download from {file.url} has digest {found}; expected "
            f"{file.accepted[0]}. The download was discarded. Try again, or get the file from its source."
        )
    path = cache_folder() / f"{file.path}.gz"
    write_bytes(path, content)
    return path


def _fetch(url: str, progress: Progress | None) -> bytes:
    if not url.startswith("https://"):
        raise OSError(f"{url} is not an https address")
    parts: list[bytes] = []
    with urllib.request.urlopen(url, timeout=SECONDS_TO_CONNECT) as answer:  # noqa: S310
        total = int(answer.headers.get("Content-Length") or 0)
        done = 0
        while part := answer.read(1 << 20):
            parts.append(part)
            done += len(part)
            if progress:
                progress(done, total)
    return b"".join(parts)


def _resolve(name: str, progress: Progress | None) -> tuple[Path, ...]:
    # Names take precedence over files: a folder named "family" must not hide the data set.
    if name in data_sets():
        return get_files(name, progress)
    path = Path(name)
    if path.exists() or "/" in name or path.suffix:
        return (path,)
    data_set(name)
    return ()


def files_of(name: str) -> list[Path]:
    """The existing files of a data set, or the file of a path; reads nothing."""
    if name not in data_sets():
        return [Path(name)] if Path(name).is_file() else []
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
) -> KnowledgeGraph:
    """Loads a knowledge graph by the name of a data set or the path of a file: TSV, N-Triples or Turtle.

    A large file is parsed once and then read from the cache, see `rulemine.kg.cache`.

    Args:
        name: The name or the path.
        progress: Called with (bytes, all bytes) of a download.
        note: Called with a sentence if names were trimmed or triples left out, or the cache is damaged or
            cannot be written.

    Raises:
        DatasetError: The data set is unknown or not available.
        InputError: The file is not a knowledge graph.
    """
    paths = _resolve(name, progress)
    if len(paths) > 1:
        kg = KnowledgeGraph.read(*paths)
    else:
        kg = read_cached(paths[0], cache_folder() / "graphs", note=note)
    _refuse_header(name, kg)
    if kg.trimmed and note:
        note(f"{name}: white space around {counted(kg.trimmed, 'name')} was trimmed.")
    literals, texts, blanks = kg.left_out
    if (literals or blanks) and note:
        note(
            f"{name}: left out {counted(literals, 'triple')} with a literal ({texts:,} of them labels) and "
            f"{blanks:,} with a blank node: neither can be asked about."
        )
    return kg


def _refuse_header(name: str, kg: KnowledgeGraph) -> None:
    """Refuses a graph with a header line, which would become a triple.

    Raises:
        InputError: The first line names columns, and no other triple has that "relation".
    """
    first = kg.labeled(kg.source_order[:1])[0]
    words = tuple(word.strip("#\"' ").lower().removesuffix("_id") for word in first)
    alone = kg.relation_sizes()[kg.relation_ids[first[1]]] == 1
    if alone and all(word in known for word, known in zip(words, _HEADERS, strict=True)):
        raise InputError(
            f"{name}: line 1, {' '.join(first)!r}, names the columns; a triple was expected. Remove that "
            "line (tail -n +2), or, if it is a triple, move it down."
        )


def load_labels(name: str, progress: Progress | None = None) -> dict[str, str]:
    """Loads entity → text label, by the name of a data set or the path of a file.

    A file has two columns of TSV, or is a graph in RDF (see `rulemine.kg.rdf`).

    Raises:
        DatasetError: The data set is unknown or not available.
        InputError: The file is not text, or a line does not have two non-empty columns.
    """
    labels: dict[str, str] = {}
    for path in _resolve(name, progress):
        _read_labels(path, labels)
    corrected: dict[str, str] = {}
    if name in data_sets() and (corrections := data_sets()[name].corrections):
        _read_labels(corrections, corrected)
    return labels | corrected


def _read_labels(path: Path, labels: dict[str, str]) -> None:
    """Adds the labels of a file.

    Raises:
        InputError: As `load_labels`.
    """
    if is_rdf(path):
        labels.update(read_text_labels(path))
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
