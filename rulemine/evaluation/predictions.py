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
``completion_tokens`` and maybe ``seconds``. Other keys are ignored. The first line of JSON Lines may say what
the file is: ``{"run": {"release": digest, "system": …, "kg": …}}``; the digest is `Release.identity`.

Guarantees: predictions come back sorted by id, one for a question; all problems of a file are
reported at once, with their lines (items, for an array). Writing is atomic, sorted by id.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rulemine.cypher.rows import row_of
from rulemine.errors import ConfigError, PredictionError, counted, did_you_mean, list_problems
from rulemine.evaluation.prediction_file import (
    PredictionFile,
    expected_of,
    prediction_of,
    problem_of,
    read_run,
)
from rulemine.files import write_jsonl
from rulemine.kinds.registry import kind_named
from rulemine.release.records import SPLITS, Prediction, Question

__all__ = [
    "MISSING",
    "fit",
    "prediction_of",
    "read_predictions",
    "read_run",
    "write_predictions",
]

MISSING = ("empty", "error")
"""What to do about questions without a prediction: score them as an empty prediction, or refuse."""

_SHOWN_IDS = 3


def read_predictions(
    path: str | Path | PredictionFile,
    questions: Sequence[Question],
    *,
    split: str | None = "test",
    missing: str = "empty",
    wanted: Collection[str] | None = None,
    official: bool = False,
    note: Callable[[str], object] = lambda text: None,
) -> tuple[Prediction, ...]:
    """The predictions of a file for the questions of a split.

    Args:
        path: The file, see `PredictionFile`.
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
    read = path if isinstance(path, PredictionFile) else PredictionFile(path)
    file, rows = read.path, read.rows
    official = official and read.is_array
    allowed = "empty" if official else missing
    kinds = {q.id: q.kind for q in questions}
    forms = {kind: kind_named(kind).answers.form for kind in {*kinds.values()}}
    expected = expected_of(forms.values())
    if not rows:
        raise PredictionError(f"{file}: is empty. {expected}")
    known = {q.id: q.split for q in questions}
    hint = _IdHint(known)
    found: dict[str, Prediction] = {}
    first: dict[str, str] = {}
    problems: list[str] = []
    unknown: list[str] = []
    again = 0
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
        elif problem := _unfit(prediction, kinds[prediction.id], forms):
            problems.append(f"{where}: {problem}")
        else:
            again += prediction.id in first
            first[prediction.id] = where
            found[prediction.id] = prediction
    advice = expected
    if len(unknown) == len(rows):
        advice = "No id is one of this release: these are predictions for another one."
        if official:
            problems.append(f"none of its {len(rows)} ids is known; {hint(unknown[0])}")
    elif not problems and (problem := _missing(questions, found, split, allowed, wanted)):
        problems.append(problem)
        advice = (
            "Predict them, say which split they are for (--split), or have them scored as empty: "
        )
        advice += "--missing empty, which needs a prediction for one of them at least."
    if problems:
        raise PredictionError(list_problems(str(file), problems, advice))
    if unknown:
        shown = ", ".join(map(repr, unknown[:_SHOWN_IDS])) + ", …" * (len(unknown) > _SHOWN_IDS)
        note(
            f"{len(unknown):,} of {len(rows):,} predictions have an unknown id and count for nothing: "
            f"{shown}."
        )
    if again:
        note(
            f"{again:,} of {len(rows):,} predictions repeat an id; of each id the last one counts."
        )
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
        if p.cost is not None:
            cost = asdict(p.cost)
            rows[p.id]["usage"] = {name: n for name, n in cost.items() if n is not None}
    head = [] if run is None else [{"run": dict(run)}]
    write_jsonl(Path(path), [*head, *(rows[i] for i in sorted(rows))])


def fit(
    questions: Sequence[Question],
    predictions: Iterable[Prediction],
    *,
    split: str | None,
    missing: str = "empty",
    wanted: Collection[str] | None = None,
    checked: bool = False,
) -> tuple[tuple[Question, ...], tuple[Prediction | None, ...]]:
    """The questions of a split and the prediction for each.

    Args:
        questions: All questions of the release.
        predictions: In any order, at most one a question; those of other splits are left out.
        split: The split that is evaluated; None for all.
        missing: One of `MISSING`.
        wanted: The ids of the questions of the split that are evaluated; None for all of it.
        checked: Whether the predictions were read from a file, which checks each.

    Returns:
        The questions sorted by id, and their predictions in the same order, None where missing.

    Raises:
        PredictionError: An id is unknown or comes twice, a prediction is missing or malformed, or the split
            is empty.
        ConfigError: `split` or `missing` is no known word.
    """
    if split is not None and split not in SPLITS:
        raise ConfigError(f"no split {split!r}; {did_you_mean(split, SPLITS)}")
    known = {q.id: q.kind for q in questions}
    forms = {kind: kind_named(kind).answers.form for kind in {*known.values()}}
    hint = _IdHint(known)
    found: dict[str, Prediction] = {}
    problems: list[str] = []
    for p in predictions:
        if p.id not in known:
            problems.append(f"unknown id {p.id!r}; {hint(p.id)}")
        elif p.id in found:
            problems.append(f"two predictions for {p.id!r}")
        elif not checked and (problem := problem_of(p) or _unfit(p, known[p.id], forms)):
            problems.append(f"the prediction for {p.id!r} {problem}")
        found[p.id] = p
    asked = sorted(_asked(questions, split, wanted), key=lambda q: q.id)
    if not asked:
        problems.append(f"split {split!r} of the release has no question to evaluate")
    if not problems and (problem := _missing(questions, found, split, missing, wanted)):
        problems.append(problem)
    if problems:
        raise PredictionError(list_problems("predictions", problems, "Give one a question."))
    return tuple(asked), tuple(found.get(q.id) for q in asked)


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
