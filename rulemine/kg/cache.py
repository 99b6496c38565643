"""A cache of large graphs, so that a file is parsed only once.

An entry is named after the SHA-256 of the bytes of the file that was read, so it is never stale: a
changed file has another name, whatever its time and size. Guarantees: the graph is the same as without
the cache; an entry appears whole or not at all; a damaged one is detected by its checksum,
reported and rebuilt; failing to write one is reported and harmless; nothing is ever unpickled.

An entry is a line of JSON (sizes, and the digest of the graph), entity labels and relation labels (UTF-8,
LF after each), triples (int32) and source order (int32, int64 from 2³¹ triples on), all little endian, and
the SHA-256 of everything before it.
"""

import hashlib
import io
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from rulemine.errors import OutputError
from rulemine.files import opened, write_stream
from rulemine.kg.graph import KnowledgeGraph, row_type
from rulemine.kg.rdf import FORMATS

__all__ = ["LEAST_BYTES", "VARIABLE", "read_cached"]

VARIABLE = "RULEMINE_CACHE"
"""The environment variable that turns the cache off when it is ``off``."""

LEAST_BYTES = 50 << 20
"""Files smaller than this together are not worth an entry."""

VERSION = 6
"""Of the format; part of the name of every entry."""

_AT_ONCE = 1 << 22
_LONGEST_HEADER = 10_000
_TRIPLES = "<i4"

Note = Callable[[str], None]


def read_cached(
    path: Path, folder: Path, *, note: Note | None = None, least: int | None = None
) -> KnowledgeGraph:
    """Reads a graph as `KnowledgeGraph.read` does, from the cache where it is there.

    Args:
        path: Its file.
        folder: The folder of the cache; made when something is written.
        note: Called with warnings for the user, in whole sentences.
        least: Smallest file that is cached, in bytes; None: `LEAST_BYTES`.

    Raises:
        InputError: As `KnowledgeGraph.read`.
    """
    least = LEAST_BYTES if least is None else least
    off = os.environ.get(VARIABLE, "").strip().lower() == "off"
    if off or not path.is_file() or path.stat().st_size < least:
        return KnowledgeGraph.read(path)
    digest = _digest(path)
    entry = _entry(folder, path, digest or "")
    if digest and entry.is_file():
        kg = _read(entry)
        if kg is not None:
            return kg
        if note:
            note(f"{entry}: is damaged. The graph is read from {path} and the entry is rebuilt.")
    seen = hashlib.sha256()
    kg = KnowledgeGraph.read(path, watch=seen.update)
    # Named by the bytes that were read: the file may have changed since it was hashed.
    entry = _entry(folder, path, seen.hexdigest())
    try:
        write_stream(entry, _pieces(kg))
    except OutputError as problem:
        if note:
            note(f"The graph could not be cached. {problem}")
    return kg


def _entry(folder: Path, path: Path, digest: str) -> Path:
    # The same bytes are another graph in another format.
    kinds = "".join(part for part in path.suffixes[-2:] if part in (*FORMATS, ".gz", ".zst"))
    return folder / f"{digest}{kinds or '.tsv'}.{VERSION}.kg"


def _digest(path: Path) -> str | None:
    """The digest of a file; None where it is no text: it may be sparse, and larger than any disk."""
    digest = hashlib.sha256()
    compressed = path.suffix in (".gz", ".zst")
    with opened(path) as file:
        while block := file.read(_AT_ONCE):
            if not compressed and b"\0" in block:
                return None
            digest.update(block)
    return digest.hexdigest()


def _pieces(kg: KnowledgeGraph) -> Iterator[bytes]:
    digest = hashlib.sha256()
    for piece in _content(kg):
        digest.update(piece)
        yield piece
    yield digest.digest()


def _content(kg: KnowledgeGraph) -> Iterator[bytes]:
    # A name has no tab, so an IRI can follow one.
    iris = {name: f"{name}\t{iri}" for name, iri in kg.relation_iris.items()}
    lines = kg.entities, [iris.get(name, name) for name in kg.relations]
    labels = ["".join(f"{line}\n" for line in some).encode() for some in lines]
    header = {
        "labels": [len(blob) for blob in labels],
        "triples": len(kg.triples),
        "duplicates": kg.duplicates,
        "trimmed": kg.trimmed,
        "left_out": kg.left_out,
        "digest": kg.digest,
    }
    yield (json.dumps(header) + "\n").encode()
    yield from labels
    for array in (kg.triples, kg.source_order):
        kind = array.dtype.newbyteorder("<")
        for start in range(0, len(array), _AT_ONCE):
            yield array[start : start + _AT_ONCE].astype(kind).tobytes()


def _read(entry: Path) -> KnowledgeGraph | None:
    """The graph of an entry; None when the entry is damaged or cannot be read."""
    try:
        with entry.open("rb", buffering=0) as file:
            return _parse(file, entry.stat().st_size)
    except (OSError, ValueError, KeyError, TypeError, MemoryError):
        return None


def _parse(file: io.FileIO, size: int) -> KnowledgeGraph:
    """The graph of an open entry.

    Raises:
        ValueError: The entry is damaged; also KeyError and TypeError.
    """
    line = bytearray(os.pread(file.fileno(), _LONGEST_HEADER, 0).partition(b"\n")[0] + b"\n")
    file.seek(len(line))
    header = json.loads(line)
    n, lengths = int(header["triples"]), [int(length) for length in header["labels"]]
    order_type = np.dtype(row_type(n)).newbyteorder("<")
    parts = [*lengths, 12 * n, order_type.itemsize * n, hashlib.sha256().digest_size]
    if min(parts) < 0 or len(lengths) != 2 or len(line) + sum(parts) != size:
        raise ValueError("its size is not what it says")
    found = [np.fromfile(file, np.uint8, length) for length in parts]
    digest = hashlib.sha256(line)
    for part in found[:-1]:
        digest.update(part.data)
    if digest.digest() != found[-1].tobytes():
        raise ValueError("its checksum is wrong")
    entities, lines = (tuple(part.tobytes().decode("utf-8").split("\n")[:-1]) for part in found[:2])
    relations = tuple(line.partition("\t")[0] for line in lines)
    iris = dict(line.split("\t") for line in lines if "\t" in line)
    triples = found[2].view(_TRIPLES).reshape(n, 3).astype(np.int32, copy=False)
    triples.flags.writeable = False
    order = found[3].view(order_type).astype(row_type(n), copy=False)
    duplicates, trimmed, said = header["duplicates"], header["trimmed"], header["left_out"]
    kg = KnowledgeGraph(entities, relations, triples, duplicates, order, trimmed, said, iris)
    kg.__dict__["digest"] = str(header["digest"])  # it takes long to find
    return kg
