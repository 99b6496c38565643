"""Mines rules from knowledge graphs. Importing this package does not start Java."""

from typing import TYPE_CHECKING

from rulemine.registry import lazy_names

if TYPE_CHECKING:
    from rulemine.mining.amie_jar import AmieJar as AmieJar
    from rulemine.mining.miner import explain_no_rules as explain_no_rules
    from rulemine.mining.miner import mine as mine
    from rulemine.mining.options import MiningOptions as MiningOptions
    from rulemine.mining.options import Resources as Resources
    from rulemine.mining.options import TimeLimit as TimeLimit
    from rulemine.mining.result import Rules as Rules

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "AmieJar": "rulemine.mining.amie_jar",
        "MiningOptions": "rulemine.mining.options",
        "Resources": "rulemine.mining.options",
        "Rules": "rulemine.mining.result",
        "TimeLimit": "rulemine.mining.options",
        "explain_no_rules": "rulemine.mining.miner",
        "mine": "rulemine.mining.miner",
    },
)
