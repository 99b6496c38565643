"""The kinds of question by name.

Names are this package's, and those that other packages give as entry points in the group ``rulemine.kinds``.
Whatever lies outside the folders of the kinds asks a kind by way of this registry, and names none.
"""

import importlib
from collections.abc import Collection, Iterator
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from rulemine.registry import Registry

if TYPE_CHECKING:
    from rulemine.kinds.kind import Kind

__all__ = [
    "BUILT",
    "KINDS",
    "TOOLS",
    "USUAL",
    "form_of",
    "having",
    "is_built",
    "kind_named",
    "tool",
]

KINDS: "Registry[Kind]" = Registry(
    "rulemine.kinds",
    "kind of question",
    object,
    {
        "rules": "rulemine.kinds.rules.kind:KIND",
        "structures": "rulemine.kinds.structures.kind:KIND",
        "subgraphs": "rulemine.kinds.subgraphs.kind:KIND",
        "variants": "rulemine.kinds.variants.kind:KIND",
        "cypher": "rulemine.kinds.cypher.kind:KIND",
        "imported": "rulemine.kinds.imported.kind:KIND",
        "imported_cypher": "rulemine.kinds.imported.kind:CYPHER",
    },
)
"""Name → kind; the value of `Question.kind`, and of ``kind`` in a recipe and a manifest."""

TOOLS = {
    "imported parts": "rulemine.kinds.imported.making",
    "published": "rulemine.kinds.cypher.published",
    "tasks": "rulemine.kinds.cypher.task_lines",
    "topics": "rulemine.kinds.variants.topics",
}
"""What commands need of one kind alone → its module."""

_READ = ("imported", "imported_cypher")


class _Built(Collection[str]):
    """The kinds that are built, those of other packages too; these are looked for when they are asked for.

    Attributes:
        own: Those of this package.
    """

    own = tuple(name for name in KINDS.own if name not in _READ)

    def __iter__(self) -> Iterator[str]:
        return filter(is_built, KINDS)

    def __len__(self) -> int:
        return len(KINDS) - len(_READ)

    def __contains__(self, name: object) -> bool:
        return name in KINDS and is_built(str(name))


BUILT = _Built()
"""The kinds that recipes may have; questions of the others are read from files."""


def is_built(name: str) -> bool:
    """Whether questions of a kind come from a build, with certificates and texts that can be renamed.

    So do those of a kind that is not installed.
    """
    return name not in _READ


USUAL = "rules"
"""The kind of recipes and manifests that name none."""


def kind_named(name: str) -> "Kind":
    """The kind of a name; where it is not installed, one of which nothing is known."""
    from rulemine.kinds.kind import Kind

    return KINDS[name] if name in KINDS else Kind()


def having(*names: str) -> list[str]:
    """The kinds whose questions have some fields of their own."""
    own = {kind: fields(block) for kind in KINDS if (block := KINDS[kind].block)}
    return [kind for kind, known in own.items() if {*names} <= {one.name for one in known}]


def form_of(question: Any) -> str:
    """What tables divide a question by: its rule type, or its structure, as its kind says."""
    return str(kind_named(question.kind).groups[0].label(question, None))


def tool(name: str) -> Any:
    """The module in the folder of a kind that a command needs, by its name in `TOOLS`."""
    return importlib.import_module(TOOLS[name])
