"""Where a reply says which part of it is the answer."""

import re
from itertools import islice
from typing import NamedTuple

from rulemine.evaluation.reading.blocks import answers_first, read_blocks
from rulemine.evaluation.reading.lines import TextLine, lines_of, read_line
from rulemine.evaluation.reading.names import ReplyText
from rulemine.evaluation.reading.prose import Rank, RankedName, read_prose, sentences
from rulemine.evaluation.reading.words import is_aside_label, is_nothing, nothing_first

__all__ = ["concluded", "refuses", "says_none", "stated"]

_KIND = (
    r"(?:(?:final|correct|corrected|revised|updated|right|complete|full|best|only|short|direct|overall|"
    r"grounded|(?:most )?likely|likeliest|possible) )*"
)
_ASKED = r"(?: (?:to|for) [^.\n:]{1,300}?)?"
_ANSWER = (
    rf"{_KIND}(?:answers?(?:\(s\))?|antwort(?:en)?|réponses?|respuestas?|risposta|respostas?|ответы?|"
    r"答案)"
)
_SO = (
    r"so|thus|therefore|hence|consequently|accordingly|and|but|then|means|that|actually|believe|think|"
    r"conclude"
)
_LABEL = re.compile(
    r"(?:^|[.!?:;,})\]—，。-])[ \t*_#>✅☑✔💡👉🎯-]{0,12}\uFE0F?[ \t]*(?:so |thus |therefore |hence )?,? ?"
    rf"(?:the |my |our |a )?{_ANSWER}{_ASKED}(?: is| are|是)?[ \t]?[*_]{{0,3}}[ \t]?(?:：|[:=](?!\w))",
    re.IGNORECASE | re.MULTILINE,
)
_CLAUSE = re.compile(
    rf"(?:^|[.!?:;,)\n—]|\b(?:{_SO})\b)[ \t*_>]{{0,9}},?[ \t]*(?:the|my|our)[ \t]{_KIND}answers?{_ASKED} "
    r"(?:is|are|would be|must be|should be)\b(?! (?:therefore |thus |most likely |probably )?"
    r"(?:not|unknown|unclear|unstated|undetermined|undefined|uncertain|unavailable|missing)\b)",
    re.IGNORECASE | re.MULTILINE,
)
_UNLESS = re.compile(
    r"\b(?:(?:if|whether|unless|until|why|how)(?: \w+){0,3},?|"
    r"(?:cannot|can't|not|no)\b(?: \w+){0,3} that)[ \t]*\Z",
    re.IGNORECASE,
)
_HEADING = re.compile(
    rf"^[ \t]*(?:#{{1,6}}[ \t]*|[*_]{{1,3}}|\d{{1,2}}[.)][ \t]*){{1,4}}(?:the )?{_ANSWER}[ \t]*"
    r"[:：]?[*_]{0,3}[:：]?[ \t]*$|^[ \t]*(?:the )?(?:final )?answers?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_BOXED = re.compile(r"\\(?:boxed|fbox)\s*\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*+\})*+)\}")
_TEXT = re.compile(r"\\(?:text|mathrm|textbf)\b")
_OPENED = re.compile(r"(?:boxed|fbox|text)\s*\{\Z|>\Z")
_TAGGED = re.compile(
    r"<(?:final_)?answers?>(.*?)(?:</(?:final_)?answers?>|\Z)", re.IGNORECASE | re.DOTALL
)
_BRACED = re.compile(r"\{([^{}:]+)\}")  # not a map, of a query
_CONCLUSION = re.compile(
    r"[ \t*_>-]*(?:so(?!\s+(?:far|much|many|long|called)\b)|thus|therefore|hence|consequently|accordingly|"
    r"in (?:conclusion|summary|short|sum|total)|overall|to (?:conclude|summarize|sum up)|as a result|"
    r"this (?:means|implies|shows)|it follows|taken together|"
    r"(?:combining|putting|taking|based on|given) (?:these|this|both|it all)|"
    r"(?:from (?:this|these),? )?(?:we|i|one) (?:can |may )?(?:conclude|infer|deduce))\b",
    re.IGNORECASE,
)
_SO_THAT = re.compile(
    r"[,;]\s+(?:and\s+)?(?:so(?!\s+(?:that|far|much|many|long|called)\b)|therefore|thus|hence|which means|"
    r"meaning)\b|\b(?:is|are|was|were)\s+(?:therefore|thus|hence|consequently)\b|(?<=[)>⟩.])\s*(?:⇒|=>|∴)",
    re.IGNORECASE,
)
_SAYS_UNKNOWN = re.compile(
    rf"\b(?:the|my) {_KIND}answers?{_ASKED} (?:is|are) (?:therefore |thus )?(?:unknown|unclear|undetermined|"
    r"not (?:known|stated|given|clear|available|provided|determinable|in the))\b[^\n.]*[.!]?\s*\Z|"
    r"(?<=[.!?] )I (?:do not|don't) know(?: the answer| it| this)?[.!]?\s*\Z",
    re.IGNORECASE,
)


_TOLD = r"(?:stated|given|known|specified|mentioned|provided|available|listed|included|found)"
_FINDS = (
    r"(?:be )?(?:find|found|determined?|infer|inferred|tell|answer|identify|identified|say|state|contain|"
    r"mention|provide|give|specify|include|list|know|have|show|indicate|reveal|allow)"
)
_REFUSAL = re.compile(
    rf"\b(?:(?:do|does|did|could|can)(?: not|n't) {_FINDS}|(?:has|have|had) no|cannot|can't|unable|"
    r"(?:no|any) (?:information|data|triples?|facts?|evidence|record|mention)|"
    rf"(?:is|are|was|were)(?: not|n't) (?:\w+ )?(?:{_TOLD}|enough|possible|clear|in (?:the|my)\b)|"
    r"there (?:is|are|was|were) no|none of (?:the|these)|not enough|insufficient|unknown|unclear|"
    rf"no [^\n]{{1,120}}? (?:is|are|was|were) (?:\w+ )?{_TOLD})\b",
    re.IGNORECASE,
)
_HOPE = re.compile(
    r"\b(?:(?:but|however,?)(?! (?:(?:i|we|they|it|there) )?(?:(?:is|are|have|has) )?"
    r"(?:no|not|nothing|none|cannot|do not|does not|don't|doesn't)\b)|likely|probably|guess|infer\w*|"
    r"suggests?|would(?! need)|(?:may|might|could)(?! not)|perhaps|possibly|presumably|though|still|"
    r"nevertheless|assum\w+|conclude|must|should|implies|best|directly|explicitly|(?:it|this|as) follows|"
    r"following|therefore|thus|hence|so,? (?!i\b|we\b|it\b|there\b)\w)",
    re.IGNORECASE,
)
_ONLY = re.compile(r"\b(?:only|just|while|although)\b", re.IGNORECASE)
_OF_WHAT = re.compile(r"\b(?:whether|if|that)\b", re.IGNORECASE)
_LISTS = re.compile(r"^[ \t]*(?:[-*+•|]|\d{1,3}[.)])[ \t]", re.MULTILINE)


class MarkedPart(NamedTuple):
    """A part of a text.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        is_open: Whether nothing closes it, so that how far the answer goes has to be found.
    """

    start: int
    end: int
    is_open: bool


def stated(reply: ReplyText) -> list[RankedName] | None:
    """The names in the last part of a text that it says is the answer.

    Returns:
        The names; None where no such part names anything. Empty where the last one says that there is none.
    """
    parts = _parts(reply)
    while parts:
        part = parts.pop()
        if part.is_open:
            found = _after(reply, part.start, part.end)
            if found is None:
                return []
        else:
            before = reply.text[max(0, part.start - 20) : part.start]
            if _OPENED.search(before) and is_nothing(
                _TEXT.sub("", reply.text[part.start : part.end])
            ):
                return []
            found = _closed(reply, part)
            while parts and not parts[-1].is_open:
                found = _closed(reply, parts.pop()) + found
        if any(c.rank < Rank.DENIED for c in found):
            return found
    return None


def _closed(reply: ReplyText, part: MarkedPart) -> list[RankedName]:
    return read_blocks(reply, lines_of(reply, part.start, part.end), marked=True)


def says_none(reply: ReplyText) -> bool:
    """Whether a line of a text says that there is no answer, and nothing else, or its last sentence does."""
    if _SAYS_UNKNOWN.search(reply.text[-600:]):
        return True
    if _begins_with_nothing(reply, TextLine(0, len(reply.text))):
        return True
    return any(_is_nothing(reply, line) for line in lines_of(reply, 0, len(reply.text)))


def _is_nothing(reply: ReplyText, line: TextLine) -> bool:
    """Whether a line says that there is nothing, and is no name."""
    return (
        line.end - line.start < 100
        and is_nothing(reply.text[line.start : line.end])
        and not reply.within(line.start, line.end)
    )


def _begins_with_nothing(reply: ReplyText, line: TextLine) -> bool:
    """Whether a line says first that there is nothing, and takes nothing of that back."""
    after = nothing_first(reply.text[line.start : line.end])
    return bool(after) and not (
        reply.within(line.start, line.start + after)
        or _HOPE.search(reply.text, line.start + after, line.end)
    )


def refuses(reply: ReplyText) -> bool:
    """Whether a text begins by saying that it gives no answer, and then names only what there is instead."""
    opening = list(islice(sentences(reply, 0, min(len(reply.text), 2000)), 2))
    refusal = next((m for s, e in opening if (m := _REFUSAL.search(reply.text, s, e))), None)
    if refusal is None or "ly " in refusal[0] or _HOPE.search(reply.text, refusal.end()):
        return False  # what is "not directly stated" may be said in spite of it
    end = next(end for _, end in opening if refusal.start() < end)
    only = _ONLY.search(reply.text, refusal.end(), end)
    what = _OF_WHAT.search(reply.text, refusal.end(), end)
    names = read_prose(reply, 0, min([m.start() for m in (only, what) if m], default=end))
    return not answers_first(names) and _LISTS.search(reply.text, end) is None


def concluded(reply: ReplyText) -> list[RankedName] | None:
    """The names in the last sentence that draws a conclusion; None without one that names anything new."""
    begins = [
        (max(places), end)
        for start, end in sentences(reply, 0, len(reply.text))
        if (places := _concludes(reply, start, end))
    ]
    stop = len(reply.text)
    for start, end in reversed(begins):
        if reply.has_answer(start, end):
            found = read_prose(reply, start, end)
        elif reply.text[start:end].rstrip(" \t\n*_").endswith(":"):
            found = _after(reply, end, stop) or []
        else:
            found = []
        if answers_first(found):
            return found
        stop = start
    return None


def _concludes(reply: ReplyText, start: int, end: int) -> list[int]:
    """Where conclusions begin in a sentence, at words that are no part of a name."""
    first = _CONCLUSION.match(reply.text, start, end)
    marks = [*([first] if first else []), *_SO_THAT.finditer(reply.text, start, end)]
    return [mark.start() for mark in marks if not reply.is_inside(mark.end() - 1)]


def _parts(reply: ReplyText) -> list[MarkedPart]:
    """The parts that a text says are its answer, in their order; braces only where there is no other."""
    text = reply.text
    marks = sorted(
        (mark.end(), mark.start())
        for pattern in (_LABEL, _CLAUSE, _HEADING)
        for mark in pattern.finditer(text)
        if not reply.is_inside(mark.end() - 1) and not _is_doubtful(text, mark)
    )
    ends = [*(start for _, start in marks), len(text)][1:]
    found = [
        MarkedPart(begin, max(begin, end), True)
        for (begin, _), end in zip(marks, ends if marks else (), strict=True)
    ]
    for pattern in (_BOXED, _TAGGED):
        found += [
            MarkedPart(mark.start(1), mark.end(1), False)
            for mark in pattern.finditer(text)
            if reply.within(mark.start(1), mark.end(1)) or is_nothing(mark[1])
        ]
    if not found:
        found = [MarkedPart(mark.start(1), mark.end(1), False) for mark in _BRACED.finditer(text)][
            -1:
        ]
    return sorted(found)


def _is_doubtful(text: str, mark: re.Match[str]) -> bool:
    """Whether a mark stands after ``if``, ``whether`` or ``unless``."""
    begin = max(0, mark.start() - 40)
    first = re.search(r"\b(?:the|my|our|final|answer)", mark[0], re.IGNORECASE)
    return _UNLESS.search(text[begin : mark.start() + (first.start() if first else 0)]) is not None


def _after(reply: ReplyText, start: int, stop: int) -> list[RankedName] | None:
    """What is said behind a mark: the rest of its sentence and the names below, or the block below.

    Returns:
        The names; None if it says that there is none.
    """
    text = reply.text
    lines = lines_of(reply, start, stop)
    first = lines[0]
    if _is_nothing(reply, first) or _begins_with_nothing(reply, first):
        return None
    if reply.has_answer(first.start, first.end) and not _leads(text, first):
        end = next(
            end
            for low, end in sentences(reply, first.start, first.end)
            if reply.has_answer(low, end)
        )
        kind, found = read_line(reply, first.start, end, is_item=False, marked=True)
        if kind == "none":
            found = read_prose(reply, first.start, end, marked=True)
        return found + _names_below(reply, lines[1:])
    if reply.within(first.start, first.end) and not _leads(text, first):
        return read_prose(reply, first.start, first.end, marked=True)
    below = _block_below(reply, lines[1:])
    if below and all(_is_nothing(reply, line) for line in below if line.end > line.start):
        return None
    return read_blocks(reply, below, marked=True)


def _leads(text: str, line: TextLine) -> bool:
    """Whether a line ends in a colon, so that what it announces stands below."""
    return text[line.start : line.end].rstrip(" \t*_").endswith((":", "："))


def _names_below(reply: ReplyText, lines: list[TextLine]) -> list[RankedName]:
    """The names in the lines that follow at once, as far as they are names."""
    found: list[RankedName] = []
    for line in lines:
        kind, row = read_line(reply, line.start, line.end, is_item=False, marked=True)
        if kind != "names":
            break
        found += row
    return found


def _block_below(reply: ReplyText, lines: list[TextLine]) -> list[TextLine]:
    """The lines of the first block below a mark, and of those after it that go on with it."""
    text = reply.text
    at = 0
    while at < len(lines) and not text[lines[at].start : lines[at].end].strip(" \t`$[]\\"):
        at += 1
    stop = at
    blank = False
    for place in range(at, len(lines)):
        line = lines[place]
        words = text[line.start : line.end]
        if not words.strip():
            blank = True
            continue
        if place > at and (words.lstrip().startswith("#") or _is_label_of_reasons(reply, line)):
            break
        if blank and not _leads(text, lines[stop - 1]):
            kind, _ = read_line(reply, line.start, line.end, is_item=False, marked=True)
            if kind != "names" and not _is_bulleted(words):
                break
        blank = False
        stop = place + 1
    return lines[at:stop]


def _is_label_of_reasons(reply: ReplyText, line: TextLine) -> bool:
    """Whether a line begins with a label such as ``Explanation:``."""
    words = reply.text[line.start : line.end]
    head = words.split(":", 1)[0]
    return (
        is_aside_label(head)
        and (":" in words or words.strip().startswith(("*", "_")))
        and len(head) < 60
    )


def _is_bulleted(words: str) -> bool:
    return re.match(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]", words) is not None
