"""Eligible rules: those of the mined rules that may prove something in a benchmark."""

from collections.abc import Collection, Iterable, Sequence

from rulemine.rules.rule import Rule

__all__ = ["eligible_rules"]


def eligible_rules(
    rules: Iterable[Rule],
    min_std_confidence: Sequence[float] = (),
    kept_out: Collection[str] = (),
) -> tuple[Rule, ...]:
    """The rules that are confident enough and whose bodies name no relation that is kept out.

    Args:
        rules: The rules as mined; with measures.
        min_std_confidence: Lower bounds on the standard confidence of rules with 1, 2, … body atoms; the
            last one holds for longer bodies too. Empty: no bound.
        kept_out: Relations that no body may name.

    Returns:
        The eligible rules, in the order given.
    """
    floors = tuple(min_std_confidence) or (0.0,)
    return tuple(
        rule
        for rule in rules
        if rule.known.std_confidence >= floors[min(len(rule.body), len(floors)) - 1]
        and not any(atom.relation in kept_out for atom in rule.body)
    )
