"""Aggregating functions: what they make of the values of a group."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from rulemine.cypher.interpreter.limits import fits
from rulemine.cypher.interpreter.values import EvaluationError, grouped, kind_of, sorting_key

__all__ = ["Gathered"]


class Gathered:
    """The values of an aggregating function in one group; null is left out.

    Args:
        name: The function, in lower case.
        distinct: Whether equal values count once.
    """

    __slots__ = ("_distinct", "_name", "_number", "_seen", "_values")

    def __init__(self, name: str, distinct: bool) -> None:
        self._name, self._distinct, self._number = name, distinct, 0
        self._seen: set[Any] = set()
        self._values: list[Any] = []

    def add(self, value: Any) -> None:
        """Adds a value."""
        if value is None:
            return
        if self._distinct:
            key = grouped(value)
            if key in self._seen:
                return
            fits(len(self._seen))
            self._seen.add(key)
        self._number += 1
        if self._name == "count":
            return
        if self._name in ("min", "max"):
            self._values = [self._better(value)]
            return
        fits(len(self._values))
        self._values.append(value)

    def _better(self, value: Any) -> Any:
        if not self._values:
            return value
        least = sorting_key(value) < sorting_key(self._values[0])
        return value if least == (self._name == "min") else self._values[0]

    def result(self, share: Any = None) -> Any:
        """What the function gives.

        Args:
            share: Of percentiles: which.
        """
        if self._name == "count":
            return self._number
        if self._name == "collect":
            return list(self._values)
        if self._name in ("min", "max"):
            return self._values[0] if self._values else None
        for value in self._values:
            if type(value) not in (int, float):
                raise EvaluationError("TypeError", f"{self._name}() of a {kind_of(value)}.")
        if self._name == "sum":
            return _sum(self._values)
        if self._name in ("stdev", "stdevp"):
            return _deviation(self._values, sample=self._name == "stdev")
        if not self._values:
            return None
        if self._name == "avg":
            return math.fsum(self._values) / len(self._values)
        return _PERCENTILES[self._name](sorted(self._values), share)


def _sum(values: Sequence[Any]) -> int | float:
    total: int | float = 0
    for value in values:
        total += value
        if type(total) is int and not -(2**63) <= total < 2**63:
            total = float(total)
    return total


def _deviation(values: Sequence[Any], *, sample: bool) -> float:
    if len(values) < 2:
        return 0.0
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - sample))


def _share(share: Any) -> float:
    if type(share) not in (int, float) or not 0 <= share <= 1:
        raise EvaluationError("ArgumentError", "a percentile is a number from 0 to 1.")
    return float(share)


def _between(values: Sequence[Any], share: Any) -> Any:
    place = _share(share) * (len(values) - 1)
    low, high = values[math.floor(place)], values[math.ceil(place)]
    if place == math.floor(place):
        return low
    return low * (math.ceil(place) - place) + high * (place - math.floor(place))


def _one_of(values: Sequence[Any], share: Any) -> Any:
    if _share(share) == 1 or len(values) == 1:
        return values[-1]
    place = share * len(values)
    return values[int(place) - 1 if place > 0 and place == int(place) else int(place)]


_PERCENTILES: dict[str, Callable[[Sequence[Any], Any], Any]] = {
    "percentilecont": _between,
    "percentiledisc": _one_of,
}
