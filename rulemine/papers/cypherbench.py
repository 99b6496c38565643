"""The tables and figures of CypherBench (arXiv 2412.18702v2)."""

from rulemine.papers.paper import Paper

__all__ = ["CYPHERBENCH"]

CYPHERBENCH = Paper(
    name="cypherbench",
    title="CypherBench (Feng et al.)",
    version="arXiv 2412.18702v2",
    exhibits=(),
)
