"""Mentions: where a text names an entity in any spelling, and the text with a gap in each such place.

Guarantees: positions are those of the original text; mentions do not overlap; neither neighbor of a mention
is a letter, digit or combining mark, except next to scripts written without spaces.

Case, Unicode normalization, quotes, dashes, apostrophes, invisible marks and repeated white space do not
matter. Of overlapping places the first counts. ``72's`` and ``72,`` name 72; ``72nd`` and ``7.2`` do not
name 7 or 2. A name inside a longer one (``York`` in ``New York``) is a mention: distinguishing them takes
the longer name, see `rulemine.text.naming_rules`. A lower-case word is a common word, not the name, if the
text spells the name exactly elsewhere (``the film Film``) or if it is a function word (``will`` for
``Will``); so is the word that opens ``Who is the aunt of Who?``. Parts of ``don't`` and ``Ann's`` are not
names. A name that starts with a sign needs a space, quote or bracket before it, so that the last mark of
``Who is the aunt of ??`` ends the sentence.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, zip_longest

from rulemine.text.normalization import fold_loosely, is_unspaced, is_word

__all__ = [
    "FUNCTION_WORDS", "Span", "cut", "find_mentions", "find_mentions_of_all", "interleaved",
]  # fmt: skip

_ASKING = "who whom whose what which where when why how"
_OTHERS = """
is are was were does do did has have had the a an of in on at by for from with to and or that this it its be
been there can name list all will would could should may might must his her their they she he him them us one
more most any some if so than then
"""
QUESTION_WORDS = frozenset(_ASKING.split())
FUNCTION_WORDS = QUESTION_WORDS | frozenset(_OTHERS.split())
"""English words that in lower case are hardly ever a name."""

Span = tuple[int, int]
"""Start and end of a part of a text, in characters."""

_WORD = re.compile(r"[^\W_]+")
_CONTRACTED = re.compile(r"['’ʼ][tm]\b", re.IGNORECASE)
"""Contracted endings that belong to the word before them: ``don't``, ``I'm``."""

_ENDINGS = frozenset(("s", "t", "m", "d", "ll", "re", "ve"))
"""What follows the apostrophe of contractions and possessives."""


def find_mentions(text: str, name: str) -> tuple[Span, ...]:
    """Finds where a text names an entity.

    Args:
        text: The text.
        name: The entity's name; one that is empty or invisible is never found.

    Returns:
        The spans, ascending.

    Example:
        >>> find_mentions("Who is ANNE–MARIE's aunt?", "Anne-Marie")
        ((7, 17),)
    """
    spans = {span for span in _candidates(text, name) if _is_free(text, *span)}
    found = sorted((text[s:e] != name, s, e) for s, e in spans)  # as it is spelled first
    named = [
        ((start, end), 0)
        for differs, start, end in found
        if not (differs and _is_common(text[start:end], name, beside_verbatim=not found[0][0]))
    ]
    kept = [span for span, _ in _apart(named)]
    return tuple(kept[1:] if kept and _only_opens(text, kept, name) else kept)


def find_mentions_of_all(text: str, names: Sequence[str]) -> tuple[tuple[Span, int], ...]:
    """Finds where a text names several entities; of overlapping mentions the longest counts, then the exact.

    Returns:
        The spans, ascending, each with the place of its name in `names`.

    Example:
        >>> find_mentions_of_all("Is York in New York?", ["York", "New York"])
        (((3, 7), 0), ((11, 19), 1))
    """
    found = [
        (span, which) for which, name in enumerate(names) for span in find_mentions(text, name)
    ]
    found.sort(key=lambda row: (row[0][0] - row[0][1], text[slice(*row[0])] != names[row[1]], row))
    return tuple(_apart(found))


def _apart(found: Iterable[tuple[Span, int]]) -> list[tuple[Span, int]]:
    """The mentions that overlap with none before them, ascending."""
    kept: list[tuple[Span, int]] = []
    for (start, end), which in found:
        if not any(start < high and low < end for (low, high), _ in kept):
            kept.append(((start, end), which))
    return sorted(kept)


def cut(text: str, spans: tuple[Span, ...]) -> tuple[str, ...]:
    """Cuts a text at its mentions: one piece more than there are mentions."""
    ends = zip(
        [0, *(end for _, end in spans)], [*(start for start, _ in spans), len(text)], strict=True
    )
    return tuple(text[low:high] for low, high in ends)


def interleaved(pieces: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """Yields the pieces of a text that was cut, with a name in each gap."""
    return chain.from_iterable(zip_longest(pieces, names, fillvalue=""))


def _candidates(text: str, name: str) -> Iterator[Span]:
    """Yields every place that spells the name, in any order, maybe repeated."""
    for at in _all_of(text, name if name.strip() else ""):
        yield at, at + len(name)
    wanted, (folded, bounds) = fold_loosely(name).strip(), _fold_with_bounds(text)
    for at in _all_of(folded, wanted):
        end = at + len(wanted)
        # No character of the text may be only partly in a span, as the ``fi`` ligature could be.
        starts = at == 0 or bounds[at - 1] != bounds[at]
        if starts and (end == len(bounds) or bounds[end] != bounds[end - 1]):
            yield bounds[at][0], bounds[end - 1][1]


def _all_of(text: str, part: str) -> Iterator[int]:
    """Where a text has a part, which may be empty: then nowhere."""
    found = re.finditer(f"(?={re.escape(part)})", text) if part and part in text else ()
    return (match.start() for match in found)


@lru_cache(maxsize=1 << 8)  # many names are sought in one text
def _fold_with_bounds(text: str) -> tuple[str, list[Span]]:
    """A folded text, and for each of its characters the span of the text it comes from."""
    folded, bounds, start = list[str](), list[Span](), 0
    while start < len(text):
        end = start + 1
        goes_on = str.isspace if text[start].isspace() else _joins
        while end < len(text) and goes_on(text[end]):
            end += 1
        folded.append(fold_loosely(text[start:end]))
        bounds += [(start, end)] * len(folded[-1])
        start = end
    return "".join(folded), bounds


def _joins(character: str) -> bool:
    """Whether a character combines with the letter before it: a mark, or a Hangul vowel or final."""
    return character > "\u02ff" and (
        unicodedata.category(character)[0] == "M" or "\u1160" <= character <= "\u11ff"
    )


def _is_free(text: str, start: int, end: int) -> bool:
    """Whether a span is a token of its own."""
    first, last = text[start], text[end - 1]
    before, after = text[:start][-2:], text[end : end + 2]
    if before:
        if _blocks(before[-1], first) or _is_decimal(before[::-1], first):
            return False
        if not is_word(first) and not _may_precede_a_sign(before[-1]):
            return False
        contracts = before[-1] in "'’ʼ" and is_word(before[0])
        if contracts and text[start:end].casefold() in _ENDINGS:
            return False
    return not after or not (
        _CONTRACTED.match(text, end)
        or _joins(after[0])
        or _is_decimal(after, last)
        or _blocks(after[0], last)
    )


def _blocks(neighbor: str, own: str) -> bool:
    return is_word(neighbor) and not is_unspaced(neighbor) and not is_unspaced(own)


def _is_decimal(beyond: str, own: str) -> bool:
    """Whether a number continues after a sign, as in 7.5, 7,500, 7:30 and 7/2."""
    return len(beyond) == 2 and beyond[0] in ".,:/" and own.isdigit() and beyond[1].isdigit()


def _may_precede_a_sign(character: str) -> bool:
    if character.isspace() or character in "\"'`¿¡/" or is_unspaced(character):
        return True
    return unicodedata.category(character) in ("Ps", "Pi", "Pd", "Cf")


def _is_common(spelling: str, name: str, beside_verbatim: bool) -> bool:
    """Whether a lower-case spelling is a common word, not the name."""
    if spelling == name or spelling != spelling.lower() or name == name.lower():
        return False
    words = _WORD.findall(spelling)
    return beside_verbatim or (bool(words) and FUNCTION_WORDS.issuperset(words))


def _only_opens(text: str, spans: list[Span], name: str) -> bool:
    """Whether the first span is not the name but the word that opens the sentence: ``Who is Who?``."""
    start, end = spans[0]
    words = _WORD.findall(name.casefold())
    if any(map(is_word, text[:start])) or not words or not FUNCTION_WORDS.issuperset(words):
        return False
    return len(spans) > 1 or text[start:end] != name or name.casefold() in QUESTION_WORDS
