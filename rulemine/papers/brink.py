"""The tables and figures of BRINK (arXiv 2508.08344v1)."""

from rulemine.papers.paper import Paper

__all__ = ["BRINK"]

BRINK = Paper(
    name="brink",
    title="BRINK (Zhou et al.)",
    version="arXiv 2508.08344v1",
    exhibits=(),
)
