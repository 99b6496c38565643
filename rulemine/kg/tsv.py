"""Reading triples from TSV, block by block: reports every problem of a file at once.

Guarantees: fields are stripped of surrounding white space (as AMIE does), and nothing else is
interpreted: quotes, commas and backslashes are part of labels. Memory is bounded by a block, whatever
the size of the file; regular blocks are cut by a few calls, the others line by line, with one result.
"""

import re
from collections.abc import Callable, Iterator
from itertools import chain
from operator import ne
from pathlib import Path

import numpy as np

from rulemine.errors import MOST_PROBLEMS_SHOWN, InputError, counted, list_problems
from rulemine.files import BYTE_ORDER_MARKS, read_blocks
from rulemine.kg.vocabulary import Fields

__all__ = ["read_fields"]

_EXPECTED = "Expected three non-empty fields a line, separated by tabs: subject, relation, object."
_RDF = re.compile(r"line \d+ has 1 column: '(<|@prefix|PREFIX|@base|BASE)")
"""A problem of a file that is N-Triples or Turtle."""

_TAB, _LF, _QUOTE = 9, 10, 34
_SPACES = [text.encode() for text in map(chr, range(0x3001)) if text.isspace()]
_MAY_START_SPACE, _MAY_END_SPACE = np.zeros((2, 256), bool)
_MAY_START_SPACE[[space[0] for space in _SPACES]] = True
_MAY_END_SPACE[[space[-1] for space in _SPACES]] = True
_UTF8_MARK = b"\xef\xbb\xbf"


def read_fields(
    path: Path,
    watch: Callable[[bytes], object] | None = None,
    on_trimmed: Callable[[int], object] | None = None,
) -> Iterator[Fields]:
    """The fields of a TSV file in file order: subject, relation, object, subject and so on.

    Args:
        path: TSV, plain, .gz or .zst; UTF-8, with or without byte order mark; LF or CRLF.
        on_trimmed: Called at the end with the number of fields that had white space around them.
        watch: Called with the bytes of the file as stored, compressed or not, as they are read.

    Yields:
        Blocks of fields, a multiple of three each. They count only if no error follows.

    Raises:
        InputError: The file is missing, empty, not text, or has lines that are not three non-empty
            fields; all bad lines are counted, the first ten spelled out.
    """
    scan = _Scan(path)
    for number, block in enumerate(read_blocks(path, watch)):
        fields = scan.fields(_without_mark(path, block) if number == 0 else block)
        if fields is not None:
            yield fields
    scan.finish()
    if on_trimmed is not None:
        on_trimmed(scan.trimmed)


def _without_mark(path: Path, block: bytes) -> bytes:
    for mark, encoding in BYTE_ORDER_MARKS.items():
        if block.startswith(mark):
            raise InputError(
                f"{path}: starts with a {encoding} byte order mark; UTF-8 was expected. "
                f"Convert it, e.g. iconv -f {encoding} -t UTF-8."
            )
    return block.removeprefix(_UTF8_MARK)


class _Scan:
    """Parses the blocks of one file and collects their problems."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.trimmed = 0
        self._lines = 0
        self._any = False
        self._quoted = True
        self._undecodable = ""
        self._blank: list[tuple[int, str]] = []
        self._shown: list[str] = []
        self._problems = 0

    def fields(self, block: bytes) -> Fields | None:
        """The fields of the next block; None when something in the file is wrong."""
        if b"\0" in block:
            line = self._lines + block.count(b"\n", 0, block.index(b"\0")) + 1
            raise InputError(
                f"{self._path}: line {line} holds a NUL byte, so this is a binary file; UTF-8 text "
                "was expected. Is it the right file, or is it compressed under another name?"
            )
        if self._undecodable:
            return None  # a NUL byte further on would say more
        try:
            text = block.decode("utf-8")
        except UnicodeDecodeError as problem:
            line = self._lines + block.count(b"\n", 0, problem.start) + 1
            self._undecodable = (
                f"{self._path}: line {line} is not UTF-8 (byte 0x{block[problem.start]:02x}). "
                "Convert the file, e.g. iconv -f ISO-8859-1 -t UTF-8."
            )
            return None
        if "\r" in text:
            text = text.replace("\r\n", "\n")
            block = text.encode("utf-8")
        if (found := self._regular(block)) is None:
            found = Fields.of(self._irregular(text.removesuffix("\n")))
        return None if self._problems else found

    def _regular(self, block: bytes) -> Fields | None:
        """The fields of a block of which every line is well formed and nothing is trimmed; else None."""
        if b"\r" in block:
            return None
        block = block if block.endswith(b"\n") else block + b"\n"
        content = np.frombuffer(block, np.uint8)
        ends = np.flatnonzero((content == _TAB) | (content == _LF))
        if len(ends) % 3 or not (content[ends].reshape(-1, 3) == (_TAB, _TAB, _LF)).all():
            return None
        fields = Fields(block, np.concatenate(([0], ends[:-1] + 1)), ends)
        if (fields.starts == ends).any():
            return None
        first, last = content[fields.starts], content[ends - 1]
        doubtful = _MAY_START_SPACE[first] | _MAY_END_SPACE[last]
        some = Fields(block, fields.starts[doubtful], ends[doubtful]).texts()
        if any(text != text.strip() for text in some):
            return None
        self._flush_blank()
        self._any = True
        self._lines += len(ends) // 3
        quoted = (first == _QUOTE) & (last == _QUOTE) & (ends - fields.starts > 1)
        self._quoted = self._quoted and bool(quoted.all())
        return fields

    def _irregular(self, text: str) -> list[str]:
        rows: list[list[str]] = []
        for line in text.split("\n"):
            self._lines += 1
            if not line.strip():
                self._blank.append((self._lines, line))  # no problem at the end of the file
                continue
            self._flush_blank()
            self._any = True
            if row := self._row(self._lines, line):
                rows.append(row)
                self._quoted = self._quoted and all(map(_is_quoted, row))
        return list(chain.from_iterable(rows))

    def _flush_blank(self) -> None:
        for number, line in self._blank:
            self._row(number, line)
        self._blank.clear()

    def _row(self, number: int, line: str) -> list[str] | None:
        """The fields of a line, or None when it is a problem."""
        parts = line.split("\t")
        fields = [part.strip() for part in parts]
        if len(fields) != 3:
            what = f"has {counted(len(fields), 'column')}"
        elif not all(fields):
            what = "has an empty field"
        elif "\r" in line:
            what = "holds a carriage return inside a label"
        else:
            self.trimmed += sum(map(ne, fields, parts))
            return fields
        self._problems += 1
        if self._problems <= MOST_PROBLEMS_SHOWN:
            self._shown.append(f"line {number} {what}: {_shown(line)}")
        return None

    def finish(self) -> None:
        """Raises what is wrong with the file.

        Raises:
            InputError: Something is.
        """
        if self._undecodable:
            raise InputError(self._undecodable)
        if not self._any:
            raise InputError(f"{self._path}: is empty; at least one line was expected.")
        if self._problems:
            unseen = self._problems - len(self._shown)
            expected = _EXPECTED
            if _RDF.match(self._shown[0]):
                expected += " A file of N-Triples or Turtle is read as such if its name ends in .nt or .ttl."
            raise InputError(list_problems(str(self._path), self._shown, expected, unseen))
        if self._quoted:
            raise InputError(
                f"{self._path}: every field is in double quotes. This format has no quoting; the "
                "quotes would become part of every label. Write the file without them."
            )


def _is_quoted(field: str) -> bool:
    return field[0] == field[-1] == '"' and len(field) > 1


def _shown(line: str) -> str:
    return repr(line if len(line) <= 80 else line[:77] + "…")
