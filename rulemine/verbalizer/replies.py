"""From a reply to a text: what models put around what they were asked for, and what can be wrong with it.

A reply is the JSON object of its schema, by itself, in a code fence or among other words, with any capitals
of keys and any further keys; or plain text of one form, for endpoints without structured outputs. Of two
different objects neither is taken. The thoughts of reasoning models, byte-order marks, labels, list
numbers, marks, preambles and notes around a text are removed.

Guarantees: readers raise nothing, whatever a reply contains, and return what was asked for or a
`TextProblem`; what is left of a text is a part of the reply, letter by letter; where two lines may be the
question both are left, for checks to refuse; nothing that overlaps with a name is taken off. Where it stays,
every wrapping known here fails the checks (`rulemine.verbalizer.checks`), so a text that passes them is left
as it is.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from rulemine.llm.call import Failure, Reply
from rulemine.text.json_reply import TEXT, TEXTS, json_values, looks_like_json, object_schema
from rulemine.text.mentions import find_mentions_of_all
from rulemine.text.normalization import QUESTION_MARKS
from rulemine.text.template import fill
from rulemine.text.visible_reply import visible_reply

__all__ = [
    "CODES", "PICTURE", "SCHEMAS", "TextProblem", "Verdict", "explain", "question_lines", "read_list",
    "read_object", "read_question", "read_texts", "read_verdict", "unwrapped", "visible_words",
    "without_marks",
]  # fmt: skip

CODES = {
    "empty": "The reply has no text.",
    "cut_off": "The reply was cut off; be brief.",
    "filtered": "The reply was withheld by a content filter; use other words.",
    "malformed": "The reply does not have the requested form{detail}.",
    "several_lines": "The reply must be one question on one line.",
    "markup": "The text must be plain, without markup, escapes or control characters{detail}.",
    "refusal": "The task is harmless; write the question.",
    "meta_text": "Write nothing but the question{detail}.",
    "triple_syntax": "Use ordinary words, no arrows, variables or triples{detail}.",
    "relation_id": "Say the relation in words, without its identifier{detail}.",
    "topic_missing": "Name the Question Entity exactly as given, as separate words{detail}.",
    "answer_named": "The question must not name an answer{detail}.",
    "intermediate_named": "The question must not name an Intermediate{detail}.",
    "not_a_question": "The text must be a question that ends with a question mark.",
    "several_questions": "Write one question in one sentence.",
    "yes_or_no": "Ask for all that fit; do not ask a yes/no question.",
    "too_short": "The question is too short to be clear.",
    "too_long": "The question is too long{detail}.",
    "wrong_language": "The question must be in {detail}.",
    "foreign_name": "Use the names given, each whole, and no other name, date, number or capital{detail}.",
    "ambiguous": "Another question has the same text; be more precise{detail}.",
    "not_distinct": "It repeats an earlier text.",
    "value_missing": "Copy the value exactly as given{detail}.",
    "value_added": "Use no number that the Draft lacks{detail}.",
    "audit_failed": "A judge rejected it{detail}.",
    "direction_wrong": "A judge says that a relation is turned round{detail}.",
    "condition_changed": "A judge says that a condition is lost, added or changed{detail}.",
    "result_changed": "A judge says that something else is to be given{detail}.",
    "unnatural": "A judge says that no person would ask so, or that it is unclear{detail}.",
    "context_too_long": "The request is longer than the model's context.",
    "refused_by_endpoint": "The endpoint refuses this request{detail}.",
    "endpoint_error": "The endpoint failed on this request{detail}.",
}
"""Reason code → sentence for the model, with a place for the detail, see `explain`."""


@dataclass(frozen=True, slots=True)
class TextProblem:
    """Why a text or a reply was rejected.

    Attributes:
        code: One of `CODES`.
        detail: What exactly was found; sent to the model, never written to a release.
    """

    code: str
    detail: str = ""

    @classmethod
    def of(cls, failure: Failure) -> Self:
        """Makes the problem of a call that has no reply."""
        code = "refused_by_endpoint" if failure.code == "refused" else failure.code
        return cls(code, failure.detail)


def explain(problem: TextProblem) -> str:
    """Explains a problem to the model in a sentence."""
    detail = problem.detail
    if detail and problem.code != "wrong_language":
        detail = f" ({detail.rstrip('. ')})"
    return fill(CODES[problem.code], {"detail": detail})


UNREAD = TextProblem("audit_failed", "the verdict could not be read")
"""Of a text on which there is no verdict that can be read."""

_FAULTS = {
    "DIRECTION": "direction_wrong",
    "CONDITION": "condition_changed",
    "RESULT": "result_changed",
    "WORDING": "unnatural",
}
"""Verdict on a question over a property graph → the code of that problem."""

_WORDS = ("PASS", *_FAULTS, "FAIL")
_QUESTION = object_schema(question=TEXT)
_PASSED = {"type": "string", "enum": ["PASS", "FAIL"]}

SCHEMAS = {
    "question": _QUESTION,
    "paraphrase": object_schema(questions=TEXTS),
    "audit": object_schema(verdict=_PASSED, reason=TEXT),
    "structure_question": _QUESTION,
    "structure_audit": object_schema(status=_PASSED, reason=TEXT, refined_question=TEXT),
    "cypher_question": _QUESTION,
    "cypher_audit": object_schema(
        verdict={"type": "string", "enum": list(_WORDS)}, reason=TEXT, refined_question=TEXT
    ),
    "gloss": object_schema(statement=TEXT, subjects=TEXT, objects=TEXT),
    "book": object_schema(
        statement=TEXT, ask_subject=TEXT, ask_subjects=TEXT, ask_object=TEXT, ask_objects=TEXT
    ),
}
"""Purpose of a call → the JSON schema of its reply."""


class Verdict(NamedTuple):
    """The verdict of a judge.

    Attributes:
        problem: What is wrong with the text; None: nothing.
        refined: The text that the judge proposes instead; empty: none.
    """

    problem: TextProblem | None
    refined: str = ""


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


_FENCE = re.compile(r"```[A-Za-z]*[ \t]*\n(.*?)\n?[ \t]*```", re.DOTALL)
_COUNTED = re.compile(r"\(?(\d{1,3})[.):]\s+")
_BULLET = re.compile(r"[-*•–]\s+")
_VERDICT = re.compile(rf"({'|'.join(_WORDS)})(?:\s*[:.,;–—-]\s*(.*))?", re.DOTALL | re.IGNORECASE)
_TRUTH = {"true": True, "t": True, "yes": True, "false": False, "f": False, "no": False}


def read_question(reply: Reply) -> str | TextProblem:
    """Reads a question: an object with ``question``, or a single line, preambles and notes aside."""
    found = read_object(reply, SCHEMAS["question"])
    if isinstance(found, TextProblem):
        return found
    lines = question_lines(found if isinstance(found, str) else found["question"])
    if len(lines) > 1:
        return TextProblem("several_lines", f"{len(lines)} lines")
    return without_marks("".join(lines)) or TextProblem("empty")


def read_list(reply: Reply) -> tuple[str, ...] | TextProblem:
    """Reads several texts: an object with ``questions``, or one per line, all numbered or none."""
    found = read_object(reply, SCHEMAS["paraphrase"])
    if isinstance(found, TextProblem):
        return found
    rows = _unnumbered(question_lines(found)) if isinstance(found, str) else found["questions"]
    texts = tuple(without_marks(row.strip()) for row in rows)
    return texts if texts and all(texts) else TextProblem("empty", "no texts" * (not texts))


def read_verdict(reply: Reply, purpose: str) -> Verdict:
    """Reads a verdict: an object of the purpose's schema, ``PASS``, or ``FAIL: reason``.

    Only the first key is needed, ``verdict`` (for ``structure_audit`` ``status``). Whatever cannot be read
    fails the text.
    """
    schema = SCHEMAS[purpose]["properties"]
    word, *rest = schema
    found = read_object(reply, SCHEMAS[purpose], rest)
    if isinstance(found, str):
        match = _VERDICT.fullmatch(found)
        said = {word: match[1], "reason": match[2] or ""} if match else None
        found = _object_of(said, schema, rest)
    if isinstance(found, TextProblem):
        return Verdict(UNREAD)
    reason, refined = " ".join(found["reason"].split()), found.get("refined_question", "").strip()
    code = _FAULTS.get(found[word], "audit_failed")
    return Verdict(None if found[word] == "PASS" else TextProblem(code, reason), refined)


def read_texts(reply: Reply, purpose: str) -> dict[str, str] | TextProblem:
    """Reads one line for each key of the purpose's schema: an object, or lines ``key: …`` in its order."""
    keys = [*SCHEMAS[purpose]["properties"]]
    found = read_object(reply, SCHEMAS[purpose])
    if isinstance(found, TextProblem):
        return found
    if isinstance(found, str):
        rows = [line.partition(":") for line in found.splitlines() if line.strip()]
        found = {key.strip().lower(): value for key, _, value in rows}
        if len(rows) != len(found) or [*found] != keys:
            return TextProblem("malformed", f"not the lines {', '.join(keys)}")
    texts = {key: without_marks(found[key].strip()) for key in keys}
    if not all(texts.values()):
        return TextProblem("empty")
    if any(len(text.splitlines()) > 1 for text in texts.values()):
        return TextProblem("several_lines", "a text of several lines")
    return {key: " ".join(text.split()) for key, text in texts.items()}


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
    items = value.items() if isinstance(value, dict) else ()
    given = {key.strip().lower(): item for key, item in items}
    if len(given) < len(items):
        return TextProblem("malformed", "JSON with a key twice")
    if schema.keys() - {*optional} - given.keys():
        return TextProblem("malformed", f"JSON without the keys {', '.join(schema)}")
    found = {}
    for key, kind in schema.items():
        item = given.get(key) or "" if key in optional else given[key]
        if type(item) is int and abs(item) < 10**6:
            item = str(item)  # e.g. the answer to a question for a number
        if isinstance(item, str) and "enum" in kind:
            said = item.strip().lower()
            item = next((word for word in kind["enum"] if word.lower() == said), None)
        if isinstance(item, str) and kind["type"] == "boolean":
            item = _TRUTH.get(item.strip().lower())
        texts = item if kind["type"] == "array" else [item]
        wanted = bool if kind["type"] == "boolean" else str
        if not (isinstance(texts, list) and all(isinstance(text, wanted) for text in texts)):
            return TextProblem("malformed", f"JSON with an invalid value of {key}")
        found[key] = item
    return found


def _unnumbered(lines: list[str]) -> list[str]:
    numbers = [_COUNTED.match(line) for line in lines]
    if [match and int(match[1]) for match in numbers] == list(range(1, len(lines) + 1)):
        return [_COUNTED.sub("", line, count=1) for line in lines]
    if all(map(_BULLET.match, lines)):
        return [_BULLET.sub("", line, count=1) for line in lines]
    return lines


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
