"""Clauses about entities: what a query says of those that it gives, and the joining of clauses."""

from collections.abc import Sequence
from typing import NamedTuple

from rulemine.phrasing.nouns import Noun

__all__ = ["Clause", "bare", "full", "listed"]


class Clause(NamedTuple):
    """What a query says of the entities that it gives.

    Attributes:
        noun: What they are, in the singular and the plural.
        subject: Whether they are the subject of the clause, which then lacks its *who* or *that*.
        texts: The clause in both numbers; none if it has parts.
        parts: The clauses that it joins.
        union: Whether one of the parts is enough.
        long: Whether it describes another entity or has parts.
    """

    noun: Noun
    subject: bool
    texts: tuple[str, ...] = ()
    parts: tuple["Clause", ...] = ()
    union: bool = False
    long: bool = False

    @property
    def commas(self) -> bool:
        """Whether the last part needs a comma before it, because the others do not end where they seem to."""
        return any(part.long for part in self.parts[:-1])


def bare(clause: Clause, number: int) -> str:
    """A clause without *who* or *that*, in the singular (0) or the plural (1)."""
    if clause.texts:
        text = clause.texts[number]
        return text if clause.subject else f"{('is one', 'are ones')[number]} {text}"
    return listed([bare(part, number) for part in clause.parts], clause.union, clause.commas)


def full(clause: Clause, number: int, who: bool, *, among: bool = False) -> str:
    """A clause with its relative words; `among` others, an alternative needs its *either*."""
    if clause.subject and (clause.texts or clause.union):
        return f"{'who' if who else 'that'} {bare(clause, number)}"
    if clause.texts:
        return clause.texts[number]
    parts = [full(part, number, who, among=True) for part in clause.parts]
    text = listed(parts, clause.union, clause.commas)
    return text if among else text.removeprefix("either ")


def listed(items: Sequence[str], union: bool, commas: bool = False) -> str:
    """Texts as a list: "A and B", "A, B, and C", "either A or B"; one text as it is."""
    if len(items) == 1:
        return items[0]
    word = "or" if union else "and"
    comma = "," if commas or len(items) > 2 else ""
    between = f"{', '.join(items[:-1])}{comma} {word} {items[-1]}"
    return f"either {between}" if union else between
