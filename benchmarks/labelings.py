"""What a trained retriever makes of two labelings: means over seeds, and their paired difference.

    python benchmarks/labelings.py RELEASE PREDICTIONS…

reads prediction files of ``trained-retriever`` with ``labels=shortest`` and ``labels=evidence``, as many of
either. Scores of a question are averaged over the seeds first; intervals and p are those of ``rulemine
compare``.
"""

import sys
from dataclasses import replace

import numpy as np

from rulemine.evaluation.comparing.comparison import compare, evaluate_all
from rulemine.evaluation.reporting.report import Report
from rulemine.release.reader import Release
from rulemine.text.tables import points

SCORES = (
    *("triple_recall", "triple_precision", "triple_f1", "certificate_recall", "answer_recall"),
    *("answer_hit", "proof_retrieved", "retrieved"),
)


def mean_of(reports: list[Report]) -> Report:
    """The report of the mean scores of each question."""
    scores = np.mean([report.scores for report in reports], axis=0)
    return replace(reports[0], scores=scores)


def main() -> None:
    """Prints a table for the core and one for all questions."""
    release = Release.open(sys.argv[1])
    reports = evaluate_all(release, sys.argv[2:])
    first, second = (
        [one for name, one in reports.items() if f"labels={labels}" in name]
        for labels in ("evidence", "shortest")
    )
    known = [one for one in SCORES if one in first[0].metrics]  # some need a removed triple
    found = compare({"evidence": mean_of(first), "shortest": mean_of(second)}, known)
    pairs = zip(first, second, strict=True)
    runs = [compare({"evidence": one, "shortest": other}, known).rows for one, other in pairs]
    print("| questions | score | shortest | evidence | difference | p |")
    print("|---|---|--:|--:|--:|--:|")
    for row, *same in zip(found.rows, *runs, strict=True):
        value, low, high = ("–" if one is None else points(one) for one in row.difference)
        shortest, evidence = (
            100 * np.mean([own or 0 for own in column])
            for column in zip(*((run.b, run.a) for run in same), strict=True)
        )
        print(
            f"| {row.group}, {row.n:,} | {row.metric} | {shortest:.1f} | {evidence:.1f} "
            f"| {value} ({low} … {high}) | {row.p or 0:.4f} |"
        )


if __name__ == "__main__":
    main()
