"""The demo's world as a property graph: the same triples, with types, and properties of every datatype.

Guarantees: the edges are exactly the triples of `tools.demo.world.generate`; the same seed gives
the same graph everywhere. Who works for a workshop has a start year, and an end year once that has ended.
"""

import datetime
from collections.abc import Mapping
from typing import Any

from rulemine.kg.property_graph.graph import GraphEdge, GraphNode, PropertyGraph
from rulemine.kg.property_graph.observed import edge_ids
from rulemine.kg.property_graph.schema import EntityType, Property, RelationType, Schema
from rulemine.kg.property_graph.values import Value
from tools.demo.names import (
    COUNTRY,
    GUILDS,
    LANGUAGES,
    PROVINCE_CODES,
    PROVINCES,
    TRADES,
)
from tools.demo.world import SEED, Dice, Person, World, grown, triples_of

__all__ = ["demo_graph"]

TODAY = 1925
"""The year in which the world is told."""

UNKNOWN = 0.06
"""The share of values, end years excepted, that the graph lacks: without one, nothing else could tell."""

_ENTITIES = (
    EntityType("Country", (Property("coast_km", "float", "km"),)),
    EntityType("Province", (Property("area_km2", "float", "km ** 2"), Property("code", "str"))),
    EntityType(
        "Town",
        (
            Property("population", "int"),
            Property("elevation_m", "float", "m"),
            Property("founded_year", "int"),
            Property("has_lighthouse", "bool"),
            Property("market_days", "list[str]"),
            Property("province_code", "str"),
        ),
    ),
    EntityType(
        "Guild",
        (
            Property("charter_date", "date"),
            Property("colors", "list[str]"),
            Property("dues", "list[float]", description="by rank, in crowns a year"),
            Property("members_by_decade", "list[int]", description="from 1880"),
            Property("elections", "list[date]"),
            Property("trade", "str"),
        ),
    ),
    EntityType("Language", (Property("letters", "int"),)),
    EntityType(
        "Workshop",
        (
            Property("founded_year", "int"),
            Property("power", "str", description="what drives its machines"),
            Property("takes_apprentices", "bool"),
            Property("trade", "str"),
            Property("province_code", "str"),
        ),
    ),
    EntityType(
        "Person",
        (
            Property("birth_date", "date"),
            Property("birth_year", "int"),
            Property("death_date", "date"),
            Property("height_m", "float", "m"),
            Property("hand", "str", description="the hand that writes"),
            Property("instruments", "list[str]"),
        ),
    ),
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_COLORS = ("amber", "black", "blue", "green", "red", "silver", "white")
_INSTRUMENTS = ("accordion", "drum", "fiddle", "flute", "harp", "horn")
_YEARS = (Property("start_year", "int"), Property("end_year", "int"))
_TIMED = "works_for"


def demo_graph(seed: int = SEED) -> PropertyGraph:
    """The property graph of a world.

    Args:
        seed: As of `tools.demo.world.generate`.
    """
    world = grown(seed)
    triples = sorted(triples_of(world))
    types = _types(world)
    # People whom no triple names are not known of.
    named = sorted({end for s, _, o in triples for end in (s, o)}, key=lambda n: (types[n], n))
    ids: dict[str, str] = {}
    for name in named:
        number = sum(1 for other in ids if types[other] == types[name]) + 1
        ids[name] = f"{types[name]}#{number}"
    values = _values(world, named, types)
    years = _years(world, values)
    told = _told_twice(world, values)
    dice, more = Dice(seed, "unknown values"), Dice(seed, "unknown values that others tell")
    nodes = [
        GraphNode(
            ids[name],
            types[name],
            name,
            _known(dice, values[name])
            | _known(more, told.get(name, {}))
            | _listed(name, types[name]),
        )
        for name in named
    ]
    ends = [(r, ids[s], ids[o]) for s, r, o in triples]
    edges = [
        GraphEdge(id_, r, ids[s], ids[o], _known(dice, years[s]) if r == _TIMED else {})
        for id_, (s, r, o) in zip(edge_ids(ends), triples, strict=True)
    ]
    signatures = sorted({(types[s], r, types[o]) for s, r, o in triples})
    relations = [RelationType(r, s, o, _YEARS if r == _TIMED else ()) for s, r, o in signatures]
    return PropertyGraph(Schema("demo", _ENTITIES, tuple(relations)), nodes, edges)


def _types(world: World) -> dict[str, str]:
    """Name → type."""
    towns = [town for _, some in PROVINCES.values() for town in some]
    groups = {
        "Country": [COUNTRY],
        "Province": list(PROVINCES),
        "Town": towns,
        "Guild": list(GUILDS),
        "Language": list(LANGUAGES.values()),
        "Workshop": [workshop.name for workshop in world.workshops],
        "Person": [person.name for person in world.everyone],
    }
    return {name: kind for kind, names in groups.items() for name in names}


def _known(dice: Dice, values: Mapping[str, Value]) -> dict[str, Value]:
    """Values without those that are unknown; every end is known, or it would read as "still there"."""
    return {
        name: value
        for name, value in values.items()
        if not (dice.chance(UNKNOWN) and name != "end_year")
    }


def _listed(name: str, kind: str) -> dict[str, Value]:
    """What public lists say, which nobody lacks."""
    if kind == "Province":
        return {"code": PROVINCE_CODES[name]}
    return {"trade": TRADES[name]} if kind == "Guild" else {}


def _told_twice(
    world: World, values: Mapping[str, Mapping[str, Any]]
) -> dict[str, dict[str, Value]]:
    """Name → its values that another value or a triple tells too."""
    codes = {town: PROVINCE_CODES[name] for name, (_, some) in PROVINCES.items() for town in some}
    found: dict[str, dict[str, Value]] = {
        name: {"birth_year": own["birth_date"].year}
        for name, own in values.items()
        if "birth_date" in own
    }
    found |= {town: {"province_code": code} for town, code in codes.items()}
    for shop in world.workshops:
        found[shop.name] = {"trade": TRADES[shop.guild], "province_code": codes[shop.town]}
    return found


def _values(
    world: World, named: list[str], types: Mapping[str, str]
) -> dict[str, dict[str, Value]]:
    """Name → its values, all of them."""
    dice = Dice(world.seed, "values")
    people = {person.name: person for person in world.everyone}
    born: dict[str, datetime.date] = {}
    for person in world.everyone:  # parents before their children
        born[person.name] = _birth(dice, person, born)
    return {
        name: _of_person(dice, born[people[name].name])
        if types[name] == "Person"
        else _of_thing(dice, types[name])
        for name in named
    }


def _birth(dice: Dice, person: Person, born: Mapping[str, datetime.date]) -> datetime.date:
    if person.parents:
        parent = person.parents[0]
        eldest = max(born[one.name].year for one in person.parents) + dice.between(19, 23)
        year = eldest + 3 * parent.children.index(person)
    else:
        year = dice.between(1836, 1846)
    return _day(dice, year)


def _day(dice: Dice, year: int) -> datetime.date:
    return datetime.date(year, 1, 1) + datetime.timedelta(dice.between(0, 364))


def _some(dice: Dice, items: tuple[str, ...], most: int) -> tuple[str, ...]:
    return tuple(sorted(dice.shuffled(items)[: dice.between(1, most)]))


def _tenths(dice: Dice, low: int, high: int) -> float:
    """A decimal number between two numbers of tenths."""
    return dice.between(low, high) / 10


def _of_person(dice: Dice, born: datetime.date) -> dict[str, Value]:
    died = _day(dice, born.year + dice.between(48, 86))
    found: dict[str, Value] = {"birth_date": born}
    if died.year < TODAY:
        found["death_date"] = died
    found["height_m"] = dice.between(148, 194) / 100
    found["hand"] = "left" if dice.chance(0.12) else "right"
    if dice.chance(0.4):
        found["instruments"] = _some(dice, _INSTRUMENTS, 2)
    return found


def _of_thing(dice: Dice, kind: str) -> dict[str, Value]:
    made: dict[str, Value]
    if kind == "Country":
        made = {"coast_km": _tenths(dice, 8000, 16000)}
    elif kind == "Province":
        made = {"area_km2": _tenths(dice, 9000, 60000)}
    elif kind == "Town":
        made = {
            "population": dice.between(300, 24000),
            "elevation_m": _tenths(dice, 10, 4200),
            "founded_year": dice.between(1140, 1790),
            "has_lighthouse": dice.chance(0.4),
            "market_days": _some(dice, _DAYS, 3),
        }
    elif kind == "Guild":
        first = dice.between(1880, 1900)
        made = {
            "charter_date": _day(dice, dice.between(1310, 1780)),
            "colors": _some(dice, _COLORS, 3),
            "dues": tuple(sorted(_tenths(dice, 5, 120) for _ in range(3))),
            "members_by_decade": tuple(dice.between(4, 90) for _ in range(5)),
            "elections": tuple(_day(dice, first + 7 * i) for i in range(3)),
        }
    elif kind == "Language":
        made = {"letters": dice.between(21, 46)}
    else:
        made = {
            "founded_year": dice.between(1790, 1850),
            "power": dice.pick(("hand", "water", "wind")),
            "takes_apprentices": dice.chance(0.7),
        }
    return made


def _years(world: World, values: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Value]]:
    """Person → start and end of the employment."""
    dice = Dice(world.seed, "employment")
    found: dict[str, dict[str, Value]] = {}
    for person in world.everyone:
        if not person.workshop or person.name not in values:
            continue
        own = values[person.name]
        start = own["birth_date"].year + dice.between(14, 22)
        last = own["death_date"].year if "death_date" in own else TODAY + 1
        end = start + dice.between(8, 45)
        found[person.name] = {"start_year": start}
        if min(end, last) <= TODAY:
            found[person.name]["end_year"] = min(end, last)
    return found
