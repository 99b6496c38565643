"""Answers in JSON.

It answers under a key such as ``answer``, else under one such as ``selected``, else as a list or an object
by itself. What a key or a truth value rejects (``not_answers``, ``{"answer": "Ann", "correct": false}``) is
no answer, and nor is what stands for the format that was asked for.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from rulemine.evaluation.matching.lexicon import is_aside_label, lex
from rulemine.text.json_reply import decode, json_spans

__all__ = ["JsonAnswers", "json_answers"]

_NAME_KEYS = ("name", "entity", "label", "value", "title", "text")
_DEEPEST = 50


class JsonAnswers(NamedTuple):
    """What JSON in a reply says.

    Attributes:
        texts: The texts that it gives as answers; None without such JSON.
        is_all: Whether a key says that they are answers, so that there is nothing else to read.
        rest: The reply without JSON that only shows a format.
    """

    texts: list[str] | None
    is_all: bool
    rest: str


def json_answers(
    text: str, is_name: Callable[[str], bool], is_topic: Callable[[str], bool]
) -> JsonAnswers:
    """What JSON in a reply gives as answers.

    Args:
        text: The reply.
        is_name: Whether a text is a name: an object may have names as its keys.
        is_topic: Whether a text is the name of a topic entity, that an object may describe.
    """
    if "{" not in text and "[" not in text:
        return JsonAnswers(None, False, text)
    reader = _Texts(is_name, is_topic)
    has_key, values, at, rest = lex.HAS_KEY.search(text), list[Any](), 0, text
    for start, end, value in json_spans(text) if has_key else ():
        if lex.EXAMPLE.search(text[max(at, start - 80) : start]):
            rest = rest.replace(text[start:end], "", 1)
            continue
        if lex.REVISED.search(text, at, start):
            values.clear()
        values.append(value)
        at = end
    for key in (lex.ANSWER_KEY, lex.CHOICE_KEY):
        if answers := [answer for value in values for answer in _under(value, key)]:
            return JsonAnswers([n for a in answers for n in reader.of(a)], True, text)
    if has_key and not values and (broken := [m[1] or m[2] for m in lex.BROKEN.finditer(rest)]):
        return JsonAnswers([broken[-1].strip("[]\"' ,")], True, text)
    whole = _whole(rest)
    if isinstance(whole, list | dict) and whole:
        return JsonAnswers(list(reader.of(whole)), False, rest)
    return JsonAnswers(None, False, rest)


def _whole(text: str) -> Any:
    """The value of a text that is JSON, by itself or in its only fence."""
    fenced = lex.FENCED.findall(text)
    for draft in (text.strip(), *(fenced if len(fenced) == 1 else ())):
        try:
            value, end = decode(draft)
        except ValueError:
            continue
        if end == len(draft):
            return value
    return None


def _is_refuted(value: dict[str, Any]) -> bool:
    return any(item is False and lex.TRUTH_KEY.fullmatch(key) for key, item in value.items())


def _under(value: Any, key: re.Pattern[str], depth: int = 0) -> Iterator[Any]:
    """What stands under keys of answers, of which none is inside another."""
    if isinstance(value, dict) and depth < _DEEPEST:
        if own := [item for name, item in value.items() if key.fullmatch(name.strip())]:
            yield from [] if own == [False] else [[]] if _is_refuted(value) else own
            return
        value = list(value.values())
    if isinstance(value, list) and depth < _DEEPEST:
        for inner in value:
            yield from _under(inner, key, depth + 1)


class _Texts:
    """Takes the texts from a value that are answers."""

    def __init__(self, is_name: Callable[[str], bool], is_topic: Callable[[str], bool]) -> None:
        self._is_name, self._is_topic = is_name, is_topic

    def of(self, value: Any, depth: int = 0, listed: bool = False) -> Iterator[str]:
        """The texts: of an object its name, without reasons; of one in a list without a name the first."""
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            yield str(value)
        inner = list(self._inside(value, listed)) if depth < _DEEPEST else []
        for item in inner:
            yield from self.of(item, depth + 1, isinstance(value, list))

    def _inside(self, value: Any, listed: bool) -> Iterable[Any]:
        """What of a list or an object may be an answer; of an object not what it describes, the topic."""
        if isinstance(value, list):
            return value
        if not isinstance(value, dict) or _is_refuted(value):
            return ()
        about = {k: v for k, v in value.items() if not (isinstance(v, str) and self._is_topic(v))}
        about = about or value
        names = [key for key in about if self._is_name(key)]
        named = [v for key, v in about.items() if lex.ANSWER_KEY.fullmatch(key.strip())]
        named = named or [v for key, v in about.items() if key.casefold() in _NAME_KEYS]
        others = [v for key, v in about.items() if not is_aside_label(key)]
        return (
            [v for key, v in about.items() if self._is_topic(key)]
            or [key for key in names if about[key] is not False]
            or ([] if names else named[:1] or (others[:1] if listed else others))
        )
