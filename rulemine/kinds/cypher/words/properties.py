"""Words for properties: names of values, units, and conditions."""

import datetime
from typing import Any, NamedTuple

from rulemine.cypher.questions.pattern import ReturnClause
from rulemine.kg.property_graph.schema import Property
from rulemine.kg.property_graph.values import is_list
from rulemine.kinds.cypher.words.wording import is_several, property_words, truth, unit_of
from rulemine.phrasing.lexicon import article

__all__ = [
    "be",
    "called",
    "condition",
    "in_unit",
    "is_number",
    "is_place",
    "is_year",
    "number_text",
]

_BY_VALUE = {
    "=": "of", "<>": "other than", "<": "below", ">": "above",
    "<=": "of at most", ">=": "of at least",
}  # fmt: skip
_IN_TIME = {
    "=": "", "<>": "other than", "<": "before", ">": "after",
    "<=": "no later than", ">=": "no earlier than",
}  # fmt: skip
_NUMBER = {
    "=": "", "<>": "", "<": "fewer than", ">": "more than", "<=": "at most", ">=": "at least",
}  # fmt: skip


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

_PLACES = {"continent", "country", "region", "state"}
_HANDS = ("left", "right")
_SEPARATED = 10_000
_EXACT = 2**53
"""Floats below are written without an exponent where they are integers."""


def condition(own: Property, result: ReturnClause) -> str:
    """A condition, as a verb with several as its subject."""
    p, bound, operator = called(own), _shown(result.bound), result.operator
    if own.datatype == "bool":
        verb = truth(own.name)[1]
        if (operator == "=") == (result.bound is True):
            return verb
        return f"are not{verb.removeprefix('are')}" if verb.startswith("are ") else f"do not {verb}"
    if is_list(own.datatype):
        return f"{'do not ' * (operator == 'NOT IN')}have {bound} among their {p}"
    if is_number(own):
        number = f"{_NUMBER[operator]} {bound}".strip()
        return f"{'do not ' * (operator == '<>')}have {number} {property_words(own.name)}"
    if happened := event(own):
        word = _IN_TIME[operator] or ("on" if own.datatype == "date" and not result.year else "in")
        return f"{happened.did} {'at a time ' * (operator == '<>')}{word} {bound}"
    an = "" if is_several(p) else f"{article(p)} "
    if result.year:
        return f"have {an}{p} {_IN_TIME[operator] or 'in'} the year {bound}"
    if own.datatype == "str":
        if is_place(own):
            return f"are {'not ' * (operator == '<>')}in {result.bound}"
        if p == "dominant hand" and result.bound in _HANDS:
            return f"are {'not ' * (operator == '<>')}{result.bound}-handed"
        return f"{'do not ' * (operator == '<>')}have {bound} as their {p}"
    in_time = own.datatype == "date" or is_year(own)
    word = _IN_TIME[operator] or "of" if in_time else _BY_VALUE[operator]
    return f"have {an}{p} {word} {bound}{in_unit(own).removeprefix(' in')}"


def called(own: Property) -> str:
    """A property in words; a number of things says so."""
    words = property_words(own.name)
    if words == "power" and own.datatype == "str":
        return "source of power"
    if own.datatype == "bool":
        return f"value of “{words}”"
    return f"number of {words}" if is_number(own) else words


def is_number(own: Property) -> bool:
    """Whether a property says how many things there are."""
    return own.datatype == "int" and is_several(property_words(own.name))


def in_unit(own: Property) -> str:
    """What a property's numbers count: `` in km²``, or ""."""
    unit = unit_of(own.name, own.unit)
    return f" in {unit}" if unit else ""


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.date):
        return value.isoformat()
    return f"“{value}”" if isinstance(value, str) else number_text(value)


def number_text(value: int | float) -> str:
    """A number as texts have it: with thousands separators from 10,000 on, and no fraction of zero.

    Example:
        >>> number_text(440000.0), number_text(1868), number_text(-0.25), number_text(1e22)
        ('440,000', '1868', '-0.25', '1e22')
    """
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        value = int(value)
    return (f"{value:,}" if abs(value) >= _SEPARATED else repr(value)).replace("e+", "e")


def event(own: Property) -> Event | None:
    """What a date or a year is that of."""
    words = property_words(own.name).split(" ")
    timed = own.datatype == "date" or (own.datatype == "int" and is_year(own))
    return _EVENTS.get(words[0]) if timed and len(words) == 2 else None


def is_place(own: Property) -> bool:
    """Whether a property is a place in which what has it is."""
    return own.datatype == "str" and property_words(own.name) in _PLACES


def is_year(own: Property) -> bool:
    """Whether a property is a year."""
    return own.name.lower().endswith("year")


def be(words: str) -> str:
    """*is*, or *are* of what is in the plural."""
    return "are" if is_several(words) else "is"
