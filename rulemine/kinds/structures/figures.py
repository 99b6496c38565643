"""The figures of a release of the kind ``structures``: the statistics of its paper."""

from typing import Any

from rulemine.kinds import query_figures
from rulemine.release.contents import ReleaseParts

__all__ = ["count_structures"]


def count_structures(parts: ReleaseParts) -> dict[str, Any]:
    """The figures by structure, of all nine."""
    return query_figures.count_structures(parts, every=True)
