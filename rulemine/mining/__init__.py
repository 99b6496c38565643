"""Mining: from a knowledge graph to rules. Importing it starts no Java."""

from rulemine.mining.miner import mine
from rulemine.mining.options import MiningOptions
from rulemine.mining.result import Rules

__all__ = ["MiningOptions", "Rules", "mine"]
