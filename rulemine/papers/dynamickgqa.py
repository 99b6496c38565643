"""The tables and figures of Dynamic-KGQA (arXiv 2503.05049)."""

from rulemine.papers.paper import Paper

__all__ = ["DYNAMICKGQA"]

DYNAMICKGQA = Paper(
    name="dynamickgqa",
    title="Dynamic-KGQA (Dammu et al.)",
    version="arXiv 2503.05049",
    exhibits=(),
)
