"""The parts of a sentence that stand beside what it says: parentheses, reasons, relative clauses."""

import re
from collections.abc import Iterator, Sequence

from rulemine.evaluation.reading.names import Named, ReplyText

__all__ = ["MARKUP", "asides"]

MARKUP = r"[\s*_\"'`»«~\[\]]"
"""A character of Markdown, a quote or white space, as part of a pattern."""

_REASON = re.compile(
    r"\b(?:because|if|whether|unless|since|given that|due to|according to|inferred from|derived from|"
    r"although|whereas|even though|(?:(?<=[,;.] )|(?<=\n)|(?<!.))while|(?<=, )as\b(?! well\b| follows\b)|"
    r"(?<!well )as (?:he|she|it|they|both|his|her|their|its|this|there|these)\b|for (?:he|she|it|they)\b)|"
    r"[,;] (?:where|(?:who|which|whose) (?:also|both|later|previously|once)|she|he|they|both)\b",
    re.I,
)
_TRIPLE = re.compile(r"[,|]\s*[^\s,|()]*[_/.][^\s,|()]*\s*[,|]")
_ADDED = re.compile(r".\s*(?:and|or|also|plus|as well as)\b", re.I)


def asides(reply: ReplyText, names: Sequence[Named], low: int, high: int) -> list[tuple[int, int]]:
    """Where the asides of a sentence begin and end, in the order of their beginnings.

    Args:
        reply: The text.
        names: The names in the sentence.
        low: Where the sentence begins.
        high: Where it ends.
    """
    found = [*_parentheses(reply, low, high), *_reasons(reply, names, low, high)]
    return sorted([*found, *_relative(reply, low, high)])


def _parentheses(reply: ReplyText, low: int, high: int) -> Iterator[tuple[int, int]]:
    """The parts in parentheses that follow a name which is no topic, or are triples."""
    depth = begin = 0
    for mark in re.compile(r"[()（）]").finditer(reply.text, low, high):
        if reply.is_inside(mark.start()):
            continue
        if mark[0] in "(（":
            depth += 1
            if depth == 1:
                begin = mark.start()
        elif depth:
            depth -= 1
            inside = reply.text[begin : min(mark.end(), begin + 400)]
            if depth or _ADDED.match(inside):
                continue
            if _TRIPLE.search(inside) or _follows_name(reply, begin):
                yield begin, mark.end()


def _follows_name(reply: ReplyText, place: int) -> bool:
    named = reply.before(place)
    return (
        named is not None
        and place - named.end < 9
        and re.fullmatch(rf"{MARKUP}*", reply.text[named.end : place]) is not None
        and not reply.is_topic(named)
    )


def _reasons(
    reply: ReplyText, names: Sequence[Named], low: int, high: int
) -> Iterator[tuple[int, int]]:
    """The part of a sentence that gives a reason: its end, or its beginning up to a comma."""
    for reason in _REASON.finditer(reply.text, low, high):
        if reply.is_inside(reason.start()):
            continue
        if names[0].start < reason.start():
            if reply.has_answer(low, reason.start()):
                yield reason.start(), high
                return
            continue
        comma = _comma(reply, names[0].end, high)
        after = reply.text[comma + 1 : comma + 9].lstrip().casefold()
        if (
            comma >= 0
            and reply.has_answer(comma, high)
            and not after.startswith(("and ", "which", "who "))
        ):
            yield low, comma
        return


def _relative(reply: ReplyText, low: int, high: int) -> Iterator[tuple[int, int]]:
    """Relative clauses between commas, in a sentence that goes on to name something."""
    for relative in re.compile(r", (?:who|which|whose|where)\b").finditer(reply.text, low, high):
        comma = _comma(reply, relative.end(), high)
        if comma >= 0 and not reply.is_inside(relative.start()) and reply.has_answer(comma, high):
            yield relative.start(), comma


def _comma(reply: ReplyText, start: int, end: int) -> int:
    """The first comma that is not in a name; -1: there is none."""
    commas = (mark.start() for mark in re.compile(",").finditer(reply.text, start, end))
    return next((comma for comma in commas if not reply.is_inside(comma)), -1)
