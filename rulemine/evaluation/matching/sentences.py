"""Which names of sentences are answers: what is denied, said in passing or no more than a word is not."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from rulemine.evaluation.matching.lexicon import lex
from rulemine.evaluation.matching.names import Named, ReplyText

__all__ = ["Rank", "SentenceReader", "Span", "demoted"]

_NEAR = 60  # characters before a name in which it can be denied

Span = tuple[int, int]
"""Where a part of a text begins and ends."""


class Rank:
    """How much speaks for a name; of all names in what is read those of the lowest rank are its answers."""

    ANSWER = 0
    WORD = 1
    """What may be an ordinary word."""
    PASSING = 2
    """In parentheses, as a reason, on the way to another, in a sentence about something else."""
    TOPIC = 3
    DENIED = 4
    """Never an answer; words that are no names where they stand are left out."""


def demoted(found: Iterable[Named]) -> list[Named]:
    """The names as such that are said in passing."""
    return [named._replace(rank=max(named.rank, Rank.PASSING)) for named in found]


class SentenceReader:
    """Reads the sentences of a text with its names.

    Attributes:
        reply: The text, and where it has names.
        text: The text alone.
    """

    def __init__(self, reply: ReplyText) -> None:
        self.reply, self.text = reply, reply.text

    def _lines(self, start: int, end: int) -> list[Span]:
        """Where the lines of a part begin and end, without their breaks."""
        lines = self.text[start:end].split("\n")
        starts = accumulate((len(line) + 1 for line in lines), initial=start)
        return [(at, at + len(line)) for at, line in zip(starts, lines, strict=False)]

    def _passing(self, start: int, end: int) -> list[Named]:
        """The names of a part as such that are said in passing."""
        return [
            n._replace(rank=Rank.TOPIC if self.reply.is_topic(n) else Rank.PASSING)
            for n in self.reply.within(start, end)
        ]

    def _ends_in_colon(self, start: int, end: int) -> bool:
        return self.text[start:end].rstrip(" \t\n*_").endswith((":", "："))

    def _sentences(self, start: int, end: int) -> Iterator[Span]:
        """Where the sentences of a part are; lines end them, stops within a name do not."""
        at = start
        for stop in lex.STOP.finditer(self.text, start, end):
            if not self.reply.is_inside(stop.start()):
                yield at, stop.end()
                at = stop.end()
        if at < end:
            yield at, end

    def _clauses(self, start: int, end: int) -> Iterator[Span]:
        """Sentences, cut where another statement begins: ``…; it stars Ann``, ``…, and it stars Ann``."""
        for low, high in self._sentences(start, end):
            for cut in lex.NEXT_CLAUSE.finditer(self.text, low, high):
                if not self.reply.is_inside(cut.start()):
                    yield low, cut.start()
                    low = cut.start()
            yield low, high

    def _said(self, spans: Sequence[Span], marked: bool = False) -> list[Named]:
        """The names in parts that are read as sentences: those of the first that answers."""
        return self._first([n for span in spans for n in self._prose(*span, marked)], spans)

    def _first(self, found: list[Named], spans: Sequence[Span]) -> list[Named]:
        """Sets the names of sentences behind those of the first, unless they say the same of something else.

        They do if they have a word in common that means something, or none at all (``Bob is another one``).
        """
        kept, first, at = list[Named](), None, 0
        for low, high in (clause for span in spans for clause in self._clauses(*span)):
            stop = at
            while stop < len(found) and low <= found[stop].start < high:
                stop += 1
            names, at = found[at:stop], stop
            if any(n.rank <= Rank.WORD for n in names):
                words = self._content(low, high)
                first = words if first is None else first
                own, others = (part - lex.words["type_stems"] for part in (words, first))
                if own.isdisjoint(others) if own else not words <= first:
                    names = demoted(names)
            kept += names
        return [*kept, *found[at:]]

    def _content(self, low: int, high: int) -> set[str]:
        """The words of a clause that mean something, by their first four letters."""
        words = (m for m in lex.CONTENT.finditer(self.text, low, high))
        return {
            m[0].casefold()[:4]
            for m in words
            if m[0].casefold() not in lex.words["says_little"]
            and m[0] not in "的是在和了他她它也"
            and not self.reply.is_inside(m.start())
        }

    def _prose(self, start: int, end: int, marked: bool = False) -> list[Named]:
        """The names in a part that is read as sentences, with their ranks; those in bold first."""
        found = list[Named]()
        for low, high in self._sentences(start, end):
            if names := self.reply.within(low, high):
                found += self._sentence(names, low, high, marked)
        bold = {
            named.start
            for span in lex.BOLD.finditer(self.text, start, end)
            for named in self._only_names(span.start(), span.end())
        }
        is_bold = any(n.start in bold and n.rank <= Rank.WORD for n in found)
        return [
            n._replace(rank=max(n.rank, Rank.PASSING)) if is_bold and n.start not in bold else n
            for n in found
        ]

    def _only_names(self, start: int, end: int) -> list[Named]:
        """The names in a part that holds nothing else."""
        names = self.reply.within(start, end)
        places = [start, *(place for named in names for place in named[:2]), end]
        gaps = zip(places[::2], places[1::2], strict=True)
        return names if all(lex.BETWEEN.fullmatch(self.text, a, max(a, b)) for a, b in gaps) else []

    def _sentence(
        self, names: Sequence[Named], low: int, high: int, marked: bool
    ) -> Iterator[Named]:
        text, reply = self.text, self.reply
        asks = text[max(low, high - 9) : high].rstrip(" \t\n\"'»*_)]`").endswith(("?", "？"))
        beside = self._asides(names, low, high)
        on_the_way = self._on_the_way(names)
        spelled = any(not n.folded and not reply.is_topic(n) for n in names)
        before: Named | None = None
        next_aside, reach = 0, low
        for at, named in enumerate(names):
            while next_aside < len(beside) and beside[next_aside][0] <= named.start:
                reach = max(reach, beside[next_aside][1])
                next_aside += 1
            window = text[max(low, named.start - _NEAR) : named.start]
            gap = text[before.end : named.start] if before else ""
            joined = before is not None and self._joined(before.end, named) and not gap.isspace()
            last = self._end_of_list(named)
            rank: int | None
            if (
                lex.DENIAL.search(window)
                or (joined and before and self._is_denied_on(before, named, low))
                or any(lex.REFUTED.match(text, e, min(high, e + _NEAR)) for e in {named.end, last})
            ):
                rank = Rank.DENIED
            elif reply.is_topic(named):
                rank = Rank.TOPIC
            else:
                then = names[at + 1] if at + 1 < len(names) else None
                rank = self._rank_of_word(named, then, low, marked, joined, spelled)
                if rank is not None and (
                    asks
                    or named.start < reach
                    or at in on_the_way
                    or (
                        before
                        and before[:2] == names[at - 1][:2]
                        and self._is_apposed(before, named)
                    )
                    or lex.ON_THE_WAY.search(window)
                    or (
                        (more := lex.LONGER.match(text, named.end))
                        and not reply.is_inside(more.end() - 1)
                    )
                    or self._is_of(named, low, high)
                    or any(
                        lex.DENIED_AFTER.match(text, e, min(high, e + _NEAR))
                        for e in {named.end, last}
                    )
                ):
                    rank = Rank.PASSING
            if rank is not None:
                before = named._replace(rank=rank)
                yield before

    def _is_of(self, named: Named, low: int, high: int) -> bool:
        """Whether a name says of what something is: ``the capital of Peru is Lima``."""
        be = lex.COPULA.match(self.text, named.end, high)
        of = lex.OF.search(self.text, max(low, named.start - _NEAR), named.start)
        return bool(be and of) and self.reply.has_answer(named.end, high)

    def _joined(self, end: int, right: Named, apposed: bool = False) -> bool:
        """Whether nothing stands before a name but a comma, an ``and`` or the like."""
        joint = lex.APPOSED if apposed else lex.JOINT
        near = right.start - end < _NEAR
        return near and joint.fullmatch(self.text, end, right.start) is not None

    def _is_apposed(self, before: Named, named: Named) -> bool:
        """Whether a name belongs to what is said of the one before: ``Ann, a child of Eve and Bob``."""
        between = self.text[before.end : named.start]
        if before.rank == Rank.PASSING:
            return len(between) < _NEAR and lex.AND.fullmatch(between.replace(",", "!")) is not None
        is_where = between in (" in ", " in the ", " of ", " near ")
        return before.rank <= Rank.WORD and (
            is_where or self._joined(before.end, named, apposed=True)
        )

    def _is_denied_on(self, before: Named, named: Named, low: int) -> bool:
        """Whether the denial of the name before reaches this one: ``not A or B``, ``neither A, B nor C``."""
        if before.rank != Rank.DENIED:
            return False
        between = self.text[before.end : named.start].casefold()
        said = self.text[max(low, named.start - 200) : named.start].casefold()
        rest = self.text[named.end : self._end_of_list(named)]
        return (
            "~" not in between
            and ";" not in between
            and (
                "or" in between
                or "," not in between
                or re.search(r"\bneither\b|\bnone of\b", said) is not None
                or re.search(r"\bn?or\b", rest) is not None
            )
        )

    def _end_of_list(self, named: Named) -> int:
        """Where the last of the names that follow a name directly ends."""
        for after in self.reply.within(named.end, named.end + _NEAR * 5):
            if ";" in self.text[named.end : after.start] or not self._joined(named.end, after):
                break
            named = after
        return named.end

    def _on_the_way(self, names: Sequence[Named]) -> set[int]:
        """The names of a path, ``A → B → C``, that do not end it; which end counts depends on the topic."""
        found, at = set[int](), 0
        for stop in range(1, len(names) + 1):
            low = names[stop - 1].end
            gap = self.text[low : names[stop].start] if stop < len(names) else ""
            if lex.ARROW.search(gap) or lex.DASH.fullmatch(gap):
                continue
            begins, ends = (self.reply.is_topic(names[end]) for end in (at, stop - 1))
            is_path = begins or ends or lex.ARROW.search(self.text, names[at].end, low)
            if is_path and stop > at + 1:
                found |= set(range(at, stop)) - {at if ends and not begins else stop - 1}
            at = stop
        return found

    def _rank_of_word(
        self, named: Named, then: Named | None, low: int, marked: bool, joined: bool, spelled: bool
    ) -> int | None:
        """The rank of a name that may be an ordinary word where it stands; None if it is one."""
        text, words = self.text, lex.words
        word = text[named.start : named.end]
        lower, is_small = word.casefold(), word == word.casefold()
        number = word.isdecimal()
        if (number and self.reply.numbered) or lex.SET_OFF.match(text, max(0, named.start - 1)):
            return Rank.ANSWER
        after = text[named.end : named.end + 30].lstrip("*_\"'`")
        ends, goes_on = lex.ENDS.match(after) is not None, lex.GOES_ON.match(after) is not None
        leads = not re.search(r"\w", text[max(low, named.start - _NEAR) : named.start])
        begins = marked and leads and ends
        gap = text[named.end : then.start] if then else " "
        listed = then is not None and not gap.isspace() and self._joined(named.end, then)
        if lower in words["function_words"]:
            follows = lex.AND.fullmatch(gap) is not None
            counts = follows or (marked and leads and listed) or (joined and ends and not is_small)
            alone = begins and not after.strip(" .\n")
            if alone or (counts and lower not in words["interjections"]):
                return Rank.ANSWER
            return Rank.WORD if not leads and not is_small else None
        if goes_on and (number or lower in words["adjectives"]):
            return None  # so many of them
        is_kind = lower in words["type_words"]
        first = (
            leads and not marked and word.istitle() and not ends and not lex.AUXILIARY.match(after)
        )
        weak = (
            is_kind
            or number
            or (named.folded and spelled and is_small)
            or (first and word.isalpha())
        )
        if not weak or joined or listed or begins:
            return Rank.ANSWER
        return (
            None if is_kind and is_small and lex.THE.search(text[: named.start][-9:]) else Rank.WORD
        )

    # What stands beside what a sentence says.

    def _asides(self, names: Sequence[Named], low: int, high: int) -> list[Span]:
        """Where parentheses, reasons and relative clauses begin and end, sorted."""
        found = list(self._parentheses(low, high))
        for relative in lex.RELATIVE.finditer(self.text, low, high):
            verb = lex.VERB.search(self.text, relative.end(), min(high, relative.end() + 300))
            comma = verb.start() if verb else self._comma(relative.end(), high)
            is_added = not relative["needs_more"] and self.reply.has_answer(low, relative.start())
            if self.reply.has_answer(comma, high) or is_added:
                found.append((relative.start(), comma))
        for reason in lex.REASON.finditer(self.text, low, high):
            if self.reply.is_inside(reason.start()):
                continue
            if self.reply.has_answer(low, reason.start()):
                found.append((reason.start(), high))
                break
            comma = self._comma(reason.end(), high)
            while comma < high and self._goes_on(comma, high):
                comma = self._comma(comma + 1, high)
            if self.reply.has_answer(comma, high):
                found.append((low, comma))
            break
        return sorted(found)

    def _goes_on(self, comma: int, high: int) -> bool:
        """Whether a reason goes on behind a comma: with ``and``, ``which``, or the next name of a list."""
        if lex.NO_REASON.match(self.text, comma + 1, high):
            return True
        names = self.reply.within(comma, min(high, comma + _NEAR))
        before = self.reply.before(comma)
        return (
            bool(names and before and self._joined(before.end, names[0]))
            and re.match(r"\W*,|\s+(?:and|or)\b", self.text[names[0].end : high][:20]) is not None
        )

    def _comma(self, start: int, end: int) -> int:
        """The first comma near by that is in no name and no parentheses; the end without one."""
        depth = 0
        for mark in re.compile("[,()]").finditer(self.text, start, min(end, start + 500)):
            depth += (mark[0] == "(") - (mark[0] == ")")
            if mark[0] == "," and depth < 1 and not self.reply.is_inside(mark.start()):
                return mark.start()
        return end

    def _parentheses(self, low: int, high: int) -> Iterator[Span]:
        """The parts in parentheses that follow a name which is no topic, or are triples."""
        for part in lex.IN_PARENTHESES.finditer(self.text, low, high):
            named = self.reply.before(part.start())
            gap = self.text[named.end : part.start()] if named else "-"
            follows = named and not self.reply.is_topic(named) and lex.ONLY_MARKUP.fullmatch(gap)
            is_added = self.reply.is_inside(part.start()) or lex.ADDED.match(part[0])
            if not is_added and (follows or lex.TRIPLE.search(part[0])):
                yield part.span()
