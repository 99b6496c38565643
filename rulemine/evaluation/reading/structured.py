"""Answers in JSON: under the keys ``answer`` and ``answers``, or as a list or an object by itself."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from rulemine.evaluation.reading.words import is_aside_label
from rulemine.text.json_reply import decode, json_values

__all__ = ["answers_in"]

_ANSWER_KEY = re.compile(r"(?:.*[\s_-])?answers?|.*[a-z]Answers?|(?i:answers?)", re.DOTALL)
_NAME_KEYS = ("name", "entity", "label", "value", "title", "text", "id")
_HAS_KEY = re.compile(r"answers?[\"']\s*:", re.IGNORECASE)
_BRACKET = re.compile(r"[{\[]")
_BROKEN = re.compile(
    r"[\"'](?:[\w -]{0,30}[\s_-])?answers?[\"']\s*:\s*(?:(\[[^\]]{0,100000})|([^}\n]{0,100000}))",
    re.IGNORECASE,
)
_FENCED = re.compile(r"```[\w+-]*\s*([{\[].*?)\s*```", re.DOTALL)
_TRIES = 50


def answers_in(
    text: str, is_name: Callable[[str], bool], is_topic: Callable[[str], bool]
) -> tuple[list[str] | None, bool]:
    """The texts that JSON in a reply gives as answers.

    Args:
        text: The reply.
        is_name: Whether a text is a name: an object may have names as its keys.
        is_topic: Whether a text is the name of a topic entity, that an object may describe.

    Returns:
        The texts, None without such JSON; and whether a key says that they are answers, so that there is
        nothing else to read.
    """
    if not _BRACKET.search(text):
        return None, False
    values = list(json_values(text)) if _HAS_KEY.search(text) else []
    answers = [answer for value in values for answer in _under_keys(value)]
    if answers:
        return [
            name for answer in answers for name in _names(_untitled(answer, is_topic), is_name)
        ], True
    broken = [m[1] or m[2] for m in _BROKEN.finditer(text)] if not values else []
    if broken:
        return [broken[-1].strip("[]\"' ,")], True
    whole = _whole(text)
    if isinstance(whole, list | dict) and whole:
        return list(_names(_untitled(whole, is_topic), is_name)), False
    return None, False


def _is_answer_key(key: str) -> bool:
    return _ANSWER_KEY.fullmatch(key.strip()) is not None


def _whole(text: str) -> Any:
    """The value of a text that is JSON, by itself or in its only fence."""
    fenced = _FENCED.findall(text)
    for draft in (text.strip(), *(fenced if len(fenced) == 1 else ())):
        try:
            value, end = decode(draft)
        except ValueError:
            continue
        if end == len(draft):
            return value
    return None


def _under_keys(value: Any, depth: int = 0) -> Iterator[Any]:
    """What stands under keys of answers, of which none is inside another."""
    if isinstance(value, dict) and depth < _TRIES:
        keys = [key for key in value if _is_answer_key(key)]
        if keys:
            yield from (value[key] for key in keys)
            return
        for inner in value.values():
            yield from _under_keys(inner, depth + 1)
    elif isinstance(value, list) and depth < _TRIES:
        for inner in value:
            yield from _under_keys(inner, depth + 1)


def _untitled(value: Any, is_topic: Callable[[str], bool], depth: int = 0) -> Any:
    """A value without the topic entities that its objects describe, as keys or under them."""
    if isinstance(value, list) and depth < _TRIES:
        return [_untitled(item, is_topic, depth + 1) for item in value]
    if not isinstance(value, dict) or depth >= _TRIES:
        return value
    answers = [item for key, item in value.items() if is_topic(key)]
    if answers:
        return _untitled(answers, is_topic, depth + 1)
    kept = {k: v for k, v in value.items() if not (isinstance(v, str) and is_topic(v))}
    return {key: _untitled(item, is_topic, depth + 1) for key, item in (kept or value).items()}


def _names(value: Any, is_name: Callable[[str], bool], depth: int = 0) -> Iterator[str]:
    """The texts of a value that are answers: of an object its name, without reasons."""
    if isinstance(value, str):
        yield value
    elif type(value) in (int, float):
        yield str(value)
    elif isinstance(value, list) and depth < _TRIES:
        for item in value:
            read = _name_of if isinstance(item, dict) else _names
            yield from read(item, is_name, depth + 1)
    elif isinstance(value, dict) and depth < _TRIES:
        if any(map(is_name, value)):
            yield from filter(is_name, value)
        elif any(key.casefold() in _NAME_KEYS for key in value):
            yield from _name_of(value, is_name, depth + 1)
        else:
            for key, item in value.items():
                if not is_aside_label(key):
                    yield from _names(item, is_name, depth + 1)


def _name_of(item: dict[str, Any], is_name: Callable[[str], bool], depth: int) -> Iterator[str]:
    """The name of one answer: what a key of names has, else the first text."""
    answers = [item[key] for key in item if _is_answer_key(key)]
    answers = answers or [item[key] for key in item if key.casefold() in _NAME_KEYS[:-1]]
    answers = answers or [value for key, value in item.items() if not is_aside_label(key)]
    if answers:
        yield from _names(answers[0], is_name, depth + 1)
