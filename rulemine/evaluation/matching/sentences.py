"""Which names of sentences are answers: what is denied, said in passing or no more than a word is not."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import accumulate, groupby, pairwise

from rulemine.evaluation.matching.lexicon import lex
from rulemine.evaluation.matching.names import Named

__all__ = [
    "ANSWER", "DENIED", "PASSING", "TOPIC", "WORD", "Sentences", "Span", "demoted",
]  # fmt: skip

_NEAR = 60  # characters before a name in which it can be denied

Span = tuple[int, int]
"""Where a part of a text begins and ends."""


ANSWER, WORD, PASSING, TOPIC, DENIED = range(5)
"""How much speaks for a name; of all names in what is read those of the lowest rank are its answers.

A WORD may be an ordinary one. PASSING: in parentheses, as a reason, on the way to another, in a sentence
about something else. DENIED is never an answer; words that are no names where they stand are left out.
"""


def demoted(found: Iterable[Named]) -> list[Named]:
    """The names as such that are said in passing."""
    return [named._replace(rank=max(named.rank, PASSING)) for named in found]


class Sentences:
    """A text with its names, read sentence by sentence.

    Args:
        text: The text, see `rulemine.evaluation.matching.names.plain`.
        names: Where it has names, from left to right, none inside another.
        topics: The names of the topic entities of the question, if they cannot be its answers.
        numbered: Whether numbers are names like others here.
    """

    def __init__(self, text: str, names: Sequence[Named], topics: Set[str], numbered: bool) -> None:
        self.text, self.names, self.topics, self.numbered = text, names, topics, numbered
        self._starts = [named.start for named in names]
        self._new = [named.start for named in names if not self.is_topic(named)]

    def within(self, start: int, end: int) -> Sequence[Named]:
        """The names that begin in a part of the text."""
        return self.names[bisect_left(self._starts, start) : bisect_left(self._starts, end)]

    def is_inside(self, place: int) -> bool:
        """Whether a place is inside a name."""
        at = bisect_right(self._starts, place)
        return at > 0 and place < self.names[at - 1].end

    def is_topic(self, named: Named) -> bool:
        """Whether a name is that of a topic entity of the question."""
        return not self.topics.isdisjoint(named.keys)

    def has_new(self, start: int, end: int) -> bool:
        """Whether a part of the text names something else than the topic entities."""
        return bisect_left(self._new, start) < bisect_left(self._new, end)

    def outside(self, pattern: re.Pattern[str], start: int, end: int) -> Iterator[re.Match[str]]:
        """Where a part of the text has a pattern that does not begin inside a name."""
        found = pattern.finditer(self.text, start, end)
        return (match for match in found if not self.is_inside(match.start()))

    def lines(self, start: int, end: int) -> list[Span]:
        """Where the lines of a part begin and end, without their breaks."""
        lines = self.text[start:end].split("\n")
        starts = accumulate((len(line) + 1 for line in lines), initial=start)
        return [(at, at + len(line)) for at, line in zip(starts, lines, strict=False)]

    def cut(self, pattern: re.Pattern[str], start: int, end: int) -> Iterator[Span]:
        """The pieces of a part, each of which ends with a pattern."""
        for stop in self.outside(pattern, start, end):
            yield start, stop.end()
            start = stop.end()
        yield start, end

    def clauses(self, start: int, end: int) -> Iterator[Span]:
        """Sentences, cut where another statement begins: ``…; it stars Ann``, ``…, and it stars Ann``."""
        for sentence in self.cut(lex.STOP, start, end):
            yield from self.cut(lex.NEXT_CLAUSE, *sentence)

    def passing(self, start: int, end: int) -> list[Named]:
        """The names of a part as such that are said in passing."""
        return [
            n._replace(rank=TOPIC if self.is_topic(n) else PASSING) for n in self.within(start, end)
        ]

    def first(self, found: list[Named], spans: Iterable[Span]) -> list[Named]:
        """Sets the names of sentences behind those of the first, unless they say the same of something else.

        They do if they have a word in common that means something, or none at all (``Bob is another one``).
        """
        if sum(named.rank <= WORD for named in found) < 2:
            return found
        clauses = [clause for span in spans for clause in self.clauses(*span)]
        starts = [low for low, _ in clauses]
        kept, first = list[Named](), None
        for at, group in groupby(found, lambda named: bisect_right(starts, named.start)):
            names = list(group)
            if any(n.rank <= WORD for n in names):
                words = self._content(*clauses[at - 1])
                first = words if first is None else first
                own, others = (part - lex.words["type_stems"] for part in (words, first))
                if own.isdisjoint(others) if own else not words <= first:
                    names = demoted(names)
            kept += names
        return kept

    def _content(self, low: int, high: int) -> set[str]:
        """The words of a clause that mean something, by their first four letters."""
        words = (m[0].casefold() for m in self.outside(lex.CONTENT, low, high))
        return {word[:4] for word in words if word not in lex.words["says_little"]}

    def prose(self, start: int, end: int, marked: bool = False) -> list[Named]:
        """The names in a part that is read as sentences, with their ranks; those in bold first."""
        found = [
            named
            for low, high in self.cut(lex.STOP, start, end)
            if self.within(low, high)
            for named in self._sentence(low, high, marked)
        ]
        spans = (span.span() for span in lex.BOLD.finditer(self.text, start, end))
        bold = {named.start for span in spans for named in self.within(*span)}
        if any(n.start in bold and n.rank <= WORD for n in found):
            return [n if n.start in bold else demoted([n])[0] for n in found]
        return found

    def _sentence(self, low: int, high: int, marked: bool) -> Iterator[Named]:
        text = self.text
        runs = list(self._runs(self.within(low, high)))
        asks = text[max(low, high - 9) : high].rstrip(" \t\n\"'»*_)]`").endswith(("?", "？"))
        asks = asks and not lex.GUESSES.match(text, low, high)
        beside = {n.start for span in self._asides(runs, low, high) for n in self.within(*span)}
        beside |= self.on_the_way(self.within(low, high))
        nobody = lex.NOBODY.match(text, low, high)
        before: Named | None = None
        for run in runs:
            window, behind = text[max(low, run[0].start - _NEAR) : run[0].start], run[-1].end
            refuted = (nobody and behind <= nobody.end()) or (
                lex.DENIAL.search(window) or lex.REFUTED.match(text, behind, high)
            )
            doubted = asks or lex.DENIED_AFTER.match(text, behind, high)
            for at, named in enumerate(run):
                rank: int | None = TOPIC if self.is_topic(named) else ANSWER
                window = text[max(low, named.start - _NEAR) : named.start]
                if refuted:
                    rank = DENIED
                elif rank == ANSWER:
                    rank = self._rank_of_word(run, at, low, marked)
                    if rank is not None and (
                        doubted
                        or named.start in beside
                        or lex.LONGER.match(text, named.end)  # Walt Disney Company
                        or (lex.COPULA.match(text, named.end, high) and lex.OF.search(window))
                        or (before and self._is_apposed(before, named))
                    ):
                        rank = PASSING
                if rank is not None:
                    before = named._replace(rank=rank)
                    yield before

    def _runs(self, names: Sequence[Named]) -> Iterator[Sequence[Named]]:
        """The lists in which names stand, with nothing between them but a comma, an ``and`` or the like."""
        begin = 0
        for at, (before, named) in enumerate(pairwise(names), start=1):
            gap = self.text[before.end : named.start]
            if not self.is_joined(before.end, named.start) or "~" in gap or ";" in gap:
                yield names[begin:at]
                begin = at
        yield names[begin:]

    def is_joined(self, start: int, end: int) -> bool:
        """Whether what stands between two names makes them one list."""
        gap = self.text[start : min(end, start + _NEAR)]
        return not gap.isspace() and lex.JOINT.fullmatch(gap) is not None

    def _is_apposed(self, before: Named, named: Named) -> bool:
        """Whether a name belongs to what is said of the one before: ``Ann, a child of Eve and Bob``."""
        joint = lex.AND if before.rank == PASSING else lex.APPOSED
        gap = self.text[before.end : min(named.start, before.end + _NEAR)]
        return before.rank <= PASSING and joint.fullmatch(gap) is not None

    def on_the_way(self, names: Sequence[Named]) -> set[int]:
        """Where the names of a path, ``A → B → C``, begin that do not end it away from the topic."""
        found, at = set[int](), 0
        for stop in range(1, len(names) + 1):
            gap = self.text[names[stop - 1].end : names[stop].start] if stop < len(names) else ""
            if lex.ARROW.search(gap) or lex.DASH.fullmatch(gap):
                continue
            counts = at if self.is_topic(names[stop - 1]) else stop - 1
            found |= {n.start for n in names[at:stop]} - {names[counts].start}
            at = stop
        return found

    def _rank_of_word(self, run: Sequence[Named], at: int, low: int, marked: bool) -> int | None:
        """The rank of a name that may be an ordinary word where it stands; None if it is one."""
        text, words, named = self.text, lex.words, run[at]
        word = text[named.start : named.end]
        lower, is_small, number = word.casefold(), word == word.casefold(), word.isdecimal()
        after = text[named.end : named.end + 30].lstrip("*_\"'`")
        ends = lex.ENDS.match(after) is not None
        leads = not re.search(r"\w", text[max(low, named.start - _NEAR) : named.start])
        begins = marked and leads and ends
        joined = (at > 0 and not self.is_topic(run[at - 1])) or text[
            max(low, named.start - 2) : named.start
        ] == "; "
        listed = at + 1 < len(run) or after[:1] == ";"
        if (number and self.numbered) or lex.SET_OFF.match(text, max(0, named.start - 1)):
            return ANSWER
        if lower in words["function_words"]:
            then = run[at + 1].start if at + 1 < len(run) else named.end
            follows = lex.AND.fullmatch(text, named.end, then)
            counts = follows or (ends and not is_small and (joined or (marked and listed)))
            alone = begins and not after.strip(" .\n")
            if alone or (counts and lower not in words["interjections"]):
                return ANSWER
            return WORD if not leads and not is_small else None
        if lex.GOES_ON.match(after) and (number or lower in words["adjectives"]):
            return None  # so many of them
        is_kind = lower in words["type_words"]
        opens = leads and not marked and not ends and word[:1].isalpha()
        first = opens and not lex.AUXILIARY.match(after)
        if (
            joined
            or listed
            or begins
            or not (is_kind or number or first or (named.folded and is_small))
        ):
            return ANSWER
        return None if is_kind and is_small and lex.THE.search(text[: named.start][-9:]) else WORD

    # What stands beside what a sentence says.

    def _asides(self, runs: Sequence[Sequence[Named]], low: int, high: int) -> Iterator[Span]:
        """Where parentheses, relative clauses and the first reason begin and end."""
        for part in lex.IN_PARENTHESES.finditer(self.text, low, high):
            adds = lex.ADDED.match(part[0])
            if not adds and (self.has_new(low, part.start()) or lex.TRIPLE.search(part[0])):
                yield part.span()
        # Commas between names of a list, but the last, are no ends.
        links = {c for run in runs for a, b in pairwise(run[:-1]) for c in range(a.end, b.start)}
        for relative in lex.RELATIVE.finditer(self.text, low, high):
            verb = lex.VERB.search(self.text, relative.end(), min(high, relative.end() + 300))
            end = verb.start() if verb else self._comma(relative.end(), high, links)
            if self.has_new(end, high) or self.has_new(low, relative.start()):
                yield relative.start(), end
        for reason in self.outside(lex.REASON, low, high):
            if self.has_new(low, reason.start()):
                yield reason.start(), high
            elif self.has_new(end := self._comma(reason.end(), high, links), high):
                yield low, end
            break

    def _comma(self, start: int, end: int, links: Set[int]) -> int:
        """The first comma near by that ends a clause; the end without one."""
        near = self.outside(lex.COMMA, start, min(end, start + 500))
        return next((m.start() for m in near if m[0] == "," and m.start() not in links), end)
