"""Scoring predictions on a release: matching, scores per question, intervals, breakdowns.

Guarantees: the same release, predictions and options give the same report to the last bit, whatever the
order of the predictions, the number of threads or the machine. Nothing here needs a JVM or a network.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rulemine.errors import ConfigError, PredictionError, ReleaseError, counted
from rulemine.evaluation.bootstrap import Ints
from rulemine.evaluation.breakdown import breakdowns
from rulemine.evaluation.comparison import compare
from rulemine.evaluation.estimates import estimates, rows_of
from rulemine.evaluation.matching import Matcher, make_matcher
from rulemine.evaluation.metrics import COLUMNS, METRICS, Floats, QuestionScores, score
from rulemine.evaluation.predictions import fit, read_predictions
from rulemine.evaluation.reporting.report import Report, Row, Score
from rulemine.evaluation.retrieval import RETRIEVAL, score_retrieval
from rulemine.evaluation.vocabulary import LONGEST_OUTPUT
from rulemine.kg.entity_names import NAMINGS
from rulemine.release.groups import groups_of
from rulemine.release.reader import Release
from rulemine.release.records import Prediction, Question, names_in, translation
from rulemine.seeds import check_seed

__all__ = [
    "RESAMPLES",
    "Gold",
    "Predictions",
    "evaluate",
    "notes_on_questions",
    "score_questions",
]

Predictions = str | Path | Iterable[Prediction]
"""A prediction file, or predictions."""

RESAMPLES = 1000
"""Resamples of a bootstrap; enough for bounds of a 95 % interval to one digit of a percentage."""

FEW_CLUSTERS = 20
"""Below so many clusters of questions in its headline a report warns that its intervals rest on few."""

LARGE_CLUSTER = 0.25
"""Share of the questions from which on a report warns that one cluster holds so many."""

_SAMPLE = 200  # predictions examined to find out which naming they use
_FEW_NAMED = 0.1  # share of them up to which they may use another one


def evaluate(
    release: Release,
    predictions: Predictions,
    *,
    against: Predictions | None = None,
    matching: str = "vocabulary",
    split: str | None = "test",
    naming: str | None = None,
    missing: str = "empty",
    ignore_case: bool = False,
    kg: str = "incomplete",
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Report:
    """Scores predictions.

    Args:
        release: The release.
        predictions: A prediction file, or predictions, at most one for each question; those for other
            splits are left out. In the mode ``brink`` a file that is a JSON array is read as the
            public evaluator reads it (`rulemine.evaluation.predictions.read_predictions`).
        against: Predictions to compare with, e.g. of the same system on the complete KG; the report
            then has the paired difference, the former minus the latter.
        matching: How a raw output becomes a set of entities, see `rulemine.evaluation.matching`.
        split: The split evaluated; None for all.
        naming: The naming that the predictions use; None for that of the release.
        missing: What about questions without a prediction: ``empty``, they score as an empty one, and a note
            says how many; ``error``, they are refused. At least one must have one.
        ignore_case: With ``vocabulary``: find names whatever their capitals.
        kg: Where predictions say what was retrieved (see `rulemine.evaluation.retrieval`), the graph that
            it is from: ``complete``, ``incomplete`` or ``incomplete-<level>``.
        resamples: Resamples of the bootstrap, ≥ 1.
        seed: Its seed, ≥ 0.

    Returns:
        The report: the core first, where the questions have one, then all questions, then the breakdowns
        of all. In the mode ``brink`` the hard hits rate is 0 where no question is hit, as the public
        evaluator has it (in all others it is undefined there), and H@1 and what was retrieved are not scored.

    Raises:
        InputError: A file is missing or not UTF-8 text.
        PredictionError: The predictions are malformed or do not fit the questions, or name no entity in
            the naming expected but do in another.
        ConfigError: An option is out of range.
        ReleaseError: The release has no such graph, or a file is missing or was edited.
    """
    check_seed(seed)
    if resamples < 1:
        raise ConfigError(f"resamples is {resamples}; expected a whole number, 1 or more.")
    release.level_of(kg)  # an unknown graph is an error even where nothing was retrieved
    options = _Options(matching, split, naming, missing, ignore_case, kg, resamples, seed)
    questions = release.questions()
    report = _report(release, questions, predictions, options)
    if against is None:
        return report
    names = (_called(predictions, "first"), _called(against, "second"))
    other = _report(release, questions, against, options)
    return replace(report, difference=compare(report, other, names=names))


class _Options(NamedTuple):
    matching: str
    split: str | None
    naming: str | None
    missing: str
    ignore_case: bool
    kg: str
    resamples: int
    seed: int


def _called(predictions: Predictions, otherwise: str) -> str:
    return Path(predictions).name if isinstance(predictions, str | Path) else otherwise


def _report(
    release: Release, questions: Sequence[Question], predictions: Predictions, options: _Options
) -> Report:
    matching, split, naming, missing, ignore_case, kg, resamples, seed = options
    if isinstance(predictions, str | Path):
        predictions = read_predictions(
            predictions, questions, split=split, missing=missing, official=matching == "brink"
        )
        missing = "empty"  # already checked while reading
    asked, given = fit(questions, predictions, split=split, missing=missing)
    used = naming or release.naming
    entities = release.entities
    golds = _golds(
        asked, None if used == release.naming else translation(entities, release.naming, used)
    )
    names = frozenset(names_in(entities, used))
    matcher = make_matcher(matching, names, ignore_case)
    matched = [_predicted(matcher, p) for p in given]
    notes = _notes(given, matched, {matcher.name(n) for n in names})
    cut = sum(len(p.raw_output or "") > LONGEST_OUTPUT for p in given if p is not None)
    if cut and matching != "brink":
        notes.append(
            f"Outputs longer than {LONGEST_OUTPUT:,} characters, read so far only: {cut:,}."
        )
    if naming is None and (problem := _other_naming(release, matching, given, matched, matcher)):
        if matching != "brink":
            raise PredictionError(f"predictions: {problem}")
        notes.insert(0, f"Warning: {problem}")
    scores = score_questions(golds, matched, matcher)
    metrics: tuple[str, ...] = METRICS
    from_kg = None
    if matching == "brink":
        metrics = tuple(metric for metric in METRICS if metric != "hits_at_1")
    elif any(p is not None and p.retrieved is not None for p in given):
        found = score_retrieval(release, asked, given, kg, used)
        scores = np.column_stack((scores, found.scores))
        notes += found.notes
        metrics += tuple(m for m in RETRIEVAL if kg != "complete" or m != "certificate_recall")
        from_kg = kg
    parts = breakdowns(asked, release.removals(), release.levels)
    clusters = _clusters(asked)
    notes += notes_on_questions(asked)
    headline = len(np.unique(clusters[parts[0].members[0]]))
    if headline < FEW_CLUSTERS:
        notes.append(
            f"The questions of the headline form {counted(headline, 'cluster')}, too few for intervals "
            "to be relied on."
        )
    elif (largest := int(np.bincount(clusters).max())) >= LARGE_CLUSTER * len(asked):
        notes.append(
            f"{largest:,} of {len(asked):,} questions form one cluster, which makes intervals wide."
        )
    rows = rows_of(scores, clusters, parts, resamples, seed, estimates, metrics)
    if matching == "brink" and any(_without_rate(row) for row in rows):
        rows = tuple(
            row._replace(scores=row.scores | {"hhr": Score(0.0, None, None)})
            if _without_rate(row)
            else row
            for row in rows
        )
        notes.append("HHR is 0, as the public evaluator has it, where Hits@Any is 0.")
    return Report(
        release=release.name,
        naming=used,
        split=split or "all",
        kind=asked[0].kind,
        metrics=metrics,
        kg=from_kg,
        rows=rows,
        resamples=resamples,
        seed=seed,
        notes=tuple(notes),
        matching=matching,
        missing=sum(p is None for p in given),
        ids=tuple(q.id for q in asked),
        without_hard_answer=sum(q.hard_answer is None for q in asked),
        scores=scores,
        clusters=clusters,
        groups=parts,
    )


def _without_rate(row: Row) -> bool:
    """Whether the hard hits rate of a row is undefined for want of a hit."""
    return row.scores["hits_hard"].value is not None and row.scores["hhr"].value is None


def _clusters(questions: Sequence[Question]) -> Ints:
    """The cluster of each question, numbered by their first questions."""
    found = np.empty(len(questions), np.int64)
    for number, members in enumerate(groups_of(questions)):
        found[members] = number
    return found


class Gold(NamedTuple):
    """What predictions for a question are scored against.

    Attributes:
        answers: Its answers.
        hard_answer: The hard answer that it asks for; None if every answer is stated.
        hard_answers: Its hard answers.
    """

    answers: tuple[str, ...]
    hard_answer: str | None
    hard_answers: tuple[str, ...]


def score_questions(
    golds: Sequence[Gold], matched: Sequence[Sequence[str]], matcher: Matcher
) -> Floats:
    """The scores of each question.

    Args:
        golds: What each is scored against.
        matched: What is predicted for each, in the order given, as keys of the matcher.
        matcher: Turns the names of the answers into keys; those with the key "" are left out.

    Returns:
        Shape (questions, `COLUMNS`).
    """
    keys: dict[str, str] = {}

    def key(name: str) -> str:
        if name not in keys:
            keys[name] = matcher.name(name)
        return keys[name]

    found: list[QuestionScores] = []
    for gold, predicted in zip(golds, matched, strict=True):
        answers = frozenset(map(key, gold.answers)) - {""}
        hard = frozenset(map(key, gold.hard_answers)) - {""}
        asked_for = None if gold.hard_answer is None else key(gold.hard_answer)
        found.append(score(predicted, answers, asked_for, hard))
    return np.array(found, np.float64).reshape(len(found), len(COLUMNS))


def _predicted(matcher: Matcher, prediction: Prediction | None) -> tuple[str, ...]:
    """What is predicted, each once, in the order given."""
    if prediction is None:
        return ()
    if prediction.answers is None:
        keys = matcher.text(prediction.raw_output or "")
    else:
        keys = filter(None, map(matcher.name, prediction.answers))
    return tuple(dict.fromkeys(keys))


def _notes(
    given: Sequence[Prediction | None],
    matched: Sequence[Sequence[str]],
    known: set[str],
) -> list[str]:
    notes = []
    if absent := sum(p is None for p in given):
        there = len(given) - absent
        notes.append(
            f"Predictions for {there:,} of {len(given):,} questions ({there / len(given):.1%}); the others "
            "score 0.".replace("%", " %")
        )
    if empty := sum(not m for m in matched) - absent:
        notes.append(f"{empty:,} predictions hold no answer and score 0.")
    items = sum(map(len, matched))
    if strange := sum(key not in known for keys in matched for key in keys):
        notes.append(
            f"{strange:,} of {items:,} predicted answers are no entity of the release; "
            "each counts as wrong."
        )
    return notes


def notes_on_questions(questions: Sequence[Question]) -> list[str]:
    """What a reader of scores must know about the questions scored: no core, no hard answers."""
    notes = []
    if not any(q.core for q in questions):
        notes.append("No question here is in the core: the headline is over all questions.")
    if without := sum(q.hard_answer is None for q in questions):
        notes.append(
            f"{without:,} of {len(questions):,} questions have no hard answer (every answer is stated) "
            "and are left out of Hits@Hard, HHR and the other hard scores."
        )
    return notes


def _other_naming(
    release: Release,
    matching: str,
    given: Sequence[Prediction | None],
    matched: Sequence[Sequence[str]],
    matcher: Matcher,
) -> str:
    """What to say when hardly any prediction names an entity in its own naming, but most do in another."""
    own = {matcher.name(n) for n in names_in(release.entities, release.naming)}
    said = [
        (p, keys)
        for p, keys in zip(given, matched, strict=True)
        if p is not None and (p.raw_output or p.answers)
    ][:_SAMPLE]
    here = sum(not own.isdisjoint(keys) for _, keys in said)
    if here > _FEW_NAMED * len(said):
        return ""
    best, most = "", 0
    for other in NAMINGS:
        names = frozenset(names_in(release.entities, other))
        tried = make_matcher(matching, names)
        keys = {tried.name(n) for n in names}
        hits = sum(not keys.isdisjoint(_predicted(tried, p)) for p, _ in said)
        if hits > most:
            best, most = other, hits
    if 2 * most < len(said) or best in ("", release.naming):
        return ""
    return (
        f"of the first {len(said)}, {here} name an entity of the release in its naming "
        f"{release.naming!r}, but {most} in the naming {best!r}. Use the release in that naming, or say "
        f"so: --naming {best}."
    )


def _golds(questions: Sequence[Question], names: dict[str, str] | None) -> list[Gold]:
    """What the questions are scored against, translated by a table of names if there is one."""
    golds = [Gold(q.answers, q.hard_answer, q.hard_answers) for q in questions]
    if names is None:
        return golds
    try:
        return [
            Gold(
                tuple(names[a] for a in gold.answers),
                None if gold.hard_answer is None else names[gold.hard_answer],
                tuple(names[a] for a in gold.hard_answers),
            )
            for gold in golds
        ]
    except KeyError as unknown:
        raise ReleaseError(
            f"entities.tsv: lacks the answer {unknown}. Check the release: rulemine verify."
        ) from None
