"""Noun phrases: a noun and what follows it, for one and for several."""

from typing import NamedTuple

from rulemine.kinds.cypher.words.relations import Noun
from rulemine.phrasing.lexicon import article

__all__ = ["Far", "NounPhrase", "both"]


class Far(NamedTuple):
    """The other end of an edge in words.

    Attributes:
        text: The words.
        several: Whether they are in the plural.
    """

    text: str
    several: bool = False


class NounPhrase(NamedTuple):
    """What some nodes are called together.

    Attributes:
        head: The noun.
        tail: What follows it, for one and for several.
        single: Whether there can be only one.
        verb: What is said of them, for one and for several, where a verb says all of it.
        role: Whether the noun says what they are of something, and not their type.
    """

    head: Noun
    tail: tuple[str, str] = ("", "")
    single: bool = False
    verb: tuple[str, str] | None = None
    role: bool = False

    def one(self, determiner: str = "the") -> str:
        """One of them, after a determiner; "a" is *an* where it has to be."""
        first = article(self.head[0]) if determiner == "a" else determiner
        return " ".join(filter(None, (first, self.head[0], self.tail[0])))

    def many(self, determiner: str = "") -> str:
        """Several of them."""
        return " ".join(filter(None, (determiner, self.head[1], self.tail[1])))

    @property
    def the(self) -> str:
        """All of them."""
        if self.single:
            return self.one()
        return self.many("the") if self.tail[1] else self.many("all")


def both(first: tuple[str, str], word: str, last: tuple[str, str]) -> tuple[str, str]:
    """Two verbs joined by a word, with one *is* or *are* for both."""
    found = []
    for one, other in zip(first, last, strict=True):
        verb = one.split(" ", 1)[0]
        rest = other.removeprefix(f"{verb} ") if verb in ("is", "are") else other
        found.append(f"{one.strip()} {word} {rest.strip()}")
    return found[0], found[1]
