"""The demo world: three generations of families on an invented coast, their places and their work.

Guarantees: the same seed gives the same triples everywhere; ``world.tsv`` is what `SEED` gives.
The world is first made regular (families share places, apprentices work with their masters) and then
thinned and distorted, so that rules hold often but never always.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from rulemine.kg.graph import Triple
from rulemine.seeds import stream
from tools.demo.names import COUNTRY, GUILDS, LANGUAGES, PEOPLES, PROVINCES

__all__ = [
    "SEED",
    "Dice",
    "Person",
    "Workshop",
    "World",
    "generate",
    "grown",
    "triples_of",
]

SEED = 7
"""The seed of the file that ships with the package."""

COUPLES = 36
"""Couples of the first generation."""

UNKNOWN = {
    "married_to": 0.06,
    "parent_of": 0.10,
    "child_of": 0.12,
    "sibling_of": 0.10,
    "grandparent_of": 0.15,
    "aunt_or_uncle_of": 0.15,
    "lives_in": 0.06,
    "born_in": 0.10,
    "citizen_of": 0.12,
    "speaks": 0.12,
    "works_for": 0.06,
    "works_in": 0.10,
    "works_with": 0.12,
    "member_of": 0.12,
    "apprentice_of": 0.05,
}
"""Relation → the fraction of its triples that the graph lacks."""

NAMESAKES = (", the younger", ", the third", ", the fourth", ", the fifth")
"""Suffixes that distinguish people of the same name; the file of `SEED` needs few of them."""

_T = TypeVar("_T")


class Dice:
    """Draws from one named stream."""

    def __init__(self, seed: int, name: str) -> None:
        self._stream = stream(seed, "demo", name)

    def chance(self, share: float) -> bool:
        """True with a probability."""
        return bool(self._stream.uniform(1)[0] < share)

    def pick(self, items: Sequence[_T]) -> _T:
        """One of some items."""
        return items[self._stream.below(len(items))]

    def between(self, low: int, high: int) -> int:
        """An integer, both bounds included."""
        return low + self._stream.below(high - low + 1)

    def shuffled(self, items: Sequence[_T]) -> list[_T]:
        """All items in another order."""
        return [items[i] for i in self._stream.permutation(len(items)).tolist()]


@dataclass(slots=True, eq=False)
class Person:
    """Someone of the world, whom the triples name wherever they are known to be true."""

    name: str
    people: str
    family: str
    born: str
    home: str
    parents: tuple["Person", ...] = ()
    spouse: "Person | None" = None
    children: list["Person"] = field(default_factory=list)
    workshop: str = ""
    guild: str = ""
    master: "Person | None" = None


@dataclass(frozen=True, slots=True)
class Workshop:
    """A workshop, its town and its guild."""

    name: str
    town: str
    guild: str


_PROVINCE_OF = {town: name for name, (_, towns) in PROVINCES.items() for town in towns}


class World:
    """Grows people, then work; see `grown`."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.taken: set[str] = set()
        self.everyone: list[Person] = []
        self.workshops = self._found_workshops(Dice(seed, "workshops"))

    def _found_workshops(self, dice: Dice) -> list[Workshop]:
        made: list[Workshop] = []
        for town, province in _PROVINCE_OF.items():
            people = PEOPLES[PROVINCES[province][0]]
            for _ in range(dice.between(1, 3)):
                guild = dice.pick(tuple(GUILDS))
                owner, partner = dice.shuffled(people.family)[:2]
                firm = dice.pick(
                    (f"{owner} & Sons", f"{owner} & Daughters", f"{owner}, {partner} & Kin")
                )
                name = f"{firm} {GUILDS[guild]}"
                if name not in self.taken:
                    self.taken.add(name)
                    made.append(Workshop(name, town, guild))
        return made

    def _person(self, dice: Dice, people: str, family: str, born: str, home: str) -> Person:
        kind = PEOPLES[people]
        free = [g for g in kind.given if kind.name(g, family) not in self.taken]
        plain = kind.name(dice.pick(free or kind.given), family)
        name = next(n for n in (plain, *(plain + s for s in NAMESAKES)) if n not in self.taken)
        self.taken.add(name)
        person = Person(name, people, family, born, home)
        self.everyone.append(person)
        return person

    def settle(self) -> list[tuple[Person, Person]]:
        """The couples of the first generation."""
        dice = Dice(self.seed, "settle")
        towns = list(_PROVINCE_OF)
        couples = []
        for number in range(COUPLES):
            home = towns[number % len(towns)]
            local = PROVINCES[_PROVINCE_OF[home]][0]
            pair = []
            for _ in range(2):
                people = local if dice.chance(0.85) else dice.pick(list(PEOPLES))
                born = home if dice.chance(0.6) else dice.pick(towns)
                family = dice.pick(PEOPLES[people].family)
                pair.append(self._person(dice, people, family, born, home))
            couples.append((pair[0], pair[1]))
        return couples

    def raise_children(
        self, couples: Sequence[tuple[Person, Person]], most: int, name: str
    ) -> list[Person]:
        """The children of couples, who also marry here."""
        dice = Dice(self.seed, name)
        towns = list(_PROVINCE_OF)
        born: list[Person] = []
        for one, other in couples:
            one.spouse, other.spouse = other, one
            for _ in range(dice.between(1, most)):
                place = one.home if dice.chance(0.88) else dice.pick(towns)
                home = one.home if dice.chance(0.72) else dice.pick(towns)
                child = self._person(dice, one.people, one.family, place, home)
                child.parents = (one, other)
                one.children.append(child)
                other.children.append(child)
                born.append(child)
        return born

    def marry(self, people: Sequence[Person], name: str) -> list[tuple[Person, Person]]:
        """Couples of people with different parents; the second usually moves to the first."""
        dice = Dice(self.seed, name)
        waiting = [person for person in dice.shuffled(people) if dice.chance(0.8)]
        couples = []
        while len(waiting) > 1:
            one = waiting.pop()
            other = next((p for p in waiting if p.parents != one.parents), None)
            if other is None:
                break
            waiting.remove(other)
            if dice.chance(0.9):
                other.home = one.home
            couples.append((one, other))
        return couples

    def employ(self) -> None:
        """Assigns work near home, guilds to the workshops, and apprentices to their elders."""
        dice = Dice(self.seed, "work")
        by_town: dict[str, list[Workshop]] = {}
        for workshop in self.workshops:
            by_town.setdefault(workshop.town, []).append(workshop)
        staff: dict[str, list[Person]] = {}
        for person in self.everyone:
            if not dice.chance(0.8):
                continue
            near = by_town.get(person.home, self.workshops)
            workshop = dice.pick(near if dice.chance(0.85) else self.workshops)
            person.workshop = workshop.name
            person.guild = workshop.guild if dice.chance(0.85) else dice.pick(tuple(GUILDS))
            elders = staff.setdefault(workshop.name, [])
            if elders and dice.chance(0.45):
                person.master = dice.pick(elders)
            elders.append(person)


def generate(seed: int = SEED) -> tuple[Triple, ...]:
    """The triples of a world, sorted, each once.

    Args:
        seed: Each seed makes other families of the same kind.
    """
    return triples_of(grown(seed))


def grown(seed: int) -> World:
    """The whole world of a seed, whatever of it is known."""
    world = World(seed)
    children = world.raise_children(world.settle(), 4, "first children")
    world.raise_children(world.marry(children, "weddings"), 3, "second children")
    world.employ()
    return world


def triples_of(world: World) -> tuple[Triple, ...]:
    """What is known of a world: `generate`."""
    facts = [*_places(world), *_kinship(world), *_work(world)]
    dice = Dice(world.seed, "unknown")
    known = [t for t in sorted(set(facts)) if not dice.chance(UNKNOWN.get(t[1], 0.0))]
    return tuple(known)


def _places(world: World) -> list[Triple]:
    dice = Dice(world.seed, "places")
    facts = [(province, "part_of", COUNTRY) for province in PROVINCES]
    for province, (people, towns) in PROVINCES.items():
        facts.append((LANGUAGES[people], "spoken_in", province))
        facts += [(town, "part_of", province) for town in towns]
    for person in world.everyone:
        facts.append((person.name, "lives_in", person.home))
        facts.append((person.name, "born_in", person.born))
        place = person.home if dice.chance(0.8) else person.born
        facts.append((person.name, "citizen_of", _PROVINCE_OF[place]))
        facts.append((person.name, "speaks", LANGUAGES[person.people]))
        around = LANGUAGES[PROVINCES[_PROVINCE_OF[person.home]][0]]
        if dice.chance(0.6):
            facts.append((person.name, "speaks", around))
    return facts


def _kinship(world: World) -> list[Triple]:
    facts: list[Triple] = []
    for person in world.everyone:
        if person.spouse is not None:
            facts.append((person.name, "married_to", person.spouse.name))
        for parent in person.parents:
            facts.append((parent.name, "parent_of", person.name))
            facts.append((person.name, "child_of", parent.name))
            facts += [(grand.name, "grandparent_of", person.name) for grand in parent.parents]
            for one in _siblings(parent):
                facts.append((one.name, "aunt_or_uncle_of", person.name))
        facts += [(person.name, "sibling_of", sibling.name) for sibling in _siblings(person)]
    return facts


def _siblings(person: Person) -> list[Person]:
    return [s for parent in person.parents[:1] for s in parent.children if s is not person]


def _work(world: World) -> list[Triple]:
    dice = Dice(world.seed, "colleagues")
    facts: list[Triple] = []
    town_of = {workshop.name: workshop.town for workshop in world.workshops}
    for workshop in world.workshops:
        facts.append((workshop.name, "located_in", workshop.town))
        facts.append((workshop.name, "belongs_to", workshop.guild))
    for person in world.everyone:
        if not person.workshop:
            continue
        facts.append((person.name, "works_for", person.workshop))
        facts.append((person.name, "works_in", town_of[person.workshop]))
        facts.append((person.name, "member_of", person.guild))
        if person.master is not None:
            facts.append((person.name, "apprentice_of", person.master.name))
            facts.append((person.name, "works_with", person.master.name))
            if dice.chance(0.75):
                facts.append((person.master.name, "works_with", person.name))
    return facts
