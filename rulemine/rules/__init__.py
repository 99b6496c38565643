"""Horn rules: notation, types, bodies, groundings and proofs."""

from typing import TYPE_CHECKING

from rulemine.registry import lazy_names

if TYPE_CHECKING:
    from rulemine.rules.formats import parse_readable as parse_readable
    from rulemine.rules.formats import read_rules as read_rules
    from rulemine.rules.grounding import Groundings as Groundings
    from rulemine.rules.grounding import ground as ground
    from rulemine.rules.rule import Measures as Measures
    from rulemine.rules.rule import Rule as Rule
    from rulemine.rules.rule import classify as classify
    from rulemine.rules.rule import sort_rules as sort_rules

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Groundings": "rulemine.rules.grounding",
        "Measures": "rulemine.rules.rule",
        "Rule": "rulemine.rules.rule",
        "classify": "rulemine.rules.rule",
        "ground": "rulemine.rules.grounding",
        "parse_readable": "rulemine.rules.formats",
        "read_rules": "rulemine.rules.formats",
        "sort_rules": "rulemine.rules.rule",
    },
)
