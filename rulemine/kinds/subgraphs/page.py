"""The card of a release of the kind ``subgraphs``: what only such a card says; the text is ``page.md``."""

from collections.abc import Mapping
from typing import Any

from rulemine.config import packaged
from rulemine.files import read_text
from rulemine.kinds.query_page import examples_of_structures
from rulemine.kinds.subgraphs.figures import FIGURES, MEASURES, SIZES
from rulemine.kinds.written.page import values_of_written
from rulemine.release.card.bins import by_size, range_label
from rulemine.release.card.kind_page import KindPage, Manifest

__all__ = ["SUBGRAPH_PAGE"]

MOST_RELATIONS = 10
"""Relations that are listed."""

_SPLIT = "split: "


def _values(manifest: Manifest) -> Mapping[str, Any]:
    counts = manifest["counts"]
    relations = counts["relation_triples"]
    sizes = by_size({name: sum(row.values()) for name, row in relations.items()})
    return {
        **values_of_written(manifest, "subgraphs"),
        "spread": {
            said: {range_label(size, SIZES): n for size, n in counts["histograms"][key].items()}
            for key, (said, _) in MEASURES.items()
        },
        "frequent": {name: relations[name] for name in list(sizes)[:MOST_RELATIONS]},
        "lost_to_split": {
            reason.removeprefix(_SPLIT): n
            for reason, n in counts["rejected"].items()
            if reason.startswith(_SPLIT)
        },
    }


SUBGRAPH_PAGE = KindPage(
    FIGURES, read_text(packaged("kinds", "subgraphs", "page.md")), _values, examples_of_structures
)
"""What the cards of the kind ``subgraphs`` say."""
