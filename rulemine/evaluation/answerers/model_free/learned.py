"""What answerers learn on a graph: kept in a folder, and learned in one thread.

Guarantee: the bytes of what is learned do not depend on the number of threads.
"""

import ctypes
import hashlib
import io
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from rulemine.errors import InputError
from rulemine.files import read_bytes, write_bytes

__all__ = ["kept", "one_blas_thread", "read_numbers", "write_numbers"]

T = TypeVar("T")

NAMES = "scipy_openblas_{}_num_threads64_", "openblas_{}_num_threads64_", "openblas_{}_num_threads"
"""What the functions are called in the wheels of numpy 2, of numpy 1 on 64 bits, and elsewhere."""


def kept(
    folder: Path | None,
    name: str,
    made_from: object,
    learn: Callable[[], T],
    write: Callable[[Path, T], object],
    read: Callable[[Path], T],
) -> T:
    """What was learned, from a folder if it is there, else learned and kept there.

    Args:
        folder: The folder; None: nothing is kept.
        name: The name of the file, ``{}`` where the digest of what it is made from comes.
        made_from: What it is made from, in a form whose ``repr`` says all of it.
        learn: Learns it.
        write: Writes it.
        read: Reads what was written.

    Raises:
        InputError: The file is damaged.
    """
    if folder is None:
        return learn()
    path = folder / name.format(hashlib.sha256(repr(made_from).encode()).hexdigest()[:16])
    if not path.exists():
        found = learn()
        folder.mkdir(parents=True, exist_ok=True)
        write(path, found)
        return found
    try:
        return read(path)
    except (InputError, ValueError, OSError, EOFError, zipfile.BadZipFile) as problem:
        raise InputError(f"{path}: is no whole file. Delete it and run again.") from problem


def read_numbers(path: Path) -> list[npt.NDArray[Any]]:
    """The arrays that `write_numbers` wrote."""
    with np.load(io.BytesIO(read_bytes(path)), allow_pickle=False) as file:
        return list(file.values())


def write_numbers(path: Path, arrays: tuple[npt.NDArray[Any], ...]) -> None:
    """Writes arrays, in their order, to a file that is there as a whole or not at all."""
    content = io.BytesIO()
    np.savez(content, *arrays)
    write_bytes(path, content.getvalue())


@contextmanager
def one_blas_thread() -> Iterator[bool]:
    """Has the OpenBLAS that comes with numpy's wheels compute in one thread, of the whole process.

    BLAS shares out a product among its threads, which changes the order of sums and so their last bits.

    Yields:
        Whether there is one; another BLAS is left as it is.
    """
    package = Path(np.__file__).parent
    folders = package.with_name("numpy.libs"), package / ".dylibs"
    with ExitStack() as undo:
        libraries = [path for folder in folders for path in sorted(folder.glob("*openblas*"))]
        for library in map(ctypes.CDLL, map(str, libraries)):  # loaded already, so this finds it
            name = next((name for name in NAMES if hasattr(library, name.format("set"))), None)
            if name is not None:
                set_threads = getattr(library, name.format("set"))
                undo.callback(set_threads, getattr(library, name.format("get"))())
                set_threads(1)
        yield bool(libraries)
