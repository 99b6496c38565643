"""Prediction files: reading, writing, and fitting predictions to questions.

A prediction file is JSON Lines, one object a question, ``{"id": …, "raw_output": "…"}`` (what the system
wrote) or ``{"id": …, "answers": ["…", …]}`` (a list of entity names, the best first), mixed at will; or one
JSON array of such objects, as the public evaluator of the BRINK benchmark reads. Either form may have
``"retrieved": [["subject", "relation", "object"], …]``, the triples that the system retrieved,
``"generated"``, likewise, those that it made up, ``"ranking": [["name", score], …]``, candidates with scores,
the best first, and ``"usage"`` with ``calls``, ``prompt_tokens``, ``completion_tokens`` and maybe
``seconds``. Other keys are ignored. The first line of JSON Lines may say what the file is:
``{"run": {"release": digest, "system": …, "kg": …}}``; the digest is `Release.identity`.

Guarantees: predictions come back sorted by id, one for a question; all problems of a file are
reported at once, with their lines (items, for an array). Writing is atomic, sorted by id.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rulemine.codec import parse_object, why_unreadable
from rulemine.errors import ConfigError, InputError, PredictionError, did_you_mean, list_problems
from rulemine.files import read_text, write_jsonl
from rulemine.release.records import SPLITS, Cost, Prediction, Question

__all__ = ["MISSING", "fit", "prediction_of", "read_predictions", "read_run", "write_predictions"]

MISSING = ("empty", "error")
"""What to do about questions without a prediction: score them as an empty prediction, or refuse."""

_EXPECTED = (
    'Expected one {"id": …, "raw_output": "…"} or {"id": …, "answers": ["…"]} for every question.'
)
_SHOWN_IDS = 3
_SHOWN_KEYS = 5


def read_predictions(
    path: str | Path,
    questions: Sequence[Question],
    *,
    split: str | None = "test",
    missing: str = "empty",
    official: bool = False,
) -> tuple[Prediction, ...]:
    """The predictions of a file for the questions of a split.

    Args:
        path: JSON Lines or a JSON array; plain, .gz or .zst.
        questions: All questions of the release; ids of other splits are known, and skipped.
        split: The split that is evaluated; None for all.
        missing: One of `MISSING`.
        official: Read an array as the public BRINK evaluator does: any `raw_output` is turned into
            text (null becomes ``None``), of several predictions for a question the last one counts,
            other keys and unknown ids are ignored, and missing ones are empty. JSON Lines, which that
            evaluator does not read, are held to the rules all the same.

    Returns:
        One prediction for each question of the split that has one, sorted by id.

    Raises:
        InputError: The file is missing or not UTF-8 text.
        PredictionError: It is empty or malformed, or does not fit the questions.
        ConfigError: `missing` is neither word.
    """
    file = Path(path)
    rows = _rows(text := read_text(file), str(file))
    if _run(rows) is not None:
        rows = rows[1:]
    official = official and _is_array(text)
    allowed = "empty" if official else missing
    if not rows:
        raise PredictionError(f"{file}: is empty. {_EXPECTED}")
    known = {q.id: q.split for q in questions}
    hint = _IdHint(known)
    found: dict[str, Prediction] = {}
    first: dict[str, str] = {}
    problems: list[str] = []
    unknown: list[str] = []
    for where, row in rows:
        prediction, problem = (None, row) if isinstance(row, str) else prediction_of(row, official)
        if prediction is None:
            problems.append(f"{where}: {problem}")
        elif prediction.id not in known:
            unknown.append(prediction.id)
            if not official:
                problems.append(f"{where}: unknown id {prediction.id!r}; {hint(prediction.id)}")
        elif prediction.id in first and not official:
            problems.append(f"{where}: id {prediction.id!r} again, first at {first[prediction.id]}")
        else:
            first[prediction.id] = where
            found[prediction.id] = prediction
    advice = _EXPECTED
    if len(unknown) == len(rows):
        advice = "No id is one of this release: these are predictions for another one."
        if official:
            problems.append(f"none of its {len(rows)} ids is known; {hint(unknown[0])}")
    elif not problems and (problem := _missing(questions, found, split, allowed)):
        problems.append(problem)
        advice = (
            "Predict them, say which split they are for (--split), or have them scored as empty: "
        )
        advice += "--missing empty, which needs one prediction at least."
    if problems:
        raise PredictionError(list_problems(str(file), problems, advice))
    return tuple(found[i] for i in sorted(found) if split is None or known[i] == split)


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
        if problem := _problem(p):
            raise PredictionError(f"{path}: the prediction for question {p.id!r} {problem}.")
        rows[p.id] = {"id": p.id} | (
            {"raw_output": p.raw_output} if p.answers is None else {"answers": list(p.answers)}
        )
        if p.retrieved is not None:
            rows[p.id]["retrieved"] = list(map(list, p.retrieved))
        if p.generated:
            rows[p.id]["generated"] = list(map(list, p.generated))
        if p.ranking is not None:
            rows[p.id]["ranking"] = list(map(list, p.ranking))
        if p.cost is not None:
            cost = asdict(p.cost)
            rows[p.id]["usage"] = {name: n for name, n in cost.items() if n is not None}
    head = [] if run is None else [{"run": dict(run)}]
    write_jsonl(Path(path), [*head, *(rows[i] for i in sorted(rows))])


def read_run(path: str | Path) -> dict[str, Any] | None:
    """What a prediction file says of itself in its first line; None where it says nothing.

    Raises:
        InputError: The file is missing or not UTF-8 text.
    """
    rows = _rows(read_text(Path(path)), str(path))
    return _run(rows)


def _run(rows: Sequence[tuple[str, dict[str, Any] | str]]) -> dict[str, Any] | None:
    first = rows[0][1] if rows else ""
    run = first.get("run") if isinstance(first, dict) and "id" not in first else None
    return run if isinstance(run, dict) else None


def fit(
    questions: Sequence[Question],
    predictions: Iterable[Prediction],
    *,
    split: str | None,
    missing: str = "empty",
) -> tuple[tuple[Question, ...], tuple[Prediction | None, ...]]:
    """The questions of a split and the prediction for each.

    Args:
        questions: All questions of the release.
        predictions: In any order, at most one a question; those of other splits are left out.
        split: The split that is evaluated; None for all.
        missing: One of `MISSING`.

    Returns:
        The questions sorted by id, and their predictions in the same order, None where missing.

    Raises:
        PredictionError: An id is unknown or comes twice, a prediction is missing or malformed, or the split
            is empty.
        ConfigError: `split` or `missing` is no known word.
    """
    if split is not None and split not in SPLITS:
        raise ConfigError(f"no split {split!r}; {did_you_mean(split, SPLITS)}")
    known = {q.id for q in questions}
    hint = _IdHint(known)
    found: dict[str, Prediction] = {}
    problems: list[str] = []
    for p in predictions:
        if p.id not in known:
            problems.append(f"unknown id {p.id!r}; {hint(p.id)}")
        elif p.id in found:
            problems.append(f"two predictions for {p.id!r}")
        elif problem := _problem(p):
            problems.append(f"the prediction for {p.id!r} {problem}")
        found[p.id] = p
    wanted = sorted((q for q in questions if split in (None, q.split)), key=lambda q: q.id)
    if not wanted:
        problems.append(f"split {split!r} of the release has no question to evaluate")
    if not problems and (problem := _missing(questions, found, split, missing)):
        problems.append(problem)
    if problems:
        raise PredictionError(list_problems("predictions", problems, "Give one a question."))
    return tuple(wanted), tuple(found.get(q.id) for q in wanted)


def _rows(text: str, where: str) -> list[tuple[str, dict[str, Any] | str]]:
    """The objects of a file with their places; in place of what is none, what is wrong with it."""
    rows: list[tuple[str, dict[str, Any] | str]] = []
    if _is_array(text):
        try:
            items = json.loads(text)
        except (ValueError, RecursionError) as problem:
            raise PredictionError(
                f"{where}: is not valid JSON ({why_unreadable(problem)}). {_EXPECTED}"
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


def _is_array(text: str) -> bool:
    return text.lstrip().startswith("[")


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


def _problem(prediction: Prediction) -> str:
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
            if not (isinstance(item, list | tuple) and fits(item)):
                return f"item {number} of {name!r} is {_shown(item)}; an array {expected}"
    return ""


def _is_triple(item: Sequence[Any]) -> bool:
    return len(item) == 3 and all(isinstance(part, str) for part in item)


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
    return type(value) in (int, float) and math.isfinite(value)


def _both_or_neither(text: bool, answers: bool) -> str:
    if text != answers:
        return ""
    return "has both 'raw_output' and 'answers'" if text else "has no 'raw_output' and no 'answers'"


def _missing(
    questions: Sequence[Question], found: dict[str, Prediction], split: str | None, missing: str
) -> str:
    """What is missing, or "" when nothing is, or when that is allowed; never that everything is."""
    if missing not in MISSING:
        raise ConfigError(f"missing: {missing!r} is neither; {did_you_mean(missing, MISSING)}")
    wanted = sorted(q.id for q in questions if split in (None, q.split))
    lacking = [i for i in wanted if i not in found]
    if not lacking or (missing == "empty" and len(lacking) < len(wanted)):
        return ""
    shown = ", ".join(lacking[:_SHOWN_IDS]) + (", …" if len(lacking) > _SHOWN_IDS else "")
    of_split = "" if split is None else f" of split {split!r}"
    text = f"{len(lacking)} of {len(wanted)} questions{of_split} have no prediction: {shown}"
    others = sorted({q.split for q in questions if q.id in found and q.split != split})
    if len(lacking) == len(wanted) and split is not None and others:
        text += f" (the predictions are for split {', '.join(others)})"
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


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
