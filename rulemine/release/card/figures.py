"""The figures of a release: the counts of its manifest, from which the card and its plots are made.

Every figure is counted from the parts that are written, once. ``docs/release.md`` says what each means.

Guarantees: the keys are always the same; no figure depends on the naming or on the order of records.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from rulemine.kg.facts import Declarations
from rulemine.kg.graph import Triple
from rulemine.kg.priors import CORE_PRIOR, priors
from rulemine.kg.relation_overlap import overlapping_relations, undeclared_relations
from rulemine.release.contents import ReleaseParts
from rulemine.release.guessing import commonest_answers, guessed, order_of_names
from rulemine.release.overlap import Distances, Overlap, compare_splits
from rulemine.release.records import (
    SPLITS,
    WORDINGS,
    Question,
    Removal,
    RuleQuestion,
    rule_questions,
)
from rulemine.rules.rule import Rule
from rulemine.rules.taxonomy import RULE_SUBTYPES, RULE_TYPES, classify

__all__ = ["GUESSES", "LIFTS", "PRIORS", "PROOFS", "bin_label", "figures_of"]

GUESSES = (1, 5)
"""Numbers of guesses."""

PRIORS = (0.001, 0.01, 0.03, 0.05, 0.07, 0.2, 1.0)
"""Upper bounds of the bins of priors, inclusive."""

LIFTS = (0, 1, 2, 4, 10, 30, 100, 1000)
"""Lower bounds of the bins of lift, inclusive."""

PROOFS = (1, 2, 5, 10, 100)
"""Upper bounds of the bins of remaining proofs, inclusive; the last bin is ``more``."""


def figures_of(parts: ReleaseParts) -> dict[str, Any]:
    """All figures of a release; JSON values only."""
    return {
        **_graph(parts),
        **_rules(parts),
        **_questions(parts),
        **_answers(parts),
        **_edges(parts),
        **_guesses(parts),
        **_spread(parts.questions),
        "splits": _splits(parts.questions),
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
    }


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
        "rules_by_type": _by(RULE_TYPES, (classify(rule).type for rule in parts.rules)),
        "rules_with_certificate": len({proof.rule for proof in proofs}),
        "rules_with_question": len({rule for q in parts.questions for rule in q.rule_ids}),
        "certificates": len(proofs),
    }


def _questions(parts: ReleaseParts) -> dict[str, Any]:
    """How many questions there are of each kind, of all (``questions…``) and of the core (``core…``)."""
    rules = {rule.id: rule for rule in parts.rules}
    removals = {removal.triple: removal for removal in parts.removals}
    longest = max((len(rule.body) for rule in parts.rules), default=1)
    lengths = tuple(str(n) for n in range(1, longest + 1))
    tenths = tuple(f"{n / 10:.1f}" for n in range(11))

    def rule(q: RuleQuestion) -> Rule:
        return rules[q.rules.rule]

    def removal(q: RuleQuestion) -> Removal:
        return removals[q.rules.removed]

    def prior(q: RuleQuestion) -> float:
        found = removal(q).difficulty.prior
        return found.subject if q.rules.direction == "subject" else found.object

    kinds: dict[str, tuple[Sequence[str], Callable[[RuleQuestion], str]]] = {
        "split": (SPLITS, lambda q: q.split),
        "type": (RULE_TYPES, lambda q: q.rules.rule_type),
        "subtype": (tuple(RULE_SUBTYPES), lambda q: q.rules.rule_subtype),
        "body_atoms": (lengths, lambda q: str(len(rule(q).body))),
        "shortest_proof": (lengths, lambda q: str(removal(q).difficulty.shortest_proof)),
        "proofs": (_upper(PROOFS), lambda q: _up_to(removal(q).difficulty.proofs, PROOFS)),
        "confidence": (tenths, lambda q: tenths[10 * rule(q).support // rule(q).body_size]),
        "prior": (_upper(PRIORS)[:-1], lambda q: _up_to(prior(q), PRIORS)),
        "lift": (
            tuple(map(str, LIFTS)),
            lambda q: _from(rule(q).known.std_confidence / prior(q), LIFTS),
        ),
    }
    questions = rule_questions(parts.questions)
    core = [q for q in questions if q.core]
    found: dict[str, Any] = {"questions": len(parts.questions), "core": len(core)}
    for name, (bins, bin_of) in kinds.items():
        found[f"questions_by_{name}"] = _by(bins, map(bin_of, questions))
        found[f"core_by_{name}"] = _by(bins, map(bin_of, core))
    return found


def _by(bins: Sequence[str], values: Iterable[str]) -> dict[str, int]:
    """How often each of the bins occurs; other values are not counted."""
    counts = Counter(values)
    return {name: counts[name] for name in bins}


def _upper(bounds: Sequence[float]) -> tuple[str, ...]:
    return (*(f"{bound:g}" for bound in bounds), "more")


def _up_to(value: float, bounds: Sequence[float]) -> str:
    return next((f"{bound:g}" for bound in bounds if value <= bound), "more")


def _from(value: float, bounds: Sequence[float]) -> str:
    return next(f"{bound:g}" for bound in reversed(bounds) if value >= bound)


def bin_label(key: str, name: str) -> str:
    """What the card and its plots call a bin.

    Args:
        key: What is counted, as in ``questions_by_<key>``.
        name: The name of the bin there.

    Example:
        >>> bin_label("proofs", "5"), bin_label("lift", "4"), bin_label("prior", "0.05")
        ('3–5', '4–10', '0.03–0.05')
    """
    if key == "confidence":
        return "1" if name == "1.0" else f"{name}–{float(name) + 0.1:.1f}"
    if key == "lift":
        place = LIFTS.index(int(name))
        last = place == len(LIFTS) - 1
        return f"≥ {name}" if last else f"{name}–{LIFTS[place + 1]}" if place else f"< {LIFTS[1]}"
    if key == "prior":
        place = PRIORS.index(float(name))
        return f"{PRIORS[place - 1]:g}–{name}" if place else f"≤ {name}"
    if key == "proofs":
        if name == "more":
            return f"> {PROOFS[-1]}"
        place = PROOFS.index(int(name))
        low = PROOFS[place - 1] + 1 if place else 1
        return name if name == str(low) else f"{low}–{name}"
    return name


def _answers(parts: ReleaseParts) -> dict[str, Any]:
    """Answers, and how many of them only another statement of the fact gives."""
    declared = parts.templates.declarations
    stated_as = {
        relation for relation in declared.readings if relation in parts.complete.relation_ids
    }
    kg = parts.complete
    known: set[Triple] = set()
    if stated_as:
        wanted = [kg.relation_ids[relation] for relation in stated_as]
        known.update(kg.labeled(np.flatnonzero(np.isin(kg.triples[:, 1], wanted))))
    completed, questions_completed = 0, 0
    for q in rule_questions(parts.questions):
        if q.rules.relation not in stated_as:
            continue
        own = q.rules.direction == "object"
        others = sum(
            ((q.topic, q.rules.relation, a) if own else (a, q.rules.relation, q.topic)) not in known
            for a in (*q.stated, *q.hard_answers)
        )
        completed += others
        questions_completed += others > 0
    return {
        "answers": sum(len(q.answers) for q in parts.questions),
        "answers_stated": sum(len(q.stated) for q in parts.questions),
        "answers_hard": sum(len(q.hard) for q in parts.questions),
        "answers_core": sum(row.core for q in parts.questions for row in q.hard),
        "answers_further": sum(len(q.further) for q in parts.questions),
        "answers_completed": completed,
        "questions_completed": questions_completed,
        "some_answer_stated": sum(bool(q.stated) for q in parts.questions),
        "several_hard_answers": sum(len(q.hard) > 1 for q in parts.questions),
    }


def _edges(parts: ReleaseParts) -> dict[str, Any]:
    """What still joins the two ends of the removed triples that are asked about."""
    removals = {removal.triple: removal.difficulty for removal in parts.removals}
    overlaps = overlapping_relations(parts.complete)
    states = {(t.relation, t.other, t.reversed) for t in overlaps}
    asked = [(q.rules.relation, removals[q.rules.removed]) for q in rule_questions(parts.questions)]
    return {
        "inverse_edge_left": sum(bool(d.inverse_edge) for _, d in asked),
        "parallel_edge_left": sum(bool(d.parallel_edge) for _, d in asked),
        "overlapping_relations": len(overlaps),
        "restating_edge_left": sum(
            any((relation, other, True) in states for other in d.inverse_edge)
            or any((relation, other, False) in states for other in d.parallel_edge)
            for relation, d in asked
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
        found[f"{prefix}top_answer"] = max(Counter(q.hard_answer for q in some).values(), default=0)
        found[f"{prefix}top_relation"] = max(relations.values(), default=0)
        found[f"{prefix}relations_asked"] = len(relations)
        squares = sum(n * n for n in relations.values())
        found[f"{prefix}effective_relations"] = round(len(some) ** 2 / squares, 2) if some else 0.0
    return found


def _splits(questions: Sequence[Question]) -> dict[str, Any]:
    """How far each split is from the whole, and what it shares with train; None for an empty one."""
    found: dict[str, Any] = dict.fromkeys(SPLITS)
    for row in compare_splits(questions):
        found[row.split] = {
            "unseen": {
                "rule": row.unseen_rule, "relation": row.unseen_relation, "answer": row.unseen_answer,
            },
            "overlap": row.overlap and _rounded(row.overlap),
            "distances": _rounded(row.distances),
            "at_random": _rounded(row.at_random),
        }  # fmt: skip
    return found


def _rounded(row: Overlap | Distances) -> dict[str, float]:
    return {name: round(value, 4) for name, value in asdict(row).items()}


def _texts(parts: ReleaseParts) -> dict[str, Any]:
    reasons = Counter(f"{r.stage}: {r.reason}" for r in parts.rejections)
    return {
        "questions_by_wording": _by(WORDINGS, (q.wording for q in parts.questions)),
        "distinct_texts": len({q.question for q in parts.questions}),
        "phrases_written": parts.templates.written,
        "phrases_derived": parts.templates.derived,
        "paraphrases": sum(len(q.paraphrases) for q in parts.questions),
        "rejected": dict(sorted(reasons.items())),
    }
