"""Assembles the contents of a release from the results of the stages."""

from typing import Any

import numpy as np

from rulemine.builder.removal.selection import Selection
from rulemine.kg.graph import KnowledgeGraph
from rulemine.phrasing.templates import Templates
from rulemine.release.contents import ModelTrace, ReleaseParts
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Certificate, Removal
from rulemine.rules.rule import sort_rules
from rulemine.verbalizer.counts import count_model

__all__ = ["parts_of_build"]


def parts_of_build(
    config: dict[str, Any],
    source: dict[str, Any],
    kg: KnowledgeGraph,
    selection: Selection,
    asked: QuestionSet,
    templates: Templates,
    trace: ModelTrace | None = None,
) -> ReleaseParts:
    """The parts of a release, from the results of the stages."""
    return ReleaseParts(
        naming="entity",
        config=config,
        source={**source, "digest": kg.digest, "duplicates": kg.duplicates},
        complete=kg,
        reference=asked.reference,
        levels=tuple(config["selection"]["levels"]) or (100,),
        removals=_removals(kg, selection),
        rules=sort_rules(selection.rules),
        questions=asked.questions,
        rejections=asked.rejections,
        names=asked.names,
        templates=templates,
        model_counts=count_model(trace, asked.questions, asked.rejections),
        trace=trace,
    )


def _removals(kg: KnowledgeGraph, selection: Selection) -> tuple[Removal, ...]:
    used = np.unique(np.append(selection.head, selection.body[selection.body >= 0]))
    triples = dict(zip(used.tolist(), kg.labeled(used), strict=True))
    found: dict[int, tuple[int, list[Certificate]]] = {}
    for head, rule, body, level in zip(
        selection.head.tolist(),
        selection.rule.tolist(),
        selection.body.tolist(),
        selection.level.tolist(),
        strict=True,
    ):
        proof = tuple(triples[row] for row in body if row >= 0)
        found.setdefault(head, (level, []))[1].append(Certificate(selection.rules[rule].id, proof))
    return tuple(
        Removal(triples[head], level, tuple(sorted(proofs, key=lambda c: (c.rule, c.body))))
        for head, (level, proofs) in sorted(found.items())
    )
