"""Prediction files: reading, writing, and fitting predictions to questions.

A prediction file is JSON Lines, one object a question, ``{"id": …, "raw_output": "…"}`` (what the system
wrote) or ``{"id": …, "answers": ["…", …]}`` (a list of entity names, the best first), mixed at will; or one
JSON array of such objects, as the public evaluator of the BRINK benchmark reads. ``"sparql": "SELECT …"`` is
a query, whose answers on the graph that was answered from are scored (`rulemine.evaluation.sparql`). Over a
property graph (the kind ``cypher``) names are no answers; ``"cypher": "MATCH …"`` is a query,
``"rows": [[…], …]`` the rows of its result: texts, numbers, true, false, null, and lists of these. Any form
may have ``"retrieved": [["subject", "relation", "object"], …]``, the triples that the system retrieved,
``"generated"``, the triples that it made up, ``"ranking": [["name", score], …]``, candidates with scores,
the best first, ``"cut_off": ["max_tokens", …]``, for each reply of a model that the answer rests on and that
was cut off the option that limits it, and ``"usage"`` with ``calls``, ``prompt_tokens``,
``completion_tokens`` and maybe ``seconds``. Other keys are ignored; ``"failed"`` is written where a call of a
model has no reply, and says why. The first line of JSON Lines may say what the file is: ``{"run": {"release":
digest, "system": …, "kg": …}}``; the digest is `Release.identity`.

Guarantees: predictions come back sorted by id, one for a question; all problems of a file are
reported at once, with their lines (items, for an array). Writing is atomic, sorted by id.
"""

import gc
import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import msgspec

from rulemine.codec import parse_object, why_unreadable
from rulemine.cypher.rows import row_of, row_text
from rulemine.errors import (
    ConfigError,
    InputError,
    PredictionError,
    counted,
    did_you_mean,
    list_problems,
)
from rulemine.files import decoded, read_text, write_jsonl
from rulemine.kg.graph import Triple
from rulemine.kinds.registry import kind_named
from rulemine.release.records import Cost, Prediction, Question

__all__ = [
    "MISSING",
    "NEEDS",
    "PredictionFile",
    "Predictions",
    "prediction_of",
    "read_predictions",
    "read_run",
    "uncollected",
    "write_predictions",
]

MISSING = ("empty", "error")
"""What to do about questions without a prediction: score them as an empty prediction, or refuse."""

_SHOWN_IDS = 3

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


Predictions = str | Path | PredictionFile | Iterable[Prediction]
"""A prediction file, or predictions."""


def read_predictions(
    given: Predictions,
    questions: Sequence[Question],
    *,
    split: str | None = "test",
    missing: str = "empty",
    wanted: Collection[str] | None = None,
    official: bool = False,
    note: Callable[[str], object] = lambda text: None,
) -> tuple[Prediction, ...]:
    """The predictions of a file, or those given, for the questions of a split, checked.

    Args:
        given: The file, see `PredictionFile`, or predictions.
        questions: All questions of the release; ids of other splits are known, and skipped.
        split: The split that is evaluated; None for all.
        missing: One of `MISSING`.
        wanted: The ids of the questions of the split that are evaluated; None for all of it.
        official: Read an array as the public BRINK evaluator does: any `raw_output` is turned into
            text (null becomes ``None``), of several predictions for a question the last one counts,
            other keys and unknown ids are ignored, and missing ones are empty. JSON Lines, which that
            evaluator does not read, are held to the rules all the same.
        note: Called with sentences on what was read so and would be refused otherwise.

    Returns:
        One prediction for each question of the split that has one, sorted by id.

    Raises:
        InputError: The file is missing or not UTF-8 text.
        PredictionError: It is empty or malformed, or does not fit the questions.
        ConfigError: `missing` is neither word.
    """
    file, places = "predictions", list[tuple[str, Prediction | dict[str, Any] | str]]()
    if isinstance(given, str | Path):
        given = PredictionFile(given)
    if isinstance(given, PredictionFile):
        file, official = str(given.path), official and given.is_array
        places += given.rows
    else:
        places += ((f"prediction {n} ({p.id})", p) for n, p in enumerate(given, start=1))
        official = False
    kinds = {q.id: q.kind for q in questions}
    forms = {kind: kind_named(kind).answers.form for kind in {*kinds.values()}}
    expected = _EXPECTED_CYPHER if "rows" in forms.values() else _EXPECTED
    if not places and file != "predictions":
        raise PredictionError(f"{file}: is empty. {expected}")
    known = {q.id: q.split for q in questions}
    hint = _IdHint(known)
    found: dict[str, Prediction] = {}
    first: dict[str, str] = {}
    problems: list[str] = []
    unknown: list[str] = []
    again = 0
    for where, row in places:
        prediction, problem = _read(row, official)
        if prediction is None or problem:
            problems.append(f"{where}: {problem}")
        elif prediction.id not in known:
            unknown.append(prediction.id)
            if not official:
                problems.append(f"{where}: unknown id {prediction.id!r}; {hint(prediction.id)}")
        elif prediction.id in first and not official:
            problems.append(f"{where}: id {prediction.id!r} again, first at {first[prediction.id]}")
        elif problem := _unfit(prediction, kinds[prediction.id], forms):
            problems.append(f"{where}: {problem}")
        else:
            again += prediction.id in first
            first[prediction.id] = where
            found[prediction.id] = prediction
    advice = expected
    allowed = "empty" if official else missing
    if unknown and len(unknown) == len(places):
        advice = "No id is one of this release: these are predictions for another one."
        if official:
            problems.append(f"none of its {len(places)} ids is known; {hint(unknown[0])}")
    elif not problems and (problem := _missing(questions, found, split, allowed, wanted)):
        problems.append(problem)
        advice = (
            "Predict them, say which split they are for (--split), or have them scored as empty: "
            "--missing empty, which needs a prediction for one of them at least."
        )
    if problems:
        raise PredictionError(list_problems(file, problems, advice))
    if unknown:
        shown = ", ".join(map(repr, unknown[:_SHOWN_IDS])) + ", …" * (len(unknown) > _SHOWN_IDS)
        note(
            f"{len(unknown):,} of {len(places):,} predictions have an unknown id and count for nothing: "
            f"{shown}."
        )
    if again:
        note(
            f"{again:,} of {len(places):,} predictions repeat an id; of each id the last one counts."
        )
    return tuple(found[i] for i in sorted(found) if split is None or known[i] == split)


def _read(row: Prediction | dict[str, Any] | str, official: bool) -> tuple[Prediction | None, str]:
    """A prediction, and what is wrong with it or ""; a text says what is wrong with what is none."""
    if isinstance(row, Prediction):
        return row, problem_of(row)
    return (None, row) if isinstance(row, str) else prediction_of(row, official)


def write_predictions(
    path: str | Path, predictions: Iterable[Prediction], run: Mapping[str, Any] | None = None
) -> None:
    """Writes predictions as JSON Lines, sorted by id, atomically.

    Args:
        path: The file.
        predictions: The predictions.
        run: What the first line says of them.

    Raises:
        PredictionError: Two predictions have the same id, or one is malformed.
        OutputError: The file cannot be written.
    """
    rows: dict[str, dict[str, Any]] = {}
    for p in predictions:
        if p.id in rows:
            raise PredictionError(
                f"{path}: two predictions for question {p.id!r}; one is expected."
            )
        if problem := problem_of(p):
            raise PredictionError(f"{path}: the prediction for question {p.id!r} {problem}.")
        rows[p.id] = {"id": p.id}
        if p.answers is not None:
            rows[p.id]["answers"] = list(p.answers)
        elif p.rows is not None:
            rows[p.id]["rows"] = list(map(row_of, p.rows))
        else:
            written = {"raw_output": p.raw_output, "sparql": p.sparql, "cypher": p.cypher}
            rows[p.id] |= {form: text for form, text in written.items() if text is not None}
        if p.retrieved is not None:
            rows[p.id]["retrieved"] = list(map(list, p.retrieved))
        if p.generated:
            rows[p.id]["generated"] = list(map(list, p.generated))
        if p.ranking is not None:
            rows[p.id]["ranking"] = list(map(list, p.ranking))
        if p.cut_off:
            rows[p.id]["cut_off"] = list(p.cut_off)
        if p.failed:
            rows[p.id]["failed"] = p.failed
        if p.cost is not None:
            cost = asdict(p.cost)
            rows[p.id]["usage"] = {name: n for name, n in cost.items() if n is not None}
    head = [] if run is None else [{"run": dict(run)}]
    write_jsonl(Path(path), [*head, *(rows[i] for i in sorted(rows))])


def _unfit(prediction: Prediction, kind: str, forms: Mapping[str, str]) -> str:
    """What is wrong with a prediction for a question of a kind, or ""; what answers of each kind are."""
    if forms[kind] == "rows":
        form = "answers" if prediction.answers else "sparql" if prediction.sparql else ""
        problem = (
            f"has {form!r}, but its question, of the kind {kind!r}, is answered with rows; 'cypher', 'rows' "
            "or 'raw_output' was expected"
        )
        return problem if form else ""
    if prediction.cypher is None and prediction.rows is None:
        return ""
    form = "rows" if prediction.cypher is None else "cypher"
    return (
        f"has {form!r}, but its question, of the kind {kind!r}, is not asked of a property graph; "
        "'raw_output', 'answers' or 'sparql' was expected"
    )


def _asked(
    questions: Sequence[Question], split: str | None, wanted: Collection[str] | None
) -> list[Question]:
    """The questions that are evaluated."""
    only = None if wanted is None else frozenset(wanted)
    return [q for q in questions if split in (None, q.split) and (only is None or q.id in only)]


def _missing(
    questions: Sequence[Question],
    found: Mapping[str, Prediction],
    split: str | None,
    missing: str,
    wanted: Collection[str] | None,
) -> str:
    """What is missing, or "" when nothing is, or when that is allowed: never where everything is."""
    if missing not in MISSING:
        raise ConfigError(f"missing: {missing!r} is neither; {did_you_mean(missing, MISSING)}")
    asked = sorted(q.id for q in _asked(questions, split, wanted))
    lacking = [i for i in asked if i not in found]
    if not lacking or (missing == "empty" and len(lacking) < len(asked)):
        return ""
    shown = ", ".join(lacking[:_SHOWN_IDS]) + (", …" if len(lacking) > _SHOWN_IDS else "")
    of_split = "" if split is None else f" of split {split!r}"
    text = f"{len(lacking)} of {len(asked)} questions{of_split} have no prediction: {shown}"
    others = sorted({q.split for q in questions if q.id in found and q.split != split})
    if len(lacking) == len(asked) and split is not None and others:
        text += f" (the predictions are for split {', '.join(others)})"
    left_out = sorted(q.id for q in _asked(questions, split, None) if q.id in found)
    if len(lacking) == len(asked) and left_out:
        text += (
            f" (there {'is' if len(left_out) == 1 else 'are'} {counted(len(left_out), 'prediction')} for "
            f"what --matching brink or --sample leaves out, e.g. {left_out[0]})"
        )
    return text


class _IdHint:
    """What to say about an unknown id: the known id with the same number, or the range of ids."""

    def __init__(self, known: Iterable[str]) -> None:
        self._known = sorted(known)
        self._by_number: dict[int, str] = {}

    def __call__(self, wrong: str) -> str:
        if not self._by_number:
            self._by_number = {_number(i): i for i in reversed(self._known)}
        same = self._by_number.get(_number(wrong))
        if same is not None:
            return f"did you mean {same!r}?"
        return f"known: {self._known[0]} … {self._known[-1]}" if self._known else "there are none"


def _number(key: str) -> int:
    digits = re.search(r"[0-9]{1,18}", key)
    return int(digits[0]) if digits else -1
