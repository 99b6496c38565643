"""What a model's reply says: what was asked for, or a `Problem`.

A reply is the JSON object of its schema, perhaps after a sentence, in a code fence or with further keys; or
plain text of one strict form, for endpoints without structured outputs. A byte-order mark, the thoughts of
reasoning models and one pair of quotes around a text are taken off.

Guarantee: whatever a reply holds, reading it raises nothing.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from rulemine.kg.graph import DIRECTIONS
from rulemine.llm.call import Reply
from rulemine.verbalizer.brief import Problem

__all__ = [
    "AUDIT_SCHEMA",
    "GLOSS_SCHEMA",
    "PARAPHRASE_SCHEMA",
    "QUESTION_SCHEMA",
    "ROUND_TRIP_SCHEMA",
    "Choice",
    "GlossWords",
    "Verdict",
    "read_choice",
    "read_gloss",
    "read_list",
    "read_question",
    "read_verdict",
]

_TEXT: Mapping[str, Any] = {"type": "string"}
_TEXTS: Mapping[str, Any] = {"type": "array", "items": _TEXT}


def _one_of(values: Sequence[str]) -> Mapping[str, Any]:
    return {"type": "string", "enum": list(values)}


def _object(**properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


VERDICTS = ("PASS", "FAIL")

QUESTION_SCHEMA = _object(question=_TEXT)
PARAPHRASE_SCHEMA = _object(questions=_TEXTS)
AUDIT_SCHEMA = _object(verdict=_one_of(VERDICTS), reason=_TEXT)
ROUND_TRIP_SCHEMA = _object(relation=_TEXT, direction=_one_of(DIRECTIONS))
GLOSS_SCHEMA = _object(statement=_TEXT, subjects=_TEXT, objects=_TEXT)


class Verdict(NamedTuple):
    """What a judge says.

    Attributes:
        passed: Whether it is PASS.
        reason: Why, on one line; may be empty.
    """

    passed: bool
    reason: str


class Choice(NamedTuple):
    """What a question is taken to ask for.

    Attributes:
        relation: The relation, as the reply names it.
        direction: One of `rulemine.release.records.DIRECTIONS`.
    """

    relation: str
    direction: str


class GlossWords(NamedTuple):
    """The three texts of a gloss, see `rulemine.phrasing.glosses.Gloss`; placeholders unchecked."""

    statement: str
    subjects: str
    objects: str


_FENCE = re.compile(r"```[A-Za-z]*[ \t]*\n(.*?)\n?[ \t]*```", re.DOTALL)
_LOOKS_LIKE_JSON = re.compile(r"\{\s*[\"}]|\[\s*[\"\[{\]]")
_DECODER = json.JSONDecoder()

MOST_BRACES = 100
"""Places where an object may begin that are looked at; no reply needs more."""

_NUMBER = re.compile(r"\(?(\d{1,3})[.):]\s+")
_BULLET = re.compile(r"[-*•–]\s+")
_VERDICT = re.compile(r"(PASS|FAIL)(?:\s*[:.,;–—-]\s*(.*))?", re.DOTALL | re.IGNORECASE)
_CHOICE = re.compile(
    r"relation\s*:\s*(\S.*?)\s*[,;\n]\s*direction\s*:\s*(subject|object)\.?",
    re.DOTALL | re.IGNORECASE,
)
_QUOTES = ('""', "''", "“”", "„“", "„”", "«»", "»«", "‘’", "‚‘", "「」", "『』", "``")


def read_question(reply: Reply) -> str | Problem:
    """The question: an object with ``question``, or a single line."""

    def plain(words: str) -> dict[str, Any] | Problem:
        lines = _lines(words)
        if len(lines) > 1:
            return Problem("several_lines", f"{len(lines)} lines")
        return {"question": lines[0]}

    found = _read(reply, QUESTION_SCHEMA, plain)
    return found if isinstance(found, Problem) else _text(found["question"])


def read_list(reply: Reply) -> tuple[str, ...] | Problem:
    """Several texts: an object with ``questions``, or one text a line, all of them numbered or none."""
    found = _read(reply, PARAPHRASE_SCHEMA, lambda words: {"questions": _unnumbered(_lines(words))})
    if isinstance(found, Problem):
        return found
    texts = []
    for row in found["questions"]:
        if isinstance(text := _text(row), Problem):
            return text
        texts.append(text)
    return tuple(texts) or Problem("empty", "no texts")


def read_verdict(reply: Reply) -> Verdict | Problem:
    """A verdict: an object with ``verdict`` and ``reason``, ``PASS``, or ``FAIL: reason``."""

    def plain(words: str) -> dict[str, Any] | Problem:
        match = _VERDICT.fullmatch(words)
        if match is None:
            return Problem("malformed", "neither PASS nor FAIL: reason")
        return {"verdict": match[1].upper(), "reason": match[2] or ""}

    found = _read(reply, AUDIT_SCHEMA, plain)
    if isinstance(found, Problem):
        return found
    return Verdict(found["verdict"] == VERDICTS[0], " ".join(found["reason"].split()))


def read_choice(reply: Reply) -> Choice | Problem:
    """A relation and a direction: an object with both, or ``relation: …, direction: …``."""

    def plain(words: str) -> dict[str, Any] | Problem:
        match = _CHOICE.fullmatch(words)
        if match is None:
            return Problem("malformed", "not of the form relation: …, direction: …")
        return {"relation": match[1], "direction": match[2].lower()}

    found = _read(reply, ROUND_TRIP_SCHEMA, plain)
    if isinstance(found, Problem):
        return found
    relation = _text(found["relation"])
    return relation if isinstance(relation, Problem) else Choice(relation, found["direction"])


def read_gloss(reply: Reply) -> GlossWords | Problem:
    """A gloss: an object with its three texts, or three lines ``statement: …`` and so on."""

    def plain(words: str) -> dict[str, Any] | Problem:
        rows = [line.partition(":") for line in _lines(words)]
        if tuple(row[0].strip().lower() for row in rows) != GlossWords._fields:
            return Problem("malformed", f"not the lines {', '.join(GlossWords._fields)}")
        return {key.strip().lower(): value for key, _, value in rows}

    found = _read(reply, GLOSS_SCHEMA, plain)
    if isinstance(found, Problem):
        return found
    texts = [_text(found[key]) for key in GlossWords._fields]
    for text in texts:
        if isinstance(text, Problem):
            return text
        if len(_lines(text)) > 1:
            return Problem("several_lines", "a text of several lines")
    return GlossWords._make(map(str, texts))


def _read(
    reply: Reply,
    schema: Mapping[str, Any],
    plain: Callable[[str], dict[str, Any] | Problem],
) -> dict[str, Any] | Problem:
    """What a reply says by a schema.

    Args:
        reply: The reply.
        schema: Of the object.
        plain: Reads words that are no JSON.
    """
    words = _words(reply)
    if isinstance(words, Problem):
        return words
    found = _object_in(words, schema)
    return plain(words) if found is None else found


def _words(reply: Reply) -> str | Problem:
    """What a reply says without thoughts and fence; not empty."""
    if reply.finish_reason == "content_filter":
        return Problem("filtered")
    if reply.finish_reason == "length":
        return Problem("cut_off")
    words = reply.text.strip("\ufeff \t\r\n")
    # Some servers leave out where the thoughts begin.
    thoughts, end, rest = words.rpartition("</think>")
    if end and (words.startswith("<think>") or "<think>" not in thoughts):
        words = rest.strip()
    elif words.startswith("<think>"):
        return Problem("cut_off", "thoughts without an end")
    if match := _FENCE.fullmatch(words):
        words = match[1].strip()
    return words or Problem("empty")


def _object_in(words: str, schema: Mapping[str, Any]) -> dict[str, Any] | Problem | None:
    """The first object that has what a schema asks for; None where the words are no JSON at all."""
    properties = schema["properties"]
    for start in islice(re.finditer(r"\{", words), MOST_BRACES):
        try:
            value, _ = _DECODER.raw_decode(words, start.start())
        except (ValueError, RecursionError):
            continue
        found = {key: value.get(key) for key in properties}
        for key, kind in properties.items():
            if kind is _TEXT and type(found[key]) is int and abs(found[key]) < 10**6:
                found[key] = str(found[key])  # e.g. the number of a relation
        if all(_fits(found[key], kind) for key, kind in properties.items()):
            return found
    if _LOOKS_LIKE_JSON.match(words):
        return Problem("malformed", f"no JSON object with {' and '.join(properties)} as asked for")
    return None


def _fits(value: Any, kind: Mapping[str, Any]) -> bool:
    if kind["type"] == "array":
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    return isinstance(value, str) and value in kind.get("enum", (value,))


def _text(raw: str) -> str | Problem:
    """A text without blanks and one pair of quotes around it."""
    text = raw.strip()
    if len(text) > 1 and text[0] + text[-1] in _QUOTES:
        inner = text[1:-1]
        # Quotes within belong to the text, as in '"A" or "B"'.
        if text[0] not in inner and text[-1] not in inner:
            text = inner.strip()
    return text or Problem("empty")


def _lines(words: str) -> list[str]:
    return [line.strip() for line in words.splitlines() if line.strip()] or [""]


def _unnumbered(lines: list[str]) -> list[str]:
    numbers = [_NUMBER.match(line) for line in lines]
    if [match and int(match[1]) for match in numbers] == list(range(1, len(lines) + 1)):
        return [_NUMBER.sub("", line, count=1) for line in lines]
    if all(map(_BULLET.match, lines)):
        return [_BULLET.sub("", line, count=1) for line in lines]
    return lines
