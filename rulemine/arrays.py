"""Arrays between stages, one .npy file each, sets of their values, and data frames.

Guarantee: equal arrays give equal bytes, and nothing is pickled. pandas is loaded only when a frame is made.
"""

import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from rulemine.errors import InputError, UserError
from rulemine.files import read_bytes, write_bytes

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Places", "among", "distinct", "frame", "read_arrays", "write_arrays"]


SLOTS = 4
"""Slots of a table of hashes for each of its values, at least; of four bytes, and at most twice as many."""

MOST_HASHED = 1 << 21
"""Values of which there is such a table: up to 64 MiB."""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""2⁶⁴ over the golden ratio, odd: the upper bits of its products are spread evenly."""


def frame(columns: Mapping[str, Any]) -> "pd.DataFrame":
    """Makes a data frame from named columns of equal length, in that order.

    Raises:
        UserError: pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError:
        raise UserError(
            "to_pandas() needs the package pandas, which is not installed: "
            "pip install 'rulemine[pandas]'."
        ) from None
    return pd.DataFrame(dict(columns))


_Number = TypeVar("_Number", bound=np.generic)


def among(values: npt.NDArray[_Number], ordered: npt.NDArray[_Number]) -> npt.NDArray[np.bool_]:
    """Which of some values are in an ascending array: ``numpy.isin``, which takes longer for few values.

    Both have one type, or the array would be converted as a whole.
    """
    if not len(ordered):
        return np.zeros(len(values), bool)
    found: npt.NDArray[np.bool_] = ordered.take(ordered.searchsorted(values), mode="clip") == values
    return found


class Places:
    """The places of values in one array, for many values that may be there or not.

    A table of hashes gives most of them at once; only values of which the place in it is another's are
    searched for.

    Args:
        ordered: The array, ascending, each value once: int64, or of bytes, which are all searched for.
    """

    def __init__(self, ordered: npt.NDArray[Any]) -> None:
        self._ordered = ordered
        self._table: npt.NDArray[np.int32] | None = None
        if ordered.dtype == np.int64 and 0 < len(ordered) <= MOST_HASHED:
            bits = (SLOTS * len(ordered)).bit_length()
            self._shift = np.uint64(64 - bits)
            self._table = np.full(1 << bits, -1, np.int32)
            self._table[self._slots(ordered)] = np.arange(len(ordered), dtype=np.int32)

    def of(self, values: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """The place of each of some values, −1 for what is not there; shape (n,), in any order."""
        if self._table is None:
            return self._searched(values)
        found = self._table.take(self._slots(values)).astype(np.int64)
        others = ((self._ordered.take(found, mode="wrap") != values) & (found >= 0)).nonzero()[0]
        found[others] = self._searched(values[others])
        return found

    def _searched(self, values: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        if not len(self._ordered):
            return np.full(len(values), -1)
        order = np.argsort(values)  # many are found in a tenth of the time in order
        at = np.empty(len(values), np.int64)
        at[order] = np.searchsorted(self._ordered, values[order])
        at[at == len(self._ordered)] = 0
        return np.where(self._ordered[at] == values, at, -1)

    def _slots(self, values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        hashed = values.view(np.uint64) * _GOLDEN
        hashed >>= self._shift
        return hashed.view(np.int64)


def distinct(values: npt.NDArray[_Number]) -> npt.NDArray[_Number]:
    """The distinct values of an array, ascending: what ``numpy.unique(values)`` gives.

    From numpy 2.3 on that hashes where no counts or indices are asked for: on five million int64, 4 seconds
    against 0.1 for sorting.

    Args:
        values: Of any shape; without NaN.
    """
    ordered = np.sort(values, axis=None)
    new = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return ordered[new]


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
