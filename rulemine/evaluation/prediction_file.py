"""What a prediction file holds: its first line, its objects, and what is wrong with one.

The form of a file is that of `rulemine.evaluation.predictions`.
"""

import gc
import json
import math
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import msgspec

from rulemine.codec import parse_object, why_unreadable
from rulemine.cypher.rows import row_of, row_text
from rulemine.errors import InputError, PredictionError
from rulemine.files import decoded, read_text
from rulemine.kg.graph import Triple
from rulemine.release.records import Cost, Prediction

__all__ = [
    "NEEDS",
    "PredictionFile",
    "expected_of",
    "prediction_of",
    "problem_of",
    "read_run",
    "uncollected",
]

NEEDS = {
    "query": "the query behind each question",
    "train": "the training and validation questions with their answers",
    "rules": "the rules of the release",
}
"""What a system may be given beyond what every system is → in words; the first line of a file names it."""

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

_Value = str | int | float | bool | None
_Count = Annotated[int, msgspec.Meta(ge=0)]
_SOME = msgspec.Meta(min_length=1)


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


class _Usage(msgspec.Struct, forbid_unknown_fields=True):
    """The key ``usage``: the fields of `Cost`."""

    calls: _Count
    prompt_tokens: _Count
    completion_tokens: _Count
    seconds: float | None = None


class _Row(msgspec.Struct):
    """What a prediction may hold."""

    id: str
    raw_output: str | None = None
    answers: tuple[str, ...] | None = None
    sparql: str | None = None
    cypher: str | None = None
    rows: list[Annotated[tuple[_Value | tuple[_Value, ...], ...], _SOME]] | None = None
    retrieved: tuple[Triple, ...] | None = None
    generated: tuple[Triple, ...] | None = None
    ranking: tuple[tuple[str, float], ...] | None = None
    cut_off: tuple[str, ...] | None = None
    usage: _Usage | None = None


def prediction_of(row: dict[str, Any], official: bool = False) -> tuple[Prediction | None, str]:
    """One object as a prediction, or None and what is wrong with it; `official` as in `read_predictions`."""
    if "pred_cypher" in row:  # CypherBench's
        row = {"id": row.get("qid", row.get("id")), "raw_output": row["pred_cypher"] or ""}
    key = row.get("id", row.get("qid"))
    if official and "raw_output" in row:
        row = {"raw_output": str(row["raw_output"])}
    if not isinstance(key, str):
        what = f"'id' is {_shown(key)}" if "id" in row else "has no 'id'"
        return None, f"{what}; the id of a question was expected"
    found = _checked({**row, "id": key})
    if isinstance(found, str):
        others = sorted(row.keys() - {"id", *_FORMS})
        named = ", ".join(map(repr, others[:_SHOWN_KEYS])) + (", …" if others[_SHOWN_KEYS:] else "")
        lacks = others and found.startswith("has no")
        return None, found + (f"; it has the key(s) {named}" if lacks else "")
    rows, usage = found.rows, found.usage
    cost = None if usage is None else Cost(*msgspec.structs.astuple(usage))
    return Prediction(
        found.id,
        raw_output=found.raw_output,
        answers=found.answers,
        sparql=found.sparql,
        cypher=found.cypher,
        rows=None if rows is None else tuple(map(row_text, rows)),
        retrieved=found.retrieved,
        generated=found.generated or (),
        ranking=found.ranking,
        cut_off=found.cut_off or (),
        cost=cost,
    ), ""


def problem_of(prediction: Prediction) -> str:
    """What is wrong with a prediction that was not read from a file, or ""."""
    names = ("id", *_FORMS[:-1], "retrieved", "generated", "ranking", "cut_off")
    given: dict[str, Any] = {name: getattr(prediction, name) for name in names}
    try:
        given["rows"] = None if prediction.rows is None else [*map(row_of, prediction.rows)]
    except (ValueError, RecursionError) as unread:
        return f"has a row that is no JSON ({why_unreadable(unread)})"
    texts = (
        *(prediction.answers or prediction.rows or ()),
        *(getattr(prediction, name) or "" for name in ("raw_output", "cypher", "sparql")),
    )
    found = _checked(given)
    return found if isinstance(found, str) else next(filter(None, map(_half, texts)), "")


def _checked(row: dict[str, Any]) -> "_Row | str":
    """An object with its types checked, or what is wrong with it."""
    fields = [name for name in _FORMS if row.get(name) is not None]
    if not fields:
        return f"has no {', '.join(map(repr, _FORMS[:-1]))} or {_FORMS[-1]!r}"
    if len(fields) > 1:
        return f"has both {', '.join(map(repr, fields[:-1]))} and {fields[-1]!r}"
    try:
        found = msgspec.convert(row, _Row)
    except msgspec.ValidationError as problem:
        what, _, place = str(problem).partition(" - at `$.")
        return f"'{place.rstrip('`')}': {what[:1].lower()}{what[1:]}"
    sizes = [*map(len, found.rows or ())]
    if len({*sizes}) > 1:
        return f"'rows' has rows of {min(sizes)} and of {max(sizes)} values; as many were expected in all"
    if not all(math.isfinite(value) for _, value in found.ranking or ()):
        return "'ranking' has a score that is no finite number"
    return found


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
