"""Many systems on the same questions, each with each: differences with intervals, and whether they are real.

Every pair is compared over the core and over all questions: the paired bootstrap interval of the difference,
p of the paired randomization test (`rulemine.evaluation.statistics.significance`), and Holm's adjusted p. A
family of tests is all pairs on one score over one set of questions.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from rulemine.errors import ConfigError, did_you_mean
from rulemine.evaluation.comparing.comparison import compare, told_of
from rulemine.evaluation.metrics import HEADLINE
from rulemine.evaluation.prediction_file import PredictionFile
from rulemine.evaluation.reporting.report import WARNING, Report
from rulemine.evaluation.reporting.tables import (
    Section,
    format_cell,
    format_markdown,
    format_p,
    format_table,
)
from rulemine.evaluation.reporting.titles import SUBSETS, TITLES
from rulemine.evaluation.scorer import RESAMPLES, Scorer
from rulemine.evaluation.scoring import said_of, shared_level
from rulemine.evaluation.statistics.score import Score
from rulemine.evaluation.statistics.significance import holm
from rulemine.release.reader import Release
from rulemine.text.spreadsheet import csv_text

__all__ = [
    "Differences",
    "PairedDifference",
    "compare_all",
    "evaluate_all",
    "rows_to_csv",
    "rows_to_json",
]

SHOWN = (HEADLINE, "hhr", "hits_hard", "hits_any", "f1")
"""The scores compared unless others are named."""


class _Row(Protocol):
    """A named tuple with ``difference``, ``p`` and ``adjusted``."""

    def _asdict(self) -> dict[str, Any]: ...


class PairedDifference(NamedTuple):
    """The difference of two systems on one score over one set of questions.

    Attributes:
        subset: ``core`` or ``all``.
        metric: The score.
        first: The name of one system.
        second: That of the other.
        a: The score of the first; None where undefined, and so are those below.
        b: That of the second.
        difference: First minus second, with its interval.
        p: Of the randomization test.
        adjusted: The same, corrected for the number of pairs.
    """

    subset: str
    metric: str
    first: str
    second: str
    a: float | None
    b: float | None
    difference: Score
    p: float | None
    adjusted: float | None


@dataclass(frozen=True)
class Differences:
    """All pairs of several systems; made by `compare_all`.

    Attributes:
        title: What was compared.
        rows: The differences: the core first, score by score, the pairs in the order of the systems.
        notes: What a reader must know, as sentences.
    """

    title: str
    rows: tuple[PairedDifference, ...]
    notes: tuple[str, ...]

    def to_table(self) -> str:
        """For a terminal: percentages, below each difference its interval."""
        return self._laid_out(format_table, "")

    def to_markdown(self) -> str:
        """As a Markdown table, intervals in parentheses."""
        return self._laid_out(format_markdown, "pair")

    def to_json(self) -> str:
        """As JSON: ``title``, ``notes`` and ``rows``, the fields of `PairedDifference` with fractions."""
        return rows_to_json(self.title, self.rows, self.notes)

    def to_csv(self) -> str:
        """As CSV with a header: a line for each difference, what is undefined empty."""
        return rows_to_csv(self.rows)

    def _laid_out(self, layout: Callable[..., str], label: str) -> str:
        sections: list[Section] = []
        for row in self.rows:
            title = f"{TITLES[row.metric]}, {SUBSETS[row.subset]}"
            if not sections or sections[-1][0] != title:
                sections.append((title, []))
            cells = [
                format_cell(Score(row.a, None, None)),
                format_cell(Score(row.b, None, None)),
                format_cell(row.difference, signed=True),
                (format_p(row.p), ""),
                (format_p(row.adjusted), ""),
            ]
            sections[-1][1].append((f"{row.first} − {row.second}", cells))
        header = [label, "first", "second", "difference", "p", "p (Holm)"]
        title = f"{self.title} · in percent, with a 95 % bootstrap interval"
        first = "".join(f"{note}\n\n" for note in self.notes if note.startswith(WARNING))
        below = [note for note in self.notes if not note.startswith(WARNING)]
        return first + layout(title, header, sections, below)


def rows_to_json(title: str, rows: Iterable[_Row], notes: Iterable[str]) -> str:
    """``title``, ``notes`` and ``rows`` as JSON; each `difference` becomes three fields, tests come last."""
    content = {"title": title, "notes": list(notes), "rows": [_plain(row) for row in rows]}
    return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def rows_to_csv(rows: Iterable[_Row]) -> str:
    """The same rows as CSV with a header; what is undefined is empty."""
    plain = [_plain(row) for row in rows]
    return csv_text(
        [[*plain[0]], *(["" if v is None else v for v in row.values()] for row in plain)]
    )


def _plain(row: _Row) -> dict[str, Any]:
    plain = row._asdict()
    value, low, high = plain.pop("difference")
    tests = {name: plain.pop(name) for name in ("p", "adjusted")}
    return plain | {"difference": value, "low": low, "high": high} | tests


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
    progress: Callable[[int, int], None] | None = None,
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

    Raises:
        ConfigError: A file is named twice, or an option is out of range.
        PredictionError: A file does not fit.
        ReleaseError: A graph is none of the release's.
    """
    files = [p if isinstance(p, PredictionFile) else PredictionFile(p) for p in paths]
    if len(names := [str(file.path) for file in files]) > len(set(names)):
        raise ConfigError("a prediction file is named twice; name each system once.")
    runs = [said_of(release, file, naming=naming) for file in files]
    if sample is None:
        sample = min((run.sample for run in runs if run.sample is not None), default=None)
    if level is None:
        level = shared_level(release, *(run.kg for run in runs))
    said = [f"{run.system} ({run.kg})" for run in runs]
    stems = [file.path.name.removesuffix(".jsonl") for file in files]
    called = [
        label if run.system and said.count(label) == 1 else stem if stems.count(stem) == 1 else name
        for label, run, stem, name in zip(said, runs, stems, names, strict=True)
    ]
    scorer = Scorer(release, split=split, sample=sample, resamples=resamples, seed=seed)
    found = {}
    for number, (name, file, run) in enumerate(zip(called, files, runs, strict=True)):
        if progress is not None:
            progress(number, len(files))
        found[name] = run.told(scorer(file, kg=run.kg, level=level, naming=run.naming))
    return found


def compare_all(reports: Mapping[str, Report], metrics: Sequence[str] = SHOWN) -> Differences:
    """Compares every two systems.

    Args:
        reports: Name → report, at least two, on the same questions and at one level.
        metrics: The scores to compare; those that a pair does not have are left out of it.

    Raises:
        ConfigError: There are fewer than two systems, or one of the scores is no score of any.
        PredictionError: The reports are not on the same questions.
    """
    if len(reports) < 2:
        raise ConfigError("one system to compare; expected two or more prediction files.")
    known = dict.fromkeys(metric for report in reports.values() for metric in report.metrics)
    for metric in metrics:
        if metric not in known:
            raise ConfigError(f"no score {metric!r}; {did_you_mean(metric, known)}")
    found: list[PairedDifference] = []
    notes: list[str] = []
    for (first, a), (second, b) in combinations(reports.items(), 2):
        pair = compare(a, b, names=(first, second), broken_down=False)
        for note in pair.notes:
            shared = note in a.notes and note in b.notes
            if shared and not all(note in report.notes for report in reports.values()):
                notes += [told_of(name, note) for name in (first, second)]
            else:
                notes.append(note)
        for row in pair.rows:
            for metric in metrics:
                if metric in pair.metrics:
                    found.append(
                        PairedDifference(
                            row.group,
                            metric,
                            first,
                            second,
                            a.row(row.breakdown, row.group).scores[metric].value,
                            b.row(row.breakdown, row.group).scores[metric].value,
                            row.scores[metric],
                            pair.p_values[row.group][metric],
                            None,
                        )
                    )
    order = {metric: at for at, metric in enumerate(metrics)}
    found.sort(key=lambda row: (row.subset != "core", order[row.metric]))
    families: dict[tuple[str, str], list[int]] = {}
    for i, one in enumerate(found):
        families.setdefault((one.subset, one.metric), []).append(i)
    for members in families.values():
        for i, adjusted in zip(members, holm([found[i].p for i in members]), strict=True):
            found[i] = found[i]._replace(adjusted=adjusted)
    any_of = next(iter(reports.values()))
    told = (
        "p: paired randomization test over clusters of questions; Holm: corrected for the pairs of one score "
        "over one set of questions. Intervals are not corrected."
    )
    return Differences(
        f"{any_of.release} · split {any_of.split} · {any_of.describe_questions()} · hard answers missing at "
        f"level {any_of.level}",
        tuple(found),
        (*dict.fromkeys(notes), told),
    )
