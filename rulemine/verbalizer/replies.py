"""Readers of model replies: each returns what was asked for, or a `TextProblem`.

A reply is the JSON object of its schema, by itself, in a code fence or among other words, with any capitals
of keys and any further keys; or plain text of one form, for endpoints without structured outputs. Of two
objects that differ neither is taken. Thoughts of reasoning models, a byte-order mark and one pair of quotes
around a text are removed. Guarantee: readers raise nothing, whatever a reply contains.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rulemine.llm.call import Reply
from rulemine.text.json_reply import TEXT, TEXTS, json_values, looks_like_json, object_schema
from rulemine.text.visible_reply import visible_reply
from rulemine.verbalizer.checks import TextProblem
from rulemine.verbalizer.wrappings import question_lines, without_marks

__all__ = [
    "SCHEMAS",
    "GlossWords",
    "Verdict",
    "read_gloss",
    "read_list",
    "read_object",
    "read_question",
    "read_verdict",
    "visible_words",
]

VERDICTS = ("PASS", "FAIL")

FAULTS = {
    "DIRECTION": "direction_wrong",
    "CONDITION": "condition_changed",
    "RESULT": "result_changed",
    "WORDING": "unnatural",
}
"""Verdict on a question over a property graph → the code of that problem."""

CYPHER_VERDICTS = ("PASS", *FAULTS, "FAIL")


def _one_of(values: Sequence[str]) -> Mapping[str, Any]:
    return {"type": "string", "enum": list(values)}


SCHEMAS = {
    "question": object_schema(question=TEXT),
    "paraphrase": object_schema(questions=TEXTS),
    "audit": object_schema(verdict=_one_of(VERDICTS), reason=TEXT),
    "structure_question": object_schema(question=TEXT),
    "structure_audit": object_schema(status=_one_of(VERDICTS), reason=TEXT, refined_question=TEXT),
    "cypher_question": object_schema(question=TEXT),
    "cypher_audit": object_schema(
        verdict=_one_of(CYPHER_VERDICTS), reason=TEXT, refined_question=TEXT
    ),
    "gloss": object_schema(statement=TEXT, subjects=TEXT, objects=TEXT),
}
"""Purpose of a call → the JSON schema of its reply."""


class Verdict(NamedTuple):
    """The verdict of a judge.

    Attributes:
        passed: Whether it is PASS.
        reason: The reason, on one line; may be empty.
        refined: The text that the judge proposes instead; empty: none.
        code: What is wrong, a code of `rulemine.verbalizer.checks.CODES`.
    """

    passed: bool
    reason: str
    refined: str = ""
    code: str = "audit_failed"


class GlossWords(NamedTuple):
    """The three texts of a relation description (`rulemine.phrasing.glosses.Gloss`), not yet checked."""

    statement: str
    subjects: str
    objects: str


_FENCE = re.compile(r"```[A-Za-z]*[ \t]*\n(.*?)\n?[ \t]*```", re.DOTALL)
_NUMBER = re.compile(r"\(?(\d{1,3})[.):]\s+")
_BULLET = re.compile(r"[-*•–]\s+")
_VERDICT = re.compile(
    rf"({'|'.join(CYPHER_VERDICTS)})(?:\s*[:.,;–—-]\s*(.*))?", re.DOTALL | re.IGNORECASE
)
_TRUTH = {"true": True, "t": True, "yes": True, "false": False, "f": False, "no": False}


def read_question(reply: Reply) -> str | TextProblem:
    """Reads a question: an object with ``question``, or a single line, preambles and notes aside."""
    found = read_object(reply, SCHEMAS["question"])
    if isinstance(found, TextProblem):
        return found
    return _question(found if isinstance(found, str) else found["question"])


def read_list(reply: Reply) -> tuple[str, ...] | TextProblem:
    """Reads several texts: an object with ``questions``, or one per line, all numbered or none."""
    found = read_object(reply, SCHEMAS["paraphrase"])
    if isinstance(found, TextProblem):
        return found
    rows = _unnumbered(question_lines(found)) if isinstance(found, str) else found["questions"]
    texts = list(map(_text, rows))
    problem = next((text for text in texts if isinstance(text, TextProblem)), None)
    return problem or tuple(map(str, texts)) or TextProblem("empty", "no texts")


def read_verdict(reply: Reply, purpose: str = "audit") -> Verdict | TextProblem:
    """Reads a verdict: an object of the purpose's schema, ``PASS``, or ``FAIL: reason``.

    Only the first key is needed, ``verdict`` (for ``structure_audit`` ``status``).
    """
    word, *rest = SCHEMAS[purpose]["properties"]
    found = read_object(reply, SCHEMAS[purpose], rest)
    if isinstance(found, TextProblem):
        return found
    if isinstance(found, str):
        allowed = SCHEMAS[purpose]["properties"][word]["enum"]
        match = _VERDICT.fullmatch(found)
        if match is None or match[1].upper() not in allowed:
            return TextProblem("malformed", "neither PASS nor FAIL: reason")
        found = {word: match[1].upper(), "reason": match[2] or ""}
    reason, refined = found["reason"], found.get("refined_question", "")
    code = FAULTS.get(found[word], "audit_failed")
    return Verdict(found[word] == "PASS", " ".join(reason.split()), refined.strip(), code)


def read_gloss(reply: Reply) -> GlossWords | TextProblem:
    """Reads a relation description: an object with its three texts, or three lines ``statement: …`` etc."""
    found = read_object(reply, SCHEMAS["gloss"])
    if isinstance(found, TextProblem):
        return found
    if isinstance(found, str):
        rows = [line.partition(":") for line in _lines(found)]
        found = {key.strip().lower(): value for key, _, value in rows}
        if len(rows) != len(found) or tuple(found) != GlossWords._fields:
            return TextProblem("malformed", f"not the lines {', '.join(GlossWords._fields)}")
    texts = [_text(found[key]) for key in GlossWords._fields]
    for text in texts:
        if isinstance(text, TextProblem):
            return text
        if len(_lines(text)) > 1:
            return TextProblem("several_lines", "a text of several lines")
    return GlossWords._make(map(str, texts))


def read_object(
    reply: Reply, form: Mapping[str, Any], optional: Sequence[str] = ()
) -> dict[str, Any] | str | TextProblem:
    """Reads the object of a schema.

    Args:
        reply: The reply.
        form: The schema: texts, choices of texts, lists of texts, and truth values.
        optional: Texts that may be missing, and are empty then.

    Returns:
        The object; the plain text, not empty, where the reply has no JSON at all; or the problem.
    """
    words = visible_words(reply)
    if isinstance(words, TextProblem):
        return words
    schema = form["properties"]
    read = [_object_of(value, schema, optional) for value in json_values(words)]
    objects = [found for found in read if not isinstance(found, TextProblem)]
    if objects:
        same = all(found == objects[0] for found in objects)
        return objects[0] if same else TextProblem("malformed", "several answers")
    problem = next((found for found in read if isinstance(found, TextProblem)), None)
    if problem is None and looks_like_json(words):
        problem = TextProblem("malformed", "broken JSON")
    fenced = _FENCE.fullmatch(words)
    return problem or (fenced[1].strip() if fenced else words) or TextProblem("empty")


def visible_words(reply: Reply) -> str | TextProblem:
    """What a reply says, without thoughts; or that it says nothing, or was not finished."""
    if reply.finish_reason == "content_filter":
        return TextProblem("filtered")
    if reply.is_cut_off:
        return TextProblem("cut_off")
    return visible_reply(reply.text.strip("\ufeff \t\r\n")).strip() or TextProblem("empty")


def _object_of(
    value: Any, schema: Mapping[str, Any], optional: Sequence[str]
) -> dict[str, Any] | TextProblem:
    """The keys of a schema in a value; extra keys are dropped."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        value = value[0]
    if isinstance(value, list) and len(schema) == 1:
        value = dict.fromkeys(schema, value)
    if isinstance(value, dict):
        folded = {key.strip().lower(): item for key, item in value.items()}
        if len(folded) < len(value):
            return TextProblem("malformed", "JSON with a key twice")
        value = folded
    if not isinstance(value, dict) or schema.keys() - {*optional} - value.keys():
        return TextProblem("malformed", f"JSON without the keys {', '.join(schema)}")
    found = {}
    for key, kind in schema.items():
        item = value.get(key) or "" if key in optional else value[key]
        if type(item) is int and abs(item) < 10**6:
            item = str(item)  # e.g. the number of a relation
        if isinstance(item, str) and "enum" in kind:
            item = next(
                (word for word in kind["enum"] if word.lower() == item.strip().lower()), None
            )
        if kind["type"] == "boolean" and isinstance(item, str):
            item = _TRUTH.get(item.strip().lower())
        if not _fits(item, kind):
            return TextProblem("malformed", f"JSON with an invalid value of {key}")
        found[key] = item
    return found


def _fits(item: Any, kind: Mapping[str, Any]) -> bool:
    if kind["type"] == "array":
        return isinstance(item, list) and all(isinstance(text, str) for text in item)
    return isinstance(item, bool if kind["type"] == "boolean" else str)


def _text(raw: str) -> str | TextProblem:
    """A text without white space and one pair of quotes around it."""
    return without_marks(raw.strip()) or TextProblem("empty")


def _question(raw: str) -> str | TextProblem:
    """The one line of a text that may be a question."""
    lines = question_lines(raw)
    if len(lines) > 1:
        return TextProblem("several_lines", f"{len(lines)} lines")
    return _text("".join(lines))


def _lines(words: str) -> list[str]:
    return [line.strip() for line in words.splitlines() if line.strip()] or [""]


def _unnumbered(lines: list[str]) -> list[str]:
    numbers = [_NUMBER.match(line) for line in lines]
    if [match and int(match[1]) for match in numbers] == list(range(1, len(lines) + 1)):
        return [_NUMBER.sub("", line, count=1) for line in lines]
    if all(map(_BULLET.match, lines)):
        return [_BULLET.sub("", line, count=1) for line in lines]
    return lines
