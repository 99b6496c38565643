"""An independent, generous reading of model replies.

The texts of a reply are all its lines and all strings of the JSON in it, without bullets, labels and quotes;
anything between ``<think>`` and ``</think>`` is ignored.
"""

import json
import re
import unicodedata

__all__ = ["fold", "texts_said", "unify"]

_THOUGHTS = re.compile(r"^\s*<think>.*</think>|^(?:(?!<think>).)*</think>", re.DOTALL)
_STRING = re.compile(r'(?=("(?:[^"\\]|\\.)*"))', re.DOTALL)
"""Anything between two quotes, wherever the JSON around it begins."""

_LEAD = re.compile(
    r"^\s*(?:[-*•–]|\(?\d{1,3}[.):])?\s*(?:\**(?:question|paraphrase)\s*\d*\s*\**\s*:\s*\**)?\s*",
    re.IGNORECASE,
)
_QUOTES = " \t\"'`*“”„‘’‚«»‹›「」『』"
_ALIKE = {
    **dict.fromkeys(map(ord, "‘’‚‛′´`ʼʻ＇"), "'"),
    **dict.fromkeys(map(ord, "“”„‟″«»＂"), '"'),
    **dict.fromkeys(map(ord, "‐‑‒–—―−﹘﹣－"), "-"),
}


def fold(text: str) -> str:
    """Folds what readers do not distinguish: case, width, white space, quotes and dashes."""
    if text.isascii():  # the rest would do the same
        return " ".join(text.lower().replace("`", "'").split())
    for _ in range(2):  # a step may produce what an earlier one folds
        text = unify(text).casefold()
    return " ".join(unify(text).split())


def unify(text: str) -> str:
    """A text with plain quotes and dashes, usual width, nothing invisible; case and white space stay."""
    if text.isascii():
        return text.replace("`", "'")
    text = unicodedata.normalize("NFKC", text.translate(_ALIKE)).translate(_ALIKE)
    return "".join(c for c in text if unicodedata.category(c) != "Cf")


def texts_said(reply: str) -> set[str]:
    """The texts of a reply, folded; each also with its last mark doubled, which may end a name too."""
    words = _THOUGHTS.sub("", reply.replace("\ufeff", ""))
    drafts = [words, *words.splitlines()]
    for found in _STRING.findall(words):
        try:
            drafts.append(json.loads(found, strict=False))
        except ValueError:  # not a JSON escape
            continue
    forms = {form for draft in drafts for form in (draft, _LEAD.sub("", draft))}
    bare = [form.strip() for form in forms]
    bare += [text[1:-1].strip() for text in bare] + [text.strip(_QUOTES) for text in bare]
    said = set(map(fold, bare)) - {""}
    return said | {text + text[-1] for text in said if text[-1] in "?؟;"}
