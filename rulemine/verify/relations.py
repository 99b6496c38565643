"""Relations: near-duplicate, near-inverse and excluded ones.

Checks that the manifest's ``kg.dropped`` names relations of the graph, each with a reason; that none of
them lost a triple; that exactly those are excluded that the thresholds of the options select, besides those
listed by hand; and that no question has more answers than the options allow.
"""

from collections import defaultdict
from typing import Any

import numpy as np

from rulemine.verify.folder import MANIFEST_NAME, Folder
from rulemine.verify.graphs import REMOVED, Removed
from rulemine.verify.question_set import Located
from rulemine.verify.report import Findings, shown
from rulemine.verify.triples import Graph, Triple

__all__ = ["check_excluded", "check_most_answers", "find_overlaps"]

ONE_END = "one entity is an end of most of its facts"
TOO_MANY = "its questions have too many answers"

OVERLAP = 0.8
"""Fraction of a relation's triples that another one must restate."""


def find_overlaps(graph: Graph) -> set[tuple[str, str, int]]:
    """Pairs of relations of which the second restates at least `OVERLAP` of the first, and 1 or −1 (inverse).

    A relation is paired with itself only as its inverse.
    """
    names = list(graph.terms.relations)
    n, m = graph.terms.sizes
    s, r, o = (column.astype(np.int64) for column in graph.columns.T)
    ends = np.concatenate((s * n + o, o * n + s))
    turned = np.arange(len(ends)) >= len(s)
    relation = np.concatenate((r, r))
    order = np.argsort(ends, kind="stable")
    ends, turned, relation = ends[order], turned[order], relation[order]
    both: list[Any] = [[np.empty(0, np.int64)], [np.empty(0, np.int64)]]
    # Triples with equal ends are adjacent: each is compared with the next, the one after it, and so on.
    apart = 1
    while (same := np.flatnonzero(ends[apart:] == ends[:-apart])).size:
        for one, other in ((same, same + apart), (same + apart, same)):
            straight = ~turned[one]
            pairs = relation[one] * m + relation[other]
            for way in (0, 1):
                both[way].append(pairs[straight & (turned[other] == bool(way))])
        apart += 1
    sizes = np.bincount(r, minlength=m)
    found: set[tuple[str, str, int]] = set()
    for way in (0, 1):
        numbers, times = np.unique(np.concatenate(both[way]), return_counts=True)
        for number, shared in zip(numbers.tolist(), times.tolist(), strict=True):
            first, second = divmod(number, m)
            if shared / int(sizes[first]) >= OVERLAP:
                found.add((names[first], names[second], -1 if way else 1))
    return found


def check_excluded(
    folder: Folder, complete: Graph, removed: dict[Triple, Removed], findings: Findings
) -> None:
    """Checks the excluded relations against the graph and the options."""
    options = folder.manifest["config"].get("questions")
    dropped = folder.manifest["kg"].get("dropped", {})
    good = isinstance(dropped, dict) and all(isinstance(v, str) for v in dropped.values())
    if not good or not isinstance(options, dict):
        expected = "relation → reason, and options of the questions"
        findings.add(MANIFEST_NAME, None, "excluded relations", shown(dropped), expected)
        return
    sizes = complete.relation_sizes()
    for relation in dropped:
        if not sizes.get(relation):
            findings.add(MANIFEST_NAME, None, "excluded relations", shown(relation), "relations")
    for triple, record in removed.items():
        if triple[1] in dropped:
            found, expected = shown(triple), "no triple of an excluded relation"
            findings.add(REMOVED, record.line, "excluded relations", found, expected)
    share, most = options.get("max_end_share", 1), options.get("max_median_answers", 0)
    if type(share) not in (int, float) or type(most) is not int:
        expected = "numbers for max_end_share and max_median_answers"
        findings.add(MANIFEST_NAME, None, "excluded relations", shown([share, most]), expected)
        return
    due = _by_statistics(complete, share, most) if share < 1 or most else {}
    for relation in sorted(due.keys() | dropped.keys()):
        reason, wanted = dropped.get(relation), due.get(relation)
        listed = reason is not None and reason not in (ONE_END, TOO_MANY)
        if reason != wanted and not (listed and options.get("filter")):
            found = f"{shown(relation)} {_excluded(reason)}"
            findings.add(MANIFEST_NAME, None, "excluded relations", found, _excluded(wanted))


def _excluded(reason: str | None) -> str:
    return "not excluded" if reason is None else f"excluded because {reason}"


def _by_statistics(graph: Graph, share: float, most: int) -> dict[str, str]:
    names = list(graph.terms.relations)
    due = {}
    ends: dict[int, list[Any]] = defaultdict(list)
    for column in (0, 2):
        keys = graph.columns[:, 1].astype(np.int64) << 32 | graph.columns[:, column]
        values, sizes = np.unique(keys, return_counts=True)
        relations = (values >> 32).tolist()
        cuts = np.flatnonzero(np.diff(values >> 32)) + 1
        starts = [0, *cuts.tolist()]
        for start, part in zip(starts, np.split(sizes, cuts), strict=True):
            if len(part):
                ends[relations[start]].append(part)
    for relation, parts in ends.items():
        size = int(parts[0].sum())
        if share < 1 and max(int(part.max()) for part in parts) > share * size:
            due[names[relation]] = ONE_END
        elif most and min(float(np.median(np.repeat(part, part))) for part in parts) > most:
            due[names[relation]] = TOO_MANY
    return due


def check_most_answers(
    config: dict[str, Any], questions: list[Located], findings: Findings
) -> None:
    """Checks that no question has more answers than the options allow."""
    options = config.get("questions")
    most = options.get("max_answers", 0) if isinstance(options, dict) else 0
    if type(most) is not int or most <= 0:
        return
    for here in questions:
        if (n := len(here.row["answers"])) > most:
            expected = f"at most {most} (manifest, config)"
            findings.add(here.file, here.line, "number of answers", f"{n} answers", expected)
