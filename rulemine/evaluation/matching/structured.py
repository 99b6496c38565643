"""Answers in JSON.

It answers under a key such as ``answer``, else under one such as ``selected``, else as a list or an object
by itself. What a key or a truth value rejects (``not_answers``, ``{"answer": "Ann", "correct": false}``) is
no answer, and nor is what stands for the format that was asked for.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from rulemine.evaluation.matching.lexicon import lex
from rulemine.text.json_reply import json_spans

__all__ = ["json_answers"]

_NAME_KEYS = ("name", "entity", "label", "value", "title", "text")
_DEEPEST = 50

_Is = Callable[[str], object]


def json_answers(text: str, is_name: _Is, is_topic: _Is) -> tuple[list[str] | None, str]:
    """The texts that JSON in a reply gives as answers, and the reply without JSON that only shows a format.

    Args:
        text: The reply.
        is_name: Whether a text is a name: an object may have names as its keys.
        is_topic: Whether a text is the name of a topic entity, that an object may describe.

    Returns:
        None and the rest of the reply, where no JSON answers.
    """
    if "{" not in text and "[" not in text:
        return None, text
    has_key, values, at, rest = lex.HAS_KEY.search(text), list[Any](), 0, text
    for start, end, value in json_spans(text) if has_key else ():
        if lex.EXAMPLE.search(text[max(at, start - 80) : start]):
            rest = rest.replace(text[start:end], "", 1)
            continue
        if lex.REVISED.search(text, at, start):
            values.clear()
        values.append(value)
        at = end
    answers = [a for value in values for a in _under(value, lex.ANSWER_KEY)]
    answers = answers or [a for value in values for a in _under(value, lex.CHOICE_KEY)]
    if not answers and has_key and not values:
        answers = [(m[1] or m[2]).strip("[]\"' ,") for m in lex.BROKEN.finditer(rest)][-1:]
    if not answers and lex.WHOLE.search(rest):  # it is JSON, by itself or in its only fence
        spans = [one for one in json_spans(rest) if lex.FENCE_ENDS.match(rest, one[1])]
        answers = [value for start, _, value in spans if lex.FENCE.search(rest[:start]) and value]
        answers = answers if len(answers) == 1 else []
    return list(_texts(answers, is_name, is_topic)) if answers else None, rest


def _is_refuted(value: dict[str, Any]) -> bool:
    return any(item is False and lex.TRUTH_KEY.fullmatch(key) for key, item in value.items())


def _under(value: Any, key: re.Pattern[str], depth: int = 0) -> Iterator[Any]:
    """What stands under keys of answers, of which none is inside another."""
    if isinstance(value, dict) and depth < _DEEPEST:
        if own := [item for name, item in value.items() if key.fullmatch(name.strip())]:
            yield from [] if own == [False] else [[]] if _is_refuted(value) else own
            return
        value = list(value.values())
    for inner in value if isinstance(value, list) and depth < _DEEPEST else ():
        yield from _under(inner, key, depth + 1)


def _texts(
    value: Any, is_name: _Is, is_topic: _Is, depth: int = 0, listed: bool = False
) -> Iterator[str]:
    """The texts of a value that are answers."""
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        yield str(value)
    for item in _inside(value, is_name, is_topic, listed) if depth < _DEEPEST else ():
        yield from _texts(item, is_name, is_topic, depth + 1, isinstance(value, list) and depth > 0)


def _inside(value: Any, is_name: _Is, is_topic: _Is, listed: bool) -> Iterable[Any]:
    """What of a list or an object may be an answer.

    Of an object its name, without reasons; of one in a list without a name the first value; not what it
    describes, the topic.
    """
    if isinstance(value, list):
        return value
    if not isinstance(value, dict) or _is_refuted(value):
        return ()
    about = {k: v for k, v in value.items() if not (isinstance(v, str) and is_topic(v))} or value
    names = [key for key in about if is_name(key)]
    named = [v for key, v in about.items() if lex.ANSWER_KEY.fullmatch(key.strip())]
    named = named or [v for key, v in about.items() if key.casefold() in _NAME_KEYS]
    others = [v for key, v in about.items() if not lex.ASIDE.match(key)]
    return (
        [v for key, v in about.items() if is_topic(key)]
        or [key for key in names if about[key] is not False]
        or ([] if names else named[:1] or (others[:1] if listed else others))
    )
