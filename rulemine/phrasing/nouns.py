"""The noun for entities of which several descriptions are true, all of them or any.

A person who is an actor is an actor; what is a film or a TV program is a "film or TV program". Of nouns that
do not go together none is used.
"""

from collections.abc import Collection, Sequence

__all__ = [
    "PERSON",
    "SOMEONE",
    "SOMETHING",
    "Noun",
    "either_noun",
    "may_be_same",
    "names_people",
    "shared_noun",
]

Noun = tuple[str, str]
"""A noun in the singular and the plural."""

SOMETHING: Noun = ("something", "things")
SOMEONE: Noun = ("someone", "people")
PERSON: Noun = ("person", "people")

_BROADER = {
    noun: broader
    for broader, nouns in {
        ("place", "places"): (
            "city|town|county|country|continent|region|province|state|capital|venue|area|"
            "administrative division|first-level administrative division|second-level administrative division"
        ),
        ("organization", "organizations"): (
            "company|school|university|record label|sports team|sports organization|TV network|"
            "political party|musical group|international organization|non-profit organization|"
            "Greek-letter organization|agency"
        ),
        ("work", "works"): "film|TV program|book|album|song",
        ("artist", "artists"): "musical group",
        ("instrument or part", "instruments or parts"): "instrument|instrument family",
        ("public office", "public offices"): "government office",
        ("medical condition", "medical conditions"): "cause of death|disease|disorder",
        (
            "event",
            "events",
        ): "military conflict|recurring event|film festival|award ceremony|edition of the Olympics",
    }.items()
    for noun in nouns.split("|")
}
"""Nouns in the singular → what they are kinds of."""

_VAGUE = (
    "work", "event", "field", "organization", "place", "concept", "participant", "member", "risk factor",
    "title", "subject",
)  # fmt: skip
"""Nouns that give way to any other, the vaguest last."""


_MAYBE_PEOPLE = frozenset({"concept", "participant", "member", "subject", "something"})
"""Nouns of things that may be people."""


def names_people(noun: Noun, people: Collection[str]) -> bool:
    """Whether a noun is one for people; `people` are further such nouns, in the singular."""
    return noun in (PERSON, SOMEONE) or noun[0] in people


def may_be_same(one: Noun, other: Noun, people: Collection[str]) -> bool:
    """Whether an entity can be what both nouns name: no person is a film. Vague nouns go with all."""
    vague = any(noun == SOMEONE or noun[0] in _MAYBE_PEOPLE for noun in (one, other))
    if vague or _includes(one, other) or _includes(other, one):
        return True
    return names_people(one, people) == names_people(other, people)


def shared_noun(nouns: Sequence[Noun], people: Collection[str]) -> Noun:
    """A noun for entities that every one of some nouns names.

    Example:
        >>> shared_noun([("person", "people"), ("actor", "actors")], {"actor"})
        ('actor', 'actors')
    """
    nouns = [noun for noun in nouns if not any(_includes(noun, other) for other in nouns)]
    special = [noun for noun in nouns if noun[0] in people and noun not in (PERSON, SOMEONE)]
    if special:
        return special[0]
    if persons := [noun for noun in (PERSON, SOMEONE) if noun in nouns]:
        # Companies win awards "for people" too, but the subject of a film may well be a person.
        things = [noun for noun in nouns if noun not in persons and noun[0] not in _MAYBE_PEOPLE]
        nouns = things or persons[:1]
    least = min(map(_vagueness, nouns))
    left = [noun for noun in dict.fromkeys(nouns) if _vagueness(noun) == least]
    if len(left) == 1:
        return left[0]
    kinds = {_BROADER.get(noun) for noun, _ in left}
    return (kinds.pop() if len(kinds) == 1 else None) or SOMETHING


def either_noun(nouns: Sequence[Noun], people: Collection[str]) -> Noun:
    """A noun for entities that at least one of some nouns names.

    Example:
        >>> either_noun([("film", "films"), ("TV program", "TV programs")], ())
        ('film or TV program', 'films or TV programs')
    """
    left = list(dict.fromkeys(nouns))
    left = [noun for noun in left if not any(_includes(other, noun) for other in left)]
    if len(left) == 1:
        return left[0]
    if all(names_people(noun, people) for noun in left):
        return PERSON
    if SOMETHING in left or SOMEONE in left:
        return SOMETHING
    return " or ".join(noun for noun, _ in left), " or ".join(many for _, many in left)


def _includes(noun: Noun, other: Noun) -> bool:
    """Whether a noun names all that another one names, and more."""
    narrower = _BROADER.get(other[0]) == noun or other[0].endswith(f" {noun[0]}")
    return other != noun if noun[0] == "concept" else narrower


def _vagueness(noun: Noun) -> int:
    return (
        len(_VAGUE) + 1
        if noun == SOMETHING
        else _VAGUE.index(noun[0]) + 1
        if noun[0] in _VAGUE
        else 0
    )
