"""What the draw of a structure takes: its steps, each with what it starts from and what may be missing."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from rulemine.kinds.structures.edges import ANY, STATED

__all__ = ["ANY", "LINKS", "NARROW", "Either", "Hop", "Meet", "first_of", "plan_of"]

LINKS = {"1p": 1, "2p": 2, "3p": 3, "2i": 2, "3i": 3, "ip": 3, "pi": 3, "2u": 1, "up": 2}
"""The links of a derivation of each structure: the most that its hard answer can miss."""

NARROW = 1
"""The most entities that an inner step of a chain of three leads to from one, where enough can be had."""


class Hop(NamedTuple):
    """A projection to be drawn.

    Attributes:
        status: Of the step: `STATED`, `CORE`, `MISSING` (in the core or not) or `ANY`.
        below: What it starts from; None: an anchor.
        least: The fewest entities that it may lead to from where it starts.
        most: The most.
    """

    status: int
    below: "Hop | Meet | Either | None"
    least: int = 1
    most: int = 2**62


class Meet(NamedTuple):
    """An intersection to be drawn."""

    parts: tuple[Hop, ...]

    @property
    def branches(self) -> frozenset[tuple[Hop, int]]:
        """Its parts in any order, each with how often it is there."""
        return _branches(self.parts)


class Either(NamedTuple):
    """A union to be drawn: the branch of the derivation, and the other one."""

    part: Hop
    other: Hop


def plan_of(
    name: str, s: Sequence[int], few: int, some: int, narrow: int = NARROW
) -> Hop | Meet | Either:
    """What is to be drawn; one branch to a single entity would make the other needless.

    Args:
        name: The structure.
        s: The statuses of the steps of its derivation.
        few: The most answers of a query.
        some: The most triples in the derivations of its answers.
        narrow: The most entities that an inner step of a chain of three leads to from one.
    """
    other = STATED if {*s} == {STATED} else ANY
    if name == "1p":
        return Hop(s[0], None, most=few)
    if name == "2p":
        return Hop(s[1], Hop(s[0], None, most=some), most=few)
    if name == "3p":
        return Hop(s[2], Hop(s[1], Hop(s[0], None, most=narrow), most=narrow), most=few)
    if name in ("2i", "3i"):
        return Meet(tuple(Hop(status, None, least=2) for status in s))
    if name == "ip":
        both = Meet((Hop(s[0], None, least=2), Hop(s[1], None, least=2)))
        return Hop(s[2], both, most=few)
    if name == "pi":
        return Meet((Hop(s[1], Hop(s[0], None)), Hop(s[2], None, least=2)))
    if name == "2u":
        return Either(Hop(s[0], None, most=few), Hop(other, None, most=few))
    either = Either(Hop(s[0], None, most=some), Hop(other, None, most=some))
    return Hop(s[1], either, most=few)


def first_of(plan: Hop | Meet | Either) -> Hop:
    """The step that is drawn first."""
    if isinstance(plan, Hop):
        return plan
    return plan.parts[0] if isinstance(plan, Meet) else plan.part


@cache
def _branches(parts: tuple[Hop, ...]) -> frozenset[tuple[Hop, int]]:
    return frozenset(Counter(parts).items())
