"""Atoms: a relation between two terms, each a variable or an entity."""

from functools import lru_cache
from typing import NamedTuple

__all__ = ["Atom", "Term", "variable_name"]


Term = int | str
"""A variable (int: 0 = head subject, 1 = head object, 2 … = body variables) or an entity (its label)."""


class Atom(NamedTuple):
    """One atom ``relation(subject, object)``."""

    subject: Term
    relation: str
    object: Term

    @property
    def variables(self) -> tuple[int, ...]:
        """The variables of the atom, subject first; one that stands twice is named twice."""
        return _variables(self.subject, self.object)


@lru_cache(maxsize=1 << 10)
def _variables(subject: Term, object_: Term) -> tuple[int, ...]:
    return tuple(t for t in (subject, object_) if isinstance(t, int))


def variable_name(variable: int) -> str:
    """The name of a variable in AMIE's notation: 0 → ``?a``, 1 → ``?b``, 2 → ``?c``."""
    return "?" + "abcdefghijklmnopqrstuvwxyz"[variable]
