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
``completion_tokens`` and maybe ``seconds``. ``"failed"`` is written where a call of a model has no reply, and
says why; other keys are ignored. The first line of JSON Lines may say what the file is: ``{"run": {"release":
digest, "system": …, "kg": …}}``; the digest is `Release.identity`.

Guarantees: predictions come back sorted by id, one for a question; all problems of a file are
reported at once, with their lines (items, for an array). Writing is atomic, sorted by id.
"""

import functools
import gc
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any

import msgspec

from rulemine.codec import shown, why_unreadable
from rulemine.cypher.rows import objects_of, row_of, row_text
from rulemine.errors import ConfigError, PredictionError, counted, did_you_mean, list_problems
from rulemine.files import decoded, read_text, write_jsonl
from rulemine.kinds.registry import kind_named
from rulemine.release.records import Prediction, Question

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

_SHOWN = 3  # ids and keys that a message names

NEEDS = {
    "query": "the query behind each question",
    "train": "the training and validation questions with their answers",
    "rules": "the rules of the release",
}
"""What a system may be given beyond what every system is → in words; the first line of a file names it."""

_EXPECTED = "Expected one {} for every question."
_OF_NAMES = (
    '{"id": …, "raw_output": "…"}, {"id": …, "answers": ["…"]} or {"id": …, "sparql": "SELECT …"}'
)
_OF_ROWS = (
    '{"id": …, "cypher": "MATCH …"}, {"id": …, "rows": [[…], …]} or {"id": …, "raw_output": "…"}'
)

_FORMS = ("raw_output", "answers", "sparql", "cypher", "rows")
"""The keys of an answer, of which a prediction has one."""

_KEYS = (*_FORMS, "retrieved", "generated", "ranking", "cut_off", "usage")
"""All keys that count, beside the id."""

_Value = str | int | float | bool | None


class _Rows(msgspec.Struct):
    """The rows of a result, as a file has them."""

    rows: list[Annotated[tuple[_Value | tuple[_Value, ...], ...], msgspec.Meta(min_length=1)]]


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
    """

    def __init__(self, path: str | Path, content: bytes | None = None) -> None:
        self.path = Path(path)
        text = read_text(self.path) if content is None else decoded(self.path, content)
        self.is_array = text.lstrip().startswith("[")
        with uncollected():
            self.rows = [*objects_of(text)]
        first = self.rows[0][1] if self.rows else ""
        self.run: dict[str, Any] | None = None
        if isinstance(first, dict) and "id" not in first and isinstance(first.get("run"), dict):
            self.run = first["run"]
            del self.rows[0]


def read_run(path: str | Path) -> dict[str, Any] | None:
    """What a prediction file says of itself in its first line; None where it says nothing.

    Raises:
        InputError: The file is missing or not UTF-8 text.
    """
    return PredictionFile(path).run


def prediction_of(row: dict[str, Any], official: bool = False) -> tuple[Prediction | None, str]:
    """One object as a prediction, or None and what is wrong with it; `official` as in `read_predictions`."""
    if "pred_cypher" in row:  # CypherBench's
        row = {"id": row.get("qid", row.get("id")), "raw_output": row["pred_cypher"] or ""}
    key = row.get("id", row.get("qid"))
    if not isinstance(key, str):
        what = f"'id' is {shown(key)}" if "id" in row else "has no 'id'"
        return None, f"{what}; the id of a question was expected"
    if official and "raw_output" in row:
        row = {"raw_output": str(row["raw_output"])}
    known = {name: row[name] for name in _KEYS if row.get(name) is not None} | (
        {"failed": str(row["failed"])} if row.get("failed") else {}  # of others, of any type
    )
    try:
        if "rows" in known:
            known["rows"] = [*map(row_text, msgspec.convert(known, _Rows).rows)]
        if "usage" in known:
            known["cost"] = known["usage"]
        found = msgspec.convert(known | {"id": key}, Prediction)
    except msgspec.ValidationError as wrong:
        return None, _why(wrong)
    problem = _problem(found)
    if problem.startswith("has no") and (others := sorted(row.keys() - {"id", *_FORMS})):
        named = ", ".join(map(repr, others[:_SHOWN])) + ", …" * (len(others) > _SHOWN)
        problem += f"; it has the key(s) {named}"
    return (None, problem) if problem else (found, "")


def _problem(prediction: Prediction) -> str:
    """What is wrong with a prediction whose fields have their types, or ""."""
    forms = [name for name in _FORMS if getattr(prediction, name) is not None]
    if not forms:
        return f"has no {', '.join(map(repr, _FORMS[:-1]))} or {_FORMS[-1]!r}"
    if len(forms) > 1:
        return f"has both {', '.join(map(repr, forms[:-1]))} and {forms[-1]!r}"
    sizes = {len(row_of(row)) for row in prediction.rows or ()}
    if len(sizes) > 1:
        return f"'rows' has rows of {min(sizes)} and of {max(sizes)} values; as many were expected in all"
    finite = all(map(math.isfinite, map(itemgetter(1), prediction.ranking or ())))
    return "" if finite else "'ranking' has a score that is no finite number"


def _given(
    row: "Prediction | dict[str, Any] | str", official: bool
) -> tuple[Prediction | None, str]:
    """A prediction, and what is wrong with it or ""; a text says what is wrong with what is none."""
    if not isinstance(row, Prediction):
        return (None, row) if isinstance(row, str) else prediction_of(row, official)
    try:  # what was not read from a file is what one could hold
        # Texts of numpy or LangChain, of classes of their own, are texts.
        msgspec.json.decode(msgspec.json.encode(row, enc_hook=str.__str__), type=Prediction)
        msgspec.convert({"rows": [*map(row_of, row.rows or ())]}, _Rows)
        return row, _problem(row)
    except (ValueError, TypeError, RecursionError) as wrong:
        return None, _why(wrong)


def _why(wrong: Exception) -> str:
    """What is wrong with a field of a prediction, or with all of it."""
    what, at, place = str(wrong).replace("$.cost", "$.usage").partition(" - at `$.")
    if not at:
        return f"is nothing that a file could hold ({why_unreadable(wrong)})"
    return f"'{place.rstrip('`')}': {what[:1].lower()}{what[1:]}"


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
    if missing not in MISSING:
        raise ConfigError(f"missing: {missing!r} is neither; {did_you_mean(missing, MISSING)}")
    if isinstance(given, str | Path):
        given = PredictionFile(given)
    places: Iterable[tuple[str, Prediction | dict[str, Any] | str]]
    if isinstance(given, PredictionFile):
        file, official, places = str(given.path), official and given.is_array, given.rows
    else:
        file, official = "predictions", False
        places = [(f"prediction {n} ({p.id})", p) for n, p in enumerate(given, start=1)]
    known = {q.id: q for q in questions}
    of_rows = {
        kind: kind_named(kind).answers.form == "rows" for kind in {q.kind for q in questions}
    }
    advice = _EXPECTED.format(_OF_ROWS if True in of_rows.values() else _OF_NAMES)
    if not places and file != "predictions":
        raise PredictionError(f"{file}: is empty. {advice}")
    ids = sorted(known)
    numbered = functools.cache(lambda: {_number(i): i for i in reversed(ids)})
    found: dict[str, Prediction] = {}
    first: dict[str, str] = {}
    problems: list[str] = []
    unknown: list[str] = []
    again = 0
    for where, row in places:
        prediction, problem = _given(row, official)
        if prediction is None or problem:
            problems.append(f"{where}: {problem}")
        elif (asked := known.get(prediction.id)) is None:
            unknown.append(prediction.id)
            if not official:
                same = numbered().get(_number(prediction.id))
                hint = f"did you mean {same!r}?" if same else f"known: {_ends(ids)}"
                problems.append(f"{where}: unknown id {prediction.id!r}; {hint}")
        elif prediction.id in first and not official:
            problems.append(f"{where}: id {prediction.id!r} again, first at {first[prediction.id]}")
        elif problem := _unfit(prediction, asked.kind, of_rows[asked.kind]):
            problems.append(f"{where}: {problem}")
        else:
            again += prediction.id in first
            first[prediction.id] = where
            found[prediction.id] = prediction
    if unknown and len(unknown) == len(places):
        advice = "No id is one of this release: these are predictions for another one."
        if official:
            problems.append(f"none of its {len(places)} ids is known; known: {_ends(ids)}")
    elif not problems:
        only = None if wanted is None else frozenset(wanted)
        asked_ids = [i for i in ids if split in (None, known[i].split) and (not only or i in only)]
        lacking = [i for i in asked_ids if i not in found]
        allowed = len(lacking) < len(asked_ids) and (official or missing == "empty")
        if lacking and not allowed:
            problems.append(_missing(lacking, len(asked_ids), found, known, split))
            advice = (
                "Predict them, say which split they are for (--split), or have them scored as empty: "
                "--missing empty, which needs a prediction for one of them at least."
            )
    if problems:
        raise PredictionError(list_problems(file, problems, advice))
    if unknown:
        shown_ids = ", ".join(map(repr, unknown[:_SHOWN])) + ", …" * (len(unknown) > _SHOWN)
        note(
            f"{len(unknown):,} of {len(places):,} predictions have an unknown id and count for nothing: "
            f"{shown_ids}."
        )
    if again:
        note(
            f"{again:,} of {len(places):,} predictions repeat an id; of each id the last one counts."
        )
    return tuple(found[i] for i in sorted(found) if split in (None, known[i].split))


def _ends(ids: Sequence[str]) -> str:
    return " … ".join((*ids[:1], *ids[-1:]))


def _number(key: str) -> int:
    digits = re.search(r"[0-9]{1,18}", key)
    return int(digits[0]) if digits else -1


def _unfit(prediction: Prediction, kind: str, of_rows: bool) -> str:
    """What is wrong with a prediction for a question of a kind, whose answers are rows or names, or ""."""
    others = _FORMS[1:3] if of_rows else _FORMS[3:]
    form = next((form for form in others if getattr(prediction, form)), "")
    how = "answered with rows" if of_rows else "not asked of a property graph"
    wanted = (
        "'cypher', 'rows' or 'raw_output'" if of_rows else "'raw_output', 'answers' or 'sparql'"
    )
    return (
        form
        and f"has {form!r}, but its question, of the kind {kind!r}, is {how}; {wanted} was expected"
    )


def _missing(
    lacking: Sequence[str],
    asked: int,
    found: Collection[str],
    known: Mapping[str, Question],
    split: str | None,
) -> str:
    """Which questions have no prediction; where none has, what there are predictions for."""
    named = ", ".join(lacking[:_SHOWN]) + ", …" * (len(lacking) > _SHOWN)
    of_split = "" if split is None else f" of split {split!r}"
    text = f"{len(lacking)} of {asked} questions{of_split} have no prediction: {named}"
    there = [i for i in found if split in (None, known[i].split)]
    others = sorted({known[i].split for i in found} - {split})
    if len(lacking) < asked:
        return text
    if there:
        were = f"there {'is' if len(there) == 1 else 'are'} {counted(len(there), 'prediction')}"
        return (
            f"{text} ({were} for what --matching brink or --sample leaves out, e.g. {min(there)})"
        )
    return f"{text} (the predictions are for split {', '.join(others)})" if others else text


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
        if problem := _given(p, False)[1]:
            raise PredictionError(f"{path}: the prediction for question {p.id!r} {problem}.")
        fields: dict[str, Any] = msgspec.to_builtins(p)
        if p.rows is not None:
            fields["rows"] = list(map(row_of, p.rows))
        if p.cost is not None:
            fields["usage"] = {name: n for name, n in fields["cost"].items() if n is not None}
        for name in ("generated", "cut_off", "failed"):  # these are empty where there are none
            fields[name] = fields[name] or None
        order = ("id", *_KEYS[:-1], "failed", "usage")
        rows[p.id] = {name: fields[name] for name in order if fields.get(name) is not None}
    head = [] if run is None else [{"run": dict(run)}]
    write_jsonl(Path(path), [*head, *(rows[i] for i in sorted(rows))])
