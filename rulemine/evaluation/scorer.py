"""Scoring: one system, what its file says of itself, and many systems on the same questions.

A `Scorer` scores prediction sets of one release; what they share is read and made once.

Guarantees: the same release, predictions and options give the same report to the last bit, whatever the
order of the predictions, the number of threads or the machine. Nothing here needs a JVM or a network.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rulemine.errors import ConfigError, PredictionError, did_you_mean
from rulemine.evaluation import notes as says
from rulemine.evaluation.breakdown import Breakdown, breakdowns
from rulemine.evaluation.matching.matching import ReadOutput
from rulemine.evaluation.matching.other_namings import naming_meant
from rulemine.evaluation.metrics import (
    COLUMNS,
    CORE,
    COSTS,
    METRICS,
    RANKED,
    ROW_COLUMNS,
    ROW_METRICS,
    Floats,
)
from rulemine.evaluation.metrics_of_others.registry import chosen
from rulemine.evaluation.predictions import (
    NEEDS,
    PredictionFile,
    Predictions,
    read_predictions,
    uncollected,
)
from rulemine.evaluation.reporting.report import Report
from rulemine.evaluation.reporting.tables import WARNING
from rulemine.evaluation.reporting.titles import SUBSETS
from rulemine.evaluation.retrieval import RETRIEVAL, count_failures, score_retrieval
from rulemine.evaluation.statistics.bootstrap import (
    Ints,
    estimates,
    rows_of,
    with_published_rate,
)
from rulemine.evaluation.study.options import MOST_RESAMPLES
from rulemine.evaluation.targets import (
    Gold,
    Targets,
    golds_of,
    score_questions,
    score_rankings,
    without_labels,
)
from rulemine.kinds.registry import is_built, tool
from rulemine.release.groups import groups_of
from rulemine.release.groups import sample as sample_of
from rulemine.release.reader import MANIFEST, Release
from rulemine.release.records import SPLITS, Prediction, Question, translation
from rulemine.rules.blocks import MapLike
from rulemine.seeds import check_seed
from rulemine.text.tables import Table

if TYPE_CHECKING:
    from rulemine.evaluation.cypher.release_rows import CypherRuns, RowScores
    from rulemine.evaluation.metrics_of_others.beside_ours import BesideOurs

__all__ = [
    "RESAMPLES",
    "STRICT",
    "Run",
    "Scorer",
    "benchmark_at",
    "evaluate",
    "opened",
    "run_of",
    "shared_level",
]

RESAMPLES = 1000
"""Resamples of a bootstrap; enough for bounds of a 95 % interval to one digit of a percentage."""

STRICT = ("strict_hits_any", "strict_f1", "strict_hard_f1")
"""The scores of raw outputs with matching ``ids``, beside those of ``vocabulary``: what is left if a system
must keep to the format of a list."""

Part = tuple[tuple[str, ...], tuple[str, ...], Floats]
"""Scores of a report: their names, those of the columns they are made of, and these."""


class RawScores(NamedTuple):
    """The scores of predictions, before they are means; the rest is as in a report."""

    parts: list[Part]
    notes: list[str]
    answers: Iterable[tuple[str, ...]]
    failures: Mapping[str, Mapping[str, int]] = MappingProxyType({})
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
            raise ConfigError(f"no split {split!r}; {did_you_mean(split, [*SPLITS, 'all'])}")
        release.expect_answers("scoring", split)
        self.release = release
        self._matching, self._split, self._sample = matching, split, sample
        self._missing, self._resamples, self._seed = missing, resamples, seed
        self._others = chosen(metrics) if metrics else {}
        self._runs, self._spread = cypher, spread
        self._of_rows = release.answers == "rows"
        idle = "--matching" if matching != "vocabulary" else "--metrics" if metrics else ""
        if self._of_rows and idle:
            raise ConfigError(
                f"{idle}: is for answers that are entities; those of this release are rows, which are "
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
        from rulemine.evaluation.metrics_of_others.protocol import asked_by_brink

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
        used = self._in_naming(naming or self.release.naming)
        with uncollected():
            given, notes, tables = self._given(predictions, kg, used.naming)
            readings = [] if self._of_rows else used.read(given, self._spread)
            found: list[Report] = []
            for level in levels:
                if self._of_rows:
                    raw = self._row_scores(given, kg, level, naming)
                else:
                    raw = self._name_scores(given, readings, kg, level, naming, used)
                found.append(self._report(given, raw, notes, tables, kg, level, used))
        return found

    def _report(
        self,
        given: Sequence[Prediction | None],
        raw: RawScores,
        of_file: Sequence[str],
        of_queries: tuple[Table, ...],
        kg: str,
        level: int,
        used: Targets,
    ) -> Report:
        parts, groups = raw.parts, self._parts(level)
        if any(p is not None and p.cost is not None for p in given):
            parts.append((COSTS, COSTS, _costs(given)))
        metrics, columns = (tuple(chain.from_iterable(p[i] for p in parts)) for i in (0, 1))
        scores = np.column_stack([part for _, _, part in parts])
        rows = rows_of(
            scores, self._clusters, groups, self._resamples, self._seed, estimates, columns,
            metrics,
        )  # fmt: skip
        drawn = len(self._drawn)
        notes = [
            *of_file,
            *raw.notes,
            *says.notes_on_questions(self.questions, level, self.release.level_of(kg) == 0),
            *says.where_any(
                (
                    drawn - len(self.questions),
                    f"{{}} of {drawn:,} questions have no hard answer, or ask for a number, and are left "
                    "out, as in the gold that rulemine export --to brink writes for the public evaluator.",
                )
            ),
            *says.notes_on_cut_off(given),
            *self._leaks,
            *says.notes_on_clusters(self._clusters, groups[0].members[0]),
            *says.notes_on_rows(rows),
        ]
        if self._matching == "brink" and (hit := tuple(map(with_published_rate, rows))) != rows:
            rows = hit
            notes.append("HHR is 0, as the public evaluator has it, where Hits@Any is 0.")
        built = is_built(self.release.kind)
        return Report(
            release=self.release.name,
            naming=used.naming,
            split=self._split or "all",
            sample=self._sample,
            kind=self.questions[0].kind,
            metrics=metrics,
            kg=kg if built or not self._of_rows else "complete",
            rows=rows,
            resamples=self._resamples,
            seed=self._seed,
            notes=tuple(notes),
            matching="rows" if self._of_rows else self._matching,
            level=level,
            missing=sum(p is None for p in given),
            ids=tuple(q.id for q in self.questions),
            without_hard_answer=sum(
                q.hard_answer is None or q.level > level for q in self.questions
            ),
            columns=columns,
            scores=scores,
            clusters=self._clusters,
            groups=groups,
            failures=raw.failures,
            answers=tuple(raw.answers),
            others=self._beside_ours(given, used, level, kg, scores, columns),
            queries=raw.rows and raw.rows.by_id,
            of_queries=raw.rows.tables if raw.rows else of_queries,
        )

    def _name_scores(
        self,
        given: Sequence[Prediction | None],
        readings: Sequence[ReadOutput],
        kg: str,
        level: int,
        naming: str | None,
        used: Targets,
    ) -> RawScores:
        """The scores of answers that are entities."""
        official = self._matching == "brink"
        matched = [reading.names for reading in readings]
        notes = says.notes_on_predictions(given, matched, used.keys, silence=kg == "unprovable")
        denied = [reading.denied for reading in readings]
        notes += says.notes_on_texts(given, matched, denied, whole=official)
        if problem := naming_meant(self.release, self._matching, given, matched, used):
            if not official and naming is None:
                raise PredictionError(f"predictions: {problem}")
            notes.insert(0, f"{WARNING}{problem}")
        golds = used.golds(level)
        scores = score_questions(golds, matched)
        answers = [tuple([used.entities.get(key, key) for key in keys]) for keys in matched]
        if official:
            of_brink = tuple(m for m in METRICS if m != "hits_at_1")
            return RawScores([(of_brink, COLUMNS, scores)], notes, answers)
        parts: list[Part] = [(METRICS, COLUMNS, scores)]
        there = [p for p in given if p is not None]
        failures: Mapping[str, Mapping[str, int]] = {}
        if self._matching == "vocabulary" and any(p.answers is None for p in there):
            parts.append(_strict_scores(readings, used.golds(level, strict=True)))
        if any(p.ranking is not None for p in there):
            notes += says.where_any(
                (
                    sum(p.ranking is None for p in there),
                    "Predictions that rank nothing have the reciprocal rank 0: {}.",
                )
            )
            ranks = score_rankings(given, golds, used.key_of, used.reader.matcher.name)
            parts.append((RANKED, RANKED, ranks))
        if any(p.retrieved is not None for p in there):
            relations = self.release.relations().keys()
            found, total, strange = score_retrieval(
                used.evidence(kg),
                given,
                scores[:, COLUMNS.index("hits_hard")],
                used.names,
                relations,
            )
            gone = {row.triple for row in self.release.missing() if row.level <= level}
            leaked = sum(triple in gone for p in there for triple in p.retrieved or ())
            subsets = {p.name: p.members[0] for p in self._parts(level) if p.name in SUBSETS}
            failures = count_failures(found, subsets)
            notes += says.notes_on_retrieved(there, found, total, strange, leaked, kg, failures)
            shown = tuple(
                m for m in RETRIEVAL if kg != "complete" or not m.startswith("certificate_")
            )
            parts.append((shown, RETRIEVAL, found))
        return RawScores(parts, notes, answers, failures)

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
        known = {text for _, own in run for text in own}
        notes = says.notes_on_texts(given, texts)
        notes += says.notes_on_predictions([p for p, _ in run], [own for _, own in run], known)
        answers = [tuple(dict.fromkeys(own)) for own in texts]
        scores = score_questions(golds_of(self.questions, str, level=level), answers)
        scores[~is_run] = np.nan
        parts: list[Part] = [(METRICS, COLUMNS, scores), (ROW_METRICS, ROW_COLUMNS, rows.scores)]
        return RawScores(parts, [*notes, *rows.notes], answers, rows=rows)

    def _beside_ours(
        self,
        given: Sequence[Prediction | None],
        used: Targets,
        level: int,
        kg: str,
        scores: Floats,
        columns: Sequence[str],
    ) -> "BesideOurs | None":
        """The metrics of other projects; None if there are none."""
        if not self._others:
            return None
        from rulemine.evaluation.metrics_of_others.beside_ours import judged_of, score_beside_ours

        retrieved = any(p is not None and p.retrieved is not None for p in given)
        evidence = [wanted.gold for wanted in used.evidence(kg)] if retrieved else None
        names = translation(self.release.entities, self.release.naming, used.naming)
        judged = judged_of(self.questions, given, names, level, evidence)
        core = np.array([q.core for q in self.questions])
        return score_beside_ours(
            self._others, self.questions, judged, scores, columns, self._clusters, core,
            self._resamples, self._seed,
        )  # fmt: skip

    def _given(
        self, predictions: Predictions, kg: str, naming: str
    ) -> tuple[Sequence[Prediction | None], list[str], tuple[Table, ...]]:
        """The prediction for each question, and what is odd about their file and queries."""
        notes: list[str] = []
        if not self.questions:
            raise PredictionError(
                f"split {self._split!r} of the release has no question to evaluate."
            )
        some = self._sample is not None or self._matching == "brink"
        read = read_predictions(
            predictions, self.release.questions(), split=self._split, missing=self._missing,
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
            self._namings[naming] = Targets(self.release, self.questions, naming, self._matching)
        return self._namings[naming]


def _strict_scores(readings: Sequence[ReadOutput], golds: Sequence[Gold]) -> Part:
    """Strict metrics, columns and scores.

    Args:
        readings: What was read of each prediction.
        golds: What is right, for the strict matcher.
    """
    scores = score_questions(golds, [reading.strict for reading in readings])
    taken = ("hits_any", "f1", "hard_f1", f"{CORE}hard_f1")
    columns = (*STRICT, f"{CORE}strict_hard_f1")
    return STRICT, columns, scores[:, [COLUMNS.index(column) for column in taken]]


def _costs(given: Sequence[Prediction | None]) -> Floats:
    """What each answer cost, shape (questions, `COSTS`), NaN where that is not known."""
    found = [[getattr(p and p.cost, name, None) for name in COSTS] for p in given]
    return np.array(found, np.float64)


def evaluate(
    release: Release,
    predictions: Predictions,
    *,
    matching: str = "vocabulary",
    split: str | None = "test",
    sample: int | None = None,
    naming: str | None = None,
    missing: str = "empty",
    kg: str | None = None,
    level: int | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    metrics: str | Sequence[str] = (),
    cypher: "CypherRuns | None" = None,
    spread: MapLike = map,
) -> Report:
    """Scores predictions.

    Args:
        release: The release.
        predictions: A prediction file, or predictions, at most one for each question; those for other
            questions of the release are left out. In the mode ``brink`` a file that is a JSON array is read
            as the public evaluator reads it (`rulemine.evaluation.predictions.read_predictions`).
        matching: How a raw output becomes a set of entities, see `rulemine.evaluation.matching.matching`.
        split: The split evaluated; None for all.
        sample: How many of its questions, see `rulemine.release.groups`; None: as many as the file
            says, or all.
        naming: The naming that the predictions use; None for that of the release.
        missing: What about questions without a prediction: ``empty``, they score as an empty one, and a note
            says how many; ``error``, they are refused. At least one must have one.
        kg: The graph that was answered from: ``complete``, ``incomplete`` or ``incomplete-LEVEL``. None: what
            the file says, or ``incomplete``.
        level: Hard answers are those that are missing at this level, 1 … 100; None: at that of the graph,
            100 if it lacks nothing.
        resamples: Resamples of the bootstrap, 1 … 100,000.
        seed: Its seed, ≥ 0.
        metrics: Projects whose metrics are shown beside ours, e.g. ``("rog", "tog")``, or ``all``.
        cypher: Of the kind ``cypher``: where predicted queries are run; None: in memory.
        spread: Reads texts and runs queries a part at a time, here or in other processes.

    Returns:
        The report: the core first, where the questions have one, then all questions, then the breakdowns
        of all. In the mode ``brink`` the hard hits rate is 0 where no question is hit, as the public
        evaluator has it (in all others it is undefined there), and H@1, ranks and what was retrieved are not
        scored.

    Raises:
        InputError: A file is missing or not UTF-8 text.
        PredictionError: The predictions are malformed or do not fit the questions or the release, or name no
            entity in the naming expected but do in another.
        ConfigError: An option is out of range.
        ReleaseError: The release has no such graph, or a file is missing or was edited.
    """
    predictions = opened(predictions, release)
    run = run_of(release, predictions, kg, naming)
    scorer = Scorer(
        release,
        matching=matching,
        split=split,
        sample=run.sample if sample is None else sample,
        missing=missing,
        resamples=resamples,
        seed=seed,
        metrics=metrics,
        cypher=cypher,
        spread=spread,
    )
    return run.noted(scorer(predictions, kg=run.kg, level=level, naming=run.naming))


def benchmark_at(path: Path) -> Release:
    """A release; or questions that others publish, as a kind reads them.

    Raises:
        ReleaseError: As of `Release.open`.
        InputError: Questions are malformed.
    """
    if not (path / MANIFEST).exists():
        found = tool("published").published_questions(path)
        if isinstance(found, Release):
            return found
    return Release.open(path)


class Run(NamedTuple):
    """What is known about predictions before they are read.

    Attributes:
        kg: The graph that was answered from.
        naming: The naming that they use; None for that of the release, unless they look otherwise.
        sample: How many questions were asked; None for all.
        system: The name of the system; "" where the file does not say.
        needs: What it was given beyond what every system is, of
            `rulemine.evaluation.predictions.NEEDS`.
    """

    kg: str
    naming: str | None
    sample: int | None
    system: str
    needs: tuple[str, ...] = ()

    def noted(self, report: Report) -> Report:
        """The report with the name of the system, and a note on what it was given."""
        given = " and ".join(NEEDS[need] for need in self.needs)
        notes = [f"The system is given {given}."] * bool(given)
        return replace(report, system=self.system, notes=(*notes, *report.notes))


def opened(predictions: Predictions, release: Release) -> Predictions:
    """Predictions, of a file its content, read once and with the ids of the release.

    Args:
        predictions: The file, or predictions.
        release: The full release: what answers one with hidden answers has other ids.

    Raises:
        InputError: A file is missing or not UTF-8 text.
    """
    if not isinstance(predictions, str | Path | PredictionFile):
        return predictions
    found = predictions if isinstance(predictions, PredictionFile) else PredictionFile(predictions)
    for _, row in found.rows:
        if isinstance(row, dict) and isinstance(id_ := row.get("id"), str):
            row["id"] = release.hidden_ids.get(id_, id_)
    return found


def run_of(
    release: Release,
    predictions: Predictions,
    kg: str | None = None,
    naming: str | None = None,
) -> Run:
    """What a prediction file says of itself, checked.

    Args:
        release: The release.
        predictions: The file, see `opened`, or predictions, which say nothing.
        kg: The graph that was answered from, as the user says; None to believe the file.
        naming: The naming, as the user says; None to believe the file.

    Raises:
        PredictionError: The file is for another release, or it contradicts the user.
        ReleaseError: The release has no such graph.
    """
    header: dict[str, Any] = {}
    file: str | Path = ""
    if isinstance(predictions, PredictionFile):
        header, file = predictions.run or {}, predictions.path
    identity = header.get("release")
    if identity is not None and identity != release.identity:
        raise PredictionError(
            f"{file}: its first line says that it is for another release ({header.get('name')!r}, "
            f"{str(identity)[:12]}…) than {release.path} ({release.name!r}, {release.identity[:12]}…). Score "
            "it on the release that it was made from, or answer these questions again."
        )
    said = {name: v for name in ("kg", "naming") if isinstance(v := header.get(name), str)}
    for name, given in (("kg", kg), ("naming", naming)):
        if given not in (None, said.get(name, given)):
            raise PredictionError(
                f"{file}: its first line says {name} {said[name]!r}, and --{name} says {given!r}. Leave "
                f"out --{name}."
            )
    graph, sample = kg or said.get("kg", "incomplete"), header.get("sample")
    release.level_of(graph)  # an unknown graph is an error even where nothing was retrieved
    needs = header.get("needs")
    return Run(
        graph,
        naming or said.get("naming"),
        sample if type(sample) is int and sample > 0 else None,
        str(header.get("system") or ""),
        tuple(need for need in NEEDS if isinstance(needs, list) and need in needs),
    )


def shared_level(release: Release, *graphs: str) -> int:
    """The level at which systems on these graphs are compared: the lowest of those that lack something.

    Returns:
        1 … 100; 100 if no graph lacks anything.
    """
    levels = [release.level_of(kg) for kg in graphs]
    return min((level for level in levels if level), default=100)
