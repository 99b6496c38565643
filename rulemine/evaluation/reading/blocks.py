"""The shape of a reply: tables, lists and paragraphs, and which of their names are answers."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rulemine.evaluation.reading.lines import (
    TextLine,
    in_passing,
    is_triple,
    item_body,
    read_line,
)
from rulemine.evaluation.reading.names import ReplyText
from rulemine.evaluation.reading.prose import Rank, RankedName, demoted, read_prose
from rulemine.evaluation.reading.words import is_aside_label

__all__ = ["answers_first", "read_blocks"]

_HEADING = re.compile(r"[ \t]*(#{1,6}[ \t]+.*|(?:\*\*|__)[^*\n]+(?:\*\*|__):?[ \t]*)")
_WHOLE = re.compile(r"[.!?:。！？)][\"'»*_)\]`]*\s*\Z")
_RULE = re.compile(r"[ \t]*(?:`{3,}[\w+-]*|~{3,}\w*|[-*_=+]{3,}|\$\$|\\[\[\]])[ \t]*")
_TABLE_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:[|+][ \t]*:?-+:?[ \t]*)*+\|?[ \t]*")


@dataclass
class Block:
    """What belongs together: the items of a list, the sentences of a paragraph.

    Attributes:
        kind: ``names`` (a list of names, with notes or without), ``prose``, ``statements`` (a list of
            sentences) or ``aside``.
        found: Its names.
    """

    kind: str
    found: list[RankedName] = field(default_factory=list)


def answers_first(found: Sequence[RankedName]) -> bool:
    """Whether there is an answer among names, in the first two ranks."""
    return any(rank <= Rank.WORD for _, rank in found)


def read_blocks(
    reply: ReplyText, lines: Sequence[TextLine], *, marked: bool = False
) -> list[RankedName]:
    """The names in lines, with their ranks.

    A table counts first, then lists of names, then sentences, then lists of sentences; of the names that
    do not count, each has a rank that lets them count where nothing else is named.

    Args:
        reply: The text.
        lines: Lines of it, in their order.
        marked: Whether the text says that they are its answer.
    """
    blocks: list[Block] = []
    rest: list[TextLine] = []
    at = 0
    while at < len(lines):
        if _is_table_rule(reply, lines, at):
            stop = at + 1
            while stop < len(lines) and "|" in reply.text[lines[stop].start : lines[stop].end]:
                stop += 1
            column = _column(reply, lines[at + 1 : stop])
            blocks.append(
                Block("table" if column else "aside", column or _all(reply, lines[at - 1 : stop]))
            )
            rest.pop()
            blocks += _Reader(reply, rest, marked).blocks()
            rest = []
            at = stop
        else:
            rest.append(lines[at])
            at += 1
    blocks += _Reader(reply, rest, marked).blocks()
    for kind in ("table", "names", "prose", "statements"):
        first = [block for block in blocks if block.kind == kind]
        found = [candidate for block in first for candidate in block.found]
        if kind == "prose":
            found = _with_statements(reply, found, blocks)
        if answers_first(found):
            others = [c for block in blocks if block.kind != kind for c in block.found]
            return [*found, *(c for c in others if c.rank == Rank.DENIED)]
    return [
        RankedName(named, Rank.PASSING if rank < Rank.PASSING else rank)
        for block in blocks
        for named, rank in block.found
    ]


def _with_statements(
    reply: ReplyText, prose: list[RankedName], blocks: list[Block]
) -> list[RankedName]:
    """The sentences beside a list of sentences: they count if they are about the topic or the same names."""
    listed = {
        key for b in blocks if b.kind == "statements" for c in b.found for key in c.named.keys
    }
    if not listed:
        return prose
    is_about = any(c.rank == Rank.TOPIC for c in prose)
    named = {key for c in prose if c.rank <= Rank.WORD for key in c.named.keys}
    return prose if is_about or named <= listed else []


def _all(reply: ReplyText, lines: Sequence[TextLine]) -> list[RankedName]:
    return [c for line in lines for c in in_passing(reply, line.start, line.end)]


def _is_table_rule(reply: ReplyText, lines: Sequence[TextLine], at: int) -> bool:
    if not at or at + 1 >= len(lines):
        return False
    line, head = (reply.text[x.start : x.end] for x in (lines[at], lines[at - 1]))
    return (
        "|" in head
        and "-" in line
        and ("|" in line or "+" in line)
        and bool(_TABLE_RULE.fullmatch(line))
    )


def _column(reply: ReplyText, rows: Sequence[TextLine]) -> list[RankedName]:
    """The names in the first column in most cells of which there are names, and not the topic's."""
    columns: list[list[list[RankedName]]] = []
    for row in rows:
        for place, (start, end) in enumerate(_cells(reply, row)):
            if place == len(columns):
                columns.append([])
            kind, found = read_line(reply, start, end, is_item=True)
            columns[place].append(found if kind == "names" else [])
    for cells in columns:
        full = [cell for cell in cells if any(c.rank == Rank.ANSWER for c in cell)]
        if 2 * len(full) > len(rows):
            return [c for cell in cells for c in cell]
    return []


def _cells(reply: ReplyText, row: TextLine) -> list[tuple[int, int]]:
    cuts = [
        bar.start()
        for bar in re.compile(r"\|").finditer(reply.text, row.start, row.end)
        if not reply.is_inside(bar.start())
    ]
    found = list(zip([row.start, *(cut + 1 for cut in cuts)], [*cuts, row.end], strict=True))
    if found and not reply.text[slice(*found[0])].strip():
        del found[0]
    return found


class _Reader:
    """Cuts lines without tables into blocks."""

    def __init__(self, reply: ReplyText, lines: Sequence[TextLine], marked: bool) -> None:
        self._said, self._lines, self._marked = reply, lines, marked
        self._aside = self._next_aside = False  # until the next heading; for the next block

    def blocks(self) -> Iterator[Block]:
        """The blocks, in their order."""
        at, text = 0, self._said.text
        while at < len(self._lines):
            line = self._lines[at]
            words = text[line.start : line.end]
            if not words.strip() or _RULE.fullmatch(words):
                at += 1
            elif self._is_heading(line):
                self._aside, self._next_aside = is_aside_label(words), False
                yield Block("aside", in_passing(self._said, line.start, line.end))
                at += 1
            elif self._is_lead(line):
                self._next_aside = is_aside_label(words)
                yield Block("aside", in_passing(self._said, line.start, line.end))
                at += 1
            else:
                stop = self._end_of_list(at) if self._is_item(line) else self._end_of_paragraph(at)
                read = self._list if self._is_item(line) else self._paragraph
                for block in read(at, stop):
                    if (self._aside or self._next_aside) and block.kind != "aside":
                        block = Block("aside", demoted(block.found))
                    yield block
                self._next_aside = False
                at = stop

    def _is_heading(self, line: TextLine) -> bool:
        if not _HEADING.fullmatch(self._said.text, line.start, line.end):
            return False
        may_name = self._said.text[line.start : line.end].lstrip()[0] != "#" or self._is_item(line)
        kind, _ = read_line(self._said, line.start, line.end, is_item=False)
        return not (may_name and kind == "names" and not self._ends(line, ":"))

    def _is_lead(self, line: TextLine) -> bool:
        """Whether a line says what comes next: it ends in a colon and is no item."""
        return self._ends(line, ":") and not self._is_item(line)

    def _ends(self, line: TextLine, mark: str) -> bool:
        return self._said.text[line.start : line.end].rstrip(" \t*_").endswith((mark, "："))

    def _is_item(self, line: TextLine) -> bool:
        return item_body(self._said, line.start, line.end) > 0

    def _is_blank(self, at: int) -> bool:
        return not self._said.text[self._lines[at].start : self._lines[at].end].strip()

    def _indent(self, at: int) -> int:
        words = self._said.text[self._lines[at].start : self._lines[at].end].expandtabs(4)
        return len(words) - len(words.lstrip())

    def _end_of_list(self, at: int) -> int:
        """Where the list that begins at a line ends: blank lines and what belongs to an item are inside."""
        stop = at + 1
        while stop < len(self._lines):
            after = stop
            while after < len(self._lines) and self._is_blank(after):
                after += 1
            if after == len(self._lines):
                break
            line = self._lines[after]
            if not self._is_item(line) and self._indent(after) < self._indent(at) + 2:
                break
            stop = after + 1
        return stop

    def _end_of_paragraph(self, at: int) -> int:
        stop = at + 1
        while stop < len(self._lines) and not (
            self._is_blank(stop)
            or self._is_item(self._lines[stop])
            or self._is_heading(self._lines[stop])
            or self._is_lead(self._lines[stop])
        ):
            stop += 1
        return stop

    def _list(self, at: int, stop: int) -> list[Block]:
        """A list: its items of the first level, and below one that is a label the items there."""
        reply, indent = self._said, self._indent(at)
        rows: list[_Row] = []
        label: _Row | None = None
        below: list[_Row] = []
        for place in range(at, stop):
            line = self._lines[place]
            if not self._is_item(line):
                continue
            row = _Row(*read_line(reply, line.start, line.end, is_item=True, marked=self._marked))
            if self._indent(place) > indent + 1:
                below.append(row)
                continue
            rows += _under(label, below)
            is_label = self._ends(line, ":") or not answers_first(row.found)
            label, below = row if is_label else None, []
            rows += [] if is_label else [row]
        rows += _under(label, below)
        answering = [row for row in rows if answers_first(row.found)]
        clean = [row for row in answering if row.kind == "names"]
        kind = "names" if 2 * len(clean) >= len(answering) else "statements"
        return [Block(kind if answering else "aside", [c for row in rows for c in row.counted()])]

    def _paragraph(self, at: int, stop: int) -> list[Block]:
        """Lines of names, or sentences; what follows a label such as ``Note:`` is said in passing."""
        reply, lines = self._said, self._lines[at:stop]
        text = reply.text[lines[0].start : lines[-1].end].strip(" \t\n*_")
        if (
            text[0] == "("
            and text[-1] == ")"
            and not reply.within(lines[0].start, lines[0].start + 1)
        ):
            return [Block("aside", self._all(lines))]
        rows: list[_Row] = []
        for place, line in enumerate(lines):
            row = _Row(*read_line(reply, line.start, line.end, is_item=False, marked=self._marked))
            words = reply.text[line.start : line.end]
            is_note = row.kind == "aside" and not is_triple(reply, line.start, line.end)
            if is_note or (row.kind == "none" and ":" in words and is_aside_label(words)):
                notes = read_prose(reply, line.start, lines[-1].end)
                return [*self._rows(lines[:place], rows), Block("aside", demoted(notes))]
            rows.append(row)
        return self._rows(lines, rows)

    def _rows(self, lines: Sequence[TextLine], rows: Sequence["_Row"]) -> list[Block]:
        """Lines that are whole sentences or names are read one by one, others as running text."""
        reply = self._said
        kinds = {row.kind for row in rows} - {"none", "aside"}
        whole = all(
            row.kind != "prose"
            or _WHOLE.search(reply.text, max(line.start, line.end - 9), line.end)
            for line, row in zip(lines, rows, strict=True)
        )
        if whole or kinds <= {"names"}:
            return [Block(row.kind if row.kind != "none" else "aside", row.found) for row in rows]
        return [
            Block("prose", read_prose(reply, lines[0].start, lines[-1].end, marked=self._marked))
        ]

    def _all(self, lines: Sequence[TextLine]) -> list[RankedName]:
        return [c for line in lines for c in in_passing(self._said, line.start, line.end)]


class _Row(NamedTuple):
    """A line that is read: what it is, see `read_line`, and its names."""

    kind: str
    found: list[RankedName]

    def counted(self) -> list[RankedName]:
        """Its names; of an item that is a sentence the first counts, the rest is said in passing."""
        if self.kind != "statements":
            return self.found
        first = next((c for c in self.found if c.rank <= Rank.WORD), None)
        return [
            c if c is first or c.rank > Rank.WORD else RankedName(c.named, Rank.PASSING)
            for c in self.found
        ]


def _under(label: _Row | None, below: list[_Row]) -> list[_Row]:
    """The items below a label; where they are no names, it is an item itself, and they are notes on it."""
    if label is None:
        return []
    is_item = answers_first(label.found) and not any(row.kind == "names" for row in below)
    return [label] if is_item else below
