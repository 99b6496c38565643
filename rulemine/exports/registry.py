"""Export formats by name.

Names are this package's, and those that other packages give as entry points in the group
``rulemine.exports`` (see ``docs/extending.md``).
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from rulemine.registry import Registry

if TYPE_CHECKING:
    from rulemine.exports.protocol import RowExport

__all__ = ["EXPORTS", "find_exporter"]

EXPORTS: "Registry[Callable[..., RowExport]]" = Registry(
    "rulemine.exports",
    "export format",
    Callable,  # type: ignore[arg-type]  # an abstract class, as far as isinstance goes
    {
        # In the order of docs/exports.md.
        "rog": "rulemine.exports.formats.graph_per_question:Rog",
        "gnnrag": "rulemine.exports.formats.graph_per_question:GnnRag",
        "tog": "rulemine.exports.formats.without_training:TogFiles",
        "gog": "rulemine.exports.formats.without_training:GogFiles",
        "structgpt": "rulemine.exports.formats.without_training:StructGptFiles",
        "byokg": "rulemine.exports.formats.without_training:ByokgFiles",
        "lightrag": "rulemine.exports.formats.without_training:LightRagFiles",
        "beir": "rulemine.exports.formats.without_training:BeirFiles",
        "sparql-sft": "rulemine.exports.formats.databases:SparqlTraining",
        "rdf": "rulemine.exports.formats.databases:Rdf",
        "neo4j": "rulemine.exports.formats.databases:Neo4j",
        "brink": "rulemine.exports.formats.benchmarks:BrinkExport",
        "gtsqa": "rulemine.exports.formats.benchmarks:GtsqaExport",
        "dynamic-kgqa": "rulemine.exports.formats.benchmarks:DynamicKgqaExport",
        "hf": "rulemine.exports.formats.published:HuggingFaceExport",
        "croissant": "rulemine.exports.formats.published:CroissantExport",
    },
)
"""Name → what makes the exporter; its fields, or its keyword parameters, are its options."""


def find_exporter(written: str) -> "RowExport":
    """The exporter that a text such as ``rog:max_triples=500`` names.

    Raises:
        ConfigError: There is no such format, it has no such option, or a value is out of range.
    """
    made = EXPORTS.made(written, "rog:max_triples=500", "docs/exports.md lists the options.")
    return cast("RowExport", made)
