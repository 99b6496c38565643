"""Runs work on several machines by Dask. Importing this package imports no Dask."""

from typing import TYPE_CHECKING

from rulemine.registry import lazy_names

if TYPE_CHECKING:
    from rulemine.cluster.opening import opened as opened

__all__, __getattr__, __dir__ = lazy_names(__name__, {"opened": "rulemine.cluster.opening"})
