"""Arrays between stages, one .npy file each: equal arrays give equal bytes, and nothing is pickled."""

import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rulemine.errors import InputError
from rulemine.files import read_bytes, write_bytes

__all__ = ["read_arrays", "write_arrays"]


def write_arrays(folder: Path, **arrays: npt.NDArray[Any]) -> None:
    """Writes each array to a file named after it, in ``.npy`` format 1.0, C order.

    Raises:
        OutputError: The folder cannot be written.
    """
    for name, array in arrays.items():
        content = io.BytesIO()
        np.lib.format.write_array(
            content, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False
        )
        write_bytes(folder / f"{name}.npy", content.getvalue())


def read_arrays(folder: Path, names: Iterable[str]) -> list[npt.NDArray[Any]]:
    """Reads arrays that `write_arrays` wrote, in the order of the names.

    Raises:
        InputError: A file is missing or damaged.
    """
    arrays: list[npt.NDArray[Any]] = []
    for name in names:
        path = folder / f"{name}.npy"
        try:
            content = io.BytesIO(read_bytes(path))
            arrays.append(np.lib.format.read_array(content, allow_pickle=False))
        except ValueError as problem:
            raise InputError(
                f"{path}: is not a complete array ({problem}). Delete its folder and run again."
            ) from None
    return arrays
