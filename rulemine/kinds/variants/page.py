"""The card of a release of the kind ``variants``: what only such a card says; the text is ``page.md``."""

from collections.abc import Mapping
from typing import Any

from rulemine.config import packaged
from rulemine.files import read_text
from rulemine.kinds.query_page import examples_of_structures
from rulemine.kinds.variants.figures import FIGURES
from rulemine.kinds.written.page import values_of_written
from rulemine.release.card.kind_page import KindPage, Manifest

__all__ = ["VARIANT_PAGE"]


def _values(manifest: Manifest) -> Mapping[str, Any]:
    counts, values = manifest["counts"], values_of_written(manifest, "variants")
    judged = (counts["judged"] and values["told"].get("judged")) or {}
    return {**values, "verdicts": judged}


VARIANT_PAGE = KindPage(
    FIGURES, read_text(packaged("kinds", "variants", "page.md")), _values, examples_of_structures
)
"""What the cards of the kind ``variants`` say."""
