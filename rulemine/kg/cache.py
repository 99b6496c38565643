"""A cache of large graphs, so that a file is parsed only once.

An entry is named after the SHA-256 of the bytes of the file that was read, so it is never stale: a
changed file has another name, whatever its time and size. Guarantees: the graph is the same as without
the cache; an entry appears whole or not at all; a damaged one is detected by its checksums, reported and
rebuilt; failing to write one is reported and harmless; nothing is ever unpickled.

An entry is a file of arrays as NumPy writes it (``.npz``): triples, source order, and as bytes in UTF-8 the
labels, a line each, the IRIs of relations, and a JSON object with the rest.
"""

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from rulemine.errors import OutputError
from rulemine.files import opened, whole_file
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.rdf import FORMATS

__all__ = ["LEAST_BYTES", "VARIABLE", "read_cached"]

VARIABLE = "RULEMINE_CACHE"
"""The environment variable that turns the cache off when it is ``off``."""

LEAST_BYTES = 50 << 20
"""Files smaller than this together are not worth an entry."""

VERSION = 7
"""Of the format; part of the name of every entry."""

_AT_ONCE = 1 << 22
_REST = ("digest", "duplicates", "trimmed", "left_out")

Note = Callable[[str], None]


def read_cached(
    path: Path, folder: Path, *, note: Note | None = None, least: int | None = None
) -> KnowledgeGraph:
    """Reads a graph as `KnowledgeGraph.read` does, from the cache if it has an entry.

    Args:
        path: Its file.
        folder: The folder of the cache; made when something is written.
        note: Called with warnings for the user, in whole sentences.
        least: Smallest file that is cached, in bytes; None: `LEAST_BYTES`.

    Raises:
        InputError: As `KnowledgeGraph.read`.
    """
    off = os.environ.get(VARIABLE, "").strip().lower() == "off"
    if off or not path.is_file() or path.stat().st_size < (LEAST_BYTES if least is None else least):
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
    try:
        # Named by the bytes that were read: the file may have changed since it was hashed.
        _write(_entry(folder, path, seen.hexdigest()), kg)
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


def _write(entry: Path, kg: KnowledgeGraph) -> None:
    texts = {
        "entities": kg.entities,
        "relations": kg.relations,
        "iris": kg.relation_iris.values(),
        "named": kg.relation_iris,
        "rest": (json.dumps({name: getattr(kg, name) for name in _REST}),),
    }
    arrays: dict[str, Any] = {
        name: np.frombuffer("".join(f"{line}\n" for line in some).encode(), np.uint8)
        for name, some in texts.items()
    }
    with whole_file(entry) as out:
        np.savez(out, triples=kg.triples, order=kg.source_order, **arrays)


def _read(entry: Path) -> KnowledgeGraph | None:
    """The graph of an entry; None when the entry is damaged or cannot be read."""
    try:
        with np.load(entry) as file:
            if file.zip.testzip():  # reading an array alone would not compare its checksum
                return None
            arrays = {name: file[name] for name in file}
        triples, order = arrays.pop("triples"), arrays.pop("order")
        texts = {name: tuple(a.tobytes().decode().split("\n")[:-1]) for name, a in arrays.items()}
        iris = dict(zip(texts["named"], texts["iris"], strict=True))
        rest = json.loads(texts["rest"][0])
        digest = rest.pop("digest")
        triples.flags.writeable = False
        kg = KnowledgeGraph(
            texts["entities"], texts["relations"], triples,
            source_order=order, relation_iris=iris, **rest,
        )  # fmt: skip
    except Exception:  # noqa: BLE001  # a damaged archive may break anything
        return None
    kg.__dict__["digest"] = digest  # it takes long to find
    return kg
