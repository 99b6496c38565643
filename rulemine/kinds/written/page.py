"""What the cards of releases say whose questions a writer asked; the text is ``page.md``."""

from collections.abc import Mapping
from typing import Any

from rulemine.kinds.query_figures import ALL
from rulemine.kinds.query_page import values_of_queries
from rulemine.release.card.bins import by_size
from rulemine.release.card.kind_page import Manifest
from rulemine.release.records import SPLITS

__all__ = ["values_of_written"]

ENOUGH = "enough "
"""How the reasons begin of what was accepted and is not needed."""


def values_of_written(manifest: Manifest, key: str) -> dict[str, Any]:
    """What the texts name of the statistics by split, and of what sampling told.

    Candidates that passed every check when there were enough questions are accepted ones; near duplicates are
    not.

    Args:
        manifest: The manifest.
        key: What the statistics are called in its counts.
    """
    counts, kind = manifest["counts"], manifest["config"]["kind"]
    rows, told = counts[key], counts["sampling"].get(kind, {})
    rejected: Mapping[str, int] = told.get("rejected", {})
    spare = sum(n for reason, n in rejected.items() if reason.startswith(ENOUGH))
    return {
        **values_of_queries(manifest),
        "shown": {
            part: rows[part] for part in (*SPLITS, ALL) if rows[part]["questions"] or part == ALL
        },
        "told": told,
        "accepted": told.get("questions", 0) + spare,
        "spare": spare,
        "candidates": {
            f"{'of them not needed' if why.startswith(ENOUGH) else 'rejected'}: {why}": n
            for why, n in by_size(rejected).items()
        },
    }
