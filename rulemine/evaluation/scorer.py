"""Scores many prediction sets of one release; what they share is read and made once.

Guarantees: the same release, predictions and options give the same report to the last bit, whatever the
order of the predictions, the number of threads or the machine. Nothing here needs a JVM or a network.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rulemine.errors import ConfigError, PredictionError, did_you_mean
from rulemine.evaluation import notes as says
from rulemine.evaluation.breakdown import Breakdown, breakdowns
from rulemine.evaluation.matching.matching import PredictionReader, ReadOutput
from rulemine.evaluation.matching.other_namings import naming_meant
from rulemine.evaluation.metrics import (
    COLUMNS,
    CORE,
    COSTS,
    METRICS,
    OF_HARD_ANSWERS,
    ROW_COLUMNS,
    ROW_METRICS,
    Floats,
)
from rulemine.evaluation.metrics_of_others.registry import chosen
from rulemine.evaluation.predictions import Predictions, read_predictions, uncollected
from rulemine.evaluation.ranked import RANKED, score_rankings
from rulemine.evaluation.reporting.report import Report
from rulemine.evaluation.reporting.tables import WARNING
from rulemine.evaluation.reporting.titles import SUBSETS
from rulemine.evaluation.retrieval import RETRIEVAL, count_failures, score_retrieval
from rulemine.evaluation.statistics.bootstrap import Ints
from rulemine.evaluation.statistics.estimates import (
    estimates,
    rows_of,
    with_published_rate,
)
from rulemine.evaluation.study.options import MOST_RESAMPLES
from rulemine.evaluation.targets import Gold, Targets, golds_of, score_questions, without_labels
from rulemine.kinds.registry import is_built
from rulemine.release.groups import groups_of
from rulemine.release.groups import sample as sample_of
from rulemine.release.reader import Release
from rulemine.release.records import SPLITS, Prediction, Question, names_in, translation
from rulemine.rules.blocks import MapLike
from rulemine.seeds import check_seed
from rulemine.text.tables import Table

if TYPE_CHECKING:
    from rulemine.evaluation.cypher.release_rows import CypherRuns, RowScores
    from rulemine.evaluation.metrics_of_others.beside_ours import BesideOurs

__all__ = ["RESAMPLES", "STRICT", "Scorer"]

RESAMPLES = 1000
"""Resamples of a bootstrap; enough for bounds of a 95 % interval to one digit of a percentage."""

STRICT = ("strict_hits_any", "strict_f1", "strict_hard_f1")
"""The scores of raw outputs with matching ``ids``, beside those of ``vocabulary``: what is left if a system
must keep to the format of a list."""

Part = tuple[tuple[str, ...], tuple[str, ...], Floats]
"""Scores of a report: their names, those of the columns they are made of, and these."""

Given = tuple[Sequence[Prediction | None], list[str], tuple[Table, ...]]
"""The prediction for each question, what to know about them, and what became of queries."""

Failures = dict[str, dict[str, int]]


class RawScores(NamedTuple):
    """The scores of predictions, before they are means."""

    parts: list[Part]
    notes: list[str]
    golds: Sequence[Gold]
    naming: str
    failures: Failures
    answers: Sequence[tuple[str, ...]]
    rows: "RowScores | None" = None


class Scorer:
    """Scores predictions for the same questions in the same way.

    Args:
        release: The release.
        matching: How a raw output becomes a set of entities, see `rulemine.evaluation.matching.matching`.
        split: The split evaluated; None for all.
        sample: How many of its questions, see `rulemine.release.groups`; None for all.
        missing: ``empty`` to score questions without a prediction as empty, or ``error``.
        resamples: Resamples of the bootstrap, 1 … 100,000.
        seed: Its seed, ≥ 0.
        metrics: Projects whose metrics are shown beside ours, see
            `rulemine.evaluation.metrics_of_others.registry.chosen`; none if empty.
        cypher: Of the kind ``cypher``: where predicted queries are run; None: in memory.
        spread: Reads texts and runs queries, a part at a time.

    Raises:
        ConfigError: An option is out of range, or not for this kind of questions.
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
        resamples: int = RESAMPLES,
        seed: int = 0,
        metrics: str | Sequence[str] = (),
        cypher: "CypherRuns | None" = None,
        spread: MapLike = map,
    ) -> None:
        check_seed(seed)
        if not 1 <= resamples <= MOST_RESAMPLES:
            raise ConfigError(
                f"resamples is {resamples}; expected a whole number from 1 to {MOST_RESAMPLES:,}."
            )
        if split is not None and split not in SPLITS:
            raise ConfigError(f"no split {split!r}; {did_you_mean(split, SPLITS)}")
        release.expect_answers("scoring", split)
        self.release = release
        self._matching, self._split, self._sample = matching, split, sample
        self._missing = missing
        self._resamples, self._seed = resamples, seed
        self._others = chosen(metrics) if metrics else {}
        self._runs, self._spread = cypher, spread
        self._of_rows = release.answers == "rows"
        idle = {
            "--matching": matching != "vocabulary",
            "--metrics": metrics,
        }
        if self._of_rows and (option := next(filter(idle.get, idle), "")):
            raise ConfigError(
                f"{option}: is for answers that are entities; those of this release are rows, which are "
                "compared cell by cell. Leave it out."
            )
        if cypher is not None and not self._of_rows:
            raise ConfigError(
                "--graph, --url, --neo4j, --seconds: are for releases of the kind cypher, this one has the "
                f"kind {release.kind}. Leave them out."
            )
        self._namings: dict[str, Targets] = {}
        self._groups: dict[int, tuple[Breakdown, ...]] = {}

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """The questions that are scored, sorted by id.

        Raises:
            ConfigError: The public evaluator of BRINK has none of them.
        """
        if self._matching != "brink":
            return self._drawn
        from rulemine.evaluation.metrics_of_others.asked import asked_by_brink

        return asked_by_brink(self._drawn)

    @cached_property
    def _drawn(self) -> tuple[Question, ...]:
        return sample_of(self.release.questions(self._split), self._sample)

    @cached_property
    def _leaks(self) -> list[str]:
        return says.notes_on_leaks(self.release, self._split)

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
        return self.at_levels(predictions, [level], kg=kg, naming=naming)[0]

    def at_levels(
        self, predictions: Predictions, levels: Sequence[int], *, kg: str, naming: str | None
    ) -> list[Report]:
        """The report of predictions for each of some levels, see `__call__`; they are read once."""
        for level in levels:
            if not 1 <= level <= 100:
                raise ConfigError(f"level is {level}; expected a whole number from 1 to 100.")
        with uncollected():
            given = self._given(predictions, kg, naming or self.release.naming)
            readings: list[ReadOutput] = []
            if not self._of_rows:
                used = self._in_naming(naming or self.release.naming)
                readings = used.read(given[0], self._spread)
            return [self._report(given, readings, kg, level, naming) for level in levels]

    def _report(
        self,
        ran: Given,
        readings: Sequence[ReadOutput],
        kg: str,
        level: int,
        naming: str | None,
    ) -> Report:
        given, of_file, tables = ran
        if self._of_rows:
            found = self._row_scores(given, kg, level, naming)
        else:
            found = self._name_scores(given, readings, kg, level, naming)
        parts, notes, groups = found.parts, of_file + found.notes, self._parts(level)
        if any(p is not None and p.cost is not None for p in given):
            parts.append((COSTS, COSTS, _costs(given)))
        metrics = tuple(metric for part, _, _ in parts for metric in part)
        columns = tuple(column for _, part, _ in parts for column in part)
        scores = np.column_stack([part for _, _, part in parts])
        notes += says.notes_on_questions(self.questions, level, self.release.level_of(kg) == 0)
        notes += says.notes_on_left_out(len(self._drawn) - len(self.questions), len(self._drawn))
        notes += says.notes_on_cut_off(given) + self._leaks
        notes += says.notes_on_clusters(self._clusters, groups[0].members[0])
        rows = rows_of(
            scores, self._clusters, groups, self._resamples, self._seed, estimates, columns,
            metrics,
        )  # fmt: skip
        notes += says.notes_on_rows(rows)
        if self._matching == "brink" and (hit := tuple(map(with_published_rate, rows))) != rows:
            rows = hit
            notes.append("HHR is 0, as the public evaluator has it, where Hits@Any is 0.")
        return Report(
            release=self.release.name,
            naming=found.naming,
            split=self._split or "all",
            sample=self._sample,
            kind=self.questions[0].kind,
            metrics=metrics,
            kg=kg
            if self.release.answers == "entities" or is_built(self.release.kind)
            else "complete",
            rows=rows,
            resamples=self._resamples,
            seed=self._seed,
            notes=tuple(notes),
            matching="rows" if self._of_rows else self._matching,
            level=level,
            missing=sum(p is None for p in given),
            ids=tuple(q.id for q in self.questions),
            without_hard_answer=sum(gold.hard_answer is None for gold in found.golds),
            columns=columns,
            scores=scores,
            clusters=self._clusters,
            groups=groups,
            failures=found.failures,
            answers=tuple(found.answers),
            others=self._beside_ours(given, found.naming, level, kg, scores, columns),
            queries=found.rows and found.rows.by_id,
            of_queries=found.rows.tables if found.rows else tables,
        )

    def _name_scores(
        self,
        given: Sequence[Prediction | None],
        readings: Sequence[ReadOutput],
        kg: str,
        level: int,
        naming: str | None,
    ) -> RawScores:
        """The scores of answers that are entities."""
        used = self._in_naming(naming or self.release.naming)
        matched = [reading.names for reading in readings]
        notes = says.notes_on_predictions(given, matched, used.keys)
        notes += says.notes_on_length(given, self._matching == "brink")
        if problem := naming_meant(self.release, self._matching, given, matched, used):
            if self._matching != "brink" and naming is None:
                raise PredictionError(f"predictions: {problem}")
            notes.insert(0, f"{WARNING}{problem}")
        golds = used.golds(level)
        scores = score_questions(golds, matched)
        parts: list[Part] = [(METRICS, COLUMNS, scores)]
        failures: Failures = {}
        if self._matching == "brink":
            parts = [(tuple(m for m in METRICS if m != "hits_at_1"), COLUMNS, scores)]
        else:
            notes += says.notes_on_thoughts(given) + says.notes_on_denials(
                [reading.denied for reading in readings]
            )
            if self._matching == "vocabulary" and any(p and p.answers is None for p in given):
                parts.append(_strict_scores(readings, used.golds(level, strict=True)))
            if any(p is not None and p.ranking is not None for p in given):
                notes += says.notes_on_rankings(given)
                parts.append(
                    (
                        RANKED,
                        RANKED,
                        score_rankings(given, golds, used.key_of, used.reader.matcher.name),
                    )
                )
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
                    {
                        part.name: part.members[0]
                        for part in self._parts(level)
                        if part.name in SUBSETS
                    },
                )
                notes += found.notes + says.notes_on_failures(failures)
                shown = tuple(
                    m for m in RETRIEVAL if kg != "complete" or not m.startswith("certificate_")
                )
                parts.append((shown, RETRIEVAL, found.scores))
        entities = used.entities
        answers = [tuple([entities.get(key, key) for key in keys]) for keys in matched]
        return RawScores(parts, notes, golds, used.naming, failures, answers)

    def _row_scores(
        self, given: Sequence[Prediction | None], kg: str, level: int, naming: str | None
    ) -> RawScores:
        """The scores of answers that are rows."""
        if naming not in (None, self.release.naming):
            raise ConfigError(
                f"--naming {naming}: queries are run in the naming of the release, "
                f"{self.release.naming}. Use the release in the other one: rulemine rename."
            )
        from rulemine.evaluation.cypher.release_rows import CypherRuns, score_rows

        runs = self._runs or CypherRuns()
        rows = score_rows(self.release, self.questions, given, kg, level, runs, self._spread)
        self.questions = rows.questions  # now the rows of their golds are known
        texts = [found.rows for found in rows.queries]
        is_run = np.array([found.scores.scored for found in rows.queries], bool)
        run = [(given[at], texts[at]) for at in np.flatnonzero(is_run).tolist()]
        notes = says.notes_on_thoughts(given) + says.notes_on_predictions(
            [prediction for prediction, _ in run],
            [own for _, own in run],
            {text for _, own in run for text in own},
        )
        golds = golds_of(self.questions, str, level=level)
        answers = [tuple(dict.fromkeys(own)) for own in texts]
        scores = score_questions(golds, answers)
        scores[~is_run] = np.nan
        parts: list[Part] = [(METRICS, COLUMNS, scores), (ROW_METRICS, ROW_COLUMNS, rows.scores)]
        return RawScores(
            parts, [*notes, *rows.notes], golds, self.release.naming, {}, answers, rows
        )

    def _beside_ours(
        self,
        given: Sequence[Prediction | None],
        naming: str,
        level: int,
        kg: str,
        scores: Floats,
        columns: Sequence[str],
    ) -> "BesideOurs | None":
        """The metrics of other projects; None if there are none."""
        if not self._others:
            return None
        from rulemine.evaluation.metrics_of_others.beside_ours import judged_of, score_beside_ours

        used = self._in_naming(naming)
        retrieved = any(p is not None and p.retrieved is not None for p in given)
        evidence = [wanted.gold for wanted in used.evidence(kg)] if retrieved else None
        names = translation(self.release.entities, self.release.naming, used.naming)
        judged = judged_of(self.questions, given, names, level, evidence)
        core = np.array([q.core for q in self.questions])
        return score_beside_ours(
            self._others, self.questions, judged, scores, columns, self._clusters, core,
            self._resamples, self._seed,
        )  # fmt: skip

    def _given(self, predictions: Predictions, kg: str, naming: str) -> Given:
        """The prediction for each question, and what is odd about their file and queries."""
        notes, everything = list[str](), self.release.questions()
        if not self.questions:
            raise PredictionError(
                f"split {self._split!r} of the release has no question to evaluate."
            )
        some = self._sample is not None or self._matching == "brink"
        read = read_predictions(
            predictions, everything, split=self._split, missing=self._missing,
            wanted=[q.id for q in self.questions] if some else None,
            official=self._matching == "brink", note=lambda text: notes.append(WARNING + text),
        )  # fmt: skip
        by_id = {p.id: p for p in read}
        fitted = [by_id.get(q.id) for q in self.questions]
        given = without_labels(self.release, self.questions, fitted, naming)
        if not any(p is not None and p.sparql is not None for p in given):
            return given, notes, ()
        from rulemine.evaluation.sparql.predicted import run_predictions

        ran = run_predictions(self.release, given, kg, naming)
        return ran.given, notes + ran.notes, ran.tables

    def _parts(self, level: int) -> tuple[Breakdown, ...]:
        """The groups; which rows have changed depends on the level."""
        if level not in self._groups:
            self._groups[level] = breakdowns(
                self.questions, self.release.removals(), self.release.levels, level
            )
        return self._groups[level]

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
            reader = PredictionReader(self._matching, names)
            self._namings[naming] = Targets(self.release, self.questions, naming, names, reader)
        return self._namings[naming]


def _strict_scores(readings: Sequence[ReadOutput], golds: Sequence[Gold]) -> Part:
    """Strict metrics, columns and scores.

    Args:
        readings: What was read of each prediction.
        golds: What is right, for the strict matcher.
    """
    scores = score_questions(golds, [reading.strict for reading in readings])
    metrics = [m.removeprefix("strict_") for m in STRICT]
    of_core = [m for m in metrics if m in OF_HARD_ANSWERS]
    taken = [COLUMNS.index(c) for c in (*metrics, *(CORE + m for m in of_core))]
    columns = (*STRICT, *(f"{CORE}strict_{m}" for m in of_core))
    return STRICT, columns, scores[:, taken]


def _costs(given: Sequence[Prediction | None]) -> Floats:
    """What each answer cost, shape (questions, `COSTS`), NaN where that is not known."""
    found = [[getattr(p and p.cost, name, None) for name in COSTS] for p in given]
    return np.array(found, np.float64)
