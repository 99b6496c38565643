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
        mean_of([one for name, one in reports.items() if f"labels={labels}" in name])
        for labels in ("evidence", "shortest")
    )
    known = [
        one for one in SCORES if one in first.metrics
    ]  # the complete graph needs no certificate
    found = compare({"evidence": first, "shortest": second}, known)
    print("| questions | score | shortest | evidence | difference | p |")
    print("|---|---|--:|--:|--:|--:|")
    for row in found.rows:
        value, low, high = ("–" if one is None else points(one) for one in row.difference)
        print(
            f"| {row.group}, {row.n:,} | {row.metric} | {100 * (row.b or 0):.1f} | {100 * (row.a or 0):.1f} "
            f"| {value} ({low} … {high}) | {row.p or 0:.4f} |"
        )


if __name__ == "__main__":
    main()
