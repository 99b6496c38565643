"""What a prediction file holds: its first line, its objects, and what is wrong with one.

The form of a file is that of `rulemine.evaluation.predictions`.
"""

import gc
import json
import math
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rulemine.codec import parse_object, why_unreadable
from rulemine.cypher.rows import row_of, row_text
from rulemine.errors import InputError, PredictionError, counted
from rulemine.files import decoded, read_text
from rulemine.release.records import Cost, Prediction

__all__ = [
    "PredictionFile",
    "expected_of",
    "prediction_of",
    "problem_of",
    "read_run",
    "uncollected",
]

_EXPECTED = (
    'Expected one {"id": …, "raw_output": "…"}, {"id": …, "answers": ["…"]} or '
    '{"id": …, "sparql": "SELECT …"} for every question.'
)

_EXPECTED_CYPHER = (
    'Expected one {"id": …, "cypher": "MATCH …"}, {"id": …, "rows": [[…], …]} or '
    '{"id": …, "raw_output": "…"} for every question.'
)

_FORMS = ("raw_output", "answers", "sparql", "cypher", "rows")
"""The keys of an answer, of which a prediction has one."""

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
        content: What a plain file has; None: it is read.

    Attributes:
        path: The file.
        run: What its first line says of it, see the module; None where it says nothing.
        rows: The objects with their places; in place of what is none, what is wrong with it.
        is_array: Whether it is a JSON array.

    Raises:
        InputError: The file is missing or not UTF-8 text.
        PredictionError: It is an array that is not valid JSON.
    """

    def __init__(self, path: str | Path, content: bytes | None = None) -> None:
        self.path = Path(path)
        text = read_text(self.path) if content is None else decoded(self.path, content)
        self.is_array = text.lstrip().startswith("[")
        with uncollected():
            self.rows = _rows(text, self.is_array, str(path))
        first = self.rows[0][1] if self.rows else ""
        run = first.get("run") if isinstance(first, dict) and "id" not in first else None
        self.run: dict[str, Any] | None = run if isinstance(run, dict) else None
        if self.run is not None:
            self.rows = self.rows[1:]


def expected_of(answers: Collection[str]) -> str:
    """What a line or item must be, as a sentence, for questions with some forms of answers."""
    return _EXPECTED_CYPHER if "rows" in answers else _EXPECTED


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
                f"{where}: is not valid JSON ({why_unreadable(problem)}). {_EXPECTED}"
            ) from None
        for number, item in enumerate(items, start=1):
            item_or_fault = item if isinstance(item, dict) else f"{_shown(item)} is not an object"
            if "\\u" in text and (half := _half(json.dumps(item, ensure_ascii=False))):
                item_or_fault = f"is not valid JSON ({half})"
            rows.append((f"item {number}", item_or_fault))
        return rows
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                rows.append((f"line {number}", parse_object(line, "")))
            except InputError as problem:
                item_or_fault = str(problem).removesuffix(" Fix or remove it.").strip(" .")
                rows.append((f"line {number}", item_or_fault))
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
    if "pred_cypher" in row:  # CypherBench's
        row = {"id": row.get("qid", row.get("id")), "raw_output": row["pred_cypher"] or ""}
    key = row.get("id", row.get("qid"))
    fields = {name: row[name] for name in _FORMS if row.get(name) is not None}
    if official and "raw_output" in row:
        fields = {"raw_output": str(row["raw_output"])}
    if not isinstance(key, str):
        what = f"'id' is {_shown(key)}" if "id" in row else "has no 'id'"
        return None, f"{what}; the id of a question was expected"
    if problem := _not_one(fields):
        others = sorted(set(row) - {"id", *_FORMS})
        named = ", ".join(map(repr, others[:_SHOWN_KEYS])) + (", …" if others[_SHOWN_KEYS:] else "")
        named = f"; it has the key(s) {named}" if others else ""
        return None, f"{problem}{'' if fields else named}"
    extra = {} if official else {name: row[name] for name in _EXTRA if row.get(name) is not None}
    if problem := _wrong_extra(extra) or _wrong_answer(*next(iter(fields.items()))):
        return None, problem
    more: dict[str, Any] = {
        name: tuple(map(tuple, extra[name])) for name in _EXTRA[:3] if name in extra
    }
    more["cut_off"] = tuple(extra.get("cut_off", ()))
    if "usage" in extra:
        more["cost"] = Cost(**extra["usage"])
    if "answers" in fields:
        fields["answers"] = tuple(fields["answers"])
    if "rows" in fields:
        fields["rows"] = tuple(map(row_text, fields["rows"]))
    return Prediction(key, **fields, **more), ""


def problem_of(prediction: Prediction) -> str:
    """What is wrong with a prediction that was not read from a file, or ""."""
    fields = {name: value for name in _FORMS if (value := getattr(prediction, name)) is not None}
    given = {name: value for name in _EXTRA[:4] if (value := getattr(prediction, name)) is not None}
    if problem := _not_one(fields) or _wrong_extra(given):
        return problem
    texts = (prediction.answers or prediction.rows or ()) + (
        prediction.raw_output or "",
        prediction.cypher or prediction.sparql or "",
    )
    if problem := next(filter(None, map(_half, texts)), ""):
        return problem
    if prediction.rows is None:
        return ""
    try:
        return _wrong_answer("rows", [row_of(text) for text in prediction.rows])
    except (ValueError, RecursionError) as unread:
        return f"has a row that is no JSON ({why_unreadable(unread)})"


def _wrong_answer(form: str, value: Any) -> str:
    """What is wrong with the answer of a file, given as one of `_FORMS`, or ""."""
    if form == "rows":
        return _wrong_rows(value)
    if form == "answers":
        if isinstance(value, list) and all(isinstance(a, str) for a in value):
            return ""
        return f"'answers' is {_shown(value)}; an array of entity names was expected"
    return "" if isinstance(value, str) else f"{form!r} is {_shown(value)}; a text was expected"


def _wrong_rows(rows: Any) -> str:
    """What is wrong with the rows of a result, or ""."""
    if not isinstance(rows, list):
        return f"'rows' is {_shown(rows)}; an array of rows was expected, each an array of values"
    for number, row in enumerate(rows, start=1):
        where = f"row {number} of 'rows'"
        if type(row) not in (list, tuple) or not row:
            return f"{where} is {_shown(row)}; an array of values was expected"
        if len(row) != len(rows[0]):
            many = counted(len(row), "value")
            return f"{where} has {many}, the first {len(rows[0])}; as many were expected"
        for value in row:
            if not all(map(_is_scalar, value if type(value) in (list, tuple) else [value])):
                return (
                    f"{where} has {_shown(value)}; a text, a number, true, false, null, or a list of these "
                    "was expected"
                )
    return ""


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, str | bool) or _is_finite(value)


_EXTRA = ("retrieved", "generated", "ranking", "cut_off", "usage")
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
        fits, what = _ITEMS.get(name, _TRIPLES)
        expected = f"of {what} was expected"
        if not isinstance(value, list | tuple):
            return f"{name!r} is {_shown(value)}; an array {expected}"
        for number, item in enumerate(value, start=1):
            if not fits(item):
                return f"item {number} of {name!r} is {_shown(item)}; an array {expected}"
    return ""


def _is_triple(item: Any) -> bool:
    if type(item) not in (list, tuple) or len(item) != 3:
        return False
    s, r, o = item
    return isinstance(s, str) and isinstance(r, str) and isinstance(o, str)


def _is_scored(item: Any) -> bool:
    if type(item) not in (list, tuple) or len(item) != 2:
        return False
    return isinstance(item[0], str) and _is_finite(item[1])


def _is_text(item: Any) -> bool:
    return isinstance(item, str)


_TRIPLES = (_is_triple, "triples [subject, relation, object]")
_ITEMS = {"ranking": (_is_scored, "pairs [name, score]"), "cut_off": (_is_text, "names of options")}


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


def _not_one(fields: Collection[str]) -> str:
    """What is wrong with the forms of an answer that are given, or ""."""
    if len(fields) == 1:
        return ""
    if not fields:
        return f"has no {', '.join(map(repr, _FORMS[:-1]))} or {_FORMS[-1]!r}"
    *others, last = map(repr, fields)
    return f"has both {', '.join(others)} and {last}"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
