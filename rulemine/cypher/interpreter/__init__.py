"""Read-only Cypher, run on a property graph in memory."""

from rulemine.cypher.interpreter.running import run

__all__ = ["run"]
