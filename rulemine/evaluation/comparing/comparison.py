"""Systems on the same questions, each with each: differences with intervals, and whether they are real.

Every resample draws the same clusters for both systems of a pair, so what makes questions hard for both
cancels. Over the core and over all questions there is also p of the paired randomization test
(`rulemine.evaluation.statistics.significance`), and Holm's adjusted p: a family of tests is all pairs on one
score over one set of questions.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rulemine.errors import ConfigError, PredictionError, did_you_mean
from rulemine.evaluation.breakdown import group_titles
from rulemine.evaluation.metrics import HEADLINE
from rulemine.evaluation.notes import DROPPED, notes_on_rows
from rulemine.evaluation.predictions import PredictionFile
from rulemine.evaluation.reporting.report import Report
from rulemine.evaluation.reporting.tables import WARNING, Tabled
from rulemine.evaluation.reporting.titles import HHR_NOTE, SUBSETS, TITLES
from rulemine.evaluation.scorer import RESAMPLES, Scorer, opened, run_of, shared_level
from rulemine.evaluation.statistics.bootstrap import UNDEFINED, differences, ratio_of, rows_of
from rulemine.evaluation.statistics.score import Score
from rulemine.evaluation.statistics.significance import holm, randomization_test
from rulemine.release.reader import Release
from rulemine.text.tables import Table, csv_of, p_value, percent, points, under_headings

__all__ = [
    "SHOWN",
    "Differences",
    "PairedDifference",
    "compare",
    "evaluate_all",
    "note_about",
]

SHOWN = (HEADLINE, "hhr", "hits_hard", "hits_any", "f1")
"""The scores compared unless others are named."""

_TESTED = ("core", "all")
"""The sets of questions over which differences are tested."""

_HEADER = ("pair", "n", "first", "second", "difference", "p", "p (Holm)")
_SHOW = {
    **dict.fromkeys(("first", "second"), percent),
    **{"difference": points, "p": p_value, "p (Holm)": p_value},
}


class PairedDifference(NamedTuple):
    """The difference of two systems on one score over one group of questions.

    Attributes:
        breakdown: What questions are grouped by, see `rulemine.evaluation.reporting.report.ScoreRow`.
        group: The group.
        n: Its questions; of HHR the hits of the system that has fewer.
        metric: The score.
        first: The name of one system.
        second: That of the other.
        a: The score of the first; None where undefined, and so are those below.
        b: That of the second.
        difference: First minus second, with its interval.
        p: Of the randomization test; None where there is none.
        adjusted: The same, corrected for the number of pairs.
    """

    breakdown: str
    group: str
    n: int
    metric: str
    first: str
    second: str
    a: float | None
    b: float | None
    difference: Score
    p: float | None
    adjusted: float | None = None


@dataclass(frozen=True)
class Differences(Tabled):
    """Every two of several systems compared, see `compare`.

    Attributes:
        title: What was compared.
        kind: The kind of the questions.
        rows: The differences: the core first, score by score, the pairs in the order of the systems.
        notes: What a reader must know, as sentences.
    """

    title: str
    kind: str
    rows: tuple[PairedDifference, ...]
    notes: tuple[str, ...]

    def content(self) -> dict[str, Any]:
        """``title``, ``notes`` and ``rows``: their fields with fractions, a difference as three."""
        rows = [row._asdict() | {"difference": row.difference._asdict()} for row in self.rows]
        return {"title": self.title, "notes": list(self.notes), "rows": rows}

    def to_csv(self) -> str:
        """As CSV with a header: a line for each difference, what is undefined empty."""
        return csv_of(Table("differences", "", PairedDifference._fields, self.rows), joint="_")

    def tables(self) -> list[Table]:
        """The differences below the scores and questions that they are of."""
        titles = group_titles(self.kind)

        def heading(row: PairedDifference) -> str:
            alone = row.breakdown in SUBSETS
            of = SUBSETS[row.breakdown] if alone else f"{titles[row.breakdown]}: {row.group}"
            return f"{TITLES.get(row.metric, row.metric)}, {of}"

        rows = under_headings(
            (heading(row), (f"{row.first} − {row.second}", row.n, *row[6:])) for row in self.rows
        )
        title = f"{self.title} · in percent, with a 95 % bootstrap interval"
        return [Table("differences", title, _HEADER, rows, self.notes, _SHOW)]


def compare(
    reports: Mapping[str, Report], metrics: Sequence[str] = SHOWN, *, broken_down: bool = False
) -> Differences:
    """Compares every two systems, or one on two graphs: first minus second.

    Args:
        reports: Name → report, at least two, on the same questions.
        metrics: The scores to compare; those that a pair does not have are left out of it; none: all.
        broken_down: Whether to compare by every breakdown, beside the core and all questions.

    Raises:
        ConfigError: There are fewer than two systems, or one of the scores is no score of any.
        PredictionError: The reports are not on the same questions.
    """
    if len(reports) < 2:
        raise ConfigError("one system to compare; expected two or more prediction files.")
    known = dict.fromkeys(metric for report in reports.values() for metric in report.metrics)
    for metric in metrics:
        if metric not in known:
            raise ConfigError(f"no score {metric!r}; {did_you_mean(metric, tuple(known))}")
    found: list[PairedDifference] = []
    dropped: dict[str, None] = {}
    for names in combinations(reports, 2):
        rows, notes = _pair(names, reports, metrics or tuple(known), broken_down)
        found += rows
        dropped |= dict.fromkeys(notes)
    order = {name: place for place, name in enumerate(metrics or known)}
    places = {key: place for place, key in enumerate(dict.fromkeys(row[:2] for row in found))}
    found.sort(key=lambda row: (places[row[:2]], order[row.metric]))
    corrected = (  # a family of tests is all pairs on one score over one set of questions
        row._replace(adjusted=p)
        for _, family in groupby(found, key=lambda row: (row.breakdown, row.group, row.metric))
        for rows in [list(family)]
        for row, p in zip(rows, holm([row.p for row in rows]), strict=True)
    )
    first = next(iter(reports.values()))
    below = (*_notes(reports), *dropped, *[HHR_NOTE] * any(row.metric == "hhr" for row in found))
    test = (
        "p: paired randomization test over clusters of questions; Holm: corrected for the pairs of one score "
        "over one set of questions. Intervals are not corrected."
    )
    levels = " and ".join(dict.fromkeys(str(report.level) for report in reports.values()))
    about = f"{first.release} · split {first.split} · {first.describe_questions()}"
    title = f"{about} · hard answers missing at level {levels}"
    return Differences(title, first.kind, tuple(corrected), (*below, test))


def _pair(
    names: tuple[str, str],
    reports: Mapping[str, Report],
    wanted: Sequence[str],
    broken_down: bool,
) -> tuple[list[PairedDifference], list[str]]:
    """The differences of two systems, and what to know about their intervals."""
    first, second = (reports[name] for name in names)
    if (first.release, first.ids) != (second.release, second.ids):
        shared = len(set(first.ids) & set(second.ids))
        raise PredictionError(
            f"compare: {first.n} questions of {first.release!r} and {second.n} of {second.release!r} "
            f"with {shared} ids in common; the same questions were expected. Evaluate both files on "
            "one release and one split."
        )
    metrics = [metric for metric in wanted if metric in first.metrics and metric in second.metrics]
    columns = tuple(column for column in first.columns if column in second.columns)
    scores = [
        report.scores[:, [report.columns.index(name) for name in columns]]
        for report in (first, second)
    ]
    parts = [part for part in first.groups if broken_down or part.name in _TESTED]
    rows = rows_of(
        np.column_stack(scores), first.clusters, parts, first.resamples, first.seed,
        differences, columns, metrics,
    )  # fmt: skip
    asked = [(part, metric) for part in parts if part.name in _TESTED for metric in metrics]
    sums = [
        np.stack(
            [
                ratio_of(
                    report.scores, report.columns, metric, part.members[0], part.name == "core"
                )
                for part, metric in asked
            ],
            axis=1,
        )
        for report in (first, second)
        if asked
    ]
    p = randomization_test(sums[0], sums[1], first.clusters, seed=first.seed) if asked else []
    known = [{row[:2]: row.scores for row in report.rows} for report in (first, second)]
    tested = {(part.name, metric): one for (part, metric), one in zip(asked, p, strict=True)}
    found = [
        PairedDifference(
            *(row.breakdown, row.group, least if metric == "hhr" else row.n, metric, *names),
            known[0].get(row[:2], {}).get(metric, UNDEFINED).value,
            known[1].get(row[:2], {}).get(metric, UNDEFINED).value,
            row.scores[metric],
            tested.get((row.breakdown, metric)),
        )
        for row in rows
        for least in [min(r.hits.get(row[:2], 0) for r in (first, second))]
        for metric in metrics
    ]
    return found, [f"{names[0]} − {names[1]}: {note}" for note in notes_on_rows(rows)]


def _notes(reports: Mapping[str, Report]) -> list[str]:
    """What is true of all, then of each by its name, without what is said of single intervals."""
    every = [
        (name, note)
        for name, report in reports.items()
        for note in report.notes
        if DROPPED not in note
    ]
    shared = {note for _, note in every if all(note in one.notes for one in reports.values())}
    notes = dict.fromkeys(
        note if note in shared else note_about(name, note) for name, note in every
    )
    if len(matchings := dict.fromkeys(report.matching for report in reports.values())) > 1:
        notes[f"Matched differently: {' and '.join(matchings)}."] = None
    return [*notes]


def note_about(name: str, note: str) -> str:
    """A note with the name of the system; a warning still begins as one."""
    warned = WARNING * note.startswith(WARNING)
    return f"{warned}{name}: {note.removeprefix(WARNING)}"


def evaluate_all(
    release: Release,
    paths: Sequence[str | Path | PredictionFile],
    *,
    split: str | None = "test",
    sample: int | None = None,
    naming: str | None = None,
    level: int | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Report]:
    """Scores prediction files on the same questions, at one level.

    Args:
        release: The release.
        paths: The files. Each is called what it says of itself, system and graph, if no other says the
            same, else as its file.
        split: The split evaluated; None for all.
        sample: How many of its questions; None: the fewest that a file says, or all.
        naming: The naming of the predictions; None: what a file says, or that of the release.
        level: Hard answers are those missing at this level; None: on every graph that lacks something.
        resamples: Resamples of the bootstrap, ≥ 1.
        seed: Its seed, ≥ 0.
        progress: Called with (files scored, all files).

    Returns:
        What each is called → its report.

    Raises:
        ConfigError: A file is named twice, or an option is out of range.
        PredictionError: A file does not fit.
        ReleaseError: A graph is none of the release's.
    """
    files = [p if isinstance(p, PredictionFile) else PredictionFile(p) for p in paths]
    if len(names := [str(file.path) for file in files]) > len(set(names)):
        raise ConfigError("a prediction file is named twice; name each system once.")
    runs = [run_of(release, opened(file, release), naming=naming) for file in files]
    fewest = min((run.sample for run in runs if run.sample is not None), default=None)
    lowest = shared_level(release, *(run.kg for run in runs))
    full = [f"{run.system} ({run.kg})" for run in runs]
    stems = [file.path.name.removesuffix(".jsonl") for file in files]
    called = [
        label if run.system and full.count(label) == 1 else stem if stems.count(stem) == 1 else name
        for label, run, stem, name in zip(full, runs, stems, names, strict=True)
    ]
    asked = fewest if sample is None else sample
    scorer = Scorer(release, split=split, sample=asked, resamples=resamples, seed=seed)
    found = {}
    for number, (name, file, run) in enumerate(zip(called, files, runs, strict=True)):
        progress(number, len(files))
        at = lowest if level is None else level
        found[name] = run.noted(scorer(file, kg=run.kg, level=at, naming=run.naming))
    return found
