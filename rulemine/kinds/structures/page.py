"""The figures and the card of a release of the kind ``structures``; the text is ``page.md``."""

from collections.abc import Mapping
from typing import Any

from rulemine.config import packaged
from rulemine.files import read_text
from rulemine.kinds.query_figures import figures_of_queries
from rulemine.kinds.query_page import examples_of_structures, values_of_queries
from rulemine.query.structures import STRUCTURES
from rulemine.release.card.figure import Figure
from rulemine.release.card.kind_page import KindPage, Manifest

__all__ = ["FIGURES", "STRUCTURE_PAGE"]

FIGURES: tuple[Figure, ...] = tuple(figures_of_queries(STRUCTURES))
"""The statistics of the paper on structures, of all nine."""

_TYPES = {
    "schema": "those of the schema",
    "stated": "the graph states them by a relation such as `rdf:type`",
    "names": "Freebase's names of relations, `/domain/type/property`, tell those of their subjects",
    "induced": "induced from the relations: the subjects of a relation are a type and so are its objects, "
    "and two of these with mostly the same members are one",
}


def _values(manifest: Manifest) -> Mapping[str, Any]:
    """How questions were drawn, beside the statistics."""
    types, *more_types = str(manifest["kg"].get("types", "")).split(", ")
    return {
        **values_of_queries(manifest),
        "types": _TYPES.get(types, types or "given"),
        "more_types": bool(more_types),
    }


STRUCTURE_PAGE = KindPage(
    FIGURES, read_text(packaged("kinds", "structures", "page.md")), _values, examples_of_structures
)
"""What the cards of the kind ``structures`` say."""
