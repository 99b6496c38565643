"""The tables and figures of ComplexLogicalQA (arXiv)."""

from rulemine.papers.paper import Paper

__all__ = ["COMPLEXLOGICALQA"]

COMPLEXLOGICALQA = Paper(
    name="complexlogicalqa",
    title="ComplexLogicalQA",
    version="arXiv",
    exhibits=(),
)
