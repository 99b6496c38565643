"""What models put around a question: labels, list numbers, marks, preambles and notes.

Guarantees: what is left is a part of the reply, letter by letter; where two lines may be the question both
are left, for checks to refuse; nothing that overlaps with a name is taken off. Where it stays, every wrapping
known here fails the checks (`rulemine.verbalizer.checks`), so a text that passes them is left as it is.
"""

import re
from collections.abc import Sequence

from rulemine.text.mentions import find_mentions_of_all
from rulemine.text.normalization import QUESTION_MARKS

__all__ = ["PICTURE", "question_lines", "unwrapped", "without_marks"]

PICTURE = "[\u2600-\u27bf\U0001f000-\U0001faff]\ufe0f?"
"""A sign such as a check mark, or a face."""

_MARKS = (
    '""', "''", "“”", "„“", "„”", "«»", "»«", "‘’", "‚‘", "「」", "『』", "``", "**", "__",
)  # fmt: skip
"""Signs that open and close; the last three also doubled or tripled."""

_REWORDED = r"(?:corrected|paraphrased|re(?:written|phrased|worded|vised))"
_NOUN = (
    r"(?:(?:questions?|paraphrases?|rewordings?|versions?|output|result|response|reply|frage|pregunta|domanda"
    r"|assistant|pergunta|vraag|вопрос|ερώτηση|سؤال)\b|问题|問題|質問|질문)"
)
_LABEL = (
    rf"(?!wh|how)(?:(?:[^\W_]+[\s_-]){{0,4}}?{_NOUN}"
    r"(?:\s?(?:\d{1,2}|\([^()\n]{1,20}\))|\s(?:is|(?:c|w)ould\sbe))?"
    rf"|{_REWORDED}|(?:one|another)\s(?:\w+\s)?way\b[^:?\n]{{0,30}}|q\d{{0,2}})"
)
_HERE = r"here(?:['’]s|\sis|\sare)\b[^:?\n]{0,80}"
_COLON = r"(?:[:\uff1a]|[–—-]\s)"
_SURE = r"(?:sure(?:\sthing)?|certainly|of\scourse|absolutely|okay|ok|great|alright|understood|got\sit)[,.!:]"
_PREAMBLE = re.compile(
    rf"{_SURE}(?!\s*here)\s*|#*\s?([*_\"']{{0,3}})(?:{_SURE}\s*)?(?:{_HERE}|{_LABEL})"
    rf"(?:\1\s?{_COLON}|\s?{_COLON}\s?\1)\s*",
    re.IGNORECASE,
)
_LINE_BEFORE = re.compile(
    rf"#*\s?([*_]{{0,3}}){_LABEL}\1|[*_]{{0,3}}(?:{_SURE}|here\b|below\b|based\son\b)[^?]{{0,120}}[:.!][*_]{{0,3}}",
    re.IGNORECASE,
)
_NUMBER = re.compile(rf"(?:\(?(?:\d{{1,2}}[.)]|[a-zA-Z]\))|#+|[>*•–-]|{PICTURE})\s+")
_NAME = r"(?:\w{1,20}_)?(?:question|paraphrase|output|result|response|reply|b|i|em|strong|p|code)"
_TAG = re.compile(rf"<({_NAME})>(.*)</\1>", re.IGNORECASE)
_FRAME = re.compile(rf"```\w*|[-*_=~]{{3,}}|</?{_NAME}>", re.IGNORECASE)
_NOTE = re.compile(
    r"[(\[*_]{0,4}(?:note|n\.?b|explanation|reasoning|rationale|justification|comment|i\shope|hope\sthis"
    r"|let\sme\sknow|feel\sfree|this\s(?:question|version|wording|phrasing|one)|the\squestion)\b",
    re.IGNORECASE,
)

MOST = 4
"""Wrappings around one another that are taken off."""


def question_lines(text: str) -> list[str]:
    r"""The lines of a text that may be questions: all but frames, a preamble and notes.

    Example:
        >>> question_lines("Sure! Here is the question:\n\n**Who is 7?**\n\nNote: 7 is named.")
        ['**Who is 7?**']
        >>> question_lines("Who is 7?\nAnswer: 8")
        ['Who is 7?', 'Answer: 8']
    """
    lines = [line for line in map(str.strip, text.splitlines()) if line]
    rest = [line for line in lines if not _FRAME.fullmatch(line)]
    begin = 0
    while begin < len(rest) - 1 and (
        _PREAMBLE.fullmatch(rest[begin]) or _LINE_BEFORE.fullmatch(rest[begin])
    ):
        begin += 1
    notes = (at for at, line in enumerate(rest) if at > begin and _NOTE.match(line))
    end = next(notes, len(rest))
    if any(mark in line for line in rest[:begin] + rest[end:] for mark in QUESTION_MARKS):
        return rest
    return rest[begin:end]


def without_marks(text: str) -> str:
    """A text without one pair of quotes or marks of emphasis around it, spaces inside them included.

    Example:
        >>> without_marks('"Who is 7?"'), without_marks('"A" or "B"?'), without_marks("**Who?**")
        ('Who is 7?', '"A" or "B"?', 'Who?')
    """
    if len(text) < 2 or text[0] + text[-1] not in _MARKS:
        return text
    width = 1
    if text[0] in "*`_":
        width = len(text) - len(text.lstrip(text[0]))
        if width > 3 or not text.endswith(text[0] * width):
            return text
    inner = text[width:-width]
    # Marks inside belong to the text, as in '"A" or "B"'.
    return text if text[:width] in inner or text[-width:] in inner else inner.strip()


def unwrapped(text: str, names: Sequence[str]) -> str:
    """A text of one line without what a model put around it.

    Args:
        text: The text.
        names: Names and values that it may have. What overlaps with one stays, and so does a number right
            before one, which may be a part of another name.

    Example:
        >>> unwrapped("**Question 1:** Who is 7?", ["7"]), unwrapped("7. Who is it?", ["7"])
        ('Who is 7?', '7. Who is it?')
    """
    inner = _inner(text)
    spans = [span for span, _ in find_mentions_of_all(text, names)] if inner else []
    low, high = (spans[0][0], spans[-1][1]) if spans else (len(text), 0)
    begin, end = 0, len(text)
    for _ in range(MOST):
        if not inner:
            break
        at = text.rindex(inner, begin, end)
        if at > low or at + len(inner) < high or (at == low and _NUMBER.match(text, begin)):
            break
        begin, end = at, at + len(inner)
        inner = _inner(inner)
    return text[begin:end]


def _inner(text: str) -> str:
    """A text without its outermost wrapping; "" without one, or where nothing is in it."""
    if (tag := _TAG.fullmatch(text)) is not None:
        return tag[2].strip()
    if (label := _PREAMBLE.match(text) or _NUMBER.match(text)) is not None:
        return text[label.end() :]
    bare = without_marks(text)
    return bare if bare != text else ""
