"""Readers of question sets by name.

Names are this package's, and those that other packages give as entry points in the group
``rulemine.imports``.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from rulemine.registry import Registry

if TYPE_CHECKING:
    from rulemine.importing.protocol import Reader

__all__ = ["IMPORTS", "find_reader"]

IMPORTS: "Registry[Callable[..., Reader]]" = Registry(
    "rulemine.imports",
    "form of question sets",
    Callable,  # type: ignore[arg-type]  # an abstract class, as far as isinstance goes
    {
        # In the order of docs/importing.md.
        "brink": "rulemine.importing.readers.brink:BrinkReader",
        "rog": "rulemine.importing.readers.rog:RogReader",
        "cypherbench": "rulemine.importing.readers.cypherbench:CypherBench",
        "gtsqa": "rulemine.importing.readers.gtsqa:GtsqaReader",
        "dynamic-kgqa": "rulemine.importing.readers.dynamic_kgqa:DynamicKgqaReader",
        "plain": "rulemine.importing.readers.plain:Plain",
    },
)
"""Name → what makes the reader; its fields, or its keyword parameters, are its options."""


def find_reader(written: str) -> "Reader":
    """The reader that a text such as ``plain:text=query`` names.

    Raises:
        ConfigError: There is no such form, it has no such option, or a value is out of range.
    """
    made = IMPORTS.made(written, "plain:text=query", "docs/importing.md lists the options.")
    return cast("Reader", made)
