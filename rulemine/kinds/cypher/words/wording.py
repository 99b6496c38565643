"""Words for labels of types, relations and properties, as clauses of English questions."""

import re

from rulemine.phrasing import lexicon
from rulemine.phrasing.lexicon import PAST, PEOPLE, VERBS, article, is_plural
from rulemine.phrasing.relation_names import words_of

__all__ = [
    "before_name", "extreme_of", "is_person", "is_several", "noun", "nouns", "plural", "property_words",
    "relative_pronoun", "truth", "unit_of",
]  # fmt: skip

_MANY = {"is": "are", "was": "were", "has": "have"}
_UNITS = {
    "km2": "km²",
    "km": "km",
    "m": "m",
    "m2": "m²",
    "km3": "km³",
    "kg": "kg",
    "cm": "cm",
    "usd": "USD",
}
"""Last words of properties' names that are units."""

_LARGE = re.compile("area|capacity|count|number|population|share|size|volume")
_GREAT = re.compile("age|coast|depth|diameter|distance|duration|height|length|mass|weight|width")
"""Properties of which there are larger ones, or greater ones, and not higher ones."""

_SAID = {
    "founded year": "founding year",
    "founded date": "founding date",
    "hand": "dominant hand",
}
_OF = re.compile(r" (?:of|in|by|with|for|at|on|per|from|to|since|until)\b.*")
"""What follows the noun that carries the number of a property."""

_WITH_ARTICLE = {"currency"}
"""Types whose names take an article, whatever they are; of other names `rulemine.text.articles` knows."""

_ACRONYMS = {"iso", "id", "gdp", "url", "isbn", "imdb"}


def noun(label: str) -> str:
    """What one entity of a type is called: ``TownHall`` is a town hall."""
    return " ".join(words_of(label)) or label


def nouns(label: str) -> str:
    """What several are called."""
    return plural(noun(label))


def plural(text: str) -> str:
    """Several of what a noun names, with what follows it: ``numbers of letters``."""
    if " or " in text:
        return " or ".join(map(plural, text.split(" or ")))
    if after := _OF.search(text):
        return plural(text[: after.start()]) + after[0]
    *before, last = text.split(" ")
    return " ".join([*before, last if is_plural(last) else lexicon.plural(last)])


def before_name(label: str) -> str:
    """What stands before the name of an entity of a type: *the* Euro; or ""."""
    return "the " if noun(label).split(" ")[-1] in _WITH_ARTICLE else ""


def is_person(label: str) -> bool:
    """Whether entities of a type are people."""
    return noun(label).split(" ")[-1] in PEOPLE


def relative_pronoun(label: str) -> str:
    """*who* for people, else *that*; as the subject of its clause."""
    return "who" if is_person(label) else "that"


def property_words(name: str) -> str:
    """A property in words, without the unit that its name may end in."""
    words = [word.upper() if word in _ACRONYMS else word for word in words_of(name)]
    if len(words) > 1 and words[-1].lower() in _UNITS:
        words.pop()
    text = " ".join(words) or name
    return _SAID.get(text, text)


def unit_of(name: str, unit: str) -> str:
    """What the numbers of a property count, by the end of its name or what the schema says; or ""."""
    words = words_of(name)
    if len(words) > 1 and words[-1].lower() in _UNITS:
        return _UNITS[words[-1].lower()]
    unit = re.sub(r" ?\*\* ?([23])", lambda found: "²³"[int(found[1]) - 2], unit)
    return "degrees" if unit == "degree" else unit


def is_several(words: str) -> bool:
    """Whether the words of a property are in the plural."""
    return is_plural(_OF.sub("", words).split(" ")[-1])


def extreme_of(words: str, datatype: str, greatest: bool, *, degree: str = "est") -> str:
    """The adjective for the greatest or least value of a property; ``degree``: *est*, or *er* of two."""
    if datatype == "date" or words.endswith("year"):
        return ("lat" if greatest else "earli") + degree
    last = _OF.sub("", words).split(" ")[-1]
    if _LARGE.fullmatch(last):
        return ("larg" if greatest else "small") + degree
    if _GREAT.fullmatch(last):
        return ("great" if greatest else "small") + degree
    return ("high" if greatest else "low") + degree


def truth(name: str) -> tuple[str, str]:
    """What a property that is true says of one and of several: (``has a mill``, ``have a mill``)."""
    first, *rest = words_of(name) or [name]
    after = " ".join(rest)
    base = first[:-1] if first[:-1] in PAST else ""
    many = _MANY.get(first) or VERBS.get(first) or base
    if not many or not rest:
        return f"is “{name}”", f"are “{name}”"
    if many == "have" and not is_several(after):
        after = f"{article(after)} {after}"
    return f"{first} {after}", f"{many} {after}"
