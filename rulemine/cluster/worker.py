"""What runs on a worker.

Guarantees: a process does one task at a time, whatever the number of its threads, so that what does the work
need not be safe for threads; a worker with another rulemine, numpy, Python or Java than the client does none.
"""

import os
import pickle
import platform
import re
import threading
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from distributed import get_worker

import rulemine
from rulemine.cluster.parcel import Unpacker, file_digest
from rulemine.errors import ClusterError, HeapError, JavaError
from rulemine.mining.java_home import find_jvm
from rulemine.mining.options import take_part

__all__ = ["do_task", "lacking", "receive", "versions"]

_at_work = threading.Lock()
_unpacker = Unpacker()


@cache
def versions() -> Mapping[str, str]:
    """What has to be the same on all machines → its version here."""
    home = Path(rulemine.__file__).parent
    digest = sha256()
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
        library = find_jvm()
        for folder in library.parents[:4]:
            if (said := folder / "release").is_file():
                found = re.search(r'JAVA_VERSION="([^"]+)"', said.read_text("utf-8"))
                return found[1] if found else "of an unknown version"
        return "of an unknown version"
    return "none"


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
    store = _store(dask_worker)
    return tuple(
        name for name in names if not (path := store / name).is_file() or file_digest(path) != name
    )


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
