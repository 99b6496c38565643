"""The card of a release of the kind ``cypher``: what only such a card says."""

from collections.abc import Sequence

from rulemine.release.card.kind_page import KindPage, Manifest
from rulemine.release.card.markdown import table
from rulemine.release.card.structure_figures import ALL
from rulemine.release.card.structure_page import (
    QUERY_SHARED,
    QUERY_STRATA,
    describe_missing,
    describe_structures,
    examples_of_structures,
    lead,
)

__all__ = ["CYPHER_PAGE"]


def _lead(name: str, manifest: Manifest) -> list[str]:
    written = "with their Cypher and their rows, over"
    return lead(name, manifest, "text-to-Cypher on", written)


def _changes(manifest: Manifest) -> list[str]:
    """What each level takes from the rows."""
    counts = manifest["counts"]
    statistics = {k: row for k, row in counts["statistics"].items() if k != ALL}
    levels = list(counts["changed"])
    rows: list[Sequence[object]] = [
        ("category", "questions", *(f"changed at {level} %" for level in levels))
    ]
    rows += [
        (name, row["questions"], *(counts["changed"][level].get(name, 0) for level in levels))
        for name, row in statistics.items()
    ]
    lost = ", ".join(f"{n:,} at {level} %" for level, n in counts["rows_lost"].items())
    spurious = ", ".join(f"{n:,} at {level} %" for level, n in counts["rows_spurious"].items())
    return [
        f"Values removed: {counts['values_removed']:,} of {counts['values_complete']:,}. Rows on the "
        f"complete graph: {counts['rows']:,}; lost: {lost}; that only an incomplete graph gives: {spurious}.",
        "",
        *table(rows),
    ]


CYPHER_PAGE = KindPage(
    lead=_lead,
    sizes={"What the removal changes": _changes, "Categories": describe_structures},
    origins={"Proofs": describe_missing},
    examples=examples_of_structures,
    shared=QUERY_SHARED,
    strata=QUERY_STRATA,
    block="`cypher` (templates, the Cypher, its columns and rows, order and ties; for each level the rows "
    "lost and spurious; relations, properties, removed triples and values, rules of their proofs)",
)
"""What the cards of the kind ``cypher`` say."""
