"""The papers by name; other packages add theirs by entry points in the group ``rulemine.papers``."""

from rulemine.papers.paper import Paper
from rulemine.registry import Registry

__all__ = ["PAPERS"]

PAPERS: Registry[Paper] = Registry(
    "rulemine.papers",
    "paper",
    Paper,
    {
        "brink": "rulemine.papers.brink:BRINK",
        "synthkgqa": "rulemine.papers.synthkgqa:SYNTHKGQA",
        "dynamickgqa": "rulemine.papers.dynamickgqa:DYNAMICKGQA",
        "complexlogicalqa": "rulemine.papers.complexlogicalqa:COMPLEXLOGICALQA",
        "cypherbench": "rulemine.papers.cypherbench:CYPHERBENCH",
    },
)
"""Name → paper."""
