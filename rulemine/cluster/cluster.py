"""Sends work to the workers of a scheduler, and does it there: `Cluster` is the client, `do_task` a worker.

Guarantees: results are those of the same calls in this process, whatever the number of workers, their order
and their failures; a task whose worker died is done again; what ends a run is one sentence. A worker does one
task at a time, whatever the number of its threads, so that what does the work need not be safe for threads;
one with another rulemine, numpy, Python or Java than the client does none.

A function and all that it holds travel once to each machine, as files: each is named by the SHA-256 of its
bytes, and is checked before it is used; arrays are files of their own that are mapped into memory, so that
processes of one machine share them; so are the objects of `ALONE`, which a process has once, however many
functions hold them. A file is the bytes of an array, or a line of JSON with the names of its arrays and a
pickle.
"""

import hashlib
import io
import json
import mmap
import os
import pickle
import platform
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np
from distributed import Client, Future, as_completed, get_worker
from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker

import rulemine
from rulemine.errors import ClusterError, HeapError, JavaError, OutputError
from rulemine.kg.graph import KnowledgeGraph
from rulemine.mining.java_home import find_jvm
from rulemine.mining.options import take_part

__all__ = ["ALONE", "AwayError", "Cluster", "Packer", "Unpacker", "lacking", "receive", "versions"]

Item = TypeVar("Item")
Result = TypeVar("Result")

TRIES = 3
"""How often a task is handed in again that the scheduler gave up because several workers died of it."""

MOST_TRIES = 20
"""How often a task is handed in again because its worker lacked its files, which are sent first."""

PIECE = 16 << 20
"""Bytes that are sent at once."""

_GONE = (CancelledError, CommClosedError, OSError, TimeoutError)

ALONE = (KnowledgeGraph,)
"""Dataclasses whose objects are files of their own."""

LEAST_BYTES = 1 << 16
"""Smaller arrays stay in the pickle."""

_at_work = threading.Lock()


class AwayError(Exception):
    """The machine of a worker lacks files.

    Attributes:
        address: The worker that lacks them.
        names: Their names.
    """

    def __init__(self, address: str, names: tuple[str, ...]) -> None:
        self.address, self.names = address, names
        super().__init__(address, names)


class Packer:
    """Writes functions with all that they hold to a folder, see the head of this file."""

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
    """Reads what was packed, for one task at a time; keeps the function read last, and the objects in it."""

    def __init__(self) -> None:
        """Begins with nothing."""
        self._last: tuple[str, Callable[..., Any]] | None = None
        self._objects: WeakValueDictionary[str, Any] = WeakValueDictionary()

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
        if self._last is None or self._last[0] != names[0]:
            paths = {name: _whole(name, folders) for name in names}
            if away := tuple(name for name, path in paths.items() if path is None):
                raise AwayError(address, away)
            known = {name: path for name, path in paths.items() if path}
            self._last = names[0], self._load(names[0], known)
        return self._last[1]

    def _load(self, name: str, paths: dict[str, Path]) -> Any:
        if name in self._objects:
            return self._objects[name]
        line, _, stream = paths[name].read_bytes().partition(b"\n")
        buffers = [_mapped(paths[array]) for array in json.loads(line)]
        # The workers of a scheduler run whatever its clients send; see docs/mining.md.
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
    """The file whose name is its digest, in the first folder where that is true; None: in none."""
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


_unpacker = Unpacker()


@cache
def versions() -> Mapping[str, str]:
    """What has to be the same on all machines → its version here."""
    home = Path(rulemine.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(home.rglob("*")):
        if path.suffix in (".py", ".toml", ".jar"):
            digest.update(f"{path.relative_to(home).as_posix()}\n".encode())
            digest.update(path.read_bytes())
    return {
        "rulemine": f"{rulemine.__version__} (sources {digest.hexdigest()[:12]})",
        "Python": platform.python_version(),
        "numpy": np.__version__,
        "Java": _java_version(),
    }


def _java_version() -> str:
    with suppress(JavaError, OSError):
        text = (find_jvm().parents[2] / "release").read_text("utf-8")
        if found := re.search(r'JAVA_VERSION="([^"]+)"', text):
            return found[1]
    return "of an unknown version"


def do_task(order: bytes) -> Any:
    """Does one task.

    Args:
        order: Pickled: the versions of the client, the names of the files of the function, the folder where
            the client has them, and the item, pickled by itself.

    Raises:
        ClusterError: This worker has other versions.
        AwayError: Files have to be sent first.
    """
    theirs, names, folder, item = pickle.loads(order)  # noqa: S301
    worker = get_worker()
    for name, here in versions().items():
        if theirs.get(name) != here:
            raise ClusterError(
                f"the worker {worker.address} has {name} {here}, and the client {name} {theirs.get(name)}; "
                "with both the same, so are the results. Install the same versions on all machines, and "
                "restart the workers."
            )
    with _at_work:
        take_part(worker.state.nthreads, worker.memory_manager.memory_limit)
        function = _unpacker.function(names, (Path(folder), _store(worker)), worker.address)
        try:
            return function(pickle.loads(item))  # noqa: S301
        except HeapError as problem:
            limit = worker.memory_manager.memory_limit
            raise ClusterError(
                f"the worker {worker.address}: {str(problem).partition('. Raise it')[0]}. The Java heap of a "
                f"worker is half of its memory limit{f', {limit >> 20} MiB' if limit else ''}. Start workers "
                "with more memory (--memory-limit), or fewer on a machine."
            ) from None


def _store(worker: Any) -> Path:
    """Where files of clients are kept: beside the folders of the workers of this machine."""
    return Path(worker.local_directory).parent / "rulemine"


def lacking(names: tuple[str, ...], *, dask_worker: Any) -> tuple[str, ...]:
    """Those of the files that were not sent to this machine yet; Dask gives the worker by this name."""
    folder = _store(dask_worker)
    return tuple(name for name in names if _whole(name, (folder,)) is None)


def receive(name: str, start: int, piece: bytes, *, last: bool, dask_worker: Any) -> None:
    """Stores a piece of a file.

    Args:
        name: The file.
        start: Where the piece begins, in bytes; pieces come in order.
        piece: The bytes.
        last: Whether the file is whole with it.
        dask_worker: This worker; Dask gives it by this name.
    """
    store = _store(dask_worker)
    store.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = store / f"{name}.{os.getpid()}"
    with part.open("r+b" if start else "wb") as file:
        file.seek(start)
        file.write(piece)
    if last:
        part.replace(store / name)


class Cluster:
    """The workers of a scheduler."""

    def __init__(self, client: Client, address: str, packer: Packer) -> None:
        """Uses a scheduler that is there.

        Args:
            client: Connected to it.
            address: As the user gave it, for messages.
            packer: Where functions are kept that the workers read.
        """
        self._client, self._address, self._packer = client, address, packer
        self._seen = str(packer.folder.absolute())
        self._sent: set[tuple[str, tuple[str, ...]]] = set()

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Calls a function with each of the items, on the workers.

        Args:
            function: What can be pickled, and gives the same when it is called twice: a function of a module,
                or a `functools.partial` of one. What it holds travels once to each machine.
            items: What it is called with, one at a time.

        Yields:
            The results, in the order of the items.

        Raises:
            ClusterError: The scheduler is gone, a worker has other versions, or a task ends every worker.
            OutputError: What the workers read cannot be written.
        """
        early: dict[int, Result] = {}
        due = 0
        for place, result in self._finished(function, items):
            early[place] = result
            while due in early:
                yield early.pop(due)
                due += 1

    def unordered(
        self, function: Callable[[Item], Result], items: Sequence[Item]
    ) -> Iterator[Result]:
        """As `map`, but yields the results as they come; the items at the front begin first.

        Items that are appended while a result is looked at are done before those that have not begun.
        """
        for _, result in self._finished(function, items):
            yield result

    def _finished(
        self, function: Callable[[Any], Any], items: Sequence[Any]
    ) -> Iterator[tuple[int, Any]]:
        names = self._packer.pack(function)
        head = dict(versions()), names, self._seen
        begun = len(items)
        places: dict[Future[Any], int] = {}
        given_up: Counter[int] = Counter()

        # What is done again or came later has waited long enough, and goes first.
        def hand_in(place: int, priority: int = 1) -> Future[Any]:
            future = self._client.submit(
                do_task,
                pickle.dumps((*head, pickle.dumps(items[place]))),
                pure=False,  # what is done again is another task
                priority=priority,
            )
            places[future] = place
            return future

        try:
            waiting = as_completed(
                [hand_in(place, 0) for place in range(begun)], loop=self._client.loop
            )
            for future in waiting:
                place = places.pop(future)
                # What is lost ended with its worker before it was fetched; the scheduler does it again.
                if future.status in ("finished", "lost", "pending"):
                    yield place, self._result(future)
                    waiting.update([hand_in(later) for later in range(begun, len(items))])
                    begun = len(items)
                    continue
                if future.status != "error":
                    raise self._gone()
                problem = future.exception()
                given_up[place] += 1
                if isinstance(problem, AwayError) and given_up[place] <= MOST_TRIES:
                    self._send(problem)
                elif not isinstance(problem, KilledWorker) or given_up[place] > TRIES:
                    raise self._explained(problem)
                waiting.add(hand_in(place))
        finally:
            if places and self._client.status == "running":
                with suppress(*_GONE):
                    self._client.cancel(list(places))

    def _result(self, future: Future[Any]) -> Any:
        try:
            return future.result()
        except _GONE:
            raise self._gone() from None

    def _send(self, away: AwayError) -> None:
        """Sends files to the machine of a worker; where that fails, the task will ask again."""
        if (away.address, away.names) in self._sent:
            return
        with suppress(*_GONE, KeyError, ValueError):
            for name in self._ask(away.address, lacking, away.names):
                with (self._packer.folder / name).open("rb") as file:
                    size = os.fstat(file.fileno()).st_size
                    for start in range(0, size, PIECE):
                        last = start + PIECE >= size
                        self._ask(away.address, receive, name, start, file.read(PIECE), last=last)
            self._sent.add((away.address, away.names))

    def _ask(self, address: str, function: Callable[..., Any], *given: Any, **named: Any) -> Any:
        return self._client.run(function, *given, workers=[address], **named)[address]

    def _gone(self) -> ClusterError:
        return ClusterError(
            f"{self._address}: the scheduler is gone. Give the same command again once there is one: "
            "finished stages, answers and scores are kept; what was being mined is mined anew."
        )

    def _explained(self, problem: BaseException) -> BaseException:
        if isinstance(problem, KilledWorker):
            return ClusterError(
                f"{self._address}: every worker that began one of the tasks died of it, the last at "
                f"{problem.last_worker.address}. Most likely it needs more memory than a worker may have. "
                "Start workers with more (--memory-limit), or fewer on a machine."
            )
        if isinstance(problem, AwayError):
            return ClusterError(
                f"{self._address}: the worker {problem.address} cannot keep what it needs in its local "
                "directory. Free space there, or start it with another --local-directory."
            )
        if isinstance(problem, ImportError):
            return ClusterError(
                f"{self._address}: a worker cannot import what it is to do ({problem}). Install "
                f"rulemine {versions()['rulemine']} with the extra cluster on all machines."
            )
        return problem
