"""Eligible rules: those of the mined rules that may prove something in a benchmark."""

from collections.abc import Collection, Iterable, Sequence

from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.relation_overlap import least_share
from rulemine.rules.blocks import MapLike, Progress
from rulemine.rules.rare_confidence import rare_confidences
from rulemine.rules.rule import Rule
from rulemine.rules.standards import Standard, refused

__all__ = ["confident_rules", "rules_beyond_guessing"]


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
