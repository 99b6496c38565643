"""What a language model said, read again from its words alone.

Replies come as JSON, as JSON in a code fence, or as plain text; a part between ``<think>`` and
``</think>`` is the model's own. Texts are read generously: a reply counts as saying what any fair reader
can take from it. Verdicts and choices are counted, so they are read by the letter of the format.
"""

import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from rulemine.verify.shapes import DIRECTIONS

__all__ = ["choice", "fold", "texts_said", "unify", "verdict"]

_THOUGHTS = re.compile(r"<think>.*?</think>|^.*</think>", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[a-zA-Z]*\s*\n?(.*?)```", re.DOTALL)
_BULLET = re.compile(r"^\s*(?:[-*•–]|\(?\d{1,2}[.):])\s*")
_LABEL = re.compile(r"^\s*\**(?:question|paraphrase)\s*\d*\s*\**\s*:\s*\**\s*", re.IGNORECASE)
_WHOLE_FENCE = re.compile(r"```[A-Za-z]*[ \t]*\n(.*?)\n?[ \t]*```", re.DOTALL)
_VERDICT = re.compile(r"(pass|fail)(?:\s*[:.,;–—-].*)?", re.DOTALL | re.IGNORECASE)
_CHOICE = re.compile(
    r"relation\s*:\s*(\S.*?)\s*[,;\n]\s*direction\s*:\s*(subject|object)\.?",
    re.DOTALL | re.IGNORECASE,
)
_DECODER = json.JSONDecoder()
_ALLOWED = {"verdict": ("PASS", "FAIL"), "direction": DIRECTIONS}

MOST_OBJECTS = 100
"""Places in a reply where an object may begin; what comes after them is not read."""

_PAIRS = ('""', "''", "“”", "„“", "„”", "«»", "»«", "‘’", "‚‘", "「」", "『』", "``")
_QUOTES = "\"'`*„“”‘’«»‹›「」"

_ALIKE = {
    **dict.fromkeys(map(ord, "‘’‚‛′´`ʼʻ＇"), "'"),
    **dict.fromkeys(map(ord, "“”„‟″«»＂"), '"'),
    **dict.fromkeys(map(ord, "‐‑‒–—―−﹘﹣－"), "-"),
}


def fold(text: str) -> str:
    """A text without what readers do not see: case, width, kinds of blanks, quotes and dashes."""
    if text.isascii():  # where the rest comes to just this
        return " ".join(text.lower().replace("`", "'").split())
    for _ in range(2):  # one step may make what an earlier one would have folded
        text = unicodedata.normalize("NFKC", text.translate(_ALIKE)).casefold().translate(_ALIKE)
    seen = "".join(c for c in unicodedata.normalize("NFKC", text) if _is_seen(c))
    return " ".join(seen.split())


def unify(text: str) -> str:
    """A text with plain quotes and dashes, in usual width, nothing invisible; case and blanks stay."""
    if text.isascii():
        return text.replace("`", "'")
    text = unicodedata.normalize("NFKC", text.translate(_ALIKE)).translate(_ALIKE)
    return "".join(filter(_is_seen, text))


def _is_seen(character: str) -> bool:
    return unicodedata.category(character) != "Cf"


def _words(reply: str) -> str:
    return _THOUGHTS.sub("", reply).strip()


def _values(reply: str) -> list[Any]:
    """Every JSON value that the reply may mean: the whole, what is fenced, what is in braces."""
    words = _words(reply)
    drafts = [words, *_FENCE.findall(words)]
    low, high = words.find("["), words.rfind("]")
    if 0 <= low < high:
        drafts.append(words[low : high + 1])
    values: list[Any] = list(_objects(words))
    for draft in drafts:
        try:
            values.append(json.loads(draft))
        except (ValueError, RecursionError):
            continue
    return values


def _texts_in(value: Any, depth: int = 0) -> list[str]:
    if isinstance(value, str):
        return [value]
    if depth > 3 or not isinstance(value, list | dict):
        return []
    items = value.values() if isinstance(value, dict) else value
    return [text for item in items for text in _texts_in(item, depth + 1)]


def texts_said(reply: str) -> set[str]:
    """The texts that a reply gives, folded: those of its JSON, and its lines.

    Each also with its last mark once more: one may end both a name and the question.
    """
    said = {text for value in _values(reply) for text in _texts_in(value)}
    words = _words(reply)
    for draft in (words, _strictly(reply), *_FENCE.findall(words)):
        said |= {draft, *draft.splitlines()}
    found = set()
    for text in said:
        for whole in {text, _BULLET.sub("", text)}:
            for bare in {whole, _LABEL.sub("", whole)}:
                found |= {bare, _unquoted(bare.strip()), bare.strip().strip(_QUOTES)}
    texts = set(map(fold, found)) - {""}
    return texts | {text + text[-1] for text in texts if text[-1] in "?؟;"}


def verdict(reply: str, ended: str) -> bool | None:
    """Whether a judge passed a text; None where a reply cannot be read.

    Args:
        reply: The object ``{"verdict": "PASS" or "FAIL", "reason": …}``, or PASS, or FAIL with a reason.
        ended: Its finish reason.
    """
    words = _strictly(reply, ended)
    if (said := _object(words, "verdict", "reason")) is not None:
        return {"PASS": True, "FAIL": False}.get(said[0])
    found = _VERDICT.fullmatch(words)
    return found[1].upper() == "PASS" if found else None


def choice(reply: str, ended: str) -> tuple[str, str] | None:
    """The relation and the direction that a reply names; None where it cannot be read.

    Args:
        reply: The object ``{"relation": …, "direction": "subject" or "object"}``, or ``relation: …,
            direction: …``.
        ended: Its finish reason.
    """
    words = _strictly(reply, ended)
    if (said := _object(words, "relation", "direction")) is None:
        found = _CHOICE.fullmatch(words)
        if not found:
            return None
        said = found[1], found[2].lower()
    relation, direction = _unquoted(said[0].strip()), said[1]
    return (relation, direction) if relation and direction in DIRECTIONS else None


def _unquoted(text: str) -> str:
    quoted = len(text) > 1 and text[0] + text[-1] in _PAIRS
    return text[1:-1].strip() if quoted else text


def _strictly(reply: str, ended: str = "stop") -> str:
    """What a reply says after its thoughts and within a fence around everything; empty: nothing."""
    words = reply.strip("\ufeff \t\r\n")
    thoughts, end, rest = words.rpartition("</think>")
    if end and (words.startswith("<think>") or "<think>" not in thoughts):
        words = rest.strip()
    elif words.startswith("<think>"):
        return ""
    if ended in ("length", "content_filter"):
        return ""
    fenced = _WHOLE_FENCE.fullmatch(words)
    return fenced[1].strip() if fenced else words


def _object(words: str, *keys: str) -> tuple[str, ...] | None:
    """The texts of the first JSON object that has these keys; small numbers stand for their digits."""
    for value in _objects(words):
        small = [str(v) if type(v) is int and abs(v) < 10**6 else v for v in map(value.get, keys)]
        texts = tuple(v for v in small if isinstance(v, str))
        if len(texts) == len(keys) and all(
            said in _ALLOWED.get(key, (said,)) for key, said in zip(keys, texts, strict=True)
        ):
            return texts
    return None


def _objects(words: str) -> Iterator[dict[str, Any]]:
    """The JSON objects in a text, as they begin; those in others too."""
    place = -1
    for _ in range(MOST_OBJECTS):
        place = words.find("{", place + 1)
        if place < 0:
            return
        try:
            yield _DECODER.raw_decode(words, place)[0]
        except (ValueError, RecursionError):
            continue
