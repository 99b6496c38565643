"""A data set of another package: a graph that lies beside this file."""

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
