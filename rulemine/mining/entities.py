"""Mines rules about single entities: one atom from another, each with an entity of the graph.

“Who has worked for Disney's studio has the occupation animator” says what no rule without entities can.
There are many such candidates, and some are right by chance. So a rule needs a support, has to be right more
often than not, and of very many the most supported are enough.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from rulemine.kg.graph import KnowledgeGraph
from rulemine.mining.miner import mine
from rulemine.mining.options import MiningOptions, Resources
from rulemine.rules.rule import Rule

__all__ = ["mine_entity_rules"]

MORE_OFTEN_THAN_NOT = 0.5
"""Smallest standard confidence of a rule about single entities."""

MOST = 10_000
"""More rules take longer to prove with than they give questions."""


def mine_entity_rules(
    kg: KnowledgeGraph,
    options: MiningOptions,
    min_support: int,
    resources: Resources | None = None,
    progress: Callable[[int, int], None] | None = None,
    *,
    no_heads: Collection[str] = (),
    no_bodies: Collection[str] = (),
) -> Sequence[Rule]:
    """The rules with one body atom and an entity in both atoms, in canonical order.

    Of more than `MOST`, those with the largest support, of equals the first.

    Args:
        kg: The graph.
        options: Thresholds and filters; the number of atoms, `constants` and `injective` do not matter.
        min_support: Smallest support, ≥ 1.
        resources: As of `rulemine.mining.mine`.
        progress: As of `rulemine.mining.mine`.
        no_heads: Relations that are not asked about.
        no_bodies: Relations that prove nothing.

    Raises:
        RulemineError: As `rulemine.mining.mine`.
    """
    least = max(options.min_std_confidence, MORE_OFTEN_THAN_NOT)
    found = mine(
        kg,
        replace(options, max_atoms=2, constants=True, injective=False, min_std_confidence=least),
        resources,
        progress,
    )
    rules = [
        rule
        for rule in found
        if rule.known.support >= min_support
        and any(isinstance(term, str) for term in (rule.head.subject, rule.head.object))
        and rule.head.relation not in no_heads
        and rule.body[0].relation not in no_bodies
    ]
    by_support = sorted(range(len(rules)), key=lambda i: -rules[i].known.support)
    return [rules[i] for i in sorted(by_support[:MOST])]
