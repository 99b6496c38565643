"""Ways to say what a description says: of a subject, after a noun, as a name, as a question.

A description has one relative clause, "in which {topic} acted" or "whose cast includes {topic}". The others
are read off it where its form allows: "has {topic} in its cast", "directed by {topic}", "a sibling of
{topic}", "in which film did {topic} act".

Guarantee: all ways say the same; what cannot be read for sure is missing.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from rulemine.phrasing.descriptions import Description
from rulemine.phrasing.grammar import denial_of, is_past, of_many
from rulemine.phrasing.lexicon import PREPOSITIONS, article, is_plural

__all__ = ["Around", "Ways", "ways_of"]

_INCLUDES = re.compile(r"whose ([\w'’ -]+?) (includes?|(?:ha(?:s|ve) )?included)( or included)? $")
_OWNS = {"includes": "has", "include": "has", "included": "had"}
_IS = re.compile(r"whose ([\w'’ -]+) (is|was) $")
_MADE = re.compile(r"whose ([\w'’ -]+) (?:was|were) (\w+ed|written) by $")
_BE = re.compile(r"(is|are|was|were|ha(?:s|ve) been)(?: or (?:was|were))? (.+)")
_NAMED = re.compile(r"(?:is|was|has been)(?: or was)? ((?:an?|the) (?:[\w'’-]+ )+(?:of|to|for) )")
_GAP = re.compile(r"((?:\w+ )?which|(?:\w+ )?whom|that) (.*)")
_KIND = re.compile(r"\ban? [\w ]+$")
_SOMEONE = re.compile(r"someone(?= )|an? \w+(?= who )")
_PLACED = ("in", "on", "at", "from", "of")
_NOT_HAD = ("been", "had", "or")
_DOING = {
    verb: ing
    for one, many, ing in (
        ("belongs", "belong", "belonging"),
        ("borders", "border", "bordering"),
        ("contains", "contain", "containing"),
        ("features", "feature", "featuring"),
    )
    for verb in (one, many)
}
"""Verbs that things are named by: "a film featuring A"."""
_PLACES = frozenset({"place", "city", "town", "country", "county", "region", "venue", "state"})


class Around(NamedTuple):
    """A text, cut at the topic entities."""

    before: str
    after: str = ""

    def with_topics(self, topics: str) -> str:
        """The text with its topic entities."""
        return f"{self.before}{topics}{self.after}"


Pair = tuple[Around, Around]


class Ways(NamedTuple):
    """The ways to say what a description says; pairs are for one entity and for several.

    Attributes:
        predicate: After a subject, e.g. "has {topic} in its cast".
        heavy: The same with the topic at the end, e.g. "has in its cast {topic}".
        member: The same up to a noun for people, e.g. "has a citizen", which is left out of the topic.
        relative: After a noun, in relative words of its own, e.g. "whose cast includes {topic}". None: it is
            *who* or *that* with the predicate.
        many: What ends `relative` where there are several topic entities, e.g. "were nominated"; None: it
            cannot be told.
        reduced: After a noun, without relative words, e.g. "directed by {topic}".
        name: A noun phrase, in the singular, e.g. "a sibling of {topic}".
        gap: What leads to a question before the noun, e.g. "in which"; empty: there is none.
        asked: What follows it for one topic entity and for several, e.g. "did {topic} act".
    """

    predicate: Pair | None = None
    heavy: Pair | None = None
    member: Pair | None = None
    relative: Pair | None = None
    many: str | None = None
    reduced: Pair | None = None
    name: Around | None = None
    gap: str = ""
    asked: Pair | None = None

    def of_member(self, topic: str) -> tuple[str, str] | None:
        """`member` with a topic of the same kind: "has a citizen who …" for "someone who …"."""
        if self.member is None:
            return None
        one, many = (around.before for around in self.member)
        kind = _KIND.search(one)
        same = kind and re.match(rf"{re.escape(kind[0])}(?= (?!of |in |for ))", topic)
        if found := same or _SOMEONE.match(topic):
            return f"{one}{topic[found.end() :]}", f"{many}{topic[found.end() :]}"
        return None

    @property
    def did(self) -> bool:
        """Whether the question is what the topic entity did."""
        return self.asked is not None and self.asked[0].before.startswith("did ")


@lru_cache(maxsize=1 << 12)
def ways_of(description: Description, people: bool) -> Ways:
    """The ways to say a description.

    Args:
        description: The description.
        people: Whether what it describes are people.
    """
    one, more = (Around(form.before, form.after) for form in description.forms)
    name = Around(*description.name) if description.name else None
    if name:
        name = name._replace(before=f"{article(name.before)} {name.before}")
    if description.subject:
        pair = _headless(one), _headless(more)
        if name is None and not one.after and (found := _NAMED.fullmatch(pair[0].before)):
            name = Around(found[1])
        return Ways(pair, _ending(pair), name=name, reduced=_reduced(pair, people))
    place = description.noun[0] in _PLACES
    ways = _possessed(one, more, people) or _question(one, more, place)
    return ways._replace(relative=(one, more), name=name)


def _headless(cut: Around) -> Around:
    return Around(cut.before.split(" ", 1)[1], cut.after)


def _ending(pair: Pair) -> Pair | None:
    """A predicate with its topic at the end: "has played on recordings {topic}"."""
    one, more = (Around(f"{around.before.rstrip()}{around.after} ") for around in pair)
    words = pair[0].after.split()
    return (one, more) if words and words[0] in {*PREPOSITIONS, "as"} else None


def _possessed(one: Around, more: Around, people: bool) -> Ways | None:
    """The ways of "whose cast includes A" and of "whose costumes were designed by A"."""
    if one.after:
        return None
    ones, mores = (_INCLUDES.fullmatch(cut.before) for cut in (one, more))
    if ones and mores:
        whole = ones[2].startswith(("includes", "has")) or not is_plural(ones[1].split(" ")[-1])
        had = " had" if " " in ones[2] else ""
        past = ones[2] == "included"
        verbs = [
            f"{'had' if past else has}{had}{' or had' if ones[3] else ''}"
            for has in ("has", "have")
        ]
        within = "in" if whole else "among"
        where = [f"{within} {'their' if people else 'its'} {ones[1]}", f"{within} their {mores[1]}"]
        pair = Around(f"{verbs[0]} ", f" {where[0]}"), Around(f"{verbs[1]} ", f" {where[1]}")
        heavy = Around(f"{verbs[0]} {where[0]} "), Around(f"{verbs[1]} {where[1]} ")
        member = None
        if not whole and re.fullmatch(r"[\w ]+(?:[^es]|[^i]e)s", ones[1]) and " or " not in ones[1]:
            person = f"{article(ones[1])} {ones[1][:-1]}"
            member = Around(f"{verbs[0]} {person}"), Around(f"{verbs[1]} {person}")
        return Ways(pair, heavy, member)
    if found := _IS.fullmatch(one.before):
        as_whose = f" as {'their' if people else 'its'} {found[1]}", f" as their {found[1]}"
        has, have = ("had", "had") if found[2] == "was" else ("has", "have")
        pair = Around(f"{has} ", as_whose[0]), Around(f"{have} ", as_whose[1])
        return Ways(pair, (Around(f"{has}{as_whose[0]} "), Around(f"{have}{as_whose[1]} ")))
    made = _MADE.fullmatch(one.before)
    if made and (is_plural(made[1].split(" ")[-1]) or made[1] == "music"):
        what = f"{made[1]} {made[2]} by "
        pair = Around(f"has {what}"), Around(f"have {what}")
        return Ways(pair, reduced=_reduced(pair, people))
    return None


def _reduced(pair: Pair, people: bool) -> Pair | None:
    """A predicate after a noun: "directed by A", "in A", "with dialogue in A", "containing A"."""
    one, more = (_reduced_text(cut.before, people) for cut in pair)
    return (Around(one, pair[0].after), Around(more, pair[1].after)) if one and more else None


def _reduced_text(predicate: str, people: bool) -> str:
    if found := _BE.fullmatch(predicate):
        first = found[2].split(" ")[0]
        there = first in _PLACED and found[1] in ("is", "are")
        return found[2] if there or is_past(first) else ""
    verb, _, rest = predicate.partition(" ")
    if verb in ("has", "have"):
        first = rest.split(" ")[0]
        return "" if is_past(first) or first in _NOT_HAD else f"with {rest}"
    return f"{_DOING[verb]} {rest}" if verb in _DOING and not people else ""


def _question(one: Around, more: Around, place: bool) -> Ways:
    """The ways of "in which A acted": what else must be said of a gap."""
    found, says = _GAP.fullmatch(one.before), one.after.strip()
    if one.after != more.after or not says:
        return Ways()
    many = of_many(says)
    if many is None:
        return Ways()
    if found is None:  # "whose …"
        return Ways(many=f" {many}")
    asked = []
    for number in (0, 1):
        denial = denial_of(says, many, number)
        if denial is None or " not" not in denial:
            return Ways(many=f" {many}")
        first, _, rest = denial.partition(" not")
        asked.append(Around(f"{first} {found[2]}", rest))
    gap = "which" if found[1] == "that" else found[1]
    pair = None
    if gap == "in which" and place:  # "is where A died"
        pair = Around(f"is where {found[2]}", one.after), Around(f"are where {found[2]}", one.after)
    return Ways(pair, many=f" {many}", gap=gap, asked=(asked[0], asked[1]))
