"""Matching in the mode ``vocabulary``: what a reader takes from a reply, of the names of a release.

The rules, each of which sees what is left by those before:

1. Thoughts are taken off (`rulemine.text.visible_reply`), and names are found
   (`rulemine.evaluation.matching.names`).
2. JSON under a key such as ``answer`` or ``selected`` is the answer
   (`rulemine.evaluation.matching.structured`).
3. Else what the text says is its answer: what follows the last ``Answer:``, ``the answer is``, ``I choose``,
   ``Correction:``, heading ``Answer``; what is boxed, in tags or in braces. Equal marks, one behind the
   other, give one list.
4. Else nothing, where the text says that there is no answer, and does not take that back.
5. Else the last conclusion (``so``, ``therefore``).
6. Else a table: the first column with names in most rows; else lists of names; else sentences, of which the
   first that names something counts, and those after it that say the same of something else.

Of the part that is read, a name counts unless it is denied, is an ordinary word where it stands, is given in
passing (in parentheses, as a reason), or is that of a topic entity of the question
(`rulemine.evaluation.matching.sentences`).

Guarantee: time grows with the length of the text.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import accumulate, takewhile, zip_longest
from typing import NamedTuple

from rulemine.evaluation.matching.lexicon import lex
from rulemine.evaluation.matching.names import Named, NameFinder, composed, plain, tokens
from rulemine.evaluation.matching.sentences import (
    ANSWER,
    DENIED,
    TOPIC,
    WORD,
    Sentences,
    Span,
    demoted,
)
from rulemine.evaluation.matching.structured import json_answers
from rulemine.text.visible_reply import visible_reply

__all__ = ["LONGEST_OUTPUT", "Read", "VocabularyMatcher", "bounded", "composed", "tokens"]

LONGEST_OUTPUT = 1_000_000
"""Characters of an output that are read: more than a model writes, few enough to be read in seconds."""


def bounded(answers: Sequence[str]) -> Sequence[str]:
    """The first answers of a list that have `LONGEST_OUTPUT` characters together at most."""
    totals = list(accumulate(map(len, answers)))
    return answers[: bisect_right(totals, LONGEST_OUTPUT)]


class Read(NamedTuple):
    """What a reader takes from an output.

    Attributes:
        names: The names that are its answers, from left to right.
        denied: How many names it denies (``not Ann``), which would have been answers.
    """

    names: list[str]
    denied: int


class VocabularyMatcher:
    """Matching in the mode ``vocabulary``; see the module.

    Args:
        names: The entity names of the release.
        aliases: Names, each with another text that stands for it.
    """

    def __init__(self, names: Set[str], aliases: Iterable[tuple[str, str]] = ()) -> None:
        self._finder = NameFinder(names, aliases)

    def text(self, raw_output: str, topics: Sequence[str] = ()) -> list[str]:
        """The names that an output gives as answers; where one text is the name of several, all of them.

        Args:
            raw_output: The output.
            topics: The names of the topic entities of the question, if they cannot be its answers.

        Example:
            >>> matcher = VocabularyMatcher({"Washington", "Washington, D.C.", "e00039"})
            >>> matcher.text("The capital is Washington, D.C. (e00039), not Washington.")
            ['Washington, D.C.']
            >>> matcher.text("e00039 is in Washington.", topics=["e00039"])
            ['Washington']
        """
        return self.read(raw_output, topics).names

    def read(self, raw_output: str, topics: Sequence[str] = ()) -> Read:
        """The same, and what it denies."""
        own = frozenset(map(composed, topics))
        reply = visible_reply(raw_output[:LONGEST_OUTPUT])
        texts, rest = json_answers(reply, self._finder.names_of, lambda t: composed(t) in own)
        if texts is not None:
            readers = [self._reader(t, own) for t in texts if not lex.NOTHING_FIRST.match(t)]
            return _taken([named for reader in readers for named in reader.blocks(marked=True)])
        reader = self._reader(rest, own)
        turns = (turn.start() for turn in lex.NEXT_TURN.finditer(reader.text))
        turn = next((turn for turn in turns if reader.has_new(0, turn)), None)
        before = self._reader(reader.text[:turn], own).answers() if turn else []
        return _taken(before if _answers_first(before) else reader.answers())

    def _reader(self, text: str, topics: Set[str]) -> "_Reader":
        # Underscores are part of words, but for those of Markdown's emphasis.
        text = lex.EMPHASIS.sub(
            lambda m: m[2].join(["*" * len(m[1])] * 2), lex.BREAK.sub("\n", plain(text))
        )
        text = lex.SOURCES.sub(lambda source: " " * len(source[0]), lex.TAB.sub("|", text))
        if "\\n" in text and "\n" not in text.strip():  # as programs print it
            text = plain(lex.ESCAPED.sub(lambda m: chr(int(m[1] or "a", 16)), text))
        no_names = lex.words["function_words"]
        found = self._finder.found(text)
        names = [
            n
            for n in found
            if not (n.folded and no_names.issuperset(text[n.start : n.end].lower().split()))
        ]
        return _Reader(text, names, topics, self._finder.numbered)

    def name(self, name: str) -> str:
        """The name in one form of Unicode."""
        return composed(name)

    def item(self, answer: str) -> str:
        """The name that an answer of a list is, in whatever spelling; the answer if it is none."""
        return self._finder.item(answer)


def _taken(found: Sequence[Named]) -> Read:
    """The names of the lowest rank, none of them denied."""
    denied = sum(named.rank == DENIED for named in found)
    best = min((n.rank for n in found if n.rank < DENIED), default=DENIED)
    if denied and best == TOPIC:
        best = DENIED  # the answer was among what is denied
    return Read(
        [key for named in found if named.rank == best < DENIED for key in named.keys], denied
    )


def _denied(found: Iterable[Named]) -> list[Named]:
    """The names as such that are denied."""
    return [named._replace(rank=DENIED) for named in found]


def _answers_first(found: Iterable[Named]) -> bool:
    """Whether there is an answer among names, in the first two ranks."""
    return any(named.rank <= WORD for named in found)


class _Part(NamedTuple):
    """A part that a text says is its answer; ``label`` is empty where something closes it."""

    start: int
    end: int
    label: str


_Row = tuple[str, list[Named], Span]
"""What a line is, one of `_KINDS`, ``aside`` or ``none``; its names; and where it is."""

_KINDS = ("table", "names", "prose", "statements")
"""What names stand in; the first that names an answer counts."""


class _Reader(Sentences):
    """Reads a text with its names."""

    def answers(self) -> list[Named]:
        """What a reply names, by the rules 3 to 6."""
        if not self.names:
            return []
        places = [0, *(place for named in self.names for place in named[:2]), len(self.text)]
        gaps = zip(places[::2], places[1::2], strict=True)
        if not re.search(
            r"[^\W\d_]|[{~❌:：=]", "".join(self.text[low:high] for low, high in gaps)
        ):
            return self.blocks()  # names alone
        found = self._stated(self._marks())
        if found is None and self._gives_none():
            return []
        if found is None:
            found = self._stated(self._open(lex.CONCLUSION, lex.SO_THAT))
        return self.blocks() if found is None else found

    # Rule 3: what the text says is its answer.

    def _stated(self, parts: list[_Part]) -> list[Named] | None:
        """The names in the last part that names something; none where it says that there is none."""
        while parts:
            run = [parts.pop()]
            while parts and parts[-1].label == run[-1].label:
                # Closed parts are one list, and so are equal labels with nothing else between.
                if parts[-1].label and "\n" in self.text[slice(*parts[-1][:2])].strip():
                    break
                run.append(parts.pop())
            read = [self._behind(part.start, part.end, part.label) for part in run]
            if read[0] is None:
                return []
            found = [named for names in reversed(read) for named in names or ()]
            if any(named.rank < DENIED for named in found):
                return found
        return None

    def _open(self, *patterns: re.Pattern[str]) -> list[_Part]:
        """The parts behind marks, in their order; one that corrects closes off what stands before it."""
        marks = sorted(
            (mark.end(), mark.start(), re.sub(r"\W+", " ", mark[0].casefold()).strip() or "-")
            for pattern in patterns
            for mark in pattern.finditer(self.text)
            if not self.is_inside(mark.end() - 1) and not self._is_doubtful(mark)
        )
        ends = [*(start for _, start, _ in marks[1:]), len(self.text)]
        return [_Part(a, max(a, b), label) for (a, _, label), b in zip(marks, ends, strict=False)]

    def _marks(self) -> list[_Part]:
        """Those, and the parts that are closed by their marks; without any of them the last braces."""
        text = self.text.casefold()
        has_noun = any(noun in text for noun in lex.words["marks"])
        named = (lex.LABEL, lex.CLAUSE, lex.HEADING) if has_noun else ()
        found = self._open(*named, lex.CHOOSES)
        for mark in lex.CLOSED.finditer(self.text):
            start, end = mark.span(mark.lastindex or 0)
            if self.within(start, end) or self._is_nothing(start, end):
                found.append(_Part(start, end, ""))
        braces = (_Part(*m.span(), "") for m in (() if found else lex.BRACED.finditer(self.text)))
        return sorted(found) or [run for run in braces if self.within(run.start, run.end)][-1:]

    def _is_doubtful(self, mark: re.Match[str]) -> bool:
        """Whether a mark stands after ``if``, ``whether`` or ``unless``."""
        first = re.search(r"\b(?:the|my|our|final|answer)", mark[0], re.I)
        stop = mark.start() + (first.start() if first else 0)
        return lex.UNLESS.search(self.text[max(0, mark.start() - 40) : stop]) is not None

    def _behind(self, start: int, stop: int, label: str) -> list[Named] | None:
        """What is said behind a mark: the rest of its sentence and the names below, or the block below.

        None if it says that there is none.
        """
        blank = " \t*_`$[]\\"
        lines = (line for line in self.lines(start, stop) if self.text[slice(*line)].strip(blank))
        low, high = next(lines, (stop, stop))
        if self._is_nothing(low, high) or self._begins_with_nothing(low, high):
            return None
        end = next((e for s, e in self.cut(lex.STOP, low, high) if self.has_new(s, e)), high)
        if not label or low > start or self._leads(low, end):
            return self.blocks(low, stop, marked=True)
        if not self.has_new(low, high):
            return self.first(self.prose(low, high, True), [(low, high)])
        rows = (self._line(*line, marked=True) for line in self.lines(high, stop)[1:])
        below = takewhile(lambda row: row[0] == "names", rows)
        return [n for row in (self._line(low, end, marked=True), *below) for n in row[1]]

    def _is_nothing(self, low: int, high: int) -> bool:
        """Whether a line says that there is nothing, and is no name."""
        return bool(lex.NOTHING.fullmatch(self.text, low, high)) and not self.within(low, high)

    def _begins_with_nothing(self, low: int, high: int) -> bool:
        """Whether a part says first that there is nothing, and takes nothing of that back."""
        first = lex.NOTHING_FIRST.match(self.text, low, high)
        return first is not None and not self._hopes(first.end(), high)

    # Rules 4 and 5: it says that there is none; its last conclusion.

    def _gives_none(self) -> bool:
        """Whether the text says that there is no answer, and names only what there is instead."""
        text = self.text
        if lex.SAYS_UNKNOWN.search(text[-600:]) or self._begins_with_nothing(0, len(text)):
            return True
        if any(self._is_nothing(*line.span()) for line in lex.NOTHING_LINE.finditer(text)):
            return True
        refusal = next(self.outside(lex.REFUSAL, 0, min(len(text), 2000)), None)
        if refusal is None or sum(1 for _ in self.clauses(0, refusal.start())) > 3:
            return False
        end = refusal.end()
        goes_on = _answers_first(self.first(self.prose(0, end), [(0, end)]))
        goes_on = goes_on or "ly " in refusal[0] or lex.LISTS.search(text, end) is not None
        return not goes_on and not self._hopes(end, len(text))

    def _hopes(self, start: int, end: int) -> bool:
        """Whether a clause behind a refusal names something all the same."""
        for low, high in self.clauses(start, min(end, start + 3000)):
            hopes = any(self.has_new(m.start(), high) for m in self.outside(lex.HOPE, low, high))
            asks = self.text[low:high].rstrip().endswith("?")
            if hopes and not asks and not lex.REFUSAL.search(self.text, low, high):
                return True
        return False

    # Rule 6: tables, lists, sentences.

    def blocks(self, low: int = 0, high: int | None = None, *, marked: bool = False) -> list[Named]:
        """The names in a part, with their ranks.

        Of the names that do not count, each has a rank that lets it count where nothing else is named.
        """
        found: dict[str, list[Named]] = {kind: [] for kind in (*_KINDS, "aside", "none")}
        spans = list[Span]()
        lines = self.lines(low, len(self.text) if high is None else high)
        for kind, names, span in self._blocks(lines, marked):
            found[kind] += names
            spans += [span] if kind == "prose" else []
        found["prose"] = self.first(found["prose"], spans)
        for kind in _KINDS:
            if _answers_first(found[kind]):
                others = (n for k, names in found.items() if k != kind for n in names)
                return [*found[kind], *(n for n in others if n.rank == DENIED)]
        return demoted(n for names in found.values() for n in names)

    def _blocks(self, lines: Sequence[Span], marked: bool) -> Iterator[_Row]:
        """The rows of a part; what stands under a label or heading of reasons is an aside."""
        at, aside, next_aside = 0, False, False  # until the next heading; for the next block
        while at < len(lines):
            line, stop = lines[at], at + 1
            words = self.text[slice(*line)]
            if not words.strip():
                pass
            elif "|" in words and (end := self._end_of_table(lines, at)) > at:
                stop = end
                yield self._table(lines[at:stop])
            elif head := self._head(line):
                is_aside = lex.ASIDE.match(words) is not None
                aside, next_aside = (is_aside, False) if head == "heading" else (aside, is_aside)
                yield "aside", self.passing(*line), line
            else:
                stop = self._end_of_block(lines, at)
                read = self._list if self._item(*line) else self._paragraph
                for kind, names, span in read(lines[at:stop], marked):
                    is_aside = aside or next_aside
                    yield ("aside", demoted(names), span) if is_aside else (kind, names, span)
                next_aside = False
            at = stop

    def _end_of_table(self, lines: Sequence[Span], at: int) -> int:
        """Where a table ends that begins at a line: it has a rule, or three rows with bars."""
        head, rule = (self.text[slice(*line)] for line in [*lines[at : at + 2], (0, 0)][:2])
        has_rule = "|" in head and lex.TABLE_RULE.fullmatch(rule) is not None
        stop = at
        while stop < len(lines) and re.search(r"\||-\+-", self.text[slice(*lines[stop])]):
            stop += 1
        return stop if has_rule or stop > at + 2 else at

    def _table(self, lines: Sequence[Span]) -> _Row:
        """The names in the first column in most cells of which there are names, and not the topic's."""
        span = lines[0][0], lines[-1][1]
        rows = [row for row in lines if not lex.TABLE_RULE.fullmatch(self.text, *row)]
        for column in zip_longest(*map(self._cells, rows), fillvalue=()):
            if 2 * sum(any(n.rank == ANSWER for n in cell) for cell in column) > len(rows) - 1:
                return "table", [n for cell in column[len(rows) < len(lines) :] for n in cell], span
        return "aside", self.passing(*span), span

    def _cells(self, row: Span) -> list[list[Named]]:
        """The names of each cell of a row that holds names alone; denied where one is crossed."""
        cells = [self._line(*cell, is_item=True) for cell in self.cut(lex.BAR, *row)]
        found = [names if kind == "names" else [] for kind, names, _ in cells]
        return list(map(_denied, found)) if lex.CROSSED_CELL.search(self.text, *row) else found

    def _head(self, line: Span) -> str:
        """Whether a line is a ``heading``, or a ``lead`` that says what comes next, ending in a colon."""
        leads = self._leads(*line)
        if lex.HEAD.fullmatch(self.text, *line) and (leads or self._line(*line)[0] != "names"):
            return "heading"
        return "lead" if leads and not self._item(*line) else ""

    def _leads(self, start: int, end: int) -> bool:
        """Whether a part ends in a colon."""
        return self.text[start:end].rstrip(" \t\n*_").endswith((":", "："))

    def _item(self, start: int, end: int) -> int:
        """Where the text of an item begins, behind its bullet or number; 0 where a line is no item."""
        bullet = lex.BULLET.match(self.text, start, end)  # "S. Ann" is a name
        return bullet.end() if bullet and not self.is_inside(bullet.end() - 1) else 0

    def _indent(self, line: Span) -> int:
        words = self.text[slice(*line)].expandtabs(4)
        return len(words) - len(words.lstrip())

    def _end_of_block(self, lines: Sequence[Span], at: int) -> int:
        """Where a list or paragraph ends; blank lines and what belongs to an item are inside of lists."""
        in_list, indent = self._item(*lines[at]) > 0, self._indent(lines[at]) + 2
        for stop in range(at + 1, len(lines)):
            line = lines[stop]
            if self._item(*line) or not self.text[slice(*line)].strip():
                ends = not in_list
            else:
                ends = self._indent(line) < indent if in_list else self._head(line) != ""
            if ends:
                return stop
        return len(lines)

    def _list(self, lines: Sequence[Span], marked: bool) -> list[_Row]:
        """A list: its items of the first level, and below one that is a label the items there."""
        indent = self._indent(lines[0])
        groups = list[list[_Row]]()
        for line in lines:
            if self._item(*line):
                row = self._line(*line, is_item=True, marked=marked)
                if groups and self._indent(line) > indent + 1:
                    groups[-1].append(row)
                else:
                    groups.append([row])
        rows = list[_Row]()
        for head, *below in groups:
            is_label = self._leads(*head[2]) and any(kind == "names" for kind, *_ in below)
            rows += below if is_label or not _answers_first(head[1]) else [head]
        kinds = [kind for kind, names, _ in rows if _answers_first(names)]
        found = list[Named]()
        for kind, names, _ in rows:  # of an item that is a sentence the first counts
            begin = next((at for at, n in enumerate(names) if n.rank <= WORD), 0) + 1
            found += [*names[:begin], *demoted(names[begin:])] if kind == "statements" else names
        kind = "names" if 2 * kinds.count("names") >= len(kinds) else "statements"
        return [(kind if kinds else "aside", found, (lines[0][0], lines[-1][1]))]

    def _paragraph(self, lines: Sequence[Span], marked: bool) -> Iterator[_Row]:
        """Lines of names, or sentences; what follows a label such as ``Note:`` is said in passing."""
        aside = False
        for line in lines:
            kind, names, span = self._line(*line, marked=marked)
            if label := lex.LINE_LABEL.match(self.text, *line):
                aside = lex.ASIDE.match(label[0]) is not None
            yield ("aside", demoted(names), span) if aside else (kind, names, span)

    def _line(
        self, start: int, end: int, *, is_item: bool = False, marked: bool = False, labels: int = 9
    ) -> _Row:
        """A line, or what stands for one.

        `is_item`: a comma begins a note. `labels`: how many (``T: Country: Ann``) may stand before its names.
        """
        text, span = self.text, (start, end)
        if body := self._item(start, end):
            start, is_item = body, True
        names = self.within(start, end)
        if not names:
            return "none", [], span
        if label := lex.LINE_LABEL.match(text, start, names[0].start):
            if lex.ASIDE.match(label[0]):
                found = demoted(self.prose(start, end))
                return "aside", _denied(found) if lex.REJECTED.match(label[0]) else found, span
            start = label.end()
        first = lex.DECORATION.fullmatch(text, start, names[0].start)
        if first is None or lex.CROSSED.search(first[0]):
            return "prose", self.prose(start, end, marked), span
        listed, stop = self._listed(names)
        word = text[listed[0].start : listed[0].end].casefold()
        is_kind = word in lex.words["function_words"] or word in lex.words["type_words"]
        # Names may say whose the value behind them is: ``T: Ann``, ``Ann's children: Eve``.
        is_label = is_kind or all(map(self.is_topic, listed))
        value = (lex.VALUE if is_label else lex.OWNED).match(text, stop, end)
        if labels and value and self.has_new(value.end(), end):
            if self.on_the_way(names):
                return "names", self.prose(start, end, marked), span
            start = value.end()
            return self._line(start, end, is_item=is_item, marked=marked, labels=labels - 1)
        note = text[stop:end].lstrip("*_`\"'»] \t")
        is_new = not any(map(self.is_topic, listed))
        has_note = (
            lex.NOTE_ENDS.match(note)
            or (is_item and note[0] in ",;=<>→")
            or (is_new and (lex.NOTE_CLAUSE.match(note) or (marked and lex.NOTE.match(note))))
        )
        if lex.YES.match(note) or not has_note or lex.REFUTED.match(text, listed[-1].end, end):
            found = self.prose(start, end, marked)
            is_word = found and found[0][:2] == listed[0][:2] and found[0].rank == WORD
            if is_item and is_word and (len(listed) > 1 or not is_kind):
                found[0] = found[0]._replace(rank=ANSWER)  # it begins an item
            return "statements" if is_item else "prose", found, span
        if is_item and lex.NOTE_DENIES.search(note):
            return "names", self.passing(listed[0].start, stop), span
        ranks = (
            TOPIC if self.is_topic(n)
            else WORD if text[n.start : n.end].casefold() in lex.words["interjections"]
            else ANSWER
            for n in listed
        )  # fmt: skip
        return "names", [n._replace(rank=r) for n, r in zip(listed, ranks, strict=True)], span

    def _listed(self, names: Sequence[Named]) -> tuple[list[Named], int]:
        """The names that stand one after the other, notes in parentheses aside, and where they end."""
        listed, stop = list[Named](), names[0].start
        for named in names:
            if listed and named.start >= stop and not self.is_joined(stop, named.start):
                break
            if named.start >= stop:  # not within parentheses
                listed.append(named)
                stop = lex.CLOSING.match(self.text, named.end).end()  # type: ignore[union-attr]
        return listed, stop
