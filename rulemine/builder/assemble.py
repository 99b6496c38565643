"""The records of removed triples, from the results of the stages, and counts of what a model was asked."""

import json
from collections import Counter
from dataclasses import replace
from itertools import compress
from typing import Any

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph
from rulemine.llm.call import Failure
from rulemine.llm.journal import answer_of
from rulemine.release.contents import ModelTrace
from rulemine.release.records import Certificate, Difficulty, PerDirection, Removal
from rulemine.removal.selection import Selection

__all__ = ["count_model", "edges_between", "removals_of"]


def edges_between(
    kg: KnowledgeGraph, subjects: npt.NDArray[np.int32], objects: npt.NDArray[np.int32]
) -> list[tuple[str, ...]]:
    """The relations stated from one entity to another.

    Args:
        kg: The graph.
        subjects: Entity ids, shape (m,).
        objects: Entity ids, shape (m,).

    Returns:
        For each pair, the relations from subject to object, sorted.
    """
    n = max(1, len(kg.entities))
    # Only triples with both ends among the given entities can match.
    ends = np.zeros((2, n), bool)
    ends[0, subjects] = ends[1, objects] = True
    rows = np.flatnonzero(ends[0, kg.triples[:, 0]] & ends[1, kg.triples[:, 2]])
    pairs = kg.triples[rows, 0].astype(np.int64) * n + kg.triples[rows, 2]
    # Triples are sorted by relation before object; a stable sort keeps this order in equal pairs.
    order = np.argsort(pairs, kind="stable")
    wanted = subjects.astype(np.int64) * n + objects
    first, last = (np.searchsorted(pairs[order], wanted, side) for side in ("left", "right"))
    relations = kg.triples[rows[order], 1]
    return [
        tuple(kg.relations[r] for r in relations[a:b].tolist())
        for a, b in zip(first.tolist(), last.tolist(), strict=True)
    ]


def removals_of(kg: KnowledgeGraph, selection: Selection) -> tuple[Removal, ...]:
    """The removed triples of a graph, each once, with their certificates by rule and body."""
    used = distinct(np.append(selection.head, selection.body[selection.body >= 0]))
    triples = dict(zip(used.tolist(), kg.labeled(used), strict=True))
    incomplete = kg.without(selection.removed)
    s, _, o = kg.triples[selection.head].T
    edges = zip(edges_between(incomplete, o, s), edges_between(incomplete, s, o), strict=True)
    found: dict[int, list[Removal]] = {}
    for row, (inverse, parallel) in enumerate(edges):
        head, number = int(selection.head[row]), int(selection.rule[row])
        rule, by = selection.rules[number], int(selection.selected_by[row])
        confidence = rule.known.std_confidence
        body = tuple(triples[part] for part in selection.body[row].tolist() if part >= 0)
        prior = PerDirection(*selection.prior[row].tolist())
        removal = Removal(
            triple=triples[head],
            level=int(selection.level[row]),
            directions=tuple(compress(DIRECTIONS, selection.directions[row])),
            certificate=Certificate(rule.id, rule.proves(body), body),
            selected_by=None if by == number else selection.rules[by].id,
            difficulty=Difficulty(
                proofs=int(selection.proofs[row]),
                shortest_proof=int(selection.shortest[row]),
                inverse_edge=inverse,
                parallel_edge=parallel,
                std_confidence=confidence,
                pca_confidence=rule.known.pca_confidence,
                head_coverage=rule.known.head_coverage,
                prior=prior,
                lift=PerDirection(confidence / prior.subject, confidence / prior.object),
            ),
            core=bool(selection.core[row]),
        )
        found.setdefault(head, []).append(removal)
    return tuple(_one_of(found[head]) for head in sorted(found))


def _one_of(rows: list[Removal]) -> Removal:
    """Merges the rows of one removed triple into one record with all their certificates."""
    first, *others = sorted(rows, key=lambda row: (row.certificate.rule, row.certificate.body))
    return replace(first, further_certificates=tuple(row.certificate for row in others))


def count_model(trace: ModelTrace | None) -> dict[str, Any]:
    """Counts calls by purpose, tokens, and verdicts for the manifest; all zero without a model."""
    from rulemine.verbalizer.replies import SCHEMAS, UNREAD, read_verdict

    calls, tokens, audits = Counter[str](), Counter[str](), Counter[str]()
    for line in map(json.loads, trace.journal if trace else ()):
        purpose = line["purpose"]
        calls[purpose] += 1
        tokens.update(line.get("usage", {}))
        if purpose.endswith("audit") and purpose in SCHEMAS:
            answer = answer_of(line)
            found = None if isinstance(answer, Failure) else read_verdict(answer, purpose)
            problem = found.problem if found else UNREAD
            audits["unreadable" if problem is UNREAD else "failed" if problem else "passed"] += 1
    return {
        "model_calls": dict(sorted(calls.items())),
        "model_tokens": {key: tokens[f"{key}_tokens"] for key in ("prompt", "completion")},
        "audits": {key: audits[key] for key in ("passed", "failed", "unreadable")},
    }
