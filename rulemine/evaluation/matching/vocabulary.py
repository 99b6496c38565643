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
from itertools import accumulate, islice
from typing import NamedTuple

from rulemine.evaluation.matching.lexicon import (
    is_aside_label,
    is_nothing,
    is_rejection,
    lex,
    nothing_first,
)
from rulemine.evaluation.matching.names import (
    Named,
    NameFinder,
    ReplyText,
    composed,
    plain,
    tokens,
)
from rulemine.evaluation.matching.sentences import Rank, SentenceReader, Span, demoted
from rulemine.evaluation.matching.structured import json_answers
from rulemine.text.visible_reply import visible_reply

__all__ = ["LONGEST_OUTPUT", "Rank", "Read", "VocabularyMatcher", "bounded", "composed", "tokens"]

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
    """

    def __init__(self, names: Set[str]) -> None:
        self._finder = NameFinder(names)

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
        given = json_answers(
            visible_reply(raw_output[:LONGEST_OUTPUT]),
            self._finder.is_name,
            lambda text: composed(text) in own,
        )
        if given.texts is not None:
            readers = [self._reader(t, own) for t in given.texts if not nothing_first(t)]
            return _taken([named for reader in readers for named in reader.blocks(marked=True)])
        reader = self._reader(given.rest, own)
        if not reader.reply.names:
            return Read([], 0)
        text = reader.reply.text
        if (turn := lex.NEXT_TURN.search(text)) and reader.reply.has_answer(0, turn.start()):
            found = self._reader(text[: turn.start()], own).answers()
            if _answers_first(found):
                return _taken(found)
        return _taken(reader.answers())

    def _reader(self, text: str, topics: Set[str]) -> "_Reader":
        text = lex.EMPHASIS.sub(_as_stars, re.sub(r"<br ?/?>", "\n", plain(text), flags=re.I))
        text = lex.SOURCES.sub(lambda source: " " * len(source[0]), text)
        if "\\n" in text and "\n" not in text.strip():  # as programs print it
            letters = re.sub(r"\\u([0-9a-fA-F]{4})", lambda m: chr(int(m[1], 16)), text)
            text = plain(letters.replace("\\n", "\n"))
        names = [
            named
            for named in self._finder.found(text)
            if not named.folded
            or text[named.start : named.end].casefold() not in lex.words["function_words"]
        ]
        return _Reader(ReplyText(text, names, topics, numbered=self._finder.numbered))

    def name(self, name: str) -> str:
        """The name in one form of Unicode."""
        return composed(name)

    def item(self, answer: str) -> str:
        """The name that an answer of a list is, in whatever spelling; the answer if it is none."""
        return self._finder.item(answer)


def _as_stars(emphasis: re.Match[str]) -> str:
    """Underscores are part of words, but for those of Markdown's emphasis."""
    stars = "*" * len(emphasis[1])
    return f"{stars}{emphasis[2]}{stars}"


def _taken(found: Sequence[Named]) -> Read:
    """The names of the lowest rank, none of them denied."""
    denied = sum(named.rank == Rank.DENIED for named in found)
    best = min((n.rank for n in found if n.rank < Rank.DENIED), default=Rank.DENIED)
    if denied and best == Rank.TOPIC:
        best = Rank.DENIED  # the answer was among what is denied
    return Read(
        [key for named in found if named.rank == best < Rank.DENIED for key in named.keys], denied
    )


def _answers_first(found: Iterable[Named]) -> bool:
    """Whether there is an answer among names, in the first two ranks."""
    return any(named.rank <= Rank.WORD for named in found)


class _Part(NamedTuple):
    """A part that a text says is its answer; ``label`` is empty where something closes it."""

    start: int
    end: int
    label: str


_Row = tuple[str, list[Named]]


class _Reader(SentenceReader):
    """Reads a text with its names."""

    def answers(self) -> list[Named]:
        """What a reply names, by the rules 3 to 6."""
        found = self._stated(self._marks(lex.LABEL, lex.CLAUSE, lex.HEADING, lex.CHOOSES))
        if found is None and self._gives_none():
            return []
        if found is None:
            found = self._stated(self._open(lex.CONCLUSION, lex.SO_THAT))
        return self.blocks() if found is None else found

    # Rule 3: what the text says is its answer.

    def _stated(self, parts: list[_Part]) -> list[Named] | None:
        """The names in the last part that names something; none where it says that there is none."""
        while parts:
            part = parts.pop()
            run = [self._of_part(part)]
            while parts and self._continues(parts[-1], part):
                part = parts.pop()
                run.append(self._of_part(part))
            if run[0] is None:
                return []
            found = [named for one in reversed(run) for named in one or ()]
            if any(named.rank < Rank.DENIED for named in found):
                return found
        return None

    def _continues(self, before: _Part, part: _Part) -> bool:
        """Whether two parts are of one list: closed ones, or equal labels with nothing else between."""
        if not part.label:
            return not before.label
        between = self.text[before.start : before.end].strip()
        return part.label == before.label and "\n" not in between

    def _of_part(self, part: _Part) -> list[Named] | None:
        if part.label:
            return self._after(part.start, part.end)
        if is_nothing(lex.TEXT.sub("", self.text[part.start : part.end])):
            return None
        return self.blocks(part.start, part.end, marked=True)

    def _open(self, *patterns: re.Pattern[str]) -> list[_Part]:
        """The parts behind marks, in their order; one that corrects closes off what stands before it."""
        marks = sorted(
            (mark.end(), mark.start(), re.sub(r"\W+", " ", mark[0].casefold()).strip() or "-")
            for pattern in patterns
            for mark in pattern.finditer(self.text)
            if not self.reply.is_inside(mark.end() - 1) and not self._is_doubtful(mark)
        )
        ends = [*(start for _, start, _ in marks[1:]), len(self.text)]
        return [_Part(a, max(a, b), label) for (a, _, label), b in zip(marks, ends, strict=False)]

    def _marks(self, *patterns: re.Pattern[str]) -> list[_Part]:
        """Those, and the parts that are closed by their marks; without any of them the last braces."""
        found = self._open(*patterns)
        for mark in lex.CLOSED.finditer(self.text):
            start, end = mark.span(mark.lastindex or 0)
            if self.reply.within(start, end) or is_nothing(lex.TEXT.sub("", self.text[start:end])):
                found.append(_Part(start, end, ""))
        return sorted(found) or self._braces()

    def _braces(self) -> list[_Part]:
        """The last braces, and those directly before them; where nothing else says what the answer is."""
        runs = (_Part(*mark.span(), "") for mark in lex.BRACED.finditer(self.text))
        return [run for run in runs if self.reply.within(run.start, run.end)][-1:]

    def _is_doubtful(self, mark: re.Match[str]) -> bool:
        """Whether a mark stands after ``if``, ``whether`` or ``unless``."""
        first = re.search(r"\b(?:the|my|our|final|answer)", mark[0], re.I)
        stop = mark.start() + (first.start() if first else 0)
        return lex.UNLESS.search(self.text[max(0, mark.start() - 40) : stop]) is not None

    def _after(self, start: int, stop: int) -> list[Named] | None:
        """What is said behind a mark: the rest of its sentence and the names below, or the block below.

        None if it says that there is none.
        """
        lines = self._lines(start, stop)
        low, high = lines[0]
        if self._is_nothing(low, high) or self._begins_with_nothing(low, high):
            return None
        leads = self._ends_in_colon(low, high)
        if self.reply.has_answer(low, high) and not leads:
            end = next(e for s, e in self._sentences(low, high) if self.reply.has_answer(s, e))
            kind, found = self._line(low, end, marked=True)
            for line in lines[1:]:
                kind, row = self._line(*line, marked=True)
                if kind != "names":
                    break
                found += row
            return found
        if not leads and self.text[low:high].strip(" \t*_"):
            return self._said([(low, high)], marked=True)
        below = next(
            (line for line in lines[1:] if self.text[slice(*line)].strip(" \t`$[]\\")), None
        )
        if below and self._is_nothing(*below):
            return None
        return self.blocks(below[0], stop, marked=True) if below else []

    # Rules 4 and 5: it says that there is none; its last conclusion.

    def _gives_none(self) -> bool:
        """Whether the text says that there is no answer, and names only what there is instead."""
        text = self.text
        if lex.SAYS_UNKNOWN.search(text[-600:]) or self._begins_with_nothing(0, len(text)):
            return True
        if any(self._is_nothing(*line) for line in self._lines(0, len(text))):
            return True
        for low, high in islice(self._clauses(0, min(len(text), 2000)), 3):
            refusal = lex.REFUSAL.search(text, low, high)
            if refusal and not self.reply.is_inside(refusal.start()):
                if "ly " in refusal[0] or self._hopes(refusal.end(), len(text)):
                    return False  # what is "not directly stated" may be said in spite of it
                said = self._said([(0, refusal.end())])
                return not _answers_first(said) and lex.LISTS.search(text, high) is None
        return False

    def _hopes(self, start: int, end: int) -> bool:
        """Whether a clause behind a refusal names something all the same."""
        for low, high in self._clauses(start, min(end, start + 3000)):
            asks = self.text[low:high].rstrip().endswith("?")
            refuses = asks or lex.REFUSAL.search(self.text, low, high)
            if self.reply.has_answer(low, high) and not refuses:
                words = lex.HOPE.finditer(self.text, low, high)
                places = [word.start() for word in words]
                if any(
                    self.reply.has_answer(at, high) and not self.reply.is_inside(at)
                    for at in places
                ):
                    return True
        return False

    def _is_nothing(self, low: int, high: int) -> bool:
        """Whether a line says that there is nothing, and is no name."""
        return (
            high - low < 100
            and is_nothing(self.text[low:high])
            and not self.reply.within(low, high)
        )

    def _begins_with_nothing(self, low: int, high: int) -> bool:
        """Whether a part says first that there is nothing, and takes nothing of that back."""
        after = nothing_first(self.text[low : min(high, low + 200)])
        return bool(
            after and not self.reply.within(low, low + after) and not self._hopes(low + after, high)
        )

    # Rule 6: tables, lists, sentences.

    def blocks(self, low: int = 0, high: int | None = None, *, marked: bool = False) -> list[Named]:
        """The names in a part, with their ranks.

        Of the names that do not count, each has a rank that lets it count where nothing else is named.
        """
        lines = self._lines(low, len(self.text) if high is None else high)
        found: dict[str, list[Named]] = {
            kind: [] for kind in ("table", "names", "prose", "statements", "aside")
        }
        spans = list[Span]()
        at, aside, next_aside = 0, False, False  # until the next heading; for the next block
        while at < len(lines):
            line = lines[at]
            words = self.text[slice(*line)]
            stop = at + 1
            if not words.strip() or lex.RULE.fullmatch(words):
                pass
            elif (stop := self._end_of_table(lines, at)) > at:
                column = self._column(lines[at:stop])
                found["table" if column else "aside"] += column or self._passing(
                    line[0], lines[stop - 1][1]
                )
            elif (heads := self._is_heading(line)) or self._is_lead(line):
                aside = is_aside_label(words) if heads else aside
                next_aside = not heads and is_aside_label(words)
                found["aside"] += self._passing(*line)
                stop = at + 1
            else:
                is_item = self._item(*line) > 0
                stop = (self._end_of_items if is_item else self._end_of_paragraph)(lines, at)
                read = self._list if is_item else self._paragraph
                for kind, names, span in read(lines[at:stop], marked):
                    is_aside = (aside or next_aside) and kind != "aside"
                    found["aside" if is_aside else kind] += demoted(names) if is_aside else names
                    spans += [span] if kind == "prose" and not is_aside else []
                next_aside = False
            at = stop
        found["prose"] = self._first(found["prose"], spans)
        for kind in ("table", "names", "prose", "statements"):
            if _answers_first(found.get(kind, ())):
                others = (n for k, names in found.items() if k != kind for n in names)
                return [*found[kind], *(n for n in others if n.rank == Rank.DENIED)]
        return demoted(n for names in found.values() for n in names)

    def _bars(self, line: Span) -> list[int]:
        bars = (bar.start() for bar in re.compile(r"\|").finditer(self.text, *line))
        return [bar for bar in bars if not self.reply.is_inside(bar)]

    def _end_of_table(self, lines: Sequence[Span], at: int) -> int:
        """Where a table ends that begins at a line: it has a rule, or three rows of as many bars."""
        head, rule = (self.text[slice(*line)] for line in [*lines[at : at + 2], (0, 0)][:2])
        has_rule = "|" in head and lex.TABLE_RULE.fullmatch(rule) is not None
        stop = at
        while (has_rule or head.count("|") > 1) and stop < len(lines):
            row = self.text[slice(*lines[stop])]
            if "|" not in row and "-+-" not in row:
                break
            stop += 1
        return stop if has_rule or stop > at + 2 else at

    def _column(self, rows: Sequence[Span]) -> list[Named]:
        """The names in the first column in most cells of which there are names, and not the topic's."""
        columns = list[list[list[Named]]]()
        rows = [row for row in rows if not lex.TABLE_RULE.fullmatch(self.text[slice(*row)])]
        for row in rows:
            cuts = self._bars(row)
            cells = list(zip([row[0], *(cut + 1 for cut in cuts)], [*cuts, row[1]], strict=True))
            for place, (start, end) in enumerate(cells):
                if place == len(columns):
                    columns.append([])
                kind, found = self._line(start, end, is_item=True)
                columns[place].append(found if kind == "names" else [])
        for column in columns:
            full = sum(any(n.rank == Rank.ANSWER for n in cell) for cell in column)
            if 2 * full > len(rows) - 1:
                return [n for cell in column[len(column) == len(rows) :] for n in cell]
        return []

    def _is_heading(self, line: Span) -> bool:
        if not lex.HEAD.fullmatch(self.text, *line):
            return False
        return self._ends_in_colon(*line) or self._line(*line)[0] != "names"

    def _is_lead(self, line: Span) -> bool:
        """Whether a line says what comes next: it ends in a colon and is no item."""
        return self._ends_in_colon(*line) and not self._item(*line)

    def _item(self, start: int, end: int) -> int:
        """Where the text of an item begins, behind its bullet or number; 0 where a line is no item."""
        bullet = lex.BULLET.match(self.text, start, end)
        if bullet is None:
            return 0
        return 0 if self.reply.is_inside(bullet.end() - 1) else bullet.end()  # "S. Ann" is a name

    def _indent(self, line: Span) -> int:
        words = self.text[slice(*line)].expandtabs(4)
        return len(words) - len(words.lstrip())

    def _end_of_items(self, lines: Sequence[Span], at: int) -> int:
        """Where a list ends: blank lines and what belongs to an item are inside."""
        stop, indent = at + 1, self._indent(lines[at]) + 2
        for after in range(at + 1, len(lines)):
            if self.text[slice(*lines[after])].strip():
                if not self._item(*lines[after]) and self._indent(lines[after]) < indent:
                    break
                stop = after + 1
        return stop

    def _end_of_paragraph(self, lines: Sequence[Span], at: int) -> int:
        stop = at + 1
        while stop < len(lines) and not (
            not self.text[slice(*lines[stop])].strip()
            or self._item(*lines[stop])
            or self._is_heading(lines[stop])
            or self._is_lead(lines[stop])
        ):
            stop += 1
        return stop

    def _list(self, lines: Sequence[Span], marked: bool) -> Iterator[tuple[str, list[Named], Span]]:
        """A list: its items of the first level, and below one that is a label the items there."""
        indent = self._indent(lines[0])
        groups = list[tuple[bool, list[_Row]]]()
        for line in lines:
            if self._item(*line):
                row = self._line(*line, is_item=True, marked=marked)
                if groups and self._indent(line) > indent + 1:
                    groups[-1][1].append(row)
                else:
                    groups.append((self._ends_in_colon(*line), [row]))
        rows = list[_Row]()
        for leads, (head, *below) in groups:
            is_item = _answers_first(head[1])
            is_label = not is_item or (leads and any(kind == "names" for kind, _ in below))
            rows += below if is_label else [head]
        answering = [kind for kind, found in rows if _answers_first(found)]
        kind = "names" if 2 * answering.count("names") >= len(answering) else "statements"
        found = list[Named]()
        for row_kind, names in rows:
            first = next((n for n in names if n.rank <= Rank.WORD), None)
            found += [
                n
                if row_kind != "statements" or n is first
                else n._replace(rank=max(n.rank, Rank.PASSING))
                for n in names
            ]  # of an item that is a sentence the first counts
        yield kind if answering else "aside", found, (lines[0][0], lines[-1][1])

    def _paragraph(
        self, lines: Sequence[Span], marked: bool
    ) -> Iterator[tuple[str, list[Named], Span]]:
        """Lines of names, or sentences; what follows a label such as ``Note:`` is said in passing."""
        for line in lines:
            kind, found = self._line(*line, marked=marked)
            words = self.text[slice(*line)]
            if kind in ("aside", "none") and ":" in words and is_aside_label(words):
                yield "aside", demoted(self._prose(line[0], lines[-1][1])), line
                return
            yield "aside" if kind == "none" else kind, found, line

    # Lines.

    def _line(
        self, start: int, end: int, *, is_item: bool = False, marked: bool = False, labels: int = 9
    ) -> tuple[str, list[Named]]:
        """A line, or what stands for one: what it is, and its names.

        Its kind is that of `blocks`, or ``none`` if it gives nothing. `is_item`: a comma begins a note.
        `labels`: how many labels may stand before its names (``Country: France``), at most.
        """
        text, reply = self.text, self.reply
        if body := self._item(start, end):
            start, is_item = body, True
        names = reply.within(start, end)
        if not names:
            return "none", []
        label = lex.LINE_LABEL.match(text, start, names[0].start)
        _, colon, value = text[start:end].rpartition(":")
        says_nothing = bool(colon and value.strip()) and is_nothing(value)
        if says_nothing or (label and is_aside_label(label[0]) and not is_rejection(label[0])):
            return "none" if says_nothing else "aside", demoted(self._prose(start, end))
        start = label.end() if label else start
        if label and is_rejection(label[0]):
            return "aside", [n._replace(rank=Rank.DENIED) for n in names]
        first = lex.DECORATION.fullmatch(text, start, names[0].start)
        if first is None or re.search(r"[❌✗✘🚫]|~~", first[0]):
            return "prose", self._prose(start, end, marked)
        listed, stop = self._coordinated(names)
        note = text[stop:end].lstrip("*_`\"'»] \t").lstrip()
        if labels and (value_at := self._behind_label(listed, stop, end)):
            if self._on_the_way(names):
                return "names", self._prose(start, end, marked)
            return self._line(value_at, end, is_item=is_item, marked=marked, labels=labels - 1)
        word = text[listed[0].start : listed[0].end].casefold()
        comma = text.find(",", end - len(note) + 1, end)
        may_note = not any(map(reply.is_topic, listed))
        clause = (
            may_note
            and lex.NOTE_CLAUSE.match(note)
            and not reply.has_answer(max(comma, 0) or end, end)
        )
        more = note[:1] in (".", "!") and note[1:].strip() and word in lex.words["function_words"]
        has_note = (
            (lex.NOTE_ENDS.match(note) and not more)
            or clause
            or (is_item and note[0] in ",;=<>→")
            or (marked and may_note and lex.NOTE.match(note))
        )
        says_yes = lex.YES.match(note) and reply.has_answer(stop, end)
        refuted = any(lex.REFUTED.match(text, named.end, end) for named in listed)
        if says_yes or refuted or not has_note:
            found = self._prose(start, end, marked)
            is_word = found and found[0][:2] == listed[0][:2] and found[0].rank == Rank.WORD
            if is_item and is_word and not (len(listed) == 1 and word in lex.words["kinds"]):
                found[0] = found[0]._replace(rank=Rank.ANSWER)  # it begins an item
            return "statements" if is_item else "prose", found
        if is_item and lex.NOTE_DENIES.search(note):
            return "names", self._passing(listed[0].start, stop)
        words = lex.words["interjections"]
        return "names", [
            n._replace(
                rank=Rank.TOPIC
                if reply.is_topic(n)
                else Rank.WORD
                if text[n.start : n.end].casefold() in words
                else Rank.ANSWER
            )
            for n in listed
        ]

    def _behind_label(self, listed: Sequence[Named], stop: int, end: int) -> int:
        """Where the value begins if names say whose it is (``T: Ann``, ``Ann's children: Eve``); else 0."""
        text, reply = self.text, self.reply
        if not reply.has_answer(stop, end):
            return 0
        note = text[stop:end].lstrip("*_`\"'»] \t")
        word = text[listed[0].start : listed[0].end].casefold()
        if note[:1] in tuple(":-—→") and (
            word in lex.words["kinds"] or all(map(reply.is_topic, listed))
        ):
            return stop + 1
        owner = re.match(r"s?\s[^:\n]{0,80}:", note)
        value_at = end - len(note) + owner.end() if owner else 0
        return value_at if value_at and reply.has_answer(value_at, end) else 0

    def _coordinated(self, names: Sequence[Named]) -> tuple[list[Named], int]:
        """The names that stand one after the other, notes in parentheses aside, and where they end."""
        listed, stop = [names[0]], self._closed(names[0].end)
        for named in names[1:]:
            if named.start < stop:
                continue  # within parentheses
            if not self._joined(stop, named) or self.text[stop : named.start] == " ":
                break  # two names in a row are no list
            listed.append(named)
            stop = self._closed(named.end)
        return listed, stop

    def _closed(self, place: int) -> int:
        """Where a name's closing quotes and what follows it in parentheses end."""
        place = lex.CLOSING.match(self.text, place).end()  # type: ignore[union-attr]
        while note := lex.PARENTHESIS.match(self.text, place):
            place = note.end()
        return place
