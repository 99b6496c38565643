"""A function and all that it holds, as files that travel once to each machine.

Guarantees: a file is named by the SHA-256 of its bytes, and is checked before it is used; arrays are files of
their own that are mapped into memory, so processes of one machine share them; so are the objects of `ALONE`,
which a process has once, however many functions hold them.

A file is the bytes of an array, or a line of JSON with the names of its arrays and a pickle.
"""

import hashlib
import io
import json
import mmap
import pickle
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

from rulemine.errors import OutputError
from rulemine.kg.graph import KnowledgeGraph

__all__ = ["ALONE", "AwayError", "Packer", "Unpacker", "file_digest"]

ALONE = (KnowledgeGraph,)
"""Dataclasses whose objects are files of their own."""

LEAST_BYTES = 1 << 16
"""Smaller arrays stay in the pickle."""


class AwayError(Exception):
    """Files that are not to be had on this machine.

    Attributes:
        address: The worker that lacks them.
        names: Their names.
    """

    def __init__(self, address: str, names: tuple[str, ...]) -> None:
        self.address, self.names = address, names
        super().__init__(address, names)


class Packer:
    """Writes functions to a folder."""

    def __init__(self, folder: Path) -> None:
        """Begins.

        Args:
            folder: Where the files are written; made when there is one.
        """
        self.folder = folder
        self._done: WeakKeyDictionary[object, tuple[str, ...]] = WeakKeyDictionary()

    def pack(self, thing: object) -> tuple[str, ...]:
        """Writes what can be pickled.

        Returns:
            The names of its files, its own first.

        Raises:
            OutputError: A file cannot be written.
        """
        arrays: list[str] = []
        below: dict[str, None] = {}

        def keep(buffer: pickle.PickleBuffer) -> bool:
            raw = buffer.raw()
            if raw.nbytes < LEAST_BYTES:
                return True
            arrays.append(self._write(raw))
            return False

        def named(one: object) -> str | None:
            if one is thing or not isinstance(one, ALONE):
                return None
            if one not in self._done:
                self._done[one] = self.pack(replace(one))  # without what was derived from it
            below.update(dict.fromkeys(self._done[one]))
            return self._done[one][0]

        stream = io.BytesIO()
        pickler = pickle.Pickler(stream, protocol=5, buffer_callback=keep)
        pickler.persistent_id = named  # type: ignore[method-assign]
        pickler.dump(thing)
        own = self._write(json.dumps(arrays).encode() + b"\n", stream.getbuffer())
        return tuple(dict.fromkeys((own, *arrays, *below)))

    def _write(self, *pieces: bytes | memoryview) -> str:
        digest = hashlib.sha256()
        for piece in pieces:
            digest.update(piece)
        path = self.folder / digest.hexdigest()
        try:
            if not path.exists():
                self.folder.mkdir(parents=True, exist_ok=True)
                # No other process writes here, and workers are told of a file when it is whole.
                with path.open("wb") as file:
                    for piece in pieces:
                        file.write(piece)
        except OSError as problem:
            raise OutputError(
                f"{path}: what the workers need cannot be written ({problem.strerror}). Free space, or name "
                "another folder for caches by XDG_CACHE_HOME."
            ) from None
        return path.name


class Unpacker:
    """Reads what was packed; keeps the function that was read last, and the objects in it."""

    def __init__(self) -> None:
        """Begins with nothing."""
        self._last: tuple[str, Callable[..., Any]] | None = None
        self._objects: WeakValueDictionary[str, Any] = WeakValueDictionary()
        self._lock = threading.Lock()

    def function(
        self, names: tuple[str, ...], folders: tuple[Path, ...], address: str
    ) -> Callable[..., Any]:
        """The function of these files.

        Args:
            names: What `Packer.pack` returned.
            folders: Where the files may be.
            address: Of this worker, for the error.

        Raises:
            AwayError: Files are in none of the folders, or not whole.
        """
        with self._lock:
            if self._last is not None and self._last[0] == names[0]:
                return self._last[1]
            paths = {name: _whole(name, folders) for name in names}
            if away := tuple(name for name, path in paths.items() if path is None):
                raise AwayError(address, away)
            found = self._load(names[0], {name: path for name, path in paths.items() if path})
            self._last = names[0], found
            return self._last[1]

    def _load(self, name: str, paths: dict[str, Path]) -> Any:
        if name in self._objects:
            return self._objects[name]
        line, _, stream = paths[name].read_bytes().partition(b"\n")
        buffers = [_mapped(paths[array]) for array in json.loads(line)]
        # The workers of a scheduler run whatever its clients send; see docs/cluster.md.
        unpickler = pickle.Unpickler(io.BytesIO(stream), buffers=buffers)  # noqa: S301
        unpickler.persistent_load = lambda own: self._load(own, paths)  # type: ignore[method-assign]
        thing = unpickler.load()
        if isinstance(thing, ALONE):
            self._objects[name] = thing
        return thing


def _mapped(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _whole(name: str, folders: tuple[Path, ...]) -> Path | None:
    """The first of the files of a name whose bytes are those of the name."""
    for folder in folders:
        path = folder / name
        with suppress(OSError):  # another user's, or it has just been removed
            if path.is_file() and file_digest(path) == name:
                return path
    return None


def file_digest(path: Path) -> str:
    """The SHA-256 of a file, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
