"""The keys of recipes, for people: each with its default and what it is, out of the docstrings.

Guarantee: in the order of the recipe, so that help and code cannot disagree.
"""

import inspect
import json
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from textwrap import wrap
from typing import Any, NamedTuple

from rulemine.builder.recipe import Recipe

__all__ = ["Key", "describe_keys", "keys_of"]

_ATTRIBUTE = re.compile(r"^    (\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)


class Key(NamedTuple):
    """A key of a recipe.

    Attributes:
        name: With its section, e.g. ``mining.max_atoms``.
        default: As TOML has it.
        meaning: A sentence or two.
    """

    name: str
    default: str
    meaning: str


def keys_of(section: Any, prefix: str = "") -> Iterator[Key]:
    """The keys of a recipe or of a section, those of its own sections included.

    Args:
        section: The recipe or section.
        prefix: What comes before their names.
    """
    meanings = dict(_ATTRIBUTE.findall(inspect.getdoc(section) or ""))
    for field in fields(section):
        value = getattr(section, field.name)
        if is_dataclass(value):
            yield from keys_of(value, f"{prefix}{field.name}.")
        else:
            text = " ".join(meanings.get(field.name, "").replace("`", "").split())
            default = list(value) if isinstance(value, tuple) else value
            yield Key(prefix + field.name, json.dumps(default), text)


@cache
def describe_keys() -> str:
    """All keys, one after the other, in lines of 79 characters."""
    lines: list[str] = []
    for key in keys_of(Recipe(name="NAME", kg="KG")):
        lines.append(f"  {key.name} = {key.default}")
        lines += [f"      {line}" for line in wrap(key.meaning, 73)]
    return "\n".join(lines)
