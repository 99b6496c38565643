"""Releases in the formats of other people's systems."""

from typing import TYPE_CHECKING

from rulemine.registry import lazy_names

if TYPE_CHECKING:
    from rulemine.exports.exporting import Exported as Exported
    from rulemine.exports.exporting import export as export
    from rulemine.exports.protocol import RowExport as RowExport
    from rulemine.exports.registry import EXPORTS as EXPORTS

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "EXPORTS": "rulemine.exports.registry",
        "Exported": "rulemine.exports.exporting",
        "RowExport": "rulemine.exports.protocol",
        "export": "rulemine.exports.exporting",
    },
)
