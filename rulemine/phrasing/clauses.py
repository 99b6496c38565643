"""Clauses about entities: the noun for them, what a query says of those that it gives, and joining clauses.

A noun has to be true of entities of which several descriptions are true, all of them or any: a person who is
an actor is an actor; what is a film or a TV program is a "film or TV program". Of nouns that do not go
together none is used.
"""

import re
from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

from rulemine.phrasing.grammar import denial_of
from rulemine.phrasing.lexicon import article

__all__ = [
    "PERSON", "SOMEONE", "SOMETHING", "Clause", "Determiner", "Noun", "either_noun", "how_many", "is_short",
    "listed", "may_be_same", "names_people", "phrase", "question", "shared_noun",
]  # fmt: skip

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
        ("work", "works"): "film|TV program|film or show|book|album|song",
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


def may_be_same(one: Noun, other: Noun, people: Collection[str], *, strict: bool = False) -> bool:
    """Whether an entity can be what both nouns name: no person is a film.

    Vague nouns go with all, and things with things; if `strict`, only what one noun names by the other.
    """
    vague = any(noun == SOMEONE or noun[0] in _MAYBE_PEOPLE for noun in (one, other))
    same = (vague and not strict) or _includes(one, other) or _includes(other, one)
    return (
        same
        or one == other
        or (
            (names_people(one, people) or not strict)
            and names_people(one, people) == names_people(other, people)
        )
    )


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


Determiner = Literal["a", "the", "several"]
"""Whether a noun phrase is about one of some entities, the only one, or several."""

Texts = tuple[str, str]
"""A text about one entity and about several."""


class Clause(NamedTuple):
    """What a query says of the entities that it gives, in all ways that it can be said.

    Attributes:
        noun: What they are, in the singular and the plural.
        predicate: What follows them as the subject, e.g. "acted in A".
        relative: What follows a noun, if it needs relative words of its own, e.g. "in which A acted".
        reduced: What follows a noun without relative words, e.g. "directed by A"; or empty texts.
        name: What stands for one of them, e.g. "a sibling of A"; or empty.
        gap: What leads to a question before the noun, e.g. "in which"; or empty.
        asked: What follows the noun then, e.g. "did A act".
        parts: The clauses that it joins; it has no texts then.
        union: Whether one of the parts is enough.
        long: Whether it describes another entity or has parts.
        but: What is not true of them, while the only part is.
        alike: Whether it is of people about people: who is it that is "influenced by A who won B"?
        weight: How much there is to keep in mind while it is read, see `rulemine.phrasing.compose`.
    """

    noun: Noun
    predicate: Texts | None = None
    relative: Texts | None = None
    reduced: Texts | None = None
    name: str = ""
    gap: str = ""
    asked: str = ""
    parts: tuple["Clause", ...] = ()
    union: bool = False
    long: bool = False
    but: "Clause | None" = None
    alike: bool = False
    weight: int = 0

    @property
    def commas(self) -> bool:
        """Whether the last part needs a comma before it, because the others do not end where they seem to."""
        return any(part.long for part in self.parts[:-1])

    @property
    def either(self) -> bool:
        """Whether alternatives need their *either* to show where the first begins."""
        return self.union and (self.commas or any(part.parts for part in self.parts))


def says(clause: Clause) -> bool:
    """Whether what is described can be the subject of all that a clause says."""
    return all(map(says, clause.parts)) if clause.parts else clause.predicate is not None


def bare(clause: Clause, number: int, *, either: bool = False) -> str:
    """A clause as a predicate, in the singular (0) or the plural (1).

    Args:
        clause: The clause.
        number: The number of what is described.
        either: Whether alternatives need their *either* because they are among other clauses.
    """
    if clause.but:
        (part,) = clause.parts
        return (
            f"{_before_but(bare(part, number), part)} but {_denied(clause.but, number, who=False)}"
        )
    if clause.parts:
        parts = [bare(part, number, either=not clause.union) for part in clause.parts]
        return listed(parts, clause.union, clause.commas, either=either or clause.either)
    return (
        clause.predicate[number]
        if clause.predicate
        else f"{('is one', 'are ones')[number]} {full(clause, number, who=False)}"
    )


def full(clause: Clause, number: int, who: bool, *, either: bool = False) -> str:
    """A clause as relative clauses; `who`: whether about people. See `bare`."""
    relative = "who" if who else "that"
    if clause.but:
        (part,) = clause.parts
        denial = _denied(clause.but, number, who)
        denial = denial if says(part) else f"{relative} {denial}"
        return f"{_before_but(full(part, number, who), part)} but {denial}"
    if clause.union and says(clause):
        return f"{relative} {bare(clause, number, either=either)}"
    if clause.parts:
        parts = [full(part, number, who, either=not clause.union) for part in clause.parts]
        return listed(parts, clause.union, clause.commas, either=either or clause.either)
    return clause.relative[number] if clause.relative else f"{relative} {bare(clause, number)}"


def described(
    noun: str,
    clause: Clause,
    number: int,
    who: bool,
    waiting: Collection[str] = (),
    *,
    reduce: bool = True,
) -> str:
    """A noun and what a clause says of it, as shortly as can be.

    Args:
        noun: The noun, with its article.
        clause: The clause.
        number: Of the noun, 0 or 1.
        who: Whether it names people.
        waiting: The relative words that "and who …" or "and that …" might take up again.
        reduce: Whether clauses may go without relative words.

    Example:
        >>> film = ("film", "films")
        >>> by = Clause(film, ("was made by A",) * 2, reduced=("made by A",) * 2)
        >>> described("a film", Clause(film, parts=(by, Clause(film, ("won B",) * 2))), 0, False)
        'a film made by A that won B'
    """
    if clause.union and clause.parts:
        if all(_reduces(part, alone=False) and not part.long for part in clause.parts):
            return f"{noun} {listed(_reduced(clause.parts, number), union=True)}"
        return f"{noun} {full(clause, number, who, either=True)}"
    if clause.but:
        return f"{noun} {full(clause, number, who)}"
    parts = clause.parts or (clause,)
    short = [part for part in parts if reduce and _reduces(part, len(parts) == 1)]
    if len(short) < len(parts):
        short = [part for part in short if not part.long and not part.alike]
    rest = [part for part in parts if part not in short]
    texts = [listed(_reduced(short, number))] if short else []
    if rest:
        texts.append(_relative(Clause(clause.noun, parts=tuple(rest)), number, who, waiting))
    return " ".join([noun, *texts])


def phrase(
    clause: Clause,
    noun: Noun,
    who: bool,
    waiting: Collection[str],
    determiner: Determiner = "a",
) -> str:
    """A noun phrase for what a clause describes: "a friend of A", "the friend of A", "friends of A".

    Example:
        >>> of = Clause(("person", "people"), name="a friend of A")
        >>> phrase(of, of.noun, True, ()), phrase(of, ("actor", "actors"), True, ())
        ('a friend of A', 'a friend of A')
    """
    parts = clause.parts or (clause,)
    alone = len(parts) == 1
    several = determiner == "several"
    if not several and not clause.but and (alone or not clause.union):
        for part in parts:
            if part.name and (alone or not (part.long or part.alike)):
                left = Clause(noun, parts=tuple(other for other in parts if other is not part))
                name = re.sub(r"^an? ", "the ", part.name) if determiner == "the" else part.name
                return name if alone else described(name, left, 0, who, waiting, reduce=False)
    name = {SOMETHING: "thing", SOMEONE: "person"}.get(noun, noun[0])
    any_such = "something" if noun == SOMETHING else "someone" if name == "person" else ""
    one = f"the {name}" if determiner == "the" else any_such or f"{article(name)} {name}"
    return described(noun[1] if several else one, clause, int(several), who, waiting)


def _relative(clause: Clause, number: int, who: bool, waiting: Collection[str]) -> str:
    relative = "who" if who else "that"
    clear = relative not in waiting and not clause.commas
    if len(clause.parts) == 1 or clear or not says(clause):
        return full(clause, number, who)
    return f"{relative} {'both ' * (len(clause.parts) == 2)}{bare(clause, number)}"


def question(clause: Clause, number: int, who: bool) -> str:
    """The question for what a clause describes.

    Args:
        clause: The clause.
        number: Singular (0) or plural (1).
        who: Whether they are people.
    """
    asked = _asked(clause, number, who)
    return f"{asked[0].upper()}{asked[1:]}?"


def _asked(clause: Clause, number: int, who: bool) -> str:
    noun = clause.noun
    if who and clause.relative and clause.relative[0].startswith("whose "):
        return clause.relative[0]
    parts = clause.parts or (clause,)
    name = {SOMETHING: ("thing", "things"), SOMEONE: PERSON}.get(noun, noun)[number]
    gap = next((part for part in parts if part.gap), None)
    plain = not clause.union and not clause.but
    rest = tuple(part for part in parts if part is not gap)
    if gap and plain and all(says(part) and not part.long for part in rest):
        if noun == SOMETHING and not rest and gap.gap == "which":
            return f"what {gap.asked}"
        if noun in (SOMEONE, PERSON) and not rest and gap.gap.endswith("whom"):
            return f"{'who' if gap.gap == 'whom' else gap.gap} {gap.asked}"
        more = described(name, Clause(noun, parts=rest), number, who) if rest else name
        return f"{_before_noun(gap.gap)} {more} {gap.asked}"
    if says(clause) and (who or noun == SOMETHING):
        return f"{'who' if who else 'what'} {bare(clause, 0)}"
    if says(clause):
        # "Which films in the drama genre feature A?" "Which films directed by the director of B feature A?"
        among = tuple(
            part
            for part in parts
            if part.reduced and re.match(("in ", ".* by the ")[part.long], part.reduced[0])
        )[:1]
        if among and plain and rest[1:]:
            rest = tuple(part for part in parts if part not in among)
            name, clause = described(name, among[0], number, who), clause._replace(parts=rest)
        return f"which {name} {bare(clause, number)}"
    if gap and not clause.but and all(part.gap == gap.gap and not part.parts for part in parts):
        asked = listed([part.asked for part in parts], clause.union)
        return f"{_before_noun(gap.gap)} {name} {asked}"
    said = tuple(part for part in parts if says(part))
    first = tuple(part for part in parts if not says(part))
    if said and plain and not any(part.long for part in first):
        start = full(Clause(noun, parts=first), number, who)
        return f"which {name} {start} {bare(Clause(noun, parts=said), number)}"
    be = ("is", "are")[number]
    return f"{'who' if who else 'what'} {be} the {name} {full(clause, number, who)}"


def _before_noun(gap: str) -> str:
    """What leads to a question as it is before a noun: "by which people", not "by whom people"."""
    return gap.replace("whom", "which")


def how_many(clause: Clause, who: bool) -> str:
    """The question for the number of what a clause describes; `who`: whether people."""
    noun = "things" if clause.noun == SOMETHING else clause.noun[1]
    if clause.gap:
        asked = f"{_before_noun(clause.gap).replace('which', 'how many')} {noun} {clause.asked}?"
        return f"{asked[0].upper()}{asked[1:]}"
    return (
        f"How many {noun} {bare(clause, 1)}?"
        if says(clause)
        else f"How many {noun} are there {full(clause, 1, who)}?"
    )


def is_short(clause: Clause) -> bool:
    """Whether a noun phrase says a clause without a relative clause of its own."""
    parts = clause.parts or (clause,)
    named = next((part for part in parts if part.name), None)
    rest = [part for part in parts if part is not named]
    return not clause.but and all(_reduces(part, len(parts) == 1) for part in rest)


def _reduces(clause: Clause, alone: bool) -> bool:
    """Whether a clause goes after a noun without relative words, `alone` or with others."""
    return clause.reduced is not None and (alone or not clause.reduced[0].startswith("with "))


def _reduced(clauses: Sequence[Clause], number: int) -> list[str]:
    return [clause.reduced[number] for clause in clauses if clause.reduced]


def _denied(clause: Clause, number: int, who: bool) -> str:
    """What a clause says, denied, as a predicate: "does not eat B", "is not one whose mother is B"."""
    if clause.predicate:
        one, many = clause.predicate
        if text := denial_of(one, many, number):
            return text
    return f"{('is not one', 'are not ones')[number]} {full(clause, number, who)}"


def _before_but(text: str, clause: Clause) -> str:
    return f"{text}," if clause.long or "," in text else text


def listed(
    items: Sequence[str], union: bool = False, commas: bool | None = None, *, either: bool = False
) -> str:
    """Texts as a list: "A and B", "A, B, and C", "either A or B"; one text as it is.

    Args:
        items: The texts.
        union: Whether one is enough.
        commas: Whether clauses need a comma before the last; None: these are no clauses, and those that have
            commas themselves get semicolons.
        either: Whether to show where alternatives begin.
    """
    if len(items) == 1:
        return items[0]
    word, most = "or" if union else "and", len(items) > 2
    own = commas is None and most and any(", " in item for item in items[:-1])
    between = "; " if own else ", "
    comma = between.rstrip() if commas or most else ""
    text = f"{between.join(items[:-1])}{comma} {word} {items[-1]}"
    return f"either {text}" if union and either else text
