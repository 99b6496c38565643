"""JSON in what a model wrote: by itself, in code fences, or among other words.

A comma before a closing bracket, and line breaks inside texts, are read as they were meant. Nothing else is
mended: what is broken, or has a key twice, is not read, and nor is anything inside it. Guarantee: nothing is
raised but a ValueError of `decode`, whatever a reply holds.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = [
    "TEXT", "TEXTS", "decode", "json_spans", "json_values", "looks_like_json", "object_schema", "whole_text",
]  # fmt: skip

TEXT: Mapping[str, Any] = {"type": "string"}
TEXTS: Mapping[str, Any] = {"type": "array", "items": TEXT}
"""Schemas of a text, and of a list of them."""


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, without any help of the package: exports copy this file."""
    if len(found := dict(pairs)) < len(pairs):
        raise ValueError("a key occurs twice")
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_unique_keys, strict=False)
_LAST_COMMA = re.compile(r'("[^"\\]*(?:\\.[^"\\]*)*")|,(?=\s*[\]}])', re.DOTALL)
_LIKE_JSON = re.compile(r"\{\s*[\"}]|\[\s*[\"\[{\]]")
_BRACKET = re.compile(r"[\[{]")


def object_schema(**properties: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of an object with these keys, all of them and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def decode(text: str, at: int = 0) -> tuple[Any, int]:
    """The JSON value that begins at a place of a text, and the place where it ends.

    Raises:
        ValueError: There is none.

    Example:
        >>> decode('Sure: {"a": ["b, ]", 1,],} Done.', 6)
        ({'a': ['b, ]', 1]}, 26)
    """
    try:
        try:
            value, end = _DECODER.raw_decode(text, at)
        except ValueError:
            mended = _LAST_COMMA.sub(lambda found: found[1] or " ", text[at:])
            value, end = _DECODER.raw_decode(mended)
            end += at
        return whole_text(value), end
    except RecursionError:
        raise ValueError("nested too deeply") from None


def whole_text(value: Any) -> Any:
    r"""A JSON value with U+FFFD for every half of a surrogate pair, which no file can hold.

    >>> whole_text(["a\ud800b"]) == ["a\N{REPLACEMENT CHARACTER}b"]
    True
    """
    text = json.dumps(value, ensure_ascii=False)
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value if text.isascii() else json.loads(whole)


def json_values(text: str) -> Iterator[Any]:
    """Yields the JSON objects and lists of a text in their order, none of them inside another.

    Example:
        >>> list(json_values('Here you are, {Ann}: {"a": 1,} and {"b": {"c": 2}}'))
        [{'a': 1}, {'b': {'c': 2}}]
    """
    return (value for _, _, value in json_spans(text))


def json_spans(text: str) -> Iterator[tuple[int, int, Any]]:
    """Yields where each of them begins and ends, too."""
    at = 0
    for _ in range(50):
        if (bracket := _BRACKET.search(text, at)) is None:
            return
        at = bracket.end()
        try:
            value, at = decode(text, bracket.start())
        except ValueError:
            # What is inside was meant otherwise; what may be whole is in a fence of its own.
            if looks_like_json(text, bracket.start()) and (at := text.find("```", at)) < 0:
                return
        else:
            yield bracket.start(), at, value


def looks_like_json(text: str, at: int = 0) -> bool:
    """Whether JSON, maybe broken, begins at a place of a text."""
    return _LIKE_JSON.match(text, at) is not None
