"""The figures of a release: the counts of its manifest, from which the card and its plots are made.

Every figure is counted from the parts that are written, once. ``docs/release.md`` says what each means.
Those of one kind of question alone are in modules of their own.

Guarantees: the keys are always the same for a kind; no figure depends on the order of records, nor, but for
the lengths of texts, on the naming.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rulemine.kg.facts import Declarations
from rulemine.kg.graph import Triple
from rulemine.kg.priors import CORE_PRIOR, priors
from rulemine.kg.relation_overlap import overlapping_relations, undeclared_relations
from rulemine.kinds.cypher.figures import count_cypher
from rulemine.kinds.rules.figures import count_completed, count_proofs
from rulemine.kinds.structures.figures import count_structures
from rulemine.kinds.subgraphs.figures import count_subgraphs
from rulemine.kinds.variants.figures import count_variants
from rulemine.release.card.bins import by
from rulemine.release.contents import ReleaseParts
from rulemine.release.guessing import commonest_answers, guessed, order_of_names
from rulemine.release.leakage import RemovedFacts
from rulemine.release.overlap import compare_splits
from rulemine.release.records import SPLITS, WORDINGS, Question
from rulemine.rules.taxonomy import RULE_TYPES, classify

__all__ = ["GUESSES", "figures_of"]

GUESSES = (1, 5)
"""Numbers of guesses."""


def figures_of(parts: ReleaseParts) -> dict[str, Any]:
    """All figures of a release; JSON values only."""
    own = {
        "rules": count_proofs,
        "structures": count_structures,
        "subgraphs": count_subgraphs,
        "variants": count_variants,
        "cypher": count_cypher,
    }[parts.kind]
    return {
        **_graph(parts),
        **_rules(parts),
        **_questions(parts.questions),
        **own(parts),
        **_answers(parts),
        **_edges(parts),
        **_guesses(parts),
        **_spread(parts.questions),
        "splits": _splits(parts),
        **_texts(parts),
        **parts.model_counts,
    }


def _graph(parts: ReleaseParts) -> dict[str, Any]:
    declared = parts.templates.declarations
    facts = {_fact(removal.triple, declared) for removal in parts.removals}
    asked = {
        _fact(triple, declared) for q in parts.questions for row in q.hard for triple in row.witness
    }
    most = parts.config["selection"].get("max_prior", CORE_PRIOR)
    removed = len(parts.removals)
    dropped: dict[str, str] = parts.source.get("dropped", {})
    return {
        "triples_complete": len(parts.complete),
        "triples_incomplete": len(parts.complete) - removed,
        "triples_askable": int(
            (priors(parts.complete, declared).min(axis=1, initial=2) <= most).sum()
        ),
        "triples_removed": removed,
        "removed_core": sum(r.core for r in parts.removals),
        "removed_not_asked": sum(_fact(r.triple, declared) not in asked for r in parts.removals),
        "removed_restatements": removed - len(facts),
        "removed_by_level": {
            str(level): sum(r.level <= level for r in parts.removals) for level in parts.levels
        },
        "selected_by_another": sum(r.selected_by is not None for r in parts.removals),
        "selection": parts.selection_counts,
        "entities": len(parts.names),
        "relations": len(parts.templates.rows),
        "relations_dropped": len(dropped),
        "relations_declared": sum(
            row.relation in declared.readings for row in parts.templates.rows
        ),
        "relations_undeclared": [
            {"relation": a, "other": b, "looks": looks, "share": share}
            for a, b, looks, share in undeclared_relations(parts.complete, declared)
            if not {a, b} & dropped.keys()
        ],
        "triples_reference": len(parts.reference),
        "core_joined_by_reference": _joined_by_reference(parts),
    }


def _joined_by_reference(parts: ReleaseParts) -> int:
    """Of how many removed triples of the core the reference joins the two ends."""
    pairs = {frozenset((s, o)) for s, _, o in parts.reference}
    return sum(frozenset(r.triple[::2]) in pairs for r in parts.removals if r.core)


def _fact(triple: Triple, declared: Declarations) -> Triple:
    """One of the statements of a triple's fact, the same for all of them."""
    s, r, o = triple
    fact, turned, symmetric = declared[r]
    if turned or (symmetric and o < s):
        s, o = o, s
    return s, fact, o


def _rules(parts: ReleaseParts) -> dict[str, Any]:
    proofs = [p for r in parts.removals for p in (r.certificate, *r.further_certificates)]
    return {
        "rules": len(parts.rules),
        "rules_by_type": by(RULE_TYPES, (classify(rule).type for rule in parts.rules)),
        "rules_with_certificate": len({proof.rule for proof in proofs}),
        "rules_with_question": len({rule for q in parts.questions for rule in q.rule_ids}),
        "certificates": len(proofs),
    }


def _questions(questions: Sequence[Question]) -> dict[str, Any]:
    core = [q for q in questions if q.core]
    return {
        "questions": len(questions),
        "core": len(core),
        "questions_by_split": by(SPLITS, (q.split for q in questions)),
        "core_by_split": by(SPLITS, (q.split for q in core)),
    }


def _answers(parts: ReleaseParts) -> dict[str, int]:
    questions = parts.questions
    return {
        "answers": sum(len(q.answers) for q in questions),
        "answers_stated": sum(len(q.stated) for q in questions),
        "answers_hard": sum(len(q.hard) for q in questions),
        "answers_core": sum(row.core for q in questions for row in q.hard),
        "answers_further": sum(len(q.further) for q in questions),
        **(count_completed(parts) if parts.kind == "rules" else {}),
        "some_answer_stated": sum(bool(q.stated) for q in questions),
        "several_hard_answers": sum(len(q.hard) > 1 for q in questions),
    }


def _edges(parts: ReleaseParts) -> dict[str, Any]:
    """What still joins the two ends of the removed triples that are asked about."""
    removals = {removal.triple: removal.difficulty for removal in parts.removals}
    overlaps = overlapping_relations(parts.complete)
    states = {(t.relation, t.other, t.reversed) for t in overlaps}
    asked = [[(t[1], removals[t]) for t in q.removed] for q in parts.questions]
    return {
        "inverse_edge_left": sum(any(d.inverse_edge for _, d in row) for row in asked),
        "parallel_edge_left": sum(any(d.parallel_edge for _, d in row) for row in asked),
        "overlapping_relations": len(overlaps),
        "restating_edge_left": sum(
            any(
                (relation, other, True) in states for relation, d in row for other in d.inverse_edge
            )
            or any(
                (relation, other, False) in states
                for relation, d in row
                for other in d.parallel_edge
            )
            for row in asked
        ),
    }


def _guesses(parts: ReleaseParts) -> dict[str, Any]:
    """How many test questions the commonest training answers get right."""
    declared = parts.templates.declarations
    training = [q for q in parts.questions if q.split == "train"]
    test = [q for q in parts.questions if q.split == "test"]
    order = order_of_names(parts.names, parts.naming)
    guesses = commonest_answers(training, declared, order)
    core = [q for q in test if q.core]
    return {
        "guessed": {str(k): guessed(test, guesses, k, declared) for k in GUESSES},
        "core_guessed": {str(k): guessed(core, guesses, k, declared) for k in GUESSES},
    }


def _spread(questions: Sequence[Question]) -> dict[str, Any]:
    """How concentrated hard answers and relations are."""
    found: dict[str, Any] = {}
    for prefix, some in (("", questions), ("core_", [q for q in questions if q.core])):
        relations = Counter(relation for q in some for relation in q.relations)
        answers = Counter(q.hard_answer for q in some if q.hard_answer is not None)
        found[f"{prefix}top_answer"] = max(answers.values(), default=0)
        found[f"{prefix}top_relation"] = max(relations.values(), default=0)
        found[f"{prefix}relations_asked"] = len(relations)
        squares = sum(n * n for n in relations.values())
        total = relations.total()
        found[f"{prefix}effective_relations"] = round(total**2 / squares, 2) if total else 0.0
    return found


def _splits(parts: ReleaseParts) -> dict[str, Any]:
    """How far each split is from the whole, and what it shares with train; None for an empty one."""
    found: dict[str, Any] = dict.fromkeys(SPLITS)
    values = [(row.node, row.property) for row in parts.removed_values]
    facts = RemovedFacts((removal.triple for removal in parts.removals), values)
    for row in compare_splits(parts.questions, facts):
        found[row.split] = {
            "relations": row.relations,
            "rules": row.rules,
            "given_away": row.given_away,
            "unseen": {
                "rule": row.unseen_rule, "relation": row.unseen_relation, "answer": row.unseen_answer,
            },
            "overlap": row.overlap and _rounded(asdict(row.overlap)),
            "distances": _rounded(row.distances),
            "from_train": _rounded(row.from_train),
            "at_random": _rounded(row.at_random),
        }  # fmt: skip
    return found


def _rounded(row: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in row.items()}


def _texts(parts: ReleaseParts) -> dict[str, Any]:
    reasons = Counter(f"{r.stage}: {r.reason}" for r in parts.rejections)
    return {
        "questions_by_wording": by(WORDINGS, (q.wording for q in parts.questions)),
        "distinct_texts": len({q.question for q in parts.questions}),
        "phrases_written": parts.templates.written,
        "phrases_derived": parts.templates.derived,
        "paraphrases": sum(len(q.paraphrases) for q in parts.questions),
        "rejected": dict(sorted(reasons.items())),
    }
