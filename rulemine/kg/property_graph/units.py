"""Numbers from one unit to another, by ``pint``."""

import functools
from collections.abc import Callable
from typing import Any

from rulemine.errors import ConfigError
from rulemine.kg.property_graph.schema import Property
from rulemine.kg.property_graph.values import Value

__all__ = ["converter", "convertible"]


@functools.cache  # it reads its definitions each time it is made
def _registry() -> Any:
    try:
        import pint
    except ImportError:
        raise ConfigError(
            "another unit needs the package pint: pip install 'rulemine[units]'."
        ) from None
    return pint.UnitRegistry()


def converter(unit: str, to: Property) -> Callable[[Value], Value]:
    """A function from numbers in a unit to those of a property, with 12 significant digits.

    Args:
        unit: The unit of the source, e.g. ``mile``; "": that of the property.
        to: The property; an integer is rounded to the nearest.

    Raises:
        ConfigError: The property has no unit or no numbers, a unit is unknown, or one does not become the
            other; or ``pint`` is not installed.
    """
    if unit in ("", to.unit):
        return lambda value: value
    kind = to.datatype.removeprefix("list[").removesuffix("]")
    if not to.unit or kind not in ("int", "float"):
        raise ConfigError(f"from_unit {unit!r}: the property has no unit of its own, or no numbers")
    registry = _registry()
    try:
        source, target = registry.Unit(unit), registry.Unit(to.unit)
        registry.Quantity(1.0, source).to(target)
    except Exception as problem:  # noqa: BLE001  # of pint and of the parser below it, many kinds
        raise ConfigError(f"from_unit {unit!r} does not become {to.unit!r} ({problem})") from None

    def convert(value: Value) -> Value:
        return tuple(map(one, value)) if isinstance(value, tuple) else one(value)

    def one(value: Any) -> int | float:
        exact = float(registry.Quantity(float(value), source).to(target).magnitude)
        return round(exact) if kind == "int" else float(f"{exact:.12g}")

    return convert


def convertible(unit: str, to: Property) -> bool:
    """Whether numbers in a unit can be turned into those of a property.

    Raises:
        ConfigError: ``pint`` is not installed.
    """
    _registry()
    try:
        converter(unit, to)
    except ConfigError:
        return False
    return True
