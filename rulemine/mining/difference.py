"""How the rules of the original AMIE differ from those of this package's miner, with the same options.

The two agree but for one thing. AMIE drops a rule that is no better than the one it was first made from.
Where that one is not in the output either, because its standard confidence is too low or because it was
dropped in turn, which came first matters: a question of threads, and of the order of the file. This package
keeps every rule that some order keeps. Such differences are *by order*; any other is a fault of a miner.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from rulemine.errors import counted
from rulemine.kg.graph import KnowledgeGraph
from rulemine.mining.miner import mine
from rulemine.mining.options import MiningOptions, Resources
from rulemine.rules.rule import Measures, Rule

__all__ = ["MinerDifference"]


@dataclass(frozen=True)
class MinerDifference:
    """The difference between two lists of rules, each list in canonical order.

    Attributes:
        only_amie: Rules that AMIE alone has.
        only_ours: Rules that this package's miner alone has.
        measured_otherwise: Rules of both with different measures: AMIE's, then ours.
        by_order: Ids of those of the first two lists that depend on AMIE's order.
        same: How many rules agree.
    """

    only_amie: tuple[Rule, ...]
    only_ours: tuple[Rule, ...]
    measured_otherwise: tuple[tuple[Rule, Rule], ...]
    by_order: frozenset[str]
    same: int

    @classmethod
    def of(
        cls,
        amie: Iterable[Rule],
        ours: Iterable[Rule],
        kg: KnowledgeGraph,
        options: MiningOptions,
        resources: Resources | None = None,
    ) -> "MinerDifference":
        """Compares the rules of both miners.

        Args:
            amie: AMIE's rules.
            ours: This package's rules.
            kg: The graph of both.
            options: The options of both.
            resources: For mining once more what could explain the differences, if there are any.
        """
        theirs = {rule.id: rule for rule in amie}
        mine_ = {rule.id: rule for rule in ours}
        only_amie = tuple(rule for id_, rule in theirs.items() if id_ not in mine_)
        only_ours = tuple(rule for id_, rule in mine_.items() if id_ not in theirs)
        both = [(rule, mine_[id_]) for id_, rule in theirs.items() if id_ in mine_]
        otherwise = tuple((a, b) for a, b in both if a.measures != b.measures)
        by_order: set[str] = set()
        if options.skyline and only_ours:
            by_order = _by_order(only_ours, kg, options, resources)
            dropped = [rule for rule in only_ours if rule.id in by_order]
            by_order |= {rule.id for rule in only_amie if any(_hides(a, rule) for a in dropped)}
        return cls(only_amie, only_ours, otherwise, frozenset(by_order), len(both) - len(otherwise))

    @property
    def faults(self) -> int:
        """The number of differences that are not by order."""
        only = (*self.only_amie, *self.only_ours)
        return len(self.measured_otherwise) + sum(rule.id not in self.by_order for rule in only)

    def text(self) -> Iterator[str]:
        """Lines: what differs, where, the rule and its measures, separated by tabs; the last is a summary."""
        for name, rules in (("only AMIE", self.only_amie), ("only ours", self.only_ours)):
            for rule in rules:
                order = ", by order" * (rule.id in self.by_order)
                yield f"{name}{order}\t{rule}\t{_counts(rule.known)}"
        for amie, ours in self.measured_otherwise:
            yield f"other measures\t{amie}\tAMIE {_counts(amie.known)}\tours {_counts(ours.known)}"
        both = self.same + len(self.measured_otherwise)
        yield (
            f"{counted(both + len(self.only_amie), 'rule')} of AMIE, {both + len(self.only_ours):,} ours: "
            f"{self.same:,} the same, {len(self.measured_otherwise):,} with other measures, "
            f"{len(self.only_amie):,} only AMIE's, {len(self.only_ours):,} only ours"
            f"{f' ({len(self.by_order):,} by order)' if self.by_order else ''}."
        )


def _by_order(
    rules: tuple[Rule, ...],
    kg: KnowledgeGraph,
    options: MiningOptions,
    resources: Resources | None,
) -> set[str]:
    """Ids of the rules that AMIE drops if it makes them first from some rule that is as good."""
    heads = tuple(sorted({rule.head.relation for rule in rules}))
    every = replace(options, skyline=False, min_std_confidence=0, head_relations=heads)
    confidence = {rule.id: rule.known.pca_confidence for rule in mine(kg, every, resources)}
    found = set()
    for rule in rules:
        for at in range(len(rule.body)):
            parent = Rule(rule.head, rule.body[:at] + rule.body[at + 1 :])
            value = confidence.get(parent.id, 0.0) if parent.problem() is None else 0.0
            extended = value < 1 or not options.perfect_pruning
            if extended and value >= rule.known.pca_confidence:
                found.add(rule.id)
    return found


def _hides(shorter: Rule, rule: Rule) -> bool:
    """Whether the skyline drops a rule because of a shorter one, a part of it that is as good."""
    if shorter.head != rule.head or shorter.known.pca_confidence < rule.known.pca_confidence:
        return False
    parts = [rule]
    while parts and len(parts[0].body) > len(shorter.body):
        parts = [
            Rule(part.head, part.body[:at] + part.body[at + 1 :])
            for part in parts
            for at in range(len(part.body))
        ]
    return shorter.id in {part.id for part in parts}


def _counts(known: Measures) -> str:
    return (
        f"support {known.support}, body size {known.body_size}, PCA body size {known.pca_body_size}, "
        f"head size {known.head_size}, functional {'?b' if known.functional else '?a'}"
    )
