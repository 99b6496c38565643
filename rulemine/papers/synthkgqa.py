"""The tables and figures of SynthKGQA (arXiv 2511.04473v1)."""

from rulemine.papers.paper import Paper

__all__ = ["SYNTHKGQA"]

SYNTHKGQA = Paper(
    name="synthkgqa",
    title="SynthKGQA (Cattaneo et al.)",
    version="arXiv 2511.04473v1",
    exhibits=(),
)
