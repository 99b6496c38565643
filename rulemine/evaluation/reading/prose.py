"""Which names in running text are answers: what is denied, said in passing or no more than a word is not."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rulemine.evaluation.reading.asides import MARKUP, asides
from rulemine.evaluation.reading.names import Named, ReplyText
from rulemine.evaluation.reading.words import (
    ADJECTIVES,
    FUNCTION_WORDS,
    INTERJECTIONS,
    TYPE_WORDS,
)

__all__ = [
    "Rank",
    "RankedName",
    "are_joined",
    "demoted",
    "has_path",
    "read_prose",
    "sentences",
]


class Rank:
    """How much speaks for a name; of all names in a text those of the lowest rank there are its answers."""

    ANSWER = 0
    WORD = 1
    """What may be an ordinary word."""
    PASSING = 2
    """ReplyText in passing: in parentheses, as a reason, on the way to another."""
    REMOTE = 3
    """In passing twice: where a part as such is evidence or a remark."""
    TOPIC = 4
    DENIED = 5
    """Never an answer; so are words that are no names where they stand, which are left out."""


class RankedName(NamedTuple):
    """A name and its rank."""

    named: Named
    rank: int


_STOP = re.compile(r"(?<![.!?])[.!?]++[\"'»*_)\]`]{0,9}(?=\s|\Z)|[。！？；]|\n")
_JOINT = re.compile(
    rf"{MARKUP}*(?:[,;/&|、，；·•+]{MARKUP}*)?(?:\(?\d{{1,2}}[.)]{MARKUP}+)?"
    rf"(?:(?:and|or|nor|as well as|but also|und|et|y|e|и|和)\b)?{MARKUP}*"
    rf"(?:(?:the|a|an|also|possibly|perhaps|maybe)\b{MARKUP}*){{0,2}}",
    re.I,
)
_AND = re.compile(rf"{MARKUP}*,?\s*(?:and|or|nor|&){MARKUP}*(?:(?:the|a|an)\b{MARKUP}*)?", re.I)
_FILL = (
    r"(?:(?:is|are|was|were|do|does|did|has|be|include|includes|including|list|count|mention|name)\s+)?"
    r"(?:(?:(?!but\b)[a-z]+\s+){0,3}(?:in|at|of|by|to|from|for|with|on)\s+)?(?:(?:the|a|an|his|her|their|its)\s+(?:[a-z]+\s+){0,2})?"
)
_DENIAL = re.compile(
    r"(?:(?:\b(?:not|neither|nor|rather than|instead of|unlike|except(?: for)?|other than|as opposed to|"
    rf"excluding)|n't|cannot be|can't be)\s+(?!only\b|just\b|merely\b|simply\b){_FILL}|"
    r"\b(?:excluded|omitted|left out|ruled out|rejected|no [a-z]+ (?:with|in|to|from|of))\s+|"
    rf"[❌✗✘🚫]\s*|(?<![\w.)])~~){MARKUP}*\Z",
    re.I,
)
_DENIED_AFTER = re.compile(
    rf"(?:{MARKUP}*|\s[^.,;:\n]{{1,40}}\sbut\s)(?:is|are|was|were|does|do|did|has|have|can|could|would|should)"
    r"(?:\s+not\b|n't\b)(?!\s+(?:only|just))|[^\n]{0,200}[❌✗✘✖]\uFE0F?\s*\Z",
    re.I,
)
_NO_ANSWER = re.compile(
    rf"{MARKUP}*(?:is|are|was|were)(?: not|n't) (?:(?:the|an|among the|one of the) )?(?:\w+ )?answers?\b",
    re.I,
)
_PASSING = re.compile(rf"\b(?:via|through|thanks to|by way of)\s+(?:the\s+)?{MARKUP}*\Z", re.I)
_APPOSED = re.compile(
    rf"{MARKUP}*,\s+(?!(?:and|or|but|nor|as|plus|also|then)\b)(?:(?:both|all|each|the|a|an|his|her|their)\s+)*"
    rf"(?:[a-z-]+\s+){{1,4}}?(?:of|to)\s+(?:the\s+)?{MARKUP}*"
)
_ABOUT_THEM = re.compile(
    r"[\s*_]*(?:both|these|those|they|each of|all (?:of|two|three|four|five|six)|this is|that is)\b",
    re.I,
)
_ARROW = re.compile(r"→|⟶|⇒|➔|➜|←|<-|->|=>|—>|\(\w+_\w+\)")
_DASH = re.compile(r"\s+[>—-]\s+")
_BOLD = re.compile(
    r"\*\*(?![\s*])([^*\n]{1,1000})\*\*|__(?![\s_])([^_\n]{1,1000})__|<b>([^<\n]{1,1000})</b>"
)
_BETWEEN = re.compile(r"(?:\W|_|\b(?:and|or|und|et)\b)*", re.I)
_NEAR = 60  # characters before a name in which it can be denied


def read_prose(reply: ReplyText, start: int, end: int, *, marked: bool = False) -> list[RankedName]:
    """The names in a part of a text that is read as sentences.

    Args:
        reply: The text.
        start: Where the part begins.
        end: Where it ends.
        marked: Whether the text says that this part is its answer.
    """
    found: list[RankedName] = []
    for low, high in sentences(reply, start, end):
        if names := reply.within(low, high):
            found += _sentence(reply, names, low, high, marked)
    return _bold_first(reply, start, end, found)


def demoted(found: Sequence[RankedName]) -> list[RankedName]:
    """The names of evidence or a remark."""
    low = {Rank.ANSWER: Rank.PASSING, Rank.WORD: Rank.PASSING, Rank.PASSING: Rank.REMOTE}
    return [RankedName(named, low.get(rank, rank)) for named, rank in found]


def sentences(reply: ReplyText, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where the sentences of a part are; lines end them, stops within a name do not."""
    at = start
    for stop in _STOP.finditer(reply.text, start, end):
        if not reply.is_inside(stop.start()):
            yield at, stop.end()
            at = stop.end()
    if at < end:
        yield at, end


def are_joined(
    reply: ReplyText, left: Named, right: Named, joint: re.Pattern[str] = _JOINT
) -> bool:
    """Whether nothing stands between two names but a comma, an ``and`` or the like."""
    return right.start - left.end < _NEAR and bool(
        joint.fullmatch(reply.text, left.end, right.start)
    )


def _sentence(
    reply: ReplyText, names: Sequence[Named], low: int, high: int, marked: bool
) -> Iterator[RankedName]:
    text = reply.text
    asks = text[max(low, high - 9) : high].rstrip(" \t\n\"'»*_)]`").endswith(("?", "？"))
    explains = _ABOUT_THEM.match(text, low, high) is not None and reply.has_answer(0, low)
    beside = asides(reply, names, low, high)
    on_the_way = _on_the_way(reply, names)
    before: RankedName | None = None
    next_aside, reach = 0, low
    for at, named in enumerate(names):
        while next_aside < len(beside) and beside[next_aside][0] <= named.start:
            reach = max(reach, beside[next_aside][1])
            next_aside += 1
        window = text[max(low, named.start - _NEAR) : named.start]
        joined = before is not None and are_joined(reply, before.named, named)
        joined = joined and not text[before.named.end : named.start].isspace()  # type: ignore[union-attr]
        rank: int | None
        after = text[named.end : min(high, named.end + _NEAR)]
        if (
            _DENIAL.search(window)
            or _NO_ANSWER.match(after)
            or (joined and _is_denied_on(reply, before, named, low))
        ):
            rank = Rank.DENIED
        elif reply.is_topic(named):
            rank = Rank.TOPIC
        else:
            rank = _rank_of_word(reply, names, at, low, high, marked, joined)
            if rank is not None and (
                asks
                or explains
                or named.start < reach
                or at in on_the_way
                or _is_apposed(reply, names, at, before)
                or _PASSING.search(window)
                or _is_denied_after(reply, named, high)
            ):
                rank = Rank.PASSING
        if rank is not None:
            before = RankedName(named, rank)
            yield before


def _is_apposed(
    reply: ReplyText, names: Sequence[Named], at: int, before: RankedName | None
) -> bool:
    """Whether a name belongs to what is said of the one before: ``Ann, a child of Eve and Bob``."""
    if not at or before is None or before.named != names[at - 1]:
        return False
    if before.rank == Rank.PASSING:
        return (
            are_joined(reply, before.named, names[at], _AND)
            and "," not in reply.text[before.named.end : names[at].start]
        )
    gap = names[at].start - before.named.end
    return (
        before.rank <= Rank.WORD and gap < _NEAR
        and _APPOSED.fullmatch(reply.text, before.named.end, names[at].start) is not None
    )  # fmt: skip


def _is_denied_after(reply: ReplyText, named: Named, high: int) -> bool:
    """Whether a sentence goes on to deny a name, or the list that it is in: ``Ann and Bob are not``."""
    ends = {named.end, _end_of_list(reply, named)}
    return any(_DENIED_AFTER.match(reply.text, end, min(high, end + _NEAR)) for end in ends)


def _is_denied_on(reply: ReplyText, before: RankedName | None, named: Named, low: int) -> bool:
    """Whether the denial of the name before reaches this one: ``not A or B``, ``neither A, B nor C``."""
    if before is None or before.rank != Rank.DENIED:
        return False
    between = reply.text[before.named.end : named.start].casefold()
    return "~" not in between and (
        "or" in between
        or "," not in between
        or "neither" in reply.text[low : named.start][-200:].casefold()
        or _ends_in_or(reply, named)
    )


def _ends_in_or(reply: ReplyText, named: Named) -> bool:
    """Whether a name is one of a list that ends in ``or``."""
    return re.search(r"\bn?or\b", reply.text[named.end : _end_of_list(reply, named)]) is not None


def _end_of_list(reply: ReplyText, named: Named) -> int:
    """Where the last of the names that follow a name directly ends."""
    for after in reply.within(named.end, named.end + _NEAR * 5):
        if reply.text[named.end : after.start].isspace() or not are_joined(reply, named, after):
            break
        named = after
    return named.end


def has_path(reply: ReplyText, names: Sequence[Named]) -> bool:
    """Whether names form a path, ``A → B → C``."""
    return bool(_on_the_way(reply, names))


def _on_the_way(reply: ReplyText, names: Sequence[Named]) -> set[int]:
    """The names of a path, ``A → B → C``, that do not end it; which end counts depends on the topic."""
    found: set[int] = set()
    at = 0
    while at < len(names) - 1:
        last = at
        worded = dashed = False
        while last < len(names) - 1:
            gap = reply.text[names[last].end : names[last + 1].start]
            is_dash = _DASH.fullmatch(gap) is not None
            if len(gap) > 300 or not (is_dash or _ARROW.search(gap)) or "\n" in gap:
                break
            dashed |= is_dash
            worded |= re.search(r"\w \w", gap) is not None
            last += 1
        begins, ends = reply.is_topic(names[at]), reply.is_topic(names[last])
        if last > at + dashed and (begins or ends or not dashed):
            first_counts = (ends and not begins) or (worded and not begins)
            kept = at if first_counts else last
            found |= set(range(at, last + 1)) - {kept}
        at = max(last, at + 1)
    return found


def _rank_of_word(
    reply: ReplyText,
    names: Sequence[Named],
    at: int,
    low: int,
    high: int,
    marked: bool,
    joined: bool,
) -> int | None:
    """The rank of a name that may be an ordinary word where it stands; None if it is one."""
    named, text = names[at], reply.text
    word = text[named.start : named.end]
    if not word.isalnum() or _is_set_off(text, named) or (reply.numbered and word.isdecimal()):
        return Rank.ANSWER
    lower = word.casefold()
    leads = not re.search(r"\w", text[max(low, named.start - _NEAR) : named.start])
    follows = at + 1 < len(names) and are_joined(reply, named, names[at + 1], _AND)
    after = text[named.end : named.end + 30].lstrip("*_\"'`")
    ends = not after.strip() or bool(re.match(r"\s*[.,;:()!?|\n、，；。：（）]|\s+[-—]", after))
    if lower in FUNCTION_WORDS:
        listed = (
            at + 1 < len(names)
            and are_joined(reply, named, names[at + 1])
            and lower not in INTERJECTIONS
        )
        if marked and leads and (listed or not after.strip(" .\n")):
            return Rank.ANSWER
        if follows or (joined and ends and word[0].isupper()):
            return Rank.ANSWER
        return Rank.WORD if not leads and word[0].isupper() else None
    if word.isdecimal() and re.match(r"\s+(?!is\b|are\b|was\b|were\b|and\b|or\b)[a-z]", after):
        return None  # so many of them
    if lower in TYPE_WORDS or word.isdecimal():
        listed = at + 1 < len(names) and are_joined(reply, named, names[at + 1])
        return Rank.ANSWER if (marked and leads and ends) or joined or listed else Rank.WORD
    if lower in ADJECTIVES:
        is_adjective = re.match(r"\s+[a-z]", after) and not re.match(
            r"\s+(?:is|are|was|were|and|or|as|in)\b", after
        )
        return None if is_adjective else Rank.ANSWER
    if (
        leads
        and not marked
        and word.isalpha()
        and word[0].isupper()
        and not ends
        and not follows
        and not re.match(r"\s+(?:is|are|was|were)\b", after)
        and not _goes_on(text, low)
    ):
        return Rank.WORD
    return Rank.ANSWER


def _goes_on(text: str, low: int) -> bool:
    """Whether a sentence goes on from the line before."""
    return (
        re.search(r"(?:[,:;]|\b(?:and|or))[ \t*_]*\n?\s*\Z", text[max(0, low - 20) : low])
        is not None
    )


def _is_set_off(text: str, named: Named) -> bool:
    """Whether a name is in quotes, bold, italics or backticks by itself."""
    left, right = text[max(0, named.start - 1) : named.start], text[named.end : named.end + 1]
    return bool(left) and left + right in ('""', "''", "**", "__", "``", "«»", "»«", "「」", "『』")


def _bold_first(
    reply: ReplyText, start: int, end: int, found: list[RankedName]
) -> list[RankedName]:
    """Sets the names in bold before all others, if some are."""
    bold = {
        named
        for span in _BOLD.finditer(reply.text, start, end)
        for named in _only_names(reply, span.start(), span.end())
    }
    if not any(named in bold and rank <= Rank.WORD for named, rank in found):
        return found
    return [
        RankedName(named, Rank.PASSING if rank <= Rank.WORD and named not in bold else rank)
        for named, rank in found
    ]


def _only_names(reply: ReplyText, start: int, end: int) -> list[Named]:
    """The names in a part that holds nothing else."""
    names = reply.within(start, end)
    ends = [start, *(named.end for named in names)]
    starts = [*(named.start for named in names), end]
    gaps = zip(ends, starts, strict=True)
    is_all = all(_BETWEEN.fullmatch(reply.text, low, max(low, high)) for low, high in gaps)
    return names if is_all else []
