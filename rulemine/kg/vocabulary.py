"""Numbers for labels, many at a time: no object is made for a label that has a number already.

A vocabulary is a hash table in arrays. Labels are compared byte by byte, so its numbers are right whatever
the hashes are.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from rulemine.errors import InputError

__all__ = ["Fields", "Vocabulary", "check_size", "spans"]

Ints = npt.NDArray[np.int64]
_Words = npt.NDArray[np.uint64]
_Array = TypeVar("_Array", bound=npt.NDArray[Any])

MOST_LABELS = 2**31 - 1
"""Ids are int32."""

_WORD = 8
"""Bytes that are hashed and compared at once."""

LONG = 256
"""Labels of more bytes are looked up one by one: in arrays each word of the longest is a step for all."""

_MASKS = np.array([(1 << 8 * size) - 1 for size in range(_WORD + 1)], np.uint64)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_LABEL = np.dtype([("start", "i8"), ("length", "i8"), ("first", "u8"), ("hash", "u8")])


def check_size(labels: int, what: str) -> None:
    """Refuses more labels than there are int32 ids.

    Raises:
        InputError: There are.
    """
    if labels > MOST_LABELS:
        raise InputError(
            f"the graph has {labels} {what}; at most {MOST_LABELS} can have an id. Split the graph."
        )


class Fields(NamedTuple):
    """Texts in UTF-8.

    Attributes:
        content: Bytes that hold them.
        starts: int64, shape (fields,): where each starts.
        ends: int64, shape (fields,): where each ends.
    """

    content: bytes
    starts: Ints
    ends: Ints

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Fields":
        """The fields with the given texts."""
        encoded = [text.encode() for text in texts]
        lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
        ends = lengths.cumsum()
        return cls(b"".join(encoded), ends - lengths, ends)

    def column(self, number: int, of: int) -> "Fields":
        """One column of a table of which these are the fields, row by row."""
        return Fields(self.content, self.starts[number::of], self.ends[number::of])

    def texts(self) -> list[str]:
        """The fields as text."""
        both = zip(self.starts.tolist(), self.ends.tolist(), strict=True)
        return [self.content[start:end].decode() for start, end in both]


class Vocabulary:
    """Labels by number, in the order in which they are first looked up."""

    def __init__(self) -> None:
        self._size = self._length = 0
        # The labels one after another, as in `Fields`; of each where it is, its first word and its hash.
        self._content = np.zeros(1 << 12, np.uint8)
        self._labels = np.empty(1 << 8, _LABEL)
        # Place → number: a label is at the first place from its hash on that was free.
        self._table = np.full(1 << 10, -1, np.int32)
        self._long: dict[bytes, bytes] = {}

    def __len__(self) -> int:
        return self._size

    def numbers(self, fields: Fields) -> npt.NDArray[np.int32]:
        """The numbers of some labels, int32 of shape (fields,); those without one get the next."""
        fields = self._shortened(fields)
        content = np.frombuffer(fields.content + bytes(_WORD), np.uint8)
        starts, lengths = fields.starts, fields.ends - fields.starts
        first, hashes = _hashed(content, starts, lengths)
        self._make_room(len(starts))
        found = np.empty(len(starts), np.int32)
        left = np.arange(len(starts), dtype=np.int32)
        places = self._places(hashes)
        while len(left):
            numbers = self._table[places]
            free = numbers < 0
            if free.any():
                new, at = left[free], places[free]
                self._table[at] = new  # one of those that want a place gets it
                won = self._table[at] == new
                self._table[at[won]] = self._size + np.arange(won.sum())
                self._add(new[won], content, starts, lengths, first, hashes)
                numbers = self._table[places]
            known, own = self._labels[numbers], lengths[left]
            same = (known["first"] == first[left]) & (known["length"] == own)
            for offset in range(_WORD, int(own.max()), _WORD):
                long = np.flatnonzero(same & (own > offset))
                one = _word(content, starts[left[long]], own[long], offset)
                same[long] = one == _word(self._content, known["start"][long], own[long], offset)
            found[left[same]] = numbers[same]
            left = left[~same]
            places = places[~same] + 1 & len(self._table) - 1
        return found

    def _shortened(self, fields: Fields) -> Fields:
        """The fields with eight bytes that are no UTF-8 in the place of each long one."""
        content, starts, ends = fields
        long = np.flatnonzero(ends - starts > LONG)
        if not len(long):
            return fields
        words = []
        for start, end in zip(starts[long].tolist(), ends[long].tolist(), strict=True):
            word = b"\xff" + len(self._long).to_bytes(_WORD - 1)
            words.append(self._long.setdefault(content[start:end], word))
        starts, ends = starts.copy(), ends.copy()
        starts[long] = len(content) + _WORD * np.arange(len(long))
        ends[long] = starts[long] + _WORD
        return Fields(content + b"".join(words), starts, ends)

    def _add(
        self,
        which: npt.NDArray[np.int32],
        content: npt.NDArray[np.uint8],
        starts: Ints,
        lengths: Ints,
        first: _Words,
        hashes: _Words,
    ) -> None:
        """Gives the next numbers to labels."""
        own, low, high = lengths[which], self._size, self._size + len(which)
        ends = own.cumsum()
        total = int(ends[-1])
        self._content = _grown(self._content, self._length + total + _WORD)
        self._content[self._length : self._length + total] = content[spans(starts[which], own)]
        self._labels = _grown(self._labels, high)
        added = self._labels[low:high]
        added["start"], added["length"] = self._length + ends - own, own
        added["first"], added["hash"] = first[which], hashes[which]
        self._size, self._length = high, self._length + total

    def _make_room(self, more: int) -> None:
        """Keeps half of the table free with that many more labels."""
        needed = 2 * (self._size + more)
        if needed <= len(self._table):
            return
        self._table = np.full(1 << needed.bit_length(), -1, np.int32)
        left = np.arange(self._size, dtype=np.int32)
        places = self._places(self._labels["hash"][: self._size])
        while len(left):
            free = self._table[places] < 0
            self._table[places[free]] = left[free]
            out = self._table[places] != left
            left, places = left[out], places[out] + 1 & len(self._table) - 1

    def _places(self, hashes: _Words) -> Ints:
        bits = len(self._table).bit_length() - 1
        return (hashes >> np.uint64(64 - bits)).astype(np.int64)

    def settle(self) -> tuple[tuple[str, ...], npt.NDArray[np.int32]]:
        """The labels in code point order, and the place of every number in it."""
        known = self._labels[: self._size]
        starts, lengths = known["start"], known["length"]
        content, long = self._content.tobytes(), {word: raw for raw, word in self._long.items()}
        spans = zip(starts.tolist(), (starts + lengths).tolist(), strict=True)
        labels = [long.get(raw, raw).decode() for a, b in spans for raw in (content[a:b],)]
        order = np.array(sorted(range(len(labels)), key=labels.__getitem__), np.int64)
        place = np.empty(len(labels), np.int32)
        place[order] = np.arange(len(labels), dtype=np.int32)
        return tuple(map(labels.__getitem__, order.tolist())), place


def _word(content: npt.NDArray[np.uint8], starts: Ints, lengths: Ints, offset: int) -> _Words:
    """Eight bytes of each field from an offset on, 0 after its end; the content goes on as long after it."""
    words = np.ndarray((len(content) - _WORD + 1,), "<u8", content, strides=(1,))
    found: _Words = words[np.minimum(starts + offset, len(words) - 1)].astype(np.uint64, copy=False)
    found &= _MASKS[np.clip(lengths - offset, 0, _WORD)]
    return found


def _hashed(content: npt.NDArray[np.uint8], starts: Ints, lengths: Ints) -> tuple[_Words, _Words]:
    """The first word and the hash of each field."""
    first = _word(content, starts, lengths, 0)
    hashes = (first ^ lengths.astype(np.uint64)) * _FACTOR
    for offset in range(_WORD, int(lengths.max(initial=0)), _WORD):
        long = np.flatnonzero(lengths > offset)
        own = hashes[long]
        own ^= own >> _HALF
        own ^= _word(content, starts[long], lengths[long], offset)
        hashes[long] = own * _FACTOR
    hashes ^= hashes >> _HALF
    return first, hashes * _FACTOR


def _grown(array: _Array, size: int) -> _Array:
    """An array with room for so many values: itself, or a larger one."""
    if size <= len(array):
        return array
    larger = np.zeros(max(size, 2 * len(array)), array.dtype)
    larger[: len(array)] = array
    return larger  # type: ignore[return-value]


def spans(first: Ints, counts: Ints) -> Ints:
    """The numbers of some ranges, range by range: where each begins, and how long it is."""
    before: Ints = counts.cumsum() - counts
    numbers: Ints = (first - before).repeat(counts)
    numbers += np.arange(len(numbers))
    return numbers
