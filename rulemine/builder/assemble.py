"""Assembles the contents of a release from the results of the stages, and counts what a model was asked."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, replace
from itertools import compress
from typing import Any

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kinds.registry import kind_named
from rulemine.llm.call import Answer, Failure
from rulemine.llm.journal import answer_of
from rulemine.phrasing.templates import Templates
from rulemine.release.contents import ModelTrace, ReleaseParts
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Certificate, Difficulty, PerDirection, Removal
from rulemine.removal.selection import Selection
from rulemine.rules.rule import sort_rules
from rulemine.verbalizer.replies import SCHEMAS, Verdict, read_verdict

__all__ = ["count_model", "edges_between", "parts_of_build"]


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
    rows = np.flatnonzero(_among(kg, subjects, 0) & _among(kg, objects, 2))
    pairs = kg.triples[rows, 0].astype(np.int64) * n + kg.triples[rows, 2]
    # Triples are sorted by relation before object; a stable sort keeps this order in equal pairs.
    order = np.argsort(pairs, kind="stable")
    pairs = pairs[order]
    wanted = subjects.astype(np.int64) * n + objects
    first = np.searchsorted(pairs, wanted, "left")
    last = np.searchsorted(pairs, wanted, "right")
    relations = kg.triples[rows[order], 1]
    return [
        tuple(kg.relations[r] for r in relations[a:b].tolist())
        for a, b in zip(first.tolist(), last.tolist(), strict=True)
    ]


def _among(
    kg: KnowledgeGraph, entities: npt.NDArray[np.int32], column: int
) -> npt.NDArray[np.bool_]:
    """Which triples have one of the entities at one end."""
    there = np.zeros(len(kg.entities), bool)
    there[entities] = True
    found: npt.NDArray[np.bool_] = there[kg.triples[:, column]]
    return found


def parts_of_build(
    config: dict[str, Any],
    source: dict[str, Any],
    kg: KnowledgeGraph,
    selection: Selection,
    asked: QuestionSet,
    templates: Templates,
    trace: ModelTrace | None,
    *,
    rules_mined: int,
    rules_refused: int | None = None,
    types: Mapping[str, tuple[str, ...]] | None = None,
    sampling: Mapping[str, Any] | None = None,
    graph: PropertyGraph | None = None,
) -> ReleaseParts:
    """The parts of a release, from the results of the stages, and the number of rules as mined.

    Of a build with standards of proof also from the number of rules that these refuse.
    Of some kinds also from the types of entities, what sampling counted, and a property graph.
    """
    return ReleaseParts(
        naming="entity",
        config=config,
        source={
            **source,
            "digest": kg.digest,
            "duplicates": kg.duplicates,
            **({"relation_iris": dict(kg.relation_iris)} if kg.relation_iris else {}),
        },
        complete=kg,
        reference=asked.reference,
        levels=tuple(config["selection"]["levels"]) or (100,),
        removals=_removals(kg, selection),
        rules=sort_rules(selection.rules),
        questions=asked.questions,
        rejections=asked.rejections,
        names=asked.names,
        templates=templates,
        model_counts=count_model(trace),
        selection_counts={
            "rules_mined": rules_mined,
            **({} if rules_refused is None else {"rules_refused": rules_refused}),
            **{name: n for name, n in asdict(selection.counts).items() if n >= 0},
        },
        trace=trace,
        types=types,
        sampling_counts=sampling or {},
        graph=graph,
        records={
            file.name: tuple(file.made(asked.records.get(file.name, ()), asked.questions, config))
            for file in kind_named(config["kind"]).files
        },
    )


def _removals(kg: KnowledgeGraph, selection: Selection) -> tuple[Removal, ...]:
    """The removed triples, each once, with their certificates by rule and body."""
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
    """One removal with the certificates of several rows of a triple."""
    first, *others = sorted(rows, key=lambda row: (row.certificate.rule, row.certificate.body))
    return replace(first, further_certificates=tuple(row.certificate for row in others))


def count_model(trace: ModelTrace | None) -> dict[str, Any]:
    """Counts calls by purpose, tokens, and verdicts for the manifest; all zero without a model."""
    calls: Counter[str] = Counter()
    tokens: Counter[str] = Counter()
    audits: Counter[str] = Counter()
    for line in map(json.loads, trace.journal if trace else ()):
        calls[line["purpose"]] += 1
        tokens.update(line.get("usage", {}))
        if line["purpose"].endswith("audit") and line["purpose"] in SCHEMAS:
            audits[_audit(answer_of(line), line["purpose"])] += 1
    return {
        "model_calls": dict(sorted(calls.items())),
        "model_tokens": {key: tokens[f"{key}_tokens"] for key in ("prompt", "completion")},
        "audits": {key: audits[key] for key in ("passed", "failed", "unreadable")},
    }


def _audit(answer: Answer, purpose: str) -> str:
    verdict = None if isinstance(answer, Failure) else read_verdict(answer, purpose)
    if not isinstance(verdict, Verdict):
        return "unreadable"
    return "passed" if verdict.passed else "failed"
