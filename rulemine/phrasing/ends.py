"""What the ends of a relation are, as far as its questions have to know: what, people or things, how many.

Guarantee: what is not known is asked for with words that are true of people and of things.
"""

from typing import NamedTuple

from rulemine.phrasing.lexicon import plural

__all__ = ["NOTHING_KNOWN", "End", "Ends", "plurals"]

_FEW, _MANY = 0.1, 0.9
"""Below the first share of people an end holds things; above the second, people; between them, both."""


class End(NamedTuple):
    """An end of a relation.

    Attributes:
        people: The share of people among its entities; None: not known.
        noun: What its entities are, in the singular: "film"; "": not known.
        single: Whether an entity at the other end mostly has one of these; None: not known.
    """

    people: float | None = None
    noun: str = ""
    single: bool | None = None

    def who(self, usual: str = "What") -> str:
        """The word that asks for an entity of this end.

        Args:
            usual: What asks for it by the words of the relation. *Who* stays, whatever is known: words that
                speak of people say more than types that a graph lacks.
        """
        if self.noun:
            return f"Which {self.noun}"
        if self.people is None or usual == "Who" or (usual != "What" and not self.people):
            return usual
        return "Who" if self.people >= _MANY else "What" if self.people <= _FEW else "Who or what"

    def whos(self, usual: str = "What") -> str:
        """The same for several."""
        return f"Which {plurals(self.noun)}" if self.noun else self.who(usual)

    def called(self, usual: str = "What") -> str:
        """The noun of a description."""
        if self.noun:
            before, space, last = self.noun.rpartition(" ")
            return f"{before}{space}{last}/{plural(last)}"
        return "person/people" if self.who(usual) == "Who" else "something/things"


class Ends(NamedTuple):
    """Both ends of a relation."""

    subject: End = End()
    object: End = End()


NOTHING_KNOWN = Ends()


def plurals(noun: str) -> str:
    """The plural of a noun of several words, or of two joined by *or*.

    Example:
        >>> plurals("city or county"), plurals("mode of transport")
        ('cities or counties', 'modes of transport')
    """
    noun, of, rest = noun.partition(" of ")
    parts = (part.rpartition(" ") for part in noun.split(" or "))
    return " or ".join(f"{before}{gap}{plural(last)}" for before, gap, last in parts) + of + rest
