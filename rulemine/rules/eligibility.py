"""Which of the mined rules may prove something in a benchmark.

They are confident enough, not only where the answer can be guessed, and meet the standards of their form. A
standard holds for rules by their relations alone, for example for all whose body says who worked on what.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from rulemine.config import Section, option
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.relation_overlap import least_share
from rulemine.rules.blocks import MapLike, Progress
from rulemine.rules.rare_confidence import rare_confidences
from rulemine.rules.rule import Rule

__all__ = ["Standard", "confident_rules", "refused", "rules_beyond_guessing"]


@dataclass(frozen=True, slots=True)
class Standard(Section):
    """The least confidence of rules of one form; relations are listed by name, each list in order.

    Attributes:
        head: The relations of the heads that it holds for; empty: any.
        head_not: Relations of heads that it does not hold for.
        body_only: It holds for rules all of whose body atoms are of these; empty: of any relation.
        body_any: It holds for rules with a body atom of one of these; empty: of any relation.
        min_std_confidence: Lower bound on their standard confidence; 1: only rules without an exception.
        reason: Why.
    """

    head: tuple[str, ...] = option(())
    head_not: tuple[str, ...] = option(())
    body_only: tuple[str, ...] = option(())
    body_any: tuple[str, ...] = option(())
    min_std_confidence: float = option(1.0, above=0, most=1)
    reason: str = option("")

    def refuses(self, rule: Rule) -> bool:
        """Whether the rule, which has measures, is of the form and not confident enough."""
        head, body = rule.head.relation, {atom.relation for atom in rule.body}
        return (
            rule.known.std_confidence < self.min_std_confidence
            and (not self.head or head in self.head)
            and head not in self.head_not
            and (not self.body_only or body <= {*self.body_only})
            and (not self.body_any or not body.isdisjoint(self.body_any))
        )


def refused(rule: Rule, standards: Iterable[Standard]) -> bool:
    """Whether one of the standards refuses the rule."""
    return any(standard.refuses(rule) for standard in standards)


def confident_rules(
    rules: Iterable[Rule],
    excluded_from_bodies: Collection[str] = (),
    standards: Sequence[Standard] = (),
    min_sure_confidence: float = 0.0,
) -> tuple[Rule, ...]:
    """The rules that are confident enough, whose bodies name no relation that is kept out.

    Args:
        rules: The rules as mined; with measures.
        excluded_from_bodies: Relations that no body may name.
        standards: What rules of some form have to reach.
        min_sure_confidence: Lower bound on the lower end of the 95 % Wilson interval of the standard
            confidence; 0: no bound.

    Returns:
        These rules, in the order given.
    """
    return tuple(
        rule
        for rule in rules
        if least_share(rule.known.support, rule.known.body_size) >= min_sure_confidence
        and not any(atom.relation in excluded_from_bodies for atom in rule.body)
        and not refused(rule, standards)
    )


def rules_beyond_guessing(
    kg: KnowledgeGraph,
    rules: Sequence[Rule],
    least: float,
    *,
    max_prior: float,
    progress: Progress | None = None,
    run: MapLike = map,
) -> tuple[Rule, ...]:
    """The rules that are right often enough where the answer cannot be guessed.

    Args:
        kg: The complete graph.
        rules: The rules.
        least: Lower bound on the rare confidence (see `rulemine.rules.rare_confidence`); 0: all rules.
        max_prior: What makes an answer common.
        progress: Called with (rules done, all rules).
        run: Calls a function with blocks of the rules, perhaps in other processes.

    Returns:
        These rules, in the order given.
    """
    if not least:
        return tuple(rules)
    found = rare_confidences(kg, rules, max_prior, progress=progress, run=run)
    return tuple(rule for rule, value in zip(rules, found.tolist(), strict=True) if value >= least)
