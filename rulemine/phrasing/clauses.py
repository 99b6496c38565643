"""Clauses about entities: what a query says of those that it gives, and the joining of clauses."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from rulemine.phrasing.grammar import denial_of
from rulemine.phrasing.nouns import Noun

__all__ = ["Clause", "bare", "full", "listed"]

_INCLUDES = re.compile(r"(whose [\w' ]+?) (include|includes|included|ha(?:s|ve) included) (.*)")
_NOT = {"include": "do not include", "includes": "does not include", "included": "did not include"}


class Clause(NamedTuple):
    """What a query says of the entities that it gives.

    Attributes:
        noun: What they are, in the singular and the plural.
        subject: Whether they are the subject of the clause, which then lacks its *who* or *that*.
        texts: The clause in both numbers; none if it has parts.
        parts: The clauses that it joins.
        union: Whether one of the parts is enough.
        long: Whether it describes another entity or has parts.
        but: What is not true of them, while the only part is.
        who: Whether they are people; given only beside `but`.
    """

    noun: Noun
    subject: bool
    texts: tuple[str, ...] = ()
    parts: tuple["Clause", ...] = ()
    union: bool = False
    long: bool = False
    but: "Clause | None" = None
    who: bool = False

    @property
    def commas(self) -> bool:
        """Whether the last part needs a comma before it, because the others do not end where they seem to."""
        return any(part.long for part in self.parts[:-1])


def bare(clause: Clause, number: int) -> str:
    """A clause without *who* or *that*, in the singular (0) or the plural (1)."""
    if clause.texts:
        text = clause.texts[number]
        return text if clause.subject else f"{('is one', 'are ones')[number]} {text}"
    if clause.but:
        (part,) = clause.parts
        denial = denied(clause.but, number, clause.who)
        return f"{_before_but(bare(part, number), part)} but {denial}"
    return listed([bare(part, number) for part in clause.parts], clause.union, clause.commas)


def full(clause: Clause, number: int, who: bool, *, among: bool = False) -> str:
    """A clause with its relative words; `among` others, an alternative needs its *either*."""
    if clause.subject and (clause.texts or clause.union):
        return f"{'who' if who else 'that'} {bare(clause, number)}"
    if clause.texts:
        return clause.texts[number]
    if clause.but:
        (part,), relative = clause.parts, "who" if who else "that"
        if part.subject:
            return f"{relative} {bare(clause, number)}"
        denial = f"{relative} {denied(clause.but, number, who)}"
        if clause.but.texts and (found := _INCLUDES.fullmatch(clause.but.texts[number])):
            verb = _NOT.get(found[2]) or found[2].replace(" ", " not ")
            denial = f"{found[1]} {verb} {found[3]}"
        return f"{_before_but(full(part, number, who), part)} but {denial}"
    parts = [full(part, number, who, among=True) for part in clause.parts]
    text = listed(parts, clause.union, clause.commas)
    return text if among else text.removeprefix("either ")


def denied(clause: Clause, number: int, who: bool) -> str:
    """What a clause says, denied, as a predicate: "does not eat B", "is not one whose mother is B"."""
    if clause.texts and clause.subject:
        one, many = clause.texts
        if text := denial_of(one, many, number):
            return text
    return f"{('is not one', 'are not ones')[number]} {full(clause, number, who)}"


def _before_but(text: str, clause: Clause) -> str:
    return f"{text}," if clause.long or "," in text else text


def listed(items: Sequence[str], union: bool, commas: bool = False) -> str:
    """Texts as a list: "A and B", "A, B, and C", "either A or B"; one text as it is."""
    if len(items) == 1:
        return items[0]
    word = "or" if union else "and"
    comma = "," if commas or len(items) > 2 else ""
    between = f"{', '.join(items[:-1])}{comma} {word} {items[-1]}"
    return f"either {between}" if union else between
