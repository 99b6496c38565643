"""Numbers of names that are known from the start, looked up many at a time.

Names lie in hash tables without lists: what finds its place taken lies in the next table. A name is found
only where all its bytes are the same.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["Known", "spans_of_threes"]

Ints = npt.NDArray[np.int64]
_Bytes = npt.NDArray[np.uint8]
_Words = npt.NDArray[np.uint64]

_WORD = 8
_ROOM = 4
"""Places of a table for each name."""

_TAB, _LF = 9, 10
_MASKS = np.array([(1 << 8 * size) - 1 for size in range(_WORD + 1)], np.uint64)
_FACTOR = np.uint64(0xD6E8FEB86659FD93)
_SHIFT = np.uint64(32)


class Known:
    """Names, each with its place in the sequence given.

    Args:
        names: No two are the same.
    """

    def __init__(self, names: Sequence[str]) -> None:
        encoded = [name.encode() for name in names]
        self._lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
        self._starts = self._lengths.cumsum() - self._lengths
        self._content = padded(b"".join(encoded))
        self._tables: list[npt.NDArray[np.int32]] = []
        left = np.arange(len(encoded), dtype=np.int32)
        hashes = _hashes(self._content, self._starts, self._lengths)
        while len(left):
            table = np.full(1 << (_ROOM * len(left)).bit_length(), -1, np.int32)
            places = _places(hashes, table)
            table[places] = left
            out = table[places] != left
            left, hashes = left[out], hashes[out] * _FACTOR
            self._tables.append(table)

    def numbers(self, content: _Bytes, starts: Ints, lengths: Ints) -> npt.NDArray[np.int32]:
        """The numbers of some names; −1 for unknown ones.

        Args:
            content: Bytes that hold them, as `padded` gives them.
            starts: Where each starts.
            lengths: How long each is.
        """
        found = np.full(len(starts), -1, np.int32)
        left, hashes = np.arange(len(starts)), _hashes(content, starts, lengths)
        for table in self._tables:
            if not len(left):
                break
            numbers = table[_places(hashes, table)]
            same = (numbers >= 0) & (self._lengths[numbers] == lengths[left])
            for offset in range(0, int(lengths[left].max()), _WORD):
                some = np.flatnonzero(same & (lengths[left] > offset))
                own, other = left[some], numbers[some]
                same[some] = _word(content, starts[own], lengths[own], offset) == _word(
                    self._content, self._starts[other], self._lengths[other], offset
                )
            found[left[same]] = numbers[same]
            left, hashes = left[~same], hashes[~same] * _FACTOR
        return found


def padded(content: bytes) -> _Bytes:
    """Bytes that may be read a word further than they go."""
    return np.frombuffer(content + bytes(_WORD), np.uint8)


def spans_of_threes(content: _Bytes) -> tuple[Ints, Ints] | None:
    """Where the fields of lines of three columns start, and how long they are; None for other lines.

    Args:
        content: Lines, the last one with LF, as `padded` gives them.
    """
    ends = np.flatnonzero((content == _TAB) | (content == _LF))
    if len(ends) % 3 or not (content[ends].reshape(-1, 3) == (_TAB, _TAB, _LF)).all():
        return None
    starts = np.concatenate(([0], ends[:-1] + 1))
    return starts, ends - starts


def _word(content: _Bytes, starts: Ints, lengths: Ints, offset: int) -> _Words:
    """Eight bytes of each name from an offset on; 0 after its end."""
    words = np.ndarray((len(content) - _WORD + 1,), "<u8", content, strides=(1,))
    found: _Words = words[np.minimum(starts + offset, len(words) - 1)].astype(np.uint64, copy=False)
    found &= _MASKS[np.clip(lengths - offset, 0, _WORD)]
    return found


def _hashes(content: _Bytes, starts: Ints, lengths: Ints) -> _Words:
    hashes = lengths.astype(np.uint64)
    for offset in range(0, int(lengths.max(initial=0)), _WORD):
        hashes ^= _word(content, starts, lengths, offset)
        hashes *= _FACTOR
        hashes ^= hashes >> _SHIFT
    return hashes * _FACTOR


def _places(hashes: _Words, table: npt.NDArray[np.int32]) -> Ints:
    bits = len(table).bit_length() - 1
    return (hashes >> np.uint64(64 - bits)).astype(np.int64)
