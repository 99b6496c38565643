"""Matrix products in one thread, so that their bytes do not depend on how many there are.

BLAS shares out a product among its threads, and how it does changes the order of sums and so their last bits.
"""

import ctypes
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np

__all__ = ["one_blas_thread"]

NAMES = "scipy_openblas_{}_num_threads64_", "openblas_{}_num_threads64_", "openblas_{}_num_threads"
"""What the functions are called in the wheels of numpy 2, of numpy 1 on 64 bits, and elsewhere."""


@contextmanager
def one_blas_thread() -> Iterator[bool]:
    """Has the OpenBLAS that comes with numpy's wheels compute in one thread, of the whole process.

    Yields:
        Whether there is one; another BLAS is left as it is.
    """
    package = Path(np.__file__).parent
    folders = package.with_name("numpy.libs"), package / ".dylibs"
    with ExitStack() as undo:
        libraries = [path for folder in folders for path in sorted(folder.glob("*openblas*"))]
        for library in map(ctypes.CDLL, map(str, libraries)):  # loaded already, so this finds it
            for name in NAMES:
                if hasattr(library, name.format("set")):
                    undo.callback(
                        getattr(library, name.format("set")),
                        getattr(library, name.format("get"))(),
                    )
                    getattr(library, name.format("set"))(1)
                    break
        yield bool(libraries)
