"""What a draft aims at: a ladder of thresholds, what a step of it costs, and floors that never move.

Work is counted in joins, not in seconds, so that the same graph gets the same thresholds on every machine.
A million joins take a little less than a second of one processor (measured on WN18RR, CoDEx-M, FB15k-237,
UMLS and the family graph, within a factor of two).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rulemine.arrays import distinct
from rulemine.kg.graph import KnowledgeGraph
from rulemine.rules.rule import Rule

__all__ = [
    "ANSWER_SHARES", "EFFORT", "ENOUGH", "FLOORS", "LADDER", "SHARES", "SURE", "Chosen", "Rung",
    "mining_work", "proving_work", "rules_within",
]  # fmt: skip


class Chosen(NamedTuple):
    """A value of a recipe, and why it has it.

    Attributes:
        key: The key, e.g. ``mining.max_atoms``.
        value: Its value.
        reason: Why, in a line.
    """

    key: str
    value: Any
    reason: str


EFFORT = 150
"""What a draft may spend unless the user says otherwise, in millions of joins: about two minutes."""


@dataclass(frozen=True, slots=True)
class Rung:
    """Thresholds of mining and selection, as the keys of a recipe are called."""

    max_atoms: int
    min_head_coverage: float
    min_std_confidence: float
    per_rule: int

    def choices(self, kg: KnowledgeGraph) -> tuple[Chosen, ...]:
        """The step as choices.

        Args:
            kg: The graph. Where its relations are small, a head coverage that asks for less than
                `LEAST_SUPPORT` triples would let chance through.
        """
        confidence, typical = self.min_std_confidence, typical_size(kg)
        coverage = max(self.min_head_coverage, min(1.0, round(LEAST_SUPPORT / max(1, typical), 4)))
        return (
            Chosen(
                "mining.max_atoms", self.max_atoms, "rules of at most so many atoms, the head too"
            ),
            Chosen(
                "mining.min_head_coverage",
                coverage,
                f"of a relation of {typical:,} triples, which is usual here, a rule explains "
                f"{round(coverage * typical):,}",
            ),
            Chosen(
                "mining.min_std_confidence", confidence, "of what a rule predicts, so much is known"
            ),
            Chosen(
                "mining.min_pca_confidence",
                confidence,
                "never below the standard confidence, so no bound of its own",
            ),
            Chosen("selection.per_rule", self.per_rule, "triples that one rule removes at most"),
        )


LEAST_SUPPORT = 10
"""Triples of a relation of the usual size that a rule has to explain."""

LADDER = (
    Rung(3, 0.1, 0.5, 30),
    Rung(3, 0.01, 0.3, 50),
    Rung(3, 0.001, 0.2, 100),
    Rung(4, 0.1, 0.3, 200),
    Rung(4, 0.01, 0.2, 200),
    Rung(4, 0.001, 0.2, 200),
)
"""The steps, from few rules to many."""

FLOORS = (
    Chosen(
        "mining.min_initial_support",
        30,
        "relations with fewer triples say too little of their rules",
    ),
    Chosen(
        "selection.min_rare_confidence",
        0.1,
        "where an answer cannot be guessed, a rule is right so often",
    ),
    Chosen("selection.max_prior", 0.07, "no answer that more than 7 % of a relation's topics have"),
    Chosen("questions.max_questions", 10_000, "more say no more about a system"),
    Chosen(
        "questions.filter",
        "found",
        "ids, dates, addresses, images and the like are not asked about",
    ),
    Chosen("questions.max_answers", 50, "nobody names more"),
    Chosen("questions.max_answer_share", 0.01, "no hard answer of more than 1 % of the questions"),
)
"""What every draft has, whatever the goal."""

SURE = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)
"""What a draft asks of the confidence of rules beyond its floors: of these, the highest that leaves enough
questions."""

ENOUGH = 3000
"""From so many questions on, better proofs are worth more than more questions."""

SHARES = (0.066, 0.1, 0.15, 0.2, 0.3, 0.5)
"""Largest fractions of the questions that may ask about one relation; a draft has the smallest that keeps
half of the core."""

ANSWER_SHARES = (0.02, 0.03, 0.05)
"""Largest fractions of few questions with one hard answer, where 1 % leaves next to none."""

JOINS_A_RULE = 1000
"""To look at a rule at all."""

JOINS_A_MATCH = 8
"""To look at one match of the body of a rule: whether it is right beyond guessing, and what it proves."""


def typical_size(kg: KnowledgeGraph) -> int:
    """The size of relation, in triples, such that half of the triples are of a relation no larger."""
    sizes = np.sort(kg.relation_sizes())
    return int(sizes[np.searchsorted(np.cumsum(sizes), len(kg) / 2)]) if len(sizes) else 0


def mining_work(kg: KnowledgeGraph, max_atoms: int) -> float:
    """The work of mining, in millions of joins.

    The miner joins relations, whatever their sizes: for each triple, the ends of relations at its subject
    with those at its object, for rules of four atoms; and at each entity the ends with one another for rules
    of three.

    Args:
        kg: The graph.
        max_atoms: The largest number of atoms of a rule, the head included.

    Returns:
        The estimate; higher for more atoms.
    """
    subject, relation, obj = kg.triples.T.astype(np.int64)
    codes = 2 * len(kg.relations)
    ends = np.concatenate([subject * codes + 2 * relation, obj * codes + 2 * relation + 1])
    at = np.bincount(distinct(ends) // max(1, codes), minlength=len(kg.entities)).astype(np.float64)
    joins = float(len(kg)) if max_atoms < 3 else float((at * at).sum())
    if max_atoms > 3:
        joins += float((at[subject] * at[obj]).sum()) * float(at.mean()) ** (max_atoms - 4)
    return joins / 1e6


def rules_within(effort: int) -> int:
    """The number of rules that an effort, in millions of joins, is enough to look at at all."""
    return effort * 1_000_000 // JOINS_A_RULE


def proving_work(rules: Iterable[Rule], sample: int) -> float:
    """The work of grounding rules, in millions of joins.

    Args:
        rules: The rules, with measures.
        sample: Matches of a rule that are looked at at most; 0: all.
    """
    most = sample or 2**62
    joins = sum(JOINS_A_RULE + JOINS_A_MATCH * min(rule.known.body_size, most) for rule in rules)
    return joins / 1e6
