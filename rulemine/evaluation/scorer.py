"""Scores many prediction sets of one release; what they share is read and made once.

Guarantees: the same release, predictions and options give the same report to the last bit, whatever the
order of the predictions, the number of threads or the machine. Nothing here needs a JVM or a network.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from rulemine.errors import ConfigError, PredictionError, did_you_mean
from rulemine.evaluation import notes as telling
from rulemine.evaluation.breakdown import Breakdown, breakdowns
from rulemine.evaluation.gold import Gold, score_questions
from rulemine.evaluation.matching import Matcher, make_matcher
from rulemine.evaluation.metrics import COLUMNS, CORE, METRICS, OF_HARD_ANSWERS, Floats
from rulemine.evaluation.metrics_of_others.beside_ours import (
    BesideOurs,
    judged_of,
    score_beside_ours,
)
from rulemine.evaluation.metrics_of_others.registry import chosen
from rulemine.evaluation.prediction_file import PredictionFile, uncollected
from rulemine.evaluation.predictions import fit, read_predictions
from rulemine.evaluation.ranked import RANKED, score_ranking
from rulemine.evaluation.reporting.report import WARNING, Report, Row, Score
from rulemine.evaluation.reporting.titles import SUBSETS
from rulemine.evaluation.retrieval import (
    RETRIEVAL,
    count_failures,
    score_retrieval,
)
from rulemine.evaluation.statistics.bootstrap import Ints
from rulemine.evaluation.statistics.estimates import estimates, rows_of
from rulemine.evaluation.targets import Targets
from rulemine.evaluation.vocabulary import bounded
from rulemine.kg.entity_names import NAMINGS
from rulemine.release.groups import groups_of
from rulemine.release.reader import Release
from rulemine.release.records import SPLITS, Prediction, Question, names_in, translation
from rulemine.release.sampling_order import sample as sample_of
from rulemine.seeds import check_seed

__all__ = ["RESAMPLES", "STRICT", "Predictions", "Scorer", "predicted"]

Predictions = str | Path | PredictionFile | Iterable[Prediction]
"""A prediction file, or predictions."""

RESAMPLES = 1000
"""Resamples of a bootstrap; enough for bounds of a 95 % interval to one digit of a percentage."""

STRICT = ("strict_hits_any", "strict_f1", "strict_hard_f1")
"""The scores of raw outputs with matching ``ids``, beside those of ``vocabulary``: what is left if a system
must keep to the format of a list."""

_SAMPLE = 200  # predictions examined to find out which naming they use
_FEW_NAMED = 0.1  # share of them up to which they may use another one


class Scorer:
    """Scores predictions for the same questions in the same way.

    Args:
        release: The release.
        matching: How a raw output becomes a set of entities, see `rulemine.evaluation.matching`.
        split: The split evaluated; None for all.
        sample: How many of its questions, see `rulemine.release.sampling_order`; None for all.
        missing: ``empty`` to score questions without a prediction as empty, or ``error``.
        ignore_case: With ``vocabulary``: find names whatever their capitals.
        resamples: Resamples of the bootstrap, ≥ 1.
        seed: Its seed, ≥ 0.
        metrics: Projects whose metrics are shown beside ours, see
            `rulemine.evaluation.metrics_of_others.registry.chosen`; none if empty.

    Raises:
        ConfigError: An option is out of range.
        ReleaseError: A file of the release is missing or was edited.
    """

    def __init__(
        self,
        release: Release,
        *,
        matching: str = "vocabulary",
        split: str | None = "test",
        sample: int | None = None,
        missing: str = "empty",
        ignore_case: bool = False,
        resamples: int = RESAMPLES,
        seed: int = 0,
        metrics: str | Sequence[str] = (),
    ) -> None:
        check_seed(seed)
        if resamples < 1:
            raise ConfigError(f"resamples is {resamples}; expected a whole number, 1 or more.")
        if split is not None and split not in SPLITS:
            raise ConfigError(f"no split {split!r}; {did_you_mean(split, SPLITS)}")
        self.release = release
        self._matching, self._split, self._sample = matching, split, sample
        self._missing, self._ignore_case = missing, ignore_case
        self._resamples, self._seed = resamples, seed
        self._others = chosen(metrics) if metrics else {}
        self._namings: dict[str, Targets] = {}

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """The questions that are scored, sorted by id."""
        return sample_of(self.release.questions(self._split), self._sample)

    def __call__(
        self,
        predictions: Predictions,
        *,
        kg: str = "incomplete",
        level: int | None = None,
        naming: str | None = None,
    ) -> Report:
        """The report of predictions.

        Args:
            predictions: A prediction file, or predictions, at most one for each question; those for others
                of the release are left out.
            kg: The graph that was answered from, one of the release.
            level: Hard answers are those that are missing at this level, 1 … 100; None: at that of `kg`, or
                at 100 if it lacks nothing.
            naming: The naming that the predictions use; None for that of the release.

        Raises:
            InputError: A file is missing or not UTF-8 text.
            PredictionError: The predictions are malformed or do not fit the questions, or name no entity in
                the naming expected but do in another.
            ConfigError: The level is out of range, or there is no such naming.
            ReleaseError: The release has no such graph, or a file is missing or was edited.
        """
        level = (self.release.level_of(kg) or 100) if level is None else level
        if not 1 <= level <= 100:
            raise ConfigError(f"level is {level}; expected a whole number from 1 to 100.")
        with uncollected():
            return self._report(predictions, kg, level, naming)

    def _report(self, predictions: Predictions, kg: str, level: int, naming: str | None) -> Report:
        used = self._in_naming(naming or self.release.naming)
        given = self._given(predictions)
        matched = [predicted(used.matcher, p) for p in given]
        notes = telling.notes_on_predictions(given, matched, used.keys)
        notes += telling.notes_on_length(given, self._matching == "brink")
        if problem := self._other_naming(given, matched, used):
            if self._matching != "brink" and naming is None:
                raise PredictionError(f"predictions: {problem}")
            notes.insert(0, f"{WARNING}{problem}")
        golds = used.golds(level)
        scores = score_questions(golds, matched)
        parts: list[tuple[tuple[str, ...], tuple[str, ...], Floats]] = [(METRICS, COLUMNS, scores)]
        from_kg, failures = None, {}
        if self._matching == "brink":
            parts = [(tuple(m for m in METRICS if m != "hits_at_1"), COLUMNS, scores)]
        else:
            if self._matching == "vocabulary" and any(p and p.answers is None for p in given):
                parts.append(self._strict_scores(given, used, level))
            if any(p is not None and p.ranking is not None for p in given):
                notes += telling.notes_on_rankings(given)
                parts.append((RANKED, RANKED, _ranked(given, golds, used.key)))
            if any(p is not None and p.retrieved is not None for p in given):
                found = score_retrieval(
                    used.evidence(kg),
                    given,
                    scores[:, COLUMNS.index("hits_hard")],
                    used.names,
                    self.release.relations().keys(),
                    kg,
                )
                failures = count_failures(
                    found.scores,
                    {part.name: part.members[0] for part in self._parts if part.name in SUBSETS},
                )
                notes += found.notes + telling.notes_on_failures(failures)
                shown = tuple(
                    m for m in RETRIEVAL if kg != "complete" or not m.startswith("certificate_")
                )
                parts.append((shown, RETRIEVAL, found.scores))
                from_kg = kg
        metrics = tuple(metric for part, _, _ in parts for metric in part)
        columns = tuple(column for _, part, _ in parts for column in part)
        scores = np.column_stack([part for _, _, part in parts])
        notes += telling.notes_on_questions(self.questions, level)
        notes += telling.notes_on_clusters(self._clusters, self._parts[0].members[0])
        rows = rows_of(
            scores, self._clusters, self._parts, self._resamples, self._seed, estimates, columns,
            metrics,
        )  # fmt: skip
        notes += telling.notes_on_rows(rows)
        if self._matching == "brink" and any(_without_rate(row) for row in rows):
            rows = tuple(map(_with_published_rate, rows))
            notes.append("HHR is 0, as the public evaluator has it, where Hits@Any is 0.")
        return Report(
            release=self.release.name,
            naming=used.naming,
            split=self._split or "all",
            sample=self._sample,
            kind=self.questions[0].kind,
            metrics=metrics,
            kg=from_kg,
            rows=rows,
            resamples=self._resamples,
            seed=self._seed,
            notes=tuple(notes),
            matching=self._matching,
            level=level,
            missing=sum(p is None for p in given),
            ids=tuple(q.id for q in self.questions),
            without_hard_answer=sum(gold.hard_answer is None for gold in golds),
            columns=columns,
            scores=scores,
            clusters=self._clusters,
            groups=self._parts,
            failures=failures,
            others=self._beside_ours(given, used, level, kg, scores, columns),
        )

    def _beside_ours(
        self,
        given: Sequence[Prediction | None],
        used: Targets,
        level: int,
        kg: str,
        scores: Floats,
        columns: Sequence[str],
    ) -> BesideOurs | None:
        """The metrics of other projects; None if there are none."""
        if not self._others:
            return None
        evidence = None
        if any(p is not None and p.retrieved is not None for p in given):
            evidence = [wanted.gold for wanted in used.evidence(kg)]
        names = translation(self.release.entities, self.release.naming, used.naming)
        judged = judged_of(self.questions, given, names, level, evidence)
        core = np.array([q.core for q in self.questions])
        return score_beside_ours(
            self._others, judged, scores, columns, self._clusters, core, self._resamples, self._seed
        )

    def _given(self, predictions: Predictions) -> tuple[Prediction | None, ...]:
        """The prediction for each question."""
        everything, missing = self.release.questions(), self._missing
        wanted = None if self._sample is None else [q.id for q in self.questions]
        if read := isinstance(predictions, str | Path | PredictionFile):
            predictions = read_predictions(
                predictions, everything, split=self._split, missing=missing, wanted=wanted,
                official=self._matching == "brink",
            )  # fmt: skip
            missing = "empty"  # already checked while reading
        _, given = fit(
            everything, predictions, split=self._split, missing=missing, wanted=wanted, checked=read
        )
        return given

    @cached_property
    def _parts(self) -> tuple[Breakdown, ...]:
        return breakdowns(self.questions, self.release.removals(), self.release.levels)

    @cached_property
    def _clusters(self) -> Ints:
        """The cluster of each question, numbered by their first questions."""
        found = np.empty(len(self.questions), np.int64)
        for number, members in enumerate(groups_of(self.questions)):
            found[members] = number
        return found

    def _in_naming(self, naming: str) -> Targets:
        if naming not in self._namings:
            names = frozenset(names_in(self.release.entities, naming))
            matcher = make_matcher(self._matching, names, self._ignore_case)
            self._namings[naming] = Targets(self.release, self.questions, naming, names, matcher)
        return self._namings[naming]

    def _strict_scores(
        self, given: Sequence[Prediction | None], used: Targets, level: int
    ) -> tuple[tuple[str, ...], tuple[str, ...], Floats]:
        """Strict metrics, columns and scores."""
        matched = [predicted(used.strict, p) for p in given]
        scores = score_questions(used.golds(level, strict=True), matched)
        metrics = [m.removeprefix("strict_") for m in STRICT]
        of_core = [m for m in metrics if m in OF_HARD_ANSWERS]
        taken = [COLUMNS.index(c) for c in (*metrics, *(CORE + m for m in of_core))]
        columns = (*STRICT, *(f"{CORE}strict_{m}" for m in of_core))
        return STRICT, columns, scores[:, taken]

    def _other_naming(
        self,
        given: Sequence[Prediction | None],
        matched: Sequence[Sequence[str]],
        used: Targets,
    ) -> str:
        """What to say when hardly any prediction names an entity in its naming, but most do in another."""
        said = [
            (p, keys)
            for p, keys in zip(given, matched, strict=True)
            if p is not None and (p.raw_output or p.answers)
        ][:_SAMPLE]
        here = sum(not used.keys.isdisjoint(keys) for _, keys in said)
        if here > _FEW_NAMED * len(said):
            return ""
        release, best, most = self.release, "", 0
        for other in NAMINGS:
            names = frozenset(names_in(release.entities, other))
            tried = make_matcher(self._matching, names)
            keys = {tried.name(n) for n in names}
            hits = sum(not keys.isdisjoint(predicted(tried, p)) for p, _ in said)
            if hits > most:
                best, most = other, hits
        if 2 * most < len(said) or best in ("", used.naming):
            return ""
        return (
            f"of the first {len(said)}, {here} name an entity of the release in the naming "
            f"{used.naming!r}, but {most} in the naming {best!r}. Use the release in that naming, or say "
            f"so: --naming {best}."
        )


def _ranked(
    given: Sequence[Prediction | None], golds: Sequence[Gold], key: Callable[[str], str]
) -> Floats:
    """The scores of rankings, shape (questions, `RANKED`)."""
    found = [
        score_ranking(
            [(key(name), value) for name, value in (p and p.ranking) or ()],
            gold.answers,
            gold.hard_answer,
        )
        for p, gold in zip(given, golds, strict=True)
    ]
    return np.array(found, np.float64).reshape(len(found), len(RANKED))


def predicted(matcher: Matcher, prediction: Prediction | None) -> tuple[str, ...]:
    """What is predicted: keys of the matcher, each once, in the order given."""
    if prediction is None:
        return ()
    if prediction.answers is None:
        keys = matcher.text(prediction.raw_output or "")
    else:
        keys = filter(None, map(matcher.name, bounded(prediction.answers)))
    return tuple(dict.fromkeys(keys))


def _without_rate(row: Row) -> bool:
    """Whether the hard hits rate of a row is undefined for want of a hit."""
    return row.scores["hits_hard"].value is not None and row.scores["hhr"].value is None


def _with_published_rate(row: Row) -> Row:
    zero = {"hhr": Score(0.0, None, None)}
    return row._replace(scores=row.scores | zero) if _without_rate(row) else row
