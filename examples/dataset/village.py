"""A data set of another package, and words for its relations: both lie beside this file."""

from pathlib import Path

from rulemine.datasets import DataSet

VILLAGE = DataSet(
    title="Village: eight couples and their children",
    kind="kg",
    source="invented",
    license="CC0-1.0",
    citation="none",
    path=Path(__file__).with_name("village.tsv"),
)

WORDS = Path(__file__).with_name("village_words")
