"""Named data sets and packaged recipes."""

from typing import TYPE_CHECKING

from rulemine.registry import lazy_names

if TYPE_CHECKING:
    from rulemine.datasets.registry import DataSet as DataSet
    from rulemine.datasets.registry import data_sets as data_sets
    from rulemine.datasets.registry import load_kg as load_kg
    from rulemine.datasets.registry import load_labels as load_labels
    from rulemine.datasets.sources import SourceFile as SourceFile

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "DataSet": "rulemine.datasets.registry",
        "SourceFile": "rulemine.datasets.sources",
        "data_sets": "rulemine.datasets.registry",
        "load_kg": "rulemine.datasets.registry",
        "load_labels": "rulemine.datasets.registry",
    },
)
