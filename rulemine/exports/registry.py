"""Export formats by name.

Names are this package's, and those that other packages give as entry points in the group
``rulemine.exports`` (see ``docs/extending.md``).
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from rulemine.registry import Registry

if TYPE_CHECKING:
    from rulemine.exports.protocol import Exporter

__all__ = ["EXPORTS", "find_exporter"]

EXPORTS: "Registry[Callable[..., Exporter]]" = Registry(
    "rulemine.exports",
    "export format",
    Callable,  # type: ignore[arg-type]  # an abstract class, as far as isinstance goes
    {
        # In the order of docs/exports.md.
        "rog": "rulemine.exports.rog:Rog",
        "gnnrag": "rulemine.exports.gnnrag:GnnRag",
        "tog": "rulemine.exports.tog:TogFiles",
        "gog": "rulemine.exports.gog:GogFiles",
        "structgpt": "rulemine.exports.structgpt:StructGptFiles",
        "byokg": "rulemine.exports.byokg:ByokgFiles",
        "lm-eval": "rulemine.exports.evaluation_tasks:LmEvalTask",
        "inspect": "rulemine.exports.evaluation_tasks:InspectTask",
        "rdf": "rulemine.exports.rdf:Rdf",
        "neo4j": "rulemine.exports.neo4j:Neo4j",
        "brink": "rulemine.exports.brink:BrinkExport",
        "gtsqa": "rulemine.exports.gtsqa:GtsqaExport",
        "dynamic-kgqa": "rulemine.exports.dynamic_kgqa:DynamicKgqaExport",
        "hf": "rulemine.exports.huggingface:HuggingFaceExport",
        "croissant": "rulemine.exports.croissant:CroissantExport",
    },
)
"""Name → what makes the exporter; its fields, or its keyword parameters, are its options."""


def find_exporter(written: str) -> "Exporter":
    """The exporter that a text such as ``rog:max_triples=500`` names.

    Raises:
        ConfigError: There is no such format, it has no such option, or a value is out of range.
    """
    made = EXPORTS.made(written, "rog:max_triples=500", "docs/exports.md lists the options.")
    return cast("Exporter", made)
