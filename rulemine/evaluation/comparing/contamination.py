"""The contamination report: is a system better on the published release than on a fresh one?

What a system has seen in training, its questions or texts about them, it answers without inferring
anything. A fresh release of the same recipe (``rulemine build … --not-in``) asks what nobody has published
yet; so a score that falls from the published release to the fresh one is a sign of that.

Per system and score, over the core and over all questions of both releases: the score on the published one
minus that on the fresh one, both with the mix of questions of the published one, with an interval, p, Holm's
adjusted p (a family is all systems on one score over one set of questions), and the smallest difference that
releases of these sizes show; see `rulemine.evaluation.statistics.two_samples`. Strata are the rule types,
the structures, or the hops of questions of any structure, each divided by whether a question is in the core
and by missing links. Of a fresh variant (`rulemine variants`), queries that the published release has too
are left out on both sides.

A difference is no proof: the graph has only so many good questions, and what is left for the fresh release
may be harder in ways that strata do not know. A system that cannot have seen either, such as the answerer
``reasoner``, shows how much of a difference the releases make themselves.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rulemine.errors import PredictionError, counted
from rulemine.evaluation.breakdown import MORE_MISSING
from rulemine.evaluation.comparing.comparison import check_metrics, note_about, of_subsets, sums_of
from rulemine.evaluation.comparing.differences import Differences, FreshDifference, corrected
from rulemine.evaluation.comparing.freshness import check_freshness
from rulemine.evaluation.comparing.pairwise import SHOWN, evaluate_all
from rulemine.evaluation.prediction_file import PredictionFile
from rulemine.evaluation.reporting.report import Report
from rulemine.evaluation.reporting.tables import WARNING
from rulemine.evaluation.reporting.titles import SUBSETS, TITLES
from rulemine.evaluation.scorer import RESAMPLES
from rulemine.evaluation.scoring import run_of, shared_level
from rulemine.evaluation.statistics import two_samples
from rulemine.evaluation.statistics.bootstrap import Bools
from rulemine.kinds.registry import form_of, kind_named
from rulemine.release.reader import Release
from rulemine.release.records import Question

__all__ = ["compare_with_fresh"]


def compare_with_fresh(
    published: Release,
    files: Sequence[str | Path | PredictionFile],
    fresh: Release,
    fresh_files: Sequence[str | Path | PredictionFile],
    metrics: Sequence[str] = SHOWN,
    *,
    split: str | None = "test",
    sample: int | None = None,
    naming: str | None = None,
    level: int | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Differences[FreshDifference]:
    """Compares what systems score on a published release and on a fresh one.

    Args:
        published: The published release.
        files: Prediction files for it.
        fresh: A release of the same recipe that shares no query with it.
        fresh_files: Prediction files for that one, of the same systems on graphs of the same name, as their
            first lines say; files that say nothing are paired by their names.
        metrics: The scores to compare; those that a system does not have are left out of it.
        split: The split evaluated; None for all.
        sample: See `rulemine.evaluation.comparing.pairwise.evaluate_all`, as of those below.
        naming: The naming of the predictions.
        level: Hard answers are those missing at this level of both releases.
        resamples: Resamples of the bootstrap, ≥ 1.
        seed: Of resamples and exchanges, ≥ 0.
        progress: Called with (files scored, all files).

    Raises:
        ConfigError: The releases are of two kinds or graphs, share queries, or are the other way around; or
            an option is out of range.
        PredictionError: A file does not fit its release, a system has no partner, or no question has.
        ReleaseError: A file of a release is missing or was edited.
    """
    notes, repeated = check_freshness(published, fresh)
    sides = {"published": (published, files), "fresh": (fresh, fresh_files)}
    read = {
        side: [one if isinstance(one, PredictionFile) else PredictionFile(one) for one in of_side]
        for side, (_, of_side) in sides.items()
    }
    graphs = {
        side: [run_of(release, file, naming=naming).kg for file in read[side]]
        for side, (release, _) in sides.items()
    }
    if level is None:
        level = min(shared_level(r, *graphs[side]) for side, (r, _) in sides.items())
    done, most = 0, sum(map(len, read.values()))
    reports: dict[str, dict[str, Report]] = {}
    for side, (release, _) in sides.items():
        advance = None if progress is None else _later(progress, done, most)
        reports[side] = evaluate_all(
            release, read[side], split=split, sample=sample, naming=naming, level=level,
            resamples=1, seed=seed, progress=advance,
        )  # fmt: skip
        done += len(read[side])
    pairs = _paired(reports["published"], reports["fresh"], read)
    known = dict.fromkeys(m for pair in pairs.values() for report in pair for m in report.metrics)
    check_metrics(metrics, known)
    keys = _keys(published, reports["published"]), _keys(fresh, reports["fresh"])
    left_out: list[str] = []
    usable = [
        np.array([key not in gone for key in next(iter(reports[side].values())).ids], bool)
        for side, gone in zip(sides, repeated, strict=True)
    ]
    found = _differences(pairs, metrics, keys, usable, resamples, seed, left_out)
    if not found:
        raise PredictionError(
            "no question can be compared: of no rule type, structure or number of hops has either release "
            f"{two_samples.FEW} questions that are scored. Compare larger releases, or give --split all."
        )
    notes += _told_of_reports(reports)
    notes += left_out
    return Differences(
        f"{published.name} ({published.identity[:12]}) − fresh {fresh.name} ({fresh.identity[:12]}) · "
        f"split {split or 'all'} · hard answers missing at level {level}",
        corrected(found),
        (
            *notes,
            "Published minus fresh, both with the published mix of questions by form (rule type, structure "
            "or hops), core and missing links. p: randomization test of two samples over clusters of "
            "questions; Holm: corrected for the systems of one score over one set of questions. Seen from: "
            "the smallest difference that a test at 5 % sees with a chance of 80 %.",
            "A difference is no proof of contamination: what was left to ask may be harder in other ways. "
            "Compare it with that of a system that has seen neither release.",
        ),
        ("system", "published", "fresh", "difference", "p", "p (Holm)", "seen from"),
    )


def _later(
    progress: Callable[[int, int], None], done: int, most: int
) -> Callable[[int, int], None]:
    return lambda number, _: progress(done + number, most)


def _paired(
    published: Mapping[str, Report],
    fresh: Mapping[str, Report],
    read: Mapping[str, Sequence[PredictionFile]],
) -> dict[str, tuple[Report, Report]]:
    """System → its reports.

    Raises:
        PredictionError: A system is on one release alone.
    """
    if len(published) == len(fresh) == 1:
        systems = {side: (one.run or {}).get("system") for side, (one,) in read.items()}
        if None in systems.values():  # one file each, and nothing says that they are of two systems
            name = next(iter(published if systems["published"] else fresh))
            return {name: (next(iter(published.values())), next(iter(fresh.values())))}
    if published.keys() != fresh.keys():
        lacking = [
            f"{', '.join(sorted(names))} on the {side} release alone"
            for side, names in (
                ("published", published.keys() - fresh.keys()),
                ("fresh", fresh.keys() - published.keys()),
            )
            if names
        ]
        raise PredictionError(
            f"systems without a partner: {'; '.join(lacking)}. Name two files of each system, answered from "
            "graphs of the same name: rulemine compare DIR A.jsonl … --fresh DIR2 B.jsonl … (systems are "
            "called as the first lines of the files say, else as the files)."
        )
    return {name: (report, fresh[name]) for name, report in published.items()}


def _keys(release: Release, reports: Mapping[str, Report]) -> list[tuple[str, tuple[int, ...]]]:
    """Form of each question that is scored, and what divides the form: core and missing links."""
    known = {q.id: q for q in release.questions()}
    return [
        (
            _form(q),
            (int(q.core), min(q.missing, MORE_MISSING)),
        )
        for q in (known[key] for key in next(iter(reports.values())).ids)
    ]


def _form(question: Question) -> str:
    """Rule type, structure, or hops where structures are open: of those there are too many to be strata."""
    known = not kind_named(question.kind).form.least
    return form_of(question) if known else counted(question.hops, "hop")


def _differences(
    pairs: Mapping[str, tuple[Report, Report]],
    metrics: Sequence[str],
    keys: tuple[list[tuple[str, tuple[int, ...]]], list[tuple[str, tuple[int, ...]]]],
    usable: Sequence[Bools],
    resamples: int,
    seed: int,
    notes: list[str],
) -> list[FreshDifference]:
    """The rows, in their order; notes on questions that are left out are added to those given."""
    # Scores that the same questions have are compared at once, in one set of draws.
    alike: dict[tuple[str, bytes, bytes], list[tuple[str, str, list[Any]]]] = {}
    for system, pair in pairs.items():
        for subset in ("core", "all"):
            parts = [[g for g in of_subsets(r.groups) if g.name == subset] for r in pair]
            for metric in metrics:
                if not all(parts) or not all(metric in report.metrics for report in pair):
                    continue
                sides = [
                    sums_of(report, metric, part, asked)
                    for report, (part,), asked in zip(pair, parts, usable, strict=True)
                ]
                a, b = ((~np.isnan(side[:, 0])).tobytes() for side in sides)
                alike.setdefault((subset, a, b), []).append((system, metric, sides))
    clusters = [report.clusters for report in next(iter(pairs.values()))]
    found: list[FreshDifference] = []
    for (subset, *_), members in alike.items():
        having = [np.flatnonzero(~np.isnan(side[:, 0])) for side in members[0][2]]
        strata = two_samples.strata_of(
            *([keys[i][row] for row in having[i].tolist()] for i in (0, 1))
        )
        titles = ", ".join(dict.fromkeys(TITLES[metric] for _, metric, _ in members))
        notes += _notes_on_left_out(
            f"{titles}, {SUBSETS[subset]}",
            [[keys[i][row][0] for row in having[i][strata[i] < 0].tolist()] for i in (0, 1)],
        )
        kept = [rows[of >= 0] for rows, of in zip(having, strata, strict=True)]
        if not all(map(len, kept)):
            continue
        samples = [
            two_samples.Sample(
                np.stack([sides[i][kept[i]] for _, _, sides in members], axis=1),
                clusters[i][kept[i]],
                strata[i][strata[i] >= 0],
            )
            for i in (0, 1)
        ]
        compared = two_samples.standardized_differences(*samples, resamples=resamples, seed=seed)
        sizes = [len(rows) for rows in kept]
        without = [len(rows) - size for rows, size in zip(having, sizes, strict=True)]
        for (system, metric, _), one in zip(members, compared, strict=True):
            found.append(
                FreshDifference(
                    subset, metric, system, sizes[0], sizes[1], without[0], without[1], one.first, one.second,
                    one.difference, one.seen, one.p, None,
                )
            )  # fmt: skip
    systems, scores = list(pairs), list(metrics)
    found.sort(key=lambda r: (r.subset != "core", scores.index(r.metric), systems.index(r.system)))
    return found


def _told_of_reports(reports: Mapping[str, Mapping[str, Report]]) -> Iterator[str]:
    """What is true of all systems of a release, and warnings about one."""
    for side, of_side in reports.items():
        shared = [
            note
            for note in next(iter(of_side.values())).notes
            if all(note in report.notes for report in of_side.values())
        ]
        for name, report in of_side.items():
            about = side if len(of_side) == 1 else f"{side}, {name}"
            for note in report.notes:
                if note.startswith(WARNING) and note not in shared:
                    yield note_about(about, note)
        yield from (note_about(side, note) for note in shared)


def _notes_on_left_out(of: str, forms: Sequence[Sequence[str]]) -> Iterator[str]:
    """Which questions have no partners, by form, of either release."""
    counts = [Counter(side) for side in forms]
    parts = [
        f"{form} ({counts[0][form]:,}, {counts[1][form]:,})"
        for form in sorted({*counts[0], *counts[1]})
    ]
    if parts:
        yield (
            f"{of}: questions of forms that one release has fewer than {two_samples.FEW} of are left out "
            f"(published, fresh): {', '.join(parts)}."
        )
