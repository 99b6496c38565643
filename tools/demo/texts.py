"""Seed texts about the demo world: short paragraphs as an encyclopedia of the coast would have them.

Guarantees: all that the composed paragraphs say is in the graph of `SEED`; ``texts.txt`` is what `texts`
gives, a paragraph a line.
"""

from collections.abc import Iterator, Sequence
from itertools import chain

from rulemine.seeds import stream
from rulemine.text.articles import in_sentence
from tools.demo.names import COUNTRY
from tools.demo.world import SEED, generate

__all__ = ["texts"]

PEOPLE, FAMILIES = 50, 25
"""How many people and couples a paragraph is composed about; places, workshops and guilds have one each."""

MOST_NAMED = 3
"""How many of the people of a place or a workshop are named."""

WRITTEN = (
    "Whoever comes to the Selmar Coast by sea sees the light of Φάρος first. From there the ferries go on"
    " to Porto Ambra and, when the wind allows, to Port Sable in the Salt Marches.",
    "The Coopers' Guild and the Salters' Guild have quarreled for as long as anyone in Saint-Orven can "
    "remember: no barrel, say the one, no salt fish; no salt, say the other, no use for a barrel.",
    "Northmarkish is harsh to the ears of those who grew up with Selmari, yet in Harrow Ferry one hears "
    "both in the same sentence. Children from Krasna learn Selmari at the market.",
    "In Zimohrad the clocks of the Honorable Company of Clockmakers strike together, or nearly so. Agata "
    "Snežin worked on one of them for Havanic & Daughters Clockworks, and Tihon Snežin helped her.",
    "Potters came to Tern Quay for the clay. Corvin O'Keld still works there, for Saltwright & Sons "
    "Pottery, and speaks Selmari with everybody.",
    "A traveler in عين الغزال needs no map, people say, but a word of لغة الوادي and time for tea; the "
    "road from وادي النخيل to Upper Selmar takes three days.",
)
"""Written by hand; of these, names and facts are right and the rest is made up."""


class _Facts:
    """The triples of the world, by subject and by object."""

    def __init__(self) -> None:
        self._of: dict[tuple[str, str], list[str]] = {}
        self._to: dict[tuple[str, str], list[str]] = {}
        for subject, relation, value in generate(SEED):
            self._of.setdefault((relation, subject), []).append(value)
            self._to.setdefault((relation, value), []).append(subject)

    def of(self, relation: str, subject: str) -> list[str]:
        """The objects of a relation, sorted."""
        return self._of.get((relation, subject), [])

    def to(self, relation: str, value: str) -> list[str]:
        """The subjects of a relation, sorted."""
        return self._to.get((relation, value), [])

    def subjects(self, relation: str) -> list[str]:
        """Who has a relation to something, sorted."""
        return sorted(subject for name, subject in self._of if name == relation)

    def objects(self, relation: str) -> list[str]:
        """What something has a relation to, sorted."""
        return sorted(value for name, value in self._to if name == relation)


def texts() -> tuple[str, ...]:
    """The paragraphs, in the order of the file."""
    facts = _Facts()
    people, couples = facts.subjects("lives_in"), _couples(facts)
    composed = chain(
        (_province(facts, name) for name in facts.to("part_of", COUNTRY)),
        (_town(facts, name) for name in facts.objects("lives_in")),
        (_guild(facts, name) for name in facts.objects("belongs_to")),
        (_workshop(facts, name) for name in facts.objects("works_for")),
        (_person(facts, people[i]) for i in _some(len(people), PEOPLE, "people")),
        (_family(facts, *couples[i]) for i in _some(len(couples), FAMILIES, "families")),
    )
    return (*(" ".join(sentences) for sentences in composed), *WRITTEN)


def _some(n: int, wanted: int, name: str) -> list[int]:
    return sorted(stream(SEED, "demo", "texts", name).permutation(n).tolist()[:wanted])


def _couples(facts: _Facts) -> list[tuple[str, str]]:
    """Couples with children that both are known to have."""
    return [
        (one, other)
        for one in facts.subjects("married_to")
        for other in facts.of("married_to", one)
        if set(facts.of("parent_of", one)) & set(facts.of("parent_of", other))
        and (one < other or one not in facts.of("married_to", other))
    ]


def _province(facts: _Facts, name: str) -> Iterator[str]:
    towns = facts.to("part_of", name)
    yield f"The province of {in_sentence(' ', name)} is part of the {COUNTRY}."
    yield f"Its {'towns are' if len(towns) > 1 else 'only town is'} {_listed(towns)}."
    for language in facts.to("spoken_in", name):
        yield f"The language of the province is {language}."


def _town(facts: _Facts, name: str) -> Iterator[str]:
    for province in facts.of("part_of", name):
        yield f"{name} is a town in {in_sentence(' ', province)}."
    if workshops := facts.to("located_in", name):
        yield f"{_listed(workshops)} {'is' if len(workshops) == 1 else 'are'} found there."
    yield f"Among those who live in {name} are {_listed(facts.to('lives_in', name)[:MOST_NAMED])}."


def _guild(facts: _Facts, name: str) -> Iterator[str]:
    workshops, members = facts.to("belongs_to", name), facts.to("member_of", name)
    if len(workshops) > 1:
        yield f"The workshops {_listed(workshops)} belong to the {name}."
    else:
        yield f"The {name} has a single workshop, {workshops[0]}."
    if members:
        yield f"Of its members the best known are {_listed(members[:MOST_NAMED])}."


def _workshop(facts: _Facts, name: str) -> Iterator[str]:
    yield f"{name} is a workshop in {_listed(facts.of('located_in', name))}."
    staff = facts.to("works_for", name)
    for guild in facts.of("belongs_to", name):
        yield f"It belongs to the {guild}."
    if len(staff) > 1:
        yield f"{_listed(staff[:MOST_NAMED])} work there."
    pairs = [(one, m) for one in staff for m in facts.of("apprentice_of", one) if m in staff]
    for apprentice, master in pairs[:1]:
        yield f"{apprentice} learned the trade from {master}."


def _person(facts: _Facts, name: str) -> Iterator[str]:
    born, home = facts.of("born_in", name), facts.of("lives_in", name)
    if born and born != home:
        yield f"{name} was born in {born[0]} and moved to {home[0]}."
    else:
        yield f"{name} lives in {home[0]}."
    work = [f"works for {workshop}" for workshop in facts.of("works_for", name)]
    work += [f"is a member of the {guild}" for guild in facts.of("member_of", name)]
    if work:
        yield f"{name} {' and '.join(work)}."
    if masters := facts.of("apprentice_of", name):
        yield f"{name} was an apprentice of {masters[0]}."
    if parents := facts.to("parent_of", name):
        yield f"{_listed(parents)} raised {name}."
    elif siblings := facts.of("sibling_of", name):
        yield f"{_listed(siblings[:MOST_NAMED])} grew up with {name}."
    if languages := facts.of("speaks", name):
        yield f"At home one hears {_listed(languages)}."


def _family(facts: _Facts, one: str, other: str) -> Iterator[str]:
    children = sorted(set(facts.of("parent_of", one)) & set(facts.of("parent_of", other)))
    yield f"{one} and {other} are married."
    yield f"Their {'children are' if len(children) > 1 else 'child is'} {_listed(children)}."
    homes = [(child, home) for child in children for home in facts.of("lives_in", child)]
    for child, home in homes[:2]:
        yield f"{child} lives in {home}."
    working = [(child, work) for child in children for work in facts.of("works_for", child)]
    for child, work in working[:1]:
        yield f"{child} works for {work}."


def _listed(names: Sequence[str]) -> str:
    """Names as a sentence lists them; semicolons where a name has a comma.

    Example:
        >>> _listed(["Krasna"]), _listed(["Krasna", "Brodek", "Φάρος"])
        ('Krasna', 'Krasna, Brodek and Φάρος')
    """
    if len(names) == 1:
        return names[0]
    comma = "; " if any("," in name for name in names) else ", "
    return f"{comma.join(names[:-1])} and {names[-1]}"
