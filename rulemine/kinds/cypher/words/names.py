"""Words for types and properties: nouns, units and conditions, as parts of English questions."""

import datetime
import re
from typing import Any, NamedTuple

from rulemine.cypher.questions.pattern import ReturnClause
from rulemine.kg.property_graph.schema import Property
from rulemine.kg.property_graph.values import is_list
from rulemine.phrasing import lexicon
from rulemine.phrasing.lexicon import PAST, PEOPLE, VERBS, article, is_plural
from rulemine.phrasing.relation_names import words_of

__all__ = [
    "before_name", "called", "condition", "event", "extreme_of", "in_unit", "is_number", "is_person",
    "is_place", "is_several", "is_year", "noun", "nouns", "number_text", "plural", "property_words", "truth",
    "value_text",
]  # fmt: skip

_UNITS = {"km2": "km²", "m2": "m²", "km3": "km³", "usd": "USD"} | {
    unit: unit for unit in ("km", "m", "kg", "cm")
}
"""Last words of properties' names that are units."""

_EXTREMES = (
    (re.compile("date|year"), ("earli", "lat")),
    (re.compile("area|capacity|count|number|population|share|size|volume"), ("small", "larg")),
    (
        re.compile("age|coast|depth|diameter|distance|duration|height|length|mass|weight|width"),
        ("small", "great"),
    ),
    (re.compile(".*"), ("low", "high")),
)
"""The last word of a property, and the adjectives for small and great values of it."""

_SAID = {
    "founded year": "founding year", "founded date": "founding date", "hand": "dominant hand",
    "power": "source of power",
}  # fmt: skip
_PHRASE = re.compile(r" (?:of|in|by|with|for|at|on|per|from|to|since|until)\b.*")
"""What follows the noun that carries the number."""

_WITH_ARTICLE = {"currency"}
"""Types whose names take an article, whatever they are; of other names `rulemine.text.articles` knows."""

_ACRONYMS = {"iso", "id", "gdp", "url", "isbn", "imdb"}
_PLACES = {"continent", "country", "region", "state"}
_BY_VALUE = {
    "=": "of", "<>": "other than", "<": "below", ">": "above", "<=": "of at most", ">=": "of at least",
}  # fmt: skip
_IN_TIME = {
    "=": "", "<>": "other than", "<": "before", ">": "after", "<=": "no later than", ">=": "no earlier than",
}  # fmt: skip
_NUMBER = {"<": "fewer than ", ">": "more than ", "<=": "at most ", ">=": "at least "}
_SEPARATED = 10_000
_EXACT = 2**53
"""Floats below are written without an exponent where they are integers."""


class Event(NamedTuple):
    """What happens once, in words.

    Attributes:
        did: It happened to several: ``were born``.
        asks: What begins a question whether it happened, to one and to several: ``did``.
        base: The rest of the verb in such a question: ``die``.
        first: To whom it happened first: ``the oldest``.
        last: To whom it happened last.
    """

    did: str
    asks: tuple[str, str]
    base: str
    first: str
    last: str

    @property
    def did_one(self) -> str:
        """It happened to one: ``was born``."""
        return self.did.replace("were", "was")


_EVENTS = {
    "birth": Event("were born", ("was", "were"), "born", "the oldest", "the youngest"),
    "death": Event("died", ("did", "did"), "die", "the first", "the last"),
    "founding": Event("were founded", ("was", "were"), "founded", "the oldest", "the newest"),
}
"""First word of a property that is a date or a year → what happened then."""


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
    if after := _PHRASE.search(text):
        return plural(text[: after.start()]) + after[0]
    *before, last = text.split(" ")
    return " ".join([*before, last if is_plural(last) else lexicon.plural(last)])


def before_name(label: str) -> str:
    """What stands before the name of an entity of a type: *the* Euro; or ""."""
    return "the " if noun(label).split(" ")[-1] in _WITH_ARTICLE else ""


def is_person(label: str) -> bool:
    """Whether entities of a type are people."""
    return noun(label).split(" ")[-1] in PEOPLE


def is_several(words: str) -> bool:
    """Whether the words of a property are in the plural."""
    return is_plural(_head(words))


def _head(words: str) -> str:
    """The noun that carries the number."""
    return _PHRASE.sub("", words).split(" ")[-1]


def property_words(name: str) -> str:
    """A property in words, without the unit that its name may end in."""
    words = [word.upper() if word in _ACRONYMS else word for word in words_of(name)]
    if len(words) > 1 and words[-1].lower() in _UNITS:
        words.pop()
    text = " ".join(words) or name
    return _SAID.get(text, text)


def called(own: Property) -> str:
    """A property in words; a number of things says so."""
    words = property_words(own.name)
    if own.datatype == "bool":
        return f"value of “{words}”"
    return f"number of {words}" if is_number(own) else words


def is_number(own: Property) -> bool:
    """Whether a property says how many things there are."""
    return own.datatype == "int" and is_several(property_words(own.name))


def is_place(own: Property) -> bool:
    """Whether a property is a place in which what has it is."""
    return own.datatype == "str" and property_words(own.name) in _PLACES


def is_year(own: Property) -> bool:
    """Whether a property is a year."""
    return own.name.lower().endswith("year")


def event(own: Property) -> Event | None:
    """What a date or a year is that of."""
    words = property_words(own.name).split(" ")
    timed = own.datatype == "date" or (own.datatype == "int" and is_year(own))
    return _EVENTS.get(words[0]) if timed and len(words) == 2 else None


def in_unit(own: Property) -> str:
    """What a property's numbers count, by the end of its name or by the schema: `` in km²``; or ""."""
    *before, last = words_of(own.name) or [""]
    unit = re.sub(r" ?\*\* ?([23])", lambda found: "²³"[int(found[1]) - 2], own.unit)
    unit = (before and _UNITS.get(last.lower())) or re.sub("^degree$", "degrees", unit)
    return f" in {unit}" if unit else ""


def extreme_of(own: Property, greatest: bool, degree: str = "est") -> str:
    """The adjective for the greatest or least value of a property; ``degree``: *est*, or *er* of two."""
    last = "date" if own.datatype == "date" else _head(called(own))
    return next(both for words, both in _EXTREMES if words.fullmatch(last))[greatest] + degree


def truth(name: str) -> tuple[str, str]:
    """What a property that is true says of one and of several: (``has a mill``, ``have a mill``)."""
    first, *rest = words_of(name) or [name]
    base = first[:-1] if first[:-1] in PAST else ""
    many = {"is": "are", "was": "were", "has": "have"}.get(first) or VERBS.get(first) or base
    if not many or not rest:
        return f"is “{name}”", f"are “{name}”"
    after = " ".join(rest)
    if many == "have" and not is_several(after):
        after = f"{article(after)} {after}"
    return f"{first} {after}", f"{many} {after}"


def condition(own: Property, result: ReturnClause) -> str:
    """A condition, as a verb with several as its subject."""
    p, bound, operator = called(own), value_text(result.bound), result.operator
    bound = f"“{bound}”" if isinstance(result.bound, str) else bound
    negative = operator in ("<>", "NOT IN")
    do_not, not_ = "do not " * negative, "not " * negative
    if own.datatype == "bool":
        verb = truth(own.name)[1]
        denied = f"are not{verb[3:]}" if verb.startswith("are ") else f"do not {verb}"
        return verb if (operator == "=") == (result.bound is True) else denied
    if is_list(own.datatype):
        return f"{do_not}have {bound} among their {p}"
    if is_number(own):
        return f"{do_not}have {_NUMBER.get(operator, '')}{bound} {property_words(own.name)}"
    if happened := event(own):
        word = _IN_TIME[operator] or ("on" if own.datatype == "date" and not result.year else "in")
        return f"{happened.did} {'at a time ' * negative}{word} {bound}"
    if is_place(own):
        return f"are {not_}in {result.bound}"
    if p == "dominant hand" and result.bound in ("left", "right"):
        return f"are {not_}{result.bound}-handed"
    if own.datatype == "str":
        return f"{do_not}have {bound} as their {p}"
    an = "" if is_several(p) else f"{article(p)} "
    if own.datatype != "date" and not is_year(own):
        return f"have {an}{p} {_BY_VALUE[operator]} {bound}{in_unit(own).removeprefix(' in')}"
    word = _IN_TIME[operator] or ("in" if result.year else "of")
    return f"have {an}{p} {word} {'the year ' * result.year}{bound}"


def value_text(value: Any) -> str:
    """A value as texts have it."""
    if isinstance(value, str):
        return value
    return value.isoformat() if isinstance(value, datetime.date) else number_text(value)


def number_text(value: int | float) -> str:
    """A number as texts have it: with thousands separators from 10,000 on, and no fraction of zero.

    Example:
        >>> number_text(440000.0), number_text(1868), number_text(-0.25), number_text(1e22)
        ('440,000', '1868', '-0.25', '1e22')
    """
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        value = int(value)
    return (f"{value:,}" if abs(value) >= _SEPARATED else repr(value)).replace("e+", "e")
