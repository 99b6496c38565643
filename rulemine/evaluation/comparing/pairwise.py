"""Many systems on the same questions, each with each: differences with intervals, and whether they are real.

Every pair is compared over the core and over all questions: the paired bootstrap interval of the difference,
p of the paired randomization test (`rulemine.evaluation.statistics.significance`), and Holm's adjusted p. A
family of tests is all pairs on one score over one set of questions.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from rulemine.errors import ConfigError, did_you_mean
from rulemine.evaluation.comparing.comparison import compare, note_about
from rulemine.evaluation.comparing.differences import Differences, PairedDifference, corrected
from rulemine.evaluation.metrics import HEADLINE
from rulemine.evaluation.prediction_file import PredictionFile
from rulemine.evaluation.reporting.report import Report
from rulemine.evaluation.scorer import RESAMPLES, Scorer
from rulemine.evaluation.scoring import run_of, shared_level
from rulemine.release.reader import Release

__all__ = ["SHOWN", "compare_all", "evaluate_all"]

SHOWN = (HEADLINE, "hhr", "hits_hard", "hits_any", "f1")
"""The scores compared unless others are named."""


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
    runs = [run_of(release, file, naming=naming) for file in files]
    if sample is None:
        sample = min((run.sample for run in runs if run.sample is not None), default=None)
    if level is None:
        level = shared_level(release, *(run.kg for run in runs))
    full = [f"{run.system} ({run.kg})" for run in runs]
    stems = [file.path.name.removesuffix(".jsonl") for file in files]
    called = [
        label if run.system and full.count(label) == 1 else stem if stems.count(stem) == 1 else name
        for label, run, stem, name in zip(full, runs, stems, names, strict=True)
    ]
    scorer = Scorer(release, split=split, sample=sample, resamples=resamples, seed=seed)
    found = {}
    for number, (name, file, run) in enumerate(zip(called, files, runs, strict=True)):
        if progress is not None:
            progress(number, len(files))
        found[name] = run.noted(scorer(file, kg=run.kg, level=level, naming=run.naming))
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
            raise ConfigError(f"no score {metric!r}; {did_you_mean(metric, tuple(known))}")
    found: list[PairedDifference] = []
    notes: list[str] = []
    for (first, a), (second, b) in combinations(reports.items(), 2):
        pair = compare(a, b, names=(first, second), broken_down=False)
        for note in pair.notes:
            shared = note in a.notes and note in b.notes
            if shared and not all(note in report.notes for report in reports.values()):
                notes += [note_about(name, note) for name in (first, second)]
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
    any_of = next(iter(reports.values()))
    on_correction = (
        "p: paired randomization test over clusters of questions; Holm: corrected for the pairs of one score "
        "over one set of questions. Intervals are not corrected."
    )
    return Differences(
        f"{any_of.release} · split {any_of.split} · {any_of.describe_questions()} · hard answers missing at "
        f"level {any_of.level}",
        corrected(found),
        (*dict.fromkeys(notes), on_correction),
    )
