"""Mining: from a knowledge graph to rules. Importing it starts no Java."""

from typing import TYPE_CHECKING

from rulemine.registry import lazy_names

if TYPE_CHECKING:
    from rulemine.mining.miner import mine as mine
    from rulemine.mining.options import MiningOptions as MiningOptions
    from rulemine.mining.result import Rules as Rules

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "MiningOptions": "rulemine.mining.options",
        "Rules": "rulemine.mining.result",
        "mine": "rulemine.mining.miner",
    },
)
