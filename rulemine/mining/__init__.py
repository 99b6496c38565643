"""Mining: from a knowledge graph to rules. Importing it starts no Java."""

from rulemine.mining.mine import mine
from rulemine.mining.options import MiningOptions
from rulemine.mining.rules import Rules

__all__ = ["MiningOptions", "Rules", "mine"]
