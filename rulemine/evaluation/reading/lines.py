"""The lines of a reply: which names of a line are answers, and what is a note on them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rulemine.evaluation.reading.names import Named, ReplyText
from rulemine.evaluation.reading.prose import (
    Rank,
    RankedName,
    are_joined,
    demoted,
    has_path,
    read_prose,
)
from rulemine.evaluation.reading.words import (
    FUNCTION_WORDS,
    INTERJECTIONS,
    TYPE_WORDS,
    is_aside_label,
    is_nothing,
)

__all__ = ["TextLine", "in_passing", "is_triple", "item_body", "lines_of", "read_line"]

_BULLET = re.compile(
    r"[ \t>]*(?:[-*+](?=\s)|[•‣◦·▪●○–—✓✔✅☑➤➢►]\uFE0F?|\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)](?=[\s*])|"
    r"(?:#{1,6}[ \t]+)?[*_]{0,3}\d{1,3}[.)](?=\s))[ \t]*",
    re.I,
)
_LABEL = re.compile(r"[\W_]*[^\W\d_][\w '/()-]{0,60}?[*_]*[:：][*_]*[ \t]*")
_DECORATION = re.compile(
    r"[\W_]*(?:\d{1,3}[\])][\W_]*)?(?:(?:the|a|an|and|or|possibly|probably|likely|perhaps)\b[\W_]*){0,2}",
    re.I,
)
_CLOSING = re.compile(r"[*_`\"'»\]}~]*(?:[ \t]?\[\^?\d{1,3}\])*[*_]*")
_PARENTHESIS = re.compile(
    r"[ \t]*(?:\((?!(?:and|or|also|plus)\b|\d{1,2}\))(?:[^()\n]|\([^()\n]*\))*+\)|\[[^][\n]*+\])[*_]*"
)
_RELATION = re.compile(
    r"\s*(?:[,|;\t]\s*[^,|;\n]{1,200}\s*[,|;\t]|-+\s*\[?:?[\w ./-]{1,100}\]?\s*-+>|"
    r"--?\(?[\w ./]{1,100}\)?--?>?|[ \t]\w*[a-z]+_\w+[ \t])\s*"
)
_ADDED = re.compile(r"(?:in|at|from|by|near|with|who|which|whose|on|via|through)\b")
_CLAUSE = re.compile(
    r",\s+(?:who|which|where|whose|born|living|based|located|also|(?:(?:a|an|the) )?(?:son|daughter|child))\b"
)
_MORE = re.compile(r"\((?:and|or|also|plus)\b")
_REFUSED = re.compile(r"[❌✗✘🚫]|~~|\bnot\b", re.I)


@dataclass(frozen=True)
class TextLine:
    """A line of a text: where it begins and ends, without its line break."""

    start: int
    end: int


def lines_of(reply: ReplyText, start: int, end: int) -> list[TextLine]:
    """The lines of a part of a text."""
    found, at = [], start
    while at <= end:
        stop = reply.text.find("\n", at, end)
        stop = end if stop < 0 else stop
        found.append(TextLine(at, stop))
        at = stop + 1
    return found


def in_passing(reply: ReplyText, start: int, end: int) -> list[RankedName]:
    """The names of a part as such that are said in passing."""
    return [
        RankedName(named, Rank.TOPIC if reply.is_topic(named) else Rank.PASSING)
        for named in reply.within(start, end)
    ]


def item_body(reply: ReplyText, start: int, end: int) -> int:
    """Where the text of an item begins, behind its bullet or number; 0 where a line is no item."""
    bullet = _BULLET.match(reply.text, start, end)
    if bullet is None:
        return 0
    named = reply.before(bullet.end())
    return 0 if named and named.end > bullet.end() else bullet.end()  # "S. Ann" is a name


def read_line(
    reply: ReplyText, start: int, end: int, *, is_item: bool, marked: bool = False, labels: int = 9
) -> tuple[str, list[RankedName]]:
    """A line, or what stands for one.

    Args:
        reply: The text.
        start: Where it begins.
        end: Where it ends.
        is_item: Whether it is an item of a list, so that a comma begins a note.
        marked: Whether the text says that it is its answer.
        labels: How many labels may stand before its names (``Country: France``), at most.

    Returns:
        What it is, as `Block.kind`, or ``none`` if it gives nothing; and its names.
    """
    if body := item_body(reply, start, end):
        start, is_item = body, True
    names = reply.within(start, end)
    if not names:
        return "none", []
    label = _LABEL.match(reply.text, start, names[0].start)
    _, colon, value = reply.text[start:end].rpartition(":")
    says_nothing = bool(colon and value.strip()) and is_nothing(value)
    if says_nothing or (label and is_aside_label(label[0])):
        return "none" if says_nothing else "aside", demoted(read_prose(reply, start, end))
    if label:
        start = label.end()
    if is_triple(reply, start, end):
        return "aside", in_passing(reply, start, end)
    first = _DECORATION.fullmatch(reply.text, start, names[0].start)
    if first is None or _REFUSED.search(first[0]):
        return "prose", read_prose(reply, start, end, marked=marked)
    listed, stop = _coordinated(reply, names)
    note = reply.text[stop:end].lstrip("*_`\"'»] \t").lstrip()
    value_at = _behind_label(reply, listed, stop, end) if labels else 0
    if value_at:
        if has_path(reply, names):
            return "names", read_prose(reply, start, end, marked=marked)
        return read_line(reply, value_at, end, is_item=is_item, marked=marked, labels=labels - 1)
    ends = note[:1] in ("", ".", "!", ")", "]", "}", "(", "-", "—", ":", "|") or (
        is_item and note[:1] in ",;=<>→"
    )
    if note[:1] in "-—" and note and note[1:2].isalnum() and reply.text[stop : stop + 1] == "-":
        ends = False
    if note[:1] in (".", "!") and note[1:].strip() and _is_word(reply, listed[0]):
        ends = False  # "Yes. It is …"
    if _MORE.match(note):
        ends = False
    if _CLAUSE.match(note) and not any(map(reply.is_topic, listed)):
        comma = reply.text.find(",", end - len(note) + 1, end)
        ends = ends or comma < 0 or not reply.has_answer(comma, end)
    if marked and not ends and (note[0] in ",;" or _ADDED.match(note)):
        ends = any(not reply.is_topic(named) for named in listed)
    if not ends:
        found = read_prose(reply, start, end, marked=marked)
        if (
            is_item
            and found[:1] == [RankedName(listed[0], Rank.WORD)]
            and not _is_label(reply, listed)
        ):
            found[0] = RankedName(listed[0], Rank.ANSWER)  # it begins an item
        return ("statements" if is_item else "prose"), found
    if note[:1] in "-→<=" and re.match(r"→|->|<-|=>|--+[>\[(]", note) and len(listed) < len(names):
        return "names", read_prose(reply, start, end, marked=marked)
    return "names", [
        RankedName(named, Rank.TOPIC if reply.is_topic(named) else Rank.ANSWER)
        for named in listed
        if len(listed) == 1 or reply.text[named.start : named.end].casefold() not in INTERJECTIONS
    ]


def _behind_label(reply: ReplyText, listed: Sequence[Named], stop: int, end: int) -> int:
    """Where the value begins if names only say whose it is (``T: Ann``, ``Ann's children: Eve``); else 0."""
    if not reply.has_answer(stop, end):
        return 0
    note = reply.text[stop:end].lstrip("*_`\"'»] \t")
    if note[:1] in tuple(":-—→") and all(map(reply.is_topic, listed)):
        return reply.within(stop, end)[0].start
    if note[:1] == ":" and _is_label(reply, listed):
        return stop + 1
    owner = re.match(r"s?\s[^:\n]{0,80}:", note)
    value_at = end - len(note) + owner.end() if owner else 0
    return value_at if value_at and reply.has_answer(value_at, end) else 0


def _is_label(reply: ReplyText, listed: Sequence[Named]) -> bool:
    """Whether a name is a word that says what follows: ``Country: France``."""
    word = reply.text[listed[0].start : listed[0].end].casefold()
    return len(listed) == 1 and (word in FUNCTION_WORDS or word in TYPE_WORDS)


def _is_word(reply: ReplyText, named: Named) -> bool:
    return reply.text[named.start : named.end].casefold() in FUNCTION_WORDS


def _coordinated(reply: ReplyText, names: Sequence[Named]) -> tuple[list[Named], int]:
    """The names that stand one after the other, notes in parentheses aside, and where they end."""
    listed = [names[0]]
    stop = _after(reply, names[0].end)
    for named in names[1:]:
        if named.start < stop:
            continue  # within parentheses
        gap = reply.text[stop : named.start]
        if gap in ("", " ") and gap.isascii() and reply.text[stop - 1].isascii():
            break  # two names in a row are no list
        if not are_joined(reply, Named(stop, stop, ()), named):
            break
        listed.append(named)
        stop = _after(reply, named.end)
    return listed, stop


def _after(reply: ReplyText, place: int) -> int:
    """Where a name's closing quotes and what follows it in parentheses end."""
    place = _CLOSING.match(reply.text, place).end()  # type: ignore[union-attr]
    while note := _PARENTHESIS.match(reply.text, place):
        place = note.end()
    return place


def is_triple(reply: ReplyText, start: int, end: int) -> bool:
    """Whether a line is a triple: two names, and a relation between them."""
    names = reply.within(start, end)
    if not 2 <= len(names) <= 4:  # a relation may have names in it
        return False
    first, last = names[0], names[-1]
    gap = reply.text[first.end : last.start]
    ends = reply.text[start : first.start], reply.text[last.end : end]
    if len(gap) > 300 or not all(_DECORATION.fullmatch(edge) for edge in ends):
        return False
    if not _RELATION.fullmatch(gap) or (len(names) > 2 and not re.search(r"[|_/.,]", gap)):
        return False
    # Commas alone make a list of three: within parentheses they make a triple.
    return "," not in gap or "(" in ends[0] or "_" in gap or "/" in gap or "." in gap
