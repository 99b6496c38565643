"""Standards of proof: rules of some form prove something only if they are confident enough.

A standard holds for rules by their relations alone, for example for all whose body only says who worked on
what.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from rulemine.config import Section, option
from rulemine.rules.rule import Rule

__all__ = ["Standard", "refused"]


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

    def holds_for(self, rule: Rule) -> bool:
        """Whether the rule is of the form."""
        head, body = rule.head.relation, {atom.relation for atom in rule.body}
        return (
            (not self.head or head in self.head)
            and head not in self.head_not
            and (not self.body_only or body <= {*self.body_only})
            and (not self.body_any or not body.isdisjoint(self.body_any))
        )

    def refuses(self, rule: Rule) -> bool:
        """Whether the rule, which has measures, is of the form and not confident enough."""
        return rule.known.std_confidence < self.min_std_confidence and self.holds_for(rule)


def refused(rule: Rule, standards: Iterable[Standard]) -> bool:
    """Whether one of the standards refuses the rule."""
    return any(standard.refuses(rule) for standard in standards)
