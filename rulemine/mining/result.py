"""The rules of a mining run: a tuple of rules that knows how to become a table."""

from typing import TYPE_CHECKING

from rulemine.frames import frame
from rulemine.rules.formats import rule_to_json
from rulemine.rules.rule import Rule

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Rules"]


class Rules(tuple[Rule, ...]):
    """Rules in the order given; equal to any tuple of the same rules.

    Attributes:
        unfinished: Head relations, in order, whose rules are missing because a limit of time ended
            the run; empty when the rules are complete.

    Example:
        >>> from rulemine import KnowledgeGraph, MiningOptions, mine
        >>> couples = [("ann", "bob"), ("cleo", "dan"), ("eve", "finn")]
        >>> kg = KnowledgeGraph.from_triples(
        ...     [(x, "wife", y) for x, y in couples] + [(y, "husband", x) for x, y in couples[:2]]
        ... )
        >>> rules = mine(kg, MiningOptions(max_atoms=2, min_initial_support=1))
        >>> frame = rules.to_pandas()
        >>> print(frame[["rule", "type", "support", "pca_confidence"]].to_string(index=False))
                            rule      type  support  pca_confidence
        wife(y,x) ⇒ husband(x,y) inversion        2             1.0
        husband(y,x) ⇒ wife(x,y) inversion        2             1.0
    """

    unfinished: tuple[str, ...] = ()

    def to_pandas(self) -> "pd.DataFrame":
        """A row per rule, in order.

        Returns:
            Columns: ``id``, ``rule`` (readable), ``type``, ``subtype``, ``head`` (its relation),
            ``atoms`` (their number, the head included), and the measures of `Rule.measures` with
            ``functional`` as ``?a`` or ``?b``; missing values where a rule carries no measures.

        Raises:
            UserError: pandas is not installed.
        """
        rows = [
            {**row, "head": rule.head.relation, "atoms": rule.length}
            for rule, row in zip(self, map(rule_to_json, self), strict=True)
        ]
        return frame({name: [row.get(name) for row in rows] for name in COLUMNS})


COLUMNS = (
    "id",
    "rule",
    "type",
    "subtype",
    "head",
    "atoms",
    "head_coverage",
    "std_confidence",
    "pca_confidence",
    "support",
    "body_size",
    "pca_body_size",
    "head_size",
    "functional",
)
