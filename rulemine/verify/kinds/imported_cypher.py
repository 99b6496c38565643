"""Cypher questions that others published: their graphs are there; the Cypher is run where it is scored."""

from rulemine.verify.kinds.imported import ABOUT_ROWS as CHECKS

__all__ = ["CHECKS"]
