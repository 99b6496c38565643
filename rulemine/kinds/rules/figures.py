"""The figures that only a release of the kind ``rules`` has: about the one proof of each question.

Guarantees: as `rulemine.release.card.figures`.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rulemine.kg.graph import Triple
from rulemine.release.card.bins import LIFTS, PRIORS, PROOFS, by, from_bound, up_to, upper_names
from rulemine.release.contents import ReleaseParts
from rulemine.release.records import Removal, RuleQuestion, rule_questions
from rulemine.rules.rule import Rule
from rulemine.rules.taxonomy import RULE_SUBTYPES, RULE_TYPES

__all__ = ["count_completed", "count_proofs"]


def count_proofs(parts: ReleaseParts) -> dict[str, Any]:
    """Questions by their proofs, of all (``questions…``) and of the core (``core…``)."""
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
        "type": (RULE_TYPES, lambda q: q.rules.rule_type),
        "subtype": (tuple(RULE_SUBTYPES), lambda q: q.rules.rule_subtype),
        "body_atoms": (lengths, lambda q: str(len(rule(q).body))),
        "shortest_proof": (lengths, lambda q: str(removal(q).difficulty.shortest_proof)),
        "proofs": (upper_names(PROOFS), lambda q: up_to(removal(q).difficulty.proofs, PROOFS)),
        "confidence": (tenths, lambda q: tenths[10 * rule(q).support // rule(q).body_size]),
        "prior": (upper_names(PRIORS)[:-1], lambda q: up_to(prior(q), PRIORS)),
        "lift": (
            tuple(map(str, LIFTS)),
            lambda q: from_bound(rule(q).known.std_confidence / prior(q), LIFTS),
        ),
    }
    questions = rule_questions(parts.questions)
    core = [q for q in questions if q.core]
    found: dict[str, Any] = {}
    for name, (bins, bin_of) in kinds.items():
        found[f"questions_by_{name}"] = by(bins, map(bin_of, questions))
        found[f"core_by_{name}"] = by(bins, map(bin_of, core))
    return found


def count_completed(parts: ReleaseParts) -> dict[str, int]:
    """The answers that only another statement of the fact gives, and the questions with one."""
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
    return {"answers_completed": completed, "questions_completed": questions_completed}
