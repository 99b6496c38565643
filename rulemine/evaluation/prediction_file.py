"""What a prediction file holds: its first line, its objects, and what is wrong with one.

The form of a file is that of `rulemine.evaluation.predictions`.
"""

import gc
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rulemine.codec import parse_object, why_unreadable
from rulemine.errors import InputError, PredictionError
from rulemine.files import read_text
from rulemine.release.records import Cost, Prediction

__all__ = ["EXPECTED", "PredictionFile", "prediction_of", "problem_of", "read_run", "uncollected"]

EXPECTED = (
    'Expected one {"id": …, "raw_output": "…"} or {"id": …, "answers": ["…"]} for every question.'
)
"""What a line or item must be."""

_SHOWN_KEYS = 5
_LARGEST = 10**300


@contextmanager
def uncollected() -> Iterator[None]:
    """Puts off the search for cycles of garbage while a block makes many records.

    There are none among records, and each search would walk through a whole release: half of the time.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


class PredictionFile:
    """A prediction file, read once (it may be a pipe) and not yet looked at.

    Args:
        path: JSON Lines or a JSON array; plain, .gz or .zst.

    Attributes:
        path: The file.
        run: What its first line says of it, see the module; None where it says nothing.
        rows: The objects with their places; in place of what is none, what is wrong with it.
        is_array: Whether it is a JSON array.

    Raises:
        InputError: The file is missing or not UTF-8 text.
        PredictionError: It is an array that is not valid JSON.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        text = read_text(self.path)
        self.is_array = text.lstrip().startswith("[")
        with uncollected():
            self.rows = _rows(text, self.is_array, str(path))
        first = self.rows[0][1] if self.rows else ""
        run = first.get("run") if isinstance(first, dict) and "id" not in first else None
        self.run: dict[str, Any] | None = run if isinstance(run, dict) else None
        if self.run is not None:
            self.rows = self.rows[1:]


def read_run(path: str | Path) -> dict[str, Any] | None:
    """What a prediction file says of itself in its first line; None where it says nothing.

    Raises:
        InputError: The file is missing or not UTF-8 text.
    """
    return PredictionFile(path).run


def _rows(text: str, is_array: bool, where: str) -> list[tuple[str, dict[str, Any] | str]]:
    """The objects of a file with their places; in place of what is none, what is wrong with it."""
    rows: list[tuple[str, dict[str, Any] | str]] = []
    if is_array:
        try:
            items = json.loads(text)
        except (ValueError, RecursionError) as problem:
            raise PredictionError(
                f"{where}: is not valid JSON ({why_unreadable(problem)}). {EXPECTED}"
            ) from None
        for number, item in enumerate(items, start=1):
            told = item if isinstance(item, dict) else f"{_shown(item)} is not an object"
            if "\\u" in text and (half := _half(json.dumps(item, ensure_ascii=False))):
                told = f"is not valid JSON ({half})"
            rows.append((f"item {number}", told))
        return rows
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                rows.append((f"line {number}", parse_object(line, "")))
            except InputError as problem:
                told = str(problem).removesuffix(" Fix or remove it.").strip(" .")
                rows.append((f"line {number}", told.replace("line 1 column", "column")))
    return rows


def _half(text: str) -> str:
    """What is wrong with a text that has half of a surrogate pair, which no file can hold, or ""."""
    try:
        text.encode()
    except UnicodeEncodeError as problem:
        return why_unreadable(problem)
    return ""


def prediction_of(row: dict[str, Any], official: bool = False) -> tuple[Prediction | None, str]:
    """One object as a prediction, or None and what is wrong with it; `official` as in `read_predictions`."""
    key, text, answers = row.get("id"), row.get("raw_output"), row.get("answers")
    if official and "raw_output" in row:
        text, answers = str(text), None
    if not isinstance(key, str):
        what = f"'id' is {_shown(key)}" if "id" in row else "has no 'id'"
        return None, f"{what}; the id of a question was expected"
    if problem := _both_or_neither(text is not None, answers is not None):
        others = sorted(set(row) - {"id", "raw_output", "answers"})
        named = ", ".join(map(repr, others[:_SHOWN_KEYS])) + (", …" if others[_SHOWN_KEYS:] else "")
        named = f"; it has the key(s) {named}" if others else ""
        return None, f"{problem}{named if text is None else ''}"
    extra = {} if official else {name: row[name] for name in _EXTRA if row.get(name) is not None}
    if problem := _wrong_extra(extra):
        return None, problem
    more: dict[str, Any] = {
        name: tuple(map(tuple, extra[name])) for name in _EXTRA[:3] if name in extra
    }
    if "usage" in extra:
        more["cost"] = Cost(**extra["usage"])
    if answers is not None:
        if not isinstance(answers, list) or not all(isinstance(a, str) for a in answers):
            return None, f"'answers' is {_shown(answers)}; an array of entity names was expected"
        return Prediction(key, answers=tuple(answers), **more), ""
    if not isinstance(text, str):
        return None, f"'raw_output' is {_shown(text)}; a text was expected"
    return Prediction(key, raw_output=text, **more), ""


def problem_of(prediction: Prediction) -> str:
    """What is wrong with a prediction that was not read from a file, or ""."""
    form = _both_or_neither(prediction.raw_output is not None, prediction.answers is not None)
    given = {name: value for name in _EXTRA[:3] if (value := getattr(prediction, name)) is not None}
    said = (prediction.raw_output,) if prediction.answers is None else prediction.answers
    return (
        form or _wrong_extra(given) or next(filter(None, (_half(text or "") for text in said)), "")
    )


_EXTRA = ("retrieved", "generated", "ranking", "usage")
"""Keys that a prediction may have beside its answer."""


def _wrong_extra(given: Mapping[str, Any]) -> str:
    """What is wrong with the values of `_EXTRA`, or ""."""
    for name, value in given.items():
        if name == "usage":
            if not _is_usage(value):
                return (
                    f"'usage' is {_shown(value)}; an object with the whole numbers calls, prompt_tokens and "
                    "completion_tokens, and maybe seconds, was expected"
                )
            continue
        fits, what = (_is_scored, "pairs [name, score]") if name == "ranking" else _TRIPLES
        expected = f"of {what} was expected"
        if not isinstance(value, list | tuple):
            return f"{name!r} is {_shown(value)}; an array {expected}"
        for number, item in enumerate(value, start=1):
            if type(item) not in (list, tuple) or not fits(item):
                return f"item {number} of {name!r} is {_shown(item)}; an array {expected}"
    return ""


def _is_triple(item: Sequence[Any]) -> bool:
    if len(item) != 3:
        return False
    s, r, o = item
    return isinstance(s, str) and isinstance(r, str) and isinstance(o, str)


def _is_scored(item: Sequence[Any]) -> bool:
    return len(item) == 2 and isinstance(item[0], str) and _is_finite(item[1])


_TRIPLES = (_is_triple, "triples [subject, relation, object]")


def _is_usage(value: Any) -> bool:
    counts = ("calls", "prompt_tokens", "completion_tokens")
    return (
        isinstance(value, dict)
        and set(value) - {"seconds"} == set(counts)
        and all(type(value[name]) is int and value[name] >= 0 for name in counts)
        and ("seconds" not in value or _is_finite(value["seconds"]))
    )


def _is_finite(value: Any) -> bool:
    if type(value) is int:  # of any size
        return abs(value) <= _LARGEST
    return type(value) is float and math.isfinite(value)


def _both_or_neither(text: bool, answers: bool) -> str:
    if text != answers:
        return ""
    return "has both 'raw_output' and 'answers'" if text else "has no 'raw_output' and no 'answers'"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
