"""Wikidata's statements in RDF: ranks, qualifiers, precision of dates, units of quantities.

Of a property's statements those of the highest rank count, as in ``wdt:``; of a property with a start or an
end (P580, P582) all that are not deprecated. Where a file has statements of a subject and property, its
``wdt:`` triples are not used: they have neither qualifiers, precision nor unit. The format is that of
Wikidata's RDF dumps (https://www.mediawiki.org/wiki/Wikibase/Indexing/RDF_Dump_Format).
"""

import datetime
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from rulemine.kg.property_graph.values import Measured, Strange

__all__ = ["DIRECT", "END_TIME", "START_TIME", "ClaimedFact", "Iri", "Statements"]

DIRECT = "http://www.wikidata.org/prop/direct/"
START_TIME, END_TIME = f"{DIRECT}P580", f"{DIRECT}P582"

_PROPERTY = re.compile(r"http://www\.wikidata\.org/prop/(?:([a-z/-]+)/)?(P[0-9]+)")
_ENTITY = "http://www.wikidata.org/entity/"
_OF_A_PROPERTY = re.compile(rf"{_ENTITY}P[0-9]+")
_ONTOLOGY = "http://wikiba.se/ontology#"
_PAGES = "https://www.wikidata.org/wiki/Special:EntityData/"
_NO_VALUE = "http://www.wikidata.org/prop/novalue/"
_DERIVED = "http://www.w3.org/ns/prov#wasDerivedFrom"
_DAY, _MONTH, _YEAR = 11, 10, 9
"""Precisions of dates; finer ones are hours and less."""

_UNITS = {
    "Q199": "", "Q11573": "m", "Q828224": "km", "Q174728": "cm", "Q174789": "mm", "Q3710": "ft",
    "Q218593": "inch", "Q253276": "mile", "Q25343": "m ** 2", "Q712226": "km ** 2", "Q35852": "hectare",
    "Q81292": "acre", "Q232291": "mile ** 2", "Q11570": "kg", "Q41803": "g", "Q191118": "metric_ton",
    "Q100995": "lb", "Q11574": "s", "Q7727": "minute", "Q25235": "hour", "Q573": "day", "Q577": "year",
    "Q11582": "liter", "Q25517": "m ** 3", "Q4243638": "km ** 3", "Q25236": "W", "Q6982035": "MW",
    "Q180154": "km / hour", "Q182429": "m / s",
}  # fmt: skip
"""Entities that are units → what ``pint`` calls them."""


class Iri(str):
    """What is no literal."""

    __slots__ = ()


class ClaimedFact(NamedTuple):
    """A statement: a property by the IRI of its ``wdt:``, and qualifiers by theirs → their values."""

    subject: str
    property: str
    value: Any
    qualifiers: Mapping[str, tuple[Any, ...]]


class Statements:
    """Collects the triples of which statements are made.

    Values are `Iri` or those of `rulemine.kg.property_graph.rdf_graph.literal_value`.
    """

    def __init__(self) -> None:
        self._claims: dict[tuple[str, str], list[str]] = {}
        self._direct: dict[tuple[str, str], list[Any]] = {}
        self._values: dict[str, Any] = {}
        self._qualifiers: dict[tuple[str, str], list[Any]] = {}
        self._precise: dict[tuple[str, str], list[str]] = {}
        self._of: dict[str, set[str]] = {}
        self._ranks: dict[str, str] = {}
        self._nodes: dict[str, dict[str, Any]] = {}

    def takes(self, subject: str, predicate: str, value: Any) -> bool:
        """Takes a triple; False: it is not of Wikidata's making."""
        if found := _PROPERTY.fullmatch(predicate):
            if not _OF_A_PROPERTY.fullmatch(subject):
                self._take(subject, found[1] or "", DIRECT + found[2], value)
            return True
        if predicate.startswith(_ONTOLOGY):
            name = predicate.removeprefix(_ONTOLOGY)
            if name == "rank":
                self._ranks[subject] = str(value).removeprefix(_ONTOLOGY)
            else:
                self._nodes.setdefault(subject, {})[name] = value
            return True
        machinery = subject.startswith(_PAGES) or _OF_A_PROPERTY.fullmatch(subject)
        return (
            bool(machinery)
            or predicate == _DERIVED
            or str(value).startswith((_ONTOLOGY, _NO_VALUE))
        )

    def _take(self, subject: str, kind: str, property_: str, value: Any) -> None:
        if kind == "":
            self._claims.setdefault((subject, property_), []).append(str(value))
        elif kind == "direct":
            self._direct.setdefault((subject, property_), []).append(value)
        elif kind == "statement":
            self._values[subject] = value
        elif kind == "statement/value":
            self._precise.setdefault((subject, ""), []).append(str(value))
        elif kind == "qualifier":
            self._qualifiers.setdefault((subject, property_), []).append(value)
            self._of.setdefault(subject, set()).add(property_)
        elif kind == "qualifier/value":
            self._precise.setdefault((subject, property_), []).append(str(value))

    def properties(self) -> set[str]:
        """All properties and qualifiers."""
        used = {property_ for _, property_ in (*self._claims, *self._direct)}
        return used.union(*self._of.values())

    def timed(self) -> set[str]:
        """The properties of which a statement has a start or an end."""
        return {
            property_
            for (_, property_), claims in self._claims.items()
            if any(self._of.get(claim, set()) & {START_TIME, END_TIME} for claim in claims)
        }

    def made(self, timed: Callable[[str], bool]) -> Iterator[ClaimedFact]:
        """The statements that count.

        Args:
            timed: Whether all statements of a property count that are not deprecated.
        """
        for (subject, property_), claims in self._claims.items():
            ranks = {c: self._ranks.get(c, "NormalRank") for c in claims if c in self._values}
            known = set(ranks.values()) - {"DeprecatedRank"}
            if "PreferredRank" in known and not timed(property_):
                known = {"PreferredRank"}
            for claim in sorted(ranks):
                if ranks[claim] in known:
                    value = self._read(claim, "", [self._values[claim]])[0]
                    qualifiers = {
                        own: self._read(claim, own, self._qualifiers[claim, own])
                        for own in sorted(self._of.get(claim, ()))
                    }
                    yield ClaimedFact(subject, property_, value, qualifiers)
        for (subject, property_), values in self._direct.items():
            if (subject, property_) not in self._claims:
                for value in values:
                    yield ClaimedFact(subject, property_, value, {})

    def _read(self, claim: str, property_: str, plain: list[Any]) -> tuple[Any, ...]:
        """The values of a statement or qualifier, with precision or unit where they are stated."""
        nodes = [self._nodes.get(node, {}) for node in self._precise.get((claim, property_), ())]
        precise = [node for node in nodes if node.keys() & {"timeValue", "quantityAmount"}]
        return tuple(map(_precise, precise)) or tuple(plain)


def _precise(node: Mapping[str, Any]) -> Any:
    """The value of a node of Wikidata's."""
    if "quantityAmount" in node:
        amount, unit = node["quantityAmount"], str(node.get("quantityUnit", f"{_ENTITY}Q199"))
        if isinstance(amount, Strange):
            return amount
        known = _UNITS.get(unit.removeprefix(_ENTITY))
        if known is None:
            return Strange("in a unit that is not known", f"{amount} {unit}")
        return Measured(amount, known)
    day, precision = node["timeValue"], node.get("timePrecision", _DAY)
    if not isinstance(day, datetime.date) or precision >= _DAY:
        return day
    if precision == _YEAR:
        return day.year
    return Strange(f"known to the {'month' if precision == _MONTH else 'decade or less'}", str(day))
