"""Named random streams derived from one seed.

Each random choice has a stream of its own, named after what it draws, so that adding a draw in one place
changes no other. The streams depend only on the seed and their names: not on Python's hash seed, the
clock, the machine, or the version of numpy (numpy keeps the raw output of PCG64 stable, but not its
sampling methods, so only the former is used).
"""

import hashlib

import numpy as np
import numpy.typing as npt

from rulemine.errors import ConfigError

__all__ = ["Stream", "check_seed", "stream"]

_FEW = 2**11

LARGEST_SEED = 2**63 - 1
"""Fits into the integers of every language and file format that a seed may be written in."""


def check_seed(seed: int) -> None:
    """Checks a seed.

    Raises:
        ConfigError: It is negative, or above `LARGEST_SEED`.
    """
    if not 0 <= seed <= LARGEST_SEED:
        raise ConfigError(f"seed is {seed}; expected a whole number from 0 to {LARGEST_SEED}.")


class Stream:
    """A stream of random numbers; see `stream`."""

    def __init__(self, state: int) -> None:
        self._bits = np.random.PCG64(state)

    def uniform(self, n: int) -> npt.NDArray[np.float64]:
        """`n` numbers drawn uniformly from [0, 1), multiples of 2⁻⁵³."""
        raw = np.asarray(self._bits.random_raw(n), dtype=np.uint64)
        return (raw >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def coins(self, rows: int, n: int) -> npt.NDArray[np.uint8]:
        """`rows` times `n` tosses of a coin, 0 or 1 with equal chance, shape (rows, n)."""
        words = -(-n // 64)
        raw = np.asarray(self._bits.random_raw(rows * words), dtype="<u8").view(np.uint8)
        return np.unpackbits(raw, bitorder="little").reshape(rows, -1)[:, :n]

    def below(self, bound: int) -> int:
        """An integer drawn uniformly from 0 … `bound` − 1 (`bound` ≥ 1, below 2⁵³)."""
        return int((self._bits.random_raw() >> 11) * 2.0**-53 * bound)  # as `uniform`, but faster

    def permutation(self, n: int) -> npt.NDArray[np.int64]:
        """The numbers 0 … `n` − 1 in random order, shape (n,)."""
        raw = np.asarray(self._bits.random_raw(n), dtype=np.uint64) >> np.uint64(11)
        if (
            n <= _FEW
        ):  # numbers of 53 bits and their places fit into one: sorting is faster than `argsort`
            ordered = np.sort(raw * np.uint64(_FEW) + np.arange(n, dtype=np.uint64))
            return (ordered % np.uint64(_FEW)).astype(np.int64)
        return np.argsort(raw, kind="stable")


def stream(seed: int, *names: str | int) -> Stream:
    """The random stream of a seed for one purpose.

    Args:
        seed: The seed of the build, see `check_seed`.
        *names: What is drawn, from the general to the particular, e.g. ``"split"`` or
            ``"ground", rule_id``.

    Returns:
        A fresh stream; the same arguments give the same numbers everywhere.

    Example:
        >>> stream(7, "coin").below(100) == stream(7, "coin").below(100)
        True
    """
    text = "\x1f".join([str(seed), *map(str, names)])
    digest = hashlib.sha256(text.encode()).digest()
    return Stream(int.from_bytes(digest, "big"))
